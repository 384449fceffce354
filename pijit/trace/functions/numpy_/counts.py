"""How many elements of an array are not zero, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....ir.types import Array, Np
from ... import elementwise, operators
from ...values import Abstract, ArrayValue, Container, Known, Scalar
from .arrays import contiguous
from .composing import Given, composed
from .reductions import counted, sum_of_ints

if TYPE_CHECKING:
    from ...tracer import Tracer


@composed(np.count_nonzero, "a", "axis")
def _count_nonzero(t: Tracer, given: Given) -> Abstract | None:
    a, axis = given.get("a"), given.get("axis", Known(None))
    some = _mask(t, a)
    if some is None or not (isinstance(axis, Known) and axis.value is None):
        return None if some is None else sum_of_ints(t, "add", {"a": some, "axis": axis})
    return Scalar(operators.cast(t, counted(t, some), Np("int64")))


@composed(np.flatnonzero, "a")
def _flat(t: Tracer, given: Given) -> Abstract | None:
    return places(t, given.get("a"))


@composed((np.nonzero, np.ndarray.nonzero), "a")
def _nonzero(t: Tracer, given: Given) -> Abstract | None:
    return places_by_axis(t, given.get("a"))


def places_by_axis(t: Tracer, a: Abstract | None) -> Abstract | None:
    """np.nonzero of a vector."""
    made = places(t, a) if isinstance(a, ArrayValue) and len(a.dims) == 1 else None
    return None if made is None else Container("tuple", (made,))


def places(t: Tracer, a: Abstract | None) -> ArrayValue | None:
    """Of all elements in the order of indices; as NumPy gives it, a view of a new array."""
    some = _mask(t, a)
    if some is None:
        return None
    count = counted(t, some)
    made = ArrayValue(t.emit("mask_places", (some.value, count), Array("int64", 1, "C")), (count,))
    return contiguous(t, made, made.dims)


def _mask(t: Tracer, a: Abstract | None) -> ArrayValue | None:
    """Which elements are not zero; None, and nothing emitted, where that takes NumPy."""
    if not isinstance(a, ArrayValue) or not a.dims:
        return None
    if a.type.name == "bool":
        return a
    made = elementwise.attempt(t, "not_equal", a, Known(0))
    return made if isinstance(made, ArrayValue) else None
