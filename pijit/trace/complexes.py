"""Python's complex numbers: two floats of the graph, and CPython's formulas (Objects/complexobject.c) on them.

Where the formulas raise, and wherever else the result is not two floats, the interpreter does it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..ir.graph import Const, Value, const
from ..ir.types import BOOL, FLOAT
from .values import Abstract, Break, Complex, Known, Scalar, kind_of, spread, value_of

if TYPE_CHECKING:
    from .tracer import Tracer

_REAL = frozenset({"int", "bool", "float"})
_LARGEST = 100  # exponents that complex_pow multiplies out


def parts(t: Tracer, value: Value, entry: bool = False) -> Complex:
    """The two floats of a complex number that came in, or that a call gave."""
    emit = t.entry_op if entry else t.emit
    return Complex(emit("part", (value,), FLOAT, which=0), emit("part", (value,), FLOAT, which=1))


def concerns(*operands: Abstract) -> bool:
    """Whether one of the operands is a complex number, and all are numbers of Python."""
    kinds = {kind_of(operand) if not _is_constant(operand) else "complex" for operand in operands}
    return "complex" in kinds and kinds <= _REAL | {"complex"}


def _is_constant(operand: Abstract) -> bool:
    return isinstance(operand, Known) and type(operand.value) is complex


def as_complex(t: Tracer, operand: Abstract) -> Complex:
    """The operand as Python's arithmetic converts it."""
    from .operators import as_float

    operand = spread(operand)
    if isinstance(operand, Complex):
        return operand
    value = value_of(operand)
    assert value is not None
    return Complex(as_float(t, value), const(0.0))


def binary(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Abstract | None:
    """left <symbol> right; None for a power that is CPython's own affair."""
    if symbol == "**":
        return _power(t, left, right)
    if symbol not in _ARITHMETIC:
        raise Break("always_raises", f"complex {symbol} complex")
    return _ARITHMETIC[symbol](t, as_complex(t, left), as_complex(t, right))  # type: ignore[no-any-return]


def compare(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Abstract:
    """== and !=. An int is compared exactly."""
    if symbol not in ("==", "!="):
        raise Break("always_raises", f"complex {symbol} complex")
    real = next((value_of(operand) for operand in (left, right) if kind_of(operand) in ("int", "bool")), None)
    if real is not None and not isinstance(real, Const) and kind_of(left) != "bool" and kind_of(right) != "bool":
        exact = Scalar(t.emit("int_exact_float", (real,), FLOAT, reason="int_too_large"))
        left, right = (exact if kind_of(operand) == "int" else operand for operand in (left, right))
    elif isinstance(real, Const) and abs(real.value) > 2**53:
        raise Break("unsupported_type", "a huge int beside a complex number")
    a, b = as_complex(t, left), as_complex(t, right)
    halves = [t.emit("cmp", pair, BOOL, symbol=symbol) for pair in ((a.real, b.real), (a.imag, b.imag))]
    return Scalar(_both(t, *halves) if symbol == "==" else _either(t, *halves))


def truth(t: Tracer, operand: Complex) -> Value:
    return _either(t, *(t.emit("cmp", (part, const(0.0)), BOOL, symbol="!=") for part in operand.parts()))


def negative(t: Tracer, operand: Complex) -> Abstract:
    return Complex(*(t.emit("float_neg", (part,), FLOAT) for part in operand.parts()))


def conjugate(t: Tracer, operand: Complex) -> Abstract:
    return Complex(operand.real, t.emit("float_neg", (operand.imag,), FLOAT))


def absolute(t: Tracer, operand: Complex) -> Abstract:
    return Scalar(t.emit("complex_abs", operand.parts(), FLOAT, reason="math_domain"))


def _both(t: Tracer, one: Value, other: Value) -> Value:
    return t.emit("select", (one, other, const(False)), BOOL)  # type: ignore[no-any-return]


def _either(t: Tracer, one: Value, other: Value) -> Value:
    return t.emit("select", (one, const(True), other), BOOL)  # type: ignore[no-any-return]


# ---- arithmetic ------------------------------------------------------------------------------------------------------------


def _float(t: Tracer, name: str, a: Value, b: Value, reason: str = "") -> Value:
    return t.emit(name, (a, b), FLOAT, reason=reason)  # type: ignore[no-any-return]


def _add(t: Tracer, a: Complex, b: Complex) -> Complex:
    return Complex(_float(t, "float_add", a.real, b.real), _float(t, "float_add", a.imag, b.imag))


def _subtract(t: Tracer, a: Complex, b: Complex) -> Complex:
    return Complex(_float(t, "float_sub", a.real, b.real), _float(t, "float_sub", a.imag, b.imag))


def _multiply(t: Tracer, a: Complex, b: Complex) -> Complex:
    real = _float(t, "float_sub", _float(t, "float_mul", a.real, b.real), _float(t, "float_mul", a.imag, b.imag))
    imag = _float(t, "float_add", _float(t, "float_mul", a.real, b.imag), _float(t, "float_mul", a.imag, b.real))
    return Complex(real, imag)


def _divide(t: Tracer, a: Complex, b: Complex) -> Complex:
    """_Py_c_quot: both parts are divided by that of the divisor which is larger. Its two ways differ in what stands where."""
    sizes = [t.emit("float_abs", (part,), FLOAT) for part in b.parts()]
    first = t.emit("cmp", tuple(sizes), BOOL, symbol=">=")

    def chosen(yes: Value, no: Value) -> Value:
        return t.emit("select", (first, yes, no), FLOAT)  # type: ignore[no-any-return]

    large, small = chosen(b.real, b.imag), chosen(b.imag, b.real)
    ratio = _float(t, "float_div", small, large, "zero_division")
    scale = _float(t, "float_add", large, _float(t, "float_mul", small, ratio))
    p, q = chosen(a.real, a.imag), chosen(a.imag, a.real)
    scaled = _float(t, "float_mul", p, ratio)
    real = _float(t, "float_add", p, _float(t, "float_mul", q, ratio))
    imag = _float(t, "float_sub", chosen(q, scaled), chosen(scaled, q))
    return Complex(_float(t, "float_div", real, scale, "zero_division"), _float(t, "float_div", imag, scale, "zero_division"))


_ARITHMETIC: dict[str, Any] = {"+": _add, "-": _subtract, "*": _multiply, "/": _divide}


def _power(t: Tracer, base: Abstract, exponent: Abstract) -> Abstract | None:
    """c_powi, for whole exponents that are known."""
    n = _whole(exponent)
    if n is None:
        return None
    one = Complex(const(1.0), const(0.0))
    result, power, left = one, as_complex(t, base), abs(n)
    while left:
        if left & 1:
            result = _multiply(t, result, power)
        left >>= 1
        if left:
            power = _multiply(t, power, power)
    if n <= 0:
        result = _divide(t, one, result)
    for part in result.parts():
        size = t.emit("float_abs", (part,), FLOAT)
        t.check(t.emit("cmp", (size, const(math.inf)), BOOL, symbol="!="), "power")
    return result


def _whole(exponent: Abstract) -> int | None:
    if not isinstance(exponent, Known):
        return None
    n = complex(exponent.value)
    return int(n.real) if n.imag == 0.0 and n.real == math.floor(n.real) and abs(n.real) <= _LARGEST else None


