"""np.take along the first axis, which is indexing, and np.select, which is np.where of np.where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ground.names import is_one_of
from ....ir.types import NATIVE
from ....ir.types import Scalar as ScalarType
from ... import elementwise, subscripts, takes
from ...values import Abstract, ArrayValue, Known, sequence_of, value_of
from ..rows import scalar_kind
from .arrays import contiguous, length
from .composing import Given, composed
from .creation import fills

if TYPE_CHECKING:
    from ...tracer import Tracer

_MOST = 16  # conditions
_WEAK: dict[str, Any] = {"bool": np.dtype(bool), "int": 0, "float": 0.0}


@composed((np.take, np.ndarray.take), "a", "indices", "axis")
def _take(t: Tracer, given: Given) -> Abstract | None:
    a, places, axis = given.get("a"), given.get("indices"), given.get("axis", Known(None))
    if not isinstance(a, ArrayValue) or not a.dims or places is None:
        return None
    if not isinstance(axis, Known) or not is_one_of(type(axis.value), (int, type(None))):
        return None
    if axis.value is None and len(a.dims) > 1:
        if a.type.order != "C":
            return None
        a = contiguous(t, a, (length(t, a.dims),))
    if axis.value not in (None, 0, -len(a.dims)):
        return None
    if scalar_kind(places) in ("int", "i") and len(a.dims) == 1:
        element: Abstract = subscripts.load(t, a, places)
        return element
    return takes.load(t, a, places)


@composed(np.select, "condlist", "choicelist", "default")
def _select(t: Tracer, given: Given) -> Abstract | None:
    """Of arrays of bools; the first that is true decides, so it is asked last."""
    lists = [sequence_of(given[name]) if name in given else None for name in ("condlist", "choicelist")]
    conditions, choices = (list(items or ()) for items in lists)
    default = given.get("default", Known(0))
    if not 0 < len(conditions) == len(choices) <= _MOST:
        return None
    if not all(isinstance(c, ArrayValue) and c.dims and c.type.name == "bool" for c in conditions):
        return None
    dtype = _dtype([*choices, default])
    arrays = [x for x in (*conditions, *choices) if isinstance(x, ArrayValue)]
    if dtype is None or len({len(x.dims) for x in arrays}) != 1 or elementwise.result_order(tuple(arrays)) != "C":
        return None
    if dtype.kind == "u" and any(scalar_kind(choice) == "int" for choice in choices):
        return None  # it is an int64 by then, which NumPy refuses to cast
    if not elementwise.castable(t, choices, (dtype,) * len(choices)) or not t.limits.elementwise("where", ("bool", *[dtype.name] * 3)):
        return None
    made = default
    for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
        made = elementwise.emit(t, "where", [condition, choice, made], (np.dtype(bool), dtype, dtype, dtype), "C")
    return made


def _dtype(choices: list[Abstract]) -> np.dtype[Any] | None:
    """Of arrays and numbers that are converted to it natively; None where NumPy decides."""
    given: list[Any] = []
    for choice in choices:
        value = value_of(choice)
        if value is None or not (scalar_kind(choice) or (isinstance(choice, ArrayValue) and choice.dims)):
            return None
        given.append(_WEAK.get(value.type.name) if isinstance(value.type, ScalarType) else value.type.dtype)  # type: ignore[attr-defined]
    if any(weak is None for weak in given):
        return None
    dtype = np.result_type(*given)
    numbers = [value for choice in choices if not isinstance(choice, ArrayValue) and (value := value_of(choice)) is not None]
    return dtype if dtype.name in NATIVE and all(fills(value, dtype) for value in numbers) else None
