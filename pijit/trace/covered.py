"""Paths that differ in numbers only go one way in loops: which of two sums an iteration makes should not be a matter of jumps.

A version of a block that is made for a number, as after `cost = 0 if a == b else 1`, is left for a later one with a parameter in its place, if
nothing but scalar work hangs on it and both go on to the same loop headers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph import Block, Jump, Leave, Op
from ..ir.ops import OPS
from .versions import Sight, Version, match

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .tracer import Tracer


def join_covered(t: Tracer, places: Iterable[list[Version]]) -> None:
    """Makes the versions of each place that a later one covers jump there."""
    for versions in places:
        for number, version in enumerate(versions[:-1]):
            if version.block.is_header:
                continue
            sight = Sight(version.state.copy())
            for later in versions[number + 1 :]:
                args = match(t, sight, later)
                if args is not None and (ways := _headers(version.block)) and ways == _headers(later.block):
                    version.block.ops = []
                    version.block.end = Jump(later.block, tuple(args))
                    break


def _headers(first: Block) -> set[Block]:
    """The loop headers that a block leads to by way of scalar work; none if there is anything else on the way."""
    found: set[Block] = set()
    seen, work = {first}, [first]
    while work:
        block = work.pop()
        if isinstance(block.end, Leave) or not all(map(_is_scalar, block.ops)):
            return set()
        for jump in block.jumps():
            if jump.target.is_header:
                found.add(jump.target)
            elif jump.target not in seen:
                seen.add(jump.target)
                work.append(jump.target)
    return found


def _is_scalar(op: Op) -> bool:
    row = OPS[op.name]
    return op.name in ("load", "store") or not (row.effect or row.fresh)
