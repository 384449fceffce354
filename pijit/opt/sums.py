"""Ints that a loop changes by little: counters, and sums of small numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.graph import Op, Value
from ..ir.types import INT
from .facts import Facts
from .loops import Loop

LITTLE = 2**40  # in one iteration: 2**20 of them add up to less than 2**61

Change = tuple[Value, int, int]  # a parameter of the header, and between what it is away from that
_SIGN = {"int_add": 1, "raw_add": 1, "int_sub": -1, "raw_sub": -1}


class Sums:
    """Finds the parameters of a loop's header that come back as themselves plus little."""

    def __init__(self, loop: Loop, facts: Facts) -> None:
        self._changes: dict[Value, Change | None] = {
            param: (param, 0, 0) for param in loop.header.params if param.type == INT
        }
        self._facts = facts
        self._passed: dict[Value, list[Value]] = {}
        for block in loop.body:
            for jump in block.jumps():
                if jump.target is not loop.header:
                    for param, arg in zip(jump.target.params, jump.args, strict=True):
                        self._passed.setdefault(param, []).append(arg)
        self._sums = {
            param for param in list(self._changes) if all(self._change(arg, param) for arg in loop.next(param))
        }

    def of(self, value: Value) -> Value | None:
        """The parameter that the value is little away from, if that is such a sum."""
        change = self._find(value)
        return change[0] if change is not None and change[0] in self._sums else None

    def _change(self, value: Value, param: Value) -> bool:
        change = self._find(value)
        return change is not None and change[0] is param

    def _find(self, value: Value) -> Change | None:
        if value not in self._changes:
            change = self._of_op(value.op) if isinstance(value.op, Op) else self._of_param(value)
            self._changes[value] = change if change and -LITTLE <= change[1] <= change[2] <= LITTLE else None
        return self._changes[value]

    def _of_op(self, op: Op) -> Change | None:
        if op.name == "select":
            return self._of_any(op.args[1:])
        sign = _SIGN.get(op.name)
        if sign is None:
            return None
        orders = [(op.args[0], op.args[1])]
        if sign > 0:
            orders.append((op.args[1], op.args[0]))
        for base, other in orders:
            change, (low, high) = self._find(base), self._facts.estimate(other)
            if change is not None and -LITTLE <= low <= high <= LITTLE:
                ends = sorted((sign * low, sign * high))
                return change[0], change[1] + ends[0], change[2] + ends[1]
        return None

    def _of_param(self, value: Value) -> Change | None:
        return self._of_any(self._passed.get(value, ()))

    def _of_any(self, values: Sequence[Value]) -> Change | None:
        changes = [self._find(value) for value in values]
        found = [change for change in changes if change is not None]
        if not found or len(found) < len(changes) or len({change[0] for change in found}) > 1:
            return None
        return found[0][0], min(change[1] for change in found), max(change[2] for change in found)
