"""What a call of a built-in goes through from beginning to end, natively: built-in containers and texts, and range, zip, enumerate and reversed of
them. Nothing of the program's runs in that."""

from __future__ import annotations

from array import array
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..ground.names import is_one_of
from . import deeds, objects, standins
from .cursors import ZIP, SequenceIterator
from .functions.rows import scalar_kind
from .operators import describe
from .values import Abstract, ArrayValue, Break, Container, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

_CONTAINERS = (list, tuple, set, frozenset, dict, str, bytes, array, deque)
_COMPOSITE = (*ZIP, "enumerate", "reversed")
_FEW = 2  # items say what the others are like


def through(value: Abstract, what: str, inside: bool = False) -> Abstract:
    """The value, where C may go through it. ``inside``: of an iterator, which others do not have."""
    if not is_gone_through(value, inside):
        raise Break("call_arguments", f"{what} of {describe(value)}")
    return value


def is_gone_through(value: Abstract, inside: bool = False) -> bool:
    """Whether C may go through it. ``inside``: of zip, enumerate or reversed."""
    if isinstance(value, Opaque):
        return is_one_of(value.cls, _CONTAINERS)
    if isinstance(value, Known):
        return is_one_of(type(value.value), (*_CONTAINERS, range))
    if isinstance(value, SequenceIterator):  # of reversed, before its first item
        return value.step < 0 and is_gone_through(value.sequence, inside=True)
    if isinstance(value, ArrayValue):
        return inside and len(value.dims) == 1  # rows of others would be views
    if not isinstance(value, Container):
        return False
    if value.kind in deeds.VIEWS:
        return deeds.is_mapping(value.items[0])
    if value.kind == "range":
        return all(map(_is_whole, value.items))
    if value.kind in _COMPOSITE:
        iterables, start = (value.items[:1], value.items[1:]) if value.kind == "enumerate" else (value.items, ())
        return all(is_gone_through(item, inside=True) for item in iterables) and all(map(_is_whole, start))
    return inside and value.kind in ("list", "tuple")


def _is_whole(value: Abstract) -> bool:
    return scalar_kind(value) in ("int", "bool")


def samples(t: Tracer, value: Abstract) -> list[Any]:
    """The first items of what is like the value."""
    if isinstance(value, SequenceIterator):
        return samples(t, value.sequence)
    if isinstance(value, Container) and value.kind == "range":
        return list(range(_FEW))
    if isinstance(value, Container) and value.kind in _COMPOSITE:
        inner = [samples(t, item) for item in value.items[: 1 if value.kind == "enumerate" else None]]
        return list(zip(*inner, strict=False)) if value.kind in ZIP else list(enumerate(inner[0])) if value.kind == "enumerate" else inner[0]
    if isinstance(value, Container) and value.kind in ("list", "tuple"):
        return [found for found in (_like(t, item) for item in value.items) if found is not objects.MISSING][:_FEW]
    found = _like(t, value.items[0]) if isinstance(value, Container) else _like(t, value)
    if isinstance(value, Container) and found is not objects.MISSING:
        found = deeds.VIEWS[value.kind](found)
    return [] if found is objects.MISSING else list(islice(found, _FEW))


def _like(t: Tracer, value: Abstract) -> Any:
    """An object like the one that the value stands for, or MISSING."""
    found = standins.sample_of(t, value)
    return objects.MISSING if found is None else found[0]
