"""Attributes and methods of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Const, Value, const
from ....ir.types import HALVES, INT, Array
from ... import elementwise, opaque, slicing, subscripts
from ...elementwise import is_one
from ...tables import ATTRIBUTES, PURE
from ...values import Abstract, ArrayValue, Break, Container, Known, Scalar, value_of
from ..rows import abstract, row
from .creation import dtype_of, shape_of

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]

# ---- attributes ------------------------------------------------------------------------------------------------------------------


def attribute(name: str) -> Callable[[Callable[..., Abstract]], Callable[..., Abstract]]:
    def enter(handler: Callable[..., Abstract]) -> Callable[..., Abstract]:
        ATTRIBUTES["array", name] = handler
        return handler

    return enter


@attribute("shape")
def shape(t: Tracer, a: ArrayValue) -> Abstract:
    return Container("tuple", tuple(map(abstract, a.dims)))


@attribute("strides")
def strides(t: Tracer, a: ArrayValue) -> Abstract:
    return Container(
        "tuple", tuple(Scalar(t.once("stride", (a.value,), INT, axis=axis, shown=True)) for axis in range(len(a.dims)))
    )


@attribute("ndim")
def ndim(t: Tracer, a: ArrayValue) -> Abstract:
    return Known(a.type.ndim)


@attribute("dtype")
def dtype(t: Tracer, a: ArrayValue) -> Abstract:
    return Known(a.type.dtype)


@attribute("itemsize")
def itemsize(t: Tracer, a: ArrayValue) -> Abstract:
    return Known(a.type.dtype.itemsize)


@attribute("size")
def size(t: Tracer, a: ArrayValue) -> Abstract:
    return abstract(length(t, a.dims))


@attribute("nbytes")
def nbytes(t: Tracer, a: ArrayValue) -> Abstract:
    return abstract(times(t, length(t, a.dims), const(a.type.dtype.itemsize)))


@attribute("real")
def real(t: Tracer, a: ArrayValue) -> Abstract:
    return a if a.type.dtype.kind != "c" else _half(t, a, 0)


@attribute("imag")
def imag(t: Tracer, a: ArrayValue) -> Abstract:
    if a.type.dtype.kind != "c":
        return opaque.call_pure(t, np.imag, [a], {})
    return _half(t, a, a.type.dtype.itemsize // 2)


@attribute("T")
def transposed(t: Tracer, a: ArrayValue) -> Abstract:
    return permuted(t, a, tuple(range(len(a.dims)))[::-1])


@attribute("mT")
def matrix_transposed(t: Tracer, a: ArrayValue) -> Abstract:
    rank = len(a.dims)
    if rank < 2:
        raise Break("always_raises", "mT of less than two dimensions")
    return permuted(t, a, (*range(rank - 2), rank - 1, rank - 2))


def length(t: Tracer, dims: tuple[Value, ...]) -> Value:
    """How many elements an array of this shape has."""
    total: Value = const(1)
    for dim in dims:
        total = times(t, total, dim)
    return total


def times(t: Tracer, x: Value, y: Value) -> Value:
    from ...addresses import multiply

    return multiply(t, x, y)


def _view(
    t: Tracer, a: ArrayValue, type_: Array, dims: tuple[Value, ...], steps: tuple[Value, ...], axes: tuple[int, ...] | str, offset: int = 0
) -> ArrayValue:
    shown = axes if isinstance(axes, str) else tuple((axis, 1) for axis in axes)
    return ArrayValue(t.emit("view", (a.value, const(offset), *dims, *steps), type_, axes=shown), dims)


def _half(t: Tracer, a: ArrayValue, offset: int) -> ArrayValue:
    """The real or imaginary parts of a complex array."""
    name = HALVES[a.type.name]
    order = {"C": "S", "S": "S"}.get(a.type.order, "A")
    steps = tuple(slicing.stride_of(t, a, axis) for axis in range(len(a.dims)))
    return _view(t, a, Array(name, len(a.dims), order, a.type.writable), a.dims, steps, tuple(range(len(a.dims))), offset)


def permuted(t: Tracer, a: ArrayValue, axes: tuple[int, ...]) -> ArrayValue:
    """A view with the axes in another order."""
    dims = tuple(a.dims[axis] for axis in axes)
    steps = tuple(slicing.stride_of(t, a, axis) for axis in axes)
    order = a.type.order
    if axes != tuple(range(len(axes))):
        swapped = {"C": "F", "F": "C"}.get(order, "A") if axes == tuple(range(len(axes)))[::-1] else "A"
        # a single long axis is contiguous either way
        order = "C" if order == "C" and sum(not is_one(dim) for dim in dims) <= 1 else swapped
    return _view(t, a, Array(a.type.name, len(dims), order, a.type.writable), dims, steps, axes)


# ---- views by methods ---------------------------------------------------------------------------------------------------------------


def contiguous(t: Tracer, a: ArrayValue, dims: tuple[Value, ...], told: bool = False) -> ArrayValue:
    """A view of a C-contiguous array with another shape; ``told``: the program names each length, and the array itself may have them."""
    steps: list[Value] = []
    step: Value = const(a.type.dtype.itemsize)
    for dim in dims[::-1]:
        steps.append(step)
        step = times(t, step, dim)
    return _view(t, a, Array(a.type.name, len(dims), "C", a.type.writable), dims, tuple(steps[::-1]), "shape" if told else "new")


@row(np.ndarray.ravel, np.ravel)
def ravel(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    a = args[0] if len(args) == 1 and not kwargs else None
    if isinstance(a, ArrayValue) and a.type.order == "C" and a.dims:
        return contiguous(t, a, (length(t, a.dims),))
    return opaque.call_pure(t, np.ravel, args, kwargs)


@row(np.ndarray.reshape)
def reshape_method(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    wanted = args[1] if len(args) == 2 else Container("tuple", tuple(args[1:]))
    return _reshape(t, np.ndarray.reshape, args, kwargs, wanted)


@row(np.reshape)
def reshape(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    return _reshape(t, np.reshape, args, kwargs, args[1] if len(args) == 2 else None)


def _reshape(t: Tracer, function: Any, args: Args, kwargs: Kwargs, wanted: Abstract | None) -> Abstract:
    from ...addresses import compare

    a = args[0] if args else None
    dims = None if kwargs or wanted is None else shape_of(t, wanted)
    if not isinstance(a, ArrayValue) or not a.dims or not dims:
        return opaque.call_pure(t, function, args, kwargs)
    if a.type.order != "C":
        return _by_numpy(t, function, args, a, len(dims))
    unknown = [axis for axis, dim in enumerate(dims) if isinstance(dim, Const) and dim.value == -1]
    rest = [dim for axis, dim in enumerate(dims) if axis not in unknown]
    if len(unknown) > 1 or any(isinstance(dim, Const) and dim.value < (1 if unknown else 0) for dim in rest):
        return opaque.call_pure(t, function, args, kwargs)
    total = length(t, a.dims)
    if unknown:
        if not all(isinstance(dim, Const) for dim in rest):
            return opaque.call_pure(t, function, args, kwargs)
        divisor = length(t, tuple(rest))
        missing = total if is_one(divisor) else _divided(t, total, divisor)
        dims = tuple(missing if axis in unknown else dim for axis, dim in enumerate(dims))
    for dim in rest:
        if not isinstance(dim, Const) and dim not in a.dims:
            t.check(compare(t, ">=", dim, const(0)), "shape_mismatch")
    t.check(compare(t, "==", _checked_length(t, dims), total), "shape_mismatch")
    return contiguous(t, a, dims, told=not unknown)


def _by_numpy(t: Tracer, function: Any, args: Args, a: ArrayValue, rank: int) -> Abstract:
    """Stand-ins may not have the lengths that the program computes: what is no view is a new array in C order."""
    try:
        return opaque.call_pure(t, function, args, {})
    except Break:
        if not a.type.writable:
            raise
        return opaque.call_pure(t, function, args, {}, sample=np.zeros((2,) * rank, a.type.dtype))


def _divided(t: Tracer, total: Value, divisor: Value) -> Value:
    if isinstance(total, Const) and isinstance(divisor, Const):
        return const(total.value // divisor.value)
    return t.emit("int_floordiv", (total, divisor), INT)  # type: ignore[no-any-return]


def _checked_length(t: Tracer, dims: tuple[Value, ...]) -> Value:
    """Like length, of lengths that may be anything: leaves on overflow."""
    if sum(not isinstance(dim, Const) for dim in dims) <= 1 or any(
        isinstance(dim, Const) and dim.value == 0 for dim in dims
    ):
        return length(t, dims)
    return reduce(lambda x, y: t.emit("int_mul", (x, y), INT, reason="shape_mismatch"), dims)


# ---- copies and writes -------------------------------------------------------------------------------------------------------------------


@row(np.ndarray.astype)
def astype(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    a = args[0]
    wanted = dtype_of(args[1], None) if len(args) == 2 and not kwargs else None
    if wanted is None or not isinstance(a, ArrayValue) or a.type.name == wanted.name:
        return opaque.call_pure(t, np.ndarray.astype, args, kwargs)
    if elementwise.result_order((a,)) is None or not elementwise.castable(t, [a], (wanted,)):
        return opaque.call_pure(t, np.ndarray.astype, args, kwargs)
    return elementwise.converted(t, a, wanted.name)


@row(np.ndarray.fill)
def fill(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    a, given = (args[0], args[1]) if len(args) == 2 and not kwargs else (None, None)
    found = None if given is None or isinstance(given, ArrayValue) else value_of(given)
    if (
        found is not None
        and given is not None
        and isinstance(a, ArrayValue)
        and a.type.writable
        and subscripts.storable(t, a, given)
    ):
        elementwise.assign(t, a, Scalar(subscripts.as_element(t, found, a.type.element)))
    else:
        opaque.call_for_effect(t, np.ndarray.fill, args, kwargs)
    return Known(None)


def _effect(function: Any) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        opaque.call_for_effect(t, function, args, kwargs)
        return Known(None)


# Write into the array's elements and give None. (resize, setflags and the like change what its type says: they stay a break.)
EFFECTS = ("sort", "partition", "put")
NATIVE = ("transpose", "swapaxes", "squeeze", "ravel", "reshape", "astype", "fill", "copy")
LEFT = frozenset(["resize", "setflags", "byteswap", "dump", "tofile", "setfield", "to_device", "getfield", "dumps"])

for _name in EFFECTS:
    _effect(getattr(np.ndarray, _name))
for _name, _method in vars(np.ndarray).items():
    if callable(_method) and not _name.startswith("_") and _name not in (*EFFECTS, *NATIVE, *LEFT):
        PURE[_method] = f"ndarray.{_name}"
