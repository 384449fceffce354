"""Patterns of `match`."""

from __future__ import annotations

from ..ground.names import is_heap_class
from .functions.rows import type_of
from .values import Abstract, Break, Known, kind_of

_SEQUENCE = 1 << 5  # Py_TPFLAGS_SEQUENCE: what `case [...]` matches


def is_sequence(subject: Abstract) -> Abstract:
    """Whether `case [...]` looks at the items of a subject."""
    cls = type_of(subject)
    if cls is None or is_heap_class(cls):  # registering a class as a sequence changes its flag
        raise Break("unsupported_type", f"case [...] of {kind_of(subject)}")
    return Known(bool(cls.__flags__ & _SEQUENCE))
