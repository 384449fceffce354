"""Checks the invariants of a graph that `graph` lists, and the types of every operation."""

from __future__ import annotations

from collections.abc import Iterable

from .graph import Block, Branch, Const, Graph, Jump, Leave, Op, Value
from .ops import OPS
from .signatures import SIGNATURES
from .text import text
from .types import BOOL, OBJECT, Type, is_owned


class GraphError(Exception):
    """A graph breaks an invariant: an error in pijit."""


def check(graph: Graph) -> None:
    """Raises GraphError where the graph breaks an invariant."""
    try:
        _Checker(graph).check()
    except GraphError as error:
        raise GraphError(f"{error}\n{text(graph)}") from None


def dominators(graph: Graph) -> dict[Block, Block]:
    """The immediate dominator of each block (the entry's is itself). Blocks must be in reverse postorder."""
    place = {block: i for i, block in enumerate(graph.blocks)}
    before: dict[Block, list[Block]] = {block: [] for block in graph.blocks}
    for block in graph.blocks:
        for jump in block.jumps():
            before[jump.target].append(block)
    above = {graph.entry: graph.entry}
    changed = True
    while changed:
        changed = False
        for block in graph.blocks[1:]:
            new: Block | None = None
            for other in before[block]:
                if other not in above:
                    continue
                while new is not None and new is not other:
                    if place[new] > place[other]:
                        new = above[new]
                    else:
                        other = above[other]
                new = other
            assert new is not None, "blocks are not in reverse postorder"
            if above.get(block) is not new:
                above[block] = new
                changed = True
    return above


def fits(type: Type, wanted: Type) -> bool:
    """Whether a value of a type may be passed for one of another."""
    return type == wanted or (wanted == OBJECT and is_owned(type))


class _Checker:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.exits: set[int] = set()  # by id

    def check(self) -> None:
        graph = self.graph
        if not graph.blocks or graph.blocks[0] is not graph.entry or graph.entry.params:
            raise GraphError("the entry must come first and have no parameters")
        blocks = set(graph.blocks)
        for block in graph.blocks:
            if block.end is None:
                raise GraphError("a block without terminator")
            for jump in block.jumps():
                if jump.target not in blocks:
                    raise GraphError("a jump to a block that the graph does not list")
                self.jump(jump)
        above = dominators(graph)
        defined: dict[Block, set[Value]] = {}
        once: set[Value] = set()
        for block in graph.blocks:
            known = set(graph.inputs) if block is graph.entry else set(defined[above[block]])
            self.define(known, once, block.params)
            self.block(block, known, once)
            defined[block] = known

    def define(self, known: set[Value], once: set[Value], values: list[Value] | tuple[Value, ...]) -> None:
        for value in values:
            if value in once:
                raise GraphError("a value is defined twice")
            once.add(value)
            known.add(value)

    def block(self, block: Block, known: set[Value], once: set[Value]) -> None:
        for op in block.ops:
            self.used(op.args, known, op)
            self.op(op)
            for name, exit in op.exits.items():
                if id(exit) in self.exits:
                    raise GraphError(f"{_place(op)} shares an exit, which has one index, with another operation")
                self.exits.add(id(exit))
                extra = op.attrs["boxed"] if op.name == "call" and name == "type" else None
                self.used([value for value in exit.values() if value is not extra], known, op, name)
            self.define(known, once, op.results)
        end = block.end
        if isinstance(end, Branch):
            self.used((end.condition,), known, "branch")
            if end.condition.type != BOOL:
                raise GraphError("a branch on something that is not a bool")
        for jump in block.jumps():
            self.used(jump.args, known, "jump")
        if isinstance(end, Leave):
            self.used(end.exit.values(), known, "leave", end.exit.reason)

    def used(self, values: Iterable[Value], known: set[Value], user: Op | str, part: str = "") -> None:
        for value in values:
            if value not in known and not isinstance(value, Const):
                raise GraphError(f"{_place(user)} {part} uses a value ({value.type}) that is not defined there")

    def jump(self, jump: Jump) -> None:
        pairs = zip(jump.args, jump.target.params, strict=False)
        if len(jump.args) != len(jump.target.params) or not all(fits(arg.type, param.type) for arg, param in pairs):
            raise GraphError("the arguments of a jump do not fit the parameters of its target")

    def op(self, op: Op) -> None:
        row = OPS.get(op.name)
        if row is None:
            raise GraphError(f"unknown operation {op.name}")
        if tuple(op.exits) != row.exits:
            raise GraphError(f"{_place(op)} has exits {tuple(op.exits)} instead of {row.exits}")
        for name in row.attrs:
            if name not in op.attrs:
                raise GraphError(f"{_place(op)} lacks {name}")
        if not SIGNATURES[op.name](op):
            types = f"({', '.join(str(arg.type) for arg in op.args)}) -> ({', '.join(str(value.type) for value in op.results)})"
            raise GraphError(f"{_place(op)} has types {types}")


def _place(user: Op | str) -> str:
    return user if isinstance(user, str) else f"{user.name} at line {user.line}"
