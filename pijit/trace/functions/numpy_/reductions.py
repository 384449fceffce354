"""Sums, products, extremes, any and all, where NumPy folds the array in its own dtype, or in ints. What native code folds is C-contiguous: others are
turned or copied to be that where NumPy's result is the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pijit.ground.records import dataclass

from ....ir.graph import Value, const
from ....ir.types import INT, Array, Np
from ... import elementwise, opaque, standins
from ...addresses import compare
from ...elementwise import is_one
from ...operators import cast
from ...values import Abstract, ArrayValue, Container, Known, Scalar
from ..rows import row
from .arrays import contiguous, length, permuted
from .creation import copied
from .views import places_of

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]

# The functions, the ufunc that folds, and the kinds of dtype that it folds as they are.
_ROWS: tuple[tuple[tuple[Any, ...], str, str], ...] = (
    ((np.sum, np.ndarray.sum), "add", "iufc"),
    ((np.prod, np.ndarray.prod), "multiply", "iufc"),
    ((np.max, np.amax, np.ndarray.max), "maximum", "biuf"),
    ((np.min, np.amin, np.ndarray.min), "minimum", "biuf"),
    ((np.any, np.ndarray.any), "logical_or", "b"),
    ((np.all, np.ndarray.all), "logical_and", "b"),
)


@dataclass(frozen=True, slots=True)
class Fold:
    """What is asked for. ``axis``: of the array, in which neighbours that are folded together are one already; -1 for all.
    ``keep``: how many axes of length 1 the result has in its place."""

    array: ArrayValue
    axis: int
    keep: int
    count: Value  # how many elements make one


def asked(t: Tracer, ufunc: str, given: dict[str, Abstract]) -> Fold | None:
    """None where it takes NumPy."""
    a, axis, keep = given.get("a"), given.get("axis", Known(None)), given.get("keepdims", Known(False))
    if not given.keys() <= {"a", "axis", "keepdims"} or not isinstance(keep, Known) or type(keep.value) is not bool:
        return None
    if not isinstance(a, ArrayValue) or not a.dims or not t.limits.reduce(ufunc, a.type.name):
        return None
    rank = len(a.dims)
    # where a length is 1 NumPy may fold along another axis than the one it is asked for
    if rank > 1 and any(map(is_one, a.dims)):
        return None
    every = isinstance(axis, Known) and axis.value is None
    places = tuple(range(rank)) if every else None if isinstance(axis, Container) and axis.kind == "list" else places_of(axis, rank)
    if not places or max(places) - min(places) >= len(places):  # others lie between them
        return None
    if a.type.order == "F" and not keep.value and (rank == 2 or len(places) == rank):
        a, places = permuted(t, a, tuple(range(rank))[::-1]), tuple(rank - 1 - place for place in places)
    elif a.type.order != "C":
        if not _as_if_packed(ufunc, a, places) or not _is_cheap(t, ufunc, a, places):
            return None
        a = packed(t, a)
    first, last = min(places), max(places) + 1
    count = length(t, a.dims[first:last])
    if len(places) == rank and not keep.value:
        return Fold(a, -1, 0, count)
    if len(places) > 1:  # they lie behind each other in memory, and NumPy goes through them as one
        a = contiguous(t, a, (*a.dims[:first], count, *a.dims[last:]))
    return Fold(a, first, len(places) if keep.value else 0, count)


_MOST_PACKED, _MOST_BOOLS = 4096, 256  # elements; NumPy may find at the first of bools what they are

# These go through elements that lie apart as through others; of extremes another zero may come out.
_IN_ORDER = ("add", "multiply")


def _as_if_packed(ufunc: str, a: ArrayValue, places: tuple[int, ...]) -> bool:
    """Whether NumPy gives the same for elements that lie apart. Where the last axis stays, it folds one row after the other into the result."""
    rank, exact = len(a.dims), a.type.dtype.kind in "biu"
    if rank == 1 or a.type.order != "S":
        return rank == 1 and (exact or ufunc in _IN_ORDER)
    return max(places) < rank - 1 or exact or (ufunc in _IN_ORDER and len(places) == 1)


def _is_cheap(t: Tracer, ufunc: str, a: ArrayValue, places: tuple[int, ...]) -> bool:
    """Whether packing takes less than it saves: of sums along the first or last axis alone it is part of the kernel that folds."""
    if len(places) == 1 and places[0] in (0, len(a.dims) - 1) and ufunc in _IN_ORDER:
        return True
    lengths = [standins.actual_length(t, dim) for dim in a.dims]
    most = _MOST_BOOLS if a.type.dtype.kind == "b" and max(places) == len(a.dims) - 1 else _MOST_PACKED
    if math.prod(n for n in lengths if n is not None) > most:
        return False
    t.check(compare(t, "<=", length(t, a.dims), const(most)), "shape_mismatch")
    return True


def packed(t: Tracer, a: ArrayValue) -> ArrayValue:
    """The elements behind each other; made by what becomes part of the kernel that folds them."""
    if a.type.dtype.kind != "b" and elementwise.native(t, "positive", (a.type.dtype,) * 2):
        return elementwise.emit(t, "positive", [a], (a.type.dtype,) * 2, "C")
    return copied(t, a, "C")


def reduced(t: Tracer, ufunc: str, fold: Fold) -> ArrayValue | Scalar:
    a, axis = fold.array, fold.axis
    if axis < 0:
        return Scalar(t.emit("reduce", (a.value,), a.type.element, ufunc=ufunc, axis=-1, keep=0))
    before, n, after = a.dims[:axis], a.dims[axis], a.dims[axis + 1 :]
    if after:
        for dim in (n, length(t, after)):
            t.check(compare(t, "!=", dim, const(1)), "shape_mismatch")
    dims = (*before, *[const(1)] * fold.keep, *after)
    made = t.emit("reduce", (a.value, *dims), Array(a.type.name, len(dims), "C"), ufunc=ufunc, axis=axis, keep=fold.keep)
    return ArrayValue(made, dims)


def arguments(args: Args, kwargs: Kwargs) -> dict[str, Abstract]:
    """By name; what is given twice, or beyond those, has a name that nothing knows."""
    names = ("a", "axis", *(f"argument {n}" for n in range(2, len(args))))
    given = dict(zip(names, args, strict=False))
    return given | {f"{name} again" if name in given else name: value for name, value in kwargs.items()}


def _enter(function: Any, ufunc: str, kinds: str) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        given = arguments(args, kwargs)
        if ufunc in _IN_ORDER and kind(given.get("a")) in "biu":
            made = sum_of_ints(t, ufunc, given)
        else:
            fold = asked(t, ufunc, given) if kind(given.get("a")) in kinds else None
            made = None if fold is None else reduced(t, ufunc, fold)
        return opaque.call_pure(t, function, args, kwargs) if made is None else made


def sum_of_ints(t: Tracer, ufunc: str, given: dict[str, Abstract]) -> Abstract | None:
    """NumPy adds and multiplies bools and short ints as long ones, which is exact in any order."""
    a = given["a"]
    assert isinstance(a, ArrayValue)
    if a.type.name == "bool" and ufunc == "add" and all(isinstance(x, Known) and not x.value for name, x in given.items() if name != "a"):
        everything = given.get("axis", Known(None))
        if isinstance(everything, Known) and everything.value is None and given.keys() <= {"a", "axis", "keepdims"}:
            return Scalar(cast(t, counted(t, a), Np("int64")))
    dtype = getattr(np, ufunc).reduce(np.ones(1, a.type.dtype)).dtype
    if not a.dims or not elementwise.castable(t, [a], (dtype,)):
        return None
    fold = asked(t, ufunc, {**given, "a": elementwise.converted(t, a, dtype.name)})
    return None if fold is None else reduced(t, ufunc, fold)


def counted(t: Tracer, mask: ArrayValue) -> Value:
    """How many of the elements are true."""
    return t.emit("mask_count", (mask.value,), INT)  # type: ignore[no-any-return]


def kind(a: Abstract | None) -> str:
    return a.type.dtype.kind if isinstance(a, ArrayValue) else "none"


for _functions, _ufunc, _kinds in _ROWS:
    for _function in _functions:
        _enter(_function, _ufunc, _kinds)


# ---- where the extremes are ----------------------------------------------------------------------------------------------------------------


def _arg_extreme(function: Any, largest: bool) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        given = arguments(args, kwargs)
        a, axis = given.get("a"), given.get("axis", Known(None))
        made = None
        if isinstance(a, ArrayValue) and a.dims and given.keys() <= {"a", "axis"} and isinstance(axis, Known) and t.limits.arg_extreme(a.type.name):
            made = _found(t, a, axis.value, largest)
        return opaque.call_pure(t, function, args, kwargs) if made is None else made


def _found(t: Tracer, a: ArrayValue, axis: Any, largest: bool) -> Abstract | None:
    """Of all elements, or along the last axis. NumPy, too, goes through elements that lie behind each other only, and copies others."""
    rank = len(a.dims)
    if (axis is not None and (type(axis) is not int or axis not in (-1, rank - 1))) or (rank > 1 and a.type.order != "C"):
        return None
    if a.type.order != "C":
        a = copied(t, a, "C")
    dims = () if axis is None else a.dims[:-1]
    made = t.emit("arg_extreme", (a.value, *dims), Array("int64", len(dims), "C") if dims else Np("int64"), largest=largest)
    return ArrayValue(made, dims) if dims else Scalar(made)


for _largest, _functions in ((True, (np.argmax, np.ndarray.argmax)), (False, (np.argmin, np.ndarray.argmin))):
    for _function in _functions:
        _arg_extreme(_function, _largest)
