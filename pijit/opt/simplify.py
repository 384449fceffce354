"""One walk over the blocks, dominators first: rules, common subexpressions, branches that are decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.check import dominators
from ..ir.graph import Block, Branch, Const, Graph, Jump, Op, Value
from ..ir.ops import OPS
from ..ir.types import INT, Array, Np
from ..ir.uses import Uses
from .facts import FULL, MAX, MIN, Facts, Range, split_chosen
from .rename import Renaming, rename
from .rules import simpler


def simplify(graph: Graph, rounds: int = 8) -> None:
    """Applies the rules until nothing changes."""
    for _ in range(rounds):
        hoist(graph)
        walk = _Walk(graph)
        walk.run()
        rename(graph, walk.new)
        graph.arrange()
        if not (same_params(graph) or merge(graph) or walk.changed):
            break


def learn(graph: Graph) -> dict[Block, Facts]:
    """What is known at the end of each block of a simplified graph."""
    walk = _Walk(graph)
    walk.run()
    rename(graph, walk.new)
    graph.arrange()
    return walk.facts


def hoist(graph: Graph) -> None:
    """Moves ``dim`` and ``stride`` to where their array is made: out of loops, and to where equal ones meet."""
    moved: dict[Value, list[Op]] = {}
    for block in graph.blocks:
        for op in block.ops:
            if op.name in ("dim", "stride"):
                moved.setdefault(op.args[0], []).append(op)
        block.ops = [op for op in block.ops if op.name not in ("dim", "stride")]
    inputs = [op for value in graph.inputs for op in moved.pop(value, ())]
    constants = [op for value in list(moved) if isinstance(value, Const) for op in moved.pop(value)]
    for block in graph.blocks:
        ops = [op for param in block.params for op in moved.get(param, ())]
        for op in block.ops:
            ops.append(op)
            ops += [op for value in op.results for op in moved.get(value, ())]
        block.ops = ops
    graph.entry.ops[:0] = inputs + constants


def same_params(graph: Graph) -> bool:
    """Replaces parameters for which every jump passes the same value (or, in a loop, the parameter itself)."""
    passed: dict[Value, list[Value]] = {}
    for block in graph.blocks:
        for jump in block.jumps():
            for param, arg in zip(jump.target.params, jump.args, strict=True):
                passed.setdefault(param, []).append(arg)
    new: Renaming = {}
    for block in graph.blocks:
        for param in block.params:
            others = {identity(_latest(new, arg)): _latest(new, arg) for arg in passed[param]}
            others.pop(param, None)
            if len(others) == 1:
                (new[param],) = others.values()
    if not new:
        return False
    for block in graph.blocks:
        for jump in block.jumps():
            kept = zip(jump.args, jump.target.params, strict=True)
            jump.args = tuple(arg for arg, param in kept if param not in new)
    for block in graph.blocks:
        block.params = [param for param in block.params if param not in new]
    rename(graph, new)
    return True


def ways_in(graph: Graph) -> dict[Block, int]:
    """How many jumps lead to each block."""
    count: dict[Block, int] = {}
    for block in graph.blocks:
        for jump in block.jumps():
            count[jump.target] = count.get(jump.target, 0) + 1
    return count


def merge(graph: Graph) -> bool:
    """Appends to each block the one that it jumps to, where no other jump leads there: fusion works within blocks."""
    count = ways_in(graph)
    new: Renaming = {}
    gone: set[Block] = set()
    for block in graph.blocks:
        while (
            block not in gone
            and isinstance(block.end, Jump)
            and count[block.end.target] == 1
            and block.end.target is not block
        ):
            jump, target = block.end, block.end.target
            new.update(zip(target.params, jump.args, strict=True))
            polled = any(op.name == "poll" for op in block.ops)
            block.ops += [op for op in target.ops if not (polled and op.name == "poll")]
            block.end = target.end
            gone.add(target)
    graph.blocks = [block for block in graph.blocks if block not in gone]
    rename(graph, new)
    return bool(gone)


def thread(graph: Graph) -> None:
    """Makes jumps go where a block without operations would only jump on to, and forgets that a block was a header when nothing comes back
    to it. Compilers of different versions make different ones."""

    uses = Uses(graph)  # not found again: what jumps pass in the end, they or others passed before

    def onward(jump: Jump, other: Jump | None = None) -> Jump:
        target = jump.target
        if target.ops or not isinstance(target.end, Jump) or target.end.target is target:
            return jump
        if any(uses.is_needed_outside(param, target) for param in target.params):
            return jump
        if other is not None and target.end.target is other.target:
            return jump
        passed = dict(zip(target.params, jump.args, strict=True))
        return Jump(target.end.target, tuple(passed.get(arg, arg) for arg in target.end.args))

    for block in graph.blocks:
        if isinstance(block.end, Branch):
            block.end.yes = onward(block.end.yes, block.end.no)
            block.end.no = onward(block.end.no, block.end.yes)
        elif isinstance(block.end, Jump):
            block.end = onward(block.end)
    graph.arrange()
    place = {block: number for number, block in enumerate(graph.blocks)}
    again = {jump.target for block in graph.blocks for jump in block.jumps() if place[jump.target] <= place[block]}
    for block in graph.blocks:
        block.is_header = block.is_header and block in again


def _latest(new: Renaming, value: Value) -> Value:
    while value in new:
        value = new[value]
    return value


_SMALL = 2**61
LONG = 2**62  # of iterations that can be interrupted: more than a machine does in ten years


def _polls(param: Value) -> bool:
    """Whether what goes round by this parameter passes a poll, if its block is a header."""
    block = param.op
    return isinstance(block, Block) and (not block.is_header or any(op.name == "poll" for op in block.ops[:1]))


Key = tuple[object, ...]


class _Walk:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.new: Renaming = {}
        self.changed = False
        self.facts: dict[Block, Facts] = {}  # at the end of a block
        self.seen: dict[Block, dict[Key, tuple[Value, ...]]] = {}
        self.memory: dict[Block, object] = {}  # equal where nothing was stored in between
        self.before: dict[Block, list[tuple[Block, Jump]]] = {block: [] for block in graph.blocks}
        for block in graph.blocks:
            for jump in block.jumps():
                self.before[jump.target].append((block, jump))

    def run(self) -> None:
        above = dominators(self.graph)
        for block in self.graph.blocks:
            first = block is self.graph.entry
            facts = Facts() if first else self.facts[above[block]].copy()
            seen = {} if first else dict(self.seen[above[block]])
            if not first:
                self.arrive(block, facts)
            self.now = self.arriving(block)
            self.block(block, facts, seen)
            self.facts[block], self.seen[block], self.memory[block] = facts, seen, self.now

    def value(self, value: Value) -> Value:
        return _latest(self.new, value)

    def arriving(self, block: Block) -> object:
        """The state of memory where a block begins."""
        jumps = self.before[block]
        return self.memory[jumps[0][0]] if len(jumps) == 1 else object()

    # ---- what is known where a block begins

    def arrive(self, block: Block, facts: Facts) -> None:
        jumps = self.before[block]
        for param, range in [(param, self.param(param, facts)) for param in block.params if param.type == INT]:
            facts.ranges[param] = range
        if len(jumps) == 1:
            source, jump = jumps[0]
            if isinstance(source.end, Branch) and source.end.yes.target is not source.end.no.target:
                facts.assume(self.value(source.end.condition), jump is source.end.yes)

    def param(self, param: Value, facts: Facts) -> Range:
        """The range of a parameter. Where it comes round, perhaps by way of other parameters, it may have changed by constant steps
        only: those that go one way keep one bound, and a count by ones from a small number needs years to leave 64 bits."""
        low, high, steps = MAX, MIN, [0]
        work, seen = [param], {param}
        while work:
            passed = [(source, value) for source, arg in self.passed(work.pop()) for value in self.chosen(self.value(arg))]
            for source, value in passed:
                root, offset = split_chosen(value)
                if source not in self.facts and isinstance(root.op, Block) and root not in facts.ranges:
                    steps.append(offset)
                    if root not in seen:
                        seen.add(root)
                        work.append(root)
                    continue
                first, last = self.facts[source].range(value) if source in self.facts else facts.estimate(value)
                low, high = min(low, first), max(high, last)
        ages = sum(map(abs, steps)) <= 2 and -_SMALL <= low <= high <= _SMALL and all(map(_polls, seen))
        bounds = (low - LONG, high + LONG) if ages else FULL
        return (low if min(steps) >= 0 else bounds[0]), (high if max(steps) <= 0 else bounds[1])

    def chosen(self, value: Value) -> Iterator[Value]:
        """What a chain of selects chooses from."""
        if isinstance(value.op, Op) and value.op.name == "select" and not isinstance(value, Const):
            for arg in value.op.args[1:]:
                yield from self.chosen(self.value(arg))
        else:
            yield value

    def passed(self, param: Value) -> list[tuple[Block, Value]]:
        """What the jumps pass for a parameter."""
        block = param.op
        assert isinstance(block, Block)
        place = block.params.index(param)
        return [(source, jump.args[place]) for source, jump in self.before[block]]

    # ---- one block

    def block(self, block: Block, facts: Facts, seen: dict[Key, tuple[Value, ...]]) -> None:
        ops: list[Op] = []
        for op in block.ops:
            kept = self.op(op, facts, seen)
            if kept is not None:
                ops.append(kept)
        block.ops = ops
        if isinstance(block.end, Branch):
            condition = self.value(block.end.condition)
            outcome = condition.value if isinstance(condition, Const) else facts.truths.get(condition)
            if outcome is not None:
                block.end = block.end.yes if outcome else block.end.no
                self.changed = True

    def op(self, op: Op, facts: Facts, seen: dict[Key, tuple[Value, ...]]) -> Op | None:
        """The operation that stays, or None."""
        op.args = tuple(map(self.value, op.args))
        if op.name == "check" and isinstance(op.args[0], Const) and op.args[0].value:
            self.changed = True
            return None
        found = simpler(op, facts)
        if isinstance(found, Value):
            self.replace(op, (found,))
            return None
        if isinstance(found, Op):
            self.replace(op, found.results)
            op = found
        if OPS[op.name].effect in ("write", "any"):
            self.now = object()
        if op.name == "store":
            array, value, *indices = op.args
            seen[self.place(array, indices)] = (value,)
        key = self.place(op.args[0], op.args[1:]) if op.name == "load" else (self.now, *_named(op)) if _sums_up(op) else _key(op)
        if key is not None:
            if key in seen:
                self.replace(op, seen[key])
                return None
            seen[key] = op.results
        facts.defined(op)
        return op

    def place(self, array: Value, indices: Sequence[Value]) -> Key:
        """The key of an element as it is now."""
        return "load", self.now, tuple(map(identity, (array, *indices)))

    def replace(self, op: Op, values: tuple[Value, ...]) -> None:
        self.changed = True
        self.new.update(zip(op.results, values, strict=True))


def _key(op: Op) -> Key | None:
    """Equal for operations that give equal results, None for those that are not to be merged."""
    row = OPS[op.name]
    return None if row.effect or row.fresh else _named(op)


def _sums_up(op: Op) -> bool:
    """Whether it gives a number for a whole array, as that is now."""
    return op.name in ("mask_count", "within") or (op.name in ("reduce", "search", "interp") and not isinstance(op.result.type, Array))


def _named(op: Op) -> Key:
    types = tuple(value.type for value in op.results)
    attrs = tuple((name, repr(item)) for name, item in op.attrs.items())
    return op.name, tuple(map(identity, op.args)), types, attrs


def identity(value: Value) -> object:
    """Equal for values that are known to be equal."""
    if not isinstance(value, Const):
        return value
    if isinstance(value.type, Np):
        return value.type, value.value.tobytes()
    simple = isinstance(value.value, (bool, int, float))
    return value.type, repr(value.value) if simple else id(value.value)
