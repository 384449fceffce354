"""What one iteration of a loop stores and the next one loads again goes on in a parameter.

    F(i):    i < bound? B : ...                       F(i, x):    i < bound? B : ...
    B:       x = load a, i - 1; ...                   B:          ...
             store a, y, i; goto F(i + 1)      =>                 store a, y, i; goto F(i + 1, y)

Through memory this takes several times as long, and it stands in the way of every sum, recurrence and table that refers to its last element.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from pijit.ground.records import dataclass

from ..ir.graph import Block, Const, Op, Value, const
from ..ir.ops import OPS
from ..ir.types import INT
from .facts import owner, split
from .loops import Loop

FARTHEST = 3  # iterations back
_NEW = frozenset({"empty", "ew", "kernel", "kernel_rolled", "roll", "pick", "take", "bincount", "edges", "places", "histogram", "list_ints", "ramp"})
_NEW |= {"mask_places", "search", "interp"}


@dataclass(frozen=True, slots=True)
class Carried:
    """Loads of what was stored ``distance`` iterations before. ``stored``: what is, by the block that ends an iteration. ``indices``: of the
    loads."""

    loads: tuple[Op, ...]
    stored: dict[Block, Value]
    distance: int
    indices: tuple[tuple[Value, int], ...]

    def first(self, block: Block) -> Value:
        """Loads at the end of a block what the first iteration would load."""
        load = self.loads[0]
        return block.add("load", (load.args[0], *(index(block, *where) for where in self.indices)), load.result.type)


def carried(loop: Loop, sure: Callable[[Op], bool]) -> list[Carried]:
    """The loads of a loop that stores in one place, in every iteration, by their distance, the nearest first. ``sure``: whether
    the indices of a load are inside in every iteration, whether it comes to the load or not."""
    last = [block for block in loop.body if any(jump.target is loop.header for jump in block.jumps())]
    stores = [op for op in loop.ops() if OPS[op.name].effect not in (None, "read")]
    ends = {block: op for block in last for op in block.ops if op in stores}
    if any(op.name != "store" for op in stores) or not len(stores) == len(last) == len(ends):
        return []
    if len({element(op.args[0], op.args[2:]) for op in stores}) != 1:
        return []
    stored = {block: op.args[1] for block, op in ends.items()}
    found: dict[int, list[Op]] = {}
    for op in loop.ops():
        if op.name == "load" and (distance := _distance(loop, op, stores[0])) and sure(op):
            found.setdefault(distance, []).append(op)
    near = itertools.takewhile(found.__contains__, range(1, FARTHEST + 1))
    return [Carried(tuple(found[distance]), stored, distance, _places(found[distance][0].args[1:])) for distance in near]


def _distance(loop: Loop, load: Op, store: Op) -> int | None:
    """How many iterations before it was stored what is loaded; None if that is not known, or 0 or less."""
    if load.args[0] is not store.args[0] or not loop.fixed(load.args[0]):
        return None
    indices = _places(load.args[1:])
    ways = set()  # from the place that is loaded to the one that is stored, along the axes on which they move
    for (value, offset), (other, other_offset) in zip(indices, _places(store.args[2:]), strict=True):
        if value is loop.counter is other:
            ways.add(other_offset - offset)
        elif not loop.fixed(value) or not _same(value, other) or offset != other_offset:
            return None
    distance, rest = divmod(ways.pop(), loop.step) if len(ways) == 1 else (0, 0)
    return distance if distance > 0 and rest == 0 else None


def element(array: Value, indices: Sequence[Value]) -> tuple[object, ...]:
    """The array and the places along its axes: equal for one element."""
    return array, *((value.value if isinstance(value, Const) else value, offset) for value, offset in _places(indices))


def apart(one: Value, other: Value) -> bool:
    """Whether two arrays surely have no memory in common: the memory of one is new, and that of the other is too, or came in. A parameter of
    a block may be anything."""
    owners = [owner(array) for array in (one, other)]
    return owners[0] is not owners[1] and any(map(_is_new, owners)) and all(found.op is None or _is_new(found) for found in owners)


def _is_new(array: Value) -> bool:
    return isinstance(array.op, Op) and array.op.name in _NEW


def index(block: Block, value: Value, offset: int) -> Value:
    """Computes an index from its place."""
    if isinstance(value, Const):
        return const(value.value + offset)
    return block.add("raw_add", (value, const(offset)), INT) if offset else value


def _places(indices: Sequence[Value]) -> tuple[tuple[Value, int], ...]:
    return tuple(map(place, indices))


def _same(one: Value, other: Value) -> bool:
    return one is other or (isinstance(one, Const) and isinstance(other, Const) and one.value == other.value)


def place(index: Value) -> tuple[Value, int]:
    """An index that is inside, as a value and what is added to it."""
    root, offset = split(index)
    while isinstance(root.op, Op) and root.op.name == "check_index" and not isinstance(root, Const):
        root, more = split(root.op.args[0])
        offset += more
    return root, offset
