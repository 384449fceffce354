"""np.argmax and np.argmin: where NumPy says, among equals and NaNs, too; its own errors."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit
from pijit.codegen import extremes

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(31)
DTYPES = ["float64", "float32", "complex128", "complex64", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool"]
SOURCE = "def f(a, v):\n    return {}\n"
FORMS = """
    np.argmax(v) | v.argmin() | np.argmax(a) | np.argmax(a, axis=1) | np.argmin(a, -1) + 1 | a.argmax(axis=-1) | np.argmax(v[::2]) |
    v[np.argmax(v)] | np.argmin(a[:, 1]) | np.argmin(v[::-1], 0) | np.argmax(np.abs(a[1:, 0])) | np.argmin((a * a).sum(axis=1))
"""
NUMPYS = """
    np.argmax(a, 0) | np.argmax(a.T) | np.argmin(a.T, axis=1) | np.argmax(a[:, ::2], 1) | np.argmax(a, axis=2) | np.argmax(v, 1) |
    np.argmax(a, axis=1, keepdims=True) | np.argmax(a, out=np.empty((), int)) | np.argmax(v.tolist()) | np.argmax(3.0) |
    np.argmax(a, True) | np.argmax(a, axis=(1,)) | np.argmax(a, None, None) | a.argmin(1, np.empty(4, int)) | np.argmax(v[0]) |
    np.argmax()
"""


def forms(text):
    return [form.strip() for form in text.split("|")]


def values(shape, dtype):
    """With many equal ones, and with NaNs where there are."""
    made = RNG.integers(0, 5, shape).astype(dtype)
    if np.dtype(dtype).kind in "fc" and RNG.random() < 0.6:
        made.flat[RNG.integers(made.size, size=2)] = RNG.choice([np.nan, np.inf, -np.inf, -0.0])
    return made


@pytest.mark.parametrize("dtype", DTYPES)
def test_as_numpy_finds_them(dtype):
    for form in forms(FORMS):
        calls = [(values((4, n), dtype), values(m, dtype)) for n, m in ((3, 7), (2, 1), (70, 300), (17, 33), (3, 7))]
        check_calls(SOURCE.format(form), calls, configurations=("jit", "numpy"))


def test_natively():
    for form in forms(FORMS):
        args = values((4, 3), "float64"), values(9, "float64")
        stats = check(SOURCE.format(form), *args)
        assert not stats.breaks
        assert not stats.exits
        fast = pijit.jit(eval(f"lambda a, v: {form}"))
        fast(*args)
        assert "arg_extreme" in str(pijit.explain(fast))
        assert "= call" not in str(pijit.explain(fast)), form


def test_what_is_left_to_numpy():
    for form in forms(NUMPYS):
        check(SOURCE.format(form), values((4, 6), "float64"), values(9, "float64"), configurations=("jit",))


def test_of_nothing():
    for form in ("np.argmax(v)", "np.argmax(a)", "np.argmin(a, axis=1)"):
        calls = [(np.ones(shape), np.ones(n)) for shape, n in (((3, 2), 4), ((0, 2), 0), ((2, 0), 0), ((0, 0), 0), ((3, 2), 4))]
        check_calls(SOURCE.format(form), calls, configurations=("jit", "numpy", "forced"))


def test_a_function_that_differs_is_not_used(monkeypatch):
    assert extremes.usable("float64")
    monkeypatch.setattr(np, "argmax", lambda rows, axis: np.zeros(len(rows), int))
    assert not extremes.usable.__wrapped__("float64")
