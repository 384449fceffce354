"""Matrix products: of small matrices natively, by the inner loop that NumPy calls; else NumPy is called."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ir.types import Array
from ..ir.ufuncs import LARGEST_PRODUCT
from . import opaque, standins
from .values import Abstract, ArrayValue, Scalar

if TYPE_CHECKING:
    from .tracer import Tracer


def matmul(t: Tracer, python: Callable[..., Any], left: Abstract, right: Abstract) -> Abstract:
    """left @ right."""
    from .tracer import compare

    if not (isinstance(left, ArrayValue) and isinstance(right, ArrayValue) and _native(t, left, right)):
        return opaque.call_pure(t, python, [left, right], {})
    t.check(compare(t, "==", left.dims[-1], right.dims[-len(right.dims)]), "shape_mismatch")
    dims = (*left.dims[:-1], *right.dims[1:])
    if not dims:
        return Scalar(t.emit("matmul", (left.value, right.value), left.type.element))
    return ArrayValue(t.emit("matmul", (left.value, right.value), Array(left.type.name, len(dims), "C")), dims)


def _native(t: Tracer, left: ArrayValue, right: ArrayValue) -> bool:
    ranks = {len(left.dims), len(right.dims)}
    if left.type.name != right.type.name or not ranks <= {1, 2} or not t.limits.product(left.type.name):
        return False
    own = (*left.dims[:-1], *right.dims[1:])
    lengths = [standins.actual_length(t, dim) for dim in (*own, left.dims[-1])]
    return math.prod(length for length in lengths if length is not None) <= LARGEST_PRODUCT and 0 not in lengths[: len(own)]
