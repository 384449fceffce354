"""np.roll along one axis: a new array and two copies of blocks into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Const, Value, const
from ....ir.types import INT, Array
from ... import elementwise, opaque, subscripts
from ...values import Abstract, ArrayValue, Known
from ..rows import row, scalar_kind, value
from .arrays import contiguous
from .arrays import times as multiply
from .creation import new

if TYPE_CHECKING:
    from ...tracer import Tracer


@row(np.roll)
def roll(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    given: dict[str, Any] = dict(zip(("a", "shift", "axis"), args, strict=False)) | kwargs
    a, shift, axis = given.get("a"), given.get("shift"), given.get("axis", Known(None))
    place = _axis(a, axis)
    order = elementwise.result_order((a,)) if isinstance(a, ArrayValue) and place is not None else None
    if not given.keys() <= {"a", "shift", "axis"} or order is None or shift is None or scalar_kind(shift) != "int":
        return opaque.call_pure(t, np.roll, args, kwargs)
    assert isinstance(a, ArrayValue)
    assert place is not None
    n = a.dims[place]
    split = _remainder(t, value(shift, "roll"), n)  # elements that go over the end come first; leaves when there are none at all
    made = new(t, a.dims, a.type.dtype, order, None)
    kept = t.emit("int_sub", (n, split), INT, reason="int_overflow")
    zero = const(0)
    for count, target, source in ((kept, split, zero), (split, zero, kept)):
        elementwise.assign(t, _part(t, made, place, target, count), _part(t, a, place, source, count))
    # without an axis NumPy gives a reshaped view
    return made if isinstance(axis, Known) and axis.value is not None else contiguous(t, made, made.dims)


def _part(t: Tracer, array: ArrayValue, axis: int, first: Value, count: Value) -> ArrayValue:
    """``count`` items from ``first`` on along the axis."""
    dims = tuple(count if i == axis else dim for i, dim in enumerate(array.dims))
    steps = tuple(subscripts.stride_of(t, array, i) for i in range(len(dims)))
    order = {"C": "C" if axis == 0 else "S", "F": "F" if axis == len(dims) - 1 else "A"}.get(array.type.order, array.type.order)
    type_ = Array(array.type.name, len(dims), order, array.type.writable)
    return ArrayValue(t.emit("view", (array.value, multiply(t, first, steps[axis]), *dims, *steps), type_), dims)


def _axis(a: Any, axis: Any) -> int | None:
    if not isinstance(a, ArrayValue) or not a.dims or not isinstance(axis, Known):
        return None
    rank = len(a.dims)
    if axis.value is None:
        return 0 if rank == 1 else None
    return axis.value % rank if type(axis.value) is int and -rank <= axis.value < rank else None


def _remainder(t: Tracer, shift: Value, n: Value) -> Value:
    if isinstance(shift, Const) and isinstance(n, Const) and n.value:
        return const(shift.value % n.value)
    return t.emit("int_mod", (shift, n), INT, reason="zero_division")  # type: ignore[no-any-return]
