"""The description of one fused loop nest: what the fusion pass makes and the kernel generator compiles.

A Kernel is a value: equal descriptions are the same machine code, whichever fragment or process they belong to. It names no
addresses, no lengths and no source positions.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operand:
    """An input. ``strides`` has one entry per kernel axis: a constant number of bytes (0: broadcast along it), or None: passed at
    run time. A scalar operand has no strides."""

    dtype: str
    strides: tuple[int | None, ...] | None


@dataclass(frozen=True, slots=True)
class Step:
    """One elementwise operation. ``args`` are references: 0..len(operands)-1 operands, then steps in order."""

    ufunc: str
    args: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """``outputs``: references to steps, each written to a new array, in memory order ``order`` ("C" or "F")."""

    ndim: int
    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    order: str = "C"
