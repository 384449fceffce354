"""Equal arrays are made once, where nobody can tell that they are one.

    x = pick z, m                          x = pick z, m
    y = pick z, m            ->            w = ew multiply x, x
    w = ew multiply x, y

From the first on to the last use of both nothing may be written, and nothing but operations that read elements may have either. A warning
of the first is one of the second too: the interpreter does both again.
"""

from __future__ import annotations

from ..ir.graph import Block, Graph, Op, Value
from ..ir.ops import OPS
from ..ir.uses import Uses
from .again import redirect, repeatable, seen_elsewhere
from .rename import Renamer
from .simplify import identity

SCATTERS = frozenset({"bincount", "edges", "places", "histogram", "within"})  # read whole arrays, and keep none
_MAKERS = frozenset({"ew", "pick", "roll", "take", "edges", "places"})
READERS = SCATTERS | {"ew", "reduce", "accumulate", "pick", "take", "mask_count", "mask_places", "search", "interp", "roll", "join", "load"}


def equal(graph: Graph) -> None:
    """Removes the second of two."""
    uses = Uses(graph)
    for block in graph.blocks:
        known: dict[tuple[object, ...], Op] = {}
        for op in list(block.ops):
            if OPS[op.name].effect in ("write", "any"):
                known.clear()
            elif op.name in _MAKERS:
                first = known.setdefault(_key(op), op)
                if first is not op and not _merge(uses, block, first, op):
                    known[_key(op)] = op


def _key(op: Op) -> tuple[object, ...]:
    attrs = tuple((name, repr(item)) for name, item in op.attrs.items())
    return op.name, tuple(map(identity, op.args)), op.result.type, attrs


def _merge(uses: Uses, block: Block, first: Op, second: Op) -> bool:
    both = {first.result, second.result}
    start = block.ops.index(first)
    stop = _last_use(uses, block, both)
    if stop is None or not repeatable(block, start, stop) or seen_elsewhere(uses, block, start, stop, both):
        return False
    redirect(block, start, stop)
    block.ops.remove(second)
    renamer = Renamer({second.result: first.result})
    for op in block.ops:
        op.args = renamer.values(op.args)
    uses.changed()
    return True


def _last_use(uses: Uses, block: Block, values: set[Value]) -> int | None:
    """Where the last one is that uses them; None if something does that may keep them, or in another block."""
    readers = uses.readers_of(values)
    if any(uses.block_of(op) is not block or op.name not in READERS for op in readers):
        return None
    return max((block.ops.index(op) for op in readers), default=None)
