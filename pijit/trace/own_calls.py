"""Calls of the function that is captured, in it: each is a run of its own native code, which is not left for it, and without a frame
(csrc/frameless.c), as long as nothing of it can be noticed before it returns; else native code leaves, and the interpreter makes the call.

What such a call gives is what the function returns on the ways that are known. A first capture follows those that need no such call; of it a
second one knows what to expect. Where every way needs one, as in a walk through a tree, it is known from calls with arguments of other types, for
which the function is captured, too: with the leaves. Such calls are inlined, once: that they need no call of their own is the rule.
"""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass, replace

from ..ground.names import ByClass, is_one_of
from ..ir.graph import Op, Value, const
from ..ir.repeatable import is_repeatable
from ..ir.types import BOOL, FLOAT, INT, Obj, Type
from . import deeds, objects, opaque, standins
from .instances import settled
from .sources import Source
from .values import Abstract, Break, Known, Opaque, Scalar

if TYPE_CHECKING:
    from .tracer import Tracer

_MOST = 7  # parameters: PJ_OWN_ARGUMENTS in csrc/fragments.h
_VARYING = 0x04 | 0x08  # *args, **kwargs
_NUMBERS: ByClass[Type] = ByClass({int: INT, float: FLOAT, bool: BOOL})
_LASTING = (int, float, bool, type(None), str)
_FUNCTION = Source(("function",), "the function")
UNKNOWN, VARIOUS = object(), object()


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What is known of the function before it is captured. ``gives``: an object like those that it returns, or UNKNOWN, or VARIOUS; ``others``:
    rows of the parameters for which its calls of itself pass other instances of Python's classes, tuples or lists than they were given."""

    gives: Any = UNKNOWN
    others: frozenset[tuple[Any, ...]] = frozenset()


NOTHING = Told()


def is_own(t: Tracer, code: CodeType) -> bool:
    return t.begins and code is t.state.frames[0].bytecode.code


def note(t: Tracer, values: dict[int, Abstract]) -> None:
    """Takes down for which parameters a call passes other instances."""
    t.passed_others |= {("local", slot) for slot, value in values.items() if _is_another(t, slot, value)}


def is_to_be_made(t: Tracer, values: dict[int, Abstract]) -> bool:
    """Whether a call is one of native code, not inlined: the arguments are of the types that the captured call was given, as far as is known, or
    the function is inlined already."""
    first, *inner = t.state.frames
    return any(frame.bytecode is first.bytecode for frame in inner) or not any(
        _is_of_another_type(value, t.view.locals[slot]) for slot, value in values.items() if slot < first.bytecode.code.co_argcount
    )


def _is_of_another_type(value: Abstract, held: Any) -> bool:
    if isinstance(value, Scalar) or (isinstance(value, Known) and type(value.value) in _NUMBERS):
        return type(held) not in _NUMBERS
    if isinstance(value, Known):
        return type(value.value) is not type(held)
    return isinstance(value, Opaque) and value.cls is not None and value.cls is not type(held)


def call(t: Tracer, function: Abstract, code: CodeType, values: dict[int, Abstract]) -> Abstract:
    """The result of a call of the function whose capture this is; ``values``: by parameter."""
    t.calls_itself = True
    count, sample = code.co_argcount, t.told.gives
    if sample is UNKNOWN or sample is VARIOUS or code.co_kwonlyargcount or code.co_flags & _VARYING or count > _MOST:
        raise Break("inline_limit", code.co_qualname)
    args = [_passed(t, value) for value in settled(t, *(values[slot] for slot in range(count)))]
    given = _NUMBERS.get(type(sample)) or Obj()
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


def _is_another(t: Tracer, slot: int, value: Abstract) -> bool:
    """Whether something else is passed for a parameter that was given an instance, tuple or list."""
    held = type(t.view.locals[slot]) if slot < t.root.bytecode.code.co_argcount else None
    if not (objects.is_plain(held) or is_one_of(held, (tuple, list))):
        return False
    origin = t.origins.get(value.value) if isinstance(value, Opaque) else None
    return origin is None or origin.row != ("local", slot)


def learned(t: Tracer) -> Told:
    """What is to be expected in a capture that begins again, or what was: then it need not."""
    told = t.told if t.passed_others <= t.told.others else replace(t.told, others=t.told.others | t.passed_others)
    if not t.calls_itself or not t.given or t.told.gives is VARIOUS:
        return told
    gives = _returned(t)
    if t.told.gives is UNKNOWN:
        return replace(told, gives=gives)
    fits = gives is not VARIOUS and _kind(gives) == _kind(t.told.gives) and is_repeatable(t.graph)
    return told if fits else replace(t.told, gives=VARIOUS)


def _returned(t: Tracer) -> Any:
    """An object like all that the function returns; UNKNOWN: no way returns; VARIOUS: they are of more than one type."""
    samples = [VARIOUS if (found := standins.sample_of(t, value)) is None else found[0] for value in t.given]
    if not samples:
        return UNKNOWN
    return samples[0] if len(set(map(_kind, samples))) == 1 and samples[0] is not VARIOUS else VARIOUS


def found(t: Tracer) -> Told:
    """What may be remembered of a capture: nothing of the program's is kept."""
    return Told(_lasting(_returned(t)), t.told.others) if t.begins and (t.told is not NOTHING or t.calls_itself) else NOTHING


def may_call_itself(code: CodeType) -> bool:
    """Whether the function's name is one of those in it. (By way of others any function may.)"""
    return code.co_name in code.co_names or code.co_name in code.co_freevars


def _lasting(sample: Any) -> Any:
    if type(sample) is tuple:
        items = tuple(map(_lasting, sample))
        return UNKNOWN if any(item is UNKNOWN for item in items) else items
    return sample if is_one_of(type(sample), _LASTING) else UNKNOWN


def asks(t: Tracer) -> bool:
    """Whether other calls may show more: it is not known what the function's calls of itself give, or all of them were inlined."""
    return t.told.gives is UNKNOWN and not t.given if t.calls_itself else bool(t.passed_others)


def _kind(sample: Any) -> Any:
    return (tuple, *map(_kind, sample)) if type(sample) is tuple else type(sample)
