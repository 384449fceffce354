"""What is put one behind another is stored in its place at once where a kernel makes it.

    a, b = kernel ...                   r = empty
    c = join a, b, x         ->         kernel_at ..., (the first part of r), (the second one)
                                        assign (the third one), x

A kernel that makes nothing else is done where the join stands, if all from the kernel on can begin again: then exits in between begin there,
and nobody needs what it made. Along another axis than the first what a kernel stores would not be contiguous: that is copied.
"""

from __future__ import annotations

from pijit.ground.records import replace

from ..ir.graph import Block, Const, Graph, Op, Value, const
from ..ir.types import INT, Array
from ..ir.uses import Uses
from .again import redirect, repeatable, seen_elsewhere


def joins(graph: Graph, placed: bool) -> None:
    """Replaces ``join``; ``placed``: by kernels that store there, where that can be."""
    uses = Uses(graph)
    for block in graph.blocks:
        for op in [op for op in block.ops if op.name == "join"]:
            kernels = _kernels(uses, block, op) if placed and op.attrs["axis"] == 0 else []
            if kernels:
                redirect(block, block.ops.index(kernels[0]), block.ops.index(op))
            place = block.ops.index(op)
            block.ops[place : place + 1] = _stores(block, op, kernels)
            for kernel in kernels:
                block.ops.remove(kernel)
            uses.changed()


def _kernels(uses: Uses, block: Block, join: Op) -> list[Op]:
    """Those that make parts of it and nothing else, in order, and can be done where it stands."""
    parts, stop = join.args[: join.attrs["n"]], block.ops.index(join)
    makers = {part.op for part in parts}
    ahead = [op for op in block.ops[:stop] if op in makers and op.name == "kernel" and _only(uses, op, join)]
    while ahead:
        start = block.ops.index(ahead[0])
        values = {value for op in ahead for value in op.results}
        if repeatable(block, start, stop) and not seen_elsewhere(uses, block, start, stop, values):
            break
        del ahead[0]
    return ahead


def _only(uses: Uses, kernel: Op, join: Op) -> bool:
    """Whether each of its results is one part of the join, as it lies in memory, and not used by another operation."""
    made, parts = set(kernel.results), join.args[: join.attrs["n"]]
    if kernel.attrs["kernel"].fold is not None or kernel.attrs["order"] != "C" or any(parts.count(value) != 1 for value in made):
        return False
    return all(op is join for op in uses.readers_of(made))


def _stores(block: Block, join: Op, kernels: list[Op]) -> list[Op]:
    """The operations that make the array and store the parts."""
    n, axis, type, made = join.attrs["n"], join.attrs["axis"], join.result.type, Block(block.line)
    assert isinstance(type, Array)
    parts, lengths, dims = join.args[:n], join.args[n : 2 * n], join.args[2 * n :]
    room = Op("empty", dims, (), {"filled": False}, join.exits, join.line)
    room.results = join.results
    join.result.op = room
    made.ops.append(room)
    steps: list[Value] = [const(type.dtype.itemsize)]
    for dim in dims[:0:-1]:
        steps.insert(0, _fold(made, "raw_mul", steps[0], dim))
    offset: Value = const(0)
    places: dict[Value, Value] = {}
    copies: list[Op] = []
    for part, long in zip(parts, lengths, strict=True):
        whole = getattr(part.type, "ndim", 0) == len(dims) or len(dims) == 1
        axes = [number for number in range(len(dims)) if whole or number != axis]
        own = [long if number == axis else dims[number] for number in axes]
        to = Array(type.name, len(axes), "C" if axis == 0 else "S")
        target = made.add("view", (room.result, offset, *own, *(steps[number] for number in axes)), to, axes=tuple((number, 1) for number in axes))
        offset = _fold(made, "raw_add", offset, _fold(made, "raw_mul", long, steps[axis]))
        if part.op in kernels:
            places[part] = target
        else:
            copies.append(Op("assign", (target, part, *own), (), {"stretch": ()}, {"redo": replace(join.exits["redo"])}, join.line))
    for kernel in kernels:
        args = (*kernel.args, *(places[value] for value in kernel.results))
        made.ops.append(Op("kernel_at", args, (), kernel.attrs, kernel.exits, kernel.line))
    return made.ops + copies


def _fold(block: Block, name: str, a: Value, b: Value) -> Value:
    """Address arithmetic, done now where both are known."""
    if isinstance(a, Const) and isinstance(b, Const):
        return const(a.value * b.value if name == "raw_mul" else a.value + b.value)
    if name == "raw_add" and isinstance(a, Const) and a.value == 0:
        return b
    return block.add(name, (a, b), INT)
