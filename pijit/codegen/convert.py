"""Comparison, selection and conversion of scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.graph import Op
from ..ir.types import FLOAT, HALVES, INT, Array, Np, Type
from . import llvm_ir as ir
from .arrays import ArrayValue, array_value
from .floats import f64
from .llvm import F32, F64, I1, I64, call, i64, is_finite, kind, llvm_type, make_complex, parts
from .rows import Unsupported, row

if TYPE_CHECKING:
    from .driver import Driver


@row("cmp")
def _compare(d: Driver, op: Op) -> Any:
    left, right, b = *map(d.scalar, op.args), d.builder
    if op.attrs["symbol"] in _SIGNALLING.get(op.args[0].type, ()) and op not in d.repeated:
        return _signalling(b, op.attrs["symbol"], left, right)
    return compared(b, kind(op.args[0].type), op.attrs["symbol"], left, right)


_SYMBOLS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_ORDERS = ("<", "<=", ">", ">=")
# The interpreter, once it has specialised comparisons of floats, always looks for their order; NumPy for that of its scalars where it is asked for.
_SIGNALLING: dict[Type, Iterable[str]] = {FLOAT: _SYMBOLS, Np("float64"): _ORDERS, Np("float32"): _ORDERS}


def _signalling(b: Any, symbol: str, left: Any, right: Any) -> Any:
    """The comparison that raises the processor's flag for a NaN, as C's does and LLVM's own does not: what NumPy calls for each element, it looks
    for flags after (np.vectorize). In loops it would cost too much."""
    text = ir.MetaDataType()
    type_ = ir.FunctionType(I1, [left.type, left.type, text, text])
    intrinsic = b.module.declare_intrinsic("llvm.experimental.constrained.fcmps", [left.type], type_)
    how = (ir.MetaDataString(b.module, name) for name in (_SYMBOLS[symbol], "fpexcept.strict"))
    return b.call(intrinsic, [left, right, *how])


def compared(b: Any, kind: str, symbol: str, left: Any, right: Any) -> Any:
    """left <symbol> right on values of one kind."""
    if kind == "c":
        if symbol not in ("==", "!="):
            raise Unsupported("order of complex numbers")
        pairs = zip(parts(b, left), parts(b, right), strict=True)
        return reduce(b.and_ if symbol == "==" else b.or_, (compared(b, "f", symbol, x, y) for x, y in pairs))
    if kind == "f":
        return (b.fcmp_unordered if symbol == "!=" else b.fcmp_ordered)(symbol, left, right)
    return (b.icmp_signed if kind == "i" else b.icmp_unsigned)(symbol, left, right)


@row("not")
def _negation(d: Driver, op: Op) -> Any:
    return d.builder.not_(d.scalar(op.args[0]))


@row("select")
def _select(d: Driver, op: Op) -> Any:
    condition, b = d.scalar(op.args[0]), d.builder
    yes, no = (d.value(a) for a in op.args[1:])
    if not isinstance(yes, ArrayValue):
        chosen = b.select(condition, yes, no)
        if d.owners.carrier(op.result) is not None:
            call(b, "pj_retain", ir.VoidType(), chosen)
        return chosen
    assert isinstance(op.result.type, Array)
    owner, data, *rest = (b.select(condition, x, y) for x, y in zip(yes.fields(), no.fields(), strict=True))
    call(b, "pj_retain", ir.VoidType(), owner)
    ndim = op.result.type.ndim
    return array_value(b, op.result.type, owner, data, rest[:ndim], rest[ndim:])


@row("bool_to_int")
def _bool_to_int(d: Driver, op: Op) -> Any:
    return d.builder.zext(d.scalar(op.args[0]), I64)


# ---- casts: one function per pair of kinds -------------------------------------------------------------------------


@row("cast")
def _cast(d: Driver, op: Op) -> Any:
    source, target = op.args[0].type, op.result.type
    function = _CASTS.get(kind(source) + kind(target))
    if function is None:
        raise Unsupported(f"cast of {source} to {target}")
    return function(d, op, d.scalar(op.args[0]), source, target)


Cast = Callable[["Driver", Op, Any, Type, Type], Any]


def resize(d: Driver, value: Any, signed: bool, target: Any) -> Any:
    """An integer of another width."""
    width, wanted = value.type.width, target.width
    if width == wanted:
        return value
    return (
        d.builder.trunc(value, target)
        if width > wanted
        else (d.builder.sext if signed else d.builder.zext)(value, target)
    )


def _integer(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    """NumPy integers wrap; a Python int must fit, and so must what becomes one."""
    signed, result = kind(source) == "i", llvm_type(target)
    made = resize(d, value, signed, result)
    if source == INT and target != INT:
        back = resize(d, made, kind(target) == "i", I64)
        d.exit_if(op, d.builder.icmp_signed("!=", back, value))
        if kind(target) == "u":
            d.exit_if(op, d.builder.icmp_signed("<", value, i64(0)))
    elif target == INT and not signed and value.type == I64:
        d.exit_if(op, d.builder.icmp_signed("<", value, i64(0)))
    return made


def _float_of_integer(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    b, result = d.builder, llvm_type(target)
    convert = b.sitofp if kind(source) == "i" else b.uitofp
    if source == INT and result == F32:
        # a Python int goes through a double and is rounded twice
        return b.fptrunc(convert(value, F64), F32)
    return convert(value, result)


def _float(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    b, result = d.builder, llvm_type(target)
    if value.type == result:
        return value
    if result == F64:
        return b.fpext(value, F64)
    made = b.fptrunc(value, F32)
    exit_if_suspect_cast(d, op, made, value)
    return made


def exit_if_suspect_cast(d: Driver, op: Op, made: Any, value: Any) -> None:
    """Leaves when a finite number has become infinite."""
    with d.rarely(d.builder.not_(is_finite(d.builder, made))):
        d.exit_if(op, is_finite(d.builder, value))


def _integer_of_float(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    b, result = d.builder, llvm_type(target)
    value = b.fpext(value, F64) if value.type == F32 else value
    signed, width = kind(target) == "i", llvm_type(target).width
    limit = 2.0 ** (width - signed)
    # the doubles next to the limits: -limit itself fits, -limit - 1 is not a double at 64 bits
    low = -1.0 if not signed else -limit - 1.0 if width < 64 else -limit
    above = b.fcmp_ordered(">" if not signed or width < 64 else ">=", value, f64(low))
    d.exit_if(op, b.not_(b.and_(above, b.fcmp_ordered("<", value, f64(limit)))))
    return (b.fptosi if signed else b.fptoui)(value, result)


def _bool_of_integer(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    return d.builder.icmp_signed("!=", value, ir.Constant(value.type, 0))


def _bool_of_float(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    return d.builder.fcmp_unordered("!=", value, ir.Constant(value.type, 0.0))


def _bool_of_complex(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    return reduce(d.builder.or_, (_bool_of_float(d, op, part, source, target) for part in parts(d.builder, value)))


def _half(target: Type) -> Np:
    assert isinstance(target, Np)
    return Np(HALVES[target.name])


def _complex_of_real(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    part = _half(target)
    to_float = _float if kind(source) == "f" else _float_of_integer
    real = to_float(d, op, value, source, part)
    return make_complex(d.builder, real, ir.Constant(real.type, 0.0))


def _complex(d: Driver, op: Op, value: Any, source: Type, target: Type) -> Any:
    part = _half(target)
    return make_complex(d.builder, *(_float(d, op, x, source, part) for x in parts(d.builder, value)))


# A complex number cast to a real one warns: no row.
_CASTS: dict[str, Cast] = {
    **dict.fromkeys(("bb", "bi", "bu", "ii", "iu", "ui", "uu"), _integer),
    **dict.fromkeys(("bf", "if", "uf"), _float_of_integer),
    **dict.fromkeys(("fi", "fu"), _integer_of_float),
    **dict.fromkeys(("ib", "ub"), _bool_of_integer),
    **dict.fromkeys(("bc", "ic", "uc", "fc"), _complex_of_real),
    "ff": _float,
    "fb": _bool_of_float,
    "cb": _bool_of_complex,
    "cc": _complex,
}
