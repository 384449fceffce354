"""Calls of the function that is captured, in it: each is a run of its own native code, which is not left for it, and without a frame
(csrc/frameless.c), as long as nothing of it can be noticed before it returns; else native code leaves, and the interpreter makes the call.

What such a call gives is what the function returns on the ways that are known. A first capture follows those that need no such call; of it a
second one knows what to expect.
"""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from ..ir.graph import Op, Value, const
from ..ir.repeatable import is_repeatable
from ..ir.types import BOOL, FLOAT, INT, Obj, Type
from . import deeds, opaque, standins
from .instances import settled
from .sources import Source
from .values import Abstract, Break, Known, Opaque, Scalar

if TYPE_CHECKING:
    from .tracer import Tracer

_MOST = 7  # parameters: PJ_OWN_ARGUMENTS in csrc/fragments.h
_VARYING = 0x04 | 0x08  # *args, **kwargs
_NUMBERS: dict[type, Type] = {int: INT, float: FLOAT, bool: BOOL}
_FUNCTION = Source(("function",), "the function")
UNKNOWN, VARIOUS = object(), object()


def is_own(t: Tracer, code: CodeType) -> bool:
    return t.begins and code is t.state.frames[0].bytecode.code


def call(t: Tracer, function: Abstract, code: CodeType, values: dict[int, Abstract]) -> Abstract:
    """The result of a call of the function whose capture this is; ``values``: by parameter."""
    t.calls_itself = True
    count, sample = code.co_argcount, t.gives
    if sample is UNKNOWN or sample is VARIOUS or code.co_kwonlyargcount or code.co_flags & _VARYING or count > _MOST:
        raise Break("inline_limit", code.co_qualname)
    args = [_passed(t, value) for value in settled(t, *(values[slot] for slot in range(count)))]
    given = _NUMBERS.get(type(sample), Obj())
    closure = bool(code.co_freevars)  # else functions of the same code and globals are as good as one
    if closure and isinstance(function, Known) and function.value is t.view.function:
        t.guards.same(_FUNCTION, function.value)  # its name is known to stand for it already
        closure = False
    callee = (deeds.as_object(t, function),) if closure else ()
    op = Op("own_call", (*callee, *args), (given,), {"closure": closure}, {"redo": t.exit("redo", "own_call")}, t.line)
    t.append(op)
    return opaque.like(t, op.result, sample) if isinstance(given, Obj) else Scalar(op.result)


def _passed(t: Tracer, value: Abstract) -> Value:
    """A number, or an object."""
    if isinstance(value, Scalar) and value.type in (INT, FLOAT, BOOL):
        return value.value
    if isinstance(value, Known) and type(value.value) in _NUMBERS and -(2**63) <= value.value < 2**63:
        return const(value.value)
    if isinstance(value, Known | Opaque):
        return deeds.as_object(t, value)
    made: Value = t.emit("make", value.parts(), Obj(), arguments=(value.recipe(),))
    return made


def learned(t: Tracer) -> Any:
    """What is to be expected in a capture that begins again; UNKNOWN: it need not."""
    if not t.calls_itself or not t.given or t.gives is VARIOUS:
        return UNKNOWN
    samples = [VARIOUS if (found := standins.sample_of(t, value)) is None else found[0] for value in t.given]
    kinds = set(map(_kind, samples))
    if len(kinds) > 1 or any(sample is VARIOUS for sample in samples):
        return VARIOUS
    if t.gives is UNKNOWN:
        return samples[0]
    return UNKNOWN if kinds == {_kind(t.gives)} and is_repeatable(t.graph) else VARIOUS


def _kind(sample: Any) -> Any:
    return (tuple, *map(_kind, sample)) if type(sample) is tuple else type(sample)
