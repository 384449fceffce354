"""Where numbers belong among sorted ones: np.searchsorted, np.digitize and np.interp give NumPy's results, among numbers that are not sorted too."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(91)
NAN, INF = np.nan, np.inf
DTYPES = ["f8", "f4", "i8", "i4", "i1", "u8", "u2", "?"]
SEARCHES = [
    "np.searchsorted(a, v)", "np.searchsorted(a, v, 'right')", "a.searchsorted(v, side='left')", "a.searchsorted(v, 'right').sum()",
    "np.searchsorted(v=v, a=a) * 2 + 1",
]  # fmt: skip
DIGITS = ["np.digitize(v, a)", "np.digitize(v, a, right=True)", "np.digitize(v, a[::-1])", "np.digitize(v, bins=a[::-1], right=True)"]


def numbers(dtype, n, wide=40):
    values = RNG.integers(0 if np.dtype(dtype).kind in "ub" else -wide, wide, n)
    return (values / 4 if dtype[0] == "f" else values % 2 if dtype == "?" else values).astype(dtype)


def haystacks(dtype):
    for n in (0, 1, 2, 3, 8, 33, 64, 200):
        yield np.sort(numbers(dtype, n))
    some = np.sort(numbers(dtype, 50))
    yield from (np.repeat(some, 2)[::2], np.repeat(some[::-1], 3)[::-3], np.full(7, some[3]), some[::-1], RNG.permutation(some))
    if dtype[0] == "f":
        odd = np.array([NAN, INF, -INF, 0.0, -0.0, NAN, 1e-30], dtype)
        yield from (np.sort(np.concatenate([some, odd])), odd, np.concatenate([odd, some]))


def needles(dtype):
    some = numbers(dtype, 45, 60)
    yield from (some, some[:0], some[:1], some[::-2], some[:40].reshape(5, 8), np.sort(some), np.repeat(some, 3)[::3])
    if dtype[0] == "f":
        yield np.array([NAN, 1.0, INF, -INF, -0.0, 0.0, NAN, 2.5], dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_searchsorted(dtype):
    calls = [(a, v) for a in haystacks(dtype) for v in needles(dtype)]
    for form in SEARCHES:
        source = f"def f(a, v):\n    return {form}\n"
        check_calls(source, calls, configurations=("jit",))
        check_calls(source, calls[::7], configurations=("numpy",))
    check(f"def f(a, v):\n    return {SEARCHES[1]}\n", *calls[40], configurations=("forced", "O0"))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_digitize(dtype):
    calls = [(a, v) for a in haystacks(dtype) for v in needles(dtype)]
    for form in DIGITS:
        source = f"def f(a, v):\n    return {form}\n"
        check_calls(source, calls, configurations=("jit",))
        check_calls(source, calls[::7], configurations=("numpy",))


def test_bins_that_go_up_and_down():
    """NumPy raises, and looks at them as float64."""
    for bins in ([1.0, 3.0, 2.0], [3, 1, 2], [2**62, 2**62 + 1, 2**62], [1.0, NAN, 0.0], [NAN, NAN], [1.0, 1.0, 0.0, NAN, 5.0], [2, 2, 1, 1, 3]):
        for v in (np.array([1.5, 2.5]), np.array([1, 2, 2**62]), 2, 1.5, np.int64(3)):
            check("def f(a, v):\n    return np.digitize(v, a)\n", np.array(bins), v, configurations=("jit", "numpy", "forced"))


def test_single_numbers():
    source = "def f(a, v):\n    i = np.searchsorted(a, v)\n    j = a.searchsorted(v, 'right')\n"
    source += "    return i, j, i + 1, type(i), np.digitize(v, a), np.digitize(v, a, True)\n"
    for a in (np.sort(numbers("f8", 30)), np.array([]), np.array([1.0]), np.array([-INF, 0.0, NAN])):
        for kind in (float, np.float64):
            check_calls(source, [(a, kind(v)) for v in (0.0, -0.0, 3.25, NAN, INF, -INF, 1e300)], configurations=("jit", "numpy"))
        check_calls(source, [(a, v) for v in (0, 3, -70, 2**53 + 1)], configurations=("jit",))
    for v in (2, -5, np.int64(7), np.int32(7), 2.5, np.float32(1.5), np.uint8(3)):
        for dtype in ("i8", "i4", "u1", "f4"):
            check(source, np.sort(numbers(dtype, 20)), v, configurations=("jit",))


def test_dtypes_that_differ():
    for mine in ("f8", "f4", "i8", "i4", "u8", "u1", "?"):
        for other in ("f8", "i8", "f4", "u8", "i2"):
            a, v = np.sort(numbers(mine, 30)), numbers(other, 20)
            check("def f(a, v):\n    return np.searchsorted(a, v), np.digitize(v, a)\n", a, v, configurations=("jit",))


def test_what_is_left_to_numpy():
    a, v, m = np.arange(5.0), np.array([0.5, 3.0]), np.arange(6.0).reshape(2, 3)
    forms = "np.searchsorted(a, v, sorter=np.arange(5)) | np.searchsorted(a, v, 'middle') | np.searchsorted(m, v) | np.searchsorted(a, [1, 2])"
    forms += " | np.searchsorted(a, m.T) | np.searchsorted(a, m[0, 0]) | np.searchsorted([1, 2, 3], v)"
    forms += " | np.searchsorted(a + 0j, v) | np.searchsorted(a, True)"
    forms += " | a.searchsorted() | a.searchsorted(v, 'l') | np.digitize(v + 0j, a) | np.digitize(v, m) | np.digitize(v, a, 1) | np.digitize(m.T, a)"
    forms += " | np.digitize(3, a) | np.searchsorted(a, 3.5, 'right') | np.searchsorted(a, v, b=3)"
    forms += " | np.interp(v, a, a[:4]) | np.interp(v, a[:0], a[:0])"
    forms += " | np.interp(v, a, a + 1j) | np.interp(v, a, a, period=3.0) | np.interp(v, m, m) | np.interp(m.T, a, a) | np.interp([1, 2], a, a)"
    forms += " | np.interp(v[:0], a[:0], a[:0]) | np.interp(v, a, a, 'x') | np.interp(v, a, a, 1j) | np.interp(v, a, a, m)"
    for form in map(str.strip, forms.split("|")):
        check(f"def f(a, v, m):\n    return {form}\n", a, v, m, configurations=("jit",))


# ---- np.interp ------------------------------------------------------------------------------------------------------------------------------


def curves():
    for n in (1, 2, 3, 4, 5, 9, 20, 70, 300):
        yield np.sort(RNG.standard_normal(n) * 9), RNG.standard_normal(n)
    xp, fp = np.arange(12.0), RNG.standard_normal(12)
    odd = fp.copy()
    odd[[2, 3, 7, 9]] = [INF, INF, -INF, NAN]
    yield from ((xp, odd), (xp[::-1], fp), (RNG.permutation(xp), fp), (np.repeat(xp, 2), np.repeat(fp, 2)), (np.repeat(xp, 2)[::2], fp[::-1]))
    yield from ((np.where(xp == 5, NAN, xp), fp), (xp * 1e307, fp * 1e307), (np.full(12, -0.0), fp))
    yield from ((xp.astype("f4"), fp), (xp.astype(int), xp.astype("u1")))


POINTS = [RNG.standard_normal(90) * 10, np.arange(-1.0, 13, 0.25), np.array([NAN, INF, -INF, 0.0, -0.0, 5.0, 3.0])]
POINTS += [np.arange(12.0)[::-1], np.array([2.5])]
POINTS += [np.zeros(0), np.arange(-2, 15), np.arange(24.0).reshape(4, 6) / 2, np.arange(40, dtype="f4")[::3]]
INTERPOLATIONS = ["np.interp(x, xp, fp)", "np.interp(x, xp, fp, left=-9.5)", "np.interp(x, xp, fp, 0, 1)", "np.interp(x, xp, fp, right=np.nan) + 1"]


@pytest.mark.parametrize("form", INTERPOLATIONS)
def test_interp(form):
    source = f"def f(x, xp, fp):\n    return {form}\n"
    calls = [(x, xp, fp) for xp, fp in curves() for x in POINTS]
    check_calls(source, calls, configurations=("jit",))
    check_calls(source, calls[::4], configurations=("numpy",))
    check(source, *calls[60], configurations=("forced", "O0"))


def test_interp_of_single_numbers():
    source = "def f(x, xp, fp, e):\n    y = np.interp(x, xp, fp)\n    return y, type(y), np.interp(x, xp, fp, e, e), np.interp(x, xp, fp, right=e)\n"
    for xp, fp in curves():
        calls = [(kind(x), xp, fp, e) for kind in (float, np.float64) for x in (0.3, NAN, INF, -0.0, 5.0) for e in (1.5, 2, np.float64(7), None)]
        check_calls(source, calls, configurations=("jit",))
        check_calls(source, calls[::5], configurations=("numpy",))
    check(source, 3, np.arange(6), np.arange(6) * 2, 1, configurations=("jit", "numpy", "forced"))


# ---- where it runs ----------------------------------------------------------------------------------------------------------------------------


def test_natively():
    a, v = np.sort(RNG.standard_normal(50)), RNG.standard_normal(30)
    forms = [*SEARCHES, *DIGITS[:2], "np.interp(v, a, a * 2)", "np.interp(0.5, a, a)", "np.searchsorted(a, 0.25)", "v[np.searchsorted(a, v) % 30]"]
    for form in forms:
        check_native(form, "a, v", a, v)


def test_in_loops():
    source = """
def f(edges, xs, fp):
    counts = np.zeros(len(edges) + 1)
    total = 0.0
    for x in xs:
        i = np.searchsorted(edges, x)
        counts[i] += 1
        total += np.interp(x, edges, fp)
    for k in range(5):
        edges[k] += 0.01
        counts[np.digitize(xs * k, edges)] += 1
        counts += np.interp(counts, edges, fp)
        total += np.searchsorted(edges, 0.1) + np.searchsorted(edges, 0.1)
    return counts, total, edges
"""
    check(source, np.sort(RNG.standard_normal(20)), RNG.standard_normal(100), RNG.standard_normal(20))


def test_what_is_found_is_not_kept_over_stores():
    source = """
def f(a, v):
    i = np.searchsorted(a, 2.5)
    w = np.interp(1.5, a, v)
    a[:3] = 9.0
    v[1] = 4.0
    return i, np.searchsorted(a, 2.5), w, np.interp(1.5, a, v), np.searchsorted(a, v), np.searchsorted(a, v)
"""
    check(source, np.arange(6.0), np.arange(6.0) * 2)
