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

from ..ir.graph import Block, Branch, Const, Graph, Jump, Op, Value, const
from ..ir.types import BOOL, INT, Type
from .copies import Copier
from .facts import MAX, MIN, Facts, split
from .loops import Loop, counted_loops
from .simplify import learn
from .sums import Sums

STRIP = 1024  # iterations between polls: at 100 ns each a tenth of a millisecond
SMALL = 2**31  # products of two such ints, and sums of those, stay far inside 64 bits
_OVERFLOW = frozenset({"int_add", "int_sub", "int_mul", "int_neg", "int_abs"})


def strip(graph: Graph) -> None:
    """Splits the loops whose strips end inside 64 bits."""
    if not any(block.is_header for block in graph.blocks):
        return
    known = learn(graph)
    for loop in list(counted_loops(graph)):
        low, high = known[loop.body[0]].range(loop.counter)
        if low + STRIP * loop.step >= MIN and high + STRIP * loop.step <= MAX:
            _split(loop, known)


def _split(loop: Loop, known: dict[Block, Facts]) -> None:
    header = loop.header
    assert isinstance(header.end, Branch)
    slow = header.end.yes
    conditions = _Conditions(loop, known)
    start = Block(header.line)
    bound = conditions.bound(start)
    tests = conditions.tests(bound)

    fast = Block(header.line)
    fast.is_header = True
    values = {param: fast.param(param.type) for param in header.params}
    copier = Copier(values, {header: fast})
    fast.ops = [copier.op(op) for op in header.ops[1:]]
    more = _op(fast, "cmp", (values[loop.counter], bound), BOOL, symbol="<" if loop.step > 0 else ">")
    copier.region(loop.body)
    for op in loop.ops():
        if op in conditions.exact:
            _cannot_overflow(copier.values[op.result])
    fast.end = Branch(more, Jump(copier.blocks[slow.target]), Jump(header, tuple(fast.params)))

    header.end.yes = Jump(start)
    block = start
    for symbol, value, number in tests:
        following = Block(header.line)
        block.end = Branch(_op(block, "cmp", (value, number), BOOL, symbol=symbol), Jump(following), slow)
        block = following
    block.end = Jump(fast, tuple(header.params))


def _op(block: Block, name: str, args: tuple[Value, ...], type: Type, **attrs: object) -> Value:
    op = Op(name, args, (type,), attrs, {}, block.line)
    block.ops.append(op)
    return op.result


def _cannot_overflow(value: Value) -> None:
    op = value.op
    assert isinstance(op, Op)
    op.name, op.exits = "raw_" + op.name[4:], {}


Test = tuple[str, Value, Value]


class _Conditions:
    """What must hold of a strip for its checks to be superfluous."""

    def __init__(self, loop: Loop, known: dict[Block, Facts]) -> None:
        self.loop, self.facts = loop, known[loop.body[0]]
        self.least: list[tuple[Value, int]] = []  # (length, offset): counter + offset < length
        self.wanted: dict[tuple[str, Value, object], Test] = {}
        self.small = False
        self.sums = Sums(loop, known)
        self.exact: set[Op] = set()  # sums that cannot overflow
        for op in loop.ops():
            if op.name == "check_index":
                self.index(*op.args)
            elif op.name in _OVERFLOW:
                self.overflow(op)

    def want(self, symbol: str, value: Value, other: Value) -> None:
        if isinstance(value, Const) or self.facts.decide(symbol, value, other):
            return
        self.wanted[symbol, value, other.value if isinstance(other, Const) else other] = symbol, value, other

    def index(self, index: Value, length: Value) -> None:
        if not self.loop.fixed(length):
            return
        root, offset = split(index)
        if root is self.loop.counter and self.loop.step > 0 and abs(offset) < SMALL:
            if (length, offset) not in self.least and not self.facts.is_at_most(index, length, -1):
                self.least.append((length, offset))
            self.want(">=", root, const(-offset))
        elif self.loop.fixed(index):
            self.want(">=", index, const(0))
            self.want("<", index, length)

    def overflow(self, op: Op) -> None:
        param = self.sums.of(op.result)
        if param is not None and op.name in ("int_add", "int_sub"):
            self.want("<=", param, const(2**62))
            self.want(">=", param, const(-(2**62)))
            self.exact.add(op)
            return
        self.small = True
        for arg in op.args:
            if self.loop.fixed(arg):
                self.want("<=", arg, const(SMALL))
                self.want(">=", arg, const(-SMALL))

    def bound(self, block: Block) -> Value:
        """Computes where the strip ends."""
        loop = self.loop
        nearest = "raw_min" if loop.step > 0 else "raw_max"
        far = _op(block, "raw_add", (loop.counter, const(STRIP * loop.step)), INT)
        bound = _op(block, nearest, (loop.stop, far), INT)
        for length, offset in self.least:
            last = _op(block, "raw_sub", (length, const(offset)), INT) if offset else length
            bound = _op(block, nearest, (bound, last), INT)
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
