"""Scans: what a ufunc accumulates, one element after the other, as np.ufunc.accumulate does it.

The next element waits for the last result, so as little as possible is done in between.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from . import scalars

_ADDED: dict[str, Any] = {"i": 0, "u": 0, "f": -0.0, "c": -0.0}
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
        self.nan = _variable(entry, scalars.I1(0)) if self.extreme else None

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


def _variable(entry: ir.IRBuilder, start: ir.Constant) -> ir.Value:
    place = entry.alloca(start.type)
    entry.store(start, place)
    return place
