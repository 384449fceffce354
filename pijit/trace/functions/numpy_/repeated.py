"""Elements or whole arrays several times: np.repeat and np.tile by numbers, np.meshgrid of vectors, np.kron."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....ir.graph import Const, Value, const
from ... import elementwise, opaque, slicing, standins
from ...values import Abstract, ArrayValue, Container, Known, sequence_of
from ..rows import index, row, scalar_kind
from .arrays import contiguous, length, times
from .composing import WHOLE, Args, Given, Kwargs, composed, stretched
from .creation import new
from .views import places_of

if TYPE_CHECKING:
    from ...tracer import Tracer

_NEW = ("new", None)
_MOST = 4  # vectors


def _times(t: Tracer, given: Abstract) -> Value | None:
    """How often; less than once is NumPy's, whose strides are others where there is nothing."""
    from ...addresses import compare

    if scalar_kind(given) not in ("int", "i") or (isinstance(given, Known) and given.value < 1):
        return None
    count = index(t, given, "repeats")
    if isinstance(count, Const):
        return count
    actual = standins.actual_length(t, count)
    if actual is not None and actual < 1:
        return None
    t.check(compare(t, ">=", count, const(1)), "shape_mismatch")
    return count


@composed((np.repeat, np.ndarray.repeat), "a", "repeats", "axis")
def _repeat(t: Tracer, given: Given) -> Abstract | None:
    """Each element, row or column, as often as the others."""
    a, repeats, axis = given.get("a"), given.get("repeats"), given.get("axis", Known(None))
    if not isinstance(a, ArrayValue) or not a.dims or repeats is None or not isinstance(axis, Known):
        return None
    if axis.value is None and len(a.dims) > 1:
        if a.type.order != "C":
            return None
        a = contiguous(t, a, (length(t, a.dims),))
    places = places_of(Known(0) if axis.value is None else axis, len(a.dims)) if axis.value is None or type(axis.value) is int else None
    count = _times(t, repeats) if places is not None else None
    if places is None or count is None:
        return None
    (place,) = places
    before, n, after = a.dims[:place], a.dims[place], a.dims[place + 1 :]
    made = new(t, (*before, times(t, n, count), *after), a.type.dtype, "C", None)
    source = slicing.view(t, a, [*[WHOLE] * (place + 1), _NEW, *[WHOLE] * len(after)])
    elementwise.assign(t, contiguous(t, made, (*before, n, count, *after)), source)
    return made


@composed(np.tile, "A", "reps")
def _tile(t: Tracer, given: Given) -> Abstract | None:
    """More than once, of at least one element: that is a view of a new array."""
    from ...addresses import compare

    a, reps = given.get("A"), given.get("reps")
    if not isinstance(a, ArrayValue) or not a.dims or reps is None:
        return None
    asked = list(sequence_of(reps) or (reps,))
    total = length(t, a.dims)
    actual = standins.actual_length(t, total)
    if actual == 0 or all(isinstance(item, Known) and item.value == 1 for item in asked):
        return None
    counts = [_times(t, item) for item in asked]
    if not counts or any(count is None for count in counts):
        return None
    more = len(counts) - len(a.dims)
    often = [*[const(1)] * -more, *(count for count in counts if count is not None)]
    dims = (*[const(1)] * more, *a.dims)
    t.check(compare(t, ">", total, const(0)), "shape_mismatch")
    if not any(isinstance(count, Const) and count.value > 1 for count in often):
        everything = length(t, tuple(often))
        if standins.actual_length(t, everything) == 1:
            return None
        t.check(compare(t, "!=", everything, const(1)), "shape_mismatch")
    source = slicing.view(t, a, [*[_NEW] * (2 * more), *[part for _ in a.dims for part in (_NEW, WHOLE)]])
    made = stretched(t, source, tuple(n for pair in zip(often, dims, strict=True) for n in pair))
    return contiguous(t, made, tuple(times(t, count, dim) for count, dim in zip(often, dims, strict=True)))


@row(np.meshgrid)
def _meshgrid(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    indexing = kwargs.get("indexing", Known("xy"))
    vectors = [a for a in args if isinstance(a, ArrayValue) and len(a.dims) == 1]
    known = isinstance(indexing, Known) and type(indexing.value) is str and indexing.value in ("xy", "ij") and kwargs.keys() <= {"indexing"}
    if not known or len(vectors) != len(args) or not 1 < len(args) <= _MOST:
        return opaque.call_pure(t, np.meshgrid, args, kwargs)
    places = list(range(len(vectors)))
    if isinstance(indexing, Known) and indexing.value == "xy":
        places[:2] = 1, 0
    dims = tuple(vectors[place].dims[0] for place in places)  # an exchange of two is its own inverse
    made = []
    for vector, place in zip(vectors, places, strict=True):
        plan = [WHOLE if axis == place else _NEW for axis in range(len(dims))]
        made.append(stretched(t, slicing.view(t, vector, plan), dims))
    return Container("tuple", tuple(made))


@composed(np.kron, "a", "b")
def _kron(t: Tracer, given: Given) -> Abstract | None:
    """Of arrays in C order with as many axes: a view of a new array."""
    a, b = given.get("a"), given.get("b")
    if not isinstance(a, ArrayValue) or not isinstance(b, ArrayValue) or not a.dims or len(a.dims) != len(b.dims):
        return None
    if a.type.order != "C" or b.type.order != "C" or any(map(elementwise.is_one, (*a.dims, *b.dims))):
        return None
    rank = len(a.dims)
    left = slicing.view(t, a, [WHOLE, _NEW] * rank)
    right = slicing.view(t, b, [_NEW, WHOLE] * rank)
    made = elementwise.attempt(t, "multiply", left, right)
    if not isinstance(made, ArrayValue):
        return None
    return contiguous(t, made, tuple(times(t, n, m) for n, m in zip(a.dims, b.dims, strict=True)))
