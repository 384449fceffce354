"""The abstract frame stack at one point of the program, and how two of them compare.

A state is a chain of frames, the root frame (the real one) first, inlined callees after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

from pijit.ground.records import dataclass, field, replace

from ..ir.graph import Recipe, Value
from ..pycode.flow import Flow
from ..pycode.instructions import Bytecode
from .cursors import rounds
from .values import Abstract, Break, Instance


@dataclass(slots=True)
class Then:
    """What the instruction that called an inlined function makes of its result: a row of dunder.RESULTS, and the objects that it needs."""

    kind: str
    held: list[Abstract]
    data: tuple[Any, ...] = ()


@dataclass(slots=True)
class Consumer:
    """Who takes what a generator's frame yields: a row of generators.CONSUMERS, what it has so far, and what it has to know. While the
    generator runs, its caller's frame is as it was before: an exit does the caller's instruction again."""

    kind: str
    held: list[Abstract]
    data: tuple[Any, ...] = ()


class Unmade(Abstract):
    """What is never made, as only an exception that nobody sees has it (raising.py). What would need it is the interpreter's."""

    __slots__ = ()

    def recipe(self) -> Recipe:
        raise Break("exception_handling", "the exception is looked at")


@dataclass(frozen=True, slots=True, eq=False)
class Raised(Unmade, Instance):
    """An exception on its way to its handler, or in it: one of exactly this class. ``args``: the tuple of its arguments; None: it is not known."""

    args: Abstract | None = None

    def parts(self) -> tuple[Value, ...]:
        return tuple(v for item in self.inner() for v in item.parts())

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return self.with_inner(tuple(item.remade(parts) for item in self.inner()))

    def shape(self) -> object:
        return ("Raised", id(self.cls), self.names, *(item.shape() for item in self.inner()))

    def inner(self) -> tuple[Abstract, ...]:
        return self.items if self.args is None else (*self.items, self.args)

    def with_inner(self, inner: tuple[Abstract, ...]) -> Abstract:
        count = len(self.items)
        return replace(self, items=inner[:count], args=inner[count] if len(inner) > count else None, built=None)


@dataclass(frozen=True, slots=True, eq=False)
class Traceback(Unmade, Instance):
    """That of such an exception."""

    kind: str = "instance"
    items: tuple[Abstract, ...] = ()
    cls: type = TracebackType


@dataclass(slots=True)
class FrameState:
    """One frame. ``function`` (Known or a Closure) is None for the root frame. ``pc`` is the instruction to run next; in every frame but the
    innermost it is the call being run. ``made``: the function, where the program makes it in this fragment; ``function`` is then the one
    that makes it. ``names`` are the namespace entries stored so far (module and class bodies), in the order of their first store.
    ``handled``: the exceptions whose handlers run in it, the innermost last.
    """

    bytecode: Bytecode
    flow: Flow
    function: Abstract | None
    globals: dict[str, Any]
    builtins: dict[str, Any]
    pc: int
    locals: list[Abstract]
    stack: list[Abstract] = field(default_factory=list)
    names: dict[str, Abstract] = field(default_factory=dict)
    then: Then | None = None
    made: list[Abstract] = field(default_factory=list)
    consumer: Consumer | None = None
    handled: list[Abstract] = field(default_factory=list)

    def copy(self) -> FrameState:
        """With containers of its own. It is done at each instruction: `replace` takes five times as long."""
        then, consumer = self.then, self.consumer
        return FrameState(
            self.bytecode, self.flow, self.function, self.globals, self.builtins, self.pc, self.locals.copy(), self.stack.copy(), self.names.copy(),
            then and Then(then.kind, then.held.copy(), then.data),
            self.made.copy(),
            consumer and Consumer(consumer.kind, consumer.held.copy(), consumer.data),
            self.handled.copy(),
        )  # fmt: skip

    def containers(self) -> Iterator[tuple[str, Any, Any]]:
        """(kind, container, keys) of everything that the frame holds."""
        yield "local", self.locals, range(len(self.locals))
        yield "stack", self.stack, range(len(self.stack))
        yield "name", self.names, list(self.names)
        if self.then is not None:
            yield "then", self.then.held, range(len(self.then.held))
        yield "made", self.made, range(len(self.made))
        if self.consumer is not None:
            yield "consumer", self.consumer.held, range(len(self.consumer.held))
        yield "handled", self.handled, range(len(self.handled))


@dataclass(slots=True)
class Handling:
    """An exception that is made, raised and handled: where that began (raising.place), the frames as they were then, and whether anything has
    changed since that others see."""

    place: tuple[Bytecode, tuple[Any, ...]]
    frames: list[FrameState]
    changed: bool = False

    def copy(self) -> Handling:
        """What one path makes of a virtual object is in its frames only."""
        return Handling(self.place, [frame.copy() for frame in self.frames], self.changed)


@dataclass(slots=True)
class State:
    """``memo`` holds values computed on every path to here, by what they are (hash-consing of address arithmetic); ``errors`` is NumPy's
    error state (ir.errors)."""

    frames: list[FrameState]
    memo: dict[Any, Any] = field(default_factory=dict)
    errors: int = 0
    handling: Handling | None = None

    @property
    def frame(self) -> FrameState:
        return self.frames[-1]

    @property
    def consumer(self) -> Consumer | None:
        """The outermost one, whose step an exit does again, while a generator runs."""
        return next((frame.consumer for frame in self.frames if frame.consumer is not None), None)

    def is_in_call(self) -> bool:
        """Whether what runs is a part of a call that takes all that a generator yields: an exit does the whole call again."""
        return self.consumer is not None and self.consumer.kind != "for"

    def copy(self) -> State:
        return State([frame.copy() for frame in self.frames], self.memo.copy(), self.errors, self.handling and self.handling.copy())

    def place(self) -> tuple[Any, ...]:
        """Where in the program this is; each round of an unrolled loop is a place of its own."""
        return self.errors, *(
            (
                id(frame.bytecode),
                frame.function and frame.function.shape(),
                frame.pc,
                frame.then and (frame.then.kind, frame.then.data),
                frame.consumer and (frame.consumer.kind, frame.consumer.data),
                *(number for value in frame.stack for number in rounds(value)),
            )
            for frame in self.frames
        )

    def slots(self) -> Iterator[tuple[FrameState, Any, Any, Abstract]]:
        """(frame, container, key, abstract) of everything that the state holds."""
        for frame in self.frames:
            for _, container, keys in frame.containers():
                for key in keys:
                    yield frame, container, key, container[key]
