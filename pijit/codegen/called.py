"""Functions of ints in C, and Python's own functions of numbers (ir/called.py). Bits are counted in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.called import CALLED
from ..ir.types import INT
from . import symbols
from .ints import ZERO
from .llvm import F64, I1, I64, call, i64, intrinsic
from .rows import row

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver


@row("int_bits")
def _bits(d: Driver, op: Op) -> Any:
    a, b = d.scalar(op.args[0]), d.builder
    size = b.select(b.icmp_signed("<", a, ZERO), b.sub(ZERO, a), a)  # of the smallest int, all the same: bits have no sign
    if op.attrs["which"] == "count":
        return intrinsic(b, "ctpop", size)
    return b.sub(i64(64), intrinsic(b, "ctlz", size, I1(0)))


@row("int_math")
def _int_math(d: Driver, op: Op) -> Any:
    result = call(d.builder, f"pj_{op.attrs['name']}", I64, *map(d.scalar, op.args))
    d.exit_if(op, d.builder.icmp_signed("<", result, ZERO))
    return result


@row("called")
def _called(d: Driver, op: Op) -> Any:
    b, name = d.builder, f"pj_python_{op.attrs['name']}"
    symbols.register({name: id(CALLED[op.attrs["name"]].function)})
    place, ints = d.stack(len(op.args)), 0
    for number, arg in enumerate(op.args):
        ints |= (arg.type == INT) << number
        b.store(d.scalar(arg), b.gep(place, [i64(number)], inbounds=True, source_etype=I64))
    failed = call(b, "pj_rounded" if op.attrs["name"] == "round" else "pj_called", I64, d.data_symbol(name), i64(len(op.args)), i64(ints), place)
    d.exit_if(op, b.icmp_signed("!=", failed, ZERO))
    return b.load(place, typ=F64)
