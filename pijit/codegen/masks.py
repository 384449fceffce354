"""Indexing by masks: csrc/mask.c does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.types import Array
from . import llvm_ir as ir
from .arrays import ArrayValue, store_element
from .ints import ZERO
from .llvm import I1, I64, call, i64, intrinsic
from .rows import row
from .whole import new_array, size

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver


@row("mask_count")
def _mask_count(d: Driver, op: Op) -> Any:
    mask = d.array(op.args[0])
    block = d.dims_on_stack([*mask.dims, *mask.steps])[0]
    return call(d.builder, "pj_mask_count", I64, mask.data, i64(mask.type.ndim), block)


@row("mask_places")
def _mask_places(d: Driver, op: Op) -> ArrayValue:
    mask, count = d.array(op.args[0]), d.scalar(op.args[1])
    made = new_array(d, op, op.result, [count], [])
    block = d.dims_on_stack([*mask.dims, *mask.steps])[0]
    call(d.builder, "pj_mask_places", ir.VoidType(), made.data, mask.data, i64(mask.type.ndim), block, count)
    return made


# How often a mask of which many are true is not looked at before it is again: so many rounds of a loop may wait for each other (backlog.py). The
# first time _FIRST, then twice as often and that, at most _MOST: not longer than about as often as there were many.
_FIRST, _MOST = 3, 15


@row("mask_many")
def _mask_many(d: Driver, op: Op) -> tuple[Any, Any]:
    return _look(d, op, ZERO)


@row("mask_look")
def _mask_look(d: Driver, op: Op) -> None:
    _look(d, op, i64(1))


def _look(d: Driver, op: Op, soon: Any) -> tuple[Any, Any]:
    """Looks when no more than ``soon`` times are left without."""
    mask, b = d.array(op.args[0]), d.builder
    d.deferred.flush(d)
    left, patience = d.counter(op.attrs["slot"]), d.counter(-1 - op.attrs["slot"])
    seen = b.load(left, typ=I64)
    b.store(b.sub(seen, i64(1)), left)
    known, look, done = b.block, d.function.append_basic_block("look"), d.function.append_basic_block("on")
    b.cbranch(b.icmp_signed(">", seen, soon), done, look)
    b.position_at_end(look)
    d.backlog.leave(d)
    block = d.dims_on_stack([*mask.dims, *mask.steps])[0]
    count = call(b, "pj_mask_count", I64, mask.data, i64(mask.type.ndim), block)
    many = b.icmp_signed(">=", b.mul(count, i64(op.attrs["one_in"])), size(b, mask.dims))
    longer = intrinsic(b, "smin", b.add(b.mul(b.load(patience, typ=I64), i64(2)), i64(_FIRST)), i64(_MOST))
    for place in (left, patience):
        b.store(b.select(many, longer, ZERO), place)
    looked = b.block
    b.branch(done)
    b.position_at_end(done)
    made, found = b.phi(I1), b.phi(I64)
    for phi, value, place in ((made, I1(1), known), (made, many, looked), (found, ZERO, known), (found, count, looked)):
        phi.add_incoming(value, place)
    return made, found


@row("many_lately")
def _many_lately(d: Driver, op: Op) -> Any:
    return d.builder.icmp_signed(">", d.builder.load(d.counter(op.attrs["slot"]), typ=I64), ZERO)


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
