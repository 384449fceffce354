"""Views with the axes in another order, turned round, added or taken away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Const, Value, const
from ....ir.types import Array
from ... import opaque, slicing
from ...elementwise import is_one
from ...values import Abstract, ArrayValue, Container, Known
from ..rows import by_name, row
from .arrays import contiguous, permuted, transposed
from .creation import shape_of

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]
_WHOLE = ("slice", (None, None, 1))


def _ints(given: Abstract | None) -> tuple[int, ...] | None:
    """Known axes: one, or several in a tuple or list."""
    if isinstance(given, Container) and given.kind in ("tuple", "list") and all(isinstance(item, Known) for item in given.items):
        axes: Any = tuple(item.value for item in given.items if isinstance(item, Known))
    else:
        axes = given.value if isinstance(given, Known) else None
        axes = (axes,) if type(axes) is int else axes
    return axes if type(axes) is tuple and all(type(axis) is int for axis in axes) else None


def places_of(given: Abstract | None, rank: int) -> tuple[int, ...] | None:
    """Known axes of an array of that rank, counted from the start, each once; None for anything else."""
    axes = _ints(given)
    if axes is None or not all(-rank <= axis < rank for axis in axes):
        return None
    places = tuple(axis % rank for axis in axes)
    return places if len(set(places)) == len(places) else None


def _view(*keys: Any, names: tuple[str, ...]) -> Callable[[Callable[..., Abstract | None]], None]:
    """Enters what gives a view of an array, or None where it takes NumPy."""

    def enter(maker: Callable[..., Abstract | None]) -> None:
        for key in keys:
            _row(key, names, maker)

    return enter


def _row(key: Any, names: tuple[str, ...], maker: Callable[..., Abstract | None]) -> None:
    @row(key)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        given = by_name(("a", *names), args, kwargs) or {}
        a = given.get("a")
        made = None
        if isinstance(a, ArrayValue) and a.dims:
            made = maker(t, a, *(given.get(name) for name in names))
        return opaque.call_pure(t, key, args, kwargs) if made is None else made


@row(np.ndarray.transpose)
def transpose_method(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    """The axes may also be arguments of their own."""
    axes = Container("tuple", tuple(args[1:])) if len(args) > 2 else (args[1] if len(args) == 2 else Known(None))
    made = _transposed(t, args[0], axes) if isinstance(args[0], ArrayValue) and args[0].dims and not kwargs else None
    return opaque.call_pure(t, np.ndarray.transpose, args, kwargs) if made is None else made


def _transposed(t: Tracer, a: ArrayValue, axes: Abstract | None) -> Abstract | None:
    if axes is None or (isinstance(axes, Known) and axes.value is None):
        return transposed(t, a)
    places = places_of(axes, len(a.dims))
    return permuted(t, a, places) if places is not None and len(places) == len(a.dims) else None


_view(np.transpose, names=("axes",))(_transposed)


@_view(np.swapaxes, np.ndarray.swapaxes, names=("axis1", "axis2"))
def _swapped(t: Tracer, a: ArrayValue, first: Abstract | None, second: Abstract | None) -> Abstract | None:
    one, other = places_of(first, len(a.dims)), places_of(second, len(a.dims))
    if one is None or other is None or len(one) != 1 or len(other) != 1:
        return None
    axes = list(range(len(a.dims)))
    axes[one[0]], axes[other[0]] = other[0], one[0]
    return permuted(t, a, tuple(axes))


@_view(np.moveaxis, names=("source", "destination"))
def _moved(t: Tracer, a: ArrayValue, source: Abstract | None, destination: Abstract | None) -> Abstract | None:
    rank = len(a.dims)
    leaving, arriving = places_of(source, rank), places_of(destination, rank)
    if leaving is None or arriving is None or len(leaving) != len(arriving):
        return None
    axes = [axis for axis in range(rank) if axis not in leaving]
    for place, axis in sorted(zip(arriving, leaving, strict=True)):
        axes.insert(place, axis)
    return permuted(t, a, tuple(axes))


@_view(np.expand_dims, names=("axis",))
def _expanded(t: Tracer, a: ArrayValue, axis: Abstract | None) -> Abstract | None:
    asked = _ints(axis)
    places = None if asked is None else places_of(axis, len(a.dims) + len(asked))
    if places is None or a.type.order != "C":  # NumPy reshapes: the others get strides of its own
        return None
    old = iter(a.dims)
    return contiguous(t, a, tuple(const(1) if place in places else next(old) for place in range(len(a.dims) + len(places))), told=True)


@_view(np.squeeze, np.ndarray.squeeze, names=("axis",))
def _squeezed(t: Tracer, a: ArrayValue, axis: Abstract | None) -> Abstract | None:
    from ...addresses import compare

    rank = len(a.dims)
    if axis is None or (isinstance(axis, Known) and axis.value is None):
        places: tuple[int, ...] | None = tuple(place for place, dim in enumerate(a.dims) if is_one(dim))
    else:
        places = places_of(axis, rank)
    if places is None or len(places) == rank or not all(is_one(a.dims[place]) for place in places):
        return None
    if axis is None or (isinstance(axis, Known) and axis.value is None):
        for dim in a.dims:
            if not isinstance(dim, Const):  # what is computed may come out as 1
                t.check(compare(t, "!=", dim, const(1)), "shape_mismatch")
    if not places:
        return a  # itself, not a view
    plan = [("index", const(0)) if place in places else _WHOLE for place in range(rank)]
    return slicing.view(t, a, plan, checked=True)


@_view(np.flip, names=("axis",))
def _flipped(t: Tracer, a: ArrayValue, axis: Abstract | None) -> Abstract | None:
    every = axis is None or (isinstance(axis, Known) and axis.value is None)
    return _reversed(t, a, tuple(range(len(a.dims))) if every else places_of(axis, len(a.dims)))


@_view(np.flipud, names=())
def _upside_down(t: Tracer, a: ArrayValue) -> Abstract | None:
    return _reversed(t, a, (0,))


@_view(np.fliplr, names=())
def _left_to_right(t: Tracer, a: ArrayValue) -> Abstract | None:
    return _reversed(t, a, (1,)) if len(a.dims) > 1 else None


@_view(np.broadcast_to, names=("shape",))
def _broadcast(t: Tracer, a: ArrayValue, shape: Abstract | None) -> Abstract | None:
    """Read-only, and nothing is stepped along where a length is 1, or new."""
    from ...addresses import compare

    dims = None if shape is None else shape_of(t, shape)
    if not dims or len(dims) < len(a.dims) or any(isinstance(dim, Const) and dim.value < 1 for dim in dims):
        return None
    more = len(dims) - len(a.dims)
    steps: list[Value] = [const(0)] * more
    axes = [(-1, 0)] * more
    for axis, (mine, dim) in enumerate(zip(a.dims, dims[more:], strict=True)):
        if is_one(mine):
            steps.append(const(0))
            axes.append((-1, 0))
            continue
        if is_one(dim):
            return None
        t.check(compare(t, "==", mine, dim), "shape_mismatch")
        steps.append(slicing.stride_of(t, a, axis))
        axes.append((axis, 1))
    for dim in dims:
        if not isinstance(dim, Const):
            t.check(compare(t, ">", dim, const(1)), "shape_mismatch")
    made = t.emit("view", (a.value, const(0), *dims, *steps), Array(a.type.name, len(dims), "A", False), axes=tuple(axes))
    return ArrayValue(made, dims)


@_view(np.atleast_1d, names=())
def _with_an_axis(t: Tracer, a: ArrayValue) -> Abstract | None:
    return a


@_view(np.atleast_2d, names=())
def _with_two_axes(t: Tracer, a: ArrayValue) -> Abstract | None:
    return slicing.view(t, a, [("new", None), _WHOLE]) if len(a.dims) == 1 else a


def _reversed(t: Tracer, a: ArrayValue, places: tuple[int, ...] | None) -> Abstract | None:
    if places is None:
        return None
    return slicing.view(t, a, [("slice", (None, None, -1)) if place in places else _WHOLE for place in range(len(a.dims))])
