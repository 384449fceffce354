"""Blocks of SSA operations, exits and the recipes that rebuild a frame.

Invariants, held by `check`:
1. A value is defined once, before it is used on every path.
2. Every jump passes one argument per parameter, of the same type, or any object for one of type object.
3. An operation has exactly the exits that its row in OPS names.
4. Every value that an exit's recipes name is defined where the exit may be taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from weakref import ref

from pijit.ground.records import dataclass, field, replace

from ..ground.names import class_name
from .errors import DEFAULT, ErrorState
from .types import NUMBERS, Obj, Type


class Value:
    """A result of an operation, a block parameter or a graph input."""

    __slots__ = ("type", "_op")

    def __init__(self, type: Type, op: Op | Block | None = None) -> None:
        self.type = type
        self.op = op

    @property
    def op(self) -> Op | Block | None:
        """What defines it. Weak, so that a graph that nobody needs is gone at once: it refers to objects of the program."""
        return None if self._op is None else self._op()

    @op.setter
    def op(self, op: Op | Block | None) -> None:
        self._op = None if op is None else ref(op)


class Const(Value):
    """A value known at capture time: a Python int/float/bool, a NumPy scalar, or any object (type Obj)."""

    __slots__ = ("value",)

    def __init__(self, type: Type, value: Any) -> None:
        super().__init__(type)
        self.value = value


def const(value: Any) -> Const:
    """The constant of a Python bool, int or float, of a NumPy scalar, or of any other object."""
    cls = type(value)
    return Const(NUMBERS.get(cls) or Obj(class_name(cls)), value)


# ---- recipes: how an exit makes an object out of values ------------------------------------------------------------


class Recipe:
    """Says how to make the object of one slot."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Keep(Recipe):
    """Leave what the root frame's slot holds."""


@dataclass(frozen=True, slots=True)
class Unset(Recipe):
    """The slot is unbound."""


@dataclass(frozen=True, slots=True)
class Null(Recipe):
    """The NULL that the bytecode puts beside a callable."""


@dataclass(frozen=True, slots=True, eq=False)
class Known(Recipe):
    """This very object."""

    value: Any


@dataclass(frozen=True, slots=True)
class Box(Recipe):
    """The object of a value; its type says how to box it."""

    value: Value


@dataclass(frozen=True, slots=True)
class Build(Recipe):
    """A container: kind is "tuple", "list", "slice", "bound_method", "iterator", "range" (start, stop, step),
    "range_iterator" (next, stop, step), "enumerate" (iterable, start), "zip", "zip_strict", "reversed", "count" (next, step),
    "map", "map_together" and "filter" (function, iterables), "dict_keys", "dict_values", "dict_items" or "iterator_at" (sequence or view of
    a dict, index), as in docs/native.md; "instance" ((class, names), values), "complex", "dict" (key, value, ...),
    "record" (class, tuple), "super" (class, object); "function", "cell", "root_cell", "cell_of", "in_cell" and "generator"
    (function, pc, slots, locals, stack) as trace.values makes them; "held" (what a dead local has: an object, UNSET: nothing, or
    KEEP: what the frame has); "one_of" (which, number, list, numbers that came in) and "loaded" (number, owner,
    guard row) as opt.identity makes them.
    """

    kind: str
    items: tuple[Recipe, ...]


@dataclass(slots=True)
class Frame:
    """What one Python frame must look like at an exit.

    ``function`` is None for the root frame. ``pc`` is in code units. Slots that ``locals`` does not name are kept in the root frame
    and unset in a callee. ``line`` is for messages. ``then``: a callable, and the tuple of what it is given after the frame's result, that
    makes what the caller gets.
    """

    function: Recipe | None
    code: Any
    pc: int
    locals: dict[int, Recipe]
    stack: tuple[Recipe, ...]
    line: int = 0
    then: tuple[Any, Recipe] | None = None


@dataclass(slots=True)
class Exit:
    """A way out of native code. kind: "return", "redo", "continue", "raise" or "poll"; reason: a key of the reasons registry."""

    kind: str
    reason: str
    frames: tuple[Frame, ...]
    names: tuple[tuple[str, Recipe], ...] = ()
    result: Recipe | None = None
    index: int = -1

    def recipes(self) -> Iterator[Recipe]:
        if self.result is not None:
            yield self.result
        for frame in self.frames:
            if frame.function is not None:
                yield frame.function
            if frame.then is not None:
                yield frame.then[1]
            yield from frame.locals.values()
            yield from frame.stack
        for _, recipe in self.names:
            yield recipe

    def values(self) -> list[Value]:
        """The values that this exit needs, each once, in order."""
        found: dict[Value, None] = {}
        for recipe in self.recipes():
            _find_values(recipe, found)
        return list(found)


def anew(exits: Mapping[str, Exit]) -> dict[str, Exit]:
    """The same exits for another operation: each has one index, so none is shared."""
    return {name: replace(exit) for name, exit in exits.items()}


def recipe_values(recipe: Recipe) -> Iterator[Value]:
    """The values that the recipe needs, as often as it names them."""
    if isinstance(recipe, Box):
        if not isinstance(recipe.value, Const):
            yield recipe.value
    elif isinstance(recipe, Build):
        for item in recipe.items:
            yield from recipe_values(item)


def _find_values(recipe: Recipe, found: dict[Value, None]) -> None:
    """Adds them, each once: exits ask this most often of all."""
    if isinstance(recipe, Box):
        if not isinstance(recipe.value, Const):
            found[recipe.value] = None
    elif isinstance(recipe, Build):
        for item in recipe.items:
            _find_values(item, found)


def recipes_of(op: Op) -> tuple[Recipe, ...]:
    """What an operation that works on boxed objects is given."""
    callee = op.attrs.get("callable")
    return (*(() if callee is None else (callee,)), *op.attrs.get("arguments", ()))


# ---- operations and blocks -------------------------------------------------------------------------------------------


class Op:
    """One operation. ``exits`` has one Exit per name in the row's ``exits``."""

    __slots__ = ("name", "args", "attrs", "results", "exits", "line", "__weakref__")

    def __init__(
        self, name: str, args: tuple[Value, ...], types: tuple[Type, ...], attrs: dict[str, Any], exits: dict[str, Exit], line: int
    ) -> None:
        self.name, self.args, self.attrs, self.exits, self.line = name, args, attrs, exits, line
        self.results = tuple(Value(type, self) for type in types)

    @property
    def result(self) -> Value:
        (value,) = self.results
        return value


def sides(op: Op) -> Iterator[tuple[Value, bool]]:
    """Of a check that is also made on ways that do not need it: what has to hold, or not, where it counts."""
    checked = op.args[0].op if op.name == "check" else None
    while isinstance(checked, Op) and checked.name == "select":
        condition, yes, no = checked.args
        holds = isinstance(no, Const) and no.value is True
        if not holds and not (isinstance(yes, Const) and yes.value is True):
            return
        yield condition, holds
        checked = (yes if holds else no).op


@dataclass(slots=True)
class Jump:
    """To a block, with a value for each of its parameters."""

    target: Block
    args: tuple[Value, ...] = ()


@dataclass(slots=True)
class Branch:
    """One of two jumps."""

    condition: Value  # bool
    yes: Jump
    no: Jump
    likely: bool = False  # whether it is yes nearly always, so that nothing should wait for the condition


@dataclass(slots=True)
class Leave:
    """Leaves the fragment."""

    exit: Exit


Terminator = Jump | Branch | Leave


class Block:
    """Parameters, operations, and a terminator (None only while the block is being built)."""

    __slots__ = ("params", "ops", "end", "line", "is_header", "__weakref__")

    def __init__(self, line: int = 0) -> None:
        self.params: list[Value] = []
        self.ops: list[Op] = []
        self.end: Terminator | None = None
        self.line = line
        self.is_header = False

    def param(self, type: Type) -> Value:
        value = Value(type, self)
        self.params.append(value)
        return value

    def add(self, name: str, args: tuple[Value, ...], type: Type, **attrs: object) -> Value:
        """Appends an operation without exits; gives its result."""
        op = Op(name, args, (type,), attrs, {}, self.line)
        self.ops.append(op)
        return op.result

    def jumps(self) -> tuple[Jump, ...]:
        if isinstance(self.end, Jump):
            return (self.end,)
        if isinstance(self.end, Branch):
            return (self.end.yes, self.end.no)
        return ()


@dataclass(slots=True)
class Graph:
    """``inputs`` are the values that guards unbox; ``entry`` has no parameters. Blocks are in reverse postorder. ``errors``:
    NumPy's error state where the fragment is entered. ``relaxed``: floating-point arithmetic may be regrouped and contracted. ``threads``: that
    large kernels may use. ``counts``: the pc of the loop whose rounds native code counts where it polls, or None. ``alone``: input arrays that
    nothing but the frame's value stack refers to where the fragment is entered, and whether a
    pass relies on it, so that it must be guarded."""

    inputs: list[Value]
    entry: Block
    blocks: list[Block] = field(default_factory=list)
    name: str = "fragment"
    errors: ErrorState = DEFAULT
    relaxed: bool = False
    threads: int = 1
    counts: int | None = None
    alone: dict[Value, bool] = field(default_factory=dict)

    def errors_at(self, op: Op) -> ErrorState:
        """NumPy's error state where the operation stands."""
        found: ErrorState | None = op.attrs.get("errors")
        return self.errors if found is None else found

    def exits(self) -> Iterator[Exit]:
        for block in self.blocks:
            for op in block.ops:
                yield from op.exits.values()
            if isinstance(block.end, Leave):
                yield block.end.exit

    def dismiss(self) -> None:
        """Takes the blocks apart: the jumps of a loop are a cycle, which would live until the garbage collector comes."""
        for block in (self.entry, *self.blocks):
            block.end = None

    def arrange(self) -> None:
        """Orders the blocks in reverse postorder, drops unreachable ones, and numbers the exits."""
        order: list[Block] = []
        seen = {id(self.entry)}
        stack: list[tuple[Block, Iterator[Jump]]] = [(self.entry, iter(self.entry.jumps()[::-1]))]
        while stack:
            block, rest = stack[-1]
            for jump in rest:
                if id(jump.target) not in seen:
                    seen.add(id(jump.target))
                    stack.append((jump.target, iter(jump.target.jumps()[::-1])))
                    break
            else:
                order.append(block)
                stack.pop()
        self.blocks = order[::-1]
        for index, exit in enumerate(self.exits()):
            exit.index = index
