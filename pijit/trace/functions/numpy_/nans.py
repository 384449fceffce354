"""Sums, means, variances and extremes that leave NaN out, step by step as NumPy makes them: of arrays in which 0 stands for NaN.

What NumPy warns of, nothing but NaN, is left to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....ir.graph import Value, const
from ....ir.types import INT, Np
from ... import elementwise, operators
from ...values import Abstract, ArrayValue, Known, Scalar, value_of
from .composing import Given, array_of, composed, ew
from .moments import divided
from .reductions import Fold, asked, counted, reduced

if TYPE_CHECKING:
    from ...tracer import Tracer

_INT, _DOUBLE = np.dtype("int64"), np.dtype("float64")


def _can(t: Tracer, a: ArrayValue) -> bool:
    name = a.type.name
    there = elementwise.native(t, "isnan", (a.type.dtype, np.dtype(bool))) and t.limits.elementwise("where", ("bool", name, name, name))
    casts = all(t.limits.elementwise("cast", pair) for pair in ((name, "float64"), ("float64", name), ("int64", "float64"), ("bool", "int64")))
    return there and casts and t.limits.scalar("divide", "float64") and t.limits.reduce("add", "int64")


def _instead(t: Tracer, a: ArrayValue, value: float) -> tuple[ArrayValue, ArrayValue]:
    """The array with a number in the place of NaN, and where that is."""
    mask = ew(t, "isnan", a)
    return _put(t, mask, value, a), mask


def _put(t: Tracer, mask: ArrayValue, value: float, a: ArrayValue) -> ArrayValue:
    dtype = a.type.dtype
    number = Scalar(operators.cast(t, const(value), Np(dtype.name)))
    return elementwise.emit(t, "where", [mask, number, a], (np.dtype(bool), dtype, dtype, dtype), "C")


def _floats(t: Tracer, given: Given) -> ArrayValue | None:
    a = array_of("f", given.get("a"))
    return a if a is not None and _can(t, a) else None


def _total(ufunc: str, value: float, t: Tracer, given: Given) -> Abstract | None:
    a = _floats(t, given)
    fold = None if a is None else asked(t, ufunc, {**given, "a": _instead(t, a, value)[0]})
    return None if fold is None else reduced(t, ufunc, fold)


@composed(np.nansum, "a", "axis")
def _sum(t: Tracer, given: Given) -> Abstract | None:
    return _total("add", 0.0, t, given)


@composed(np.nanprod, "a", "axis")
def _product(t: Tracer, given: Given) -> Abstract | None:
    return _total("multiply", 1.0, t, given)


def _extreme(ufunc: str, t: Tracer, given: Given) -> Abstract | None:
    a = _floats(t, given)
    fold = None if a is None or a.type.order != "C" else asked(t, ufunc, given)
    if fold is None:
        return None
    made = reduced(t, ufunc, fold)
    _check(t, _is_nan(t, made), "==", 0)
    return made


@composed(np.nanmax, "a", "axis")
def _largest(t: Tracer, given: Given) -> Abstract | None:
    return _extreme("fmax", t, given)


@composed(np.nanmin, "a", "axis")
def _least(t: Tracer, given: Given) -> Abstract | None:
    return _extreme("fmin", t, given)


def _is_nan(t: Tracer, made: ArrayValue | Scalar) -> Value:
    """How many are NaN."""
    if isinstance(made, ArrayValue):
        return counted(t, ew(t, "isnan", made))
    found = value_of(operators.numpy_scalars(t, "not_equal", np.not_equal, made, made))
    assert found is not None
    return operators.cast(t, found, INT)


def _check(t: Tracer, count: Value, symbol: str, than: int) -> None:
    from ...addresses import compare

    t.check(compare(t, symbol, count, const(than)), "shape_mismatch")


def _counts(t: Tracer, mask: ArrayValue, fold: Fold, keep: int) -> ArrayValue | Scalar:
    """How many numbers there are, where ``fold`` folds what they are in."""
    some = elementwise.converted(t, ew(t, "logical_not", mask), "int64")
    found = asked(t, "add", {"a": some, "axis": Known(fold.axis if fold.axis >= 0 else None)})
    assert found is not None
    return reduced(t, "add", Fold(found.array, found.axis, keep, found.count))


def _mean_of(t: Tracer, a: ArrayValue, mask: ArrayValue, fold: Fold, keep: int) -> tuple[Abstract, ArrayValue | Scalar]:
    """The mean of what is not NaN, and of how many that is: of at least one."""
    counts = _counts(t, mask, fold, keep)
    _check_all(t, counts, 0)
    return divided(t, reduced(t, "add", Fold(a, fold.axis, keep, fold.count)), counts), counts


def _check_all(t: Tracer, counts: ArrayValue | Scalar, more_than: int) -> None:
    """Leaves where one is not more than that."""
    if isinstance(counts, ArrayValue):
        _check(t, counted(t, ew(t, "less_equal", counts, Known(more_than))), "==", 0)
        return
    found = value_of(counts)
    assert found is not None
    _check(t, operators.cast(t, found, INT), ">", more_than)


def _plan(t: Tracer, given: Given) -> tuple[ArrayValue, ArrayValue, Fold] | None:
    """The array with 0 in the place of NaN, where NaN was, and what is folded; along one axis, or all."""
    a = _floats(t, given)
    if a is None or not (given.keys() <= {"a", "axis"}):
        return None
    plain, mask = _instead(t, a, 0.0)
    fold = asked(t, "add", {**given, "a": plain})
    return None if fold is None or fold.array is not plain else (plain, mask, fold)


@composed(np.nanmean, "a", "axis")
def _mean(t: Tracer, given: Given) -> Abstract | None:
    found = _plan(t, given)
    return None if found is None else _mean_of(t, *found, keep=0)[0]


@composed(np.nanvar, "a", "axis", "dtype", "out", "ddof")
def _variance(t: Tracer, given: Given) -> Abstract | None:
    from ...addresses import add

    freedom = given.pop("ddof", Known(0))
    lost = freedom.value if isinstance(freedom, Known) else None
    found = _plan(t, given) if type(lost) is int and 0 <= lost < 1 << 31 else None
    if found is None or lost is None:
        return None
    plain, mask, fold = found
    mean, counts = _mean_of(t, plain, mask, fold, keep=int(fold.axis >= 0))
    _check_all(t, counts, lost)
    apart = _put(t, mask, 0.0, ew(t, "subtract", plain, mean))
    total = reduced(t, "add", Fold(ew(t, "multiply", apart, apart), fold.axis, 0, fold.count))
    if isinstance(total, ArrayValue):
        rest: ArrayValue | Scalar = ew(t, "subtract", _counts(t, mask, fold, keep=0), Known(lost))
    else:
        number = value_of(counts)
        assert number is not None
        rest = Scalar(operators.cast(t, add(t, operators.cast(t, number, INT), const(-lost)), Np("int64")))
    return divided(t, total, rest)


@composed(np.nanstd, "a", "axis", "dtype", "out", "ddof")
def _deviation(t: Tracer, given: Given) -> Abstract | None:
    found = _variance(t, given)
    if found is None or isinstance(found, ArrayValue):
        return found and elementwise.apply(t, "sqrt", np.sqrt, found)
    return operators.numpy_scalars(t, "sqrt", np.sqrt, found)
