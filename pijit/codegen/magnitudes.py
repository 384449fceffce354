"""Magnitudes of complex numbers that are only compared with one number: for most of them the sum of the squares says on which side they are, and
whatever is on that side will do in their place. NumPy's loop is asked only for a tile where one is too near to tell, or is no number.
"""

from __future__ import annotations

from typing import Any

from ..ir.kernel import Kernel
from . import llvm_ir as ir

_COMPARES = frozenset({"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"})
_MARGIN = 2.0**-46  # NumPy's magnitude, and our squares, are off by less
_LARGEST = 1e140  # squares of what is between this and its reciprocal are numbers like any other
_F64 = ir.DoubleType()
_I64 = ir.IntType(64)
_INF = 0x7FF << 52  # the bits; those of what is no number are more


def compared(kernel: Kernel, number: int) -> int | None:
    """The operand, a number, that the step's result is compared with; None if it is needed for something else."""
    first, step = len(kernel.operands), kernel.steps[number]
    reference = first + number
    users = [other for other in kernel.steps if reference in other.args]
    elsewhere = {*kernel.outputs, *(made.reference for made in (kernel.store, kernel.fold) if made is not None)}
    if step.ufunc != "absolute" or kernel.dtype(step.args[0]) != "complex128" or reference in elsewhere:
        return None
    if not users or any(user.ufunc not in _COMPARES or user.args.count(reference) != 1 for user in users):
        return None
    others = {arg for user in users for arg in user.args} - {reference}
    (other,) = others if len(others) == 1 else (first,)
    return other if other < first and kernel.operands[other].strides is None and kernel.dtype(other) == "float64" else None


def bounds(b: ir.IRBuilder, limit: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The square of the limit, and how near to it the side is not known: however far where the limit is no ordinary number."""
    square = b.fmul(limit, limit)
    ordinary = b.and_(b.fcmp_ordered(">", limit, _F64(1 / _LARGEST)), b.fcmp_ordered("<", limit, _F64(_LARGEST)))
    return square, b.select(ordinary, b.fmul(square, _F64(_MARGIN)), _F64(float("inf")))


def side(b: ir.IRBuilder, value: Any, square: ir.Value, near: ir.Value) -> tuple[ir.Value, ir.Value]:
    """0 or infinity, on the same side as the magnitude, and an int that is negative where that is not known: signs are gathered faster than
    conditions, and what is no number raises no flag. The squares raise what NumPy's loop raises, and more; what is too small is no matter
    (ir/errors.py)."""
    one, other = value
    total = b.fadd(b.fmul(one, one), b.fmul(other, other))
    is_nan = b.sub(_I64(_INF), b.bitcast(_size(b, total), _I64))
    difference = b.fsub(total, square)
    far = b.bitcast(b.fsub(near, _size(b, difference)), _I64)
    below = b.ashr(b.bitcast(difference, _I64), _I64(63))
    return b.bitcast(b.and_(b.not_(below), _I64(_INF)), _F64), b.or_(is_nan, b.not_(far))


def _size(b: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return b.call(b.module.declare_intrinsic("llvm.fabs", [_F64]), [value])
