"""Means, variances and standard deviations of floats, step by step as NumPy makes them of sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import const
from ....ir.types import Np
from ... import elementwise, opaque, operators
from ...addresses import add, compare
from ...values import Abstract, ArrayValue, Known, Scalar, value_of
from ..rows import row
from .reductions import Args, Fold, Kwargs, arguments, asked, reduced

if TYPE_CHECKING:
    from ...tracer import Tracer

_Maker = Callable[["Tracer", dict[str, Abstract]], Abstract | None]
_DOUBLE = np.dtype("float64")


def _enter(maker: _Maker, *functions: Any) -> None:
    for function in functions:
        _row(maker, function)


def _row(maker: _Maker, function: Any) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        made = maker(t, arguments(args, kwargs))
        return opaque.call_pure(t, function, args, kwargs) if made is None else made


def _asked(t: Tracer, given: dict[str, Abstract]) -> Fold | None:
    a = given.get("a")
    name = a.type.name if isinstance(a, ArrayValue) else ""
    there = name in ("float64", "float32") and all(t.limits.elementwise("cast", pair) for pair in ((name, "float64"), ("float64", name)))
    return asked(t, "add", given) if there and t.limits.scalar("divide", "float64") else None


def mean(t: Tracer, given: dict[str, Abstract]) -> Abstract | None:
    fold = _asked(t, given)
    if fold is None:
        return None
    t.check(compare(t, "!=", fold.count, const(0)), "shape_mismatch")  # of nothing there is no mean
    return divided(t, reduced(t, "add", fold), Scalar(fold.count))


def _variance(t: Tracer, given: dict[str, Abstract]) -> Abstract | None:
    freedom = given.pop("ddof", Known(0))
    lost: Any = freedom.value if isinstance(freedom, Known) else None
    fold = _asked(t, given) if type(lost) is int and abs(lost) < 1 << 31 else None
    if fold is None:
        return None
    a, axis, count = fold.array, fold.axis, fold.count
    t.check(compare(t, ">", count, const(max(lost, 0))), "shape_mismatch")
    middle = divided(t, reduced(t, "add", Fold(a, axis, int(axis >= 0), count)), Scalar(count))
    apart = elementwise.emit(t, "subtract", [a, middle], (a.type.dtype,) * 3, "C")
    squares = elementwise.emit(t, "multiply", [apart, apart], (a.type.dtype,) * 3, "C")
    return divided(t, reduced(t, "add", Fold(squares, axis, fold.keep, count)), Scalar(add(t, count, const(-lost))))


def _deviation(t: Tracer, given: dict[str, Abstract]) -> Abstract | None:
    found = _variance(t, given)
    if found is None or isinstance(found, ArrayValue):
        return found and elementwise.apply(t, "sqrt", np.sqrt, found)
    return operators.numpy_scalars(t, "sqrt", np.sqrt, found)


def divided(t: Tracer, total: Abstract, count: ArrayValue | Scalar) -> Abstract:
    """In double precision, as counts are of np.intp, and back."""
    if isinstance(total, ArrayValue):
        return elementwise.converted(t, elementwise.emit(t, "divide", [total, count], (_DOUBLE,) * 3, "C"), total.type.name)
    value, number, double = value_of(total), value_of(count), Np("float64")
    assert value is not None
    assert number is not None
    numbers = (operators.cast(t, value, double), operators.cast(t, number, double))
    return Scalar(operators.cast(t, t.emit("np_op", numbers, double, ufunc="divide", reason="fp_flags"), value.type))


_enter(mean, np.mean, np.ndarray.mean)
_enter(_variance, np.var, np.ndarray.var)
_enter(_deviation, np.std, np.ndarray.std)
