"""The loops of a graph, as blocks: what leads to a jump backwards without its target."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ir.graph import Block, Graph


def natural_loops(graph: Graph) -> list[list[Block]]:
    """The blocks of each loop, wherever they stand; the header is the first one."""
    place = {id(block): number for number, block in enumerate(graph.blocks)}
    before: dict[int, list[Block]] = {id(block): [] for block in graph.blocks}
    for block in graph.blocks:
        for jump in block.jumps():
            before[id(jump.target)].append(block)
    ends = [(header, end) for header in graph.blocks for end in before[id(header)] if place[id(header)] <= place[id(end)]]
    return [_between(header, end, before) for header, end in ends]


def _between(header: Block, end: Block, before: dict[int, list[Block]]) -> list[Block]:
    found = {id(header): header}
    waiting = [end]
    while waiting:
        block = waiting.pop()
        if id(block) not in found:
            found[id(block)] = block
            waiting += before[id(block)]
    return list(found.values())
