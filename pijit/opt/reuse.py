"""A kernel stores its result in the place of an array that nobody needs any more.

    w = pick z, m                       w = pick z, m
    y = ew multiply w, w       ->       assign w, (ew multiply w, w)
    ... y ...                           ... w ...

It is an array that was made for this only, as NumPy does with the temporaries of an expression: its maker gives nobody else a reference, and
behind the kernel nothing uses it. So is what came in on the value stack, and only there: a guard sees to that.
Where all from its maker on can be done again, exits begin there, and it does not matter what is in it then.
Else an exit is taken at the group's first operation, where the array is still what it was: what the kernel has stored is put back
(csrc/store.c).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from pijit.ground.records import replace

from ..ir.graph import Block, Box, Graph, Known, Op, Value
from ..ir.types import Array
from ..ir.uses import Uses
from .again import repeatable, seen_elsewhere
from .equal import READERS
from .rolls import along_first

_MAKERS = frozenset({"pick", "take", "roll", "matmul", "ramp"})
_MEASURES = frozenset({"dim", "stride"})  # what asks how an array lies
_CALLED = (operator.matmul, np.matmul, np.dot)  # these give a new array for arrays


def ending(graph: Graph, uses: Uses, block: Block, group: Sequence[Op], last: int) -> Op | None:
    """The assignment of the only result of the group, which ends at the place ``last`` of the block, to an operand that may be overwritten."""
    used = {arg for op in group for arg in _operands(op)}
    results = [op for op in group if op.result not in used]
    if len(results) != 1 or any(op.name != "ew" for op in group):
        return None
    (made,) = results
    arrays = [array for array in dict.fromkeys(arg for op in group for arg in _operands(op)) if array.type == made.result.type]
    new = [array for array in arrays if _is_new(array) or (array in graph.alone and block is graph.entry)]
    whole = [array for array in new if _is_whole(array, group)]
    if not whole or _is_needed(uses, block, group, last, {op.result for op in group if op is not made}):
        return None
    for array in whole:
        if not _is_map(uses, block, array, group, last) and _ends(uses, block, array, group, last):
            exits = {"redo": replace(made.exits["redo"], reason="memory")}
            return Op("assign", (array, made.result, *_dims(made)), (), {"stretch": ()}, exits, made.line)
    return None


def _is_needed(uses: Uses, block: Block, group: Sequence[Op], last: int, inner: set[Value]) -> bool:
    """Whether anything but the group needs these values of it."""
    readers = uses.readers_of(inner)
    return any(op not in group for op in readers) or seen_elsewhere(uses, block, block.ops.index(group[0]), last, inner)


def begins(uses: Uses, block: Block, array: Value, group: Sequence[Op], last: int) -> int | None:
    """The place of what makes the array, if all from there on can be done again."""
    maker = array.op
    if not isinstance(maker, Op) or maker.name == "call" or maker not in block.ops:
        return None
    start = block.ops.index(maker)
    good = repeatable(block, start, last) and not seen_elsewhere(uses, block, start, last, {array})
    return start if good else None


def _operands(op: Op) -> tuple[Value, ...]:
    return op.args[: op.attrs.get("n", 1)]


def _dims(op: Op) -> tuple[Value, ...]:
    return op.args[op.attrs.get("n", 1) :]


def _is_whole(array: Value, group: Sequence[Op]) -> bool:
    """Whether it is used element by element only."""
    assert isinstance(array.type, Array)
    return all(
        len(_dims(op)) == array.type.ndim and not stretch
        for op in group
        for value, stretch in zip(_operands(op), op.attrs["stretch"], strict=True)
        if value is array
    )


def _is_new(array: Value) -> bool:
    maker = array.op
    if not isinstance(maker, Op) or maker.name != "call":
        return isinstance(maker, Op) and maker.name in _MAKERS
    called, arguments = maker.attrs["callable"], maker.attrs["arguments"]
    known = isinstance(called, Known) and any(called.value is function for function in _CALLED) and not maker.attrs["keywords"]
    return known and all(isinstance(given, Box) and isinstance(given.value.type, Array) for given in arguments)


def _is_map(uses: Uses, block: Block, array: Value, group: Sequence[Op], last: int) -> bool:
    """Whether there will be no such array: `rolled`."""
    maker = array.op
    if not isinstance(maker, Op) or not along_first(maker) or begins(uses, block, array, group, last) is None:
        return False
    return _is_whole(array, group) and all(op in group for op in uses.readers(array))


def _ends(uses: Uses, block: Block, array: Value, group: Sequence[Op], last: int) -> bool:
    """Whether nothing behind the group uses it, and before that nothing but what reads its elements or asks for its lengths."""
    before = set(block.ops[: last + 1])
    readers = [op for op in uses.readers(array) if op not in group]
    if any(op not in before or op.name not in READERS | _MEASURES for op in readers):
        return False
    return before.issuperset(uses.at_exits(array)) and not uses.at_ends(array)
