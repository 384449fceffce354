"""Ufuncs of single numbers: the bits, types and warnings that NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

UFUNCS = {name: ufunc for name, ufunc in vars(np).items() if isinstance(ufunc, np.ufunc) and name == ufunc.__name__ and ufunc.signature is None}
UNARY = [name for name, ufunc in UFUNCS.items() if "d->d" in ufunc.types]
BINARY = [name for name, ufunc in UFUNCS.items() if "dd->d" in ufunc.types]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-300, 5e-324, 1e10, 710.0, -745.5, 1e300, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    source = f"def f(a, b):\n    return [np.{name}(x) for x in a], [np.{name}(x) for x in b], np.{name}(a[3])\n"
    made = np.array(SPECIAL + list(np.linspace(-3, 3, 9)))
    with np.errstate(over="ignore"):
        small = made.astype(np.float32)
    check_calls(source, [(made, small)] * 2 + [(made[2:8], small)], configurations=("jit", "numpy"))


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    source = f"""
def f(a):
    r = []
    for x in a:
        for y in a:
            r.append(np.{name}(x, y))
    return r, np.{name}(a[3], 2.5), np.{name}(0.5, a[2])
"""
    made = np.array(SPECIAL)
    with np.errstate(over="ignore"):
        check_calls(source, [(made,)] * 2 + [(made.astype(np.float32),)], configurations=("jit", "numpy"))


@pytest.mark.parametrize("state", [{}, {"all": "ignore"}, {"all": "raise"}, {"under": "warn"}, {"divide": "raise", "invalid": "ignore"}], ids=str)
def test_error_states(state):
    source = f"""
def f(x, y):
    with np.errstate(**{state}):
        s = y
        for i in range(4):
            s = s + np.exp(x * i) + np.log(y - i)
        return s, np.exp(-x * x), np.arctan2(x, y)
"""
    check_calls(source, [(np.float64(x), np.float64(y)) for x, y in ((1.0, 9.0), (300.0, 9.0), (1.0, 2.0), (30.0, -1.0), (np.nan, 9.0))])


def test_mixed():
    source = """
def f(x, i, j, s):
    t = np.float32(0)
    for k in range(3):
        t += np.sin(s)
    u = np.hypot(i, x), np.hypot(s, 2), np.arctan2(j, s)
    return np.exp(x), np.exp(i), np.exp(j), np.sin(s), np.cos(True), t, u, np.log1p(x, dtype=np.float32)
"""
    check(source, 0.5, 3, np.int16(2), np.float32(0.25))


def test_loops():
    source = """
def f(a, n):
    total = 0.0
    for i in range(n):
        x = a[i % a.size]
        if x > 0.2:
            total += np.exp(-x) * np.sin(x)
        else:
            total -= np.log(x)
        a[i % a.size] = np.tanh(total)
    return total
"""
    a = np.random.default_rng(1).random(17)
    stats = check(source, a, 60)
    assert not stats.breaks


def test_it_is_native():
    def f(a):
        s = 0.0
        for i in range(a.size):
            s += np.exp(a[i]) * np.arctan2(a[i], 2.0)
        return s

    fast = pijit.jit(f)
    a = np.linspace(0, 1, 9)
    assert fast(a) == fast(a) == f(a)
    report = str(pijit.explain(fast))
    assert "ufunc='exp'" in report
    assert " call " not in report
