"""What the handlers of instructions have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .inline import INLINED
from .tracer import Tracer
from .values import END, Abstract, Break, Known

Handler = Callable[[Tracer, Any], object]


def _null_first() -> bool:
    from ..pycode.instructions import CALL_ORDER

    return CALL_ORDER == "null_first"


NULL_FIRST = _null_first()


def result(t: Tracer, value: Any) -> object:
    """Pushes a result; ends the block where a function runs first."""
    if value is INLINED:
        t.block.end = t.goto(t.state)
        return END
    if value is END:
        return END
    assert isinstance(value, Abstract)
    t.push(value)
    return None


def names_operand(t: Tracer) -> tuple[str, ...]:
    """The constant that the compiler put on the stack for the instruction."""
    operand = t.pop()
    if not isinstance(operand, Known):
        raise Break("opcode", "names that are not a constant")
    names: tuple[str, ...] = operand.value
    return names
