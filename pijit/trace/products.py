"""Products of matrices, vectors and stacks of matrices: of small ones natively, by the inner loop that NumPy's matmul calls; else NumPy is called."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ir.errors import ErrorState
from ..ir.graph import Value, const
from ..ir.types import INT, Array
from ..ir.ufuncs import largest_product
from . import elementwise, opaque, standins
from .values import Abstract, ArrayValue, Scalar

if TYPE_CHECKING:
    from .tracer import Tracer


def matmul(t: Tracer, python: Callable[..., Any], left: Abstract, right: Abstract) -> Abstract:
    """left @ right."""
    from .addresses import compare

    if not (isinstance(left, ArrayValue) and isinstance(right, ArrayValue) and _native(t, left, right)):
        return opaque.call_pure(t, python, [left, right], {})
    t.check(compare(t, "==", left.dims[-1], right.dims[max(len(right.dims) - 2, 0)]), "shape_mismatch")
    return _product(t, "matmul", left, right)


def dot(t: Tracer, name: str, left: Abstract, right: Abstract) -> Abstract | None:
    """np.dot(left, right), or np.vdot(left, right), which looks at no floating-point flags, where they give what matmul gives: NumPy adds the same
    numbers in the same order in arrays that need no copy, and of which no axis has length 1. None elsewhere."""
    from .addresses import compare

    if not (isinstance(left, ArrayValue) and isinstance(right, ArrayValue) and _native(t, left, right) and t.limits.dot(left.type.name)):
        return None
    if max(len(left.dims), len(right.dims)) > 2:
        return None
    vectors = len(left.dims) == len(right.dims) == 1
    if vectors and left.type.dtype.kind != "f":
        return None
    if name == "vdot" and not (vectors and left.type.order == right.type.order == "C"):
        return None
    if not all(_fits(t, array) for array in (left, right)):
        return None
    t.check(compare(t, "==", left.dims[-1], right.dims[-len(right.dims)]), "shape_mismatch")
    return _product(t, name, *(_forward(t, array) for array in (left, right)))


def _step(t: Tracer, vector: ArrayValue) -> int:
    """Bytes from one element to the next in what came; 0: unknown, too."""
    return standins.actual_step(t, vector) or 0


def _fits(t: Tracer, array: ArrayValue) -> bool:
    if len(array.dims) == 1:
        return _step(t, array) != 0
    return array.type.order == "C" and all(standins.actual_length(t, dim) != 1 for dim in array.dims)


def _forward(t: Tracer, array: ArrayValue) -> ArrayValue:
    """The operand as np.dot takes it: it copies a vector that goes backward."""
    from .addresses import compare

    if len(array.dims) > 1 or _step(t, array) > 0:
        return array
    t.check(compare(t, "<", t.once("stride", (array.value,), INT, axis=0), const(0)), "shape_mismatch")
    made = ArrayValue(t.emit("empty", array.dims, Array(array.type.name, 1, "C"), filled=False), array.dims)
    elementwise.assign(t, made, array)
    return made


def _product(t: Tracer, function: str, left: ArrayValue, right: ArrayValue) -> Abstract:
    stack = elementwise.broadcast(t, [left.dims[:-2], right.dims[:-2]])
    dims = (*stack, *_matrix(left, right))
    type = Array(left.type.name, len(dims), "C") if dims else left.type.element
    stretch = tuple(tuple(axis for axis, dim in enumerate(array.dims[:-2]) if elementwise.is_one(dim)) for array in (left, right))
    made = t.emit("matmul", (left.value, right.value, *stack), type, function=function, stretch=stretch)
    if function == "vdot":
        t.block.ops[-1].attrs["errors"] = ErrorState(watched=0)
    return ArrayValue(made, dims) if dims else Scalar(made)


def _matrix(left: ArrayValue, right: ArrayValue) -> tuple[Value, ...]:
    """How long the product of two matrices or vectors is."""
    return (*left.dims[-2:-1], *right.dims[max(len(right.dims) - 1, 1) :])


def _native(t: Tracer, left: ArrayValue, right: ArrayValue) -> bool:
    if left.type.name != right.type.name or 0 in (len(left.dims), len(right.dims)) or not t.limits.product(left.type.name):
        return False
    if any(len(array.dims) > 3 and array.type.order not in ("C", "S") for array in (left, right)):
        return False  # the result may lie otherwise
    own = (*left.dims[:-2], *right.dims[:-2], *_matrix(left, right))
    lengths = [standins.actual_length(t, dim) for dim in (*own, left.dims[-1])]
    return math.prod(length for length in lengths if length is not None) <= largest_product(left.type.name) and 0 not in lengths[: len(own)]
