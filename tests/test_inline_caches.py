"""Attributes that generated code reads and writes by itself (codegen/attributes.py), whatever becomes of classes and instances."""

from __future__ import annotations

import sys
import types

import pytest

import pijit
from pijit import _native
from pijit.runtime.records import RECORDS


class Plain:
    def __init__(self, x, y=2.5):
        self.x = x
        self.y = y


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y=2.5):
        self.x = x
        self.y = y


class Derived(Plain):
    pass


def total(items):
    found = 0
    for item in items:
        found += item.x
    return found


def other(items):
    found = 0
    for item in items:
        found += item.y
    return found


def parts(items):
    found = 0.0
    for item in items:
        part = item.x
        found += part.x
    return found


def nothing(items):
    found = 0
    for item in items:
        if item.x is None:
            found += 1
    return found


def scaled(items, by):
    for item in items:
        item.x = item.x * by
        item.y = item.x + 1.0


def fast(function):
    """Compiled, with code of its own."""
    own = types.FunctionType(function.__code__.replace(), globals(), function.__name__, closure=function.__closure__)
    pijit.config.compile_all = True
    return pijit.jit(own)


def many(cls, values):
    return [cls(value) for value in values]


FLOATS = [0.5 * i for i in range(200)]
BOTH = pytest.mark.parametrize("cls", [Plain, Slotted])


def agrees(compiled, plain, *args):
    try:
        expected = plain(*args)
    except Exception as error:
        with pytest.raises(type(error), match=str(error)[:20]):
            compiled(*args)
        return
    found = compiled(*args)
    assert type(found) is type(expected)
    assert found == expected


@BOTH
def test_values_of_all_kinds(cls):
    sum_ = fast(total)
    for values in (
        FLOATS, list(range(-99, 99)), [0, 1, -1, 2**30 - 1, 2**30, -(2**30), 2**62, -(2**62)] * 20, [True, False] * 60, [2**64] * 120,
        [1.5] * 119 + [1], [3] * 119 + [2.5], [1] * 119 + [True], [1.5] * 119 + ["a"], [complex(1, 2)] * 120,
    ):  # fmt: skip
        agrees(sum_, total, many(cls, values))


def test_classes_in_one_list():
    sum_ = fast(total)
    for _ in range(3):
        for classes in ((Plain, Derived), (Plain, Slotted), (Derived, Slotted, Plain)):
            agrees(sum_, total, [cls(v) for v in FLOATS for cls in classes])
            agrees(sum_, total, [cls(v) for cls in classes for v in FLOATS])


def test_equal_code_for_other_names_and_classes():
    """The code of these is the same text; what they know of classes is not."""
    x, y = fast(total), fast(other)
    items = [Plain(v, -v) for v in FLOATS]
    assert (x(items), y(items)) == (total(items), other(items))
    assert (x(items), y(items)) == (total(items), other(items))

    class A(Plain):
        pass

    class B(Plain):
        pass

    ours, theirs = fast(parts), fast(parts)
    for _ in range(2):
        for cls, compiled in ((A, ours), (B, theirs), (Slotted, ours)):
            agrees(compiled, parts, [Plain(cls(v)) for v in FLOATS])


@BOTH
def test_what_is_none(cls):
    count = fast(nothing)
    for values in ([None] * 120, [None, 1.5] * 60, FLOATS, [None] * 119 + [0]):
        agrees(count, nothing, many(cls, values))


def test_the_class_changes():
    class Own(Plain):
        pass

    sum_, items = fast(total), many(Own, FLOATS)
    agrees(sum_, total, items)
    Own.x = 7.0  # what instances hold goes before it
    agrees(sum_, total, items)
    Own.x = property(lambda self: 1.0)  # and this before that
    agrees(sum_, total, items)
    del Own.x
    agrees(sum_, total, items)
    Own.__getattribute__ = lambda self, name: 2.0
    agrees(sum_, total, items)
    del Own.__getattribute__
    agrees(sum_, total, items)
    Own.__bases__ = (Derived,)
    agrees(sum_, total, items)
    for item in items[::2]:
        item.__class__ = Derived
    agrees(sum_, total, items)


def test_the_instances_change():
    sum_, items = fast(total), many(Plain, FLOATS)
    agrees(sum_, total, items)
    vars(items[130])["x"] = 100.0  # it has a dict from now on
    agrees(sum_, total, items)
    items[131].__dict__ = {"x": 3.0}
    agrees(sum_, total, items)
    items[132].z = items[32].w = 1
    agrees(sum_, total, items)
    for i in range(40):
        setattr(items[133], f"a{i}", i)  # more than the shared keys take
    agrees(sum_, total, items)
    del items[134].x
    agrees(sum_, total, items)
    Plain.x = 11.0
    try:
        agrees(sum_, total, items)
    finally:
        del Plain.x


def test_empty_slots():
    sum_, items = fast(total), many(Slotted, FLOATS)
    agrees(sum_, total, items)
    del items[140].x
    agrees(sum_, total, items)


def state(items):
    return [(item.x, item.y) for item in items]


@BOTH
def test_floats_are_written_over(cls):
    scale = fast(scaled)
    mine, theirs = many(cls, FLOATS), many(cls, FLOATS)
    for by in (1.5, -2.0, 0.1):
        scale(mine, by), scaled(theirs, by)
        assert state(mine) == state(theirs)
    held = [(item.x, item.y) for item in mine]  # the very objects
    shown = [x.hex() for x, _ in held]
    scale(mine, 3.0), scaled(theirs, 3.0)
    assert state(mine) == state(theirs)
    assert [x.hex() for x, _ in held] == shown
    one = float("1.25")
    for item in (*mine, *theirs):
        item.x = one
    scale(mine, 3.0), scaled(theirs, 3.0)
    assert state(mine) == state(theirs)
    assert one == 1.25
    mine[0].x = theirs[0].x = mine[1].y = theirs[1].y = "ab"
    with pytest.raises(TypeError):
        scale(mine, 2.0)
    mine[0].x = theirs[0].x = 3
    mine[1].x = theirs[1].x = True
    scale(mine, 2.0), scaled(theirs, 2.0)
    assert [type(x) for x, _ in state(mine)] == [type(x) for x, _ in state(theirs)]


def test_numbers_that_others_hold_stay():
    """A local, an item of a list."""

    def again(item, by):
        before = item.x
        for _ in range(50):
            item.x = item.x * by
        return before, item.x

    compiled, item, twin = fast(again), Plain(1.5), Plain(1.5)
    kept = [item.x, twin.x]
    for _ in range(3):
        assert compiled(item, 1.01) == again(twin, 1.01)
        kept.append(item.x)
        kept.append(twin.x)
    assert kept[::2] == kept[1::2]


def test_a_callee_writes_what_its_caller_has_read():
    def callee(item):
        for _ in range(40):
            item.x = item.x + 1.0

    callee = fast(callee)

    def caller(item):
        before = item.x
        callee(item)
        return before, item.x, before + item.x

    compiled = fast(caller)
    for start in (0.5, 2.5):
        item = Plain(start)
        item.x = item.x + 0.25
        assert compiled(item) == (start + 0.25, start + 40.25, 2 * start + 40.5)


@BOTH
def test_references_stay_as_many(cls):
    sum_, scale, items = fast(total), fast(scaled), many(cls, [0.5 * i + 0.125 for i in range(160)])
    sum_(items), scale(items, 1.001)  # what is compiled may refer to the class
    counts = [(sys.getrefcount(item), sys.getrefcount(item.x)) for item in items]
    classes = sys.getrefcount(cls)
    for _ in range(20):
        sum_(items), scale(items, 1.001)
    assert [(sys.getrefcount(item), sys.getrefcount(item.x)) for item in items] == counts
    assert sys.getrefcount(cls) == classes


def test_items_of_lists():
    def add(values, n):
        found = 0
        for i in range(n):
            found += values[i]
        return found

    sum_ = fast(add)
    for values in ([1, 2, 3] * 60, [2**40, -(2**40), 0] * 60, FLOATS, [1] * 159 + [2**70], [1.5] * 159 + [2], [None] * 160, [1] * 130):
        agrees(sum_, add, values, 160)


def test_generated_code_looks_by_itself():
    """The helper is called where something is new only: there is code for what is known."""
    sum_ = fast(total)
    sum_(many(Plain, FLOATS))
    assert _native.layout().keys() >= {"type_tag", "values", "count_bits"}
    code = _native.state_of(sum_.__code__).code
    (text,) = [f.texts["code"] for record in RECORDS if record.code_ref() is code for f in record.fragments]
    assert text.count("pj_look_first") > 1
    assert "pj_look_at" not in text
