"""What native code stores in lists, and appends to them: values, who else has the object, and what is let go."""

from __future__ import annotations

import math
import sys

import pytest
from differential import check, check_calls

import pijit
from pijit.codegen import objects, places

pytestmark = pytest.mark.shared

INTS = [0, 1, -1, -5, -6, 256, 257, 2**30 - 1, 2**30, -(2**30) + 1, -(2**30), 2**62, -(2**63), 2**63 - 1, 1000]
FLOATS = [0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, 5e-324]
OLD = [*INTS, *FLOATS, None, True, "text", 2**70, (1, 2), [3]]

FORMS = {
    "store": "xs[i] = v",
    "append": "xs.append(v)",
    "computed": "xs[i] = v + v",
    "appended": "xs.append(v - v)",
    "compared": "xs[i] = v > 1; xs.append(v < 1)",
    "twice": "xs[i] = v * 3; xs[i] = v",
    "kept": "y = xs[i]; xs[i] = v; return y, xs",
    "two lists": "ys = list(xs); xs[i] = v; ys.append(v); return xs, ys",
    "one object": "xs[i] = v; xs[i - 1] = xs[i]; xs[i] = v + 1; return xs",
    "swap": "xs[i], xs[0] = xs[0], xs[i]; xs[2] = xs[0]",
    "from the end": "xs[-1] = v; xs[-2] = v",
    "outside": "xs[i + 90] = v",
    "constants": "xs[i] = 0; xs.append(None); xs.append(True); xs[i - 1] = -5; xs.append(257); xs.append(0.5); xs.append('a')",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("values", [INTS, FLOATS], ids=["ints", "floats"])
def test_numbers(form, values):
    """Over everything, also over ints of one digit that nobody else has."""
    source = f"def f(xs, i, v):\n    {form}\n    return xs\n"
    for old in ([3000, 4000, 5000], [1.5, 2.5, 3.5], [None, "b", 7], [2**70, -1, -300]):
        fresh = [[item * 1 if isinstance(item, int | float) else item for item in old] for _ in values]
        check_calls(source, [(xs, 1, value) for xs, value in zip(fresh, values, strict=True)], configurations=("jit",))
    check(source, [1000, 2000, 3000], 1, values[2])


@pytest.mark.parametrize("old", OLD, ids=repr)
def test_over_anything(old):
    source = "def f(xs, v, w, n):\n    for i in range(n):\n        xs[i] = v + i\n        xs[i + n] = w + i\n    return xs\n"
    check_calls(source, [([old] * 8, v, w, 4) for v, w in ((7, 0.5), (2**40, 1e300), (-700, -0.0), (255, 1.0))], configurations=("jit",))


def test_whose_object_it_is():
    """A number that somebody else has stays as it is."""
    source = """
def f(n):
    xs = [1000 + i for i in range(n)]
    fs = [0.5 + i for i in range(n)]
    ys, gs, first, last = list(xs), fs[:], xs[0], fs[-1]
    again = [xs, xs]
    for i in range(n):
        xs[i] = xs[i] * 2 + 1
        fs[i] = fs[i] * 2 + 1
    for i in range(n):
        again[1][i] += 5
    for i in range(n):
        xs[i] -= 2000
    return xs, fs, ys, gs, first, last
"""
    check(source, 300)


@pytest.mark.parametrize("values", [[3.5, 2.5, math.nan, 1.5, -0.0], [5000, 4000, 3000, 7, -90], [3.5, 9, None, True, 2]])
def test_items_are_moved(values):
    """Copies are the objects themselves, whatever they are worth, and an item that was stored over in between is made anew."""
    source = """
def f(xs, n):
    moved = []
    for i in range(n):
        for j in range(n - 1):
            if (xs[j] or 0) > (xs[j + 1] or 0):
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
            moved.append(xs[j])
    before, copied, last = list(xs), [], []
    for i in range(n):
        copied.append(xs[i])
        last.append(0)
        last[i] = xs[n - 1 - i]
    for i in range(n - 1):
        xs[i] = xs[i + 1]
    x = xs[0]
    xs[0] = xs[1]
    xs[1] = x
    same = [[item is other for other in before] for item in (*copied, *last, *xs[2:])]
    return xs, moved, same
"""
    check(source, values, len(values))


def test_small_ints_exist_once():
    source = "def f(xs, n):\n    for i in range(n):\n        xs[i] = i - 6\n    return [x is y for x, y in zip(xs, range(-6, n - 6))], xs\n"
    check(source, [5000 + i for i in range(264)], 263)


def test_subclasses_and_ends():
    """A list of another class, and what notices its end, are the interpreter's."""
    source = """
class Mine(list):
    def __setitem__(self, i, v):
        list.__setitem__(self, i, v + 1)
class Last:
    def __init__(self, log): self.log = log
    def __del__(self): self.log.append("gone")
def f(kind, n):
    log = []
    xs = kind([Last(log) for _ in range(n)])
    for i in range(n):
        log.append(i)
        xs[i] = i * 1000
    return xs, log
def g(n):
    return f(list, n), f(Mine, n)
"""
    check(source, 5, entry="g")


def test_references():
    """Nothing is lost, and nothing is let go twice."""
    def store(xs, os, n):
        for i in range(n):
            xs[i] = os[i]
            xs.append(os[i])
            xs[i] = i * 3000
            xs[i] = i * 0.5
            xs[i] = os[0]

    jitted = pijit.jit(store)
    items = [object() for _ in range(50)]
    one = "".join(["a", "text"])
    objects = [one] * 50
    jitted(list(items), objects, 50)
    before = sys.getrefcount(one)  # compiling may have kept some, as an example of what is there
    for _ in range(30):
        xs = list(items)
        jitted(xs, objects, 50)
        assert xs[:50] == objects
        assert xs[50:] == objects
        del xs
    assert sys.getrefcount(one) == before
    assert {sys.getrefcount(item) for item in items} == {sys.getrefcount(item) for item in [object() for _ in range(50)]}


def test_are_used(monkeypatch):
    """The helpers for lists are called where a number, an object or a constant that exists once goes into one."""
    asked = []
    real = objects.call

    def f(xs, v):
        for i in range(len(xs)):
            xs[i] = v * i
            xs.append(0.5 * i)
            xs[i] = False

    monkeypatch.setattr(places, "call", lambda b, name, *rest: asked.append(name) or real(b, name, *rest))
    pijit.jit(f)([1, 2, 3], 4)
    assert set(asked) == {"pj_store_int", "pj_append_float", "pj_store_object"}
