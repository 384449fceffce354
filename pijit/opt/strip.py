"""Splits innermost counted loops into strips: they poll once per strip, and what a strip cannot violate is not checked in it.

    H(i, ...):  poll; i < stop? S : after             H(i, ...):  poll; i < stop? B : after
    B:          ...; goto H(i + step, ...)     =>     S:          bound = min(stop, i + STRIP * step, ...); i and bound fine? F(i, ...) : B
                                                      F(i, ...):  i < bound? B' : H(i, ...)
                                                      B':         ...; goto F(i + step, ...)
                                                      B:          ...; goto H(i + step, ...)

The copy B' has the strip's bound and the conditions of S as facts, so that the rules remove its checks. Where they do not hold, B does one
iteration with all checks and S is asked again: an exit is taken at exactly the instruction, after exactly the iterations, of the loop
as it was. Without conditions B is never reached and there is no second copy.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

from ..ir.graph import Block, Branch, Const, Graph, Jump, Op, Value, const
from ..ir.types import BOOL, INT
from .bounded import SMALL as SMALL_LOADS
from .bounded import Bounded, BoundedCopier
from .carried import Carried, carried
from .copies import Copier
from .facts import MAX, MIN, Facts, split
from .loops import Loop, counted_loops
from .rename import Renamer, Renaming
from .simplify import learn
from .sums import Sums
from .trial import ROOM, Trial, TrialCopier

STRIP = 1024  # iterations between polls: at 100 ns each a tenth of a millisecond
SMALL = 2**31  # products of two such ints, and sums of those, stay far inside 64 bits
_INDEX_FREE = frozenset({"np_op", "cast"})  # where they do not leave, nothing is known about an index that was not before
_OVERFLOW = frozenset({"int_add", "int_sub", "int_mul", "int_neg", "int_abs"})


def strip(graph: Graph) -> None:
    """Splits the loops whose strips end inside 64 bits."""
    if not any(block.is_header for block in graph.blocks):
        return
    known = learn(graph)
    for loop in list(counted_loops(graph)):
        low, high = entered(loop, known).range(loop.counter)
        if low + STRIP * loop.step >= MIN and high + STRIP * loop.step <= MAX:
            loop.take_out(graph)
            _split(graph, loop, known)


def entered(loop: Loop, known: dict[Block, Facts]) -> Facts:
    """What is known where an iteration begins. What its checks tell later does not count: it is they that are to go."""
    assert isinstance(loop.header.end, Branch)
    facts = known[loop.header].copy()
    facts.assume(loop.header.end.condition, True)
    return facts


def _split(graph: Graph, loop: Loop, known: dict[Block, Facts]) -> None:
    header = loop.header
    assert isinstance(header.end, Branch)
    conditions = _Conditions(loop, known)
    carries = carried(loop, conditions.inside)
    trial = Trial(loop, conditions.covered, carries)
    bounded = Bounded(loop, conditions.facts, carries, () if trial.possible else conditions.visible())
    for value in bounded.ints:
        conditions.want(">=", value, const(-SMALL_LOADS))
        conditions.want("<", value, const(SMALL_LOADS))
    entering = tuple(header.params)
    start = Block(header.line)
    bound = conditions.bound(start, ROOM if trial.possible and trial.stores else STRIP)
    tests = conditions.tests(bound)
    wait = _wait(graph, loop) if trial.possible else None
    tests += [("disjoint", *pair) for pair in bounded.pairs]

    slow, header.end.yes = header.end.yes, Jump(start)
    block = start
    for name, value, other in tests:
        following = Block(header.line)
        holds = (
            block.add(name, (value, other), BOOL)
            if name == "disjoint"
            else block.add("cmp", (value, other), BOOL, symbol=name)
        )
        block.end = Branch(holds, Jump(following), slow, likely=True)
        block = following

    begin = tuple(one.first(block) for one in carries)
    if wait is not None:
        far = block.add("raw_add", (loop.counter, const(STRIP * loop.step)), INT)  # where data is in trouble, more of it is likely to be
        failed = Jump(header, (*entering, far))
        at_once = const(MIN if loop.step > 0 else MAX)  # no need to wait for another trial
        fast = _Copy(loop, bound, conditions, trial, carries)
        check = Block(header.line)
        passes = check.add("cmp", (fast.outcome(check), const(0)), BOOL, symbol="==")
        undone = trial.undo(fast.number, header.line, failed) if trial.stores else failed
        check.end = Branch(passes, Jump(header, (*fast.params, at_once)), undone, likely=True)
        fast.then(Jump(check))
        careful = _Copy(loop, bound, conditions, carries=carries)
        careful.then(Jump(header, (*careful.params, wait)))
        again = block.add("cmp", (loop.counter, wait), BOOL, symbol=">=" if loop.step > 0 else "<=")
        tried = Jump(fast.block, (*entering, const(0), const(0), *begin))
        if trial.saves_first:
            tried = trial.save(bound, header.line, tried)
        block.end = Branch(again, tried, Jump(careful.block, (*entering, *begin)), likely=True)
        return

    def way(safe: Collection[Op]) -> Jump:
        fast = _Copy(loop, bound, conditions, carries=carries, safe=safe)
        fast.then(Jump(header, fast.params))
        return Jump(fast.block, (*entering, *begin))

    checked = way(())
    block.end = bounded.look(block, bound, begin, checked, way(bounded.safe)) if bounded.safe else checked


def _wait(graph: Graph, loop: Loop) -> Value:
    """A new parameter of the header: where the counter must have come before another trial, as the last one has failed."""
    for block in graph.blocks:
        for jump in block.jumps():
            if jump.target is loop.header and block not in loop.body:
                jump.args += (const(MIN if loop.step > 0 else MAX),)
    wait = loop.header.param(INT)
    for block in loop.body:
        for jump in block.jumps():
            if jump.target is loop.header:
                jump.args += (wait,)
    return wait


class _Copy:
    """A copy of the loop up to the bound, without polls. ``trial``: with trials for operations; their outcome is ``bad`` after ``number``
    iterations. ``safe``: what needs no exit."""

    def __init__(
        self, loop: Loop, bound: Value, conditions: _Conditions, trial: Trial | None = None, carries: Sequence[Carried] = (),
        safe: Collection[Op] = (),
    ) -> None:  # fmt: skip
        header = loop.header
        assert isinstance(header.end, Branch)
        self.block = Block(header.line)
        self.block.is_header = True
        values = {param: self.block.param(param.type) for param in header.params[: len(conditions.params)]}
        self.params = tuple(self.block.params)
        self._trial, blocks = trial, {header: self.block}
        copier: Copier = BoundedCopier(safe, values, blocks)
        if trial:
            self.bad, self.number = self.block.param(INT), self.block.param(INT)
            copier = TrialCopier(trial, values, blocks, self.bad, self.number)
        self.block.ops = [copier.op(op) for op in header.ops[1:]]
        copier.region(loop.body)
        for op in conditions.exact:
            _cannot_overflow(copier.values[op.result])
        made_blocks = [blocks[block] for block in loop.body]
        new: Renaming = {}
        carried = [self.block.param(one.loads[0].result.type) for one in carries]
        self._carried = dict(zip((one.loads[0].result for one in carries), carried, strict=True))
        for one, param in zip(carries, carried, strict=True):
            new.update((_taken_out(made_blocks, copier.values[load.result]), param) for load in one.loads)
        for block, made in zip(loop.body, made_blocks, strict=True):
            passed_on = [copier.value(one.stored[block]) for one in carries[:1] if block in one.stored] + carried[:-1]
            for jump in made.jumps():
                if jump.target is self.block:
                    jump.args = jump.args[: len(self.params)]
                    if isinstance(copier, TrialCopier):
                        jump.args += (copier.bad, made.add("raw_add", (self.number, const(1)), INT))
                    jump.args += tuple(passed_on)
        Renamer(new).graph(Graph([], self.block, made_blocks))
        self._more = self.block.add("cmp", (values[loop.counter], bound), BOOL, symbol="<" if loop.step > 0 else ">")
        self._body = blocks[loop.body[0]]

    def outcome(self, after: Block) -> Value:
        """0 when the trial went well, sums included."""
        assert self._trial is not None
        bad, sums = self.bad, self._trial.sums()
        params = zip(self._trial.loop.header.params, self.params, strict=False)  # what waits for another trial comes last
        for value, total in (*params, *self._carried.items()):
            if value in sums:
                tried = Op("np_try", (total,), (total.type, INT), {"ufunc": "absolute"}, {}, after.line)
                after.ops.append(tried)
                bad = after.add("int_or", (bad, tried.results[1]), INT)
        return bad

    def then(self, after: Jump) -> None:
        """Says where the copy leads."""
        self.block.end = Branch(self._more, Jump(self._body), after)


def _taken_out(blocks: list[Block], value: Value) -> Value:
    """The value, whose operation is no longer there."""
    for block in blocks:
        block.ops = [op for op in block.ops if op is not value.op]
    return value


def _cannot_overflow(value: Value) -> None:
    op = value.op
    assert isinstance(op, Op)
    op.name, op.exits = "raw_" + op.name[4:], {}


Test = tuple[str, Value, Value]


class _Conditions:
    """What must hold of a strip for its checks to be superfluous."""

    def __init__(self, loop: Loop, known: dict[Block, Facts]) -> None:
        self.loop, self.facts = loop, entered(loop, known)
        self.least: list[tuple[Value, int]] = []  # (length, offset): counter + offset < length
        self.wanted: dict[tuple[str, Value, object], Test] = {}
        self.small = False
        self.sums = Sums(loop, self.facts)
        self.params = tuple(loop.header.params)
        self.exact: set[Op] = set()  # sums that cannot overflow
        self.covered: set[Op] = set()  # checks that pass
        for op in loop.ops():
            if op.name == "check_index":
                if self.index(*op.args):
                    self.covered.add(op)
            elif op.name in _OVERFLOW:
                self.overflow(op)

    def inside(self, load: Op) -> bool:
        """Whether the indices of a load are inside in all of a strip, also where an iteration leaves before or goes another way."""
        if self.loop.asks and not any(load in block.ops for block in self.loop.spine):
            return False
        before = itertools.takewhile(lambda op: op is not load, self.loop.ops())
        return all(not op.exits or op in self.covered or op.name in _INDEX_FREE for op in before)

    def visible(self) -> Iterator[Op]:
        """The loads that can be done before the strip is entered."""
        if all(op in self.covered for op in self.loop.ops() if op.name == "check_index"):
            yield from (op for op in self.loop.ops() if op.name == "load" and self.inside(op))

    def want(self, symbol: str, value: Value, other: Value) -> None:
        if self.facts.decide(symbol, value, other):
            return
        self.wanted[symbol, value, other.value if isinstance(other, Const) else other] = symbol, value, other

    def index(self, index: Value, length: Value) -> bool:
        """Asks that the index be inside; says whether that is sure then."""
        if not self.loop.fixed(length):
            return False
        root, offset = split(index)
        if root is self.loop.counter and self.loop.step > 0 and abs(offset) < SMALL:
            if (length, offset) not in self.least and not self.facts.is_at_most(index, length, -1):
                self.least.append((length, offset))
            self.want(">=", root, const(-offset))
            return True
        if self.loop.fixed(index):
            self.want(">=", index, const(0))
            self.want("<", index, length)
            return True
        return False

    def overflow(self, op: Op) -> None:
        param = self.sums.of(op.result)
        if param is not None and op.name in ("int_add", "int_sub"):
            self.want("<=", param, const(2**62))
            self.want(">=", param, const(-(2**62)))
            self.exact.add(op)
            self.covered.add(op)
            return
        self.small = True
        for arg in op.args:
            if self.loop.fixed(arg):
                self.want("<=", arg, const(SMALL))
                self.want(">=", arg, const(-SMALL))

    def bound(self, block: Block, iterations: int) -> Value:
        """Computes where the strip ends, after so many iterations at the latest."""
        loop = self.loop
        nearest = "raw_min" if loop.step > 0 else "raw_max"
        far = block.add("raw_add", (loop.counter, const(iterations * loop.step)), INT)
        bound = block.add(nearest, (loop.stop, far), INT)
        for length, offset in self.least:
            last = block.add("raw_sub", (length, const(offset)), INT) if offset else length
            bound = block.add(nearest, (bound, last), INT)
        return bound

    def tests(self, bound: Value) -> list[Test]:
        if self.small:
            counter, low, high = self.loop.counter, const(-SMALL), const(SMALL)
            up = self.loop.step > 0
            self.want(">=", counter if up else bound, low)
            self.want("<=", bound if up else counter, high)
        tests = [*self.wanted.values()]
        if self.least:  # else the strip has at least one iteration
            tests.append(("<", self.loop.counter, bound))
        return tests
