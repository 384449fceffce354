"""a[...] = v, as if v had been copied first."""

from __future__ import annotations

from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from ..ir.types import Array
from .arrays import ArrayValue, load_element, store_element
from .ints import ZERO
from .llvm import I1, I8, I64, PTR, call, i64, intrinsic
from .loops import nest
from .rows import row
from .whole import new_array, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ir.graph import Op
    from .driver import Driver


@row("assign")
def _assign(d: Driver, op: Op) -> None:
    target, source = d.array(op.args[0]), d.value(op.args[1])
    if not isinstance(source, ArrayValue):
        with nest(d, _lengths(target)) as indices:
            store_element(d, target.address(d, _in_order(target, indices)), source)
        return
    stretch = stretched(op, 1)[-1]
    if target.type.ndim != source.type.ndim or stretch:
        _assign_array(d, op, target, source, stretch)
        return
    with _unless(d, _same(d, target, source)):  # x[i:j] += y stores the slice into itself
        if _one_block(target, source):
            _move(d, target, source)
        else:
            _assign_array(d, op, target, source, stretch)


@contextmanager
def _unless(d: Driver, condition: Any) -> Iterator[None]:
    body, done = d.function.append_basic_block("other"), d.function.append_basic_block("on")
    d.builder.cbranch(condition, done, body)
    d.builder.position_at_end(body)
    yield
    d.builder.branch(done)
    d.builder.position_at_end(done)


def _assign_array(d: Driver, op: Op, target: ArrayValue, source: ArrayValue, stretch: frozenset[int]) -> None:
    with d.rarely(_overlap(d, target, source)) as merge:
        temporary = _copied(d, op, source)
    owner, data = merge.choose(PTR(None), temporary.owner), merge.choose(source.data, temporary.data)
    steps = [merge.choose(*pair) for pair in zip(source.steps, temporary.steps, strict=True)]
    _copy(d, target, ArrayValue(source.type, owner, data, source.dims, steps, steps), stretch)
    with d.rarely(d.builder.icmp_unsigned("!=", owner, PTR(None))):
        call(d.builder, "pj_release", ir.VoidType(), owner)


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


def _lengths(array: ArrayValue) -> list[Any]:
    """The lengths, those of the outermost loop first."""
    return array.dims[::-1] if array.type.order == "F" else list(array.dims)


def _in_order(array: ArrayValue, indices: list[Any]) -> list[Any]:
    return indices[::-1] if array.type.order == "F" else indices


def _one_block(target: ArrayValue, source: ArrayValue) -> bool:
    return target.type.order == source.type.order in ("C", "F") and target.type.ndim == source.type.ndim


def _move(d: Driver, target: ArrayValue, source: ArrayValue) -> None:
    nbytes = size(d.builder, [i64(target.type.dtype.itemsize), *target.dims])
    name = "llvm.memmove.p0.p0.i64"
    kind = ir.FunctionType(ir.VoidType(), [PTR, PTR, I64, I1])
    function = d.module.globals.get(name) or ir.Function(d.module, kind, name)
    d.builder.call(function, [target.data, source.data, nbytes, I1(0)])


def _overlap(d: Driver, one: ArrayValue, other: ArrayValue) -> Any:
    """Whether the extents in memory overlap: a copy too many is harmless. The same elements in the same order need
    none."""
    b = d.builder
    (low, high), (other_low, other_high) = extent(d, one), extent(d, other)
    crossed = b.and_(b.icmp_unsigned("<", low, other_high), b.icmp_unsigned("<", other_low, high))
    if one.type.ndim != other.type.ndim:
        return crossed
    return b.and_(crossed, b.not_(_same(d, one, other)))


def _same(d: Driver, one: ArrayValue, other: ArrayValue) -> Any:
    """Whether two arrays of one shape are the same elements in the same order."""
    pairs = zip([one.data, *one.steps], [other.data, *other.steps], strict=True)
    return reduce(d.builder.and_, [d.builder.icmp_unsigned("==", x, y) for x, y in pairs])


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


def _copied(d: Driver, op: Op, source: ArrayValue) -> ArrayValue:
    made = new_array(d, op, Array(source.type.name, source.type.ndim, "C"), source.dims, [])
    _copy(d, made, source, frozenset())
    return made


def _copy(d: Driver, target: ArrayValue, source: ArrayValue, stretch: frozenset[int]) -> None:
    steps = operand_steps(source, target.type.ndim, stretch)
    with nest(d, _lengths(target)) as loops:
        indices = _in_order(target, loops)
        value = load_element(d, at(d, source.data, steps, indices), source.type.name)
        store_element(d, target.address(d, indices), value)
