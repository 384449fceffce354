"""Scans: what a ufunc accumulates, one element after the other, as np.ufunc.accumulate does it.

The next element waits for the last result, so as little as possible is done in between. The extremes of a few elements are found without it, since
it does not matter in which order: only where there is a NaN, or a negative zero, which equals the other one, do they wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import llvm_ir as ir
from . import scalars

_ADDED: dict[str, Any] = {"i": 0, "u": 0, "f": -0.0, "c": -0.0}
GROUP = 8  # elements whose extremes are found together
_KINDS: dict[str, str] = {"add": "iufc", "multiply": "iuf", "maximum": "iuf", "minimum": "iuf"}


def supports(ufunc: str, dtype: str) -> bool:
    """Whether there is a scan."""
    return np.dtype(dtype).kind in _KINDS.get(ufunc, "") and scalars.supports(ufunc, (dtype,) * 3)


def _start(ufunc: str, dtype: str) -> Any:
    """What changes no element, and raises no flag."""
    if ufunc in ("add", "multiply"):
        return 1 if ufunc == "multiply" else _ADDED[np.dtype(dtype).kind]
    least = ufunc == "maximum"
    if np.dtype(dtype).kind == "f":
        return -np.inf if least else np.inf
    return int(np.iinfo(dtype).min if least else np.iinfo(dtype).max)


class Running:
    """A scan under way. ``entry``: where the function begins."""

    def __init__(self, entry: ir.IRBuilder, ufunc: str, dtype: str) -> None:
        self.ufunc, self.dtype = ufunc, dtype
        self.extreme = ufunc in ("maximum", "minimum") and np.dtype(dtype).kind == "f"
        type, start = scalars.llvm_type(dtype), _start(ufunc, dtype)
        self.last = [_variable(entry, type(start)) for _ in range(2 if np.dtype(dtype).kind == "c" else 1)]
        self.nan: Any = _variable(entry, scalars.I1(0)) if self.extreme else None

    def joins(self) -> bool:
        """Whether a group of elements can be done at once."""
        return self.ufunc in ("maximum", "minimum")

    def group(self, builder: ir.IRBuilder, values: ir.Value) -> tuple[ir.Value, Any]:
        """The results for a vector of elements, and, or None if they are always right, whether they are; they count when `keep` gets them."""
        (place,) = self.last
        last = builder.load(place, typ=place.allocated_type)
        start = _splat(builder, last.type(_start(self.ufunc, self.dtype)))
        total, distance = values, 1
        while distance < GROUP:
            moved = builder.shuffle_vector(start, total, _numbers(max(0, GROUP - distance + lane) for lane in range(GROUP)))
            total = self._better(builder, moved, total)
            distance *= 2
        total = self._better(builder, _splat(builder, last), total)
        if not self.extreme:
            return total, None
        bits = ir.IntType(8 * np.dtype(self.dtype).itemsize)
        minus = bits(1 << (bits.width - 1))  # the negative zero
        numbers = _all(builder, builder.fcmp_ordered("ord", values, values))
        plain = _all(builder, builder.icmp_unsigned("!=", builder.bitcast(values, ir.VectorType(bits, GROUP)), _splat(builder, minus)))
        plain = builder.and_(plain, builder.icmp_unsigned("!=", builder.bitcast(last, bits), minus))
        beyond = builder.fcmp_ordered(">" if self.ufunc == "maximum" else "<", last, last.type(0.0))
        right = builder.and_(numbers, builder.or_(plain, beyond))
        return total, builder.and_(right, builder.not_(builder.load(self.nan, typ=scalars.I1)))

    def keep(self, builder: ir.IRBuilder, results: ir.Value) -> None:
        """Goes on behind a group."""
        builder.store(builder.extract_element(results, _LANE(GROUP - 1)), self.last[0])

    def _better(self, builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        sign = ">" if self.ufunc == "maximum" else "<"
        if self.extreme:
            return builder.select(builder.fcmp_ordered(sign, a, b), a, b)
        compare = builder.icmp_unsigned if np.dtype(self.dtype).kind == "u" else builder.icmp_signed
        return builder.select(compare(sign, a, b), a, b)

    def next(self, builder: ir.IRBuilder, value: Any, trouble: list[ir.Value]) -> Any:
        """The result for the next element."""
        if self.extreme:
            return self._extreme(builder, value, trouble)
        last = [builder.load(place, typ=place.allocated_type) for place in self.last]
        pair = len(last) > 1
        total = scalars.emit(builder, self.ufunc, (self.dtype,) * 3, [tuple(last) if pair else last[0], value], trouble, scalar=False)
        for place, half in zip(self.last, total if pair else (total,), strict=True):
            builder.store(half, place)
        return total

    def _extreme(self, builder: ir.IRBuilder, value: ir.Value, trouble: list[ir.Value]) -> ir.Value:
        """As `scalars` does it; a NaN stays, but nothing waits for it."""
        (place,) = self.last
        last = builder.load(place, typ=value.type)
        is_nan = builder.fcmp_unordered("uno", value, value)
        number = builder.select(is_nan, value.type(_start(self.ufunc, self.dtype)), value)
        zeros = builder.and_(builder.fcmp_ordered("==", number, value.type(0.0)), builder.fcmp_ordered("==", last, value.type(0.0)))
        bits = scalars.Emitter(builder).bits
        trouble.append(builder.and_(zeros, builder.icmp_signed("!=", bits(number), bits(last))))
        better = builder.fcmp_ordered(">" if self.ufunc == "maximum" else "<", number, last)
        total = builder.select(better, number, last)
        builder.store(total, place)
        assert self.nan is not None
        nan = builder.or_(builder.load(self.nan, typ=scalars.I1), is_nan)
        builder.store(nan, self.nan)
        return builder.select(nan, value.type(np.nan), total)


_LANE = ir.IntType(32)


def _numbers(lanes: Iterable[int]) -> ir.Value:
    chosen = [_LANE(lane) for lane in lanes]
    return ir.Constant(ir.VectorType(_LANE, len(chosen)), chosen)


def _all(builder: ir.IRBuilder, lanes: ir.Value) -> ir.Value:
    mask = ir.IntType(GROUP)
    return builder.icmp_unsigned("==", builder.bitcast(lanes, mask), mask(-1))


def _splat(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """A vector of equal elements."""
    vector = builder.insert_element(ir.Constant(ir.VectorType(value.type, GROUP), ir.Undefined), value, _LANE(0))
    return builder.shuffle_vector(vector, vector, _numbers([0] * GROUP))


def _variable(entry: ir.IRBuilder, start: ir.Value) -> ir.Allocation:
    place = entry.alloca(start.type)
    entry.store(start, place)
    return place
