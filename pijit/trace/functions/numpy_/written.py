"""np.array of numbers that the program writes down, of arrays put one behind another, and of an array, which is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....ir.graph import const
from ....ir.types import Np
from ... import elementwise, opaque
from ...subscripts import as_element
from ...values import Abstract, ArrayValue, Known, sequence_of, value_of
from ..rows import by_name, dtype_of_numbers, row, scalar_kind
from .creation import copied, dtype_of, fills, new
from .joins import joined

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]
_MOST = 64  # numbers: each is an operation


@row(np.array)
def _array(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    given = by_name(("object", "dtype"), args, kwargs) or {}
    what, dtype = given.get("object"), given.get("dtype")
    made = None
    if what is not None:
        made = _copied(t, what, dtype) if isinstance(what, ArrayValue) else _of_items(t, what, dtype)
    return opaque.call_pure(t, np.array, args, kwargs) if made is None else made


def _copied(t: Tracer, a: ArrayValue, dtype: Abstract | None) -> Abstract | None:
    order = elementwise.result_order((a,)) if a.dims else None
    wanted = dtype_of(dtype, a.type.dtype)
    if order is None or wanted is None or wanted != a.type.dtype:  # None would equal float64
        return None
    return copied(t, a, order)


def _of_items(t: Tracer, given: Abstract, dtype: Abstract | None) -> Abstract | None:
    items = sequence_of(given) or ()
    if items and all(isinstance(item, ArrayValue) and item.dims for item in items):
        ranks = {len(item.dims) for item in items if isinstance(item, ArrayValue)}
        return joined(t, list(items), 0, max(ranks) + 1) if len(ranks) == 1 and dtype is None else None
    found = _numbers(given)
    return None if found is None or not found[1] else _of_numbers(t, *found, dtype)


def _numbers(given: Abstract) -> tuple[tuple[int, ...], list[Abstract]] | None:
    """The shape, and the numbers in order; None for anything else."""
    if scalar_kind(given):
        return (), [given]
    inner = [_numbers(item) for item in sequence_of(given) or ()]
    if not inner or None in inner or len({found[0] for found in inner if found}) != 1:
        return None
    shapes, numbers = zip(*(found for found in inner if found), strict=True)
    return (len(inner), *shapes[0]), [number for row in numbers for number in row]


def _of_numbers(t: Tracer, shape: tuple[int, ...], numbers: list[Abstract], wanted: Abstract | None) -> Abstract | None:
    if not shape or len(numbers) > _MOST or any(scalar_kind(number) == "c" or _is_large(number) for number in numbers):
        return None
    dtype = dtype_of(wanted, dtype_of_numbers(numbers))
    values = [value for number in numbers if (value := value_of(number)) is not None]
    if dtype is None or not all(fills(value, dtype) or value.type == Np(dtype.name) for value in values):
        return None
    elements = [as_element(t, value, Np(dtype.name)) for value in values]
    made = new(t, tuple(map(const, shape)), dtype, "C", None)
    for index, element in zip(np.ndindex(shape), elements, strict=True):
        t.emit("store", (made.value, element, *map(const, index)))
    return made


def _is_large(number: Abstract) -> bool:
    """Whether it is an int that NumPy puts elsewhere."""
    return isinstance(number, Known) and type(number.value) is int and not -(2**63) <= number.value < 2**63
