"""Loops poll where they go on, and only there.

    H(i):  poll; i < stop? B : after      =>     H(i):  i < stop? B : after
    B:     ...; goto H(i + 1)                    B:     poll; ...; goto H(i + 1)

A loop that ends need not ask once more, nor what was a loop's header and is none any more: where every way round passes another poll.
In short loops inside others this is a good part of what comes before and after their iterations.
"""

from __future__ import annotations

from ..ir.check import dominators
from ..ir.graph import Block, Branch, Graph, Jump, Op
from ..ir.ops import OPS
from .simplify import ways_in


def polls(graph: Graph) -> None:
    """Moves the polls of headers to where their loops go on, and removes superfluous ones."""
    for block in graph.blocks:
        if not block.is_header and any(map(_is_poll, block.ops)) and not _comes_round(block):
            block.ops = [op for op in block.ops if not _is_poll(op)]
    ways, above = ways_in(graph), dominators(graph)
    for block in graph.blocks:
        on = _goes_on(graph, block, above)
        if on is not None and ways[on.target] == 1:
            on.target.ops.insert(0, block.ops.pop(0))


def _is_poll(op: Op) -> bool:
    return op.name == "poll"


def _comes_round(block: Block) -> bool:
    """Whether a way leads from the block back to it without another poll."""
    work, seen = [jump.target for jump in block.jumps()], set[Block]()
    while work:
        target = work.pop()
        if target is block:
            return True
        if target not in seen and not any(map(_is_poll, target.ops)):
            seen.add(target)
            work += [jump.target for jump in target.jumps()]
    return False


def _goes_on(graph: Graph, header: Block, above: dict[Block, Block]) -> Jump | None:
    """The way from a header that polls into its loop, if the other one ends the loop and what comes before them cannot be noticed."""
    if not header.is_header or not isinstance(header.end, Branch) or not header.ops or not _is_poll(header.ops[0]):
        return None
    if any(op.exits or OPS[op.name].effect or OPS[op.name].fresh for op in header.ops[1:]):
        return None
    ends = [block for block in graph.blocks if any(jump.target is header for jump in block.jumps()) and _is_below(block, header, above)]
    ways = [jump for jump in (header.end.yes, header.end.no) if any(_is_below(block, jump.target, above) for block in ends)]
    inside = [jump for jump in ways if _is_below(jump.target, header, above)]
    return inside[0] if len(inside) == 1 else None


def _is_below(block: Block, other: Block, above: dict[Block, Block]) -> bool:
    """Whether every way to the block passes the other one."""
    while block is not other and above[block] is not block:
        block = above[block]
    return block is other
