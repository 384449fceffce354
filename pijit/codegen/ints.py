"""Python ints in 64 bits: a result that does not fit is an exit, and the interpreter makes a big int."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .llvm import F64, I1, I64, INT64_MIN, i64, intrinsic
from .rows import row

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver

_EXACT = 1 << 53  # up to here every int is a float
ZERO, ONE = i64(0), i64(1)
_CHECKED = {"int_add": "sadd_with_overflow", "int_sub": "ssub_with_overflow", "int_mul": "smul_with_overflow"}
_PLAIN = {
    "int_and": "and_", "int_or": "or_", "int_xor": "xor", "raw_add": "add", "raw_sub": "sub", "raw_mul": "mul",
    "wrap_add": "add", "wrap_sub": "sub", "wrap_mul": "mul",
}  # fmt: skip


@row(*_CHECKED)
def _checked(d: Driver, op: Op) -> Any:
    return _with_overflow(d, op, _CHECKED[op.name], *map(d.scalar, op.args))


@row(*_PLAIN)
def _plain(d: Driver, op: Op) -> Any:
    # raw arithmetic is on lengths and offsets of things in memory: nsw lets LLVM reason about addresses
    flags = ["nsw"] if op.name.startswith("raw_") else []
    return getattr(d.builder, _PLAIN[op.name])(*map(d.scalar, op.args), flags=flags)


@row("raw_min", "raw_max")
def _raw_min_max(d: Driver, op: Op) -> Any:
    return intrinsic(d.builder, "smin" if op.name == "raw_min" else "smax", *map(d.scalar, op.args))


@row("int_invert")
def _int_invert(d: Driver, op: Op) -> Any:
    return d.builder.not_(d.scalar(op.args[0]))


@row("int_neg")
def _int_neg(d: Driver, op: Op) -> Any:
    return _with_overflow(d, op, "ssub_with_overflow", ZERO, d.scalar(op.args[0]))


@row("int_abs")
def _int_abs(d: Driver, op: Op) -> Any:
    a, b = d.scalar(op.args[0]), d.builder
    d.exit_if(op, b.icmp_signed("==", a, i64(INT64_MIN)))
    return b.select(b.icmp_signed("<", a, ZERO), b.neg(a), a)


@row("int_floordiv", "raw_floordiv")
def _int_floordiv(d: Driver, op: Op) -> Any:
    a, divisor, b = *map(d.scalar, op.args), d.builder
    known = _known(divisor)
    if known is not None and known > 0 and known & (known - 1) == 0:
        return b.ashr(a, i64(known.bit_length() - 1))
    if not known:
        d.exit_if(op, b.icmp_signed("==", divisor, ZERO))
    if known is None or known == -1:
        d.exit_if(op, b.and_(b.icmp_signed("==", a, i64(INT64_MIN)), b.icmp_signed("==", divisor, i64(-1))))
    quotient = b.sdiv(a, divisor)
    rest = b.sub(a, b.mul(quotient, divisor))
    return b.sub(quotient, b.zext(_signs_differ(b, rest, divisor), I64))


@row("int_mod", "raw_mod")
def _int_mod(d: Driver, op: Op) -> Any:
    a, divisor, b = *map(d.scalar, op.args), d.builder
    known = _known(divisor)
    if known is not None and known > 0 and known & (known - 1) == 0:
        return b.and_(a, i64(known - 1))
    if known:
        return ZERO if known == -1 else _remainder(b, a, divisor)
    # What is divided is often inside already, as a place in a ring: a division takes longer than all the rest.
    inside = b.and_(b.icmp_signed(">", divisor, ZERO), b.icmp_unsigned("<", a, divisor))
    with d.rarely(b.not_(inside)) as merge:
        d.exit_if(op, b.icmp_signed("==", divisor, ZERO))
        # the smallest int % -1 would trap
        rest = _remainder(b, a, b.select(b.icmp_signed("==", divisor, i64(-1)), ONE, divisor))
    return merge.choose(a, rest)


def _remainder(b: Any, a: Any, divisor: Any) -> Any:
    rest = b.srem(a, divisor)
    return b.add(rest, b.select(_signs_differ(b, rest, divisor), divisor, ZERO))


@row("int_truediv")
def _int_truediv(d: Driver, op: Op) -> Any:
    a, divisor, b = *map(d.scalar, op.args), d.builder
    d.exit_if(op, b.icmp_signed("==", divisor, ZERO))
    d.exit_if(op, b.or_(_inexact(b, a), _inexact(b, divisor)))
    return b.fdiv(b.sitofp(a, F64), b.sitofp(divisor, F64))


@row("int_exact_float")
def _int_exact_float(d: Driver, op: Op) -> Any:
    a = d.scalar(op.args[0])
    d.exit_if(op, _inexact(d.builder, a))
    return d.builder.sitofp(a, F64)


@row("int_to_float")
def _int_to_float(d: Driver, op: Op) -> Any:
    return d.builder.sitofp(d.scalar(op.args[0]), F64)


@row("int_lshift")
def _int_lshift(d: Driver, op: Op) -> Any:
    a, count, b = *map(d.scalar, op.args), d.builder
    d.exit_if(op, b.icmp_signed("<", count, ZERO))
    few = intrinsic(b, "smin", count, i64(63))
    shifted = b.shl(a, few)
    fits = b.and_(b.icmp_signed("==", b.ashr(shifted, few), a), b.icmp_signed("<", count, i64(64)))
    d.exit_if(op, b.not_(b.or_(fits, b.icmp_signed("==", a, ZERO))))
    return shifted


@row("int_rshift")
def _int_rshift(d: Driver, op: Op) -> Any:
    d.exit_if(op, d.builder.icmp_signed("<", d.scalar(op.args[1]), ZERO))
    return _raw_rshift(d, op)


@row("raw_rshift")
def _raw_rshift(d: Driver, op: Op) -> Any:
    a, count = map(d.scalar, op.args)
    return d.builder.ashr(a, intrinsic(d.builder, "smin", count, i64(63)))


@row("int_pow")
def _int_pow(d: Driver, op: Op) -> Any:
    base, power = map(d.scalar, op.args)
    d.exit_if(op, d.builder.icmp_signed("<", power, ZERO))
    return int_power(d, op, base, power)


def int_power(d: Driver, op: Op, base: Any, power: Any) -> Any:
    """base ** power for power >= 0 by squaring. A square that overflows is needed by the result, which then overflows
    too."""
    b = d.builder
    if _known(power) is not None and _known(power) <= 16:
        result = ONE
        for _ in range(_known(power)):
            result = base if result is ONE else _with_overflow(d, op, "smul_with_overflow", result, base)
        return result
    before = b.block
    names = ("pow_test", "pow_bit", "pow_multiply", "pow_shift", "pow_square", "pow_done")
    test, bit, multiply, shift, square, done = (d.function.append_basic_block(name) for name in names)
    b.branch(test)

    b.position_at_end(test)
    result, factor, left = b.phi(I64), b.phi(I64), b.phi(I64)
    b.cbranch(b.icmp_signed("==", left, ZERO), done, bit)

    b.position_at_end(bit)
    b.cbranch(b.trunc(left, I1), multiply, shift)

    b.position_at_end(multiply)
    product = _with_overflow(d, op, "smul_with_overflow", result, factor)
    after_multiply = b.block
    b.branch(shift)

    b.position_at_end(shift)
    next_result = b.phi(I64)
    next_result.add_incoming(result, bit)
    next_result.add_incoming(product, after_multiply)
    rest = b.lshr(left, ONE)
    b.cbranch(b.icmp_signed("==", rest, ZERO), done, square)

    b.position_at_end(square)
    next_factor = _with_overflow(d, op, "smul_with_overflow", factor, factor)
    for phi, first, again in ((result, ONE, next_result), (factor, base, next_factor), (left, power, rest)):
        phi.add_incoming(first, before)
        phi.add_incoming(again, b.block)
    b.branch(test)

    b.position_at_end(done)
    answer = b.phi(I64)
    answer.add_incoming(result, test)
    answer.add_incoming(next_result, shift)
    return answer


def _with_overflow(d: Driver, op: Op, name: str, left: Any, right: Any) -> Any:
    pair = getattr(d.builder, name)(left, right)
    d.exit_if(op, d.builder.extract_value(pair, 1))
    return d.builder.extract_value(pair, 0)


def _known(value: Any) -> Any:
    return getattr(value, "constant", None)


def _signs_differ(b: Any, rest: Any, divisor: Any) -> Any:
    return b.and_(b.icmp_signed("!=", rest, ZERO), b.icmp_signed("<", b.xor(rest, divisor), ZERO))


def _inexact(b: Any, a: Any) -> Any:
    return b.icmp_unsigned(">", b.add(a, i64(_EXACT)), i64(2 * _EXACT))
