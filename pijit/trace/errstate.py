"""with np.errstate(...): the manager is a virtual object like one of a plain class. Its start and end set NumPy's own state, so that whatever is
called in between, and an exit, finds it as in plain Python; operations are told which state they are in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar, Token
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy._core import umath

from pijit.ground.records import dataclass

from ..ground.names import is_a
from ..ir.errors import KINDS, TREATMENTS, error_state, treatments, within
from ..ir.graph import Op, Value
from . import instances, opaque
from .functions.rows import row
from .values import Abstract, Break, Container, Instance, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

_FIELDS: dict[str, Any] = {name: getattr(np.errstate(), name) for name in vars(np.errstate).get("__slots__", ())}
_METHODS = {name: vars(np.errstate).get(name) for name in ("__init__", "__enter__", "__exit__")}
_TOKEN: Token[int] = ContextVar[int]("pijit_sample").set(0)  # like those that the variable of the error state gives
_NAMES = frozenset({"all", *KINDS})


@dataclass(frozen=True, slots=True, eq=False)
class Entered(Opaque):
    """The token of a state that was entered: the masks before it and within it."""

    before: int
    mask: int

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return Entered(next(parts), self.cls, self.before, self.mask)

    def shape(self) -> object:
        return ("Entered", self.before, self.mask)


@cache
def _object(mask: int) -> Any:
    """The state as NumPy keeps it. Made where the running state has no more than treatments, which is what it takes over."""
    given: dict[str, Any] = treatments(mask)
    return umath._make_extobj(**given)


def make(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    """np.errstate(**kwargs)."""
    known = {name: value.value for name, value in kwargs.items() if isinstance(value, Known)}
    if args or not _NAMES.issuperset(known) or len(known) < len(kwargs):
        raise Break("exception_handling", "np.errstate of what is not known")
    if not all(value is None or (type(value) is str and value in TREATMENTS) for value in known.values()):
        raise Break("always_raises", "np.errstate")
    for name, method in _METHODS.items():
        t.guards.member(np.errstate, name, method)
    fields = _FIELDS | {f"_{name}": value for name, value in known.items()}
    return Instance("instance", tuple(map(Known, fields.values())), cls=np.errstate, names=tuple(fields))


def is_manager(value: Abstract) -> bool:
    return isinstance(value, Instance) and value.cls is np.errstate


def start(t: Tracer, manager: Abstract) -> Abstract:
    """The start of a with statement: __exit__, bound, is pushed, and the result of __enter__ given."""
    t.push(Container("bound_method", (Known(_METHODS["__exit__"]), manager)))
    return enter(t, [manager], {})


def enter(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    """manager.__enter__()."""
    manager, token = _manager(t, args, 1)
    if not isinstance(token, Known):
        raise Break("always_raises", "np.errstate that is entered twice")
    given = {name: value for name in _NAMES if (value := _known(manager, f"_{name}")) is not None}
    before, mask = t.state.errors, within(t.state.errors, given)
    if mask is None or error_state(mask) is None:
        raise Break("exception_handling", "np.errstate that does not ignore underflow" if mask else "np.errstate within a state of another kind")
    if not t.last_micro:
        raise Break("exception_handling", "np.errstate")
    result = _switch(t, umath._extobj_contextvar.set, [Known(_object(mask))], _TOKEN, mask)
    assert isinstance(result, Opaque)
    _go_on_with(t, manager, t.block.ops[-1])
    instances.replace(t.state.frames, manager, manager.storing("_token", Entered(result.value, Token, before, mask)))
    t.state.errors = mask
    return Known(None)


def leave(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    """manager.__exit__(None, None, None)."""
    _, token = _manager(t, args, 4)
    if not isinstance(token, Entered) or token.mask != t.state.errors:
        raise Break("exception_handling", "the end of an np.errstate that began elsewhere")
    _switch(t, umath._extobj_contextvar.reset, [token], None, token.mask)
    t.state.errors = token.before
    return Known(None)


def _go_on_with(t: Tracer, manager: Instance, call: Op) -> None:
    """What the call gives is not what the instruction pushes: should it be anything else than a token, it is still the manager's."""
    frames = [frame.copy() for frame in t.state.frames]
    instances.replace(frames, manager, manager.storing("_token", Opaque(call.attrs["boxed"], None)))
    call.exits["type"] = opaque.going_on(t, frames, Known(None))


def _manager(t: Tracer, args: list[Abstract], count: int) -> tuple[Instance, Abstract]:
    """The virtual manager and its token."""
    manager = args[0] if len(args) == count else None
    token = manager.get("_token") if isinstance(manager, Instance) and manager.cls is np.errstate else None
    if token is None:
        raise Break("exception_handling", "np.errstate")
    assert isinstance(manager, Instance)
    return manager, token


def _known(manager: Instance, name: str) -> Any:
    value = manager.get(name)
    if not isinstance(value, Known) or not is_a(value.value, (str, type(None))):
        raise Break("exception_handling", "np.errstate of what is not known")
    return value.value


def _switch(t: Tracer, function: Any, args: list[Abstract], sample: Any, mask: int) -> Abstract:
    """Calls a method of NumPy's context variable, which runs nothing of the program's. The state of the with statement is noted."""
    ran = t.ran_python
    result = opaque.call_pure(t, function, args, {}, sample)
    t.ran_python = ran
    t.block.ops[-1].attrs["errors"] = error_state(mask)
    return result


if set(_FIELDS) == {"_token", "_call", *(f"_{name}" for name in _NAMES)} and None not in _METHODS.values():
    row(np.errstate)(make)
    row(_METHODS["__enter__"])(enter)
    row(_METHODS["__exit__"])(leave)
