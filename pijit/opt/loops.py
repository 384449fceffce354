"""Innermost counted loops whose iterations are short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..ir.check import dominators
from ..ir.graph import Block, Branch, Graph, Leave, Op, Value
from ..ir.ops import OPS
from .facts import split

_LONGEST = 200  # operations of a loop that is copied
_SLOW = frozenset({"assign", "recheck", "poll"})


@dataclass(slots=True)
class Loop:
    """An innermost loop that counts ``counter`` by ``step`` up (or down) to ``stop``. ``body``: its blocks but the header, in order."""

    header: Block
    counter: Value
    stop: Value
    step: int
    body: list[Block]
    inside: set[Value] = field(init=False)  # what it defines

    def __post_init__(self) -> None:
        self.inside = set()
        for block in (self.header, *self.body):
            self.inside.update(block.params)
            self.inside.update(value for op in block.ops for value in op.results)

    def ops(self) -> Iterable[Op]:
        return (op for block in self.body for op in block.ops)

    def next(self, param: Value) -> list[Value]:
        """What the iterations pass for a parameter of the header."""
        place = self.header.params.index(param)
        return [jump.args[place] for block in self.body for jump in block.jumps() if jump.target is self.header]

    def fixed(self, value: Value) -> bool:
        """Whether the value does not change in the loop."""
        return value not in self.inside


def counted_loops(graph: Graph) -> Iterator[Loop]:
    """The loops of a graph whose blocks are arranged."""
    above = dominators(graph)
    for block in graph.blocks:
        if block.is_header and (loop := _loop(graph, block, above)) is not None:
            yield loop


def _loop(graph: Graph, header: Block, above: dict[Block, Block]) -> Loop | None:
    end = header.end
    if not isinstance(end, Branch) or not header.ops or header.ops[0].name != "poll":
        return None
    first, test = end.yes.target, end.condition.op
    if end.yes.args or end.no.target is first or not isinstance(test, Op) or test not in header.ops:
        return None
    if test.name != "cmp" or any(op.exits or OPS[op.name].effect for op in header.ops[1:]):
        return None
    body = _below(graph, first, above)
    if not all(_stays(block, {header, *body}) and all(map(_quick, block.ops)) for block in body):
        return None
    counter, stop = test.args
    loop = Loop(header, counter, stop, 0, body)
    if loop.counter not in header.params or not loop.fixed(loop.stop) or len(list(loop.ops())) > _LONGEST:
        return None
    steps = {split(arg) for arg in loop.next(loop.counter)}
    if len(steps) != 1:
        return None
    ((root, loop.step),) = steps
    up_or_down = {"<": loop.step > 0, ">": loop.step < 0}.get(test.attrs["symbol"], False)
    return loop if root is loop.counter and up_or_down else None


def _below(graph: Graph, first: Block, above: dict[Block, Block]) -> list[Block]:
    """The blocks that the first one dominates, in order."""
    found = {first}
    for block in graph.blocks:
        if above[block] in found:
            found.add(block)
    return [block for block in graph.blocks if block in found]


def _stays(block: Block, loop: set[Block]) -> bool:
    """Whether the block belongs to no loop further in, and leads out of this one by a return only."""
    if block.is_header or (isinstance(block.end, Leave) and block.end.exit.kind != "return"):
        return False
    return all(jump.target in loop for jump in block.jumps())


def _quick(op: Op) -> bool:
    row = OPS[op.name]
    return op.name not in _SLOW and row.effect != "any" and (not row.fresh or op.name == "view")
