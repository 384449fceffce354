"""Views of one array that lie a known number of bytes apart, as those of a stencil do along a row: a kernel needs one pointer for all of them.

What is done last with kernels: nothing else changes which operands they have. Where a view begins is a sum of strides, which are known when it
runs, and of numbers that are known now; and of those only.
"""

from __future__ import annotations

from collections import Counter

from pijit.ground.records import replace

from ..ir.graph import Const, Graph, Op, Value
from ..ir.kernel import Kernel
from ..ir.types import Array

_KERNELS = frozenset({"kernel", "kernel_into", "kernel_at"})

Place = tuple[frozenset[tuple[Value, int]], int]  # how often each number that is not known is added, and the rest


def near(graph: Graph) -> None:
    """Says of each kernel which of its operands lie near each other."""
    for block in graph.blocks:
        for op in block.ops:
            if op.name in _KERNELS:
                op.attrs["kernel"] = _described(op, op.attrs["kernel"])


def _described(op: Op, kernel: Kernel) -> Kernel:
    operands = list(kernel.operands)
    first: dict[object, tuple[int, int]] = {}  # by all but the place: an operand, and the rest of its place
    for number, operand in enumerate(operands):
        view = op.args[number].op
        own = kernel.store is not None and kernel.store.operand == number
        if own or operand.rows or not operand.strides or not isinstance(view, Op) or view.name != "view" or not _is_row(operand.strides, view):
            continue
        base, offset, *rest = view.args
        unknown, distance = _place(offset)
        steps = tuple(value.value if isinstance(value, Const) else value for value in rest[len(rest) // 2 :])
        number_before, distance_before = first.setdefault((base, unknown, steps, operand), (number, distance))
        if number_before != number:
            operands[number] = replace(operand, near=(number_before, distance - distance_before))
    return replace(kernel, operands=tuple(operands))


def _is_row(strides: tuple[int | None, ...], view: Op) -> bool:
    """Whether elements lie behind each other along the innermost axis."""
    type = view.result.type
    return isinstance(type, Array) and strides[-1] == type.dtype.itemsize


def _place(offset: Value) -> Place:
    """An offset as a sum."""
    unknown: Counter[Value] = Counter()
    known, todo = 0, [(offset, 1)]
    while todo:
        value, times = todo.pop()
        op = value.op
        if isinstance(value, Const):
            known += times * int(value.value)
        elif isinstance(op, Op) and op.name == "raw_add":
            todo += [(arg, times) for arg in op.args]
        elif isinstance(op, Op) and op.name == "raw_mul" and any(isinstance(arg, Const) for arg in op.args):
            a, b = sorted(op.args, key=lambda arg: isinstance(arg, Const))
            assert isinstance(b, Const)
            todo.append((a, times * int(b.value)))
        else:
            unknown[value] += times
    return frozenset(unknown.items()), known
