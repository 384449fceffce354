"""One ufunc on one element: the table from (ufunc, dtype) to LLVM instructions with NumPy's bits and floating-point flags.

Values: a bool is an i1, an integer or float its LLVM type, a complex number a pair (real, imaginary) of LLVM values.

Where an input needs what only NumPy can do (a warning, bits that depend on NumPy's vector width), the row appends an i1 to ``trouble``:
when it is true the result is worthless and NumPy must do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pijit.ground.records import dataclass, field

from ..ir.types import HALVES
from . import complex_products, quotients
from . import llvm_ir as ir

I1, I8 = ir.IntType(1), ir.IntType(8)
_FLOATS: dict[str, ir.Type] = {"float32": ir.FloatType(), "float64": ir.DoubleType()}
_INTS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_PARTS = {"real": 0, "imag": 1}

Row = Callable[..., Any]


def llvm_type(dtype: str) -> Any:
    """The LLVM type of a value, for a complex number of each half."""
    if dtype == "bool":
        return I1
    dtype = HALVES.get(dtype, dtype)
    return _FLOATS.get(dtype) or ir.IntType(np.dtype(dtype).itemsize * 8)


def load(builder: ir.IRBuilder, dtype: str, pointer: ir.Value) -> Any:
    """Reads an element; any byte but 0 is True."""
    if dtype == "bool":
        return builder.icmp_unsigned("!=", builder.load(pointer, typ=I8, align=1), I8(0))
    kind = llvm_type(dtype)
    align = int(np.dtype(HALVES.get(dtype, dtype)).itemsize)
    if dtype in HALVES:
        second = builder.gep(pointer, [ir.IntType(64)(1)], inbounds=True, source_etype=kind)
        return builder.load(pointer, typ=kind, align=align), builder.load(second, typ=kind, align=align)
    return builder.load(pointer, typ=kind, align=align)


def store(builder: ir.IRBuilder, dtype: str, value: Any, pointer: ir.Value) -> list[ir.Instruction]:
    """Writes an element; gives the store instructions."""
    if dtype == "bool":
        return [builder.store(builder.zext(value, I8), pointer, align=1)]
    align = int(np.dtype(HALVES.get(dtype, dtype)).itemsize)
    if dtype in HALVES:
        second = builder.gep(pointer, [ir.IntType(64)(1)], inbounds=True, source_etype=llvm_type(dtype))
        return [builder.store(value[0], pointer, align=align), builder.store(value[1], second, align=align)]
    return [builder.store(value, pointer, align=align)]


@dataclass
class Emitter:
    """Where instructions go. ``scalar``: the operation is on NumPy scalars, where integer overflow warns: it is trouble. ``quiet``:
    comparisons with NaN must not raise the invalid flag even when LLVM makes vector instructions of them (those signal). ``steady``: the
    last value is the same in every round of the loop."""

    builder: ir.IRBuilder
    trouble: list[ir.Value] = field(default_factory=list)
    scalar: bool = False
    quiet: bool = False
    steady: bool = False

    def call(self, name: str, *values: ir.Value) -> ir.Value:
        """An LLVM intrinsic on values of one type, or of i1 after them."""
        function = self.builder.module.declare_intrinsic(name, [values[0].type], _signature(name, values))
        return self.builder.call(function, values)

    def bits(self, value: ir.Value) -> ir.Value:
        """The bits of a float as an integer."""
        return self.builder.bitcast(value, ir.IntType(32 if isinstance(value.type, ir.FloatType) else 64))

    def less(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """a < b on floats, False with NaN."""
        if not self.quiet or self.scalar:
            return self.builder.fcmp_ordered("<", a, b)
        # x86's vector comparisons other than ==, != and unordered signal on NaN: they get to see zeros instead.
        nan = self.builder.fcmp_unordered("uno", a, b)
        a, b = (self.builder.select(nan, x.type(0.0), x) for x in (a, b))
        return self.builder.fcmp_ordered("<", a, b)


def _signature(name: str, values: Iterable[ir.Value]) -> ir.FunctionType:
    types = [value.type for value in values]
    result = ir.LiteralStructType([types[0], I1]) if "with.overflow" in name else types[0]
    return ir.FunctionType(result, types)


# ---- rows: (emitter, dtype of the operands, *values) -> value ---------------------------------------------------------------


def _instruction(name: str) -> Row:
    return lambda e, dtype, *values: getattr(e.builder, name)(*values)


def _intrinsic(name: str) -> Row:
    return lambda e, dtype, *values: e.call(name, *values)


def _same(e: Emitter, dtype: str, value: Any) -> Any:
    return value


def _wrapping(instruction: str) -> Row:
    def row(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> Any:
        if not e.scalar:
            return getattr(e.builder, instruction)(a, b)
        pair = e.call(f"llvm.{'u' if dtype[0] == 'u' else 's'}{instruction}.with.overflow", a, b)
        e.trouble.append(e.builder.extract_value(pair, 1))
        return e.builder.extract_value(pair, 0)

    return row


_add, _sub, _mul = (_wrapping(name) for name in ("add", "sub", "mul"))


def _negative_int(e: Emitter, dtype: str, a: ir.Value) -> Any:
    return _sub(e, dtype, a.type(0), a)


def _absolute_int(e: Emitter, dtype: str, a: ir.Value) -> ir.Value:
    return e.builder.select(e.builder.icmp_signed("<", a, a.type(0)), _negative_int(e, dtype, a), a)


def _square(multiply: Row) -> Row:
    return lambda e, dtype, a: multiply(e, dtype, a, a)


def _reciprocal(e: Emitter, dtype: str, a: ir.Value) -> ir.Value:
    return e.builder.fdiv(a.type(1.0), a)


def _pairwise(row: Row) -> Row:
    """Applies a row of floats to the halves of complex numbers."""
    return lambda e, dtype, *values: tuple(row(e, HALVES[dtype], *halves) for halves in zip(*values, strict=True))


def _conjugate(e: Emitter, dtype: str, a: Any) -> Any:
    return a[0], e.builder.fneg(a[1])


def _int_divide(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    """a / b as floats, as NumPy's loops on integers do."""
    convert = e.builder.uitofp if dtype[0] in "ub" else e.builder.sitofp
    return e.builder.fdiv(*(convert(x, _FLOATS["float64"]) for x in (a, b)))


def _floor_divide(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return quotients.quotient(e, dtype, a, b, may_overflow=False)[0]


def _remainder(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return quotients.quotient(e, dtype, a, b, may_overflow=True)[1]


def _shift(instruction: str) -> Row:
    """A shift by the width or more, or by a negative number, shifts everything out."""

    def row(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
        builder, width = e.builder, a.type.width
        inside = builder.icmp_unsigned("<", b, a.type(width))
        if instruction == "ashr":
            return builder.ashr(a, builder.select(inside, b, a.type(width - 1)))
        return builder.select(inside, getattr(builder, instruction)(a, b), a.type(0))

    return row


def _truth(e: Emitter, dtype: str, a: Any) -> ir.Value:
    builder = e.builder
    if dtype in HALVES:
        return builder.or_(*(_truth(e, HALVES[dtype], half) for half in a))
    if dtype in _FLOATS:
        return builder.fcmp_unordered("!=", a, a.type(0.0))
    return a if dtype == "bool" else builder.icmp_unsigned("!=", a, a.type(0))


def _logical(instruction: str) -> Row:
    def row(e: Emitter, dtype: str, a: Any, b: Any) -> Any:
        return getattr(e.builder, instruction)(_truth(e, dtype, a), _truth(e, dtype, b))

    return row


def _logical_not(e: Emitter, dtype: str, a: Any) -> ir.Value:
    return e.builder.not_(_truth(e, dtype, a))


def _compare_int(symbol: str) -> Row:
    def row(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
        compare = e.builder.icmp_unsigned if dtype[0] in "ub" else e.builder.icmp_signed
        return compare(symbol, a, b)

    return row


def _equal(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return e.builder.fcmp_ordered("==", a, b)


def _not_equal(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return e.builder.fcmp_unordered("!=", a, b)


def _less(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return e.less(a, b)


def _greater(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return e.less(b, a)


def _less_equal(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    if not e.quiet or e.scalar:
        return e.builder.fcmp_ordered("<=", a, b)
    return e.builder.or_(e.less(a, b), e.builder.fcmp_ordered("==", a, b))


def _greater_equal(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return _less_equal(e, dtype, b, a)


def _complex_equal(e: Emitter, dtype: str, a: Any, b: Any) -> ir.Value:
    return e.builder.and_(*(_equal(e, dtype, x, y) for x, y in zip(a, b, strict=True)))


def _complex_not_equal(e: Emitter, dtype: str, a: Any, b: Any) -> ir.Value:
    return e.builder.or_(*(_not_equal(e, dtype, x, y) for x, y in zip(a, b, strict=True)))


def _pick_int(symbol: str) -> Row:
    compare = _compare_int(symbol)
    return lambda e, dtype, a, b: e.builder.select(compare(e, dtype, a, b), a, b)


def _pick_float(larger: bool, keep_nan: bool) -> Row:
    """maximum, minimum (a NaN wins) and fmax, fmin (a number wins). Which of 0.0 and -0.0 wins depends on the element's place in
    NumPy's vectors: trouble, and the first operand for now (see `ir.ufuncs.repeatable`)."""

    def row(e: Emitter, dtype: str, a: ir.Value, b: ir.Value) -> ir.Value:
        builder = e.builder
        bits, others = e.bits(a), e.bits(b)
        sign = bits.type(1 << (bits.type.width - 1))
        alike = builder.xor(builder.or_(bits, others), sign)  # 0: none has another bit than that of the sign, and one has it
        e.trouble.append(builder.icmp_signed("==", builder.or_(alike, builder.and_(bits, others)), bits.type(0)))
        second = e.less(a, b) if larger else e.less(b, a)
        decisive = b if keep_nan else a  # whose NaN makes the second operand win
        # A NaN stays one: LLVM does not see that it is b, and takes the processor's own maximum for the rest.
        other = builder.fadd(b, b.type(0.0)) if keep_nan else b
        return builder.select(builder.fcmp_unordered("uno", decisive, decisive), other, builder.select(second, b, a))

    return row


def _sign_float(e: Emitter, dtype: str, a: ir.Value) -> ir.Value:
    builder, one, zero = e.builder, a.type(1.0), a.type(0.0)
    signed = e.call("llvm.copysign", one, a)
    number = builder.select(builder.fcmp_ordered("==", a, zero), zero, signed)
    return builder.select(builder.fcmp_unordered("uno", a, a), a, number)


def _sign_int(e: Emitter, dtype: str, a: ir.Value) -> ir.Value:
    builder, zero = e.builder, a.type(0)
    some = builder.zext(builder.icmp_signed("!=", a, zero), a.type)
    return some if dtype[0] == "u" else builder.select(builder.icmp_signed("<", a, zero), a.type(-1), some)


def _signbit(e: Emitter, dtype: str, a: ir.Value) -> ir.Value:
    bits = e.bits(a)
    return e.builder.icmp_signed("<", bits, bits.type(0))


def _isnan(e: Emitter, dtype: str, a: ir.Value) -> ir.Value:
    return e.builder.fcmp_unordered("uno", a, a)


def _isinf(e: Emitter, dtype: str, a: ir.Value) -> ir.Value:
    return e.builder.fcmp_ordered("==", e.call("llvm.fabs", a), a.type(float("inf")))


def _isfinite(e: Emitter, dtype: str, a: ir.Value) -> ir.Value:
    # Not a comparison with infinity: LLVM would make a signalling one of it.
    bits = e.bits(a)
    exponent = bits.type((0x7F800000, 0x7FF0000000000000)[bits.type.width == 64])
    return e.builder.icmp_unsigned("!=", e.builder.and_(bits, exponent), exponent)


def _either(row: Row, combine: str) -> Row:
    """A row of floats on the halves of a complex number, combined."""
    return lambda e, dtype, a: getattr(e.builder, combine)(*(row(e, HALVES[dtype], half) for half in a))


# ---- the table ---------------------------------------------------------------------------------------------------------------

# Operand kinds: b bool, i signed, u unsigned, f float, c complex.
_KINDS = {"b": ("bool",), "i": _INTS[:4], "u": _INTS[4:], "f": tuple(_FLOATS), "c": tuple(HALVES)}

_fadd, _fsub, _fneg = (_instruction(name) for name in ("fadd", "fsub", "fneg"))
_and, _or, _xor, _not = (_instruction(name) for name in ("and_", "or_", "xor", "not_"))
_fabs = _intrinsic("llvm.fabs")
_shl, _lshr, _ashr = (_shift(name) for name in ("shl", "lshr", "ashr"))

# Results of the operands' dtype.
_ROWS: dict[str, dict[str, Row]] = {
    "add": {"b": _or, "iu": _add, "f": _fadd, "c": _pairwise(_fadd)},
    "subtract": {"iu": _sub, "f": _fsub, "c": _pairwise(_fsub)},
    "multiply": {"b": _and, "iu": _mul, "f": _instruction("fmul"), "c": complex_products.multiply},
    "divide": {"f": _instruction("fdiv")},
    "floor_divide": {"iu": _floor_divide},
    "remainder": {"iu": _remainder},
    "negative": {"iu": _negative_int, "f": _fneg, "c": _pairwise(_fneg)},
    "positive": {"iufc": _same},
    "absolute": {"bu": _same, "i": _absolute_int, "f": _fabs},
    "fabs": {"f": _fabs},
    "sqrt": {"f": _intrinsic("llvm.sqrt")},
    "square": {"iu": _square(_mul), "f": _square(_instruction("fmul")), "c": complex_products.square},
    "reciprocal": {"f": _reciprocal},
    "power_2": {"f": _square(_instruction("fmul"))},
    "power_-1": {"f": _reciprocal},
    "conjugate": {"iuf": _same, "c": _conjugate},
    "maximum": {"b": _or, "iu": _pick_int(">="), "f": _pick_float(True, True)},
    "minimum": {"b": _and, "iu": _pick_int("<="), "f": _pick_float(False, True)},
    "fmax": {"b": _or, "iu": _pick_int(">="), "f": _pick_float(True, False)},
    "fmin": {"b": _and, "iu": _pick_int("<="), "f": _pick_float(False, False)},
    "sign": {"iu": _sign_int, "f": _sign_float},
    "floor": {"f": _intrinsic("llvm.floor")},
    "ceil": {"f": _intrinsic("llvm.ceil")},
    "trunc": {"f": _intrinsic("llvm.trunc")},
    "rint": {"f": _intrinsic("llvm.rint")},
    "copysign": {"f": _intrinsic("llvm.copysign")},
    "bitwise_and": {"biu": _and},
    "bitwise_or": {"biu": _or},
    "bitwise_xor": {"biu": _xor},
    "invert": {"biu": _not},
    "left_shift": {"iu": _shl},
    "right_shift": {"i": _ashr, "u": _lshr},
}

# Results that are bool.
_TESTS: dict[str, dict[str, Row]] = {
    "equal": {"biu": _compare_int("=="), "f": _equal, "c": _complex_equal},
    "not_equal": {"biu": _compare_int("!="), "f": _not_equal, "c": _complex_not_equal},
    "less": {"biu": _compare_int("<"), "f": _less},
    "less_equal": {"biu": _compare_int("<="), "f": _less_equal},
    "greater": {"biu": _compare_int(">"), "f": _greater},
    "greater_equal": {"biu": _compare_int(">="), "f": _greater_equal},
    "logical_and": {"biufc": _logical("and_")},
    "logical_or": {"biufc": _logical("or_")},
    "logical_xor": {"biufc": _logical("xor")},
    "logical_not": {"biufc": _logical_not},
    "isnan": {"f": _isnan, "c": _either(_isnan, "or_")},
    "isinf": {"f": _isinf, "c": _either(_isinf, "or_")},
    "isfinite": {"f": _isfinite, "c": _either(_isfinite, "and_")},
    "signbit": {"f": _signbit},
}

_FORMULAS: dict[tuple[str, str], tuple[Row, str | None]] = {
    (ufunc, dtype): (row, result)
    for table, result in ((_ROWS, None), (_TESTS, "bool"))
    for ufunc, rows in table.items()
    for kinds, row in rows.items()
    for kind in kinds
    for dtype in _KINDS[kind]
}
_FORMULAS |= {("divide", dtype): (_int_divide, "float64") for dtype in ("bool", *_INTS)}
_ALIASES = {
    "true_divide": "divide",
    "conj": "conjugate",
    "abs": "absolute",
    "mod": "remainder",
    "bitwise_not": "invert",
}
_FORMULAS |= {
    (alias, dtype): formula
    for alias, ufunc in _ALIASES.items()
    for (name, dtype), formula in _FORMULAS.items()
    if name == ufunc
}

# (ufunc, dtype of its operands); "where": dtype of the values; "cast" is in CASTS.
SUPPORTED: frozenset[tuple[str, str]] = frozenset(_FORMULAS) | {
    ("where", dtype) for kind in _KINDS.values() for dtype in kind
}
# (from, to)
CASTS: frozenset[tuple[str, str]] = frozenset(
    (old, new)
    for kind in _KINDS.values()
    for old in kind
    for new in ("bool", *_INTS, *_FLOATS, *HALVES)
    if new in HALVES or new == "bool" or old not in HALVES  # dropping an imaginary part warns
)


def supports(ufunc: str, dtypes: tuple[str, ...]) -> bool:
    """Whether `emit` can do it; ``dtypes`` are those of the operands, then the result's."""
    if ufunc == "cast":
        return dtypes in CASTS
    if ufunc in _PARTS:
        return dtypes[-1] == HALVES.get(dtypes[0])
    values = dtypes[:-1]
    if ufunc == "where":
        return (
            len(values) == 3 and values[0] == "bool" and len(set(dtypes[1:])) == 1 and ("where", dtypes[1]) in SUPPORTED
        )
    if len(set(values)) != 1 or (ufunc, values[0]) not in _FORMULAS:
        return False
    if (ufunc, values[0]) in complex_products.ROWS and not complex_products.known(ufunc, values[0]):
        return False
    return dtypes[-1] == (_FORMULAS[ufunc, values[0]][1] or values[0])


def emit(
    builder: ir.IRBuilder,
    ufunc: str,
    dtypes: tuple[str, ...],
    values: Iterable[Any],
    trouble: list[ir.Value] | None = None,
    *,
    scalar: bool = True,
    quiet: bool = False,
    steady: bool = False,
) -> Any:
    """The value of ``ufunc`` on ``values``; ``dtypes`` are those of the operands, then the result's. Without floating-point flags being
    looked at afterwards, warnings are lost; see `Emitter` for the rest."""
    emitter = Emitter(builder, [] if trouble is None else trouble, scalar, quiet, steady)
    if ufunc == "cast":
        (value,) = values
        return _cast(emitter, dtypes[0], dtypes[1], value)
    if ufunc in _PARTS:
        ((*halves,),) = values
        return halves[_PARTS[ufunc]]
    if ufunc == "where":
        condition, yes, no = values
        if dtypes[1] in HALVES:
            return tuple(builder.select(condition, *pair) for pair in zip(yes, no, strict=True))
        return builder.select(condition, yes, no)
    return _FORMULAS[ufunc, dtypes[0]][0](emitter, dtypes[0], *values)


# ---- casts -------------------------------------------------------------------------------------------------------------------


def _cast(e: Emitter, old: str, new: str, value: Any) -> Any:
    builder, kind = e.builder, llvm_type(new)
    if old == new:
        return value
    if new == "bool":
        return _truth(e, old, value)
    if new in HALVES:
        if old in HALVES:
            return tuple(_cast(e, HALVES[old], HALVES[new], half) for half in value)
        return _cast(e, old, HALVES[new], value), kind(0.0)
    if old in _FLOATS:
        if new in _FLOATS:
            return builder.fpext(value, kind) if new == "float64" else builder.fptrunc(value, kind)
        return _float_to_int(e, new, value)
    unsigned = old[0] in "ub"
    if new in _FLOATS:
        return (builder.uitofp if unsigned else builder.sitofp)(value, kind)
    if kind.width <= value.type.width:
        return value if kind.width == value.type.width else builder.trunc(value, kind)
    return (builder.zext if unsigned else builder.sext)(value, kind)


def _float_to_int(e: Emitter, new: str, value: ir.Value) -> ir.Value:
    """As the processor does it: the narrow types go through int32. What does not fit is trouble."""
    builder, kind = e.builder, llvm_type(new)
    width, signed = max(kind.width, 32), kind.width < 32 or new[0] == "i"
    high = value.type(2.0 ** (width - signed))
    low = value.type(-(2.0 ** (width - 1)) if signed else 0.0)
    inside = builder.and_(builder.fcmp_ordered(">=", value, low), builder.fcmp_ordered("<", value, high))
    e.trouble.append(builder.not_(inside))
    wide = ir.IntType(width)
    whole: ir.Value = (builder.fptosi if signed else builder.fptoui)(value, wide)
    return whole if width == kind.width else builder.trunc(whole, kind)
