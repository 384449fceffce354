"""Stretches of a block that the interpreter does again as a whole, so that no exit needs what is made in them."""

from __future__ import annotations

from pijit.ground.records import replace

from ..ir.graph import Block, Value
from ..ir.ops import OPS
from ..ir.uses import Uses


def repeatable(block: Block, start: int, stop: int) -> bool:
    """Whether the operations behind `start`, up to `stop` itself, can begin again at `start`: whatever leaves there has not happened, and before
    `stop` nothing is written."""
    ops = block.ops[start : stop + 1]
    return all(exit.kind == "redo" for op in ops for exit in op.exits.values()) and not any(
        OPS[op.name].effect in ("write", "any") for op in ops[:-1]
    )


def seen_elsewhere(uses: Uses, block: Block, start: int, stop: int, values: set[Value]) -> bool:
    """Whether a jump, or an exit of another place, passes on one of the values."""
    inside = set(block.ops[start : stop + 1])
    return any(uses.at_ends(value) or not inside.issuperset(uses.at_exits(value)) for value in values)


def redirect(block: Block, start: int, stop: int) -> None:
    """Points the exits of these operations at the first one's instruction."""
    first = block.ops[start].exits["redo"]
    for op in block.ops[start : stop + 1]:
        op.exits = {name: replace(exit, frames=first.frames, names=first.names) for name, exit in op.exits.items()}
