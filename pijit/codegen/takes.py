"""Indexing by an array of places: csrc/take.c does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.types import Array
from .ints import ZERO
from .llvm import I64, call, i64
from .rows import row
from .whole import exit_and_release, new_array, size

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .arrays import ArrayValue
    from .driver import Driver


def kind(array: ArrayValue) -> Any:
    """As csrc/ints.h wants it."""
    dtype = array.type.dtype
    return i64(-dtype.itemsize if dtype.kind == "i" else dtype.itemsize)


def ints_words(d: Driver, array: ArrayValue) -> list[Any]:
    """Kind, step and length of ints that lie one after the other; of several axes in the order of indices."""
    step = array.steps[0] if array.type.ndim == 1 else i64(array.type.dtype.itemsize)
    return [kind(array), step, size(d.builder, array.dims)]


@row("take")
def _take(d: Driver, op: Op) -> ArrayValue:
    type, lead = op.result.type, op.attrs["lead"]
    assert isinstance(type, Array)
    source, index = d.array(op.args[0]), d.array(op.args[1])
    made = new_array(d, op, op.result, [d.scalar(arg) for arg in op.args[2:]], [])
    others = [axis for axis in range(source.type.ndim) if axis != lead]
    numbers: list[Any] = [*ints_words(d, index), source.dims[lead], source.steps[lead], i64(len(others))]
    numbers += [source.dims[axis] for axis in others] + [source.steps[axis] for axis in others]
    block = d.dims_on_stack(numbers)[0]
    done = call(d.builder, "pj_take", I64, made.data, source.data, index.data, i64(type.dtype.itemsize), block)
    exit_and_release(d, op, d.builder.icmp_signed("==", done, ZERO), [made])
    return made


@row("list_ints")
def _list_ints(d: Driver, op: Op) -> ArrayValue:
    type, length = op.result.type, d.scalar(op.args[1])
    assert isinstance(type, Array)
    made = new_array(d, op, op.result, [length], [])
    done = call(d.builder, "pj_list_ints", I64, d.object(op.args[0]), made.data, length)
    exit_and_release(d, op, d.builder.icmp_signed("==", done, ZERO), [made])
    return made
