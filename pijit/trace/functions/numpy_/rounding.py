"""np.round of floats: to whole numbers it is np.rint, to decimals NumPy multiplies, rounds and divides, before the point the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ... import elementwise
from ...values import Abstract, ArrayValue, Known
from .composing import Given, can, composed, ew

if TYPE_CHECKING:
    from ...tracer import Tracer

_EXACT = 9  # below which NumPy has the powers of ten in a table


@composed((np.round, np.around, np.ndarray.round), "a", "decimals")
def _round(t: Tracer, given: Given) -> Abstract | None:
    a, decimals = given.get("a"), given.get("decimals", Known(0))
    if not isinstance(a, ArrayValue) or a.type.dtype.kind != "f" or not isinstance(decimals, Known) or type(decimals.value) is not int:
        return None
    if decimals.value == 0:
        return elementwise.attempt(t, "rint", a)
    order = elementwise.result_order((a,)) if a.dims else None
    if abs(decimals.value) >= _EXACT or order is None or not can(t, a.type.dtype, "multiply", "divide"):
        return None
    if not elementwise.native(t, "rint", (a.type.dtype,) * 2):
        return None
    power = Known(10.0 ** abs(decimals.value))
    there, back = ("multiply", "divide") if decimals.value > 0 else ("divide", "multiply")
    return ew(t, back, ew(t, "rint", ew(t, there, a, power)), power)
