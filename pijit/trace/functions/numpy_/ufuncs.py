"""Ufuncs called by name, their methods, and np.where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.types import NATIVE
from ....ir.types import Scalar as ScalarType
from ... import elementwise, opaque, operators, products, slicing, standins
from ...tables import PURE
from ...values import Abstract, ArrayValue, Break, Known, value_of
from ..rows import row, scalar_kind
from . import counts, scatter

if TYPE_CHECKING:
    from ...tracer import Tracer

_BY_NAME = (np.maximum, np.minimum)  # newer NumPy warns where ``out`` is not given by name: they could be meant for more than two arrays
_STRIDED = (np.isnan, np.isinf, np.isfinite, np.signbit)  # what they write depends on the steps of the array they write into
_WHOLE: tuple[str, Any] = ("slice", (None, None, 1))
_PAIRS: list[list[tuple[str, Any]]] = [[_WHOLE, ("new", None)], [("new", None), _WHOLE]]
_METHODS = ("reduce", "accumulate", "reduceat", "outer")


def _by_name(function: np.ufunc) -> None:
    name = function.__name__
    elementwise_ = function.signature is None and function.nout == 1 and getattr(np, name, None) is function

    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        if function in _BY_NAME and len(args) > function.nin:
            raise Break("call_arguments", f"np.{name} with out at its place")
        out = kwargs.get("out", args[function.nin] if len(args) > function.nin else Known(None))
        if isinstance(out, ArrayValue) and out.type.writable and len(args) + len(kwargs) == function.nin + 1:
            return (
                _into(t, function, args[: function.nin], out)
                if elementwise_
                else _call_out(t, function, args, kwargs, out)
            )
        operands = all(isinstance(a, ArrayValue) or scalar_kind(a) for a in args)
        if function is np.matmul and len(args) == 2 and not kwargs:
            return products.matmul(t, function, *args)
        if kwargs or not elementwise_ or len(args) != function.nin or not operands:
            return opaque.call_pure(t, function, args, kwargs)
        if any(isinstance(a, ArrayValue) for a in args):
            return elementwise.apply(t, name, function, *args)
        return operators.numpy_scalars(t, name, function, *args)

    for method in _METHODS:
        PURE[getattr(function, method)] = f"np.{name}.{method}"
    if elementwise_ and function.nin == 2:
        _outer(function.outer, name)

    @row(function.at)
    def at(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        if len(args) != 3 or kwargs or not scatter.at(t, function, *args):
            standins.sample_result(t, function.at, args, kwargs)  # Break where it would raise
            opaque.call_for_effect(t, function.at, args, kwargs)
        return Known(None)


def _outer(function: Any, ufunc: str) -> None:
    """The ufunc on every pair of the elements of two vectors, as NumPy does it: on views with an axis more."""

    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        made = None
        if len(args) == 2 and not kwargs and all(isinstance(a, ArrayValue) and len(a.dims) == 1 for a in args):
            pair = [slicing.view(t, a, plan) for a, plan in zip(args, _PAIRS, strict=True)]  # type: ignore[arg-type]
            made = elementwise.attempt(t, ufunc, *pair)
        return opaque.call_pure(t, function, args, kwargs) if made is None else made


def _call_out(t: Tracer, function: Any, args: list[Abstract], kwargs: dict[str, Abstract], out: ArrayValue) -> Abstract:
    """A call that writes into ``out`` and gives it back."""
    standins.sample_result(t, function, args, kwargs)  # Break where it would raise
    opaque.call_for_effect(t, function, args, kwargs)
    return out


def _into(t: Tracer, function: np.ufunc, operands: list[Abstract], out: ArrayValue) -> Abstract:
    """function(*operands, out=out), computed as a new array and then assigned: nothing is written before every check has passed."""
    name = function.__name__
    by_numpy = function in _STRIDED or elementwise.better_by_numpy(t, name, out, operands)
    if by_numpy or not elementwise.assign_result(t, name, operands, out):
        return _call_out(t, function, operands, {"out": out}, out)
    return out


for _value in {id(v): v for v in vars(np).values() if isinstance(v, np.ufunc)}.values():
    _by_name(_value)
_outer(np.outer, "multiply")


def _clip(function: Any) -> None:
    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        a = args[0] if len(args) == 3 and not kwargs else None
        made = _clipped(t, a, *args[1:]) if isinstance(a, ArrayValue) else None
        return opaque.call_pure(t, function, args, kwargs) if made is None else made


def _clipped(t: Tracer, a: ArrayValue, low: Abstract, high: Abstract) -> Abstract | None:
    """Between two bounds, either of which may be None. None where it takes NumPy."""
    kind = a.type.dtype.kind
    bounds = [None if _unbounded(a, bound, end) else bound for bound, end in ((low, "min"), (high, "max"))]
    given = [bound for bound in bounds if bound is not None]
    if kind not in "iuf" or not given or not all(isinstance(b, ArrayValue) or scalar_kind(b) for b in given):
        return None
    if len(given) == 1:
        return elementwise.attempt(t, "minimum" if bounds[0] is None else "maximum", a, *given)
    dtypes = operators.loop_dtypes("clip", [a, *given])
    if dtypes is None or dtypes[-1].kind not in "iu":
        return elementwise.attempt(t, "clip", a, *given)
    order = elementwise.result_order((a, *given))
    simple = all(elementwise.native(t, name, dtypes[1:]) for name in ("maximum", "minimum"))
    if order is None or not simple or not elementwise.castable(t, [a, *given], dtypes):
        return None
    above = elementwise.emit(t, "maximum", [a, given[0]], dtypes[1:], order)
    return elementwise.emit(t, "minimum", [above, given[1]], dtypes[1:], order)


def _unbounded(a: ArrayValue, bound: Abstract, end: str) -> bool:
    """Whether NumPy takes the bound for absent: it does so with ints that no element goes beyond."""
    if not isinstance(bound, Known) or (bound.value is not None and (type(bound.value) is not int or a.type.dtype.kind not in "iu")):
        return False
    if bound.value is None:
        return True
    last = int(getattr(np.iinfo(a.type.dtype), end))
    return bool(bound.value <= last if end == "min" else bound.value >= last)


_clip(np.clip)
_clip(np.ndarray.clip)


@row(np.where)
def where(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    if len(args) == 1 and not kwargs:
        made = counts.places_by_axis(t, args[0])
        return opaque.call_pure(t, np.where, args, kwargs) if made is None else made
    dtype = None if kwargs or len(args) != 3 else _where_dtype(args)
    order = None if dtype is None else elementwise.result_order(tuple(args))
    if (
        dtype is None
        or order is None
        or not elementwise.castable(t, args[1:], (dtype, dtype))
        or not t.limits.elementwise("where", ("bool", *[dtype.name] * 3))
    ):
        return opaque.call_pure(t, np.where, args, kwargs)
    return elementwise.emit(t, "where", args, (np.dtype(bool), dtype, dtype, dtype), order)


def _where_dtype(args: list[Abstract]) -> np.dtype[Any] | None:
    """The dtype of the result; None where it is not done natively."""
    condition, *choices = args
    value = value_of(condition)
    is_bool = value is not None and getattr(value.type, "name", "") == "bool"
    if (
        not is_bool
        or not any(isinstance(a, ArrayValue) for a in args)
        or not all(isinstance(a, ArrayValue) or scalar_kind(a) for a in choices)
    ):
        return None
    samples = []
    for choice in choices:
        found = value_of(choice)
        assert found is not None
        samples.append(_WEAK[found.type.name] if isinstance(found.type, ScalarType) else found.type.dtype)  # type: ignore[attr-defined]
    dtype = np.result_type(*samples)
    return dtype if dtype.name in NATIVE else None


_WEAK: dict[str, Any] = {"bool": True, "int": 0, "float": 0.0}
