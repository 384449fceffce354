"""Which lengths are equal because a check said so."""

from __future__ import annotations

from ..ir.check import dominators
from ..ir.graph import Block, Const, Graph, Op, Value
from ..ir.types import INT

Same = dict[Value, Value]  # lengths that are known to be another one's, which is not


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


def learn(known: Same, op: Op) -> None:
    """Adds what holds after an operation."""
    if op.name != "check" or not isinstance(op.args[0].op, Op):
        return
    test = op.args[0].op
    if test.name == "cmp" and test.attrs["symbol"] == "==" and all(arg.type == INT for arg in test.args):
        one, other = sorted((known.get(arg, arg) for arg in test.args), key=lambda value: isinstance(value, Const))
        if isinstance(one, Const) or one is other:
            return
        known[one] = other
        for value in [value for value, root in known.items() if root is one]:
            known[value] = other
