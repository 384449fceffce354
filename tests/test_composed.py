"""Functions that NumPy writes in Python and native code composes: their bits, their own errors and warnings, and what is left to NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(21)
SPECIAL = np.array([1.0, -0.0, np.inf, -np.inf, np.nan, 1e308, -1e308, 5e-324, 2.0])
OF_ONE = ["np.diff(a)", "np.diff(a, 2, 0)", "np.diff(a, axis=-1, n=3)", "np.gradient(a, axis=0)", "np.gradient(a, 2, axis=-1)"]
OF_ONE += ["np.gradient(a, 0.1, axis=0)", "np.ptp(a)", "np.ptp(a, 0)", "np.ptp(a, axis=-1, keepdims=True)", "np.linalg.norm(a)"]
OF_ONE += ["np.linalg.norm(a, axis=0)", "np.linalg.norm(a, 2, -1)", "np.linalg.norm(a, axis=1, keepdims=True) if a.ndim > 1 else 0"]
OF_TWO = ["np.cross(a, b)", "np.cross(b, a) * 2", "np.trapezoid(a[..., 0], b[..., 1]) if a.ndim == 2 else 0"]
OF_TWO += ["np.trapezoid(b[0]) if b.ndim > 1 else 0"]


def arrays(dtype):
    a = (RNG.standard_normal((5, 6)) * 3).astype(dtype)
    return [a, a[0], a[:, ::2], np.asfortranarray(a), a[::-1], a.T[1:, 1:], a[:4, :4].copy(), RNG.standard_normal((3, 4, 5)).astype(dtype)]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool", "complex128"])
@pytest.mark.parametrize("form", OF_ONE)
def test_of_one(form, dtype):
    source = f"def f(a):\n    return {form}\n"
    check_calls(source, [(a,) for a in arrays(dtype)], configurations=("jit", "numpy"))
    if dtype == "float64":
        check(source, arrays(dtype)[0], configurations=("forced",))


@pytest.mark.parametrize("form", OF_TWO)
def test_of_two(form):
    source = f"def f(a, b):\n    return {form}\n"
    for dtype in ("float64", "float32", "int32", "complex64"):
        v, m = (RNG.standard_normal(3) * 9).astype(dtype), (RNG.standard_normal((4, 3)) * 9).astype(dtype)
        pairs = [(v, v[::-1].copy()), (v, m), (m, v), (m, m[::-1]), (m, m), (m[:1], m), (m[::2], m[1::2]), (m[:0], m[:0]), (v, v)]
        pairs += [(v, v[:2].copy()), (m, m[:, :2]), (m, m[:3])] * (form.startswith("np.cross") and dtype == "float64")
        check_calls(source, pairs, configurations=("jit", "numpy"))
    check(source, np.ones(3), np.arange(3.0), configurations=("forced",))


CLOSE = ["np.isclose(a, b)", "np.allclose(a, b)", "np.isclose(a, b, 0.1)", "np.allclose(a, b, atol=0.5, rtol=0.0)", "np.isclose(a, 0.5, atol=0.25)"]
CLOSE += ["np.allclose(a, 1)", "np.array_equal(a, b)", "np.array_equal(a, a)", "np.average(a, weights=b)", "np.average(a[0], None, b[0])"]
CLOSE += ["np.isclose(a, b[0])", "np.allclose(a[..., 0], b[..., 0])"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "complex128"])
@pytest.mark.parametrize("form", CLOSE)
def test_close_and_equal(form, dtype):
    m = (RNG.integers(0, 9, (4, 5)) / 4).astype(dtype)
    odd = m.copy()
    odd.flat[[2, 7, 11]] = [1, 0, 1] if np.dtype(dtype).kind in "ib" else [np.nan, np.inf, -np.inf]
    near = (m * (1 + 1e-6)).astype(dtype)
    pairs = [(m, near), (m, m), (m[::2], near[1::2]), (odd, m), (m, odd), (odd, odd), (m, m[:, :4]), (m, m[:0]), (m[:0], m[:0])]
    pairs += [(m, m * 0), (m.T, near.T)]
    check_calls(f"def f(a, b):\n    return {form}\n", pairs, configurations=("jit", "numpy"))
    if dtype == "float64":
        check(f"def f(a, b):\n    return {form}\n", m, near, configurations=("forced",))
        check_calls(f"def f(a, b):\n    with np.errstate(all='raise'):\n        return {form}\n", pairs, configurations=("jit",))


@pytest.mark.parametrize("state", ["", "all='ignore'", "over='raise', invalid='raise'"])
@pytest.mark.parametrize("form", [*OF_ONE, "np.cross(a[:3], a[3:6])", "np.cross(a[2:5], a[4:7])", "np.trapezoid(a, a[::-1].copy())"])
def test_warnings_are_numpys(form, state):
    source = f"def f(a):\n    with np.errstate({state}):\n        b = {form}\n    return b\n"
    check(source, SPECIAL, configurations=("jit", "numpy"))
    check(source, SPECIAL[:3], configurations=("jit",))


def test_as_long_as_there_are():
    """Short axes are NumPy's: its errors, and what is without elements."""
    for form in ("np.diff(a)", "np.diff(a, 3)", "np.gradient(a)", "np.trapezoid(a)", "np.ptp(a)", "np.linalg.norm(a)", "np.trapezoid(a, a)"):
        source = f"def f(a):\n    return {form}\n"
        check_calls(source, [(np.arange(float(n)) ** 2,) for n in (6, 3, 2, 1, 0, 4)], configurations=("jit", "numpy"))


def test_what_is_left_to_numpy():
    a, v = RNG.standard_normal((4, 5)), RNG.standard_normal(7)
    forms = """
        np.allclose(v, v, 1e-5, 1e-8, True) | np.allclose(v, v.tolist()) | np.isclose(v, np.nan) | np.isclose(v, v, np.inf) |
        np.isclose(v, v, v) | np.isclose(1.0, v) | np.isclose(v, 2**60) | np.isclose(v, 10**400) | np.allclose(v, a) |
        np.array_equal(v, a) | np.array_equal(v, 1) | np.array_equal(v, v, equal_nan=True) | np.average(v) | np.average(a, 0) |
        np.average(a, axis=1, weights=v[:5]) | np.average(v, weights=v, returned=True) | np.average(v, weights=a) |
        np.average(v, weights=v * 0) | np.average(v, 0, v) | np.average(v, weights=np.arange(7)) | np.diff(v, 0) | np.diff(v, -1) |
        np.diff(v, 9) | np.diff(v, prepend=0) | np.diff(v, append=[1, 2]) | np.diff(a, axis=2) | np.diff(v, 1, None) | np.diff(v.tolist()) |
        np.diff(v, 1.0) | np.diff(a, axis=(0,)) | np.diff(a, n=2, axis=0) | np.gradient(a) | np.gradient(v, v) | np.gradient(a, 2, 3) |
        np.gradient(a, axis=(0, 1)) | np.gradient(v, edge_order=2) | np.gradient(v, np.float32(2)) | np.gradient(v, 0) |
        np.gradient(v, 1, 2) | np.gradient(v, True) | np.trapezoid(a) | np.trapezoid(v, a) | np.trapezoid(v, v.tolist()) |
        np.trapezoid(v, axis=0) | np.trapezoid(v, v, 0.5) | np.trapezoid(v, v[1:]) | np.trapezoid(v, None, 2) | np.ptp(a, (0, 1)) |
        np.ptp(v, out=np.empty(())) | np.ptp(3.0) | np.linalg.norm(v, 1) | np.linalg.norm(v, np.inf) | np.linalg.norm(a, 'fro') |
        np.linalg.norm(a, 2) | np.linalg.norm(v, axis=0) | np.linalg.norm(a, axis=(0, 1)) | np.linalg.norm(a, axis=(1,)) |
        np.linalg.norm(a, axis=2) | np.linalg.norm(a, 3, axis=0) | np.linalg.norm(v, 2) | np.linalg.norm(a, None, None) |
        np.linalg.norm(a, None, 1, True) | np.cross(v, v) | np.cross(a[:, :3], v[:3], axis=1) | np.cross([1, 2, 3], v[:3]) |
        np.cross(a[:3], a[:3], axisa=0, axisb=0) | np.cross(a[:3, :3], a[:2, :3]) | np.cross(a[:, 0:3], v[:3].astype('f4')) |
        np.cross(v[:3], a=v[:3]) | np.cross(a[:3, :3].T, v[:3]) | np.cross(a[:, None, :3], a[:, :3])
    """
    for form in map(str.strip, forms.split("|")):
        check(f"def f(a, v):\n    return {form}\n", a, v, configurations=("jit",))


def test_natively():
    """Without a call of NumPy, and nothing leaves."""
    v, m = RNG.standard_normal(9), RNG.standard_normal((4, 3))
    forms = ["np.allclose(v, v * 2)", "np.isclose(m, 0.5)", "np.array_equal(m, m)", "np.average(v, weights=v)"]
    forms += ["np.diff(v)", "np.gradient(v)", "np.trapezoid(v, v)", "np.ptp(v)"]
    forms += ["np.linalg.norm(m, axis=1)", "np.cross(m, m)", "np.cross(m[0], m[1])"]
    for form in forms:
        check_native(form, "v, m", v, m)


def test_in_a_loop():
    source = """
def push(x, v, e, b, dt, steps):
    for _ in range(steps):
        v = v + e * dt
        t = b * dt
        v = v + np.cross(v + np.cross(v, t), 2.0 * t / (1.0 + t @ t))
        x = x + v * dt
    return x, v, np.linalg.norm(v)
"""
    stats = check(source, *RNG.standard_normal((4, 3)), 0.1, 20)
    assert not stats.breaks
    assert not stats.exits
