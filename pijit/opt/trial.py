"""Strips tried first: NumPy-scalar arithmetic whose warnings are looked for once per strip instead of once per operation.

A strip is run without leaving; when something in it may have warned, or an index that it looked up is outside, it is run again from its start,
with exits. What it stores into is kept: then that is put back, last things first, so that nothing can tell the two runs from one. Where
iterations hang on each other it is kept for a few of them at once, as one vector, before the first; else by the iteration that stores there.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.graph import Block, Branch, Const, Jump, Op, Value, const
from ..ir.ops import OPS
from ..ir.types import BOOL, INT, Array, Np
from .carried import Carried, index, place
from .copies import Copier
from .dce import removable
from .loops import Loop
from .rename import Renaming

ROOM = 256  # iterations of a strip that stores
RUN = 4  # iterations for which is kept at once
_STORES = 4  # in one iteration
INTS = frozenset({"add", "subtract", "multiply"})
_FLOATS = INTS | {"divide", "true_divide", "sqrt", "square", "negative", "absolute"}
# Finite only if the operands are; of a quotient only the first one counts.
_ABSORBING = frozenset({"add", "subtract", "multiply", "square", "negative", "absolute"})
_DIVIDING = frozenset({"divide", "true_divide"})


class Trial:
    """``covered``: operations whose exits the strip's conditions exclude. ``carries``: what goes on in parameters instead of memory."""

    def __init__(self, loop: Loop, covered: set[Op], carries: Sequence[Carried]) -> None:
        self.loop, self.covered, self.carries = loop, covered, carries
        self.tried = [op for op in loop.ops() if op.name == "np_op"]
        self.stores = [op for op in loop.ops() if op.name == "store"]
        self.possible = self._possible()

    def _possible(self) -> bool:
        if len(self.loop.body) > 1 or not self.tried or not all(map(self._fits, self.loop.ops())):
            return False
        if self.carries and not all(map(_is_float, self.tried)):
            return False  # ints that go round are better looked at before the strip: see bounded
        if any(map(self._is_looked_up, self.loop.ops())) and (self.stores or self.open_ends()):
            return False  # nothing is done several elements at once, and then exits cost no more than what a trial does in each iteration
        return len(self.stores) <= _STORES and all(map(self._can_be_undone, self.stores))

    def _fits(self, op: Op) -> bool:
        if op.name == "np_op":
            type = op.result.type
            assert isinstance(type, Np)
            known = {"f": _FLOATS, "i": INTS, "u": INTS}.get(type.dtype.kind, frozenset())
            return op.attrs["ufunc"] in known and op.args[0].type == type
        if op.exits and op not in self.covered and not self._is_looked_up(op) and not (op.name == "cast" and removable(op)):
            return False
        return op.name == "store" or OPS[op.name].effect in (None, "read")

    def _is_looked_up(self, op: Op) -> bool:
        """Whether it checks an index that the iteration finds out: where it is outside, the trial has failed."""
        return op.name == "check_index" and op not in self.covered

    def _can_be_undone(self, store: Op) -> bool:
        """Whether the place can be found again, and its value fits a word."""
        type = store.args[0].type
        assert isinstance(type, Array)
        known = (isinstance(value, Const) or value is self.loop.counter or self.loop.fixed(value) for value, _ in map(place, store.args[2:]))
        return type.dtype.kind in "iuf" and self.loop.fixed(store.args[0]) and all(known)

    @property
    def keeps_ahead(self) -> bool:
        """Whether what several iterations store into is kept before them: where iterations hang on each other."""
        return bool(self.stores and self.carries)

    def keep_run(self, block: Block, counter: Value, number: Value) -> None:
        """Keeps what is where the next iterations store."""
        for slot, store in enumerate(self.stores):
            moves = tuple(self.loop.step * (root is self.loop.counter) for root, _ in map(place, store.args[2:]))
            args = (store.args[0], *self._indices(block, store, counter), number)
            block.ops.append(Op("keep_run", args, (), {"slot": slot, "room": ROOM, "count": RUN, "moves": moves}, {}, block.line))

    def _indices(self, block: Block, store: Op, counter: Value) -> list[Value]:
        """Those of a store in the iteration of the counter."""
        return [index(block, counter if root is self.loop.counter else root, offset) for root, offset in map(place, store.args[2:])]

    def undo(self, count: Value, line: int, after: Jump) -> Jump:
        """Leads to a loop that puts back what the first iterations of a strip have stored, that many."""
        test, body = Block(line), Block(line)
        test.is_header = True
        left = test.param(INT)
        test.end = Branch(test.add("cmp", (left, const(0)), BOOL, symbol=">"), Jump(body), after)
        number = body.add("raw_sub", (left, const(1)), INT)
        counter = body.add("raw_add", (self.loop.counter, body.add("raw_mul", (number, const(self.loop.step)), INT)), INT)
        for slot, store in reversed([*enumerate(self.stores)]):
            array, value = store.args[:2]
            indices = self._indices(body, store, counter)
            kept = body.add("kept", (number,), value.type, slot=slot, room=ROOM)
            body.ops.append(Op("store", (array, kept, *indices), (), {}, {}, line))
        body.end = Jump(test, (number,))
        return Jump(test, (count,))

    def sums(self) -> list[Value]:
        """Parameters of the header, and loads that are carried, that tell in the end whether anything that was ever passed to them was in
        trouble: each iteration puts them into something that is finite only if they are."""
        absorbed = self._absorbed()
        return [value for value in (*self.loop.header.params, *(load.result for one in self.carries[:1] for load in one.loads)) if value in absorbed]

    def open_ends(self) -> set[Op]:
        """The operations whose trouble does not show in that of another one, nor in a sum."""
        told = self._absorbed()
        for value in self.sums():
            told.update(self.loop.next(value) if value in self.loop.header.params else self.carries[0].stored.values())
        return {op for op in self.tried if op.result not in told or not _is_float(op)}

    def _absorbed(self) -> set[Value]:
        floats = [op for op in self.tried if _is_float(op)]
        found = {arg for op in floats if op.attrs["ufunc"] in _ABSORBING for arg in op.args}
        return found | {op.args[0] for op in floats if op.attrs["ufunc"] in _DIVIDING}


class TrialCopier(Copier):
    """Makes trials of the operations. ``bad``: an int that becomes something other than 0 when one of them might have warned. ``number``: of the
    iteration, if it stores: what is there is kept first."""

    def __init__(self, trial: Trial, values: Renaming, blocks: dict[Block, Block], bad: Value, number: Value, keeps: bool) -> None:
        super().__init__(values, blocks)
        self.trial, self.bad, self.number, self._keeps = trial, bad, number, keeps
        self._ends = trial.open_ends()

    def ops(self, op: Op) -> list[Op]:
        if op.name == "store" and self._keeps:
            return self._store(op)
        if op.name == "check_index":
            return self._index(op)
        if op.name != "np_op":
            return super().ops(op)
        tried = Op("np_try", self.values_of(op), (op.result.type, INT), dict(op.attrs), {}, op.line)
        self.values[op.result], trouble = tried.results
        if op not in self._ends:
            return [tried]
        both = Op("int_or", (self.bad, trouble), (INT,), {}, {}, op.line)
        self.bad = both.result
        return [tried, both]

    def _index(self, op: Op) -> list[Op]:
        args = self.values_of(op)
        if op in self.trial.covered:
            self.values[op.result] = args[0]
            return []
        tried = Op("try_index", args, (INT, BOOL), {}, {}, op.line)
        self.values[op.result] = tried.results[0]
        return [tried]

    def _store(self, op: Op) -> list[Op]:
        array, value, *indices = self.values_of(op)
        load = Op("load", (array, *indices), (value.type,), {}, {}, op.line)
        slot = self.trial.stores.index(op)
        keep = Op("keep", (load.result, self.number), (), {"slot": slot, "room": ROOM}, {}, op.line)
        return [load, keep, *super().ops(op)]


def leave_outside(block: Block, failed: Jump) -> None:
    """Divides a block of a trial where it looks up indices: those that are outside lead elsewhere."""
    for op in [op for op in block.ops if op.name == "try_index"]:
        rest, number = Block(block.line), block.ops.index(op) + 1
        rest.ops, block.ops = block.ops[number:], block.ops[:number]
        rest.end, block.end = block.end, Branch(op.results[1], Jump(rest), failed, likely=True)
        block, failed = rest, Jump(failed.target, failed.args)


def _is_float(op: Op) -> bool:
    type = op.result.type
    return isinstance(type, Np) and type.dtype.kind == "f"
