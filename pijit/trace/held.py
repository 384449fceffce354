"""What may be missed when it is gone: objects that weak references may lead to, or that own such objects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pijit.ground.records import dataclass

from ..ir.graph import Box, Build, Recipe, Value
from .values import Abstract, Opaque

# Exact types whose objects have no weak references and own nothing but memory.
_PLAIN = {id(cls) for cls in (type(None), bool, int, float, complex, str, bytes, range, *(set(np.sctypeDict.values()) - {np.object_, np.void}))}


@dataclass(frozen=True, slots=True, eq=False)
class Held(Abstract):
    """What a local variable that is not read again keeps alive: an object, UNSET or KEEP (see ir.graph.Build). ``says``: what its class wants
    to know when it is let go."""

    value: Value
    says: str = ""

    def parts(self) -> tuple[Value, ...]:
        return (self.value,)

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return Held(next(parts), self.says)

    def recipe(self) -> Recipe:
        return Build("held", (Box(self.value),))


def may_be_missed(cls: type | None) -> bool:
    """Whether objects of exactly this class, or of an unknown one, may be."""
    return id(cls) not in _PLAIN


def missed(value: Abstract) -> Iterator[Opaque]:
    """The objects in a value that the program could miss."""
    for item in value.inner():
        yield from missed(item)
    if isinstance(value, Opaque) and may_be_missed(value.cls):
        yield value


def matters(value: Abstract) -> bool:
    """Whether it makes a difference how long a variable has a value."""
    return isinstance(value, Held) or _is_missed(value)


def _is_missed(value: Abstract) -> bool:
    return (isinstance(value, Opaque) and may_be_missed(value.cls)) or any(map(_is_missed, value.inner()))
