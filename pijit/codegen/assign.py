"""a[...] = v, as NumPy does it (csrc/copy.c)."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from .arrays import ArrayValue, store_element
from .ints import ZERO
from .llvm import I8, I64, call, i64, intrinsic
from .rows import row

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver


@row("assign")
def _assign(d: Driver, op: Op) -> None:
    target, source = d.array(op.args[0]), d.value(op.args[1])
    if isinstance(source, ArrayValue):
        steps = operand_steps(source, target.type.ndim, stretched(op, 1)[-1])

        def copy_now() -> None:
            done = copy(d, target, source.data, steps)
            d.exit_if(op, d.builder.icmp_signed("==", done, ZERO))

        if op in d.backlog.later:
            from .fills import copy_later

            copy_later(d, target, source, copy_now)
        elif not d.around.puts_off(op, target, source.data, steps):
            copy_now()
    else:
        fill(d, target, source)


def fill(d: Driver, target: ArrayValue, value: Any) -> None:
    """target[...] = value."""
    copy(d, target, element_in_memory(d, value), [ZERO] * target.type.ndim)


def element_in_memory(d: Driver, value: Any) -> Any:
    """The place of an element that is the value."""
    place = d.stack(2)
    store_element(d, place, value)
    return place


def copy(d: Driver, target: ArrayValue, source: Any, steps: list[Any]) -> Any:
    """Copies elements; gives 0 when there is no memory for what would be overwritten."""
    ndim = target.type.ndim
    block = d.dims_on_stack([*target.dims, *target.steps, *steps])[0]
    return call(d.builder, "pj_assign", I64, target.data, source, i64(target.type.dtype.itemsize), i64(ndim), block)


def stretched(op: Op, operands: int) -> list[frozenset[int]]:
    """Per operand, its axes that are stretched. With one operand the axes may be given as they are."""
    given = op.attrs.get("stretch") or ()
    if all(isinstance(axis, int) for axis in given):
        given = (given,) * operands
    return [frozenset(axes or ()) for axes in given]


def operand_steps(source: ArrayValue, ndim: int, stretch: frozenset[int]) -> list[Any]:
    """The byte steps of an operand along the axes of the result."""
    own = [i64(0) if axis in stretch else step for axis, step in enumerate(source.steps)]
    return [i64(0)] * (ndim - len(own)) + own


def at(d: Driver, data: Any, steps: list[Any], indices: list[Any]) -> Any:
    """A pointer to the element at the indices."""
    b = d.builder
    terms = [b.mul(index, step, flags=["nsw"]) for index, step in zip(indices, steps, strict=True)]
    offset = reduce(lambda x, y: b.add(x, y, flags=["nsw"]), terms, ZERO)
    return b.gep(data, [offset], inbounds=True, source_etype=I8)


def extent(d: Driver, array: ArrayValue) -> tuple[Any, Any]:
    """The first address of the memory that an array lies in, and the one after it."""
    b = d.builder
    low = b.ptrtoint(array.data, I64)
    high = b.add(low, i64(array.type.dtype.itemsize))
    for dim, step in zip(array.dims, array.steps, strict=True):
        reach = b.mul(b.sub(dim, i64(1)), step)
        low = b.add(low, intrinsic(b, "smin", reach, ZERO))
        high = b.add(high, intrinsic(b, "smax", reach, ZERO))
    return low, high
