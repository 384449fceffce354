"""Draws from a numpy.random.Generator or RandomState: the functions that its own methods call, on its own stream."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.draws import DRAWS
from ..ir.graph import Const
from ..ir.types import FLOAT, INT
from . import llvm_ir as ir
from . import pcg64, streams
from .floats import ZERO
from .ints import ONE
from .ints import ZERO as NONE
from .llvm import F64, I8, I64, PTR, call, i64, intrinsic, is_finite
from .rows import Unsupported, row

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ir.graph import Op
    from .driver import Driver


@row("draw")
def _draw(d: Driver, op: Op) -> Any:
    name = op.attrs["draw"]
    if not streams.usable(name):
        raise Unsupported(f"a draw ({name})")
    b, draw, function = d.builder, DRAWS[name], streams.register(name)
    if draw.owner == "Random":
        return _python(d, op, function)
    args = [d.scalar(arg) for arg in op.args[1:]]
    arguments = _ARGUMENTS[draw.method](d, op, *args) if args else []
    stream, draws_by = _stream(d, op)

    def by_numpy() -> Any:
        known = [b.icmp_unsigned("==", draws_by, d.data_symbol(streams.next_double(each))) for each in streams.KNOWN]
        d.exit_if(op, b.not_(reduce(b.or_, known)))
        return call(b, function, F64 if draw.result == FLOAT else I64, stream, *arguments)

    if pcg64.usable(name):
        return pcg64.draw(d, name, stream, draws_by, arguments, by_numpy)
    return by_numpy()


def _python(d: Driver, op: Op, function: str) -> Any:
    """Python's own random numbers, by the method in C, of which nobody else has hold while native code runs."""
    b, nothing = d.builder, ir.Constant(PTR, None)
    if DRAWS[op.attrs["draw"]].result == INT:
        bits = call(b, "pj_random_bits", I64, d.data_symbol(function), _owner(d, op), d.scalar(op.args[1]))
        d.exit_if(op, b.icmp_signed("<", bits, NONE))
        return bits
    number = call(b, function, PTR, _owner(d, op), nothing)
    failed = b.icmp_unsigned("==", number, nothing)
    with b.if_then(failed, likely=False):  # no memory
        call(b, "PyErr_Clear", ir.VoidType())
    d.exit_if(op, failed)
    value = call(b, "PyFloat_AsDouble", F64, number)
    call(b, "Py_DecRef", ir.VoidType(), number)
    return value


def _owner(d: Driver, op: Op) -> Any:
    """The object that draws: what a variable has, or the one behind the functions of a module."""
    owner = op.args[0]
    return d.data_symbol(streams.GLOBALS[DRAWS[op.attrs["draw"]].owner]) if isinstance(owner, Const) else d.object(owner)


def _stream(d: Driver, op: Op) -> tuple[Any, Any]:
    """The address of the stream, and what draws from it: where it is not one of NumPy's it may run anything. Leaves when somebody holds the
    lock, so that it is waited for as NumPy does."""
    b, place, generator = d.builder, streams.place(DRAWS[op.attrs["draw"]].owner), _owner(d, op)
    assert place is not None

    def at(owner: Any, offset: int, type: Any) -> Any:
        return b.load(b.gep(owner, [i64(offset)], inbounds=True, source_etype=I8), typ=type)

    lock = at(generator, place.lock, PTR)
    d.exit_if(op, b.icmp_unsigned("!=", at(lock, streams.TYPE, PTR), d.data_symbol(streams.LOCK_TYPE)))
    word = ir.IntType(8 * place.width)
    d.exit_if(op, b.icmp_unsigned("!=", at(lock, place.held, word), word(0)))
    draws_by = at(generator, place.stream + streams.NEXT_DOUBLE, PTR)
    return b.gep(generator, [i64(place.stream)], inbounds=True, source_etype=I8), draws_by


# ---- what the functions are given, and an exit where the methods raise ------------------------------------------------------


def _exit_unless_scale(d: Driver, op: Op, scale: Any) -> None:
    """From 0.0 on, which -0.0 is not."""
    b = d.builder
    signed = b.fcmp_ordered("<", intrinsic(b, "copysign", ir.Constant(F64, 1.0), scale), ZERO)
    d.exit_if(op, b.or_(b.fcmp_unordered("<", scale, ZERO), signed))


def _uniform(d: Driver, op: Op, low: Any, high: Any) -> list[Any]:
    width = d.builder.fsub(high, low)
    d.exit_if(op, d.builder.not_(is_finite(d.builder, width)))
    _exit_unless_scale(d, op, width)
    return [low, width]


def _normal(d: Driver, op: Op, loc: Any, scale: Any) -> list[Any]:
    _exit_unless_scale(d, op, scale)
    return [loc, scale]


def _exponential(d: Driver, op: Op, scale: Any) -> list[Any]:
    _exit_unless_scale(d, op, scale)
    return [scale]


def _integers(d: Driver, op: Op, low: Any, high: Any) -> list[Any]:
    """Also how the bits are chosen: those that the width has, again and again, or in Lemire's way."""
    b, draw = d.builder, DRAWS[op.attrs["draw"]]
    closed = draw.closed
    d.exit_if(op, b.icmp_signed(">" if closed else ">=", low, high))
    width = b.sub(high, low)
    width = width if closed else b.sub(width, ONE)
    if not draw.masked:
        return [low, width, NONE, NONE]
    unused = intrinsic(b, "ctlz", b.or_(width, ONE), ir.Constant(ir.IntType(1), 0))
    return [low, width, b.lshr(i64(-1), unused), ONE]


_ARGUMENTS: dict[str, Callable[..., list[Any]]] = {
    "uniform": _uniform, "normal": _normal, "exponential": _exponential, "integers": _integers, "randint": _integers
}  # fmt: skip
