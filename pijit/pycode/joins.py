"""Joins: where paths meet, and what may differ between the paths that do."""

from __future__ import annotations

from collections.abc import Mapping

from pijit.ground.records import dataclass
from pijit.pycode.instructions import Instruction
from pijit.pycode.loops import STORES, STORES_NAME, Dominators


@dataclass(frozen=True, slots=True)
class Join:
    """A pc that several instructions lead to. ``stores`` and ``names``: what may be stored since the last point that all paths pass;
    ``depth``: stack entries below this height are the same on all of them."""

    pc: int
    stores: frozenset[int]
    names: frozenset[str]
    depth: int
    is_hidden: bool = False

    @classmethod
    def hidden(cls, pc: int, depth: int) -> Join:
        """One that the bytecode does not show: behind a call of a function that returns in several places, say. What differs shows when the
        second path comes."""
        return cls(pc, frozenset(), frozenset(), depth, is_hidden=True)


def find_joins(
    blocks: Mapping[int, tuple[Instruction, ...]], edges: Mapping[int, set[int]], depths: Mapping[int, int], headers: frozenset[int]
) -> dict[int, Join]:
    """The joins of a flow graph by pc; loop headers are always joins."""
    dominators = Dominators(blocks, edges)
    return {
        leader: _join(leader, dominators, blocks, depths)
        for leader in blocks
        if leader in headers or len(dominators.sources.get(leader, ())) > 1
    }


def _join(
    leader: int, dominators: Dominators, blocks: Mapping[int, tuple[Instruction, ...]], depths: Mapping[int, int]
) -> Join:
    top = dominators.above(leader)
    region: set[int] = set()
    todo = [source for source in dominators.sources[leader] if source != top]
    while todo:
        block = todo.pop()
        if block not in region:
            region.add(block)
            todo += [source for source in dominators.sources[block] if source != top]
    steps = [step for block in region for i in blocks[block] for step in i.micros]
    return Join(
        leader,
        frozenset(step.arg for step in steps if step.name in STORES),
        frozenset(step.arg for step in steps if step.name in STORES_NAME),
        min((depths.get(block, 0) for block in (leader, *region)), default=0),
    )
