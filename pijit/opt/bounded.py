"""Sums of NumPy ints that cannot overflow because what a strip loads is small: looked at once, before the strip runs.

    D(i, bad):  i < bound? B : bad == 0? F : G
    B:          bad |= beyond(load a, i); goto D(i + 1, bad)

F is the strip without the exits of those sums, G the one with them. Unlike in a trial, the strip may load what it has stored: ranges say
that this stays small too, as in a table each of whose elements is the least of its neighbours plus one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..ir.graph import Block, Branch, Const, Jump, Op, Value, const
from ..ir.ops import OPS
from ..ir.types import BOOL, INT, Np
from .carried import Carried, apart, index, place
from .copies import Copier
from .facts import MAX, MIN, TRANSFER, Facts, Range
from .loops import Loop
from .rename import Renaming
from .trial import INTS

SMALL = 2**61  # what is loaded lies in -SMALL..SMALL-1
_LOOKED_AT: Range = (-SMALL, SMALL - 1)
_FULL: Range = (MIN, MAX)
_WIDE = Np("int64")
_ROUNDS = 4  # until a bound that still moves is given up

_UFUNCS = {
    "add": TRANSFER["int_add"], "subtract": TRANSFER["int_sub"], "multiply": TRANSFER["int_mul"], "negative": TRANSFER["int_neg"],
    "absolute": TRANSFER["int_abs"], "maximum": TRANSFER["raw_max"], "minimum": TRANSFER["raw_min"],
}  # fmt: skip
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


class Bounded:
    """``safe``: the operations that need no exit when all of ``loads``, ``values`` and ``ints``, and what ``carries`` begin with, are
    small. Of ``ints`` the strip itself must make sure."""

    def __init__(self, loop: Loop, facts: Facts, carries: Sequence[Carried], visible: Iterable[Op]) -> None:
        """``visible``: the loads whose indices are inside in every iteration."""
        self.loop, self._facts = loop, facts
        self._carried = {load.result: [*one.stored.values()] for one in carries for load in one.loads}
        self._passed = _passed(loop)
        outside = {arg: None for op in loop.ops() for arg in op.args if loop.fixed(arg) and not isinstance(arg, Const)}
        self.values = [value for value in (*loop.header.params, *outside) if value.type == _WIDE]
        self.pairs: list[tuple[Value, Value]] = []
        self.loads = [op for op in visible if op.result.type == _WIDE and op.result not in self._carried and self._still(op)]
        self._small = {op.result for op in self.loads}
        self.safe = self._find()
        needed = self._needed()
        self.pairs.clear()
        self.loads = [op for op in self.loads if op.result in needed and self._still(op)]
        self.values = [value for value in self.values if value in needed]
        casts = (op for op in loop.ops() if op.name == "cast" and op.result in needed)
        self.ints = [op.args[0] for op in casts if op.args[0].type == INT and loop.fixed(op.args[0])]

    def look(self, block: Block, bound: Value, begin: Sequence[Value], failed: Jump, passed: Jump) -> Jump:
        """Leads from the block to ``passed`` if everything is small up to the bound, else to ``failed``. ``begin``: what the carried values
        are at first. The strip goes round at least once."""
        loop, line = self.loop, block.line
        bad: Value = const(0)
        for value in (*self.values, *begin):
            bad = _beyond(block, value, bad)
        loads = {self._element(op, 0): op for op in self.loads}
        for at in [at for at, op in loads.items() if at != self._element(op, loop.step) in loads]:
            bad = _beyond(block, self._load(block, loads.pop(at), loop.counter), bad)  # later on the other one finds what this one does
        test, body, check = Block(line), Block(line), Block(line)
        test.is_header = True
        counter, outcome = test.param(INT), test.param(INT)
        more = test.add("cmp", (counter, bound), BOOL, symbol="<" if loop.step > 0 else ">")
        test.end = Branch(more, Jump(body), Jump(check))
        so_far: Value = outcome
        for op in loads.values():
            so_far = _beyond(body, self._load(body, op, counter), so_far)
        body.end = Jump(test, (body.add("raw_add", (counter, const(loop.step)), INT), so_far))
        check.end = Branch(check.add("cmp", (outcome, const(0)), BOOL, symbol="=="), passed, failed, likely=True)
        return Jump(test, (loop.counter, bad))

    def _load(self, block: Block, op: Op, counter: Value) -> Value:
        """What the operation finds when the counter is this."""
        places = map(place, op.args[1:])
        indices = [index(block, counter if value is self.loop.counter else value, offset) for value, offset in places]
        return block.add("load", (op.args[0], *indices), _WIDE)

    def _element(self, op: Op, later: int) -> tuple[object, ...]:
        """What the operation finds when the counter is that much further: equal for one element."""
        def at(value: Value, offset: int) -> tuple[object, int]:
            root = value.value if isinstance(value, Const) else value
            return root, offset + (later if value is self.loop.counter else 0)

        return op.args[0], *(at(value, offset) for value, offset in map(place, op.args[1:]))

    # ---- what can be looked at beforehand

    def _still(self, load: Op) -> bool:
        """Whether the strip does not change what the load finds, and the place can be computed from the counter."""
        loop = self.loop
        if not loop.fixed(load.args[0]):
            return False
        if not all(isinstance(value, Const) or value is loop.counter or loop.fixed(value) for value, _ in map(place, load.args[1:])):
            return False
        return all(self._apart(load, op) for op in loop.ops() if OPS[op.name].effect not in (None, "read"))

    def _apart(self, load: Op, store: Op) -> bool:
        one, other = load.args[0], store.args[0]
        if store.name != "store" or not self.loop.fixed(other):
            return False
        if one is not other:
            if not apart(one, other) and (one, other) not in self.pairs:
                self.pairs.append((one, other))
            return True
        return any(map(self._differ, map(place, load.args[1:]), map(place, store.args[2:])))

    def _differ(self, one: tuple[Value, int], other: tuple[Value, int]) -> bool:
        """Whether two indices along one axis never meet: those that do not move and are a constant apart."""
        (value, offset), (value2, offset2) = one, other
        if isinstance(value, Const) and isinstance(value2, Const):
            return bool(value.value + offset != value2.value + offset2)
        return value is value2 and self.loop.fixed(value) and offset != offset2

    # ---- ranges

    def _find(self) -> set[Op]:
        begin = dict.fromkeys((*self.values, *self._carried), _LOOKED_AT)
        for round in range(_ROUNDS + 1):
            ranges = _Ranges(self.loop, self._facts, begin | dict.fromkeys(self._small, _LOOKED_AT))
            after = {}
            for value, (low, high) in begin.items():
                ways = [*map(ranges.of, self._carried[value])] if value in self._carried else ranges.passed(value)
                first, last = min([low, *(way[0] for way in ways)]), max([high, *(way[1] for way in ways)])
                if round == _ROUNDS - 1:
                    first, last = (MIN if first < low else low), (MAX if last > high else high)
                after[value] = first, last
            if after == begin:
                return ranges.safe
            begin = after
        return set()

    def _needed(self) -> set[Value]:
        """What the safe operations are made of."""
        found: set[Value] = set()
        work = [arg for op in self.safe for arg in op.args]
        while work:
            value = work.pop()
            if value in found or isinstance(value, Const):
                continue
            found.add(value)
            if isinstance(value.op, Op) and value.op.name in ("np_op", "select"):
                work += value.op.args
            work += self._passed.get(value, [])
            work += self._carried.get(value, [])
        return found


class _Ranges:
    """Between what the NumPy ints of one iteration lie. ``known``: of those that come in."""

    def __init__(self, loop: Loop, facts: Facts, known: dict[Value, Range]) -> None:
        self._loop, self._facts, self._known = loop, facts, known
        self.safe: set[Op] = set()
        self._at: dict[Block, dict[Value, Range]] = {}  # narrower ones behind comparisons
        self._before: dict[Block, list[tuple[Block, Jump]]] = {}
        for block in loop.body:
            for jump in block.jumps():
                self._before.setdefault(jump.target, []).append((block, jump))
        for block in loop.body:
            self._block(block)

    def of(self, value: Value, there: dict[Value, Range] | None = None) -> Range:
        """The range of a value, perhaps where more is known."""
        if isinstance(value, Const):
            return (int(value.value), int(value.value)) if value.type == _WIDE else _FULL
        return (there or {}).get(value, self._known.get(value, _FULL))

    def passed(self, param: Value) -> list[Range]:
        """Of what the iterations pass for a parameter of the header; nothing for other values."""
        params = self._loop.header.params
        return self._ways(self._loop.header, params.index(param)) if param in params else []

    def _ways(self, target: Block, number: int) -> list[Range]:
        return [self.of(jump.args[number], self._behind(block, jump)) for block, jump in self._before.get(target, [])]

    def _behind(self, block: Block, jump: Jump) -> dict[Value, Range]:
        there = dict(self._at[block])
        if isinstance(block.end, Branch) and block.end.yes.target is not block.end.no.target:
            self._assume(there, block.end.condition, jump is block.end.yes)
        return there

    def _assume(self, there: dict[Value, Range], condition: Value, holds: bool) -> None:
        op = condition.op
        if isinstance(op, Op) and op.name == "not":
            self._assume(there, op.args[0], not holds)
        if not isinstance(op, Op) or op.name != "cmp" or any(arg.type != _WIDE for arg in op.args):
            return
        symbol = op.attrs["symbol"] if holds else _OPPOSITE[op.attrs["symbol"]]
        (low, high), (low2, high2) = (self.of(arg, there) for arg in op.args)
        if symbol in ("<", "<=", "=="):
            strict = symbol == "<"
            high, low2 = min(high, high2 - strict), max(low2, low + strict)
        if symbol in (">", ">=", "=="):
            strict = symbol == ">"
            low, high2 = max(low, low2 + strict), min(high2, high - strict)
        there.update(zip(op.args, ((low, high), (low2, high2)), strict=True))

    def _block(self, block: Block) -> None:
        before = self._before.get(block, [])
        self._at[block] = self._behind(*before[0]) if len(before) == 1 else {}
        for number, param in enumerate(block.params):
            if param.type == _WIDE:
                ways = self._ways(block, number)
                self._known[param] = min(low for low, _ in ways), max(high for _, high in ways)
        for op in block.ops:
            if len(op.results) == 1 and op.result.type == _WIDE and op.result not in self._known:
                self._known[op.result] = self._result(op, self._at[block])

    def _result(self, op: Op, there: dict[Value, Range]) -> Range:
        if op.name == "select":
            ways = []
            for value, holds in ((op.args[1], True), (op.args[2], False)):
                chosen = dict(there)
                self._assume(chosen, op.args[0], holds)
                ways.append(self.of(value, chosen))
            return min(low for low, _ in ways), max(high for _, high in ways)
        if op.name == "cast" and op.args[0].type == INT:
            low, high = self._facts.estimate(op.args[0])
            return (max(low, -SMALL), min(high, SMALL - 1)) if self._loop.fixed(op.args[0]) else (low, high)
        if op.name != "np_op" or op.attrs["ufunc"] not in _UFUNCS or any(arg.type != _WIDE for arg in op.args):
            return _FULL
        low, high = _UFUNCS[op.attrs["ufunc"]](*(self.of(arg, there) for arg in op.args))
        if low < MIN or high > MAX:
            return _FULL
        if op.attrs["ufunc"] in INTS:
            self.safe.add(op)
        return low, high


class BoundedCopier(Copier):
    """Takes the exits off what is safe."""

    def __init__(self, safe: Collection[Op], values: Renaming, blocks: dict[Block, Block]) -> None:
        super().__init__(values, blocks)
        self._safe = safe

    def ops(self, op: Op) -> list[Op]:
        if op not in self._safe:
            return super().ops(op)
        tried = Op("np_try", self.values_of(op), (_WIDE, INT), dict(op.attrs), {}, op.line)
        self.values[op.result] = tried.results[0]
        return [tried]


def _passed(loop: Loop) -> dict[Value, list[Value]]:
    """What is passed inside the loop for each parameter."""
    found: dict[Value, list[Value]] = {}
    for block in (loop.header, *loop.body):
        for jump in block.jumps():
            for param, arg in zip(jump.target.params, jump.args, strict=True):
                found.setdefault(param, []).append(arg)
    return found


def _beyond(block: Block, value: Value, bad: Value) -> Value:
    return block.add("int_or", (bad, block.add("beyond", (value,), INT, limit=SMALL)), INT)
