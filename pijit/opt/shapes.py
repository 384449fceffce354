"""Which lengths are equal, or a constant apart, because a check said so."""

from __future__ import annotations

from ..ir.check import dominators
from ..ir.graph import Block, Const, Graph, Op, Value
from ..ir.types import INT
from .facts import split

Length = tuple[Value | None, int]  # a value and what is added to it; of a number only that
Same = dict[Value, Length]  # values that are known to be that


class Equal:
    """What the checks of shapes on the way to a place say."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.above = graph, dominators(graph)
        self.after: dict[Block, Same] = {}

    def before(self, block: Block) -> Same:
        """At the start of a block; those of the blocks before it must have been asked for."""
        known = {} if block is self.graph.entry else dict(self.after[self.above[block]])
        self.after[block] = dict(known)
        for op in block.ops:
            learn(self.after[block], op)
        return known


def length(known: Same, value: Value) -> Length:
    """The value, as one of which nothing is known: the same for lengths that are known to be equal."""
    root, offset = split(value)
    while not isinstance(root, Const) and root in known:
        found, more = known[root]
        offset += more
        if found is None:
            return None, offset
        root = found
    return (None, offset + root.value) if isinstance(root, Const) else (root, offset)


def learn(known: Same, op: Op) -> None:
    """Adds what holds after an operation."""
    if op.name != "check" or not isinstance(op.args[0].op, Op):
        return
    test = op.args[0].op
    if test.name == "cmp" and test.attrs["symbol"] == "==" and all(arg.type == INT for arg in test.args):
        (one, offset), (other, more) = sorted((length(known, arg) for arg in test.args), key=lambda found: found[0] is None)
        if one is not None and one is not other:
            known[one] = other, more - offset
