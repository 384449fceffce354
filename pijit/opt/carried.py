"""What one iteration of a loop stores and the next one loads again goes on in a parameter.

    F(i):    i < bound? B : ...                       F(i, x):    i < bound? B : ...
    B:       x = load a, i - 1; ...                   B:          ...
             store a, y, i; goto F(i + 1)      =>                 store a, y, i; goto F(i + 1, y)

Through memory this takes several times as long, and it stands in the way of every sum, recurrence and table that refers to its last element.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from ..ir.graph import Block, Const, Op, Value, const
from ..ir.ops import OPS
from ..ir.types import INT
from .facts import split
from .loops import Loop

FARTHEST = 3  # iterations back


@dataclass(frozen=True, slots=True)
class Carried:
    """A load of what the store has stored ``distance`` iterations before. ``indices``: of the load."""

    load: Op
    store: Op
    distance: int
    indices: tuple[tuple[Value, int], ...]

    def first(self, block: Block) -> Value:
        """Loads at the end of a block what the first iteration would load."""
        indices = []
        for value, offset in self.indices:
            if offset and not isinstance(value, Const):
                block.ops.append(Op("raw_add", (value, const(offset)), (INT,), {}, {}, self.load.line))
                value = block.ops[-1].result
            indices.append(value)
        block.ops.append(Op("load", (self.load.args[0], *indices), (self.load.result.type,), {}, {}, self.load.line))
        return block.ops[-1].result


def carried(loop: Loop, sure: Callable[[Op], bool]) -> list[Carried]:
    """The loads of a loop that stores in one place, in every iteration: one of each distance, the nearest first. ``sure``: whether
    the indices of a load are inside in every iteration, whether it comes to the load or not."""
    last = [block for block in loop.body if any(jump.target is loop.header for jump in block.jumps())]
    stores = [op for op in loop.ops() if OPS[op.name].effect not in (None, "read")]
    if len(stores) != 1 or stores[0].name != "store" or len(last) != 1 or stores[0] not in last[0].ops:
        return []
    found: dict[int, Carried] = {}
    for op in loop.ops():
        one = _carried(loop, op, stores[0]) if op.name == "load" else None
        if one is not None and sure(op):
            found.setdefault(one.distance, one)
    return [found[distance] for distance in itertools.takewhile(found.__contains__, range(1, FARTHEST + 1))]


def _carried(loop: Loop, load: Op, store: Op) -> Carried | None:
    if load.args[0] is not store.args[0] or not loop.fixed(load.args[0]):
        return None
    indices = tuple(map(place, load.args[1:]))
    ways = set()  # from the place that is loaded to the one that is stored, along the axes on which they move
    for (value, offset), (other, other_offset) in zip(indices, map(place, store.args[2:]), strict=True):
        if value is loop.counter is other:
            ways.add(other_offset - offset)
        elif not loop.fixed(value) or not _same(value, other) or offset != other_offset:
            return None
    distance, rest = divmod(ways.pop(), loop.step) if len(ways) == 1 else (0, 0)
    return Carried(load, store, distance, indices) if distance > 0 and rest == 0 else None


def _same(one: Value, other: Value) -> bool:
    return one is other or (isinstance(one, Const) and isinstance(other, Const) and one.value == other.value)


def place(index: Value) -> tuple[Value, int]:
    """An index that is inside, as a value and what is added to it."""
    root, offset = split(index)
    while isinstance(root.op, Op) and root.op.name == "check_index" and not isinstance(root, Const):
        root, more = split(root.op.args[0])
        offset += more
    return root, offset
