"""Calls of bound methods that are objects of the program, such as those of a table of handlers: there is a way for each function that they may
be of."""

from __future__ import annotations

from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ..ground.names import is_a
from ..ir.graph import Op, Value
from ..ir.types import BOOL
from . import closures, deeds, objects, opaque
from .inline import INLINED
from .inputs import is_inner
from .values import END, Abstract, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

_MOST = 6  # functions that are told apart
_FUNCTION, _SELF = ("part", "__func__"), ("part", "__self__")


def call(t: Tracer, method: Opaque, args: list[Abstract], kwargs: dict[str, Abstract]) -> object:
    """method(*args, **kwargs)"""
    from . import calls

    several = _of_each_function(t, method)
    if len(several) < 2 or not t.last_micro:
        return calls.call(t, closures.part(t, method, "__func__"), [closures.part(t, method, "__self__"), *args], kwargs)
    frame = t.state.frame
    onward = frame.bytecode.at(frame.pc).next
    function = opaque.look_any(t, method, _FUNCTION)

    def is_of(one: MethodType) -> Value:
        return t.emit("same", (function, deeds.as_object(t, Known(one.__func__))), BOOL)  # type: ignore[no-any-return]

    def follow(number: int) -> None:
        one = several[number]
        if number == len(several) - 1:
            t.append(Op("check", (is_of(one),), (), {}, {"redo": t.exit("redo", "guard_identity")}, t.line))
        found: Any = calls.call(t, Known(one.__func__), [opaque.look(t, method, _SELF, one.__self__), *args], kwargs)
        if found is END:
            return
        if found is not INLINED:
            t.state.frame.stack.append(found)
            t.state.frame.pc = onward
        t.block.end = t.goto(t.state)

    t.ways([partial(is_of, one) for one in several[:-1]], follow)
    return END


def _of_each_function(t: Tracer, method: Opaque) -> list[MethodType]:
    """A method of each function, of what it was taken from among; none where there are too many, or others."""
    if objects.origin_of(t, method) is not None or not t.siblings.get(method.value):
        return []
    some = [objects.actual_of(t, method), *t.siblings[method.value]]
    found = {id(one.__func__): one for one in reversed(some) if type(one) is MethodType and is_a(one.__func__, FunctionType)}
    return list(found.values()) if len(found) <= _MOST and not any(is_inner(one.__func__) for one in found.values()) else []
