"""Numbers that an attribute or a list holds stay the objects that they are when they are put elsewhere, whether or not their owner is still there."""

from __future__ import annotations

import types

import pytest
from differential import settings

import pijit

pytestmark = pytest.mark.shared


class Body:
    def __init__(self, x):
        self.x, self.v, self.w = x, 0, None

    def get(self):
        return self.x


def and_back(some, others):
    for s in others:
        s.v = s.x
        s.x = s.v


def twice(some, others):
    for a, s in zip(some, others, strict=True):
        a.v = s.x
        a.w = s.x


def of_a_temporary(some, others):
    for i in range(len(some)):
        some[i].v = others[i].x


def to_two_at_once(some, others):
    for i in range(len(some)):
        some[i].v = some[i].w = others[i].x


def by_a_method(some, others):
    for i in range(len(some)):
        some[i].v = others[i].get()


def by_a_variable(some, others):
    for i in range(len(some)):
        x = others[i].x
        some[i].v = x
        some[i].w = x


def in_one_branch(some, others):
    for i in range(len(some)):
        x = others[i].x
        if i % 2:
            some[i].v = x
        some[i].w = x


def by_a_list(some, others):
    out = [o.x for o in others]
    for i in range(len(some)):
        out.append(some[i].x)
    for i in range(len(some)):
        some[i].v = out[i]
        some[i].w = out[-1 - i]


def by_a_dict(some, others):
    found = {}
    for i in range(len(some)):
        found[i] = others[i].x
    for i in range(len(some)):
        some[i].v = found[i]


def what_is_replaced(some, others):
    for i in range(len(some)):
        x = others[i].x
        others[i].x = 0.5
        some[i].v = x
        some[i].w = x


def exchanged(some, others):
    for i in range(len(some)):
        some[i].x, others[i].x = others[i].x, some[i].x
    for i in range(len(some)):
        some[i].v = some[i].x


def by_a_tuple(some, others):
    for a in some:
        pair = a.x, others[3].x
        a.v = pair[1]
        a.w = pair[0]


def given_back(some, others):
    def last(i):
        return others[i].x

    for i in range(len(some)):
        some[i].v = last(i)
    return [last(i) for i in range(len(some))], others[-1].x


FUNCTIONS = [
    and_back, twice, of_a_temporary, to_two_at_once, by_a_method, by_a_variable, in_one_branch, by_a_list, by_a_dict, what_is_replaced, exchanged,
    by_a_tuple, given_back,
]  # fmt: skip
NUMBERS = {"floats": float, "ints": lambda i: i * 10**6, "both": lambda i: float(i) if i % 2 else i * 10**6}


def which_objects(function, number):
    """Where each object is met first, of all that the objects hold, and of the result."""
    some, others = ([Body(number(i)) for i in range(start, start + 40)] for start in (300, 500))
    kept = [o.x for o in (*some, *others)]
    given = function(some, others) or ()
    names: dict[int, int] = {}
    held = [getattr(o, name) for o in (*some, *others) for name in ("x", "v", "w")]
    found = [*kept, *held, *[x for part in given for x in (part if type(part) is list else (part,))]]
    return [(names.setdefault(id(x), len(names)), repr(x)) for x in found]


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_same_objects(function, numbers):
    plain = types.FunctionType(function.__code__.replace(), function.__globals__)
    expected = which_objects(plain, NUMBERS[numbers])
    for back in ("numba", "numpy"):
        with settings(compile_all=True, raise_internal=True):
            fast = pijit.jit(types.FunctionType(function.__code__.replace(), function.__globals__), backend=back)
            for _ in range(4):
                assert which_objects(fast, NUMBERS[numbers]) == expected
