"""What a kernel makes for np.bincount, np.add.at and np.subtract.at alone is in memory nowhere: it is made strip by strip, and each has its share.

    i, v, j, w = kernel ..., n
    check (within i, len(a))
    add_at a, i, v
    b = bincount j, w, m              ->        b = kernel_scattered ..., n, a, m     {sinks: ("add", 0, 1), ("bincount", 2, 3)}

Whatever leaves from the kernel on begins again there, or where the array is made that is added to: that is new, and nobody has it who would see it.
Sums of floats keep their order: what is added to an array that is added to already waits for the end, and a kernel of its own makes that, if it
takes formulas only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ..ir.graph import Block, Const, Graph, Op, Value, anew
from ..ir.kernel import Kernel
from ..ir.ops import OPS
from ..ir.types import Array
from ..ir.ufuncs import raises
from ..ir.uses import Uses
from .again import redirect, seen_elsewhere
from .facts import owner

_SINKS = frozenset({"bincount", "add_at"})
_ASKED = frozenset({"within", "disjoint"})  # what is not asked of what is nowhere
_MOST = 16  # outputs, and sinks: csrc/scattered.c

Formula = Callable[[str, tuple[str, ...]], bool]


def scattered(graph: Graph, formula: Formula) -> None:
    """Changes the kernels. ``formula``: what is made element by element."""
    uses = Uses(graph)
    for block in graph.blocks:
        for kernel in [op for op in block.ops if op.name == "kernel" and _fits(op)]:
            if _take(graph, uses, block, kernel, formula):
                uses.changed()


def _fits(op: Op) -> bool:
    kernel = op.attrs["kernel"]
    along_one = op.attrs["ndim_out"] == 1 and kernel.fold is None and not any(step.scan for step in kernel.steps)
    return bool(along_one and 0 < len(kernel.outputs) <= _MOST)


def _take(graph: Graph, uses: Uses, block: Block, kernel: Op, formula: Formula) -> bool:
    made, start = set(kernel.results), block.ops.index(kernel)
    readers = uses.readers_of(made)
    sinks = [op for op in block.ops[start + 1 :] if op in readers and op.name in _SINKS]
    asked = {op for op in readers if op.name in _ASKED}
    checks = {check for op in asked for check in uses.readers(op.result)}
    if not 0 < len(sinks) <= _MOST or len(sinks) + len(asked) != len(readers) or any(op.name != "check" for op in checks):
        return False
    if not all(_can_be_fed(graph, uses, block, kernel, sink) for sink in sinks):
        return False
    changed = {sink.args[0] for sink in sinks if sink.name == "add_at"}
    if not changed.isdisjoint(map(owner, kernel.exits["redo"].values())):
        start = min(block.ops.index(value.op) for value in changed)  # type: ignore[arg-type]
    stop = block.ops.index(sinks[-1])
    gone = {kernel, *sinks, *asked, *checks}
    between = [op for op in block.ops[start:stop] if op not in gone]
    if not gone.issubset(block.ops[start : stop + 1]) or seen_elsewhere(uses, block, start, stop, made):
        return False
    late = [op for op in between if op.name == "dim" and op.args[0].op in sinks]
    before = [op for op in block.ops[start : block.ops.index(sinks[0])] if _changed(op) and _changed(op) <= changed]
    if not _is_again(between, before) or not _is_free(between, before, changed, sinks, late):
        return False
    rounds = _rounds(kernel, sinks)
    if any(not _is_formula(kernel.attrs["kernel"], reference, formula) for reference in _shared(kernel, rounds)):
        return False
    redirect(block, start, stop)
    block.ops[start : stop + 1] = [*(op for op in between if op not in late), *_fed(kernel, rounds), *late]
    return True


def _changed(op: Op) -> set[Value]:
    """What something is added to."""
    if op.name == "add_at":
        return {op.args[0]}
    return {value for value in op.args if isinstance(value.op, Op) and value.op.name == "empty"} if op.name == "kernel_scattered" else set()


def _is_again(between: list[Op], before: list[Op]) -> bool:
    """Whether they can be done once more."""
    pure = all(op in before or OPS[op.name].effect not in ("write", "any") for op in between)
    return pure and all(exit.kind == "redo" for op in between for exit in op.exits.values())


def _is_free(between: list[Op], before: list[Op], changed: set[Value], sinks: list[Op], late: list[Op]) -> bool:
    """Whether what is between needs nothing of what the sinks make or change, but lengths that are needed later."""
    needed = {*(value for op in (*sinks, *late) for value in op.results)}
    others = [op for op in (*between, *sinks) if op not in late]
    if any(not needed.isdisjoint(op.args) for op in others):
        return False
    return all(op in before or op.name in ("dim", "disjoint", "empty") or changed.isdisjoint(map(owner, op.args)) for op in between)


def _can_be_fed(graph: Graph, uses: Uses, block: Block, kernel: Op, sink: Op) -> bool:
    if sink.name == "bincount":
        return not (isinstance(sink.args[-1], Const) and sink.args[-1].value < 2)  # without a length all would be made twice
    target, maker = sink.args[0], sink.args[0].op
    if not isinstance(maker, Op) or maker.name != "empty" or maker not in block.ops:
        return False
    before = block.ops[: block.ops.index(sink)]
    known = all(op.name in ("dim", "disjoint", "add_at", "kernel_scattered") for op in uses.readers(target) if op in before)
    same = graph.errors_at(sink).watched == graph.errors_at(kernel).watched
    return known and same and target not in map(owner, (*kernel.args, *sink.args[1:]))


def _rounds(kernel: Op, sinks: list[Op]) -> list[list[Op]]:
    """Those that may take turns, strip by strip."""
    rounds: list[list[Op]] = [[]]
    for sink in sinks:
        changed, type = sink.args[0], sink.args[0].type
        floats = sink.name == "add_at" and isinstance(type, Array) and type.dtype.kind == "f"
        if floats and any(other.name == "add_at" and other.args[0] is changed for other in rounds[-1]):
            rounds.append([])
        rounds[-1].append(sink)
    return rounds


def _needed(kernel: Op, sinks: list[Op]) -> dict[Value, int]:
    """The results that they need, and their references."""
    needed = {value for sink in sinks for value in sink.args}
    return {value: reference for value, reference in zip(kernel.results, kernel.attrs["kernel"].outputs, strict=True) if value in needed}


def _shared(kernel: Op, rounds: list[list[Op]]) -> set[int]:
    """References of the steps that are done in several rounds."""
    described: Kernel = kernel.attrs["kernel"]
    times = Counter(reference for turn in rounds for reference in described.behind(tuple(_needed(kernel, turn).values())))
    return {reference for reference, often in times.items() if often > 1 and reference >= len(described.operands)}


def _is_formula(kernel: Kernel, reference: int, formula: Formula) -> bool:
    step = kernel.steps[reference - len(kernel.operands)]
    return not step.fold and (step.ufunc == "take" or formula(step.ufunc, (*map(kernel.dtype, step.args), step.dtype)))


def _fed(kernel: Op, rounds: list[list[Op]]) -> list[Op]:
    described: Kernel = kernel.attrs["kernel"]
    n, used = len(described.operands), described.behind(described.outputs)
    flags = tuple(reference for reference in range(n, n + len(described.steps)) if reference not in used)  # done for their warnings only
    return [_feed(kernel, turn, () if number else flags) for number, turn in enumerate(rounds)]


def _feed(kernel: Op, sinks: list[Op], others: tuple[int, ...]) -> Op:
    needed = _needed(kernel, sinks)
    described, operands = kernel.attrs["kernel"].part(tuple(needed.values()), others)
    numbers = {value: number for number, value in enumerate(needed)}
    args: list[Value] = [*(kernel.args[number] for number in operands), kernel.args[-1]]
    fed = []
    for sink in sinks:
        if sink.name == "bincount":
            name, first, (index, *values) = "bincount", sink.args[-1], sink.args[:-1]
        else:
            name, (first, index, *values) = sink.attrs["ufunc"], sink.args
        args += [first, *(value for value in (index, *values) if value not in numbers)]
        fed.append((name, numbers.get(index, -1), numbers.get(values[0], -1) if values else None))
    attrs = kernel.attrs | {"kernel": described, "flags": raises(described), "sinks": tuple(fed)}
    op = Op("kernel_scattered", tuple(args), (), attrs, anew(kernel.exits), kernel.line)
    op.results = tuple(value for sink in sinks for value in sink.results)
    for value in op.results:
        value.op = op
    return op
