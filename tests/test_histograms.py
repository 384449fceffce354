"""np.histogram, natively and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

pytestmark = pytest.mark.shared

R = np.random.default_rng(21)
PLAIN = (
    "def f(a, w, n):\n    s = a * 1\n    return np.histogram(s, n), np.histogram(a, bins=n, weights=w),"
    " np.histogram(a[::-1], n, weights=w[::2].repeat(2)), np.histogram(a)\n"
)
RANGED = "def f(a, w, low, high):\n    return np.histogram(a, 7, (low, high)), np.histogram(a, 7, range=[low, high], weights=w, density=False)\n"


def samples():
    yield from (R.standard_normal(100), R.integers(-30, 30, 200) / 10, np.linspace(-0.7, 0.9, 210), R.random(140000), np.full(4, 0.3), np.ones(2))
    yield from (np.array([0.0, -0.0]), np.array([-1.0, 0.0]), np.array([-1.0, -0.0]), np.array([1e-300, 2e-300]), np.array([1.0, np.nextafter(1, 2)]))
    yield from (np.array([-1e308, 1e308]), np.array([5e-324, 0.0]), np.array([1.0, np.nan]), np.array([1.0, np.inf]), np.array([-np.inf, 2.0]))
    yield from (1e9 + R.random(300), 1e15 + R.random(300), -4e15 - np.arange(200.0), np.r_[np.arange(300.0), np.arange(300.0) + 0.5, 300])
    yield np.empty(0)


def test_floats():
    calls = [(a, R.standard_normal(a.size), n) for a in samples() for n in (5, 64)]
    check_calls(PLAIN, calls, configurations=("jit",))
    check_calls(PLAIN, [call for call in calls if call[0].size < 1000], configurations=("numpy",))


def test_ranges():
    ends = [(-0.3, 0.3), (0, 2), (0.1, 0.1), (1, 0), (np.nan, 1.0), (0.0, np.inf), (0, 2**53), (-(2**60), 2**60), (0, 5e-324), (-1e308, 1e308)]
    for kind in (float, np.float64):
        calls = [(a, R.standard_normal(a.size), kind(low), kind(high)) for a in samples() for low, high in ends]
        check_calls(RANGED, calls, configurations=("jit",))
    check_calls(RANGED, [(a, R.random(a.size), *pair) for a in samples() if a.size < 300 for pair in ends[1:8]], configurations=("jit", "numpy"))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8", "f4", "?", "c16"])
def test_dtypes(dtype):
    a = R.integers(0, 100, 300).astype(dtype)
    calls = [(a, R.standard_normal(300), 9), (a * 0, R.standard_normal(300), 9)]
    if dtype[1:] == "8":
        calls += [(np.array([0, 2**53 - 1, 5, 7], dtype), np.ones(4), 3), (np.array([0, 2**53 + 1, 2**60, 7], dtype), np.ones(4), 3)]
    check_calls(PLAIN, calls, configurations=("jit",))
    check_calls(RANGED, [(call[0], call[1], *ends) for call in calls for ends in ((0, 50), (2.5, 60.0), (0, 2**53))], configurations=("jit",))


FORMS = (
    "a, n, None, None, w", "a, n, weights=w.astype('f4')", "a, n, weights=w > 0", "a, n, weights=w + 1j", "a, n, density=True", "a, 0", "a, -1",
    "a, n + 0.5", "a, 'auto'", "a, np.array([-1.0, 0.0, 0.5])", "a, np.uint8(3)", "a.reshape(2, -1), n, weights=w.reshape(2, -1)",
    "a.reshape(2, -1).T, n", "a, n, weights=w[1:]", "a, n, (0, 1, 2)", "a.reshape(2, -1), n, weights=w", "a, 2**40", "a, True",
)  # fmt: skip


@pytest.mark.parametrize("call", FORMS)
def test_forms(call):
    check_calls(f"def f(a, w, n):\n    b = a * 2\n    return b, np.histogram({call})\n", [(R.random(8), R.random(8), 3)] * 2, configurations=("jit",))


def test_warnings():
    """Sums of blocks that are added may warn; within a block they do not."""
    w = np.zeros(140000)
    w[[0, 1, 70000, 70001]] = np.inf, -np.inf, np.inf, 1.0
    v = np.zeros(140000)
    v[[0, 70000]] = 1e308, -np.inf
    u = np.full(140000, 1.7e308)
    source = "def f(a, w):\n    return np.histogram(a, 4, weights=w)\n"
    quiet = source.replace("    return", "    with np.errstate(all='ignore'):\n        return")
    for text in (source, quiet, quiet.replace("ignore'", "raise', under='ignore'")):
        check_calls(text, [(np.linspace(0, 1, 140000) // 0.25, x) for x in (w, -v, v, u, np.where(v > 0, np.inf, -v))], configurations=("jit",))


def test_one_of_two():
    """Places that two histograms share, and an array that changes between."""
    source = (
        "def f(a, w, n):\n    x = np.histogram(a, n, weights=w)[0]\n    y, edges = np.histogram(a, n)\n    a[0] = 3.0\n"
        "    z, again = np.histogram(a, n)\n    edges[0] = 7\n    return x / np.maximum(y, 1), edges, z, again\n"
    )
    check(source, R.random(50), R.random(50), 5, calls=2)
