"""Strips tried first: NumPy-scalar arithmetic whose warnings are looked for once per strip instead of once per operation.

A strip is run without leaving; when something in it may have warned, it is run again from its start, with exits. What it stores into is kept:
then that is put back, last things first, so that nothing can tell the two runs from one. Where iterations hang on each other all of it is
kept before the strip, several elements at once; else by the iteration that stores there.
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
        return len(self.stores) <= _STORES and all(map(self._can_be_undone, self.stores))

    def _fits(self, op: Op) -> bool:
        if op.name == "np_op":
            type = op.result.type
            assert isinstance(type, Np)
            known = {"f": _FLOATS, "i": INTS, "u": INTS}.get(type.dtype.kind, frozenset())
            return op.attrs["ufunc"] in known and op.args[0].type == type
        if op.exits and op not in self.covered and not (op.name == "cast" and removable(op)):
            return False
        return op.name == "store" or OPS[op.name].effect in (None, "read")

    def _can_be_undone(self, store: Op) -> bool:
        """Whether the place can be found again, and its value fits a word."""
        type = store.args[0].type
        assert isinstance(type, Array)
        known = (isinstance(value, Const) or value is self.loop.counter or self.loop.fixed(value) for value, _ in map(place, store.args[2:]))
        return type.dtype.kind in "iuf" and self.loop.fixed(store.args[0]) and all(known)

    @property
    def saves_first(self) -> bool:
        """Whether what the strip stores into is kept before it."""
        return bool(self.stores and self.carries)

    def save(self, bound: Value, line: int, after: Jump) -> Jump:
        """Leads to a loop that keeps what is where the iterations up to the bound store."""
        test, body = Block(line), Block(line)
        test.is_header = True
        counter, number = test.param(INT), test.param(INT)
        test.end = Branch(test.add("cmp", (counter, bound), BOOL, symbol="<" if self.loop.step > 0 else ">"), Jump(body), after)
        for slot, store in enumerate(self.stores):
            old = body.add("load", (store.args[0], *self._indices(body, store, counter)), store.args[1].type)
            body.ops.append(Op("keep", (old, number), (), {"slot": slot, "room": ROOM, "ahead": True}, {}, line))
        ahead = [body.add("raw_add", (value, const(step)), INT) for value, step in ((counter, self.loop.step), (number, 1))]
        body.end = Jump(test, tuple(ahead))
        return Jump(test, (self.loop.counter, const(0)))

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
            ahead = {"ahead": True} if self.saves_first else {}
            kept = body.add("kept", (number,), value.type, slot=slot, room=ROOM, **ahead)
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

    def __init__(self, trial: Trial, values: Renaming, blocks: dict[Block, Block], bad: Value, number: Value) -> None:
        super().__init__(values, blocks)
        self.trial, self.bad, self.number = trial, bad, number
        self._ends = trial.open_ends()

    def ops(self, op: Op) -> list[Op]:
        if op.name == "store" and not self.trial.saves_first:
            return self._store(op)
        if op.name == "check_index":
            self.values[op.result] = self.values_of(op)[0]
            return []
        if op.name != "np_op":
            return super().ops(op)
        tried = Op("np_try", self.values_of(op), (op.result.type, INT), dict(op.attrs), {}, op.line)
        self.values[op.result], trouble = tried.results
        if op not in self._ends:
            return [tried]
        both = Op("int_or", (self.bad, trouble), (INT,), {}, {}, op.line)
        self.bad = both.result
        return [tried, both]

    def _store(self, op: Op) -> list[Op]:
        array, value, *indices = self.values_of(op)
        load = Op("load", (array, *indices), (value.type,), {}, {}, op.line)
        slot = self.trial.stores.index(op)
        keep = Op("keep", (load.result, self.number), (), {"slot": slot, "room": ROOM}, {}, op.line)
        return [load, keep, *super().ops(op)]


def _is_float(op: Op) -> bool:
    type = op.result.type
    return isinstance(type, Np) and type.dtype.kind == "f"
