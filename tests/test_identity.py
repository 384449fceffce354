"""Numbers that come in and go out unchanged are the objects that they were: `is` tells, and `nan in [nan]`."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from differential import settings

import pijit


class Holder:
    def __init__(self):
        self.value, self.big, self.items, self.table = 2.5, 10**15, [7.25, 10**14], {"a": 1.5}


NAN = float("nan")
SCALE = 12345.5
PAIR = (NAN, 3.5)


def given_back(o, x, n):
    return x


def passed_through(o, x, n):
    total = 0.0
    for _ in range(n):
        total += x * o.value
    return total, x, o.value, o.big, SCALE, PAIR[1], o.table["a"], o.items[1]


def after_a_break(o, x, n):
    held = o.value, x
    print(end="")
    return held, x is held[1], NAN in PAIR, PAIR[0] in [NAN], NAN in o.items


def stored(o, x, n):
    o.copy = x
    o.items.append(SCALE)
    o.table["b"] = o.big
    return o.copy is x, o.items[-1] is SCALE, o.table["b"] is o.big


def in_a_callee(o, x, n):
    def inner(y):
        print(end="")
        return y

    return inner(x), inner(o.value)


def numpy_scalars(o, x, n):
    np.sort(np.ones(3))
    return [x, x], n


FUNCTIONS = [given_back, passed_through, after_a_break, stored, in_a_callee, numpy_scalars]


def identities(result, known):
    if type(result) in (tuple, list):
        return [identities(item, known) for item in result]
    return result, next((name for name, value in known.items() if value is result), None)


@pytest.mark.parametrize("x", [3.75, 10**12, np.float64(2.5), np.int32(7), np.complex64(1j), 1 - 2j], ids=str)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_identity(function, x):
    def outcomes(f):
        made = []
        for _ in range(4):
            o = Holder()
            known = {"x": x, "value": o.value, "big": o.big, "scale": SCALE, "three": PAIR[1], "a": o.table["a"], "item": o.items[1]}
            made.append(copy.deepcopy(identities(f(o, x, 3), known)))
        return made

    if function in (passed_through,) and np.iscomplexobj(x):
        x = 1.25
    with settings(compile_all=True, raise_internal=True):
        assert repr(outcomes(pijit.jit(function))) == repr(outcomes(function))


def test_a_number_outlives_what_held_it():
    """The attribute is stored to by what is called in between."""

    class Loud:
        def __array__(self, dtype=None, copy=None):
            o.value = 0.5
            return np.ones(2)

    def f(o, loud):
        x = o.value
        np.sort(loud)
        return x, o.value

    g = pijit.jit(f)
    with settings(compile_all=True):
        for _ in range(4):
            o = Holder()
            o.value = float("1" * 5)
            assert g(o, Loud()) == (11111.0, 0.5)


class Place:
    kept = None


def appended(n):
    kept, last = [], None
    for i in range(n):
        last = (i, i * 0.5)
        kept.append(last)
    return last, kept


def stored_in_a_field(n):
    place, s = Place(), 0.0
    for i in range(n):
        pair = (i, (i, 2.5))
        place.kept = pair
        s += pair[1][1]
    return [pair, pair[1]], place.kept, s


def in_a_new_list(n):
    pair = n, n + 1
    both = [pair, pair, (pair, n)]
    return pair, both


def in_an_object(n):
    place, other, pair = Place(), Place(), (n, 0.5)
    place.kept, other.kept = pair, (pair, n)
    kept = [place, other]
    return kept[0].kept, pair, kept[1].kept


def before_a_break(n):
    pair = (n, 1.5)
    table = {}
    table["a"] = pair
    print(end="")
    return pair, table["a"], pair


def of_a_callee(n):
    def keep(kept, pair):
        kept.append(pair)
        return pair

    kept, pair = [], (n, 0.5)
    again = keep(kept, pair)
    return pair, kept, again


@pytest.mark.parametrize("function", [appended, stored_in_a_field, in_a_new_list, in_an_object, before_a_break, of_a_callee])
def test_a_tuple_that_is_stored_is_one_tuple(function):
    def shape(value, seen):
        if type(value) not in (tuple, list):
            return value
        if id(value) in seen:
            return f"number {list(seen).index(id(value))}"
        seen[id(value)] = value
        return [shape(item, seen) for item in value]

    fast = pijit.jit(function)
    with settings(compile_all=True, raise_internal=True):
        for n in (3, 3, 5):
            assert shape(fast(n), {}) == shape(function(n), {})
