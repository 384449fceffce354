"""Graphs of which nothing can be noticed before they return: what began may be begun again."""

from __future__ import annotations

from .graph import Graph, Leave, Op
from .loops import back_jumps
from .ops import OPS


def is_repeatable(graph: Graph) -> bool:
    """Whether a run that turns out to need its frame can be done once more: it does not take long, unless the function calls itself
    (csrc/frameless.c)."""
    ops = [op for block in graph.blocks for op in block.ops]
    if not any(isinstance(block.end, Leave) and block.end.exit.kind == "return" for block in graph.blocks):
        return False
    return all(map(_is_unseen, ops)) and (calls_itself(graph) or not back_jumps(graph))


def calls_itself(graph: Graph) -> bool:
    return any(op.name == "own_call" for block in graph.blocks for op in block.ops)


def _is_unseen(op: Op) -> bool:
    reads = OPS[op.name].effect in (None, "read") and op.name != "recheck"
    return reads or op.name in ("own_call", "poll") or bool(op.attrs.get("pure"))
