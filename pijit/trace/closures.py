"""Functions that the program makes in the fragment (lambdas, inner functions, comprehensions before 3.12), and the cells they share with frames.

Such a function is virtual: a Container of kind "function". A call of it is inlined, and its free variables are those of the frame that
owns their cells, which is somewhere below in the chain: outliving sees to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import TYPE_CHECKING

from ..ground.names import class_name, is_a, is_one_of
from . import inputs, objects, sources
from .cursors import changes
from .sources import Source
from .values import LAZY, NULL, UNBOUND, Abstract, Break, CellValue, Closure, Container, Instance, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

_DEFAULTS, _KEYWORD_DEFAULTS, _CLOSURE = 1, 2, 8  # bits of SET_FUNCTION_ATTRIBUTE
_ITEM = {_CLOSURE: 2, _DEFAULTS: 3, _KEYWORD_DEFAULTS: 4}


def cell(t: Tracer, slot: int) -> CellValue:
    """The cell of a variable of the innermost frame."""
    frame = t.state.frame
    depth = len(t.state.frames) - 1
    if slot not in frame.bytecode.free_slots or depth == 0:
        return CellValue(depth, slot)
    index = slot - (len(frame.bytecode.slots) - len(frame.bytecode.free_slots))
    if not frame.made:
        return CellValue(depth, index, frame.function)
    (made,) = frame.made
    assert isinstance(made, Container)
    found = made.items[2].inner()[index]
    if not isinstance(found, CellValue):  # capture begins where it is on the stack
        raise Break("definition", "a function with a cell that came in")
    return found


def actual_of(function: Abstract) -> FunctionType:
    """The real function that capture sees."""
    found = function.actual if isinstance(function, Closure) else function.value  # type: ignore[attr-defined]
    assert is_a(found, FunctionType)
    return found  # type: ignore[no-any-return]


def source_of(t: Tracer, function: Abstract) -> Source:
    """Where a real function comes from."""
    origin = objects.origin_of(t, function)
    assert origin is not None
    return origin


def part(t: Tracer, owner: Abstract, name: str) -> Abstract:
    """What a function, bound method or partial was made with."""
    origin = objects.origin_of(t, owner)
    if origin is None and is_one_of(objects.class_of(owner), (MethodType, range)):
        return objects.fetch(t, owner, ("part", name), ("part", name), getattr(objects.actual_of(t, owner), name, objects.UNSET))
    if origin is None:
        raise Break("attribute", f"{class_name(type(objects.actual_of(t, owner)))}.{name}")
    source = sources.part(origin, name)
    found = t.entry_values.get(source)
    if found is None:
        found = t.entry_values[source] = inputs.load(t, source, getattr(objects.actual_of(t, owner), name))
    return found


def unbound(t: Tracer, owner: Opaque) -> Known | None:
    """The function of the class that a method of a built-in container is bound from; None where that is not known."""
    origin, actual = objects.origin_of(t, owner), objects.actual_of(t, owner)
    found = None if origin is None else inputs.unbound(actual)
    if origin is None or found is None:
        return None
    source = sources.part(origin, "__func__")
    if source not in t.entry_values:
        t.guards.same(source, found)
        t.entry_values[source] = Known(found)
    return Known(found)


def is_same(t: Tracer, one: Abstract, other: Abstract) -> bool:
    """Whether two real functions are one; guarded where one of them may be another next time."""
    if isinstance(one, Known) and isinstance(other, Known):
        return one.value is other.value
    mine, theirs = (source_of(t, function) for function in (one, other))
    actual = actual_of(one)
    if actual is not actual_of(other):
        t.guards.apart(mine, theirs)
        return False
    t.guards.same(mine, actual)
    t.guards.same(theirs, actual)
    return True


def is_function(value: Abstract) -> bool:
    """Whether it is a real Python function."""
    return isinstance(value, Closure) or (isinstance(value, Known) and is_a(value.value, FunctionType))


def load(t: Tracer, of: CellValue, name: str) -> Abstract:
    """The contents of a cell."""
    from .calls import load_closed, load_free

    if of.function is not None:
        return load_closed(t, of.function, of.slot, name)
    owner = t.state.frames[of.depth]
    if of.slot in owner.bytecode.free_slots:
        return load_free(t, owner, of.slot)
    value = owner.locals[of.slot]
    if value is LAZY:
        value = owner.locals[of.slot] = inputs.load_local(t, of.slot)
    if value is UNBOUND:
        raise Break("unbound", name)
    return value


def store(t: Tracer, of: CellValue, name: str, value: Abstract) -> None:
    """Stores in a cell: the variable of the frame that owns it."""
    if of.function is not None:
        raise Break("nonlocal_store", name)
    t.effect(name, virtual=True)
    t.state.frames[of.depth].locals[of.slot] = value


def stored_outside(t: Tracer) -> bool:
    """Whether the root frame has stored to variables that it shares with functions around it or, unless it has just begun, with some that it has
    made: an exit writes them, a return does not."""
    root = t.state.frames[0]
    shared = root.bytecode.free_slots if t.begins else root.bytecode.free_slots | root.bytecode.cell_slots
    return any(root.locals[slot] is not LAZY and t.entry_values.get(slot) is not root.locals[slot] for slot in shared)


def make(t: Tracer, code: Abstract) -> Container:
    """A new function of the innermost frame."""
    if not isinstance(code, Known):
        raise Break("definition", "a function whose code was on the stack already")  # an exit before the fragment began loaded it
    frame = t.state.frame
    if t.view.names is not None and len(t.state.frames) == 1 and not code.value.co_name.startswith("<"):
        raise Break("definition", code.value.co_name)  # what a module or class body defines is for others to see
    maker: Abstract = NULL if frame.function is None else frame.function
    return Container("function", (code, maker, NULL, NULL, NULL))


def with_attribute(made: Abstract, bit: int, value: Abstract) -> Container:
    """The function with its cells or defaults."""
    if not isinstance(made, Container):
        raise Break("definition", "a function that was made before")
    fits = isinstance(value, Container) and not changes(value) and (bit != _KEYWORD_DEFAULTS or isinstance(value, Instance))
    if bit not in _ITEM or not (fits or isinstance(value, Known)):
        raise Break("definition", "annotations" if bit not in _ITEM else "defaults")
    items = list(made.items)
    items[_ITEM[bit]] = value
    return Container("function", tuple(items))


def in_any(value: Abstract) -> bool:
    """Whether a value is, or holds, a function that is made here."""
    return (isinstance(value, Container) and value.kind == "function") or any(map(in_any, value.inner()))


def shares_variables(value: Abstract) -> bool:
    """Whether a function in the value has cells that are a frame's as yet."""
    return any(of.function is None for of in cells(value))


def cells(value: Abstract) -> Iterator[CellValue]:
    """The cells in a value."""
    if isinstance(value, CellValue):
        yield value
    for item in value.inner():
        yield from cells(item)
