"""Lengths, indices, elements and views of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Op
from ..ir.types import Array
from . import llvm_ir as ir
from .arrays import array_value, load_element, store_element
from .ints import ONE, ZERO
from .llvm import DTYPES, I8, PTR, call, i64, intrinsic, llvm_type
from .rows import row

if TYPE_CHECKING:
    from ..ir.graph import Value
    from .driver import Driver


@row("dim")
def _dim(d: Driver, op: Op) -> Any:
    return d.array(op.args[0]).dims[op.attrs["axis"]]


@row("stride")
def _stride(d: Driver, op: Op) -> Any:
    array = d.array(op.args[0])
    return (array.shown(d.builder) if op.attrs.get("shown") else array.strides)[op.attrs["axis"]]


@row("check_index")
def _check_index(d: Driver, op: Op) -> Any:
    wrapped, inside = _try_index(d, op)
    d.exit_if(op, d.builder.not_(inside))
    return wrapped


@row("try_index")
def _try_index(d: Driver, op: Op) -> tuple[Any, Any]:
    index, length, b = *map(d.scalar, op.args), d.builder
    wrapped = b.select(b.icmp_signed("<", index, ZERO), b.add(index, length), index)
    return wrapped, b.icmp_unsigned("<", wrapped, length)


@row("check")
def _check(d: Driver, op: Op) -> None:
    d.exit_if(op, d.builder.not_(d.scalar(op.args[0])))


@row("load")
def _load(d: Driver, op: Op) -> Any:
    array = d.array(op.args[0])
    return load_element(d, array.address(d, [d.scalar(i) for i in op.args[1:]]), array.type.name, _region(d, op.args[0]))


@row("store")
def _store(d: Driver, op: Op) -> None:
    array = d.array(op.args[0])
    store_element(d, array.address(d, [d.scalar(i) for i in op.args[2:]]), d.scalar(op.args[1]), _region(d, op.args[0]))


@row("keep")
def _keep(d: Driver, op: Op) -> None:
    value, place = map(d.scalar, op.args)
    d.builder.store(value, _place(d, op, place, value.type)).set_metadata("tbaa", d.tags.kept)


@row("keep_run")
def _keep_run(d: Driver, op: Op) -> None:
    """As one vector where the elements lie behind each other."""
    b, array, count, moves = d.builder, d.array(op.args[0]), op.attrs["count"], op.attrs["moves"]
    *indices, place = map(d.scalar, op.args[1:])
    type, region = DTYPES[array.type.name], _region(d, op.args[0])
    if isinstance(array.steps[-1], ir.Constant) and moves[-1] == 1 and not any(moves[:-1]):
        values = b.load(array.address(d, indices), align=array.type.dtype.itemsize, typ=ir.VectorType(type, count))
        values.set_metadata("tbaa", region or d.tags.data)
        b.store(values, _place(d, op, place, type), align=array.type.dtype.itemsize).set_metadata("tbaa", d.tags.kept)
        return
    for number in range(count):
        at = [b.add(index, i64(number * move)) for index, move in zip(indices, moves, strict=True)]
        value = load_element(d, array.address(d, at), array.type.name, region)
        b.store(value, _place(d, op, b.add(place, i64(number)), type)).set_metadata("tbaa", d.tags.kept)


@row("kept")
def _kept(d: Driver, op: Op) -> Any:
    type = llvm_type(op.result.type)
    value = d.builder.load(_place(d, op, d.scalar(op.args[0]), type), typ=type)
    value.set_metadata("tbaa", d.tags.kept)
    return value


def _place(d: Driver, op: Op, place: Any, type: Any) -> Any:
    return d.builder.gep(d.kept(op.attrs["slot"], op.attrs["room"]), [place], inbounds=True, source_etype=type)


def _region(d: Driver, array: Value) -> Any:
    """What came in was there before anything was made here, and nothing of it goes away meanwhile."""
    while isinstance(array.op, Op) and array.op.name == "view":
        array = array.op.args[0]
    if array in d.graph.inputs:
        return d.tags.region("inputs")
    return d.tags.region(array) if isinstance(array.op, Op) and array.op.name == "empty" else None


@row("slice_bounds")
def _slice_bounds(d: Driver, op: Op) -> tuple[Any, Any]:
    """PySlice_AdjustIndices."""
    b, step, given = d.builder, op.attrs["step"], op.attrs["given"]
    *bounds, length = map(d.scalar, op.args)
    if len(bounds) < 2:  # absent ones may be left out
        bounds = [bounds.pop(0) if has else None for has in given]
    if step != 1 or all(isinstance(bound, ir.Constant) for bound, has in zip(bounds, given, strict=True) if has):
        return _adjusted(b, bounds, length, step, given)
    start, stop = (bound if has else end for bound, has, end in zip(bounds, given, (ZERO, length), strict=True))
    asked, inside = b.sub(stop, start), b.icmp_unsigned("<", start, stop)
    if given[1]:
        inside = b.and_(inside, b.icmp_unsigned("<=", stop, length))
    with d.rarely(b.not_(inside)) as merge:
        first, far = _adjusted(b, bounds, length, step, given)
    return merge.choose(start, first), merge.choose(asked, far)


def _adjusted(b: Any, bounds: list[Any], length: Any, step: int, given: tuple[bool, bool]) -> tuple[Any, Any]:
    """The same for any bounds."""
    lowest, highest = (ZERO, length) if step > 0 else (i64(-1), b.sub(length, ONE))
    ends = (lowest, highest) if step > 0 else (highest, lowest)
    start, stop = (
        _clamp(b, bound, length, lowest, highest) if has else end
        for bound, has, end in zip(bounds, given, ends, strict=True)
    )
    far = b.sub(stop, start) if step > 0 else b.sub(start, stop)
    if abs(step) != 1:
        far = b.add(b.sdiv(b.sub(far, ONE), i64(abs(step))), ONE)
    some = b.icmp_signed("<" if step > 0 else ">", start, stop)
    return b.select(some, start, ZERO), b.select(some, far, ZERO)


def _clamp(b: Any, bound: Any, length: Any, lowest: Any, highest: Any) -> Any:
    bound = b.select(b.icmp_signed("<", bound, ZERO), b.add(bound, length), bound)
    return intrinsic(b, "smin", intrinsic(b, "smax", bound, lowest), highest)


@row("view")
def _view(d: Driver, op: Op) -> Any:
    type = op.result.type
    assert isinstance(type, Array)
    base = d.array(op.args[0])
    offset, *rest = (d.scalar(a) for a in op.args[1:])
    data = d.builder.gep(base.data, [offset], source_etype=I8)
    made = array_value(d.builder, type, base.owner, data, rest[: type.ndim], rest[type.ndim :])
    made.base, made.axes = base, op.attrs["axes"]
    if d.owners.is_virtual(op.result):
        return made
    made.strides, made.base = made.shown(d.builder), None
    owner = made.make_object(d)
    with d.rarely(d.builder.icmp_unsigned("==", owner, PTR(None))):  # no memory: nothing else keeps the base's alive
        call(d.builder, "pj_retain", ir.VoidType(), base.owner)
    made.owner = owner
    return made
