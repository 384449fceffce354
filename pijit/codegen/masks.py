"""Indexing by masks: csrc/mask.c does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from ..ir.types import Array
from .arrays import ArrayValue, store_element
from .ints import ZERO
from .llvm import I64, call, i64
from .rows import row
from .whole import new_array

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver


@row("mask_count")
def _mask_count(d: Driver, op: Op) -> Any:
    mask = d.array(op.args[0])
    block = d.dims_on_stack([*mask.dims, *mask.steps])[0]
    return call(d.builder, "pj_mask_count", I64, mask.data, i64(mask.type.ndim), block)


@row("pick")
def _pick(d: Driver, op: Op) -> ArrayValue:
    type = op.result.type
    assert isinstance(type, Array)
    source, mask = d.array(op.args[0]), d.array(op.args[1])
    dims = [d.scalar(arg) for arg in op.args[2:]]
    made = new_array(d, op, op.result, dims, [])
    block = _block(d, source, mask, op.attrs["lead"], dims[0], made.steps)
    call(d.builder, "pj_pick", ir.VoidType(), made.data, source.data, mask.data, i64(type.dtype.itemsize), block)
    return made


@row("place")
def _place(d: Driver, op: Op) -> None:
    target, source, mask, count = (d.value(arg) for arg in op.args)
    lead, others = op.attrs["lead"], target.type.ndim - mask.type.ndim
    if isinstance(source, ArrayValue):
        data = source.data
        own = [i64(0) if axis in op.attrs["stretch"] else step for axis, step in enumerate(source.steps)]
        steps = [own[lead], *own[:lead], *own[lead + 1 :]]
    else:
        data, steps = d.stack(2), [i64(0)] * (others + 1)
        store_element(d, data, source)
    block = _block(d, target, mask, lead, count, steps)
    done = call(d.builder, "pj_place", I64, target.data, data, mask.data, i64(target.type.dtype.itemsize), block)
    d.exit_if(op, d.builder.icmp_signed("==", done, ZERO))


def _block(d: Driver, array: ArrayValue, mask: ArrayValue, lead: int, count: Any, steps: list[Any]) -> Any:
    """As the helpers want it; ``steps``: of what is packed, along the mask and the other axes."""
    ndim = mask.type.ndim
    own, rest = slice(lead, lead + ndim), [axis for axis in range(array.type.ndim) if not lead <= axis < lead + ndim]
    numbers = [i64(ndim), i64(len(rest)), count, *mask.dims, *mask.steps, *array.steps[own]]
    numbers += [array.dims[axis] for axis in rest] + [array.steps[axis] for axis in rest] + steps[1:] + steps[:1]
    return d.dims_on_stack(numbers)[0]
