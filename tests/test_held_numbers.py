"""Numbers that lists, attributes and dicts hold, or are given, stay the objects that they are: `is`, and `nan in [nan]`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from differential import check, settings

import pijit

pytestmark = pytest.mark.shared

NAN = float("nan")
NATIVE = ("jit", "O0", "enabled", "forced")  # the evaluator makes new numbers of what comes in


class Holder:
    pass


def held():
    o = Holder()
    o.x, o.y, o.big = NAN, 2.5, 10**9
    o.items, o.ints = [1.5, NAN, 7.25, 10.5, 1e300], [10**6, 10**7, 5]
    o.table = {"a": NAN, "b": 1.25}
    o.parts = [Holder() for _ in range(3)]
    for k, part in enumerate(o.parts):
        part.x = [NAN, 1.5, 2.5][k]
    o.array = np.array([1.0, np.nan, 3.0])
    o.scalars = [np.float64(1.5), np.float64(np.nan), np.float64(2.5)]
    return o


def items_of_a_list(o):
    last = None
    found = []
    for i, v in enumerate(o.items):
        last = v
        found.append(v is o.items[i])
    return last is o.items[4], found, [v in o.items for v in o.items], [v is w for v, w in zip(o.items, o.items, strict=True)]


def yielded(o):
    def given():
        for v in o.items:
            x = v
            yield x

    return [v is w for v, w in zip(given(), o.items, strict=True)]


def copied(o):
    out = []
    for v in o.items:
        out.append(v)
    table = {i + 1: v for i, v in enumerate(o.items)}
    return [a is b for a, b in zip(out, o.items, strict=True)], [table[i + 1] is o.items[i] for i in range(5)], NAN in out


def greatest(o):
    best, zero, most = o.items[0], 0.0, o.ints[0]
    for v in o.items:
        if v > best:
            best = v
        zero = max(zero, v)
    for i in range(len(o.ints)):
        most = o.ints[i] if o.ints[i] > most else most
    return best is o.items[4], zero is o.items[4], most is o.ints[1]


def never_greater(o):
    best = o.items[1]
    for v in o.items:
        if v > best:
            best = v
    return best is NAN, best in o.items


def chosen(o, which):
    x = o.x
    if which == 1:
        x = o.y
    elif which == 2:
        x = o.items[2]
    return x is o.x, x is o.y, x is o.items[2], x in [o.x]


def of_attributes(o):
    out = [part.x for part in o.parts]
    for part in o.parts:
        part.y = part.x
    return [a is part.x for a, part in zip(out, o.parts, strict=True)], NAN in out, [part.y is part.x for part in o.parts]


def stored_where_it_is(o):
    found = []
    for i in range(3):
        o.current = o.items[i]
        found.append(o.current is o.items[i])
    o.items[0] = o.x
    o.table["c"] = o.items[2]
    return found, o.items[0] is NAN, o.items[0] is o.x, o.table["c"] is o.items[2], o.table["a"] is NAN


def computed_and_stored(o):
    x = o.y * 2.0 + 0.1
    o.items.append(x)
    o.z = x
    o.table["x"] = x
    o.items[0] = x
    return o.items[-1] is x, o.z is x, o.items[-1] is o.z, o.table["x"] is x, o.items[0] is x


def found_again(o):
    seen, found = [], []
    for v in o.items:
        x = v * 2.0
        seen.append(x)
        found.append(x in seen)
    for i in range(3):
        x = o.array[i]
        seen.append(x)
        found.append(x in seen)
    return found


def swapped(o):
    items = o.items
    items[0], items[1] = items[1], items[0]
    i, j = 1, 2
    items[i], items[j] = items[j], items[i]
    return items[0] is NAN, NAN in items, items


def numpy_scalars(o):
    last = []
    for v in o.scalars:
        last.append(v)
    return [a is b for a, b in zip(last, o.scalars, strict=True)], o.scalars[1] in last


def replaced_meanwhile(o):
    x = o.items[2]
    o.items[2] = 8.5
    y = o.items.pop()
    return x, o.items[2], y, x in o.items


FUNCTIONS = [
    items_of_a_list, yielded, copied, greatest, never_greater, of_attributes, stored_where_it_is, computed_and_stored, found_again,
    swapped, numpy_scalars, replaced_meanwhile,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_object_is_kept(function):
    check(function, held(), calls=4, configurations=NATIVE)


@pytest.mark.parametrize("which", range(4))
def test_where_paths_meet(which):
    check(chosen, held(), which, calls=4, configurations=NATIVE)


class Numbers(Sequence):
    """As a class that collections.abc makes a sequence."""

    def __init__(self, items):
        self.items = items

    def __getitem__(self, index):
        return self.items[index]

    def __len__(self):
        return len(self.items)


def test_a_sequence_knows_what_it_holds():
    with settings(compile_all=True, raise_internal=True), pijit.enabled("*"):
        for _ in range(6):
            for numbers in ([NAN, 1.5, 2.5], [10**9, 3], [1.5, NAN]):
                kept = Numbers(numbers)
                assert all(number in kept for number in numbers)
                assert [kept.index(number) for number in numbers] == list(range(len(numbers)))
            assert float("nan") not in Numbers([NAN, 1.5])


def test_no_owner_lives_longer():
    """What a number was read from goes when its last name does."""
    gone = []

    class Owner:
        def __init__(self, x):
            self.x = x

        def __del__(self):
            gone.append(self.x)

    def f(owners):
        kept = []
        while owners:
            owner = owners.pop()
            x = owner.x
            owner = None
            kept.append((x, len(gone)))
        return kept

    def outcome(function):
        gone.clear()
        return function([Owner(0.5 * i) for i in range(6)]), list(gone)

    fast = pijit.jit(f)
    with settings(compile_all=True, raise_internal=True):
        for _ in range(4):
            assert outcome(fast) == outcome(f)
