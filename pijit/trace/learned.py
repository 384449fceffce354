"""Attributes that hold objects of a few types in turn, such as a number or None: what exits have shown of them.

Where a fragment reads an attribute that it stores to, or one of an object that is known by its type only, capture takes it to be like the one at
hand, and that of an item of a list like those of some others in it. Exits tell of more. Their types are known for the code object from then on, and
where it is captured again they are told apart, with a way onward for each, as items of lists are (kinds.py). An object to go on with is remembered
weakly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from .. import _native
from ..ground.names import ByClass, is_a
from ..ir.graph import Exit
from ..pycode.instructions import Bytecode, decode
from . import kinds, objects, opaque
from .frames import before_step
from .values import END, Abstract, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer


class Place(NamedTuple):
    """An instruction that reads an attribute, and how much was known of what that holds when it was captured. Of one that goes through a dict no
    name."""

    code: ref[CodeType]
    pc: int
    name: str
    known: int


_STANDINS: ByClass[Any] = ByClass({int: 0, float: 0.5, bool: True, type(None): None})
_MOST = 3  # types at a place
_FORKS = 30  # in a graph, with those of items: what follows is there once for each way
_Samples = list[Callable[[], Any]]  # each gives an object of another type, as long as there is one


# ---- what exits show -------------------------------------------------------------------------------------------------------


def place(exit: Exit) -> Place | None:
    """Where an attribute is read, if the exit is one that does this again."""
    if exit.kind != "redo" or exit.reason not in ("source_changed", "call_type"):
        return None
    frame = exit.frames[-1]
    bytecode = decode(frame.code)
    if exit.reason == "call_type":
        return Place(ref(frame.code), frame.pc, "", 0) if frame.pc in _keys(bytecode) else None
    step = bytecode.at(frame.pc).micros[0]
    return Place(ref(frame.code), frame.pc, step.arg, _extent(bytecode, frame.pc)) if step.name == "LOAD_ATTR" else None


def learn(at: Place, owner: Any) -> bool:
    """Notes what the owner's attribute holds that is read at the place; whether more is known now than was when that was captured."""
    code = at.code()
    if code is None:
        return False
    bytecode = decode(code)
    if not at.name:
        news, _keys(bytecode)[at.pc] = not _keys(bytecode)[at.pc], True
        return news
    _note(bytecode, at.pc, _native.field(owner, at.name))
    return _extent(bytecode, at.pc) > at.known


def _extent(bytecode: Bytecode, pc: int) -> int:
    return _news(bytecode).get(pc, 0) + (pc in opaque.texts(bytecode))


def _news(bytecode: Bytecode) -> dict[int, int]:
    """By pc, how many types were new there. Objects that go, and their types with them, do not count back."""
    found: dict[int, int] = bytecode.analyses.setdefault("news", {})
    return found


def _keys(bytecode: Bytecode) -> dict[int, bool]:
    """By the pc of an instruction that goes through a dict whose keys are taken for constants: whether they were others."""
    found: dict[int, bool] = bytecode.analyses.setdefault("keys", {})
    return found


def has_other_keys(t: Tracer) -> bool:
    """Whether exits have shown that the keys of the dict that is about to be gone through are others from time to time."""
    frame = before_step(t.state.frames)[-1]
    return _keys(frame.bytecode).setdefault(frame.pc, False)


def _known(bytecode: Bytecode, pc: int) -> _Samples:
    """Of the objects that are still there."""
    rows: dict[int, _Samples] = bytecode.analyses.setdefault("learned", {})
    known = rows.setdefault(pc, [])
    known[:] = [sample for sample in known if not (isinstance(sample, ref) and sample() is None)]
    return known


def _note(bytecode: Bytecode, pc: int, held: Any) -> bool:
    """Whether its type is news."""
    if type(held) is str:
        first = bytecode.analyses.setdefault("first texts", {}).setdefault(pc, held)
        if held != first:
            opaque.texts(bytecode).add(pc)
    known = _known(bytecode, pc)
    if len(known) >= _MOST or any(type(sample()) is type(held) for sample in known):
        return False
    sample = _sample(held)
    if sample is None:
        return False
    known.append(sample)
    _news(bytecode)[pc] = _news(bytecode).get(pc, 0) + 1
    return True


def _sample(held: Any) -> Callable[[], Any] | None:
    """Gives an object like the one that is held, as long as there is one; None for what there is no way of its own for."""
    cls = type(held)
    if cls in _STANDINS:
        return partial(_STANDINS.get, cls)
    if not objects.is_plain(cls) and not is_a(held, np.ndarray):
        return None
    try:
        return ref(held)
    except TypeError:
        return None


# ---- ways onward -----------------------------------------------------------------------------------------------------------


def may_fork(t: Tracer) -> bool:
    """Whether an instruction may end with several ways onward."""
    return t.last_micro and t.forks < _FORKS


def samples(t: Tracer, owner: Abstract, name: str) -> list[Any]:
    """Objects like those that the attribute may hold, one of each type; none where only one is known."""
    held = _to_be_looked_at(t, owner, name) if may_fork(t) and isinstance(owner, Opaque | Known) else _native.UNSET
    if held is _native.UNSET:
        return []
    frame = t.state.frame
    for other in t.siblings.get(owner.value, ()) if isinstance(owner, Opaque) else ():
        _note(frame.bytecode, frame.pc, _native.field(other, name))
    if type(held) is str:
        _note(frame.bytecode, frame.pc, held)
    elif type(held) in _STANDINS:
        t.again |= _note(frame.bytecode, frame.pc, held) and len(_known(frame.bytecode, frame.pc)) > 1
    known = [sample() for sample in _known(frame.bytecode, frame.pc)]
    found = {id(type(sample)): sample for sample in (*known, held)}
    return list(found.values()) if len(found) > 1 else []


def _to_be_looked_at(t: Tracer, owner: Abstract, name: str) -> Any:
    """What an attribute that an instance itself holds is taken to be like, where the program reads it; UNSET for any other."""
    row = ("field", name)
    cls, origin = objects.class_of(owner), objects.origin_of(t, owner)
    if cls is None or not objects.is_plain(cls) or not (origin is None or objects.is_stored(t, row)) or objects.is_known(t, owner, row):
        return _native.UNSET
    found = objects.class_lookup(cls, name)
    if objects.decides(found):
        return _native.UNSET
    actual = objects.actual_of(t, owner)
    return objects.last_made(t, owner, row, _native.UNSET if actual is objects.MISSING else _native.field(actual, name))


def place_of(owner: Abstract, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where `Tracer.supposed` has what a row of an owner holds on the way that is followed."""
    return "place", objects.identity(owner), row


def fork(t: Tracer, owner: Abstract, row: tuple[Any, ...], samples: list[Any], read: Callable[[], object]) -> None:
    """Ends the instruction with a way for each type of what a row loads of the owner. ``read`` pushes it, on a way where it is of that type, or
    ends that with ways of its own."""
    place = place_of(owner, row)

    def follow(sample: Any) -> None:
        t.supposed[place] = sample
        try:
            ended = read() is END
        finally:
            del t.supposed[place]
        if not ended:
            frame = t.state.frame
            frame.pc = frame.bytecode.at(frame.pc).next
            t.block.end = t.goto(t.state)

    kinds.by_type(t, opaque.look_any(t, owner, row), samples, follow)
