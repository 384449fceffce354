"""Indexing by the places along one axis, in a vector or a list of ints: a[index], a[index, :] and a[:, index], read; of vectors by arrays with
more axes too. Everything else is called in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Value, const
from ..ir.types import INT, Array, Np
from . import elementwise, lengths
from .addresses import compare
from .masks import is_whole, swapped
from .operators import cast
from .values import Abstract, ArrayValue, Container, Opaque, items_of, value_of

if TYPE_CHECKING:
    from .tracer import Tracer

_PLACES = Array("int64", 1, "C")


def load(t: Tracer, array: ArrayValue, index: Abstract) -> ArrayValue | None:
    """array[index], or None where that is something else."""
    parts = items_of(index) or (index,)
    lead = next((place for place, part in enumerate(parts) if _says_places(t, part)), None)
    if lead is None or not all(is_whole(part) for place, part in enumerate(parts) if place != lead):
        return None
    others = (*array.dims[:lead], *array.dims[lead + 1 :])
    if len(parts) > len(array.dims) or (lead and len(array.dims) != 2) or array.type.order not in _ORDERS.get(len(others), ("C", "S")):
        return None
    places = _places(t, parts[lead])
    if len(places.dims) > 1 and (len(array.dims) > 1 or places.type.order != "C" or any(map(elementwise.is_one, places.dims))):
        return None
    dims = (*places.dims, *others)
    least = 1 if lead or len(places.dims) > 1 else 0
    for dim in dims if others or least else ():  # where there is nothing NumPy's strides are others, and an axis of length 1 may lie in either order
        t.check(compare(t, ">", dim, const(least)), "shape_mismatch")
    type_ = Array(array.type.name, len(dims), "C")
    made = ArrayValue(t.emit("take", (array.value, places.value, *dims), type_, lead=lead), dims)
    return swapped(t, made) if lead else made


_ORDERS = {0: ("C", "F", "S", "A"), 1: ("C", "F", "S")}  # of the array, by how many other axes there are: then the result's is C


def _says_places(t: Tracer, part: Abstract) -> bool:
    if isinstance(part, ArrayValue):
        return bool(part.dims) and part.type.dtype.kind in "iu" and part.type.name != "uint64"
    if isinstance(part, Container):
        return part.kind == "list" and bool(part.items) and all(_is_int(item) for item in part.items)
    sample: list[Any] = t.samples.get(part.value) or [] if isinstance(part, Opaque) and part.cls is list else []
    return bool(sample) and all(type(item) is int and abs(item) < 2**63 for item in sample)


def _is_int(item: Abstract) -> bool:
    value = value_of(item)
    return value is not None and value.type == INT


def _places(t: Tracer, part: Any) -> ArrayValue:
    if isinstance(part, ArrayValue):
        return part
    if isinstance(part, Opaque):
        length = lengths.of(t, part)
        assert length is not None
        return ArrayValue(t.emit("list_ints", (part.value, length), _PLACES), (length,))
    length = const(len(part.items))
    made: Value = t.emit("empty", (length,), _PLACES, filled=False)
    for place, item in enumerate(part.items):
        value = value_of(item)
        assert value is not None
        t.emit("store", (made, cast(t, value, Np("int64")), const(place)))
    return ArrayValue(made, (length,))
