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

import functools
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
from .trial import ROOM, RUN, Trial, TrialCopier, leave_outside

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
    if trial.possible:
        fast = _Copy(loop, bound, conditions, trial, carries)
        check, failed = Block(header.line), Block(header.line)
        passes = check.add("cmp", (fast.outcome(check), const(0)), BOOL, symbol="==")
        undone = trial.undo(fast.number, header.line, Jump(failed)) if trial.stores else Jump(failed)
        check.end = Branch(passes, Jump(header, fast.after), undone, likely=True)
        fast.then(Jump(check))
        fast.leave_outside(undone)
        # where data is in trouble, more of it is likely to be
        careful = _Copy(loop, conditions.bound(failed, STRIP), conditions, carries=carries)
        careful.then(Jump(header, careful.after))
        failed.end = Jump(careful.block, (*entering, *begin))
        first = fast.block
        if trial.keeps_ahead:
            first = _in_runs(loop, bound, conditions, trial, carries, fast)
        block.end = Jump(first, (*entering, const(0), const(0), *begin))
        return

    def way(safe: Collection[Op]) -> Jump:
        fast = _Copy(loop, bound, conditions, carries=carries, safe=safe)
        fast.then(Jump(header, fast.after))
        return Jump(fast.block, (*entering, *begin))

    checked = way(())
    block.end = bounded.look(block, bound, begin, checked, way(bounded.safe)) if bounded.safe else checked


def _in_runs(loop: Loop, bound: Value, conditions: _Conditions, trial: Trial, carries: Sequence[Carried], rest: _Copy) -> Block:
    """A trial that keeps what several iterations store into at once, as long as there are so many up to the bound. ``rest``: does the last ones."""
    start, keep = Block(loop.header.line), Block(loop.header.line)
    start.is_header = True
    values = {old: start.param(old.type) for old in rest.block.params}
    counter, number = (values[param] for param in (rest.counter, rest.number))
    end = start.add("raw_add", (counter, const(RUN * loop.step)), INT)
    more = start.add("cmp", (end, bound), BOOL, symbol="<=" if loop.step > 0 else ">=")
    start.end = Branch(more, Jump(keep), Jump(rest.block, tuple(start.params)), likely=True)
    trial.keep_run(keep, counter, number)
    run = _Copy(loop, end, conditions, trial, carries, keeps=False)
    there = {run.counter: end, run.number: keep.add("raw_add", (number, const(RUN)), INT)}
    run.then(Jump(start, tuple(there.get(param, param) for param in run.block.params)))
    keep.end = Jump(run.block, tuple(start.params))
    return start


class _Copy:
    """A copy of the loop up to the bound, without polls. ``trial``: with trials for operations; their outcome is ``bad`` after ``number``
    iterations. ``safe``: what needs no exit. ``keeps``: what is stored into is kept in it, else that has been done, and the bound is met exactly."""

    def __init__(
        self, loop: Loop, bound: Value, conditions: _Conditions, trial: Trial | None = None, carries: Sequence[Carried] = (),
        safe: Collection[Op] = (), keeps: bool = True,
    ) -> None:  # fmt: skip
        header = loop.header
        assert isinstance(header.end, Branch)
        self.block = Block(header.line)
        self.block.is_header = True
        values = {param: self.block.param(param.type) for param in header.params}
        self.params = tuple(self.block.params)
        self.counter = values[loop.counter]
        # it goes round at least once; elsewhere more is known of the counter than of the bound
        there = bound if trial and abs(loop.step) == 1 else self.counter
        self.after = tuple(there if param is self.counter else param for param in self.params)
        self._trial, blocks = trial, {header: self.block}
        copier: Copier = BoundedCopier(safe, values, blocks)
        if trial:
            self.bad, self.number = self.block.param(INT), self.block.param(INT)
            copier = TrialCopier(trial, values, blocks, self.bad, self.number, keeps)
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
        until = ("<" if loop.step > 0 else ">") if keeps else "!="  # the latter says how many iterations there are
        self._more = self.block.add("cmp", (self.counter, bound), BOOL, symbol=until)
        self._body = blocks[loop.body[0]]

    def outcome(self, after: Block) -> Value:
        """0 when the trial went well, sums included."""
        assert self._trial is not None
        bad, sums = self.bad, self._trial.sums()
        params = zip(self._trial.loop.header.params, self.params, strict=True)
        for value, total in (*params, *self._carried.items()):
            if value in sums:
                tried = Op("np_try", (total,), (total.type, INT), {"ufunc": "absolute"}, {}, after.line)
                after.ops.append(tried)
                bad = after.add("int_or", (bad, tried.results[1]), INT)
        return bad

    def leave_outside(self, failed: Jump) -> None:
        """Says where a trial leads when it looks up an index that is outside."""
        leave_outside(self._body, Jump(failed.target, failed.args))

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
        lasts = [block.add("raw_sub", (length, const(offset)), INT) if offset else length for length, offset in self.least]
        far = block.add("raw_add", (loop.counter, const(iterations * loop.step)), INT)
        nearest = "raw_min" if loop.step > 0 else "raw_max"
        ends = (*lasts, far, loop.stop)  # what is the same in all strips first, what is known last at the end
        return functools.reduce(lambda bound, end: block.add(nearest, (bound, end), INT), ends)

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
