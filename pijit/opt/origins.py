"""Where numbers come from, wherever they are used; see identity."""

from __future__ import annotations

from itertools import zip_longest

from pijit.ground.records import dataclass

from ..ir.graph import Block, Box, Build, Const, Graph, Jump, Known, Null, Op, Recipe, Value, const, recipe_values
from ..ir.types import BOOL, FLOAT, INT, OBJECT, Np
from ..ir.types import Scalar as ScalarType

ROWS = frozenset({"dict_item", "item", "tuple_item", "field"})  # that load what an object holds
_NONE = const(-1)


@dataclass(frozen=True, slots=True)
class Origin:
    """What a number may be: an item of a list, or one of the inputs: ``place`` tells which; or what an owner holds, by a guard row;
    or an object that was made of it."""

    lists: frozenset[Value] = frozenset()
    inputs: tuple[Value | None, ...] = ()
    place: Value = _NONE
    owner: Recipe | None = None
    row: tuple[object, ...] = ()
    made: Value | None = None

    def recipe(self, number: Box | Build, held: set[Value]) -> Recipe:
        if self.made is not None:
            return Box(self.made)
        if self.owner is not None:
            whole = all(value in held for value in recipe_values(self.owner))
            return Build("loaded", (number, self.owner, Known(self.row))) if whole else number
        inputs = (Null() if value is None else Box(value) for value in self.inputs)
        if not (self.lists or self.inputs) or not self.lists <= held:
            return number
        return Build("one_of", (Box(self.place), number, (*map(Box, self.lists), Null())[0], *inputs))


class Origins:
    """What numbers are wherever they are used."""

    def __init__(self, graph: Graph) -> None:
        numbers = filter(is_number, graph.inputs)
        self.inputs = {value: Origin(inputs=(*[None] * k, value), place=const(-2 - k)) for k, value in enumerate(numbers)}
        self.lasting = {*graph.inputs, *(value for op in graph.entry.ops for value in op.results)}  # what is there wherever paths meet
        self.known: dict[Value, Origin] = {}
        self.blocks: dict[Value, Block] = {}  # of parameters and choices, which come from what jumps pass, or from two of their operands
        self.incoming: dict[Value, list[tuple[Jump, Value]]] = {}
        for block in graph.blocks:
            self.blocks |= dict.fromkeys(filter(is_number, block.params), block)
            for op in block.ops:
                if op.name == "list_get" and op.result.type in (INT, FLOAT):
                    self.known[op.result] = Origin(frozenset(op.args[:1]), place=op.args[1])
                elif op.name == "select" and is_number(op.result):
                    self.blocks[op.result] = block
                elif op.name == "look" and is_itself(op):
                    self.known[op.result] = Origin(made=op.args[0])
        for block in graph.blocks:
            for jump in block.jumps():
                for param, arg in zip(jump.target.params, jump.args, strict=True):
                    self.incoming.setdefault(param, []).append((jump, arg))
        self._leave_out_computed()
        for value in list(self.blocks):
            if value in self.blocks and value not in self.known:
                self._explain(value)

    def _leave_out_computed(self) -> None:
        """Forgets the parameters and choices that may be something that is computed."""
        uses: dict[Value, list[Value]] = {}
        for value in self.blocks:
            for source in self._sources(value):
                uses.setdefault(source, []).append(value)
        work = [source for source in uses if not (isinstance(source, Const) or source in self.blocks or self._origin(source))]
        while work:
            for value in uses.get(work.pop(), ()):
                if self.blocks.pop(value, None) is not None:
                    work.append(value)

    def _explain(self, value: Value) -> None:
        """Finds out where a number, and those that it comes from, are from."""
        group, sources = self._closure(value)
        if all(map(self._made, sources)) and not any(isinstance(one.op, Op) for one in group):
            for one in group:
                self.known[one] = Origin(made=self.blocks[one].param(OBJECT))
            for one in group:
                for jump, arg in self.incoming[one]:
                    made = self._made(arg)
                    assert made is not None
                    jump.args = (*jump.args, made)
            return
        origins = [origin for origin in map(self._origin, sources) if origin is not None]
        lists = frozenset[Value]().union(*(origin.lists for origin in origins))
        inputs = tuple(next(filter(None, column), None) for column in zip_longest(*(origin.inputs for origin in origins)))
        if not origins or len(lists) > 1 or not lists <= self.lasting:
            self.blocks = {other: block for other, block in self.blocks.items() if other not in group}
            return
        choices: dict[Value, Op] = {}
        for one in group:
            block = self.blocks[one]
            if isinstance(one.op, Op):
                choices[one] = Op("select", one.op.args, (INT,), {}, {}, one.op.line)
                block.ops.insert(block.ops.index(one.op) + 1, choices[one])
            self.known[one] = Origin(lists, inputs, choices[one].result if one in choices else block.param(INT))
        for one, choice in choices.items():
            choice.args = (choice.args[0], *map(self._place, self._sources(one)))
        for one in group:
            for jump, arg in () if one in choices else self.incoming[one]:
                jump.args = (*jump.args, self._place(arg))

    def _closure(self, value: Value) -> tuple[list[Value], list[Value]]:
        """The parameters and choices that a number goes through, and what it is in the end, or what is known already."""
        group: dict[Value, None] = {value: None}
        ends: dict[Value, None] = {}
        work = [value]
        while work:
            for source in self._sources(work.pop()):
                if source not in self.blocks or source in self.known:
                    ends[source] = None
                elif source not in group:
                    group[source] = None
                    work.append(source)
        return list(group), list(ends)

    def _sources(self, value: Value) -> list[Value]:
        return list(value.op.args[1:]) if isinstance(value.op, Op) else [arg for _, arg in self.incoming[value]]

    def _origin(self, value: Value) -> Origin | None:
        return self.known.get(value) or self.inputs.get(value)

    def _made(self, value: Value) -> Value | None:
        """The object that a number is, where that is a value of its own."""
        origin = self._origin(value)
        return None if origin is None else origin.made

    def _place(self, value: Value) -> Value:
        origin = self._origin(value)
        return _NONE if origin is None else origin.place


def is_number(value: Value) -> bool:
    """Whether there may be several objects of one value."""
    return isinstance(value.type, ScalarType | Np) and value.type not in (BOOL, Np("bool"))


def is_itself(op: Op) -> bool:
    """Whether the number that is looked at is the object itself, not what it holds."""
    rows = op.attrs["result_guard"]
    return len(rows) == len(op.results) == len(op.args) == 1 and rows[0][0] in ("np", "complex", "int", "float") and is_number(op.result)


def take(look: object) -> bool:
    """Makes a look at a number that an object holds give its own object, too; whether it is one."""
    if not isinstance(look, Op) or look.name != "look" or len(look.results) != 1 or not is_number(look.result):
        return False
    first, *rest = look.attrs["result_guard"]
    if len(rest) != 1 or first[0] not in ROWS:
        return False
    taken = Value(OBJECT)
    taken.op = look
    look.attrs = look.attrs | {"result_guard": (first, ("any", 1, taken), *rest)}
    look.results = (*look.results, taken)
    return True


def is_part(value: Value) -> bool:
    """Whether it is one of the two floats of a complex number that came in, or that a call gave."""
    return isinstance(value.op, Op) and value.op.name == "part"


def whole(recipe: Build) -> Box | Build:
    """A complex number is the object that both parts were taken from, if there is one."""
    parts = [item.value.op for item in recipe.items if isinstance(item, Box) and isinstance(item.value.op, Op)]
    if [op.attrs["which"] for op in parts if op.name == "part"] != [0, 1] or parts[0].args != parts[1].args:
        return recipe
    return Box(parts[0].args[0])
