"""np.arange: the same elements, lengths, dtypes and errors."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

INTS = [0, 1, 5, 17, -3, 2**31, 2**40]


@pytest.mark.parametrize(
    "call",
    [
        "np.arange(n)", "np.arange(m, n)", "np.arange(n, m, -1)", "np.arange(m, n, 3)", "np.arange(n, m, -7)",
        "np.arange(2, n)", "np.arange(n, dtype=int)", "np.arange(n, dtype=float)",
        "np.arange(1, n, 2, dtype=np.float64)", "np.arange(0, n, 2)[::-1] * 3", "np.arange(n, n)",
        "np.arange(n, n + 5)",
    ],
)  # fmt: skip
def test_ints(call):
    source = f"def f(n, m):\n    r = {call}\n    return r, r.size, r + 1, r[-1:]\n"
    stats = check_calls(source, [(n, m) for n in (0, 1, 5, 17, -3) for m in (0, -4, 2, 40)])
    assert not stats.breaks


def test_large_starts():
    source = "def f(n):\n    return np.arange(n, n + 4), np.arange(n, n - 9, -2), np.arange(n + 3, n)\n"
    check_calls(source, [(n,) for n in (*INTS, -(2**40), 2**62)])


@pytest.mark.parametrize("step", ["0.1", "-0.25", "h", "1", "1e-3", "(1e-9 + 0.5)"])
def test_floats(step):
    source = f"def f(a, b, h):\n    r = np.arange(a, b, {step})\n    return r, r * 2\n"
    values = (0.0, -0.0, 1.0, 0.3, 2.7, -1.5)
    check_calls(source, [(a, b, h) for a in values for b in (1.0, 0.0, 3.3) for h in (0.1, -0.3)])


def test_steps_that_are_far_too_large():
    """The quotient is 0 where the distance is not: NumPy makes one element if they have one sign."""
    source = "def f(a, b, h):\n    return np.arange(a, b, h)\n"
    steps = (np.inf, -np.inf, 1e300, -1e300, 2.0)
    ends = [(0.0, 1.0), (0, 1), (0.0, -1.0), (1.0, 1.0), (0.0, 1e-300), (0.0, -1e-300), (0.0, 5e-324), (0.0, np.inf), (0.0, np.nan)]
    check_calls(source, [(a, b, h) for h in steps for a, b in ends])
    check_calls("def f():\n    return np.arange(0, 1, np.inf), np.arange(0.0, 1e-300, 1e300), np.arange(0.0, -1e-300, 1e300)\n", [()] * 3)


def test_one_end():
    check_calls("def f(b):\n    return np.arange(b), np.arange(2.5), np.arange(0, b), np.arange(3, b, 0.5)\n", [(2.5,), (0.0,), (-1.0,), (7.0,)])


@pytest.mark.parametrize(
    "call",
    [
        "np.arange(0.0, b, 0.0)", "np.arange(n, 5, 0)", "np.arange(0.0, np.inf, b)", "np.arange(np.nan, b)",
        "np.arange(0, b, np.nan)", "np.arange(1e300, b * 1e300, 1e-300)", "np.arange(np.float64(b))",
        "np.arange(np.int32(n))", "np.arange(n, dtype='i4')", "np.arange(n, b)", "np.arange(True)",
        "np.arange(stop=n)", "np.arange(2**70, 2**70 + 2)", "np.arange(0, n, 2, float)", "np.arange(n, dtype=bool)",
        "np.arange(0, 2**63 - 2 + n, 2**62)", "np.arange(b, 0, -1)", "np.arange('2020-01', '2020-04', dtype='M8[M]')",
        "np.arange()",
    ],
)  # fmt: skip
def test_what_numpy_does_itself(call):
    check_calls(f"def f(n, b):\n    return {call}\n", [(2, 3.5)] * 3 + [(1, 2.0)])


def test_no_memory():
    check_calls("def f(n):\n    return np.arange(n)\n", [(3,), (2**60,), (3,)])


def test_in_a_loop():
    source = """
def f(n):
    total, x = 0.0, np.arange(n)
    for i in range(n):
        x = np.arange(i)
        y = np.arange(0.0, i, 0.5)
        total += (x * y[:i]).sum()
        x[:1] = 7
    return total, x
"""
    assert not check(source, 12).breaks


def test_it_is_native():
    def ramps(n):
        return np.arange(n), np.arange(0.0, 1.0, 0.125), np.arange(n, dtype=float)

    fast = pijit.jit(ramps)
    fast(3), fast(4)
    report = str(pijit.explain(fast))
    assert report.count("= ramp ") == 3
    assert " call " not in report
