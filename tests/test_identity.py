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


@pytest.mark.parametrize("x", [3.75, 10**12, np.float64(2.5), np.int32(7), np.complex64(1j)], ids=str)
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
