"""Unary and binary operators and comparisons on abstract values: tables from kinds to operations."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ground.names import class_name, is_a, is_one_of, module_of
from ..ir.graph import Const, Value, const
from ..ir.types import BOOL, FLOAT, INT, NATIVE, Np, Type
from ..ir.types import Scalar as ScalarType
from ..ir.ufuncs import computed
from ..ir.ufuncs import function as ufunc_of
from . import caught, complexes, elementwise, lengths, opaque, standins
from .values import (
    Abstract,
    ArrayValue,
    Break,
    Closure,
    Complex,
    Container,
    Instance,
    Known,
    Opaque,
    Scalar,
    items_of,
    kind_of,
    unsupported,
    value_of,
)

if TYPE_CHECKING:
    from .tracer import Tracer

_INT = {
    "+": "int_add", "-": "int_sub", "*": "int_mul", "//": "int_floordiv", "%": "int_mod", "/": "int_truediv", "**": "int_pow",
    "<<": "int_lshift", ">>": "int_rshift", "&": "int_and", "|": "int_or", "^": "int_xor",
}  # fmt: skip
_FLOAT = {
    "+": "float_add", "-": "float_sub", "*": "float_mul", "/": "float_div", "//": "float_floordiv", "%": "float_mod", "**": "float_pow",
}  # fmt: skip
UFUNCS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "true_divide", "//": "floor_divide", "%": "remainder", "**": "power",
    "<<": "left_shift", ">>": "right_shift", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor", "@": "matmul",
    "<": "less", "<=": "less_equal", "==": "equal", "!=": "not_equal", ">": "greater", ">=": "greater_equal",
}  # fmt: skip
PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "@": operator.matmul,
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_INPLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv, "//": operator.ifloordiv, "%": operator.imod,
    "**": operator.ipow, "<<": operator.ilshift, ">>": operator.irshift, "&": operator.iand, "|": operator.ior, "^": operator.ixor,
    "@": operator.imatmul,
}  # fmt: skip
_COMPARE = frozenset({"<", "<=", "==", "!=", ">", ">="})
_REASONS = {"//": "zero_division", "%": "zero_division", "/": "zero_division", "**": "power", ">>": "negative_shift"}
FOLDABLE = (bool, int, float, complex, str, bytes, tuple, type(None))
_DTYPES = (bool, int, float, complex, *{np.dtype(code).type for code in np.typecodes["All"]})
_WEAK = {"bool": np.dtype(bool), "int": int, "float": float}


def binary(t: Tracer, symbol: str, left: Abstract, right: Abstract, inplace: bool = False) -> Abstract:
    """left <symbol> right."""
    from . import objects, templates
    from .functions import whole
    from .functions.containers import concatenated, joined_texts, list_extend

    left, right = elementwise.with_complex(t, left, right)
    folded = _fold(PYTHON[symbol], left, right, symbol) or _arithmetic_beside_complex(t, symbol, left, right)
    if folded is not None:
        return folded
    if complexes.concerns(left, right):
        found = complexes.binary(t, symbol, left, right)
        return opaque.call_pure(t, PYTHON[symbol], [left, right], {}) if found is None else found
    kinds = {kind_of(left), kind_of(right)}
    if kinds <= {"int", "bool"}:
        return _ints(t, symbol, _value(left), _value(right))
    if kinds <= {"int", "bool", "float"}:
        return _floats(t, symbol, _value(left), _value(right))
    if kinds <= {"int", "bool", "float", "np"}:
        return numpy_scalars(t, UFUNCS[symbol], PYTHON[symbol], left, right)
    if "array" in kinds and kinds <= {"int", "bool", "float", "np", "array"}:
        if inplace and isinstance(left, ArrayValue):
            return elementwise.inplace(t, UFUNCS[symbol], _INPLACE[symbol], left, right)
        return elementwise.binary(t, UFUNCS[symbol], PYTHON[symbol], left, right)
    if kinds == {"tuple"} and symbol == "+":
        return Container("tuple", (*(items_of(left) or ()), *(items_of(right) or ())))
    if symbol == "+" and inplace and isinstance(left, Opaque) and left.cls is list:
        list_extend(t, [left, right], {})
        return left
    added = joined_texts(t, left, right) or concatenated(t, left, right, inplace) if symbol == "+" else whole.binary(t, symbol, left, right, inplace)
    if added is not None:
        return added
    if symbol == "%" and objects.class_of(left) is str:
        return templates.percent(t, left, right)
    repeated = _repeated(t, left, right, inplace) or _repeated(t, right, left, inplace) if symbol == "*" else None
    if repeated is not None:
        return repeated
    raise unsupported(f"{describe(left)} {symbol} {describe(right)}", left, right)


def _repeated(t: Tracer, items: Abstract, count: Abstract, inplace: bool) -> Abstract | None:
    """[x] * n and the like, of a text, an array.array, and of a list whose items are numbers or that came from elsewhere; None for anything else."""
    from . import deeds

    if kind_of(count) not in ("int", "bool"):
        return None
    if deeds.is_text(items, str, bytes):
        return deeds.do(t, "call", [Known(operator.mul), items, count], "" if deeds.is_text(items) else b"", pure=True)
    if inplace:
        return None
    if deeds.is_text(items, array, bytearray) and (like := standins.sample_of(t, items)) is not None:
        return deeds.make(t, "call", [Known(operator.mul), items, count], like[0][:1] * 2)
    if isinstance(items, Container) and items.kind == "list" and items.items:
        is_list = not {kind_of(item) for item in items.items} - {"int", "bool", "float", "np"}
    else:
        is_list = isinstance(items, Opaque) and items.cls is list
    if not is_list:
        return None
    twice = standins.sample_result(t, operator.mul, [items, Known(2)], {})
    return opaque.call_pure(t, operator.mul, [items, count], {}, sample=twice)


def _beside_complex(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Abstract | None:
    """A Python complex and a real NumPy scalar, which NumPy takes for arrays. But a float64 on the right is a float to complex's operators."""
    value = elementwise.beside_complex(left, right)
    if value is None or not elementwise.is_real_scalar(value):
        return None
    if elementwise.is_complex(left) and value.type == Np("float64"):
        raise unsupported(f"complex {symbol} np.float64", left, right)
    return opaque.call_pure(t, PYTHON[symbol], [left, right], {})


def _arithmetic_beside_complex(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Abstract | None:
    """The same for arithmetic, where its result is known."""
    value = elementwise.beside_complex(left, right)
    if value is not None and symbol in _ALIKE and elementwise.is_real_scalar(value):
        if elementwise.is_complex(left) and value.type == Np("float64"):
            return complexes.binary(t, symbol, left, Scalar(cast(t, value, FLOAT)))
        dtype = np.result_type(value.type.dtype, 1j)  # type: ignore[attr-defined]
        number = elementwise.numpy_complex(t, left if elementwise.is_complex(left) else right, dtype)
        if number is not None:
            real = Scalar(cast(t, value, Np(dtype.name)))
            operands = (number, real) if elementwise.is_complex(left) else (real, number)
            return numpy_scalars(t, UFUNCS[symbol], getattr(np, UFUNCS[symbol]), *operands)
    return _beside_complex(t, symbol, left, right)


_ALIKE = frozenset("+-*/")  # Python's operators, and NumPy's on scalars and on arrays of one element, but for the rounding of products


def compare(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Abstract:
    """left <symbol> right for the six comparisons."""
    left, right = elementwise.with_complex(t, left, right)
    folded = _fold(PYTHON[symbol], left, right, symbol) or _beside_complex(t, symbol, left, right)
    if folded is not None:
        return folded
    if complexes.concerns(left, right):
        return complexes.compare(t, symbol, left, right)
    kinds = {kind_of(left), kind_of(right)}
    if kinds <= {"int", "bool", "float"}:
        a, b = _value(left), _value(right)
        if a.type == b.type == BOOL or "bool" in kinds:
            a, b = as_int(t, a), as_int(t, b)
        if a.type != b.type:
            a, b = (v if v.type == FLOAT else t.emit("int_exact_float", (v,), FLOAT, reason="int_too_large") for v in (a, b))
        return boolean(t, symbol, a, b)
    if kinds <= {"int", "bool", "float", "np"}:
        return numpy_scalars(t, UFUNCS[symbol], PYTHON[symbol], left, right)
    if "array" in kinds and kinds <= {"int", "bool", "float", "np", "array"}:
        return elementwise.binary(t, UFUNCS[symbol], PYTHON[symbol], left, right)
    from . import deeds, orders
    from .functions import whole

    ordered = orders.compare(t, symbol, left, right) or whole.compare(t, symbol, left, right)
    if ordered is not None:
        return ordered
    if deeds.is_text(left) and deeds.is_text(right):
        return deeds.compare(t, symbol, left, right)
    if symbol in ("==", "!=") and Known in (type(left), type(right)):
        # None, strings and the like are equal to nothing that is a number
        one, other = (left, right) if isinstance(left, Known) else (right, left)
        if (isinstance(one, Known) and one.value is None) or (isinstance(one, Known) and type(one.value) is str):
            if kind_of(other) in ("int", "float", "bool"):
                return Known(symbol == "!=")
    raise unsupported(f"{describe(left)} {symbol} {describe(right)}", left, right)


def boolean(t: Tracer, symbol: str, a: Value, b: Value) -> Abstract:
    from .addresses import compare as compare_values

    result = compare_values(t, symbol, a, b)
    return Known(bool(result.value)) if isinstance(result, Const) else Scalar(result)


def unary(t: Tracer, symbol: str, operand: Abstract) -> Abstract:
    """-x, +x, ~x, not x."""
    if symbol == "not":
        known = truth(t, operand)
        return Known(not known) if isinstance(known, bool) else Scalar(t.emit("not", (known,), BOOL))
    functions: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
    if symbol == "~" and kind_of(operand) == "bool":
        raise Break("unsupported_type", "~ of a bool, which warns")
    if isinstance(operand, Known) and is_one_of(type(operand.value), (bool, int, float, complex)):
        try:
            return Known(functions[symbol](operand.value))
        except TypeError:
            raise Break("always_raises", f"{symbol}{operand.value!r}") from None
    if isinstance(operand, Complex) and symbol != "~":
        return operand if symbol == "+" else complexes.negative(t, operand)
    kind = kind_of(operand)
    if kind in ("int", "bool"):
        value = as_int(t, _value(operand))
        if symbol == "+":
            return Scalar(value)
        name, reason = {"-": ("int_neg", "int_overflow"), "~": ("int_invert", "")}[symbol]
        return Scalar(t.emit(name, (value,), INT, reason=reason))
    if kind == "float" and symbol != "~":
        return operand if symbol == "+" else Scalar(t.emit("float_neg", (_value(operand),), FLOAT))
    ufunc = {"-": "negative", "+": "positive", "~": "invert"}[symbol]
    if kind == "np":
        return numpy_scalars(t, ufunc, functions[symbol], operand)
    if kind == "array":
        return elementwise.apply(t, ufunc, functions[symbol], operand)
    raise unsupported(f"{symbol}{describe(operand)}", operand)


def truth(t: Tracer, operand: Abstract) -> bool | Value:
    """bool(operand): known, or a bool of the graph."""
    if isinstance(operand, Known):
        value = operand.value
        known = is_a(value, (*FOLDABLE, np.generic)) or callable(value) or module_of(type(value)) == "builtins"
        if known and (type(value) is type or not is_a(value, type)):  # a metaclass may have its own truth
            return bool(value)
        raise unsupported(f"truth of {describe(operand)}", operand)
    items = operand.items if isinstance(operand, Instance) and operand.kind == "dict" else items_of(operand)
    if items is not None:
        return bool(items)
    if isinstance(operand, Complex):
        return complexes.truth(t, operand)
    if isinstance(operand, Closure):
        return True
    kind = kind_of(operand)
    if kind == "bool":
        return _value(operand)
    if kind in ("int", "float"):
        zero = const(0 if kind == "int" else 0.0)
        return t.emit("cmp", (_value(operand), zero), BOOL, symbol="!=")  # type: ignore[no-any-return]
    if kind == "np":
        value = _value(operand)
        if value.type == Np("bool"):
            return cast(t, value, BOOL)
        if isinstance(value.type, Np) and value.type.dtype.kind in "iuf":
            return t.emit("cmp", (value, Const(value.type, value.type.dtype.type(0))), BOOL, symbol="!=")  # type: ignore[no-any-return]
    length = lengths.of(t, operand)
    if length is not None:
        return t.emit("cmp", (length, const(0)), BOOL, symbol="!=")  # type: ignore[no-any-return]
    raise unsupported(f"truth of {describe(operand)}", operand)


# ---- numbers -------------------------------------------------------------------------------------------------------------


def as_int(t: Tracer, value: Value) -> Value:
    """A bool as an int; an int as it is."""
    if value.type != BOOL:
        return value
    return const(int(value.value)) if isinstance(value, Const) else t.emit("bool_to_int", (value,), INT)


def as_float(t: Tracer, value: Value) -> Value:
    """A Python int, bool or float as a float, as Python's arithmetic converts it."""
    if value.type == FLOAT:
        return value
    value = as_int(t, value)
    return const(float(value.value)) if isinstance(value, Const) else t.emit("int_to_float", (value,), FLOAT)


def cast(t: Tracer, value: Value, type: Type, reason: str = "conversion") -> Value:
    """A scalar as another scalar type, as NumPy casts."""
    if value.type == type:
        return value
    if isinstance(value, Const) and (_is_complex(type) or not _is_complex(value.type)):  # else it warns
        with np.errstate(all="raise"):
            try:
                made = type.dtype.type(value.value) if isinstance(type, Np) else {BOOL: bool, INT: int, FLOAT: float}[type](value.value)  # type: ignore[index]
                return Const(type, made)
            except (ArithmeticError, ValueError, TypeError):
                pass
    return t.emit("cast", (value,), type, reason=reason)  # type: ignore[no-any-return]


def _is_complex(type: Type) -> bool:
    return isinstance(type, Np) and type.dtype.kind == "c"


def _ints(t: Tracer, symbol: str, a: Value, b: Value) -> Abstract:
    if symbol not in _INT:
        raise Break("always_raises", f"int {symbol} int")
    both_bool = a.type == b.type == BOOL
    a, b = as_int(t, a), as_int(t, b)
    type_ = FLOAT if symbol == "/" else INT
    _divides(t, symbol, b)
    result = t.emit(_INT[symbol], (a, b), type_, reason=_REASONS.get(symbol, "int_overflow"))
    if both_bool and symbol in "&|^":
        return Scalar(t.emit("cmp", (result, const(0)), BOOL, symbol="!="))
    return Scalar(result)


def _floats(t: Tracer, symbol: str, a: Value, b: Value) -> Abstract:
    if symbol not in _FLOAT:
        raise Break("always_raises", f"float {symbol} float")
    a, b = as_float(t, a), as_float(t, b)
    _divides(t, symbol, b)
    return Scalar(t.emit(_FLOAT[symbol], (a, b), FLOAT, reason=_REASONS.get(symbol, "")))


def _divides(t: Tracer, symbol: str, by: Value) -> None:
    """Division by zero, where a statement here handles it."""
    if _REASONS.get(symbol) != "zero_division" or isinstance(by, Const):
        return
    zero = 0 if by.type == INT else 0.0
    frame = t.state.frame
    is_operator = frame.bytecode.at(frame.pc).opname == "BINARY_OP"  # what else divides may say something else
    args = _SAID_OF_ZERO[symbol, type(zero)] if is_operator else None
    if caught.catches(t, ZeroDivisionError, args):
        caught.where(t, t.emit("cmp", (by, const(zero)), BOOL, symbol="=="), ZeroDivisionError, args)


def _said_of_zero(symbol: str, zero: float) -> Abstract | None:
    """The arguments of the exception of an operator that divides by zero."""
    try:
        PYTHON[symbol](type(zero)(1), zero)
    except ZeroDivisionError as e:
        return Known(e.args)
    return None


_SAID_OF_ZERO = {(symbol, type(zero)): _said_of_zero(symbol, zero) for symbol in ("/", "//", "%") for zero in (0, 0.0)}


def loop_dtypes(ufunc: str, operands: list[Abstract]) -> tuple[np.dtype[Any], ...] | None:
    """The dtypes of the loop that NumPy would choose (inputs, then output), or None."""
    dtypes: list[Any] = []
    for operand in operands:
        value = value_of(operand)
        if value is None:
            return None
        dtypes.append(_WEAK[value.type.name] if isinstance(value.type, ScalarType) else value.type.dtype)  # type: ignore[attr-defined]
    try:
        function: np.ufunc = ufunc_of(computed(ufunc))
        chosen = function.resolve_dtypes((*dtypes, *[None] * function.nout))
    except (TypeError, AttributeError):
        return None
    return tuple(chosen)


def numpy_scalars(t: Tracer, ufunc: str, python: Callable[..., Any], *operands: Abstract) -> Abstract:
    """Arithmetic of NumPy scalars with one another and with Python scalars, natively or by calling NumPy."""
    dtypes = loop_dtypes(ufunc, list(operands))
    inputs = {d.name for d in dtypes[: len(operands)]} if dtypes else set()
    compares = ufunc in _COMPARE_UFUNCS
    if dtypes and len(inputs) == 1 and inputs <= NATIVE:
        loop = Np(inputs.pop())
        comparable = compares and loop.dtype.kind in "biuf"
        # NumPy's scalars have a power of their own for operands of one type; np.power, and mixed types, go to its array loop, whose bits are others
        own = python in _POWERS and all(_value(o).type in (loop, INT, FLOAT, BOOL) for o in operands)
        taken = operands
        if loop.dtype.kind == "c":
            ufunc, taken = _of_complex(ufunc, python, operands, own)
        formula = t.limits.scalar(ufunc, loop.name) and (own or ufunc != "power")
        if comparable or formula or t.limits.single(ufunc, tuple(dtype.name for dtype in dtypes)):
            values = tuple(cast(t, _value(o), loop) for o in taken)
            if comparable:
                symbol = _COMPARE_UFUNCS[ufunc]
                return Scalar(cast(t, t.once("cmp", values, BOOL, symbol=symbol), Np("bool")))
            return Scalar(t.emit("np_op", values, Np(dtypes[-1].name), ufunc=ufunc, reason="fp_flags"))
    return opaque.call_pure(t, python, list(operands), {})


_POWERS = (operator.pow, operator.ipow)
_OPERATORS = (operator.mul, operator.imul, operator.abs, abs)


def _of_complex(ufunc: str, python: Callable[..., Any], operands: tuple[Abstract, ...], own: bool) -> tuple[str, tuple[Abstract, ...]]:
    """The formula for complex scalars, and its operands: their operators do not compute what arrays' loops do."""
    if own and isinstance(operands[1], Known) and operands[1].value == 2:
        return "power_2", operands[:1]
    if ufunc == "multiply" and python not in _OPERATORS:
        return "array_multiply", operands
    return ("no formula" if ufunc == "absolute" and python not in _OPERATORS else ufunc), operands
_COMPARE_UFUNCS = {UFUNCS[symbol]: symbol for symbol in _COMPARE}


def _value(abstract: Abstract) -> Value:
    value = value_of(abstract)
    assert value is not None
    return value


def _is_dtype(a: Any, b: Any) -> bool:
    """Whether two constants are compared as dtypes."""
    return any(is_a(x, np.dtype) and (is_a(y, np.dtype) or type(y) is str or is_one_of(y, _DTYPES)) for x, y in ((a, b), (b, a)))


def _fold(function: Callable[[Any, Any], Any], left: Abstract, right: Abstract, symbol: str) -> Abstract | None:
    """The result for two constants, when it is cheap and certain."""
    if not (isinstance(left, Known) and isinstance(right, Known)):
        return None
    a, b = left.value, right.value
    special = symbol in ("==", "!=") and (_is_dtype(a, b) or type(a) is type(b) is type)  # whose own `==` is `is`
    if not special and (not is_one_of(type(a), FOLDABLE) or not is_one_of(type(b), FOLDABLE)):
        return None
    if symbol in ("**", "<<") and (type(a) is not int or type(b) is not int or abs(b) > 64 or abs(a) > 2**64) and symbol == "<<":
        return None
    if symbol == "**" and type(a) is int and type(b) is int and (abs(b) > 64 or abs(a) > 2**64):
        return None
    if symbol == "*" and any(is_one_of(type(x), (str, bytes, tuple)) for x in (a, b)):
        return None
    try:
        return Known(function(a, b))
    except (ArithmeticError, TypeError, ValueError):
        raise Break("always_raises", f"{a!r} {symbol} {b!r}") from None


def describe(abstract: Abstract) -> str:
    """How a message names an operand."""
    value = value_of(abstract)
    if value is not None:
        return str(value.type)
    if isinstance(abstract, Opaque | Instance):
        return class_name(abstract.cls, "__name__") if abstract.cls is not None else "an object"
    if isinstance(abstract, Known):
        return class_name(type(abstract.value), "__name__")
    return kind_of(abstract)
