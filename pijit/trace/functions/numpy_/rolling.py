"""np.roll by numbers of places along known axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Const, Value, const
from ....ir.types import INT, Array
from ... import elementwise, opaque
from ...values import Abstract, ArrayValue, Known, items_of
from ..rows import by_name, index, row, scalar_kind
from .arrays import contiguous

if TYPE_CHECKING:
    from ...tracer import Tracer

_INTS = ("int", "i", "u")


@row(np.roll)
def roll(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    given: dict[str, Any] = by_name(("a", "shift", "axis"), args, kwargs) or {}
    a, shift, axis = given.get("a"), given.get("shift"), given.get("axis", Known(None))
    shifts = _by_axis(a, shift, axis) if shift is not None else None
    order = elementwise.result_order((a,)) if isinstance(a, ArrayValue) and shifts else None
    if order is None or shifts is None:
        return opaque.call_pure(t, np.roll, args, kwargs)
    assert isinstance(a, ArrayValue)
    places = tuple(_places(t, shifts[n], dim) if n in shifts else const(0) for n, dim in enumerate(a.dims))
    made = ArrayValue(t.emit("roll", (a.value, *a.dims, *places), Array(a.type.name, len(a.dims), order)), a.dims)
    # without an axis NumPy gives a reshaped view
    return contiguous(t, made, made.dims) if isinstance(axis, Known) and axis.value is None else made


def _by_axis(a: Any, shift: Abstract, axis: Abstract) -> dict[int, Abstract] | None:
    """The shift of each axis that is named, if they are different ones; one shift is for all axes."""
    if not isinstance(a, ArrayValue) or not a.dims:
        return None
    rank = len(a.dims)
    if isinstance(axis, Known) and axis.value is None:
        axes: list[Any] = [0] if rank == 1 else []
    else:
        axes = [item.value if isinstance(item, Known) else None for item in items_of(axis) or (axis,)]
    shifts = list(items_of(shift) or (shift,))
    if len(shifts) == 1:
        shifts *= len(axes)
    if not all(type(n) is int and -rank <= n < rank for n in axes) or len(axes) != len(shifts) or not axes:
        return None
    found = {n % rank: item for n, item in zip(axes, shifts, strict=True)}
    return found if len(found) == len(axes) and all(scalar_kind(item) in _INTS for item in shifts) else None


def _places(t: Tracer, shift: Abstract, n: Value) -> Value:
    """What is left of the shift when it has gone round; leaves where there are no elements."""
    places = index(t, shift, "roll")
    if isinstance(places, Const) and isinstance(n, Const) and n.value:
        return const(places.value % n.value)
    return t.emit("int_mod", (places, n), INT, reason="zero_division")  # type: ignore[no-any-return]
