"""Who needs the values of a graph: one walk through it answers for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from .graph import Block, Branch, Graph, Leave, Op, Value


class Uses:
    """Found at the first question, and again at the next one after `changed`: whoever changes who needs what says so."""

    __slots__ = ("_graph", "_known")

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: _Known | None = None

    def changed(self) -> None:
        """Forgets what was found."""
        self._known = None

    def readers(self, value: Value) -> list[Op]:
        """The operations that have it as an argument, in order, each once."""
        return self._found().readers.get(value, [])

    def at_exits(self, value: Value) -> list[Op]:
        """The operations whose exits need it, in order, each once."""
        return self._found().exits.get(value, [])

    def at_ends(self, value: Value) -> list[Block]:
        """The blocks at whose end it is needed: where they jump, or what leaves there."""
        return self._found().ends.get(value, [])

    def readers_of(self, values: Iterable[Value]) -> list[Op]:
        """The operations that have any of them as an argument, each once."""
        return list(dict.fromkeys(op for value in values for op in self.readers(value)))

    def block_of(self, op: Op) -> Block:
        """Where an operation stands."""
        return self._found().blocks[op]

    def is_needed_outside(self, value: Value, block: Block) -> bool:
        """Whether another block needs it."""
        blocks = self._found().blocks
        ops = (*self.readers(value), *self.at_exits(value))
        return any(blocks[op] is not block for op in ops) or any(other is not block for other in self.at_ends(value))

    def _found(self) -> _Known:
        if self._known is None:
            self._known = _Known(self._graph)
        return self._known


class _Known:
    __slots__ = ("readers", "exits", "ends", "blocks")

    def __init__(self, graph: Graph) -> None:
        self.readers: defaultdict[Value, list[Op]] = defaultdict(list)
        self.exits: defaultdict[Value, list[Op]] = defaultdict(list)
        self.ends: defaultdict[Value, list[Block]] = defaultdict(list)
        self.blocks = {op: block for block in graph.blocks for op in block.ops}
        for op in self.blocks:
            for value in dict.fromkeys(op.args):
                self.readers[value].append(op)
            for value in dict.fromkeys(value for exit in op.exits.values() for value in exit.values()):
                self.exits[value].append(op)
        for block in graph.blocks:
            for value in dict.fromkeys(_at_end(block)):
                self.ends[value].append(block)


def _at_end(block: Block) -> list[Value]:
    passed = [arg for jump in block.jumps() for arg in jump.args]
    if isinstance(block.end, Branch):
        return [block.end.condition, *passed]
    return block.end.exit.values() if isinstance(block.end, Leave) else passed
