"""np.bincount, np.add.at and np.subtract.at on vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import const
from ....ir.types import BOOL, INT, Array
from ... import elementwise, opaque, operators
from ...addresses import compare
from ...elementwise import is_one
from ...values import Abstract, ArrayValue, Known, value_of
from ..rows import by_name, index, row, scalar_kind

if TYPE_CHECKING:
    from ...tracer import Tracer

_NONE = Known(None)
_ALONE = {"bool": bool, "int": np.int64, "float": np.float64}  # what NumPy makes of Python's numbers where it does not look at what they meet
_DOUBLE = np.dtype("float64")


@row(np.bincount)
def bincount(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    given = by_name(("x", "weights", "minlength"), args, kwargs) or {}
    x, weights, least = given.get("x"), given.get("weights", _NONE), given.get("minlength", Known(0))
    weighted = not (isinstance(weights, Known) and weights.value is None)
    simple = scalar_kind(least) in ("int", "i", "u")
    if not simple or not isinstance(x, ArrayValue) or not _are_places(x) or (weighted and not _weighs(t, weights)):
        return opaque.call_pure(t, np.bincount, args, kwargs)
    length = index(t, least, "np.bincount")
    t.check(compare(t, ">=", length, const(0)), "index_error")
    values = [x.value]
    if isinstance(weights, ArrayValue):
        t.check(compare(t, ">", x.dims[0], const(0)), "shape_mismatch")  # without elements NumPy gives ints all the same
        _as_long(t, weights, x)
        values.append(elementwise.converted(t, weights, "float64").value)
    made = t.emit("bincount", (*values, length), Array("float64" if weighted else "int64", 1, "C"))
    return ArrayValue(made, (t.emit("dim", (made,), INT, axis=0),))


def _weighs(t: Tracer, weights: Abstract) -> bool:
    return _is_vector(weights, "biuf") and elementwise.castable(t, [weights], (_DOUBLE,))


def _are_places(a: Any) -> bool:
    """What NumPy takes for int64 without being asked to."""
    return _is_vector(a, "iu") and a.type.name != "uint64"


def _is_vector(a: Any, kinds: str) -> bool:
    return isinstance(a, ArrayValue) and len(a.dims) == 1 and a.type.dtype.kind in kinds


def _as_long(t: Tracer, a: ArrayValue, as_this: ArrayValue) -> None:
    if a.dims[0] is not as_this.dims[0]:
        t.check(compare(t, "==", a.dims[0], as_this.dims[0]), "shape_mismatch")


def at(t: Tracer, function: np.ufunc, target: Abstract, places: Abstract, value: Abstract) -> bool:
    """function.at(target, places, value); False, and nothing emitted, where it takes NumPy."""
    if function not in (np.add, np.subtract) or not isinstance(target, ArrayValue) or not isinstance(places, ArrayValue):
        return False
    own, given = target.type.dtype, _dtype(value)
    simple = _is_vector(target, "iuf") and target.type.writable and _are_places(places) and given is not None
    if not simple or function.resolve_dtypes((own, given, None)) != (own,) * 3 or not t.limits.scalar(function.__name__, own.name):
        return False
    if isinstance(value, ArrayValue):
        if is_one(value.dims[0]) != is_one(places.dims[0]) or not elementwise.castable(t, [value], (own,)):
            return False
        _as_long(t, value, places)
        source = elementwise.converted(t, value, own.name).value
    else:
        scalar = value_of(value)
        assert scalar is not None
        source = operators.cast(t, scalar, target.type.element)
    for other in (places.value, source):
        if isinstance(other.type, Array):
            t.check(t.emit("disjoint", (target.value, other), BOOL), "overlap")
    t.check(t.emit("within", (places.value, target.dims[0]), BOOL), "index_error")
    t.emit("add_at", (target.value, places.value, source), ufunc=function.__name__)
    return True


def _dtype(value: Abstract) -> np.dtype[Any] | None:
    """What is added, as NumPy sees it; None where it is neither a vector nor a scalar."""
    if isinstance(value, ArrayValue):
        return value.type.dtype if _is_vector(value, "biuf") else None
    kind = scalar_kind(value)
    if kind in _ALONE:
        return np.dtype(_ALONE[kind])
    return value_of(value).type.dtype if kind in ("b", "i", "u", "f") else None  # type: ignore[union-attr]
