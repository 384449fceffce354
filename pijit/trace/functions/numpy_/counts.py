"""How many elements of an array are not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....ir.types import Np
from ... import elementwise, operators
from ...values import Abstract, ArrayValue, Known, Scalar
from .composing import Given, composed
from .reductions import counted, sum_of_ints

if TYPE_CHECKING:
    from ...tracer import Tracer


@composed(np.count_nonzero, "a", "axis")
def _count_nonzero(t: Tracer, given: Given) -> Abstract | None:
    a, axis = given.get("a"), given.get("axis", Known(None))
    if not isinstance(a, ArrayValue) or not a.dims:
        return None
    some = mask_of(t, a)
    if some is None or not (isinstance(axis, Known) and axis.value is None):
        return None if some is None else sum_of_ints(t, "add", {"a": some, "axis": axis})
    return Scalar(operators.cast(t, counted(t, some), Np("int64")))


def mask_of(t: Tracer, a: ArrayValue) -> ArrayValue | None:
    """Which elements are not zero; None, and nothing emitted, where that takes NumPy."""
    if a.type.name == "bool":
        return a
    made = elementwise.attempt(t, "not_equal", a, Known(0))
    return made if isinstance(made, ArrayValue) else None
