"""Texts that are put together for exceptions which nobody sees (raising.py): they are not. Any other f-string is the interpreter's.

What is formatted are numbers and texts, so that nothing of the program's runs and the only errors are those of a format itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..ir.types import BOOL, FLOAT, INT, Np
from . import raising
from .state import Handling, Unmade
from .values import Abstract, Break, Known, Opaque, Scalar

if TYPE_CHECKING:
    from .tracer import Tracer

_PARTS = frozenset({
    "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE", "BUILD_STRING", "SWAP", "NOP", "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF",
    "LOAD_GLOBAL", "LOAD_ATTR", "BINARY_OP", "BINARY_SUBSCR", "BUILD_TUPLE", "PUSH_NULL",
})  # fmt: skip
_SAMPLES = {INT: (0, 7, -7), FLOAT: (0.0, -2.5, float("nan")), BOOL: (True,)}


@dataclass(frozen=True, slots=True, eq=False)
class Message(Unmade):
    """A text that nobody will see."""


def convert_value(t: Tracer, _: Any) -> None:
    """str(), repr() or ascii() of what lies on the stack."""
    _begin(t, "CONVERT_VALUE")
    _samples(t.pop())
    t.push(Message())


def format_simple(t: Tracer, _: Any) -> None:
    _begin(t, "FORMAT_SIMPLE")
    _samples(t.pop())
    t.push(Message())


def format_with_spec(t: Tracer, _: Any) -> None:
    _begin(t, "FORMAT_WITH_SPEC")
    value, spec = t.popn(2)
    samples = _samples(value)
    if not isinstance(spec, Known) or type(spec.value) is not str or "c" in spec.value:  # not every number is a character
        raise Break("formatting", "a format that is not known")
    try:
        for sample in samples:
            format(sample, spec.value)
    except (ValueError, TypeError):
        raise Break("always_raises", f"format {spec.value}") from None
    t.push(Message())


def build_string(t: Tracer, count: int) -> None:
    parts = t.popn(count)
    if not any(isinstance(part, Message) for part in parts):
        raise Break("formatting", "BUILD_STRING")
    t.push(Message())


def _samples(value: Abstract) -> tuple[Any, ...]:
    """Objects that are formatted like the value."""
    if isinstance(value, Scalar):
        of = value.value.type
        return (of.dtype.type(1),) if isinstance(of, Np) else _SAMPLES[of]  # type: ignore[index]
    if isinstance(value, Known) and type(value.value) in (str, int, float, bool, type(None)):
        return (value.value,)
    if isinstance(value, Message) or (isinstance(value, Opaque) and value.cls is str):
        return ("",)
    raise Break("formatting", "an f-string")


def _begin(t: Tracer, instruction: str) -> None:
    """Here begins what an exit does again, if it has not begun. Raises Break unless the text is for an exception that may be handled here."""
    frame = t.state.frame
    if raising.is_left(frame) or not raising.may_be_handled(t) or not _is_of_exception(t):
        raise Break("formatting", instruction)
    if t.state.handling is None:
        t.state.handling = Handling((frame.bytecode, frame.pc), t.checkpoint)


def _is_of_exception(t: Tracer) -> bool:
    """Whether what follows puts together the arguments of a call and raises what that gives."""
    frame = t.state.frame
    instruction = frame.bytecode.at(frame.pc)
    while instruction.micros[-1].name in _PARTS:
        instruction = frame.bytecode.at(instruction.next)
    return raising.is_of_raise(frame.bytecode, instruction)


HANDLERS = {
    "CONVERT_VALUE": convert_value,
    "FORMAT_SIMPLE": format_simple,
    "FORMAT_WITH_SPEC": format_with_spec,
    "BUILD_STRING": build_string,
}
