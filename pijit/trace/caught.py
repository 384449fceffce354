"""What operations raise that a statement of the fragment handles: a way of its own, in which the exception is raised (raising.py)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from ..ir.graph import Const, Value
from ..pycode.flow import ENDS
from . import inputs, objects, raising
from .values import Abstract, Break, Container, Instance

if TYPE_CHECKING:
    from ..pycode.flow import Handler
    from ..pycode.instructions import Bytecode
    from .state import FrameState
    from .tracer import Tracer


def where(t: Tracer, condition: Value, cls: type, args: Abstract | None = None) -> None:
    """The current instruction raises an exception of a built-in class where the condition holds; elsewhere it goes on. For what `catches`:
    else it is enough that the operation leaves before the instruction. ``args``: as in Raised."""
    if isinstance(condition, Const):
        return

    def follow(number: int) -> None:
        if number == 1:
            return
        t.state.frames = [frame.copy() for frame in t.checkpoint]
        try:
            raising.throw(t, cls, args)
        except Break:
            t.leave(t.exit("redo", "always_raises"))

    t.ways([lambda: condition], follow)


def catches(t: Tracer, cls: type, args: Abstract | None = None) -> bool:
    """Whether a statement here seems to handle what the current instruction may raise, and not to look at what is not known of it: to ask costs
    where it does not happen."""
    if t.state.handling is not None or raising.is_left(raising.place(t)) or t.raises >= raising.MOST:
        return False
    for frame in reversed(t.state.frames):
        for handler in _handlers(frame):
            clauses = _caught(frame.bytecode, handler.pc)
            if clauses is None or any(_names(frame, name, cls) for name, looks in clauses if args is not None or not looks):
                return True
            if _is_suppressed(frame.stack[: handler.depth], cls):
                return True
        if frame.consumer is not None:
            return False
    return False


def _handlers(frame: FrameState) -> Iterator[Handler]:
    """What handles an exception of the frame's instruction, from the inside outwards."""
    pc, seen = frame.pc, set[int]()
    while (handler := frame.flow.handler(pc)) is not None and handler.pc not in seen:  # code may be anything
        yield handler
        pc = handler.pc
        seen.add(pc)


def _is_suppressed(stack: list[Abstract], cls: type) -> bool:
    """Whether a handler begins a contextlib.suppress of the class; below what it keeps of the stack is how to leave that."""
    leaving = stack[-1] if stack else None
    if not isinstance(leaving, Container) or leaving.kind != "bound_method":
        return False
    manager = leaving.items[1]
    classes = manager.get("_exceptions") if isinstance(manager, Instance) and manager.cls is suppress else None
    return classes is not None and any(raising.is_exception(found) and objects.is_subclass(cls, found) for found in raising.known(classes))


def _names(frame: FrameState, name: str, cls: type) -> bool:
    spaces = (frame.globals, frame.builtins)
    found = next((value for space in spaces if (value := inputs.held(space, name)) is not objects.UNSET), None)
    return raising.is_exception(found) and objects.is_subclass(cls, found)  # type: ignore[arg-type]


def _caught(bytecode: Bytecode, pc: int) -> tuple[tuple[str, bool], ...] | None:
    """The names of the classes in the `except` clauses at the beginning of a handler, and whether they look at the exception; None: it
    handles everything."""
    known: dict[int, tuple[tuple[str, bool], ...] | None] = bytecode.analyses.setdefault("caught", {})
    if pc not in known:
        known[pc] = _clauses(bytecode, pc)
    return known[pc]


def _clauses(bytecode: Bytecode, pc: int) -> tuple[tuple[str, bool], ...] | None:
    names: list[str] = []
    found: list[tuple[str, bool]] = []
    first = True
    while True:
        at = bytecode.at(pc)
        step = at.micros[0]
        pc = at.next
        if step.name == "POP_JUMP" and at.target is not None:
            first = False
            found += [(name, _is_looked_at(bytecode, pc)) for name in names]
            names = []
            pc = at.target
        elif step.name in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.append(step.arg)
        elif step.name == "POP_TOP" and first:
            return None
        elif step.name not in ("PUSH_EXC_INFO", "BUILD_TUPLE", "NOP", "CHECK_EXC_MATCH"):
            return tuple(found)


def _is_looked_at(bytecode: Bytecode, pc: int) -> bool:
    """Whether a clause names the exception and uses the name."""
    at = bytecode.at(pc)
    if at.micros[0].name != "STORE_FAST":
        return at.micros[0].name != "POP_TOP"
    slot, steps = at.micros[0].arg, list(at.micros[1:])
    while (at := bytecode.at(at.next)).opname != "POP_EXCEPT" and at.opname not in ENDS:
        steps += at.micros
    return any(step.name.startswith("LOAD_FAST") and step.arg == slot for step in (*steps, *at.micros))
