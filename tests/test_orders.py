"""Comparisons of tuples and lists that the fragment makes: item by item, as Python does it, NaNs that are one object included."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

SYMBOLS = ("<", "<=", "==", "!=", ">", ">=")
NUMBERS = [1, 2, 1.0, 2.5, True, -0.0, 0, math.inf, 2**60, float(2**60), 2**60 + 1]
FORMS = {
    "pairs": "(a, b) {} (c, d)",
    "single": "(a,) {} (c,)",
    "longer": "(a, b, 3) {} (c, d)",
    "shorter": "(a,) {} (c, d)",
    "empty": "() {} (c,)",
    "nested": "(a, (b, 1)) {} (c, (d, 1))",
    "lists": "[a, b] {} [c, d]",
    "constants first": "(1, a) {} (1, c)",
    "constants decide": "(1, a) {} (2, c)",
    "texts": "('x', a) {} ('y', c)",
    "a list in a tuple": "(a, [b]) {} (c, [d])",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_numbers(form, symbol):
    expression = form.format(symbol)
    source = f"def f(a, b, c, d):\n    r = {expression}\n    if {expression}:\n        return r, 1\n    return r, 2\n"
    some = list(itertools.product(NUMBERS, repeat=4))[::617]
    by_types = {}
    for values in some:
        by_types.setdefault(tuple(map(type, values)), []).append(values)
    for calls in by_types.values():
        check_calls(source, calls, configurations=("jit",))
    check(source, 1, 2.5, 1, 2.25)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_one_nan_and_another(symbol):
    """It is equal to itself within a tuple, where it is the same object."""
    source = f"""
def f(x, y, items):
    a = (x, 1) {symbol} (x, 2), (x, 1) {symbol} (y, 2), [x] {symbol} [x], (1, x) {symbol} (1, y)
    z = x * 2.0
    b = (z, 1) {symbol} (z, 2), (z,) {symbol} (x * 2.0,)
    c = [(item, 1) {symbol} (x, 1) for item in items]
    return a, b, c
"""
    nan, other = math.nan, float("nan")
    for x, y in ((nan, nan), (nan, other), (1.5, nan), (nan, 1.5), (1.5, 2.5)):
        check(source, x, y, [x, y, 2.5, nan])


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_texts_and_none(symbol):
    source = f"def f(a, b, c, d):\n    return (a, b) {symbol} (c, d), (None, b) {symbol} (None, d), ('k', a) {symbol} ('k', c)\n"
    for a, c in (("a", "b"), ("b", "a"), ("a", "a"), ("", "a")):
        check_calls(source, [(a, 1, c, 2), (a, 2, c, 1), (a, 2, c, 2)], configurations=("jit",))


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_numpy_scalars(symbol):
    """An ordering of them may be one of NumPy's bools."""
    source = f"def f(a, c, k):\n    return (a[0], 1) {symbol} (c[0], k), (1, a[1]) {symbol} (k, c[1])\n"
    for kind in (np.float64, np.int32, np.float32):
        check_calls(source, [(np.arange(2, dtype=kind), np.arange(2, dtype=kind) + n, k) for n in (0, 1) for k in (0, 1, 2)], configurations=("jit",))
    check(source, np.array([np.nan, 1.0]), np.array([np.nan, np.nan]), 1)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_what_cannot_be_compared(symbol):
    source = f"def f(a, b):\n    try:\n        return (a, 1) {symbol} (b, 2)\n    except TypeError as e:\n        return str(e)\n"
    for a, b in ((1, "x"), ("x", 1), (None, 1), (1j, 2j), (1, None), ([], 1)):
        check(source, a, b)


def test_special_methods():
    """Items with methods of their own are the interpreter's; a class that compares by tuples is captured."""
    source = """
class Loud:
    def __init__(self, x, log): self.x, self.log = x, log
    def __eq__(self, other):
        self.log.append(("eq", self.x, other.x))
        return self.x == other.x
    def __lt__(self, other):
        self.log.append(("lt", self.x, other.x))
        return self.x < other.x
class Event:
    def __init__(self, t, n): self.t, self.n = t, n
    def __lt__(self, other): return (self.t, self.n) < (other.t, other.n)
    def __eq__(self, other): return (self.t, self.n) == (other.t, other.n)
def f(n):
    log = []
    a = [(Loud(i % 3, log), i) < (Loud(i % 2, log), i) for i in range(n)]
    events = [Event(i * 7 % 5, i) for i in range(n)]
    best = events[0]
    for event in events:
        if event < best:
            best = event
    return a, log, best.t, best.n, min(events, key=lambda e: (e.t, -e.n)).n, sum(e == best for e in events)
"""
    check(source, 12, entry="f")


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_real_tuples(symbol):
    """Those that came in, of lengths and types that change on the way, and of classes of their own."""
    source = f"""
from collections import namedtuple
Point = namedtuple("Point", "x y")
class Odd(tuple):
    def __eq__(self, other): return True
    def __lt__(self, other): return True
    __hash__ = None
def f(items, one, n):
    found = []
    for item in items:
        found.append(item {symbol} one)
        found.append((1, item) {symbol} (1, one))
    best = items[0]
    for i in range(n):
        if items[i] {symbol} best:
            best = items[i]
        if (i % 3, i) {symbol} best:
            best = (i % 3, i)
    return found, best
def g(kind):
    items = [(i % 5, i % 7) for i in range(12)]
    if kind == "lengths": items[7:9] = [(1,), (1, 2, 3)]
    if kind == "types": items[6:] = [(1.5, i) for i in range(6)]
    if kind == "named": items[5] = Point(1, 2)
    if kind == "odd": items[8] = Odd((1, 2))
    if kind == "nan": items[4:6] = [(float("nan"), 1), (float("nan"), 1)]
    if kind == "nested": items = [((i % 2, i), (i,)) for i in range(12)]
    if kind == "texts": items = [(str(i % 3), i) for i in range(12)]
    try:
        return f(items, items[4], 12)
    except TypeError as e:
        return str(e)
"""
    for kind in ("plain", "lengths", "types", "named", "odd", "nan", "nested", "texts"):
        check(source, kind, entry="g")


def test_is_captured():
    def f(xs, ys):
        best, n = (1e9, 0), 0
        for i in range(len(xs) - 1):
            n += (xs[i], ys[i]) <= (xs[i + 1], ys[i + 1])
            if (xs[i], i) < best:
                best = (xs[i], i)
        return n, best, [xs[0], 1] == [ys[0], 1]

    xs, ys = [float(i * 7 % 13) for i in range(50)], list(range(50))
    fast = pijit.jit(f)
    for _ in range(3):
        assert fast(xs, ys) == f(xs, ys)
    assert not pijit.stats(fast).breaks
