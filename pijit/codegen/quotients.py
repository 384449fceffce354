"""Quotients and remainders of integers in arrays, rounded down, without the processor's division, which takes longer than all the rest
and has no vectors.

What floats say is at most one off, and is put right in integers. With F's unit roundoff u, `a * (1 / d)` is off by less than 3 u |a / d|.

1. Up to 32 bits, 3 u |a| < 1: the floor differs from the true one only where d divides a, and is one too small there.
2. In 64 bits the first quotient, truncated, leaves a rest of at most |d| + 2**12, that fits; that of the rest is off by less than one,
   so the floor of it is at most one off, in either way.
3. Nothing raises a flag but the inexact one: conversions stay in range.

A divisor d that stays the same is inverted once, in integers of N bits: with v = floor((2**N - 1) / d), x v / 2**N is less than x / 2**N <= 1
below x / d, so that the upper half of the product is the quotient or one too small. Where it is cheap to have 2 N bits, (x + 1) v / 2**2N
needs not be put right: it is not above (x + 1) / d, and below that by less than 1 / d. What is divided is not negative: floor(x / d) is
the complement of floor(~x / d).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import llvm_ir as ir

if TYPE_CHECKING:
    from .scalars import Emitter

_I16, _I32, _I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_F32, _F64 = ir.FloatType(), ir.DoubleType()
_LARGEST = {"int64": float(2**63 - 1024), "uint64": float(2**64 - 2048)}  # the last floats that fit


def quotient(e: Emitter, dtype: str, a: ir.Value, b: ir.Value, may_overflow: bool) -> tuple[ir.Value, ir.Value]:
    """a // b and a % b of integers of one type; garbage, but no trap, for division by 0, which is trouble, and for min // -1, which is unless
    it may overflow."""
    builder, zero, one = e.builder, a.type(0), a.type(1)
    bad = builder.icmp_signed("==", b, zero)
    e.trouble.append(bad)
    if e.steady and not e.scalar:
        if dtype[0] == "i" and not may_overflow:
            e.trouble.append(_overflows(e, a, b))
        return _inverted(e, dtype, a, builder.select(bad, one, b))
    if dtype[0] == "i":
        overflows = _overflows(e, a, b)
        if not may_overflow:
            e.trouble.append(overflows)
        if may_overflow or e.scalar:  # a choice beside what is trouble anyway would become a branch, and a loop with one has no vectors
            a = builder.select(overflows, zero, a)  # not another divisor, that would change with a
    b = builder.select(bad, one, b)
    if e.scalar:  # nothing beside it that could be divided at once
        return _single(e, dtype, a, b)
    return {"int64": _wide, "uint64": _widest}.get(dtype, _narrow)(e, dtype, a, b)


def _single(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    builder = e.builder
    if dtype[0] == "u":
        return builder.udiv(a, b), builder.urem(a, b)
    whole, rest = builder.sdiv(a, b), builder.srem(a, b)
    below = _signs_differ(e, rest, b)
    return builder.sub(whole, builder.zext(below, a.type)), builder.select(below, builder.add(rest, b), rest)


def _signs_differ(e: Emitter, rest: ir.Value, b: ir.Value) -> ir.Value:
    builder, zero = e.builder, rest.type(0)
    return builder.and_(builder.icmp_signed("!=", rest, zero), builder.icmp_signed("<", builder.xor(rest, b), zero))


def _overflows(e: Emitter, a: ir.Value, b: ir.Value) -> ir.Value:
    """Whether a // b does not fit."""
    least = a.type(-(2 ** (a.type.width - 1)))
    return e.builder.and_(e.builder.icmp_signed("==", a, least), e.builder.icmp_signed("==", b, a.type(-1)))


def _inverted(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    """By a divisor that stays the same."""
    builder, last = e.builder, a.type(a.type.width - 1)
    if dtype[0] == "u":
        return _unsigned(builder, a, b)
    sign = builder.ashr(b, last)
    least = builder.and_(a, sign)  # -min is not below 0, though it looks like it
    a, b = (builder.sub(builder.xor(value, sign), sign) for value in (a, b))
    below = builder.ashr(builder.and_(a, builder.not_(least)), last)
    whole, rest = _unsigned(builder, builder.xor(a, below), b)
    rest = builder.add(builder.xor(rest, below), builder.and_(b, below))
    return builder.xor(whole, below), builder.sub(builder.xor(rest, sign), sign)


def _unsigned(builder: ir.IRBuilder, x: ir.Value, d: ir.Value) -> tuple[ir.Value, ir.Value]:
    kind = x.type
    if kind.width == 8:
        one = _I16(1)
        inverse = builder.udiv(_I16(-1), builder.zext(d, _I16))
        whole = builder.trunc(_upper_half(builder, builder.add(builder.zext(x, _I16), one), inverse), kind)
        return whole, builder.sub(x, builder.mul(whole, d))
    whole = _upper_half(builder, x, builder.udiv(kind(-1), d))
    rest = builder.sub(x, builder.mul(whole, d))
    more = builder.icmp_unsigned(">=", rest, d)
    return builder.add(whole, builder.zext(more, kind)), builder.select(more, builder.sub(rest, d), rest)


def _upper_half(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Of the product. In 64 bits by the products of the halves, which vectors have."""
    kind, bits = a.type, a.type.width
    if bits < 64:
        type = ir.FunctionType(kind, [kind, kind, _I32])
        return builder.call(builder.module.declare_intrinsic("llvm.umul.fix", [kind], type), [a, b, _I32(bits)])
    low, half = kind(2**32 - 1), kind(32)
    (a0, a1), (b0, b1) = ((builder.and_(value, low), builder.lshr(value, half)) for value in (a, b))
    b1 = builder.and_(_opaque(builder, b1), low)
    middle = builder.add(builder.mul(a1, b0), builder.lshr(builder.mul(a0, b0), half))
    other = builder.add(builder.mul(a0, b1), builder.and_(middle, low))
    return builder.add(builder.add(builder.mul(a1, b1), builder.lshr(middle, half)), builder.lshr(other, half))


def _opaque(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The same, where LLVM must not see how it was made: it would take the sum of products for one of 128 bits, which no vector has."""
    return builder.asm(ir.FunctionType(value.type, [value.type]), "", "=r,0", [value], False, " readnone nounwind")


def _narrow(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    builder, kind, wide = e.builder, a.type, a.type.width == 32
    to_float = builder.uitofp if dtype == "uint32" else builder.sitofp
    if not wide:
        a, b = ((builder.zext if dtype[0] == "u" else builder.sext)(x, _I32) for x in (a, b))
    x, d = (to_float(value, _F64 if wide else _F32) for value in (a, b))
    floor = e.call("llvm.floor", builder.fmul(x, builder.fdiv(d.type(1.0), d)))
    whole = _to_uint32(builder, floor) if dtype == "uint32" else builder.fptosi(floor, a.type)
    rest = builder.sub(a, builder.mul(whole, b))
    exact = builder.icmp_signed("==", rest, b)
    whole, rest = builder.add(whole, builder.zext(exact, a.type)), builder.select(exact, a.type(0), rest)
    return (whole, rest) if wide else (builder.trunc(whole, kind), builder.trunc(rest, kind))


def _to_uint32(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    """Of a whole number from 0 to 2**32 - 1. Processors without AVX-512 have no such conversion, and what stands for it raises the invalid flag: the
    last bits of x + 2**52 are the number."""
    return builder.trunc(builder.bitcast(builder.fadd(x, _F64(2.0**52)), _I64), _I32)


def _to_uint64(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    """Of a number from 0 to 2**64 - 2048, with no flag for the same reason."""
    large, half = builder.fcmp_ordered(">=", x, _F64(2.0**63)), _F64(2.0**63)
    whole = builder.fptosi(builder.select(large, builder.fsub(x, half), x), _I64)
    return builder.xor(whole, builder.select(large, _I64(-(2**63)), _I64(0)))


def _wide(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    builder, kind, largest = e.builder, a.type, _F64(_LARGEST[dtype])
    to_float = builder.uitofp if dtype == "uint64" else builder.sitofp
    inverse = builder.fdiv(_F64(1.0), builder.sitofp(b, _F64))
    first = builder.fmul(to_float(a, _F64), inverse)
    first = builder.select(builder.fcmp_ordered(">", first, largest), largest, first)
    if dtype == "int64":
        least = _F64(-_LARGEST[dtype])
        first = builder.select(builder.fcmp_ordered("<", first, least), least, first)
    whole = _to_uint64(builder, first) if dtype == "uint64" else builder.fptosi(first, kind)
    rest = builder.sub(a, builder.mul(whole, b))
    second = builder.fptosi(e.call("llvm.floor", builder.fmul(builder.sitofp(rest, _F64), inverse)), kind)
    whole, rest = builder.add(whole, second), builder.sub(rest, builder.mul(second, b))

    below = _signs_differ(e, rest, b)
    whole, rest = builder.sub(whole, builder.zext(below, kind)), builder.select(below, builder.add(rest, b), rest)
    sign = builder.ashr(b, kind(63))  # of negative divisors the complements are compared
    above = builder.icmp_signed(">=", builder.xor(rest, sign), builder.xor(b, sign))
    return builder.add(whole, builder.zext(above, kind)), builder.select(above, builder.sub(rest, b), rest)


def _widest(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Divisors from 2**63 on, whose quotients are 0 or 1, are not divided by."""
    builder, zero, one = e.builder, a.type(0), a.type(1)
    huge = builder.icmp_signed("<", b, zero)
    whole, rest = _wide(e, dtype, a, builder.select(huge, one, b))
    once = builder.icmp_unsigned(">=", a, b)
    left = builder.select(once, builder.sub(a, b), a)
    return builder.select(huge, builder.zext(once, a.type), whole), builder.select(huge, left, rest)
