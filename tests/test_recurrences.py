"""Loops that load what they have stored: int sums near every bound, float sums that go on with inf and nan, arrays that overlap."""

import numpy as np
import pytest
from differential import check, check_calls
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.shared

TOP = 2**63 - 1
EDGES = [0, 1, -1, 2**61 - 1, 2**61, -(2**61), -(2**61) - 1, 2**62, -(2**62) - 1, TOP - 1, TOP, -TOP - 1]


def least(above, left, a, b):
    """A row of a table of edit distances."""
    for j in range(1, len(left)):
        if a == b[j - 1]:
            cost = 0
        else:
            cost = 1
        best = above[j - 1] + cost
        if above[j] + 1 < best:
            best = above[j] + 1
        if left[j - 1] + 1 < best:
            best = left[j - 1] + 1
        left[j] = best


def table(t, a, b):
    for i in range(1, t.shape[0]):
        for j in range(1, t.shape[1]):
            if a[i - 1] == b[j - 1]:
                t[i, j] = t[i - 1, j - 1] + 1
            else:
                t[i, j] = max(t[i - 1, j], t[i, j - 1])
    return t


def alignment(t, a, b, gap):
    for i in range(1, t.shape[0]):
        for j in range(1, t.shape[1]):
            score = 2 if a[i - 1] == b[j - 1] else -1
            best = t[i - 1, j - 1] + score
            other = t[i - 1, j] - gap
            if other > best:
                best = other
            other = t[i, j - 1] - gap
            if other > best:
                best = other
            t[i, j] = best if best > 0 else 0
    return t


def part_of_itself(n, z):
    """Goes on in a view of what it loads."""
    y = np.ones(n, np.int64)
    v = y[1:]
    for i in range(n - 1):
        if z[i] > 0.5:
            v[i] = y[i] * 3
        else:
            v[i] = y[i] * 2
    return y


def one_of_two(n, z, x):
    """The same, where a branch says of which array."""
    y = np.ones(n, np.int64)
    v = y if z[0] > 0.5 else x
    for i in range(1, n):
        if z[i] > 0.5:
            v[i] = y[i - 1] * 3
        else:
            v[i] = y[i - 1] * 2
    return y


@pytest.mark.parametrize("first", [0.0, 1.0])
def test_views_of_new_arrays(first):
    z = np.ones(100)
    z[0] = first
    how = {"configurations": ("jit", "numpy")}
    check(part_of_itself, 100, z, **how)
    check(one_of_two, 100, z, np.ones(100, np.int64), **how)


def rows(a, b):
    """A new row for each element, stored at the end of either branch."""
    previous = np.arange(len(b) + 1)
    for i in range(len(a)):
        current = np.empty_like(previous)
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous = current
    return previous


def either(x, y):
    for i in range(2, len(x)):
        if y[i] > 3:
            x[i] = x[i - 1] + x[i - 2]
        elif y[i] > 2:
            x[i] = -x[i - 1]
        else:
            x[i] = y[i]


def growing(x, y):
    for i in range(2, len(x)):
        x[i] = x[i - 1] + x[i - 2] - y[i]


def held(x, y, limit):
    """Whatever is added, the sum is brought back."""
    s = x[0]
    for i in range(len(x)):
        s = s + y[i]
        if s > limit:
            s = limit
        if s < -limit:
            s = -limit
        x[i] = s
    return s


def doubled(x, y):
    s = y[0]
    for i in range(len(x)):
        x[i] = y[i] * 2
        if y[i] < s:
            s = y[i]
    return s


def negated(x, y):
    for i in range(1, len(x)):
        x[i] = abs(-x[i - 1] * 3 - y[i])
        if x[i] > 1000:
            x[i] = y[i]


def downwards(x, y):
    for i in range(len(x) - 2, -1, -1):
        up = x[i + 1] + 1
        x[i] = up if up < y[i] else y[i]


INTS = [
    (least, lambda n, e: (row(n, e), row(n, 0, 5), np.int64(1), np.arange(n) % 3)),
    (table, lambda n, e: (square(n, e), np.arange(n) % 2, np.arange(n) % 3)),
    (alignment, lambda n, e: (square(n, e), np.arange(n) % 2, np.arange(n) % 3, 1)),
    (rows, lambda n, e: (np.arange(4) % 3, row(n, e) % 5)),
    (either, lambda n, e: (row(n, e), row(n, 3))),
    (growing, lambda n, e: (row(n, e), row(n, 3))),
    (held, lambda n, e: (row(n, 3), row(n, e), np.int64(10**6))),
    (doubled, lambda n, e: (row(n, 2), row(n, e))),
    (negated, lambda n, e: (row(n, 2), row(n, e))),
    (downwards, lambda n, e: (row(n, 2), row(n, e))),
]


def row(n, value, at=None):
    """Small numbers, and one that may not be."""
    made = (np.arange(n) * 7) % 11
    made[n // 2 if at is None else at % n] = value
    return made


def square(n, value):
    made = np.zeros((4, n), np.int64)
    made[1, n // 2] = made[0, n // 3] = value
    return made


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize(("function", "arguments"), INTS)
def test_ints_at_every_bound(function, arguments, edge):
    check(function, *arguments(40, edge), configurations=("jit",))


@pytest.mark.parametrize("n", [2, 1024, 1025, 2600])
@pytest.mark.parametrize(("function", "arguments"), INTS)
def test_more_than_one_strip(function, arguments, n):
    for edge in (5, 2**61, TOP):
        check(function, *arguments(n, edge), configurations=("jit",))


@pytest.mark.parametrize(("function", "arguments"), INTS)
def test_every_exit(function, arguments):
    check(function, *arguments(12, 3))


@pytest.mark.parametrize("first", [0, 5, 2**61, TOP - 3, TOP])
def test_what_is_carried_begins_large(first):
    for at in (0, 1, 39):
        check(least, row(40, 9), row(40, first, at), np.int64(1), np.arange(40) % 3, configurations=("jit",))


@pytest.mark.parametrize("limit", EDGES)
def test_what_comes_from_outside_is_large(limit):
    x = row(40, 3)
    x[0] = limit
    check(held, x, row(40, 3), np.int64(5), configurations=("jit",))
    check(held, row(40, 3), row(40, 3), np.int64(limit), configurations=("jit",))
    check(held, x, row(40, 3), np.int64(limit), configurations=("jit",))


@pytest.mark.parametrize("shift", [0, 1, 2, 40, 80])
def test_rows_that_overlap(shift):
    for function in (growing, doubled, negated, downwards):
        base = np.arange(1, 121) % 13
        check(function, base[:80], base[shift : shift + 80], configurations=("jit",))
        check(function, base[shift : shift + 80][: 120 - shift], base[:80], configurations=("jit",))
    base = np.arange(160) % 13
    check(least, base[:80], base[shift : shift + 80], np.int64(1), np.arange(80) % 3, configurations=("jit",))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_numbers_anywhere(data):
    function, arguments = data.draw(st.sampled_from(INTS))
    made = arguments(data.draw(st.integers(3, 30)), 1)
    for array in (a for a in made if isinstance(a, np.ndarray)):
        for _ in range(data.draw(st.integers(0, 3))):
            array.flat[data.draw(st.integers(0, array.size - 1))] = data.draw(st.sampled_from(EDGES) | st.integers(-5, 5))
    check(function, *made, configurations=("jit",))


# ---- floats


def products(a, x, s):
    for i in range(len(x)):
        s += a[i] * x[i]
    return s


def horner(a, x, s):
    for i in range(len(a)):
        s = s * x[0] + a[i]
    return s


def quotients(a, x, s):
    for i in range(len(a)):
        s = s - a[i] / x[i]
    return s


def two_sums(a, x, s):
    t = s
    for i in range(len(a)):
        s = s + t
        t = a[i] - x[i]
    return s, t


def passed_on(a, x, s):
    """Nothing tells in the end what was passed through here."""
    t = s
    for i in range(len(a)):
        t, s = a[i] * x[i], t
    return s, t


def largest(a, x, s):
    for i in range(len(a)):
        v = a[i] * x[i]
        if v > s:
            s = v
    return s


@pytest.mark.parametrize("function", [products, horner, quotients, two_sums, passed_on, largest])
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan, 1e308, -1e308, 0.0])
def test_trouble_shows_in_a_sum(function, bad):
    for n, at in ((1, 0), (2, 1), (60, 0), (60, 30), (60, 58), (60, 59), (1500, 1100)):
        for into in (0, 1):
            arrays = np.linspace(0.5, 1.5, n), np.linspace(1.0, 1.25, n)
            arrays[into][at] = bad
            calls = [(*arrays, s) for s in (np.float64(0.0), 0.0)]
            check_calls(function, calls, configurations=("jit",))


@pytest.mark.parametrize("start", [np.inf, -np.inf, np.nan, 1.7e308])
def test_sums_that_begin_badly(start):
    x = np.linspace(0.5, 1.5, 50)
    for function in (products, horner, quotients, two_sums, passed_on, largest):
        check(function, x, x[::-1].copy(), np.float64(start), configurations=("jit",))
        check(function, x * 1e307, x * 30, np.float64(start), configurations=("jit",))


@pytest.mark.parametrize("gap", [1, 2**40, 2**61 - 1, 2**61, TOP, -TOP - 1, 2**63])
def test_python_ints_that_are_large(gap):
    check(alignment, square(40, 3), np.arange(40) % 2, np.arange(40) % 3, gap, configurations=("jit",))


@pytest.mark.parametrize("start", [1.0, np.inf, np.nan, 1e308])
def test_sums_that_warn_and_are_not_used(start):
    """The trial tells from the sum alone that something in it warned, in the reference too."""
    source = "def f(p, q):\n    t = p\n    for k in range(3):\n        t = t + q\n    return p\n"
    for other in (-np.inf, 1e308, 0.5):
        check(source, np.float64(start), other, configurations=("jit", "numpy", "forced", "forced numpy"))
