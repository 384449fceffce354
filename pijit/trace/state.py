"""The abstract frame stack at one point of the program, and how two of them compare.

A state is a chain of frames, the root frame (the real one) first, inlined callees after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..ir.graph import Value
from ..pycode.flow import Flow
from ..pycode.instructions import Bytecode
from .values import Abstract


@dataclass(slots=True)
class Then:
    """What the instruction that called an inlined function makes of its result: a row of dunder.RESULTS, and the objects that it needs."""

    kind: str
    held: list[Abstract]
    data: tuple[Any, ...] = ()


@dataclass(slots=True)
class FrameState:
    """One frame. ``function`` is None for the root frame. ``pc`` is the instruction to run next; in every frame but the innermost it is
    the call being run. ``made``: the function, where the program makes it in this fragment; ``function`` is then the one that makes it.
    ``names`` are the namespace entries stored so far (module and class bodies), in the order of their first store.
    """

    bytecode: Bytecode
    flow: Flow
    function: Any
    globals: dict[str, Any]
    builtins: dict[str, Any]
    pc: int
    locals: list[Abstract]
    stack: list[Abstract] = field(default_factory=list)
    names: dict[str, Abstract] = field(default_factory=dict)
    then: Then | None = None
    made: list[Abstract] = field(default_factory=list)

    def copy(self) -> FrameState:
        then = self.then and replace(self.then, held=self.then.held.copy())
        return replace(self, locals=self.locals.copy(), stack=self.stack.copy(), names=self.names.copy(), then=then, made=self.made.copy())

    def containers(self) -> Iterator[tuple[str, Any, Any]]:
        """(kind, container, keys) of everything that the frame holds."""
        yield "local", self.locals, range(len(self.locals))
        yield "stack", self.stack, range(len(self.stack))
        yield "name", self.names, list(self.names)
        if self.then is not None:
            yield "then", self.then.held, range(len(self.then.held))
        yield "made", self.made, range(len(self.made))


@dataclass(slots=True)
class State:
    """``memo`` holds values computed on every path to here, by what they are (hash-consing of address arithmetic)."""

    frames: list[FrameState]
    memo: dict[Any, Any] = field(default_factory=dict)

    @property
    def frame(self) -> FrameState:
        return self.frames[-1]

    def copy(self) -> State:
        return State([frame.copy() for frame in self.frames], self.memo.copy())

    def place(self) -> tuple[Any, ...]:
        """Where in the program this is."""
        return tuple((id(frame.bytecode), id(frame.function), frame.pc, frame.then and (frame.then.kind, frame.then.data)) for frame in self.frames)

    def slots(self) -> Iterator[tuple[FrameState, Any, Any, Abstract]]:
        """(frame, container, key, abstract) of everything that the state holds."""
        for frame in self.frames:
            for _, container, keys in frame.containers():
                for key in keys:
                    yield frame, container, key, container[key]


@dataclass(slots=True)
class Version:
    """A block made for one abstract state at its start. ``params`` maps a parameter's graph value to its position."""

    block: Any
    state: State
    params: dict[Value, int]
