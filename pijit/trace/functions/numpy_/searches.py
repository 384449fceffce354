"""Where numbers belong among sorted ones: np.searchsorted, np.digitize, np.interp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Value, const
from ....ir.types import FLOAT, Array, Np
from ... import elementwise, operators
from ...values import Abstract, ArrayValue, Known, Scalar, value_of
from ..rows import dtype_of_numbers, scalar_kind
from .composing import Given, composed
from .creation import copied

if TYPE_CHECKING:
    from ...tracer import Tracer

_DOUBLE = np.dtype("float64")
_KINDS = ("int", "float", "i", "u", "f")  # of single numbers
_NONE = Known(None)


@composed((np.searchsorted, np.ndarray.searchsorted), "a", "v", "side", "sorter")
def _searched(t: Tracer, given: Given) -> Abstract | None:
    side, sorter = given.get("side", Known("left")), given.get("sorter", _NONE)
    if not isinstance(side, Known) or side.value not in ("left", "right") or not _is_none(sorter):
        return None
    return _search(t, given.get("v"), given.get("a"), side.value, bins=False)


@composed(np.digitize, "x", "bins", "right")
def _digitized(t: Tracer, given: Given) -> Abstract | None:
    right = given.get("right", Known(False))
    if not isinstance(right, Known) or type(right.value) is not bool:
        return None
    return _search(t, given.get("x"), given.get("bins"), "left" if right.value else "right", bins=True)


def _search(t: Tracer, v: Abstract | None, a: Abstract | None, side: str, bins: bool) -> Abstract | None:
    """None, and nothing emitted, where it takes NumPy, which converts both to one dtype first."""
    a = _vector(a, "biuf")
    if a is None or v is None or not _is_looked_for(v, "biuf") or not t.limits.search("search"):
        return None
    dtype = np.promote_types(a.type.dtype, v.type.dtype if isinstance(v, ArrayValue) else dtype_of_numbers([v]))
    arrays: list[Abstract] = [x for x in (v, a) if isinstance(x, ArrayValue)]
    if dtype.kind not in "biuf" or not elementwise.castable(t, arrays, (dtype,) * 2):
        return None
    sorted_ = elementwise.converted(t, a, dtype.name)
    looked, dims = _looked_for(t, v, dtype, Np(dtype.name))
    made = t.emit("search", (looked, sorted_.value, *dims), _type("int64", dims), side=side, bins=bins, reason="math_domain" if bins else "memory")
    return ArrayValue(made, dims) if dims else Scalar(made)


@composed(np.interp, "x", "xp", "fp", "left", "right", "period")
def _interpolated(t: Tracer, given: Given) -> Abstract | None:
    """Of real numbers."""
    from ...addresses import compare

    x, xp, fp = given.get("x"), _vector(given.get("xp"), "iuf"), _vector(given.get("fp"), "iuf")
    ends = [given.get(name, _NONE) for name in ("left", "right")]
    if xp is None or fp is None or not _is_looked_for(x, "iuf") or not _is_none(given.get("period", _NONE)):
        return None
    arrays: list[Abstract] = [y for y in (x, xp, fp) if isinstance(y, ArrayValue)]
    if not t.limits.search("interp") or not elementwise.castable(t, arrays, (_DOUBLE,) * 3) or not all(_is_none(e) or _is_number(e) for e in ends):
        return None
    t.check(compare(t, "==", xp.dims[0], fp.dims[0]), "shape_mismatch")
    t.check(compare(t, ">", xp.dims[0], const(0)), "shape_mismatch")
    points, values = (_dense(t, elementwise.converted(t, y, "float64")) for y in (xp, fp))
    last = t.emit("raw_add", (fp.dims[0], const(-1)), fp.dims[0].type)
    left, right = (_end(t, end, values, place) for end, place in zip(ends, (const(0), last), strict=True))
    looked, dims = _looked_for(t, x, _DOUBLE, FLOAT)
    made = t.emit("interp", (looked, points.value, values.value, left, right, *dims), _type("float64", dims), reason="memory")
    return ArrayValue(made, dims) if dims else Scalar(made)


def _is_none(given: Abstract) -> bool:
    return isinstance(given, Known) and given.value is None


def _is_number(given: Abstract) -> bool:
    return scalar_kind(given) in _KINDS


def _vector(given: Abstract | None, kinds: str) -> ArrayValue | None:
    return given if isinstance(given, ArrayValue) and len(given.dims) == 1 and given.type.dtype.kind in kinds else None


def _is_looked_for(given: Abstract | None, kinds: str) -> bool:
    """A number, or numbers that can be gone through in the order of indices."""
    if isinstance(given, ArrayValue):
        return given.type.dtype.kind in kinds and (len(given.dims) == 1 or (bool(given.dims) and given.type.order == "C"))
    return given is not None and _is_number(given)


def _looked_for(t: Tracer, given: Any, dtype: np.dtype[Any], scalar: Any) -> tuple[Value, tuple[Value, ...]]:
    """As the operation takes it, and the dims of the result."""
    if isinstance(given, ArrayValue):
        return elementwise.converted(t, given, dtype.name).value, given.dims
    found = value_of(given)
    assert found is not None
    if scalar == FLOAT and not isinstance(found.type, Np):
        return operators.as_float(t, found), ()
    return operators.cast(t, found, scalar), ()


def _dense(t: Tracer, a: ArrayValue) -> ArrayValue:
    return a if a.type.order == "C" else copied(t, a, "C")


def _end(t: Tracer, end: Abstract, values: ArrayValue, place: Value) -> Value:
    """What there is beyond: what is given, or what is at the place."""
    given = t.emit("load", (values.value, place), Np("float64")) if _is_none(end) else value_of(end)
    assert given is not None
    return operators.cast(t, given, FLOAT) if isinstance(given.type, Np) else operators.as_float(t, given)


def _type(name: str, dims: tuple[Value, ...]) -> Array | Np:
    return Array(name, len(dims), "C") if dims else Np(name)
