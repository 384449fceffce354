"""Numbers that an array's dtype does not hold, in each way that one gets into an array: some wrap, some are an error, some warn."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls
from shares import share

pytestmark = pytest.mark.shared

WAYS = {
    "fill": "a.fill(x)", "item": "a[0] = x", "row": "m[0] = x", "slice": "a[:] = x", "whole": "a[...] = x",
    "two axes": "m[1, 2] = x", "column": "m[:, 1] = x", "full": "a = np.full(3, x, a.dtype)",
    "full_like": "a = np.full_like(a, x)", "array": "a = np.array([x], a.dtype)",
    "mixed": "a = np.array([1, x], a.dtype)", "no dimension": "a = np.array(x, a.dtype)",
    "nested": "a = np.asarray([[x]], a.dtype)", "type": "a = a.dtype.type(x)", "put": "a.put([0], x)",
    "copyto": "np.copyto(a, x)", "mask": "a[a == 0] = x", "places": "a[[0, 2]] = x", "place": "np.place(a, a == 0, x)",
    "out": "np.positive(x, out=a)", "in place": "a += x", "where": "a = np.where(a == 0, a, x)",
    "item in place": "a[1] += x", "reversed": "a[::-1] = x", "flat": "a.flat[1] = x", "list": "a[:] = [x, x, x]",
    "tuple": "a[0], a[1] = x, x", "astype": "a = np.asarray(x).astype(a.dtype)", "clip": "a = np.clip(a, 0, x)",
    "maximum": "a = np.maximum(a, x)",
}  # fmt: skip
NUMBERS = (
    np.int16(300), np.int16(-3), np.uint64(2**63 + 5), np.int64(-(2**40)), 300, -1, 2**70, 300.7, float("inf"), float("nan"), 1e300,
    np.float64(300.7), np.float64("nan"), np.float32(1e10), np.float64(1e300), True, np.bool_(True), 1 + 2j, np.complex128(1 + 2j),
)  # fmt: skip
CASES = [(way, dtype) for way in WAYS for dtype in ("int8", "uint8", "int16", "int64", "uint64", "float32", "bool")]


@pytest.mark.parametrize(("way", "dtype"), share(CASES))
def test_numbers(way, dtype):
    for number in NUMBERS:  # each compiled for itself, and for another one of the type before
        a = np.zeros(3, dtype)
        m = np.zeros((2, 3), dtype)
        first = type(number)(1)
        calls = [(a, m, given) for given in (first, first, number, number, first)]
        check_calls(f"def f(a, m, x):\n    {WAYS[way]}\n    return a, m\n", calls, configurations=("jit",))


@pytest.mark.parametrize("choice", [3, -1, 300, True, 2.5, 1j, np.uint8(3), np.int16(3)])
def test_select(choice):
    """NumPy makes an int64 of a Python int that is chosen, which it does not cast to unsigned types."""
    for dtype in ("uint8", "uint64", "int8", "bool", "float32", "complex128"):
        a = np.arange(4).astype(dtype)
        for form in ("np.select([a > 1], [x], a)", "np.select([a > 1], [a], x)", "np.select([a > 1, a < 1], [a, x], a)"):
            check_calls(f"def f(a, x):\n    return {form}\n", [(a, choice)] * 3, configurations=("jit",))
