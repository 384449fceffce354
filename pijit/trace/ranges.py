"""What is asked of ranges without going through them: len(r), r[i], x in r."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph import Const, Value, const
from ..ir.types import BOOL, INT
from . import iteration
from .addresses import add, both, compare, multiply
from .cursors import RangeIterator
from .objects import class_of
from .operators import as_int
from .values import Abstract, Break, Container, kind_of, value_of

if TYPE_CHECKING:
    from .tracer import Tracer


def is_range(value: Abstract) -> bool:
    """Whether it is a range of numbers that native code has."""
    return (isinstance(value, Container) and value.kind == "range") or class_of(value) is range


def _bounds(t: Tracer, value: Abstract, what: str) -> tuple[Value, Value, int]:
    """Start, stop and step; native code leaves where they are near overflow."""
    iterator = iteration.iterator(t, value)
    assert isinstance(iterator, RangeIterator)
    if not isinstance(iterator.step, int):
        raise Break("call_arguments", f"{what} a range with a step that is not a constant")
    assert iterator.stop is not None
    return iterator.next, iterator.stop, iterator.step


def length(t: Tracer, value: Abstract) -> Value:
    """len(value)"""
    start, stop, step = _bounds(t, value, "len of")
    width = abs(step)
    low, high = (start, stop) if step > 0 else (stop, start)
    if isinstance(low, Const) and isinstance(high, Const):
        return const(len(range(low.value, high.value, width)))
    distance = t.emit("raw_sub", (high, low), INT)
    if width > 1:
        # rounded up to whole steps
        distance = t.emit("int_floordiv", (t.emit("raw_add", (distance, const(width - 1)), INT), const(width)), INT)
    return t.emit("raw_max", (distance, const(0)), INT)  # type: ignore[no-any-return]


def item(t: Tracer, value: Abstract, index: Value) -> Abstract:
    """value[index]"""
    from .functions.rows import abstract
    from .slicing import checked_index

    start, _, step = _bounds(t, value, "an item of")
    place = checked_index(t, index, length(t, value))
    return abstract(add(t, start, multiply(t, place, const(step))))


def contains(t: Tracer, value: Abstract, item: Abstract) -> Abstract | None:
    """item in value; None where the item is no int."""
    from .functions.rows import abstract

    if kind_of(item) not in ("int", "bool"):
        return None
    start, stop, step = _bounds(t, value, "in")
    number = as_int(t, value_of(item))  # type: ignore[arg-type]
    first, last = (">=", "<") if step > 0 else ("<=", ">")
    found = both(t, compare(t, first, number, start), compare(t, last, number, stop))
    if abs(step) > 1:  # the distance is right where the number is inside
        rest = t.emit("int_mod", (t.emit("raw_sub", (number, start), INT), const(step)), INT, reason="zero_division")
        found = both(t, found, t.emit("cmp", (rest, const(0)), BOOL, symbol="=="))
    return abstract(found)
