"""Python floats and the math module. Where CPython raises, and on any suspicion, the exit is taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.graph import Op
from . import llvm_ir as ir
from .llvm import F64, I64, call, i64, intrinsic, is_finite, is_nan, make_complex, parts
from .relaxed import relaxing
from .rows import Unsupported, row

if TYPE_CHECKING:
    from .driver import Driver


def f64(value: float) -> ir.Value:
    """A double."""
    return ir.Constant(F64, value)


ZERO = f64(0.0)
_PLAIN = {"float_add": "fadd", "float_sub": "fsub", "float_mul": "fmul", "float_neg": "fneg"}


@row(*_PLAIN)
def _plain(d: Driver, op: Op) -> Any:
    with relaxing(d.builder, d.freedom(op)):
        return getattr(d.builder, _PLAIN[op.name])(*map(d.scalar, op.args))


@row("float_abs")
def _float_abs(d: Driver, op: Op) -> Any:
    return intrinsic(d.builder, "fabs", d.scalar(op.args[0]))


@row("float_div")
def _float_div(d: Driver, op: Op) -> Any:
    a, divisor = map(d.scalar, op.args)
    _exit_if_zero(d, op, divisor)
    return d.builder.fdiv(a, divisor)


@row("float_mod")
def _float_mod(d: Driver, op: Op) -> Any:
    a, divisor = map(d.scalar, op.args)
    _exit_if_zero(d, op, divisor)
    return divide(d.builder, a, divisor)[1]


@row("float_floordiv")
def _float_floordiv(d: Driver, op: Op) -> Any:
    a, divisor = map(d.scalar, op.args)
    _exit_if_zero(d, op, divisor)
    return divide(d.builder, a, divisor)[0]


def divide(b: Any, a: Any, divisor: Any) -> tuple[Any, Any]:
    """Quotient and remainder as CPython's _float_div_mod (and NumPy's npy_divmod, which is the same), line by line;
    what is not
    used LLVM drops."""
    zero, one, half = (ir.Constant(a.type, x) for x in (0.0, 1.0, 0.5))
    rest = b.frem(a, divisor)
    quotient = b.fdiv(b.fsub(a, rest), divisor)
    some = b.fcmp_unordered("!=", rest, zero)
    signs = b.xor(b.fcmp_ordered("<", divisor, zero), b.fcmp_ordered("<", rest, zero))
    adjust = b.and_(some, signs)
    quotient = b.select(adjust, b.fsub(quotient, one), quotient)
    rest = b.select(adjust, b.fadd(rest, divisor), b.select(some, rest, intrinsic(b, "copysign", zero, divisor)))
    floor = intrinsic(b, "floor", quotient)
    floor = b.select(b.fcmp_ordered(">", b.fsub(quotient, floor), half), b.fadd(floor, one), floor)
    signed_zero = intrinsic(b, "copysign", zero, b.fdiv(a, divisor))
    return b.select(b.fcmp_unordered("!=", quotient, zero), floor, signed_zero), rest


@row("float_pow")
def _float_pow(d: Driver, op: Op) -> Any:
    a, power, b = *map(d.scalar, op.args), d.builder
    # a negative number to a broken power is complex
    broken = b.fcmp_ordered("!=", intrinsic(b, "floor", power), power)
    negative = b.and_(b.fcmp_ordered("<", a, ZERO), is_finite(b, a))
    d.exit_if(op, b.and_(negative, broken))
    result = call(b, "pj_pow", F64, a, power)
    exit_if_suspect(d, op, result, (a, power))
    return result


@row("part", "np_part")
def _part(d: Driver, op: Op) -> Any:
    return parts(d.builder, d.scalar(op.args[0]))[op.attrs["which"]]


@row("np_complex")
def _np_complex(d: Driver, op: Op) -> Any:
    return make_complex(d.builder, *map(d.scalar, op.args))


@row("complex_abs")
def _complex_abs(d: Driver, op: Op) -> Any:
    """The library's hypot is finite only if its operands are: the rest is CPython's."""
    result = call(d.builder, "pj_m_hypot", F64, *map(d.scalar, op.args))
    d.exit_if(op, d.builder.not_(is_finite(d.builder, result)))
    return result


@row("float_to_int")
def _float_to_int(d: Driver, op: Op) -> Any:
    return to_int(d, op, d.scalar(op.args[0]), 2.0**63)


@row("float_round")
def _float_round(d: Driver, op: Op) -> Any:
    return to_int(d, op, intrinsic(d.builder, "roundeven", d.scalar(op.args[0])), 2.0**62)


def to_int(d: Driver, op: Op, a: Any, limit: float) -> Any:
    """A number of whole or broken size below the limit as an int, towards zero."""
    b = d.builder
    d.exit_if(op, b.not_(b.fcmp_ordered("<", intrinsic(b, "fabs", a), f64(limit))))
    return b.fptosi(a, I64)


def exit_if_suspect(d: Driver, op: Op, result: Any, operands: tuple[Any, ...]) -> None:
    """Exit on a NaN that no operand brought, and on an infinity made of finite operands: the rule of CPython's math_1
    and
    math_2, and of IEEE 754's invalid, divide-by-zero and overflow. A finite result costs one comparison."""
    b = d.builder
    result_is_finite = is_finite(b, result)
    with d.rarely(b.not_(result_is_finite)):
        any_nan = reduce(b.or_, (is_nan(b, x) for x in operands))
        any_special = reduce(b.or_, (b.not_(is_finite(b, x)) for x in operands))
        d.exit_if(op, b.not_(b.select(is_nan(b, result), any_nan, any_special)))


def _exit_if_zero(d: Driver, op: Op, divisor: Any) -> None:
    known = getattr(divisor, "constant", None)
    if known is None or known == 0:
        d.exit_if(op, d.builder.fcmp_ordered("==", divisor, ZERO))


# ---- the math module -----------------------------------------------------------------------------------------------

# CPython calls the C library and then looks at the result, as exit_if_suspect does.
# (hypot, dist, gamma, lgamma and fsum are CPython's own code.)
_LIBRARY = {
    "acos": 1, "acosh": 1, "asin": 1, "asinh": 1, "atan": 1, "atanh": 1, "cbrt": 1, "cos": 1, "cosh": 1,
    "erf": 1, "erfc": 1, "exp": 1, "exp2": 1, "expm1": 1, "log": 1, "log10": 1, "log1p": 1, "log2": 1,
    "sin": 1, "sinh": 1, "tan": 1, "tanh": 1, "atan2": 2, "fmod": 2, "pow": 2, "remainder": 2, "nextafter": 2,
}  # fmt: skip
# CPython treats special operands of these itself: with one, the interpreter does it.
_FINITE_OPERANDS = frozenset({"atan2", "fmod", "pow", "remainder"})
# Overflow and the like are silent.
_QUIET = frozenset({"nextafter"})

Function = Callable[["Driver", Op, Any], Any]


def _to_int(rounding: str) -> Function:
    return lambda d, op, a: to_int(d, op, intrinsic(d.builder, rounding, a), 2.0**63)


def _scaled(factor: float) -> Function:
    return lambda d, op, a: d.builder.fmul(a, f64(factor))


def _sqrt(d: Driver, op: Op, a: Any) -> Any:
    d.exit_if(op, d.builder.fcmp_ordered("<", a, ZERO))
    return intrinsic(d.builder, "sqrt", a)


def _log_to_base(d: Driver, op: Op, a: Any, base: Any) -> Any:
    above, below = _library(d, op, "log", a), _library(d, op, "log", base)
    _exit_if_zero(d, op, below)
    return d.builder.fdiv(above, below)


def _isclose(d: Driver, op: Op, *args: Any) -> Any:
    close = call(d.builder, "pj_isclose", I64, *args)
    d.exit_if(op, d.builder.icmp_signed("<", close, i64(0)))
    return d.builder.icmp_signed("!=", close, i64(0))


_OWN: dict[tuple[str, int], Callable[..., Any]] = {
    ("sqrt", 1): _sqrt,
    ("fabs", 1): lambda d, op, a: intrinsic(d.builder, "fabs", a),
    ("copysign", 2): lambda d, op, a, b: intrinsic(d.builder, "copysign", a, b),
    ("floor", 1): _to_int("floor"),
    ("ceil", 1): _to_int("ceil"),
    ("trunc", 1): _to_int("trunc"),
    ("degrees", 1): _scaled(180.0 / math.pi),
    ("radians", 1): _scaled(math.pi / 180.0),
    ("isnan", 1): lambda d, op, a: is_nan(d.builder, a),
    ("isfinite", 1): lambda d, op, a: is_finite(d.builder, a),
    ("isinf", 1): lambda d, op, a: d.builder.fcmp_ordered("==", intrinsic(d.builder, "fabs", a), f64(math.inf)),
    ("log", 2): _log_to_base,
    ("isclose", 4): _isclose,
}

# Names and numbers of arguments of the `math` operation.
MATH = frozenset(_LIBRARY.items()) | frozenset(_OWN)


def _library(d: Driver, op: Op, name: str, *args: Any) -> Any:
    b = d.builder
    if name in _FINITE_OPERANDS:
        d.exit_if(op, b.not_(reduce(b.and_, (is_finite(b, a) for a in args))))
    result = call(b, f"pj_m_{name}", F64, *args)
    if name not in _QUIET:
        exit_if_suspect(d, op, result, args)
    return result


@row("math")
def _math_function(d: Driver, op: Op) -> Any:
    name, args = op.attrs["name"], [d.scalar(a) for a in op.args]
    own = _OWN.get((name, len(args)))
    if own is not None:
        return own(d, op, *args)
    if (name, len(args)) not in MATH:
        raise Unsupported(f"math.{name} of {len(args)}")
    return _library(d, op, name, *args)
