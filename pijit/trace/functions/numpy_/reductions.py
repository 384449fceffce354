"""Sums, products, extremes, means, any and all of C-contiguous arrays, where NumPy folds the array in its own dtype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Value, const
from ....ir.types import Array
from ... import elementwise, opaque
from ...elementwise import is_one
from ...operators import cast
from ...tracer import compare
from ...values import Abstract, ArrayValue, Known, Scalar
from ..rows import row
from .arrays import length

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]

# The functions, the ufunc that folds, and the kinds of dtype that it folds as they are.
_ROWS: tuple[tuple[tuple[Any, ...], str, str], ...] = (
    ((np.sum, np.ndarray.sum), "add", "iufc"),
    ((np.prod, np.ndarray.prod), "multiply", "iufc"),
    ((np.max, np.ndarray.max), "maximum", "biuf"),
    ((np.min, np.ndarray.min), "minimum", "biuf"),
    ((np.any, np.ndarray.any), "logical_or", "b"),
    ((np.all, np.ndarray.all), "logical_and", "b"),
)


@dataclass(frozen=True, slots=True)
class _Fold:
    """What is asked for. ``axis``: -1 for all."""

    array: ArrayValue
    axis: int
    keep: bool

    @property
    def count(self) -> tuple[Value, ...]:
        """The lengths of what is folded."""
        return self.array.dims if self.axis < 0 else (self.array.dims[self.axis],)


def _asked(t: Tracer, ufunc: str, args: Args, kwargs: Kwargs) -> _Fold | None:
    """None where it takes NumPy."""
    given = dict(zip(("a", "axis"), args, strict=False)) | kwargs
    a, axis, keep = given.get("a"), given.get("axis", Known(None)), given.get("keepdims", Known(False))
    if len(args) > 2 or not given.keys() <= {"a", "axis", "keepdims"}:
        return None
    if not isinstance(axis, Known) or not isinstance(keep, Known) or type(keep.value) is not bool:
        return None
    if not isinstance(a, ArrayValue) or not a.dims or a.type.order != "C" or not t.limits.reduce(ufunc, a.type.name):
        return None
    rank, place = len(a.dims), axis.value
    # where a length is 1 NumPy may fold along another axis than the one it is asked for
    if rank > 1 and any(map(is_one, a.dims)):
        return None
    if place is None:
        return None if keep.value else _Fold(a, -1, False)
    if type(place) is not int or not -rank <= place < rank or (rank == 1 and keep.value):
        return None
    return _Fold(a, -1 if rank == 1 else place % rank, keep.value)


def _emit(t: Tracer, ufunc: str, fold: _Fold) -> ArrayValue | Scalar:
    a, axis = fold.array, fold.axis
    if axis < 0:
        return Scalar(t.emit("reduce", (a.value,), a.type.element, ufunc=ufunc, axis=-1, keep=False))
    before, n, after = a.dims[:axis], a.dims[axis], a.dims[axis + 1 :]
    if after:
        for dim in (n, length(t, after)):
            t.check(compare(t, "!=", dim, const(1)), "shape_mismatch")
    dims = (*before, *([const(1)] if fold.keep else []), *after)
    made = t.emit("reduce", (a.value, *dims), Array(a.type.name, len(dims), "C"), ufunc=ufunc, axis=axis, keep=fold.keep)
    return ArrayValue(made, dims)


def _enter(function: Any, ufunc: str, kinds: str) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        fold = _asked(t, ufunc, args, kwargs) if args and _kind(args[0]) in kinds else None
        return opaque.call_pure(t, function, args, kwargs) if fold is None else _emit(t, ufunc, fold)


def _kind(a: Abstract) -> str:
    return a.type.dtype.kind if isinstance(a, ArrayValue) else "none"


for _functions, _ufunc, _kinds in _ROWS:
    for _function in _functions:
        _enter(_function, _ufunc, _kinds)


def _mean(function: Any) -> None:
    """NumPy's mean is the sum divided by the count, in the array's dtype where that is a float."""

    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        fold = _asked(t, "add", args, kwargs) if args and _kind(args[0]) == "f" else None
        if fold is None or not t.limits.scalar("divide", fold.array.type.name):
            return opaque.call_pure(t, function, args, kwargs)
        count = length(t, fold.count)
        t.check(compare(t, "!=", count, const(0)), "shape_mismatch")  # of nothing there is no mean
        total = _emit(t, "add", fold)
        if isinstance(total, ArrayValue):
            return elementwise.emit(t, "divide", [total, Scalar(count)], (fold.array.type.dtype,) * 3, "C")
        element = fold.array.type.element
        return Scalar(t.emit("np_op", (total.value, cast(t, count, element)), element, ufunc="divide", reason="fp_flags"))


for _function in (np.mean, np.ndarray.mean):
    _mean(_function)
