"""New arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ground.names import is_a, is_heap_class
from ....ir.graph import Const, Value
from ....ir.types import Array, Np
from ... import elementwise, opaque
from ...inputs import native_dtype
from ...operators import cast
from ...tables import ATTRIBUTES
from ...values import Abstract, ArrayValue, Break, Container, Known, items_of, value_of
from ..rows import by_name, index, row, scalar_kind

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]
_FILLS: dict[Any, int | None] = {np.empty: None, np.zeros: 0, np.ones: 1}
_LIKE: dict[Any, int | None] = {np.empty_like: None, np.zeros_like: 0, np.ones_like: 1}


def dtype_of(given: Abstract | None, default: Any) -> np.dtype[Any] | None:
    """The dtype that an argument names; None where it is not a native one."""
    wanted: Any = default if _is_none(given) else getattr(given, "value", None)
    if not (type(wanted) is str or is_a(wanted, np.dtype) or (is_a(wanted, type) and not is_heap_class(wanted))):  # others may run code
        return None
    try:
        dtype = np.dtype(wanted)
    except TypeError:
        return None
    return dtype if native_dtype(dtype) else None


def shape_of(t: Tracer, given: Abstract) -> tuple[Value, ...] | None:
    """The lengths that a shape argument gives."""
    items = items_of(given)
    if items is None:
        items = given.items if isinstance(given, Container) and given.kind == "list" else (given,)
    if not all(scalar_kind(item) in ("int", "i", "u") for item in items):
        return None
    return tuple(index(t, item, "shape") for item in items)


def new(t: Tracer, dims: tuple[Value, ...], dtype: np.dtype[Any], order: str, fill: Value | None) -> ArrayValue:
    values = dims if fill is None else (*dims, fill)
    result = t.emit("empty", values, Array(dtype.name, len(dims), order), filled=fill is not None)
    return ArrayValue(result, dims)


def _order(given: Abstract | None, default: str) -> str | None:
    wanted: Any = default if _is_none(given) else (given.value if isinstance(given, Known) else None)
    return wanted if wanted in ("C", "F", "K") else None


def _creator(function: Any, fill: int | None) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        bound = by_name(("shape", "dtype", "order"), args, kwargs)
        if bound is None or "shape" not in bound:
            return opaque.call_pure(t, function, args, kwargs)
        dtype = dtype_of(bound.get("dtype"), float)
        order = _order(bound.get("order"), "C")
        dims = shape_of(t, bound["shape"])
        if dtype is None or order not in ("C", "F") or not dims or _is_negative(dims):
            return opaque.call_pure(t, function, args, kwargs)
        return new(t, dims, dtype, _memory(order, dims), _constant(dtype, fill))


@row(np.ndarray)
def ndarray(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    """np.empty by another name, if it is not given memory."""
    bound = by_name(("shape", "dtype", "buffer", "offset", "strides", "order"), args, kwargs)
    if bound is None or not bound.keys() <= {"shape", "dtype", "order"} or "shape" not in bound:
        raise Break("call_arguments", "np.ndarray of memory that is there")
    dtype, dims = dtype_of(bound.get("dtype"), float), shape_of(t, bound["shape"])
    order = _order(bound.get("order"), "C")
    if dtype is None or order not in ("C", "F") or not dims or _is_negative(dims):
        raise Break("call_arguments", "np.ndarray of such a shape, dtype or order")
    return new(t, dims, dtype, _memory(order, dims), None)


def _like(function: Any, fill: int | None) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        bound = by_name(("prototype" if function is np.empty_like else "a", "dtype"), args, kwargs)
        model = args[0] if args else None
        if bound is None or not isinstance(model, ArrayValue) or not model.dims:
            return opaque.call_pure(t, function, args, kwargs)
        dtype, order = dtype_of(bound.get("dtype"), model.type.dtype), elementwise.result_order((model,))
        if dtype is None or order is None:
            return opaque.call_pure(t, function, args, kwargs)
        return new(t, model.dims, dtype, order, _constant(dtype, fill))


def copied(t: Tracer, a: ArrayValue, order: str) -> ArrayValue:
    """A new array of what is in one."""
    made = new(t, a.dims, a.type.dtype, order, None)
    elementwise.assign(t, made, a)
    return made


def _copier(function: Any, default: str) -> None:
    """A copy of an array; ``default``: the order of its memory where none is asked for."""

    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        bound = by_name(("a", "order"), args, kwargs)
        a = bound.get("a") if bound else None
        order = _order(bound.get("order"), default) if bound else None
        if not isinstance(a, ArrayValue) or not a.dims or order is None:
            return opaque.call_pure(t, function, args, kwargs)
        memory = elementwise.result_order((a,)) if order == "K" else _memory(order, a.dims)
        if memory is None:
            return opaque.call_pure(t, function, args, kwargs)
        return copied(t, a, memory)


def _is_none(given: Abstract | None) -> bool:
    return given is None or (isinstance(given, Known) and given.value is None)


@row(np.ndarray.flatten)
def flatten(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    """A large one in another order NumPy turns as fast."""
    a = args[0] if len(args) == 1 and not kwargs else None
    if not isinstance(a, ArrayValue) or not a.dims or (len(a.dims) > 1 and a.type.order not in ("C", "S")):
        return opaque.call_pure(t, np.ndarray.flatten, args, kwargs)
    from .arrays import contiguous, length

    made = new(t, (length(t, a.dims),), a.type.dtype, "C", None)
    elementwise.assign(t, contiguous(t, made, a.dims), a)
    return made


def _constant(dtype: np.dtype[Any], fill: int | None) -> Value | None:
    return None if fill is None else Const(Np(dtype.name), dtype.type(fill))


def _is_negative(dims: tuple[Value, ...]) -> bool:
    return any(isinstance(dim, Const) and dim.value < 0 for dim in dims)


def _memory(order: str, dims: tuple[Value, ...]) -> str:
    """What is both C and Fortran contiguous is called C."""
    return "C" if sum(not elementwise.is_one(dim) for dim in dims) <= 1 else order


for _function, _fill in _FILLS.items():
    _creator(_function, _fill)
for _function, _fill in _LIKE.items():
    _like(_function, _fill)
_copier(np.ndarray.copy, "C")
_copier(np.copy, "K")


@row(np.full)
def full(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    bound = by_name(("shape", "fill_value", "dtype"), args, kwargs)
    fill = bound.get("fill_value") if bound else None
    value = None if fill is None or isinstance(fill, ArrayValue) else value_of(fill)
    if bound is None or value is None or "shape" not in bound:
        return opaque.call_pure(t, np.full, args, kwargs)
    default = (
        value.type.dtype if isinstance(value.type, Np) else {"bool": bool, "int": int, "float": float}[str(value.type)]
    )
    dtype, dims = dtype_of(bound.get("dtype"), default), shape_of(t, bound["shape"])
    if dtype is None or not dims or _is_negative(dims) or not fills(value, dtype):
        return opaque.call_pure(t, np.full, args, kwargs)
    return new(t, dims, dtype, "C", cast(t, value, Np(dtype.name)))


@row(np.full_like)
def full_like(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    bound = by_name(("a", "fill_value", "dtype"), args, kwargs) or {}
    model, fill = bound.get("a"), bound.get("fill_value")
    value = None if fill is None or isinstance(fill, ArrayValue) else value_of(fill)
    order = elementwise.result_order((model,)) if isinstance(model, ArrayValue) and model.dims else None
    if value is None or order is None or not isinstance(model, ArrayValue):
        return opaque.call_pure(t, np.full_like, args, kwargs)
    dtype = dtype_of(bound.get("dtype"), model.type.dtype)
    if dtype is None or not fills(value, dtype):
        return opaque.call_pure(t, np.full_like, args, kwargs)
    return new(t, model.dims, dtype, order, cast(t, value, Np(dtype.name)))


def fills(value: Value, dtype: np.dtype[Any]) -> bool:
    """Whether the scalar is converted natively to the dtype."""
    kind = (
        value.type.dtype.kind
        if isinstance(value.type, Np)
        else {"bool": "b", "int": "i", "float": "f"}[str(value.type)]
    )
    return dtype.kind in {"b": "biuf", "i": "iuf", "u": "iuf", "f": "f"}.get(kind, "")


@row(np.asarray, np.asanyarray)
def asarray(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) == 1 and isinstance(args[0], ArrayValue) and not kwargs:
        return args[0]
    return opaque.call_pure(t, np.asarray, args, kwargs)


def _asked(function: Any, attribute: str) -> None:
    """What is an attribute of an array."""

    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        if len(args) == 1 and isinstance(args[0], ArrayValue) and not kwargs:
            return ATTRIBUTES["array", attribute](t, args[0])
        return opaque.call_pure(t, function, args, kwargs)


_asked(np.shape, "shape")
_asked(np.size, "size")
_asked(np.ndim, "ndim")
