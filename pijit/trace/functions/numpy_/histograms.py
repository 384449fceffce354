"""np.histogram with bins of one width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Value, const
from ....ir.types import FLOAT, INT, Array, Np
from ... import elementwise, opaque, operators
from ...addresses import compare
from ...values import Abstract, ArrayValue, Container, Known, items_of, value_of
from ..rows import by_name, index, row, scalar_kind
from .arrays import contiguous, length

if TYPE_CHECKING:
    from ...tracer import Tracer

_NAMES = ("a", "bins", "range", "density", "weights")
_DEFAULTS: dict[str, Abstract] = {"bins": Known(10), "range": Known(None), "density": Known(None), "weights": Known(None)}
_DOUBLE = np.dtype("float64")
_MOST = 2**30  # bins
_SHOWS_VIEW = np.histogram(np.zeros(2), 2)[1].base is not None  # np.linspace gives what it has reshaped


@row(np.histogram)
def histogram(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    given = by_name(_NAMES, args, kwargs) or {}
    made = _native(t, **_DEFAULTS | given) if "a" in given else None
    return opaque.call_pure(t, np.histogram, args, kwargs) if made is None else made


def _native(t: Tracer, a: Abstract, bins: Abstract, range: Abstract, density: Abstract, weights: Abstract) -> Abstract | None:
    """None, and nothing emitted, where it takes NumPy."""
    weighted = not _is_none(weights)
    ends = None if _is_none(range) else items_of(range)
    simple = _is_none(density) or (isinstance(density, Known) and density.value is False)
    if not simple or not isinstance(a, ArrayValue) or a.type.dtype.kind not in "iuf" or (a.type.dtype.kind == "f" and a.type.name != "float64"):
        return None
    if scalar_kind(bins) not in ("int", "i", "u") or not t.limits.histogram() or not elementwise.castable(t, [a], (_DOUBLE,)):
        return None
    if not _is_none(range) and (ends is None or len(ends) != 2 or not all(map(_is_end, ends))):
        return None
    if ends is None and not (t.limits.reduce("minimum", "float64") and t.limits.reduce("maximum", "float64")):
        return None
    if not _is_flat(a) or (weighted and not (isinstance(weights, ArrayValue) and _weighs(weights, a))):
        return None
    count = index(t, bins, "np.histogram")
    for symbol, bound in ((">=", 1), ("<=", _MOST)):
        t.check(compare(t, symbol, count, const(bound)), "histogram")
    if isinstance(weights, ArrayValue):
        for mine, dim in zip(weights.dims, a.dims, strict=True):
            if mine is not dim:
                t.check(compare(t, "==", mine, dim), "shape_mismatch")
    source = elementwise.converted(t, _flat(t, a), "float64")
    between = _extremes(t, source) if ends is None else [_as_float(t, end) for end in ends]
    exact = a.type.dtype.kind != "f" or any(scalar_kind(end) == "int" for end in ends or ())
    total = t.emit("raw_add", (count, const(1)), INT)
    edges = t.emit("edges", (*between, total), Array("float64", 1, "C"), exact=exact)
    places = t.emit("places", (source.value, edges, *source.dims), Array("int32", 1, "C"))
    summed = [_flat(t, weights).value] if isinstance(weights, ArrayValue) else []
    counts = t.emit("histogram", (places, *summed, count), Array("float64" if weighted else "int64", 1, "C"))
    shown = ArrayValue(edges, (total,))
    return Container("tuple", (ArrayValue(counts, (count,)), contiguous(t, shown, (total,)) if _SHOWS_VIEW else shown))


def _extremes(t: Tracer, a: ArrayValue) -> list[Value]:
    whole = a
    if a.type.order != "C":
        whole = ArrayValue(t.emit("empty", a.dims, Array("float64", 1, "C"), filled=False), a.dims)
        elementwise.assign(t, whole, a)
    attrs: dict[str, Any] = {"axis": -1, "keep": 0, "reason": "histogram"}
    found = [t.emit("reduce", (whole.value,), Np("float64"), ufunc=ufunc, **attrs) for ufunc in ("minimum", "maximum")]
    return [operators.cast(t, value, FLOAT) for value in found]


def _is_end(value: Abstract) -> bool:
    found = value_of(value)
    return scalar_kind(value) in ("int", "float") or (found is not None and found.type == Np("float64"))


def _as_float(t: Tracer, end: Abstract) -> Value:
    found = value_of(end)
    assert found is not None
    return operators.cast(t, found, FLOAT) if isinstance(found.type, Np) else operators.as_float(t, found)


def _is_none(value: Abstract) -> bool:
    return isinstance(value, Known) and value.value is None


def _is_flat(a: ArrayValue) -> bool:
    """Whether its elements can be gone through in the order of indices without a copy."""
    return len(a.dims) == 1 or (a.type.order == "C" and bool(a.dims))


def _weighs(weights: ArrayValue, a: ArrayValue) -> bool:
    return weights.type.name == "float64" and len(weights.dims) == len(a.dims) and _is_flat(weights)


def _flat(t: Tracer, a: ArrayValue) -> ArrayValue:
    return a if len(a.dims) == 1 else contiguous(t, a, (length(t, a.dims),))
