"""np.arange of Python numbers: as many elements as NumPy computes, filled as NumPy fills them, from the first two."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ....ir.graph import Const, Value, const
from ....ir.types import BOOL, FLOAT, INT, Array
from ... import opaque
from ...addresses import compare
from ...operators import as_float
from ...tables import CALLABLES
from ...values import Abstract, ArrayValue, Container, Known, value_of
from ..rows import row, scalar_kind
from .creation import dtype_of

if TYPE_CHECKING:
    from ...tracer import Tracer

_EXACT = 2**53  # whole numbers up to here are floats, too


@row(np.arange)
def arange(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    ends = _ends(args)
    kinds = {scalar_kind(end) for end in ends}
    if not ends or not kinds <= {"int", "float"} or not set(kwargs) <= {"dtype"}:
        return opaque.call_pure(t, np.arange, args, kwargs)
    dtype = dtype_of(kwargs.get("dtype"), float if "float" in kinds else int)
    make = _MAKERS.get((dtype.name if dtype else "", "float" in kinds))
    made = make(t, *ends) if make else None
    return made or opaque.call_pure(t, np.arange, args, kwargs)


def _ends(args: list[Abstract]) -> tuple[Abstract, ...]:
    """Start, stop and step, or nothing."""
    if not 1 <= len(args) <= 3:
        return ()
    start, stop = (Known(0), args[0]) if len(args) == 1 else args[:2]
    return start, stop, args[2] if len(args) == 3 else Known(1)


def _ints(t: Tracer, start: Abstract, stop: Abstract, step: Abstract) -> ArrayValue | None:
    first, length = value_of(start), _length(t, start, stop, step)
    if first is None or length is None:
        return None
    return ramp(t, length, first, const(step.value), "int64")  # type: ignore[attr-defined]


def _whole_floats(t: Tracer, start: Abstract, stop: Abstract, step: Abstract) -> ArrayValue | None:
    length = _length(t, start, stop, step) if isinstance(start, Known) and abs(start.value) < _EXACT else None
    if length is None:
        return None
    first, width = start.value, step.value  # type: ignore[attr-defined]
    return ramp(t, length, const(float(first)), const(float(first + width)), "float64")


def _length(t: Tracer, start: Abstract, stop: Abstract, step: Abstract) -> Value | None:
    if not isinstance(step, Known) or step.value == 0 or abs(step.value) >= 2**31:
        return None
    return value_of(CALLABLES[len](t, [Container("range", (start, stop, step))], {}))


def _floats(t: Tracer, start: Abstract, stop: Abstract, step: Abstract) -> ArrayValue | None:
    """NumPy subtracts, divides and adds as Python does. One element, or none, for a step so large that the quotient is 0, it makes itself."""
    first, last, width = (_float(t, end) for end in (start, stop, step))
    if first is None or last is None or width is None:
        return None
    if isinstance(width, Const) and (width.value == 0 or not math.isfinite(width.value)):
        return None
    distance = _result(t, "float_sub", last, first)
    steps, zero = _result(t, "float_div", distance, width), const(0.0)
    t.check(t.emit("select", (compare(t, "==", distance, zero), const(True), compare(t, "!=", steps, zero)), BOOL), "math_domain")
    count = t.emit("math", (steps,), INT, name="ceil", reason="math_domain")
    length = t.emit("raw_max", (count, const(0)), INT)
    return ramp(t, length, first, _result(t, "float_add", first, width), "float64")


def _float(t: Tracer, end: Abstract) -> Value | None:
    """As a float, where that is exact and not of unusual size."""
    found = value_of(end)
    if isinstance(end, Known) and not (math.isfinite(end.value) and abs(end.value) < _EXACT):
        return None
    if found is None or isinstance(end, Known) or found.type == FLOAT:
        return None if found is None else as_float(t, found)
    return t.emit("int_exact_float", (found,), FLOAT)  # type: ignore[no-any-return]


_MAKERS = {("int64", False): _ints, ("float64", False): _whole_floats, ("float64", True): _floats}  # by dtype, and whether a float is given


def _result(t: Tracer, name: str, a: Value, b: Value) -> Value:
    return t.emit(name, (a, b), FLOAT, **({"reason": "zero_division"} if name == "float_div" else {}))  # type: ignore[no-any-return]


def ramp(t: Tracer, length: Value, first: Value, second: Value, dtype: str) -> ArrayValue:
    return ArrayValue(t.emit("ramp", (length, first, second), Array(dtype, 1, "C")), (length,))
