"""Numbers that come in and go out unchanged are the objects that they were: `is` tells, and `nan in [nan]`."""

from __future__ import annotations

import copy
import inspect

import numpy as np
import pytest
from differential import check, describe, settings

import pijit

pytestmark = pytest.mark.shared


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


KINDS = [np.dtype(c).type for c in "bBhHiIqQefdFD"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_numpy_scalar_that_is_read_is_what_was_read(kind):
    def f(o):
        x = o.value
        held = [x]
        print(end="")
        return x is o.value, held[0] is x, x in held

    fast = pijit.jit(f)
    with settings(compile_all=True, raise_internal=True):
        for value in (kind(3), kind(3), kind(100), kind(100) / kind(3) * kind(0)):
            for _ in range(3):
                o = Holder()
                o.value = value
                assert fast(o) == (True, True, True)


def in_lists(x, n):
    z = x[0] + x[0]
    kept = [z]
    return z in kept, [z, z][0] is kept[0], [z, n][:1] == kept, kept.index(z)


def in_containers_of_containers(x, n):
    z = x[0] + x[0]
    table = {"a": [z, z], 1: {"b": z, "c": (z, z)}}
    pair = (z, (z, n))
    inside = table[1]
    return table["a"][0] is inside["b"], inside["c"][1] is table["a"][1], pair == (inside["b"], (table["a"][0], n))


def in_two_fields(x, n):
    z = x[0] + x[0]
    place, other = Place(), Place()
    place.kept, other.kept = z, z
    place.again = [z]
    return place.kept is other.kept, place.kept in place.again


def again_and_again(x, n):
    z = x[0] + x[0]
    kept = []
    for i in range(n):
        kept.append(z)
        kept.append((z, i))
    return len({id(item[0] if type(item) is tuple else item) for item in kept})


def in_every_round(x, n):
    z = x[0] + x[0]
    kept = []
    for i in range(n):
        y = z + i
        if i % 2:
            kept.append(y)
        else:
            kept.insert(0, y)
        kept.append([y, y])
    return len({id(item) for part in kept for item in (part if type(part) is list else [part])})


def in_a_branch(x, n):
    z = x[0] + x[0]
    kept = []
    for i in range(n):
        if i == 1:
            kept.append(z)
        kept.append(i)
    last = [z]
    return last[0] in kept, any(item is last[0] for item in kept)


def in_one_of_two_branches(x, n):
    z = x[0] + x[0]
    kept = []
    if n > 3:
        kept.append(z)
    else:
        kept.append(z)
        kept.append(z)
    print(end="")
    return kept[0] is kept[-1], z in kept


REAL = Place()


def in_a_branch_and_here(x, n):
    y = x[0] + x[0]
    if n > 3:
        REAL.kept = y
    else:
        REAL.items.append(y)
    print(end="")
    return y is REAL.items[-1], y is REAL.kept


def in_some_rounds_and_here(x, n):
    y = x[0] + x[0]
    for i in range(n):
        if i == 3:
            REAL.items.append(y)
        if i == 2:
            REAL.kept = y
    print(end="")
    return y is REAL.items[-1], y is REAL.kept


BRANCHES = [in_a_branch, in_one_of_two_branches, in_a_branch_and_here, in_some_rounds_and_here]
PLACES = [in_lists, in_containers_of_containers, in_two_fields, again_and_again, in_every_round, *BRANCHES]


def _anew(place, x, n):
    REAL.kept, REAL.items = 0, [0]
    return place(x, n)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("back", ["numba", "numpy"])
def test_a_number_that_is_put_into_several_places_is_one_object(place, back):
    """It is computed of what is read from an array, or a list."""
    arrays = [np.full(2, value, kind) for kind in KINDS for value in ((7, np.nan) if np.dtype(kind).kind in "fc" else (7,))]
    fast = pijit.jit(backend=back)(place)
    with settings(compile_all=True, raise_internal=True):
        for x in (*arrays, [10**9], [2.5], [NAN], [1 - 2j], [complex(0.0, NAN)]):
            for n in (3, 5):
                assert _anew(fast, x, n) == _anew(fast, x, n) == _anew(place, x, n), (x, n)


@pytest.mark.parametrize("x", [1 - 2j, complex(0.0, NAN), complex(NAN, 1.0)], ids=str)
@pytest.mark.parametrize("place", [place for place in PLACES if place is not in_every_round])
def test_a_complex_number_that_is_put_into_several_places_is_one_object(place, x):
    """The number comes in: items of lists are not Python complex numbers in native code."""
    code = inspect.getsource(place).replace("x[0] + x[0]", "x + x")
    names = {"Place": Place, "REAL": REAL}
    exec(code, names)
    plain = names[place.__name__]
    fast = pijit.jit(plain)
    with settings(compile_all=True, raise_internal=True):
        for n in (3, 5):
            assert _anew(fast, x, n) == _anew(fast, x, n) == _anew(plain, x, n)


def of_an_input(x, a):
    c = complex(x, 2.0)
    d = complex(x, x)
    found = []
    for _ in range(2):
        found.append(np.isin(a, c).any())
        found.append(np.append(np.full_like(a, d), d))
    return found, c, d


@pytest.mark.parametrize("x", [1.5, NAN, -0.0])
def test_a_complex_number_with_a_part_that_came_in(x):
    """It has an object of its own, the part need not."""
    fast = pijit.jit(of_an_input)
    a = np.arange(3.0) * 1j
    with settings(compile_all=True, raise_internal=True):
        for _ in range(3):
            assert describe(fast(x, a)) == describe(of_an_input(x, a))


def into_an_attribute(o, x, n):
    for _ in range(n):
        o.y = x
    return o.y is x


def into_an_attribute_and_a_list(o, x, n):
    xs = [0.5 + i for i in range(n)]
    for i in range(n):
        o.y = x
        xs[i] = x
        xs.append(x)
    return o.y is x, [item is x for item in xs]


@pytest.mark.parametrize("function", [into_an_attribute, into_an_attribute_and_a_list])
@pytest.mark.parametrize("x", [2.5, 10**6])
def test_a_number_that_came_in_is_stored_as_what_it_is(function, x):
    """What is there already is written over with computed numbers only."""
    class Holder:
        y = 0.0

    fast = pijit.jit(function)
    with settings(compile_all=True, raise_internal=True):
        for k in range(4):
            plain, native = Holder(), Holder()
            plain.y = native.y = 1.5
            assert fast(native, x + k, 5) == function(plain, x + k, 5)


def test_numbers_that_were_found_on_several_paths():
    """Where three ways meet, a number that is an object on each of them stays that one."""
    source = """
from collections import defaultdict

def f(keys):
    made = defaultdict(float)
    for key in keys:
        made[key] += 1.5
    found = [made[key] is value for key, value in list(made.items())]
    pairs = list(made.items())
    for i in range(len(pairs)):
        key, value = pairs[i]
        held = made[key]
        found.append(id(held) == id(value))
    return found, [type(key).__name__ for key in made]
"""
    check(source, ["a", "\\u0100", (1, "a"), 0.5, 1, True, "a", 1.0] * 2)
    check(source, ["a", (1, "a"), 0.5, "b"] * 3)
