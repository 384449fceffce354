"""Arithmetic of NumPy scalars that says whether NumPy would have warned instead of leaving: without branches, so that LLVM vectorises it."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.graph import Const
from ..ir.types import Np
from . import scalars
from .assign import extent
from .llvm import I64, i64, is_finite
from .relaxed import loose, relaxing
from .rows import Unsupported, row

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver


@row("disjoint")
def _disjoint(d: Driver, op: Op) -> Any:
    b = d.builder
    (low, high), (other_low, other_high) = (extent(d, d.array(a)) for a in op.args)
    return b.or_(b.icmp_unsigned("<=", high, other_low), b.icmp_unsigned("<=", other_high, low))


@row("apart")
def _apart(d: Driver, op: Op) -> Any:
    b = d.builder
    one, other = map(d.array, op.args)
    layouts = [(b.ptrtoint(a.data, I64), *a.dims, *a.steps) for a in (one, other)]
    same = [b.icmp_signed("==", *pair) for pair in zip(*layouts, strict=True)]
    return b.or_(_disjoint(d, op), reduce(b.and_, same))


@row("beyond")
def _beyond(d: Driver, op: Op) -> Any:
    """Shifted up, what lies inside has no bits above those of twice the limit."""
    b, (value,), limit = d.builder, map(d.scalar, op.args), op.attrs["limit"]
    rest = b.lshr(b.add(value, value.type(limit)), value.type(limit.bit_length()))
    return rest if rest.type == I64 else b.zext(rest, I64)


@row("np_try")
def _np_try(d: Driver, op: Op) -> tuple[Any, Any]:
    b, ufunc, args = d.builder, op.attrs["ufunc"], [d.scalar(a) for a in op.args]
    dtypes = tuple(value.type.name for value in (*op.args, op.results[0]) if isinstance(value.type, Np))
    if dtypes[-1].startswith("float") and scalars.supports(ufunc, dtypes):
        trouble: list[Any] = []
        with relaxing(b, d.freedom(op, loose(ufunc, dtypes[-1]))):
            result = scalars.emit(b, ufunc, dtypes, args, trouble)
        return result, b.zext(reduce(b.or_, trouble, b.not_(is_finite(b, result))), I64)
    if (ufunc, dtypes[0][0]) not in _WRAPPED:
        raise Unsupported(f"a trial of np.{ufunc} on {dtypes[0]}")
    result, wrapped = _WRAPPED[ufunc, dtypes[0][0]](b, op, *args)
    return result, i64(0) if wrapped is None else b.zext(wrapped, I64)


def _negative(b: Any, value: Any) -> Any:
    return b.icmp_signed("<", value, value.type(0))


def _add(b: Any, op: Op, x: Any, y: Any) -> tuple[Any, Any]:
    total = b.add(x, y)
    return total, _negative(b, b.and_(b.xor(x, total), b.xor(y, total)))


def _add_unsigned(b: Any, op: Op, x: Any, y: Any) -> tuple[Any, Any]:
    total = b.add(x, y)
    return total, b.icmp_unsigned("<", total, x)


def _subtract(b: Any, op: Op, x: Any, y: Any) -> tuple[Any, Any]:
    rest = b.sub(x, y)
    return rest, _negative(b, b.and_(b.xor(x, y), b.xor(x, rest)))


def _subtract_unsigned(b: Any, op: Op, x: Any, y: Any) -> tuple[Any, Any]:
    return b.sub(x, y), b.icmp_unsigned("<", x, y)


def _multiply(b: Any, op: Op, x: Any, y: Any) -> tuple[Any, Any]:
    """By a constant: what may be multiplied by it is a range."""
    signed = op.results[0].type.dtype.kind == "i"  # type: ignore[attr-defined]
    for value, other in ((op.args[0], y), (op.args[1], x)):
        if isinstance(value, Const):
            low, high = _factors(int(value.value), x.type.width, signed)
            compare = b.icmp_signed if signed else b.icmp_unsigned
            outside = b.or_(compare("<", other, other.type(low)), compare(">", other, other.type(high)))
            return b.mul(x, y), outside
    pair = (b.smul_with_overflow if signed else b.umul_with_overflow)(x, y)
    return b.extract_value(pair, 0), b.extract_value(pair, 1)


def _factors(constant: int, width: int, signed: bool) -> tuple[int, int]:
    """Between what a factor of the constant must lie for the product to fit."""
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    if constant == 0:
        return least, most
    if constant > 0:
        return -(-least // constant), most // constant
    return -(most // -constant), min(-least // -constant, most)


_WRAPPED = {
    ("add", "i"): _add, ("add", "u"): _add_unsigned, ("subtract", "i"): _subtract, ("subtract", "u"): _subtract_unsigned,
    ("multiply", "i"): _multiply, ("multiply", "u"): _multiply,
}  # fmt: skip
