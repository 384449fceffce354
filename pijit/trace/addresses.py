"""Small arithmetic of the graph, on lengths, strides and conditions: folded where operands are known, and done once per path."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ir.graph import Const, Value, const
from ..ir.types import BOOL, INT

if TYPE_CHECKING:
    from .tracer import Tracer


def add(tracer: Tracer, a: Value, b: Value) -> Value:
    """a + b of address arithmetic, folded."""
    if isinstance(a, Const) and isinstance(b, Const):
        return const(a.value + b.value)
    if isinstance(b, Const) and b.value == 0:
        return a
    if isinstance(a, Const):
        return b if a.value == 0 else add(tracer, b, a)
    return tracer.once("raw_add", (a, b), INT)


def multiply(tracer: Tracer, a: Value, b: Value) -> Value:
    """a * b of address arithmetic, folded."""
    if isinstance(a, Const) and isinstance(b, Const):
        return const(a.value * b.value)
    if isinstance(a, Const):
        a, b = b, a
    if isinstance(b, Const) and b.value in (0, 1):
        return a if b.value else b
    return tracer.once("raw_mul", (a, b), INT)


def compare(tracer: Tracer, symbol: str, a: Value, b: Value) -> Value:
    """a <symbol> b as a bool, folded for constants and for one and the same int."""
    if isinstance(a, Const) and isinstance(b, Const):
        tests: dict[str, Callable[[Any, Any], bool]] = {
            "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, "==": lambda x, y: x == y,
            "!=": lambda x, y: x != y, ">": lambda x, y: x > y, ">=": lambda x, y: x >= y,
        }  # fmt: skip
        return const(bool(tests[symbol](a.value, b.value)))
    if a is b and a.type == INT:
        return const(symbol in ("<=", "==", ">="))
    return tracer.once("cmp", (a, b), BOOL, symbol=symbol)


def both(tracer: Tracer, a: Value, b: Value) -> Value:
    """a and b, folded for constants."""
    for known, other in ((a, b), (b, a)):
        if isinstance(known, Const):
            return other if known.value else known
    return tracer.once("select", (a, b, const(False)), BOOL)


def either(tracer: Tracer, a: Value, b: Value) -> Value:
    """a or b, folded for constants."""
    for known, other in ((a, b), (b, a)):
        if isinstance(known, Const):
            return known if known.value else other
    return tracer.once("select", (a, const(True), b), BOOL)
