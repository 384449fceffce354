"""Strips tried first: NumPy-scalar arithmetic whose warnings are looked for once per strip instead of once per operation.

A strip without stores is run without leaving; when something in it may have warned, it is run again from its start, with exits.
A strip with stores is first run without them. That tells what the stores will be if they do not change what is loaded: `Trial.possible`
says when, and `Trial.pairs` which arrays must lie apart.
"""

from __future__ import annotations

from ..ir.graph import Block, Op, Value
from ..ir.ops import OPS
from ..ir.types import INT, Array, Np
from .carried import element, place
from .copies import Copier
from .dce import removable
from .loops import Loop
from .rename import Renaming

INTS = frozenset({"add", "subtract", "multiply"})
_FLOATS = INTS | {"divide", "true_divide", "sqrt", "square", "negative", "absolute"}
_ABSORBING = frozenset(
    {"add", "subtract", "multiply", "square", "negative", "absolute"}
)  # finite only if the operands are
_NEW = frozenset({"empty", "ew", "kernel", "roll", "pick"})


class Trial:
    """``covered``: operations whose exits the strip's conditions exclude."""

    def __init__(self, loop: Loop, covered: set[Op]) -> None:
        self.loop, self.covered = loop, covered
        self.pairs: list[tuple[Value, Value]] = []
        self.tried = [op for op in loop.ops() if op.name == "np_op"]
        self.stores = [op for op in loop.ops() if op.name == "store"]
        self.possible = self._possible()

    def _possible(self) -> bool:
        if len(self.loop.body) > 1 or not self.tried or not all(map(self._fits, self.loop.ops())):
            return False
        if not self.stores:
            return True
        carried = {param for param in self.loop.header.params if param.type != INT}
        # a sum that goes round would be computed twice, one addition after the other
        return not carried and all(
            self._apart(load, store) for load in self.loop.ops() if load.name == "load" for store in self.stores
        )

    def _fits(self, op: Op) -> bool:
        if op.name == "np_op":
            type = op.result.type
            assert isinstance(type, Np)
            known = {"f": _FLOATS, "i": INTS, "u": INTS}.get(type.dtype.kind, frozenset())
            return op.attrs["ufunc"] in known and op.args[0].type == type
        if op.exits and op not in self.covered and not (op.name == "cast" and removable(op)):
            return False
        return op.name == "store" or OPS[op.name].effect in (None, "read")

    def _apart(self, load: Op, store: Op) -> bool:
        """Whether no iteration loads what an earlier one of the strip stores."""
        one, other = load.args[0], store.args[0]
        if not (self.loop.fixed(one) and self.loop.fixed(other)):
            return False
        if one is other:
            return self._same_place(load, store)
        if not (is_new(one) or is_new(other)) and (one, other) not in self.pairs:
            self.pairs.append((one, other))
        return True

    def _same_place(self, load: Op, store: Op) -> bool:
        order = list(self.loop.ops())
        moves = any(root is self.loop.counter for root, _ in map(place, load.args[1:]))
        type = load.args[0].type
        plain = isinstance(type, Array) and type.order in ("C", "F")
        same = element(load.args[0], load.args[1:]) == element(store.args[0], store.args[2:])
        return plain and moves and same and order.index(load) < order.index(store)

    def sums(self) -> list[Value]:
        """Parameters of the header that tell in the end whether anything that was ever passed to them was in trouble: each iteration
        puts them into something that is finite only if they are."""
        absorbed = self._absorbed()
        return [] if self.stores else [param for param in self.loop.header.params if param in absorbed]

    def open_ends(self) -> set[Op]:
        """The operations whose trouble does not show in that of another one, nor in a sum."""
        told = self._absorbed() | {value for param in self.sums() for value in self.loop.next(param)}
        return {op for op in self.tried if op.result not in told or not _is_float(op)}

    def _absorbed(self) -> set[Value]:
        return {arg for op in self.tried if op.attrs["ufunc"] in _ABSORBING and _is_float(op) for arg in op.args}


class TrialCopier(Copier):
    """Makes trials of the operations. ``bad``: an int that becomes something other than 0 when one of them might have warned; None: nobody
    asks. ``stores``: whether there are any in the copy."""

    def __init__(
        self, trial: Trial, values: Renaming, blocks: dict[Block, Block], bad: Value | None, stores: bool
    ) -> None:
        super().__init__(values, blocks)
        self.trial, self.bad, self.stores = trial, bad, stores
        self._ends = trial.open_ends()

    def ops(self, op: Op) -> list[Op]:
        if op.name == "store" and not self.stores:
            return []
        if op.name == "check_index":
            self.values[op.result] = self.values_of(op)[0]
            return []
        if op.name != "np_op":
            return super().ops(op)
        tried = Op("np_try", self.values_of(op), (op.result.type, INT), dict(op.attrs), {}, op.line)
        self.values[op.result], trouble = tried.results
        if self.bad is None or op not in self._ends:
            return [tried]
        both = Op("int_or", (self.bad, trouble), (INT,), {}, {}, op.line)
        self.bad = both.result
        return [tried, both]


def _is_float(op: Op) -> bool:
    type = op.result.type
    return isinstance(type, Np) and type.dtype.kind == "f"


def is_new(array: Value) -> bool:
    return isinstance(array.op, Op) and array.op.name in _NEW
