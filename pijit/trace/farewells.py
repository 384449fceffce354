"""Where objects may be let go of whose class wants to know: one with __del__, or a generator, which runs its `finally` blocks."""

from __future__ import annotations

import types
from collections.abc import Iterable
from gc import get_referents
from typing import TYPE_CHECKING, Any

from ..ground.names import class_name, is_a, is_heap_class
from .held import Held, missed
from .objects import MISSING, class_lookup
from .values import LAZY, Abstract, Break, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer


def farewell(value: Abstract) -> str:
    """What is to be said where a value may be let go of with an object in it whose class wants to know; empty when there is none."""
    if isinstance(value, Held):
        return value.says
    return next((said for found in missed(value) if (said := finalizer(found.cls))), "")


# A generator that is let go of runs its `finally` blocks; the others may be the last to hold one.
_CLOSED = (types.GeneratorType, enumerate, zip, map, filter)


def finalizer(cls: type | None) -> str:
    """What is to be said where an object of the class may be let go of."""
    if any(cls is one for one in _CLOSED):
        return "the end of a generator"
    found = cls is not None and is_heap_class(cls) and class_lookup(cls, "__del__") is not MISSING
    return f"{class_name(cls)}.__del__" if found else ""  # type: ignore[arg-type]


# Objects that own what they hold.
_OWNERS = (list, tuple, dict, set, frozenset, slice, types.CellType, types.MethodType)


def last_words(actual: Any, looked: int = 100) -> str:
    """What is to be said where an actual object may be let go of, with what it owns: that of the first ones that are found."""
    reached, seen = [actual], {id(actual)}
    while reached and len(seen) < looked:
        one = reached.pop()
        if said := finalizer(type(one)):
            return said
        if type(one) is types.FunctionType:
            owned = [one.__closure__, one.__defaults__, one.__kwdefaults__]
        else:
            owns = is_heap_class(type(one)) or any(type(one) is owner for owner in _OWNERS)
            owned = get_referents(one) if owns else []
        new = [item for item in owned if id(item) not in seen and not is_a(item, type)]
        seen.update(map(id, new))
        reached += new
    return ""


def let_go(t: Tracer, value: Abstract, slot: int) -> None:
    """A local variable no longer holds a value. Breaks where that may be the end of an object, which its class wants to know."""
    said = farewell(value)
    if len(t.state.frames) == 1 and slot < len(t.view.locals) and (value is LAZY or t.entry_values.get(slot) is value):
        said = last_words(t.view.locals[slot])
    if said:
        raise Break("side_effect", said)


def drop(values: Iterable[Abstract]) -> None:
    """The same for values on the stack that are let go of."""
    for value in values:
        said = finalizer(value.cls) if isinstance(value, Opaque) else farewell(value)
        if said:
            raise Break("side_effect", said)


def may_take(t: Tracer) -> None:
    """Breaks where an instruction that takes something from the stack at the entry may let it go. What loops go through stays."""
    for actual in t.view.stack:
        if not any(type(actual) is one for one in _CLOSED) and (said := last_words(actual)):
            raise Break("side_effect", said)


def has_last_words(t: Tracer) -> bool:
    """Whether variables of the root frame were given what goes in their order when it returns."""
    given = (value for slot, value in enumerate(t.state.frame.locals) if value is not LAZY and t.entry_values.get(slot) is not value)
    return any(farewell(value) for value in given)


def let_all_go(t: Tracer) -> None:
    """The same for the variables of an inlined call that returns, but for what its caller has too."""
    *callers, frame = t.state.frames
    held = {id(value) for caller in callers for value in (*caller.locals, *caller.stack)}
    for slot, value in enumerate(frame.locals):
        if id(value) not in held and value is not LAZY:
            let_go(t, value, slot)
