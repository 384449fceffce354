"""Running sums, products and extremes of vectors, where NumPy accumulates in a dtype that there is a native loop for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.types import Array
from ... import elementwise, opaque
from ...values import Abstract, ArrayValue, Known
from ..rows import by_name, row
from .arrays import contiguous, length

if TYPE_CHECKING:
    from ...tracer import Tracer

# The function, the ufunc that accumulates, and the axis where none is given: None goes through all elements.
_ROWS: tuple[tuple[Any, str, int | None], ...] = (
    (np.cumsum, "add", None),
    (np.ndarray.cumsum, "add", None),
    (np.cumprod, "multiply", None),
    (np.ndarray.cumprod, "multiply", None),
    *((getattr(np, name).accumulate, name, 0) for name in ("add", "multiply", "maximum", "minimum")),
)


def _vector(t: Tracer, a: Abstract, axis: Abstract) -> ArrayValue | None:
    """What is gone through, in the order in which it is; None where that is not one axis."""
    if not isinstance(a, ArrayValue) or not isinstance(axis, Known) or not a.dims:
        return None
    if len(a.dims) == 1:
        return a if axis.value is None or (type(axis.value) is int and axis.value in (0, -1)) else None
    return contiguous(t, a, (length(t, a.dims),)) if axis.value is None and a.type.order == "C" else None


def _enter(function: Any, ufunc: str, default: int | None) -> None:
    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        given = by_name(("a", "axis"), args, kwargs) or {}
        a = given.get("a")
        if not isinstance(a, ArrayValue):
            return opaque.call_pure(t, function, args, kwargs)
        dtype = getattr(np, ufunc).accumulate(np.ones(1, a.type.dtype)).dtype.name if a.type.dtype.kind in "biufc" else ""
        axis = given.get("axis", Known(default))
        known = isinstance(axis, Known) and (axis.value is not None or default is None)
        if not known or not t.limits.scan(ufunc, dtype) or not elementwise.castable(t, [a], (np.dtype(dtype),)):
            return opaque.call_pure(t, function, args, kwargs)
        vector = _vector(t, a, axis)
        if vector is None:
            return opaque.call_pure(t, function, args, kwargs)
        source = elementwise.converted(t, vector, dtype)
        return ArrayValue(t.emit("accumulate", (source.value, *vector.dims), Array(dtype, 1, "C"), ufunc=ufunc), vector.dims)


for _function, _ufunc, _default in _ROWS:
    _enter(_function, _ufunc, _default)
