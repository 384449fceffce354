"""np.linspace of numbers, step by step as NumPy makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Const, Value, const
from ....ir.types import BOOL, FLOAT, INT, Np
from ... import elementwise, operators, standins
from ...values import Abstract, ArrayValue, Known, Scalar, value_of
from ..rows import index, scalar_kind
from .arrays import contiguous
from .composing import Given, can, composed, ew
from .creation import dtype_of
from .ranges import ramp

if TYPE_CHECKING:
    from ...tracer import Tracer

_DOUBLE = np.dtype("float64")
_ENDS = (INT, FLOAT, Np("int64"), Np("float64"))  # of which NumPy makes float64


@composed(np.linspace, "start", "stop", "num", "endpoint", "retstep", "dtype")
def _linspace(t: Tracer, given: Given) -> Abstract | None:
    from ...addresses import add, compare

    num, closed, dtype = given.get("num", Known(50)), given.get("endpoint", Known(True)), dtype_of(given.get("dtype"), _DOUBLE)
    ends = [_end(t, given.get(name)) for name in ("start", "stop")]
    if any(end is None for end in ends) or not isinstance(closed, Known) or type(closed.value) is not bool or _is_true(given.get("retstep")):
        return None
    if dtype is None or dtype.kind != "f" or scalar_kind(num) not in ("int", "i") or not _can(t, dtype):
        return None
    gaps, count = int(closed.value), index(t, num, "num")
    actual = standins.actual_length(t, count)
    if actual is not None and actual <= gaps:
        return None  # there is no step then
    t.check(compare(t, ">", count, const(gaps)), "shape_mismatch")
    start, stop = (end for end in ends if end is not None)
    distance = operators.numpy_scalars(t, "subtract", np.subtract, stop, start)
    step = operators.numpy_scalars(t, "divide", np.divide, distance, Scalar(add(t, count, const(-gaps))))
    _check_step(t, step, distance)
    made = ew(t, "add", ew(t, "multiply", ramp(t, count, const(0.0), const(1.0), "float64"), step), start)
    if gaps:
        last = value_of(stop)
        assert last is not None
        t.emit("store", (made.value, last, add(t, count, const(-1))))
    return elementwise.converted(t, made, dtype.name) if dtype != _DOUBLE else contiguous(t, made, made.dims)  # NumPy gives a reshaped view


def _can(t: Tracer, dtype: np.dtype[Any]) -> bool:
    there = can(t, _DOUBLE, "multiply", "add") and all(t.limits.scalar(name, "float64") for name in ("subtract", "divide"))
    return there and (dtype == _DOUBLE or t.limits.elementwise("cast", ("float64", dtype.name)))


def _end(t: Tracer, given: Abstract | None) -> Abstract | None:
    """As a float64."""
    found = None if given is None or isinstance(given, ArrayValue) else value_of(given)
    return None if found is None or found.type not in _ENDS else Scalar(operators.cast(t, found, Np("float64")))


def _is_true(given: Abstract | None) -> bool:
    return given is not None and not (isinstance(given, Known) and given.value is False)


def _check_step(t: Tracer, step: Abstract, distance: Abstract) -> None:
    """Of a distance so small that its step is 0, NumPy divides and multiplies the other way round."""
    steps, apart = (operators.truth(t, x) for x in (step, distance))
    if not isinstance(steps, Value) or not isinstance(apart, Value):
        return
    if not isinstance(steps, Const):
        t.check(t.emit("select", (apart, steps, const(True)), BOOL), "math_domain")
