"""What is rolled along its first axis for one kernel alone is not moved at all: the kernel begins where the first element is now.

    r = roll a, dims, n, 0, ...
    k = kernel ..., r, ..., dims      ->      k = kernel_rolled ..., a, ..., dims, n      {rolled: places of the operands}

The conditions are those of `rolls`: between the two nothing may write, and exits there resume where the roll stands.
"""

from __future__ import annotations

from ..ir.graph import Graph, Op
from ..ir.types import Array
from ..ir.uses import Uses
from .again import redirect
from .rolls import alone, along_first, base


def rolled(graph: Graph) -> None:
    """Changes the kernels; what is not used any more goes later."""
    uses = Uses(graph)
    for block in graph.blocks:
        for op in block.ops:
            if op.name == "kernel" and _divisible(op):
                place = block.ops.index(op)
                for number in range(len(op.attrs["kernel"].operands)):
                    made = base(op.args[number])
                    roll = made.op
                    if isinstance(roll, Op) and roll in block.ops[:place] and op.args.count(op.args[number]) == 1 and _fits(op, number, roll):
                        start = block.ops.index(roll)
                        if alone(uses, block, made, start, place):
                            _change(op, number, roll)
                            redirect(block, start, place)
                            uses.changed()


def _divisible(op: Op) -> bool:
    kernel = op.attrs["kernel"]
    return op.attrs["order"] == "C" and kernel.fold is None and not any(step.scan for step in kernel.steps)


def _fits(op: Op, number: int, roll: Op) -> bool:
    """Whether the operand is walked as the result is, and what was rolled lies in memory as it does."""
    if not along_first(roll):
        return False
    operand, type = op.attrs["kernel"].operands[number], roll.result.type
    if operand.rows or not operand.strides or operand.strides[0] == 0 or not isinstance(type, Array):
        return False
    return bool(type.ndim == op.attrs["ndim_out"])


def _change(op: Op, number: int, roll: Op) -> None:
    rank = op.attrs["ndim_out"]
    op.name = "kernel_rolled"
    op.attrs = op.attrs | {"rolled": (*op.attrs.get("rolled", ()), number)}
    op.args = (*op.args[:number], roll.args[0], *op.args[number + 1 :], roll.args[1 + rank])
