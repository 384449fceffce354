"""Indexing by a mask: a[mask], a[:, mask] and a[mask, :], read and stored. Everything else is called in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass

from ..ir.graph import Value, const
from ..ir.types import INT, Array
from . import elementwise
from .addresses import compare, multiply
from .elementwise import is_one
from .values import Abstract, ArrayValue, Container, Known, items_of, value_of

if TYPE_CHECKING:
    from .tracer import Tracer


@dataclass(frozen=True)
class _Masked:
    """A mask for the axes of an array from ``lead`` on. ``others``: the lengths of its other axes."""

    array: ArrayValue
    mask: ArrayValue
    lead: int

    @property
    def others(self) -> tuple[Value, ...]:
        dims = self.array.dims
        return (*dims[: self.lead], *dims[self.lead + len(self.mask.dims) :])


def load(t: Tracer, array: ArrayValue, index: Abstract) -> ArrayValue | None:
    """array[index], or None where the index is no mask of those."""
    found = _find(array, index)
    if found is None or (found.others and array.type.order not in ("C", "S")):
        return None
    _check_lengths(t, found)
    count = _count(t, found.mask)
    for dim in (count, *found.others) if found.others else ():
        # NumPy gives the others strides of their own; one along the mask and one before it would lie in either order
        t.check(compare(t, ">", dim, const(found.lead)), "shape_mismatch")
    dims = (count, *found.others)
    type_ = Array(array.type.name, len(dims), "C")
    made = ArrayValue(t.emit("pick", (array.value, found.mask.value, *dims), type_, lead=found.lead), dims)
    return swapped(t, made) if found.lead else made


def swapped(t: Tracer, made: ArrayValue) -> ArrayValue:
    """The transposed view."""
    dims, size = made.dims[::-1], const(made.type.dtype.itemsize)
    strides = size, multiply(t, dims[0], size)
    return ArrayValue(t.emit("view", (made.value, const(0), *dims, *strides), Array(made.type.name, 2, "F"), axes=((1, 1), (0, 1))), dims)


def store(t: Tracer, array: ArrayValue, index: Abstract, value: Abstract) -> bool:
    """array[index] = value; False, and nothing emitted, where the index is no mask of those, or the value does not fit."""
    from .subscripts import as_element, storable

    found = _find(array, index)
    if found is None or array.value is found.mask.value or not storable(t, array, value):
        return False
    if isinstance(value, ArrayValue) and len(value.dims) != len(found.others) + 1:
        return False
    _check_lengths(t, found)
    if not isinstance(value, ArrayValue):
        scalar = value_of(value)
        assert scalar is not None
        count = _size(t, found.mask)
        t.emit("place", (array.value, as_element(t, scalar, array.type.element), found.mask.value, count), lead=found.lead, stretch=())
        return True
    count = _count(t, found.mask)
    dims = (*found.others[: found.lead], count, *found.others[found.lead :])
    for mine, dim in zip(dims, value.dims, strict=True):
        if not is_one(dim) and dim is not mine:
            t.check(compare(t, "==", mine, dim), "shape_mismatch")
    source = elementwise.converted(t, value, array.type.name)
    stretch = elementwise.stretched(value, len(dims))
    t.emit("place", (array.value, source.value, found.mask.value, count), lead=found.lead, stretch=stretch)
    return True


def _find(array: ArrayValue, index: Abstract) -> _Masked | None:
    parts = items_of(index)
    parts = (index,) if parts is None else parts
    places = [place for place, part in enumerate(parts) if isinstance(part, ArrayValue)]
    if len(places) != 1 or len(parts) > 2:
        return None
    (place,) = places
    mask = parts[place]
    assert isinstance(mask, ArrayValue)
    others = len(array.dims) - len(mask.dims)
    if mask.type.name != "bool" or not mask.dims or others < 0 or not all(is_whole(part) for part in parts if part is not mask):
        return None
    if place and others == 1:
        return _Masked(array, mask, 1)
    return _Masked(array, mask, 0) if place == 0 and others >= len(parts) - 1 else None


def is_whole(part: Abstract) -> bool:
    if isinstance(part, Known):
        return type(part.value) is slice and part.value == slice(None)
    return isinstance(part, Container) and part.kind == "slice" and all(_is_none(item) for item in part.items)


def _is_none(item: Any) -> bool:
    return isinstance(item, Known) and item.value is None


def _check_lengths(t: Tracer, found: _Masked) -> None:
    own = found.array.dims[found.lead : found.lead + len(found.mask.dims)]
    for mine, dim in zip(own, found.mask.dims, strict=True):
        if mine is not dim:
            t.check(compare(t, "==", mine, dim), "shape_mismatch")


def _count(t: Tracer, mask: ArrayValue) -> Value:
    return t.emit("mask_count", (mask.value,), INT)  # type: ignore[no-any-return]


def _size(t: Tracer, mask: ArrayValue) -> Value:
    total: Value = const(1)
    for dim in mask.dims:
        total = multiply(t, total, dim)
    return total
