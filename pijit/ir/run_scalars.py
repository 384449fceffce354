"""The reference evaluator's operations on numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .called import CALLED, OF_INTS
from .evaluate import PYTHON, TROUBLE, Taken, careful, demand, elementwise, fits, in_64
from .graph import Op
from .types import FLOAT, INT, Np, Scalar


def _python(function: Callable[..., Any], *, type: Scalar) -> Callable[..., Any]:
    """Python's own operation; anything but a result of the type is an exit."""

    def evaluate(op: Op, *args: Any) -> Any:
        try:
            result = function(*args)
        except TROUBLE:
            raise Taken from None
        if not fits(result, type):
            raise Taken
        return result

    return evaluate


def _wrapped(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def _int_truediv(op: Op, a: int, b: int) -> float:
    demand(b != 0 and max(abs(a), abs(b)) <= 2**53)
    return a / b


def _int_lshift(op: Op, a: int, b: int) -> int:
    demand(b >= 0 and (a == 0 or b < 64) and in_64(a << min(b, 64)))
    return a << min(b, 64)


def _int_exact_float(op: Op, a: int) -> float:
    demand(abs(a) <= 2**53)
    return float(a)


def _float_to_int(op: Op, a: float) -> int:
    demand(abs(a) < 2.0**63)
    return int(a)


def _float_round(op: Op, a: float) -> int:
    demand(abs(a) < 2.0**62)
    return round(a)


def _isclose(a: float, b: float, rel_tol: float, abs_tol: float) -> bool:
    return math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)


def _result(op: Op, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    try:
        result = function(*args)
    except TROUBLE:
        raise Taken from None
    demand(fits(result, op.result.type))
    return result


def _math(op: Op, *args: float) -> Any:
    name = op.attrs["name"]
    return _result(op, _isclose if name == "isclose" else getattr(math, name), args)


def _int_math(op: Op, *args: int) -> Any:
    row = OF_INTS[op.attrs["name"]]
    demand(not row.left(*args))
    return _result(op, row.function, args)


def _called(op: Op, *args: Any) -> Any:
    return _result(op, CALLED[op.attrs["name"]].function, args)


_SYMBOLS = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}


def _complex_abs(op: Op, real: float, imag: float) -> float:
    demand(math.isfinite(real) and math.isfinite(imag))
    try:
        return abs(complex(real, imag))
    except OverflowError:
        raise Taken from None


def _cmp(op: Op, a: Any, b: Any) -> bool:
    with np.errstate(all="ignore"):
        return bool(_SYMBOLS[op.attrs["symbol"]](a, b))


def _cast(op: Op, a: Any) -> Any:
    new = op.result.type
    if isinstance(new, Np):
        return a.astype(new.dtype) if isinstance(a, np.generic) else new.dtype.type(a)
    result = PYTHON[new](a)  # type: ignore[index]
    demand(fits(result, new))
    return result


# Where a scalar integer that wraps would warn: the same in Python's integers.
_EXACT: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "negative": operator.neg,
    "absolute": abs,
    "abs": abs,
    "square": lambda a: a * a,
    "power": lambda a, b: a**b if b >= 0 else 0,
    "floor_divide": operator.floordiv,
}


# The arithmetic of complex scalars is not that of arrays, in bits and in what it warns of.
_OF_COMPLEX: dict[str, Callable[..., Any]] = {
    "multiply": operator.mul, "divide": operator.truediv, "true_divide": operator.truediv,
    "absolute": abs, "power_2": lambda a: a**2,
}  # fmt: skip


def _np_op(op: Op, *args: Any) -> Any:
    name = op.attrs["ufunc"]
    if name in _OF_COMPLEX and args[0].dtype.kind == "c":
        result = _OF_COMPLEX[name](*args)
        demand(fits(result, op.result.type))
        return result
    result = elementwise(name, args, op.result.type.name)[()]  # type: ignore[attr-defined]
    demand(fits(result, op.result.type))
    if name in _EXACT and args[0].dtype.kind in "iu":
        demand(int(result) == _EXACT[name](*(int(arg) for arg in args)))
    return result


def _np_try(op: Op, *args: Any) -> tuple[Any, int]:
    type = op.results[0].type
    assert isinstance(type, Np)
    plain = Op("np_op", op.args, (type,), op.attrs, {}, op.line)
    is_float = type.dtype.kind == "f"
    try:
        result = careful(_np_op)(plain, *args)
    except Taken:
        return type.dtype.type(np.nan if is_float else 0), 1
    return result, int(is_float and not np.isfinite(result))


def _check_index(op: Op, index: int, n: int) -> int:
    demand(-n <= index < n)
    return index + n if index < 0 else index


def _try_index(op: Op, index: int, n: int) -> tuple[int, bool]:
    return (index + n if index < 0 else index), -n <= index < n


SCALARS: dict[str, Callable[..., Any]] = {
    "int_add": _python(operator.add, type=INT),
    "int_sub": _python(operator.sub, type=INT),
    "int_mul": _python(operator.mul, type=INT),
    "int_neg": _python(operator.neg, type=INT),
    "int_abs": _python(abs, type=INT),
    "int_floordiv": _python(operator.floordiv, type=INT),
    "int_mod": _python(operator.mod, type=INT),
    "int_truediv": _int_truediv,
    "int_pow": _python(operator.pow, type=INT),
    "int_lshift": _int_lshift,
    "int_rshift": _python(operator.rshift, type=INT),
    "int_and": lambda op, a, b: a & b,
    "int_or": lambda op, a, b: a | b,
    "int_xor": lambda op, a, b: a ^ b,
    "int_invert": lambda op, a: ~a,
    "int_to_float": lambda op, a: float(a),
    "int_exact_float": _int_exact_float,
    "raw_add": lambda op, a, b: a + b,
    "raw_sub": lambda op, a, b: a - b,
    "raw_mul": lambda op, a, b: a * b,
    "raw_floordiv": lambda op, a, b: a // b,
    "raw_mod": lambda op, a, b: a % b,
    "raw_rshift": lambda op, a, b: a >> b,
    "wrap_add": lambda op, a, b: _wrapped(a + b),
    "wrap_sub": lambda op, a, b: _wrapped(a - b),
    "wrap_mul": lambda op, a, b: _wrapped(a * b),
    "raw_min": lambda op, a, b: min(a, b),
    "raw_max": lambda op, a, b: max(a, b),
    "float_add": lambda op, a, b: a + b,
    "float_sub": lambda op, a, b: a - b,
    "float_mul": lambda op, a, b: a * b,
    "float_div": _python(operator.truediv, type=FLOAT),
    "float_floordiv": _python(operator.floordiv, type=FLOAT),
    "float_mod": _python(operator.mod, type=FLOAT),
    "float_pow": _python(operator.pow, type=FLOAT),
    "float_neg": lambda op, a: -a,
    "float_abs": lambda op, a: abs(a),
    "float_to_int": _float_to_int,
    "float_round": _float_round,
    "math": _math,
    "int_bits": lambda op, a: a.bit_count() if op.attrs["which"] == "count" else a.bit_length(),
    "int_math": _int_math,
    "called": _called,
    "np_part": lambda op, a: a.imag if op.attrs["which"] else a.real,
    "part": lambda op, a: a.imag if op.attrs["which"] else a.real,
    "np_complex": lambda op, a, b: np.complex128(complex(a, b)),
    "complex_abs": _complex_abs,
    "cmp": _cmp,
    "not": lambda op, a: not a,
    "select": lambda op, a, b, c: b if a else c,
    "bool_to_int": lambda op, a: int(a),
    "cast": careful(_cast),
    "np_op": careful(_np_op),
    "np_try": _np_try,
    "beyond": lambda op, a: int(not -op.attrs["limit"] <= int(a) < op.attrs["limit"]),
    "check_index": _check_index,
    "try_index": _try_index,
    "check": lambda op, a: demand(a),
}
