"""What a call of a built-in goes through from beginning to end, natively: built-in containers and texts, and range, zip, enumerate and reversed of
them. Nothing of the program's runs in that."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import deeds, objects, standins
from .cursors import ZIP, SequenceIterator
from .functions.rows import scalar_kind
from .operators import describe
from .values import Abstract, ArrayValue, Break, Container, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

_CONTAINERS = (list, tuple, set, frozenset, dict, str, bytes, deque)
_COMPOSITE = (*ZIP, "enumerate", "reversed")
_FEW = 2  # items say what the others are like


def through(t: Tracer, value: Abstract, what: str) -> Abstract:
    """The value, where C may go through it."""
    if not _is_gone_through(value):
        raise Break("call_arguments", f"{what} of {describe(value)}")
    return value


def _is_gone_through(value: Abstract, inside: bool = False) -> bool:
    """``inside``: of zip, enumerate or reversed."""
    if isinstance(value, Opaque):
        return any(value.cls is cls for cls in _CONTAINERS)
    if isinstance(value, Known):
        return any(type(value.value) is cls for cls in (*_CONTAINERS, range))
    if isinstance(value, SequenceIterator):  # of reversed, before its first item
        return value.step < 0 and _is_gone_through(value.sequence, inside=True)
    if isinstance(value, ArrayValue):
        return inside and len(value.dims) == 1  # rows of others would be views
    if not isinstance(value, Container):
        return False
    if value.kind in deeds.VIEWS:
        return deeds.is_mapping(value.items[0])
    if value.kind in ("range", "enumerate"):
        through, *numbers = value.items
        numbers += [through] if value.kind == "range" else []
        return all(scalar_kind(number) in ("int", "bool") for number in numbers) and (value.kind == "range" or _is_gone_through(through, inside=True))
    if value.kind in _COMPOSITE:
        return all(_is_gone_through(item, inside=True) for item in value.items)
    return inside and value.kind in ("list", "tuple")


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
        return sequence_sample(t, value)[:_FEW]
    found = like(t, value.items[0]) if isinstance(value, Container) else like(t, value)
    if isinstance(value, Container) and found is not objects.MISSING:
        found = deeds.VIEWS[value.kind](found)
    return [] if found is objects.MISSING else list(islice(found, _FEW))


def sequence_sample(t: Tracer, value: Abstract) -> list[Any]:
    """A list like a list or tuple."""
    if isinstance(value, Container):
        found = [standins.sample_of(t, item) for item in value.items]
        return [sample[0] for sample in found if sample is not None]
    held = like(t, value)
    return [] if held is objects.MISSING else list(held)


def like(t: Tracer, value: Abstract) -> Any:
    """An object like the one that the value stands for, or MISSING."""
    found = standins.sample_of(t, value)
    return objects.MISSING if found is None else found[0]
