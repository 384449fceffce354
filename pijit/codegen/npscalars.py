"""Arithmetic of NumPy scalars: the element formulas of `scalars`, and an exit wherever NumPy would warn."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.types import BOOL, FLOAT, HALVES, INT, Np, Type
from . import complex_products, scalars, singles
from . import llvm_ir as ir
from .convert import resize
from .floats import divide, exit_if_suspect
from .ints import int_power
from .llvm import F64, I64, call, i64, is_finite, make_complex, parts
from .relaxed import loose, relaxing
from .rows import Unsupported, row

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ir.graph import Op
    from .driver import Driver

_PYTHON: dict[Type, str] = {INT: "int64", BOOL: "bool", FLOAT: "float64"}
_INTS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))


@row("np_op")
def _np_op(d: Driver, op: Op) -> Any:
    ufunc, args = op.attrs["ufunc"], [d.scalar(a) for a in op.args]
    dtype = _dtype(op.args[-1].type)
    own = _OWN.get((ufunc, dtype))
    if own is not None:
        result = own(d, op, *args)
    elif scalars.supports(ufunc, dtypes := tuple(_dtype(v.type) for v in (*op.args, *op.results))):
        trouble: list[Any] = []
        with relaxing(d.builder, d.freedom(op, loose(ufunc, dtypes[-1]))):
            made = scalars.emit(d.builder, ufunc, dtypes, [_halves(d, a) for a in args], trouble)
        for condition in trouble:
            d.exit_if(op, condition)
        result = make_complex(d.builder, *made) if isinstance(made, tuple) else made
    elif singles.usable(ufunc, dtypes):
        return singles.emit(d, op, dtypes, args)
    else:
        raise Unsupported(f"np.{ufunc} on scalars of {dtype}")
    _check(d, op, result, args)
    return result


# A finite sum, difference or product has finite operands, so its check stands for theirs.
_ABSORBING = frozenset({"add", "subtract", "multiply"})
_DEFERRED = _ABSORBING | {"divide", "true_divide"}
_INEXACT = frozenset({"float32", "float64", "complex64", "complex128"})


class Deferred:
    """Checks of float operations that wait for the next thing that can be noticed: exit, store, end of the block.

    One comparison per chain then does for all its operations; only when it fails are they looked at one by one.
    """

    def __init__(self) -> None:
        self._checks: list[tuple[Op, Any, tuple[Any, ...]]] = []

    @staticmethod
    def takes(op: Op) -> bool:
        """Whether the operation's check can wait."""
        if op.name != "np_op" or op.attrs["ufunc"] not in _DEFERRED:
            return False
        return all(isinstance(v.type, Np) and v.type.name in _INEXACT for v in (*op.args, *op.results))

    def add(self, op: Op, result: Any, operands: tuple[Any, ...]) -> None:
        """Puts the check off."""
        self._checks.append((op, result, operands))

    def flush(self, d: Driver) -> None:
        """Makes the checks."""
        checks, self._checks = self._checks, []
        if not checks:
            return
        absorbed = {id(x) for op, _, operands in checks if op.attrs["ufunc"] in _ABSORBING for x in operands}
        open_ends = [half for _, result, _ in checks if id(result) not in absorbed for half in _numbers_of(d, result)]
        with d.rarely(d.builder.not_(reduce(d.builder.and_, (is_finite(d.builder, number) for number in open_ends)))):
            for op, result, operands in checks:
                _leave(d, op, result, operands)


def _leave(d: Driver, op: Op, result: Any, operands: tuple[Any, ...]) -> None:
    if any(isinstance(value.type, ir.LiteralStructType) for value in (result, *operands)):
        # the exact rule for complex numbers would be long: whatever is not finite the interpreter does
        for number in _numbers_of(d, result):
            d.exit_if(op, d.builder.not_(is_finite(d.builder, number)))
    else:
        exit_if_suspect(d, op, result, operands)


def _check(d: Driver, op: Op, result: Any, args: list[Any]) -> None:
    if not isinstance(result.type, ir.IntType):
        floats = tuple(a for a in args if not isinstance(a.type, ir.IntType))
        if op.attrs["ufunc"] == "where":
            return
        if Deferred.takes(op):
            d.deferred.add(op, result, floats)
        elif floats:
            _leave(d, op, result, floats)
        else:  # a quotient of integers
            d.exit_if(op, d.builder.not_(is_finite(d.builder, result)))


def _numbers_of(d: Driver, value: Any) -> tuple[Any, ...]:
    if isinstance(value.type, ir.IntType):
        return ()
    return tuple(parts(d.builder, value)) if isinstance(value.type, ir.LiteralStructType) else (value,)


def _halves(d: Driver, value: Any) -> Any:
    return parts(d.builder, value) if isinstance(value.type, ir.LiteralStructType) else value


def _dtype(type: Type) -> str:
    return type.name if isinstance(type, Np) else _PYTHON[type]


def _integer_power(signed: bool) -> Callable[..., Any]:
    def lower(d: Driver, op: Op, *args: Any) -> Any:
        b, type = d.builder, args[0].type
        base, power = (resize(d, a, signed, I64) for a in args)
        # as signed numbers the largest unsigned ones look negative: the interpreter does them
        d.exit_if(op, b.icmp_signed("<", power, i64(0)))
        if not signed:
            d.exit_if(op, b.icmp_signed("<", base, i64(0)))
        wide = int_power(d, op, base, power)
        made = resize(d, wide, signed, type)
        d.exit_if(op, b.icmp_signed("!=", resize(d, made, signed, I64), wide))
        return made

    return lower


def _division(which: int) -> Callable[..., Any]:
    def lower(d: Driver, op: Op, a: Any, divisor: Any) -> Any:
        d.exit_if(op, d.builder.fcmp_ordered("==", divisor, ir.Constant(divisor.type, 0.0)))
        return divide(d.builder, a, divisor)[which]

    return lower


def _power(d: Driver, op: Op, a: Any, power: Any) -> Any:
    return call(d.builder, "pj_m_pow", F64, a, power)


def _complex_multiply(d: Driver, op: Op, x: Any, y: Any) -> Any:
    """Unlike that of arrays (`complex_products`) it rounds each product of halves."""
    b, (a, bi), (c, di) = d.builder, parts(d.builder, x), parts(d.builder, y)
    return make_complex(b, b.fsub(b.fmul(a, c), b.fmul(bi, di)), b.fadd(b.fmul(a, di), b.fmul(bi, c)))


def _array_multiply(d: Driver, op: Op, x: Any, y: Any) -> Any:
    b, dtype, halves = d.builder, _dtype(op.result.type), [parts(d.builder, number) for number in (x, y)]
    for real, imaginary in halves:  # NumPy's loop over one number adds them, too, and warns where that overflows
        for both in (b.fadd(real, imaginary), b.fsub(real, imaginary)):
            d.exit_if(op, b.not_(is_finite(b, both)))
    return make_complex(b, *scalars.emit(b, "multiply", (dtype,) * 3, halves, []))


def _complex_power_2(d: Driver, op: Op, x: Any) -> Any:
    """z ** 2; that of 0 is 0 whatever the signs, and is left."""
    b, product = d.builder, _complex_multiply(d, op, x, x)
    d.exit_if(op, reduce(b.and_, (b.fcmp_ordered("==", half, half.type(0.0)) for half in parts(b, product))))
    return product


def _complex_absolute(d: Driver, op: Op, x: Any) -> Any:
    """That of NumPy's scalars is the library's hypot; that of arrays is not."""
    return call(d.builder, "pj_m_hypot", F64, *parts(d.builder, x))


def _complex_divide(d: Driver, op: Op, x: Any, y: Any) -> Any:
    """NumPy's formula (scalarmath.c.src, loops.c.src): Smith's, by the larger half of the divisor, with the inverse of the denominator."""
    b, (a, bi), (c, di) = d.builder, parts(d.builder, x), parts(d.builder, y)
    by_real = b.fcmp_ordered(">=", *(b.call(b.module.declare_intrinsic("llvm.fabs", [half.type]), [half]) for half in (c, di)))
    large, small = b.select(by_real, c, di), b.select(by_real, di, c)
    ratio = b.fdiv(small, large)
    denominator = b.fadd(large, b.fmul(small, ratio))
    # What is divided by one that is infinite is 0. The check waits with those of what came before it, which may have warned first.
    d.deferred.add(op, make_complex(b, denominator, denominator), ())
    inverse = b.fdiv(denominator.type(1.0), denominator)
    real = b.fadd(b.select(by_real, a, bi), b.fmul(b.select(by_real, bi, a), ratio))
    imaginary = b.fsub(b.select(by_real, bi, b.fmul(bi, ratio)), b.select(by_real, b.fmul(a, ratio), a))
    return make_complex(b, b.fmul(real, inverse), b.fmul(imaginary, inverse))


_OWN: dict[tuple[str, str], Callable[..., Any]] = {
    **{("array_multiply", dtype): _array_multiply for dtype in HALVES if complex_products.known("multiply", dtype)},
    **{("power_2", dtype): _complex_power_2 for dtype in HALVES},
    ("absolute", "complex128"): _complex_absolute,
    **{("multiply", dtype): _complex_multiply for dtype in HALVES},
    **{(name, dtype): _complex_divide for name in ("divide", "true_divide") for dtype in HALVES},
    **{("power", dtype): _integer_power(dtype[0] != "u") for dtype in _INTS},
    **{(name, dtype): _division(0) for name in ("floor_divide",) for dtype in ("float32", "float64")},
    **{(name, dtype): _division(1) for name in ("remainder", "mod") for dtype in ("float32", "float64")},
    ("power", "float64"): _power,
}

# What the `np_op` operation takes: (ufunc, dtype of the operands).
NP_OPS = frozenset(_OWN) | (scalars.SUPPORTED - complex_products.ROWS)
