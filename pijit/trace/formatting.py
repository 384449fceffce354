"""f-strings and str() of numbers and texts: CPython's own functions are called, without leaving native code. Nothing of the program's runs;
where a format is wrong the interpreter does it again, and raises.

Texts for exceptions that are handled here (raising.py) are put together when a handler looks at them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ground.names import is_one_of
from ..ir.types import BOOL, FLOAT, INT, Np
from . import deeds, exceptions, opaque, raising
from .exceptions import Message
from .state import Handling, Raised
from .values import Abstract, Break, Container, Known, Opaque, Scalar

if TYPE_CHECKING:
    from .tracer import Tracer

_CONVERSIONS: dict[int, Callable[[Any], str]] = {1: str, 2: repr, 3: ascii}
_JOIN = "".join
_JOINED = 8  # texts, for which no tuple is made
_FORMATS = {INT: int.__format__, FLOAT: float.__format__, BOOL: int.__format__}  # what format() finds
# Of what the arguments of an exception may be made.
_PARTS = frozenset({
    "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE", "BUILD_STRING", "SWAP", "NOP", "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF",
    "LOAD_GLOBAL", "LOAD_ATTR", "BINARY_OP", "BINARY_SUBSCR", "BUILD_TUPLE", "PUSH_NULL",
})  # fmt: skip
_SAMPLES = {INT: (0, 7, -7), FLOAT: (0.0, -2.5, float("nan")), BOOL: (True,)}


def convert_value(t: Tracer, which: int) -> None:
    """FORMAT_VALUE's and CONVERT_VALUE's str(), repr() and ascii()."""
    function, value = _spelled(t, _CONVERSIONS[which], t.pop())
    samples_of(value, "CONVERT_VALUE")
    t.push(made_of(t, lambda value: converted(t, function, value), value))


def format_simple(t: Tracer, _: Any) -> None:
    function, value = _spelled(t, str, t.pop())
    samples_of(value, "FORMAT_SIMPLE")
    t.push(made_of(t, lambda value: formatted(t, value) if function is str else called(t, function, value), value))


def format_with_spec(t: Tracer, _: Any) -> None:
    value, spec = t.popn(2)
    samples = samples_of(value, "FORMAT_WITH_SPEC")
    if not deeds.is_text(spec):
        raise Break("formatting", "FORMAT_WITH_SPEC")
    if isinstance(spec, Known) and _are_formatted(samples, spec.value):
        t.push(made_of(t, lambda value: formatted(t, value, spec), value))
    else:
        t.push(formatted(t, exceptions.seen(t, value), spec))


def build_string(t: Tracer, count: int) -> None:
    parts = t.popn(count)
    if any(isinstance(part, Message) for part in parts):
        t.push(Message(lambda t: joined(t, [exceptions.seen(t, part) for part in parts])))
    elif all(map(deeds.is_text, parts)):
        t.push(joined(t, parts))
    else:
        raise Break("formatting", "BUILD_STRING")


def made_of(t: Tracer, make: Callable[..., Abstract], *values: Abstract) -> Abstract:
    """The text that is made of values, which may be such texts themselves; for an exception it is made when a handler looks at it."""

    def made(t: Tracer) -> Abstract:
        return make(*(exceptions.seen(t, value) for value in values))

    return Message(made) if _is_unseen(t) else made(t)


def _spelled(t: Tracer, function: Callable[[Any], str], value: Abstract) -> tuple[Callable[[Any], str], Abstract]:
    """The function and its argument, for an exception of which str() is taken those that give this."""
    return exceptions.spelled(t, value) if function is str and isinstance(value, Raised) else (function, value)


def joined(t: Tracer, parts: list[Abstract]) -> Abstract:
    """Several texts behind each other. A format that is empty, as in ``f"{x:}"``, is put together from none."""
    if not parts:
        return Known("")
    if len(parts) > _JOINED:
        return called(t, _JOIN, Container("tuple", tuple(parts)))
    return deeds.do(t, "join", parts, "", pure=True)


def text_of(t: Tracer, value: Abstract) -> Abstract:
    """str() of a number of Python's or a text."""
    return value if deeds.is_text(value) else deeds.do(t, "str", [value], "", pure=True)


def converted(t: Tracer, function: Callable[[Any], str], value: Abstract) -> Abstract:
    """str(), repr() or ascii() of a number or text."""
    return text_of(t, value) if function is str and is_of_python(value) else called(t, function, value)


def formatted(t: Tracer, value: Abstract, spec: Abstract | None = None) -> Abstract:
    """format() of a number or text."""
    if spec is None:
        return text_of(t, value) if is_of_python(value) else called(t, format, value)
    function: Any = _FORMATS[value.value.type] if isinstance(value, Scalar) and is_of_python(value) else format  # type: ignore[index]
    return called(t, function, value, spec)


def called(t: Tracer, function: Callable[..., str], *args: Abstract) -> Abstract:
    """The text that one of CPython's functions makes of numbers and texts. NumPy's scalars are formatted by code of NumPy's."""
    if all(map(is_of_python, args)):
        return deeds.do(t, "call", [Known(function), *args], "", pure=True)
    return opaque.call_pure(t, function, list(args), {}, sample="")


def is_of_python(value: Abstract) -> bool:
    return not (isinstance(value, Scalar) and isinstance(value.value.type, Np))


def samples_of(value: Abstract, instruction: str) -> tuple[Any, ...]:
    """Objects that are formatted like the value, which is a number or a text."""
    if isinstance(value, Scalar):
        of = value.value.type
        if isinstance(of, Np):
            return (of.dtype.type(1), of.dtype.type("nan")) if of.dtype.kind == "f" else (of.dtype.type(1),)
        return _SAMPLES[of]  # type: ignore[index]
    if isinstance(value, Known) and is_one_of(type(value.value), (str, int, float, bool, type(None))):
        return (value.value,)
    if isinstance(value, Message) or (isinstance(value, Opaque) and value.cls is str):
        return ("",)
    raise Break("formatting", instruction)


def _are_formatted(samples: tuple[Any, ...], spec: str) -> bool:
    """Whether a format is right for all that is like the samples."""
    if "c" in spec:  # not every number is a character
        return False
    try:
        for sample in samples:
            format(sample, spec)
    except (ValueError, TypeError):
        return False
    return True


# ---- for exceptions --------------------------------------------------------------------------------------------------------


def _is_unseen(t: Tracer) -> bool:
    """Whether a text is for an exception that may be handled here. If so, here begins what an exit does again, unless it has begun."""
    here = raising.place(t)
    if raising.is_left(here) or not raising.may_be_handled(t) or not _is_of_exception(t):
        return False
    if t.state.handling is None:
        t.state.handling = Handling(here, t.checkpoint)
    return True


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
