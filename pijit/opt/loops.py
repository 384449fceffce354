"""Innermost counted loops whose iterations are short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pijit.ground.records import dataclass, field

from ..ir.check import dominators
from ..ir.graph import Block, Branch, Graph, Jump, Leave, Op, Value
from ..ir.loops import is_in_c
from ..ir.ops import OPS
from ..ir.types import INT
from .facts import split

_LONGEST = 200  # operations of a loop that is copied
_SLOW = frozenset({"assign", "within", "add_at", "roll_into", "place", "mask_count", "recheck", "poll"})


@dataclass(slots=True)
class Loop:
    """An innermost loop that counts ``counter`` by ``step`` up (or down) to ``stop``. ``body``: its blocks but the header, in order;
    ``spine``: those of them that every iteration passes which comes round."""

    header: Block
    counter: Value
    stop: Value
    step: int
    body: list[Block]
    spine: set[Block]
    inside: set[Value] = field(init=False)  # what it defines

    def __post_init__(self) -> None:
        self.inside = set()
        for block in (self.header, *self.body):
            self.inside.update(block.params)
            self.inside.update(value for op in block.ops for value in op.results)

    def ops(self) -> Iterable[Op]:
        return (op for block in self.body for op in block.ops)

    def take_out(self, graph: Graph) -> None:
        """Moves what is the same in every iteration, and cannot leave, to before the loop."""
        before = [block for block in graph.blocks if block not in self.body and any(jump.target is self.header for jump in block.jumps())]
        if len(before) > 1 or not isinstance(before[0].end, Jump):
            return
        for block in self.body:
            for op in block.ops:
                if not (op.exits or OPS[op.name].effect or OPS[op.name].fresh) and all(map(self.fixed, op.args)):
                    before[0].ops.append(op)
                    self.inside.difference_update(op.results)
            block.ops = [op for op in block.ops if not all(map(self.fixed, op.results)) or not op.results]

    @property
    def asks(self) -> bool:
        """Whether an iteration goes different ways for different ints: there more may be known of indices than elsewhere."""
        conditions = (block.end.condition.op for block in self.body if isinstance(block.end, Branch))
        return any(not isinstance(op, Op) or op.name != "cmp" or op.args[0].type == INT for op in conditions)

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
    ends = [block for block in body if any(jump.target is header for jump in block.jumps())]
    if not ends:
        return None
    spine = set.intersection(*({*_chain(block, header, above)} for block in ends))
    loop = Loop(header, counter, stop, 0, body, spine)
    ops = list(loop.ops())
    if loop.counter not in header.params or not loop.fixed(loop.stop) or len(ops) > _LONGEST or is_in_c(ops):
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


def _chain(block: Block, header: Block, above: dict[Block, Block]) -> Iterator[Block]:
    """The block and its dominators inside the loop."""
    while block is not header:
        yield block
        block = above[block]


def _stays(block: Block, loop: set[Block]) -> bool:
    """Whether the block belongs to no loop further in, and leads out of this one by a return only."""
    if block.is_header or (isinstance(block.end, Leave) and block.end.exit.kind != "return"):
        return False
    return all(jump.target in loop for jump in block.jumps())


def _quick(op: Op) -> bool:
    row = OPS[op.name]
    return op.name not in _SLOW and row.effect != "any" and (not row.fresh or op.name == "view")
