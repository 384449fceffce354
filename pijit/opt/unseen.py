"""An in-place operation on the whole of an array that nobody has seen yet makes a new value.

    w = ew ...                          w = ew ...
    x = ew multiply w, 4       ->       x = ew multiply w, 4
    assign w, x                         ... x ...
    ... w ...

Then all of it is one kernel. Between the two nobody but elementwise operations may have had `w`; an exit there is taken
before the assignment, and what it shows is the old value. Nobody but the assignment may use `x`: two arrays would become one.
"""

from __future__ import annotations

from ..ir.graph import Block, Graph, Op, Value
from ..ir.uses import Uses
from .equal import SCATTERS
from .rename import Renamer
from .shapes import Equal, Same, learn, length

# What may be done with an array that is to be replaced: nothing keeps it.
_LOOKS = frozenset({"ew", "accumulate", "roll", "join", "pick", "take", "mask_count", "mask_places", "search", "interp", "dim", "load"}) | SCATTERS


def unseen(graph: Graph) -> bool:
    """Removes such assignments; gives whether there were any."""
    found = False
    equal, uses = Equal(graph), Uses(graph)
    for block in graph.blocks:
        known = equal.before(block)
        seen: set[Value] = set()  # arrays of this block that something may refer to
        for op in list(block.ops):
            learn(known, op)
            if op.name == "assign" and _replaces(uses, block, op, known, seen):
                _remove(graph, block, op)
                uses.changed()
                found = True
            elif op.name not in _LOOKS:
                seen.update(op.args)
    return found


def _replaces(uses: Uses, block: Block, assign: Op, known: Same, seen: set[Value]) -> bool:
    target, made = assign.args[:2]
    return (
        target is not made
        and target not in seen
        and target.type == made.type
        and all(isinstance(v.op, Op) and v.op.name in names and v.op in block.ops for v, names in ((target, ("ew", "pick")), (made, ("ew",))))
        and _lengths(target, known) == _lengths(made, known)
        and uses.readers(made) == [assign]
        and not (uses.at_exits(made) or uses.at_ends(made))
    )


def _lengths(array: Value, known: Same) -> list[object]:
    op = array.op
    assert isinstance(op, Op)
    return [length(known, dim) for dim in op.args[op.attrs.get("n", 2) :]]  # a pick's come after the array and the mask


def _remove(graph: Graph, block: Block, assign: Op) -> None:
    """What comes after the assignment has the new value; the target was made in this block, so that other blocks only come after."""
    target, made = assign.args[:2]
    place = block.ops.index(assign)
    later = Renamer({target: made})
    before, block.ops = block.ops[:place], block.ops[place + 1 :]
    later.graph(graph)
    block.ops[:0] = before
