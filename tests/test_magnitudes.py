"""Comparisons of magnitudes of complex numbers, for which the squares are enough nearly always."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

pytestmark = pytest.mark.shared

R = np.random.default_rng(31)
SOURCE = "def f(z, k):\n    return abs(z) {0} k, k {0} np.abs(z), (np.abs(z) {0} k) | (abs(z) > k)\n"
HALVES = (0.0, -0.0, 1.0, -2.0, 2.0, 1.2, 1.6, 5e-324, 1e-200, -1e-80, 1e80, 1e200, 1.7e308, np.inf, -np.inf, np.nan)
LIMITS = (2.0, 0.0, -1.0, 1e-200, 1e-70, 1e70, 1e300, np.inf, np.nan, 5e-324)


def samples():
    yield np.array([complex(x, y) for x in HALVES for y in HALVES])
    near = 2 * np.exp(1j * np.linspace(0, 7, 1500))  # as near to 2 as can be, on both sides
    yield from (near, near * (1 + 1e-15), near * (1 - 1e-13), near[::3], near[::-1], near[:0], near[:1])
    yield R.standard_normal(2100) + 2j * R.standard_normal(2100)


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">=", "==", "!="])
def test_sides(symbol):
    calls = [(z, limit) for z in samples() for limit in LIMITS]
    check_calls(SOURCE.format(symbol), calls, configurations=("jit",))


@pytest.mark.parametrize("state", ["all='raise', under='ignore'", "all='warn'", "all='raise'", "all='ignore'"])
def test_flags(state):
    source = f"def f(z, k):\n    with np.errstate({state}):\n        return np.abs(z) < k\n"
    one_by_one = [(np.full(3, z), 2.0) for z in next(samples())]
    check_calls(source, one_by_one, configurations=("jit",))


def test_more_than_comparisons():
    source = "def f(z, k, l):\n    a = np.abs(z)\n    b = np.abs(z * 2)\n    return a < k, a + 1, (b < k) & (b > l), np.abs(z * 3) < a\n"
    check_calls(source, [(z, 2.0, 1.0) for z in samples()], configurations=("jit", "numpy"))
