"""Lengths of built-in containers, which the objects themselves hold, and their truth, which is whether those are 0."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING

from ..ir.graph import Value
from ..ir.types import INT
from .values import Abstract, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

# Types that nobody can give another len.
_SIZED = {
    **dict.fromkeys((list, tuple, dict, str, bytes, bytearray, array, deque, defaultdict, Counter), "obj_len"),
    **dict.fromkeys((set, frozenset), "set_len"),
}


def of(t: Tracer, operand: Abstract) -> Value | None:
    """len(operand), where it is a real object of such a type, and no subclass."""
    name = next((name for cls, name in _SIZED.items() if operand.cls is cls), None) if isinstance(operand, Opaque) else None
    return None if name is None else t.emit(name, operand.parts(), INT)
