"""The natural loops of a graph: what leads to a jump backwards without passing its target."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .graph import Block, Graph, Op

_IN_C = frozenset({"call", "do", "find"})
_SHARE = 5  # operations, of which one that is done in C takes most of the time


def back_jumps(graph: Graph) -> list[tuple[Block, Block]]:
    """From which block to which header."""
    place = {block: n for n, block in enumerate(graph.blocks)}
    return [(block, jump.target) for block in graph.blocks for jump in block.jumps() if place[jump.target] <= place[block]]


def natural_loops(graph: Graph) -> Iterator[tuple[Block, set[Block]]]:
    """The header and the blocks of each; a header that several jumps lead back to comes once for each of them."""
    before: dict[Block, list[Block]] = {}
    for block in graph.blocks:
        for jump in block.jumps():
            before.setdefault(jump.target, []).append(block)
    for last, header in back_jumps(graph):
        found, ahead = {header}, [last]
        while ahead:
            block = ahead.pop()
            if block not in found:
                found.add(block)
                ahead += before.get(block, ())
        yield header, found


def loops_by_header(graph: Graph) -> dict[Block, set[Block]]:
    """By header, the blocks that lead back to it."""
    loops: dict[Block, set[Block]] = {}
    for header, blocks in natural_loops(graph):
        loops.setdefault(header, set()).update(blocks)
    return loops


def each_round_polls(graph: Graph) -> bool:
    """Whether every loop polls in its own blocks, so that polls tell rounds: one that is done in strips polls once for many."""
    loops = loops_by_header(graph)
    for blocks in loops.values():
        own = blocks.difference(*(inner for inner in loops.values() if inner < blocks))
        if not any(op.name == "poll" for block in own for op in block.ops):
            return False
    return True


def is_in_c(ops: Collection[Op]) -> bool:
    """Whether most of the time of so many operations is that of C functions which they call: it hardly matters how the rest is compiled."""
    return _SHARE * sum(op.name in _IN_C for op in ops) >= len(ops) > 0
