"""Whole arrays: new ones, assignment, kernels."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.types import Array
from . import llvm_ir as ir
from .arrays import ArrayValue, array_of_object, scratch_array
from .assign import copy, element_in_memory
from .fills import fill_later
from .ints import ONE, ZERO
from .llvm import PTR, call, i64
from .rows import row

if TYPE_CHECKING:
    from ..ir.graph import Op, Value
    from .driver import Driver


@row("ramp")
def _ramp(d: Driver, op: Op) -> ArrayValue:
    type = op.result.type
    assert isinstance(type, Array)
    length, first, second = map(d.scalar, op.args)
    array = new_array(d, op, op.result, [length], [])
    helper = "pj_ramp_ints" if type.name == "int64" else "pj_ramp_floats"
    call(d.builder, helper, ir.VoidType(), array.data, length, first, second)
    return array


@row("empty")
def _empty(d: Driver, op: Op) -> ArrayValue:
    type = op.result.type
    assert isinstance(type, Array)
    dims = [d.scalar(a) for a in op.args[: type.ndim]]
    b = d.builder
    for dim in dims:
        d.exit_if(op, b.icmp_signed("<", dim, ZERO))
    array = new_array(d, op, op.result, dims, [])
    if op.attrs["filled"]:
        value = d.scalar(op.args[type.ndim])
        if op in d.backlog.later:
            fill_later(d, op, array, value)
        else:
            place = element_in_memory(d, value)
            steps = [ZERO] * type.ndim
            if not d.around.puts_off(op, array, place, steps):
                copy(d, array, place, steps)
    return array


def new_array(d: Driver, op: Op, result: Value, dims: list[Any], made: list[ArrayValue]) -> ArrayValue:
    """Leaves by "redo" when there is no memory, after releasing what was ``made`` for the same operation."""
    b, type = d.builder, result.type
    assert isinstance(type, Array)
    lengths, data = d.dims_on_stack(dims)
    kind = i64(type.dtype.num), i64(type.ndim), lengths, i64(type.order == "F")
    scratch = result in d.owners.scratch
    if scratch:
        owner = call(b, d.backlog.maker(op, "pj_scratch"), PTR, i64(type.dtype.itemsize), *kind, data)
    else:
        owner = call(b, d.backlog.maker(op, "pj_empty"), PTR, *kind)
    exit_and_release(d, op, b.icmp_unsigned("==", owner, PTR(None)), made)
    return scratch_array(b, type, owner, b.load(data, typ=PTR), dims) if scratch else array_of_object(d, owner, type, dims)


def exit_and_release(d: Driver, op: Op, condition: Any, made: list[ArrayValue]) -> None:
    """Leaves by "redo" when the condition holds, after releasing what was made."""
    if not made:
        d.exit_if(op, condition)
        return
    with d.rarely(condition):
        for array in made:
            array.release(d)
        d.exit_if(op, condition)


def size(b: Any, dims: list[Any]) -> Any:
    """The product of the lengths."""
    return reduce(lambda x, y: b.mul(x, y, flags=["nsw"]), dims, ONE)
