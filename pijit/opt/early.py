"""Operations on elements are done before a bincount, histogram or add.at that they need nothing of, so that they and what came before it are one
kernel, and what only they need of that is not in memory.

    w = ew multiply q, r                    w = ew multiply q, r
    b = bincount i, w                       v = ew multiply p, r
    v = ew multiply p, r          ->        b = bincount i, w
    c = bincount j, v                       c = bincount j, v

Where they leave, nothing of the operation has happened that they were put behind: the interpreter begins there. What is kept over the call may not
become more.
"""

from __future__ import annotations

from collections import Counter

from pijit.ground.records import replace

from ..ir.graph import Block, Graph, Op, Value
from ..ir.ops import OPS
from ..ir.uses import Uses
from .facts import owner
from .shapes import Equal, Same, learn, length

_SINKS = frozenset({"bincount", "histogram", "add_at"})
_OF_MEMORY = frozenset({"within", "disjoint", "apart"})  # what says nothing of lengths


def early(graph: Graph) -> None:
    """Moves them."""
    equal, uses = Equal(graph), Uses(graph)
    for block in graph.blocks:
        known, learned = dict(equal.before(block)), set[Op]()
        for sink in [op for op in block.ops if op.name in _SINKS]:
            for op in block.ops[: block.ops.index(sink)]:
                if op not in learned:
                    learn(known, op)
                    learned.add(op)
            _over(uses, block, sink, known)


def _over(uses: Uses, block: Block, sink: Op, known: Same) -> None:
    stop = block.ops.index(sink)
    begin = max((place for place, op in enumerate(block.ops[:stop]) if op.name == "ew"), default=-1)
    between = block.ops[begin + 1 : stop]
    if begin < 0 or any(OPS[op.name].effect in ("write", "any") for op in between) or not _is_apart(block, sink):
        return
    moved = _movable(block, begin + 1, sink)
    if not any(op.name == "ew" for op in moved):
        return
    known = dict(known)
    for op in moved:
        learn(known, op)
    if not _pays(uses, block, block.ops[: stop + 1], moved, known):
        return
    start = block.ops[begin].exits["redo"]
    for op in moved:
        block.ops.remove(op)
        op.exits = {name: replace(start, reason=exit.reason) for name, exit in op.exits.items()}
    block.ops[begin + 1 : begin + 1] = moved


def _is_apart(block: Block, sink: Op) -> bool:
    """Whether what it writes to, if anything, is made in the block: nothing but views of it lies there."""
    target = owner(sink.args[0]).op
    return OPS[sink.name].effect is None or (isinstance(target, Op) and target in block.ops and OPS[target.name].fresh and target.name != "call")


def _movable(block: Block, start: int, sink: Op) -> list[Op]:
    """What comes behind there, up to the last operation on elements that can be done there, and its lengths and checks."""
    late: set[Value] = set()
    found: list[Op] = []
    passed = False
    for op in block.ops[start:]:
        if op is sink:
            passed = True
            late.update(op.results)
            if OPS[op.name].effect is not None:
                late.add(owner(op.args[0]))
        elif passed and (op.name in _SINKS or OPS[op.name].effect in ("write", "any")):
            break
        elif _can_move(op) and late.isdisjoint(op.args) and late.isdisjoint(map(owner, op.args)):
            found.append(op)
        elif op.name == "check" and not (isinstance(op.args[0].op, Op) and op.args[0].op.name in _OF_MEMORY):
            break  # what follows may rest on it
        else:
            late.update(op.results)
    while found and found[-1].name != "ew":
        found.pop()
    return found


def _can_move(op: Op) -> bool:
    row = OPS[op.name]
    if op.name in _OF_MEMORY:
        return False
    return row.effect is None and (not row.fresh or op.name in ("ew", "view")) and all(exit.kind == "redo" for exit in op.exits.values())


def _pays(uses: Uses, block: Block, before: list[Op], moved: list[Op], known: Same) -> bool:
    """Whether something that was made before is needed no more behind, and what is new there takes no more memory."""
    later = set(block.ops).difference(before)
    still = later.difference(moved)
    old = [op for op in before if op.name == "ew" and _is_needed(uses, block, op.result, later)]
    gone = _bytes([op for op in old if not _is_needed(uses, block, op.result, still)], known)
    made = _bytes([op for op in moved if op.name == "ew" and _is_needed(uses, block, op.result, still)], known)
    return bool(gone) and all(size <= gone[shape] for shape, size in made.items())


def _is_needed(uses: Uses, block: Block, array: Value, ops: set[Op]) -> bool:
    """Whether these operations, or something outside of the block, need the array or a view of it."""
    if uses.at_ends(array):
        return True
    shown = [array]
    for value in shown:
        for op in uses.readers(value):
            if op in ops or uses.block_of(op) is not block:
                return True
            if op.name == "view":
                shown.append(op.result)
    return False


def _bytes(ops: list[Op], known: Same) -> Counter[tuple[object, ...]]:
    """Of an element of each of their results, by shape."""
    sizes: Counter[tuple[object, ...]] = Counter()
    for op in ops:
        shape = tuple(length(known, dim) for dim in op.args[op.attrs["n"] :])
        sizes[shape] += op.result.type.dtype.itemsize  # type: ignore[attr-defined]
    return sizes
