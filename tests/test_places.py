"""Where arrays are not zero: np.nonzero and np.where of vectors, np.flatnonzero: NumPy's results at every size and density."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(81)
FORMS = ["np.nonzero(a)", "np.where(a)", "a.nonzero()[0]", "np.flatnonzero(a)", "np.where(a != 0)[0] * 2", "np.flatnonzero(a)[-1:]"]
FORMS += ["np.flatnonzero(a).strides"]
FORMS += ["b[np.flatnonzero(a)[:2]]", "[i for (i,) in [np.where(a)]]", "np.flatnonzero(a.T)", "len(np.flatnonzero(a[..., ::2]))"]


def masks():
    for n in (0, 1, 7, 8, 63, 64, 65, 128, 200, 1000, 5003):
        for share in (0.0, 0.01, 0.1, 0.3, 0.6, 0.99, 1.0):
            yield RNG.random(n) < share
    ends = np.zeros(300, bool)
    ends[[0, 63, 64, 127, -1]] = True
    yield from (ends, ~ends, ends[::-1], ends[::3], ends[5:-5], ends[:200].reshape(10, 20), ends[:200].reshape(10, 20).T)
    yield from ((~ends)[:240].reshape(6, 5, 8), ends.view("u1").copy() * 7, np.frombuffer(bytes([0, 2, 128, 255] * 40), bool))
    yield from (ends.reshape(-1, 3)[:, ::2], np.array(True), ends.reshape(1, -1))


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    source = f"def f(a, b):\n    return {form}\n"
    calls = [(a, np.arange(9.0)) for a in masks()]
    check_calls(source, calls, configurations=("jit",))
    check_calls(source, calls[::5], configurations=("numpy",))
    check(source, *calls[40], configurations=("forced", "O0"))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i1", "u8", "c16", "c8"])
def test_dtypes(dtype):
    a = np.array([0, 1, -1, 0, 5, 0, 0, 3] * 20).astype(dtype)
    odd = a.copy()
    if dtype[0] in "fc":
        odd[:6] = [np.nan, -0.0, np.inf, 5e-324, 0.0, -np.inf]
    for form in FORMS[:4]:
        check_calls(f"def f(a):\n    return {form}\n", [(a,), (odd,), (a[::-3],), (a.reshape(8, 20),), (a[:0],)], configurations=("jit", "numpy"))


def test_what_is_left_to_numpy():
    a, m = np.array([0.0, 1.0, 2.0]), np.eye(3)
    forms = "np.nonzero(m) | np.where(m) | m.nonzero() | np.flatnonzero(3) | np.flatnonzero([0, 1]) | np.nonzero(a, a=a) | np.where(a, x=1)"
    for form in map(str.strip, f"{forms} | np.nonzero(3) | np.argwhere(a) | np.nonzero(a[1]) | np.where() | a.nonzero(1)".split("|")):
        check(f"def f(a, m):\n    return {form}\n", a, m, configurations=("jit",))


def test_natively():
    a = RNG.standard_normal(70)
    for form in ("np.flatnonzero(a > 0)", "np.where(a > 1)[0]", "np.nonzero(a)", "a[np.flatnonzero(a > 0)]", "np.flatnonzero(a).sum()"):
        check_native(form, "a", a)


def test_in_a_loop():
    source = """
def f(a, n):
    total = 0
    for k in range(n):
        i = np.flatnonzero(a > k)
        a[i] -= 1
        total += i.sum() + len(i)
    return a, total
"""
    check(source, RNG.standard_normal(90) * 5, 7)
