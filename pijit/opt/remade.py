"""What a kernel makes for others they make again, where that costs less than going through memory.

    d = ew subtract x, mean                     (kernel 1 gives the sum only;
    s = reduce (ew multiply d, d)       ->       kernel 2 subtracts once more)
    y = ew divide d, s

Nor is anything kept for exits alone. Exits up to the last operation that would need it begin where its kernel begins: the interpreter does all
from there on again.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.graph import Block, Op, Value, anew
from ..ir.types import Array
from ..ir.uses import Uses
from .again import repeatable
from .groups import LIMIT, Group, dtype_name, flat, operands_of, order_of, stretch_of, takes

_CHEAP = frozenset({"add", "subtract", "multiply", "negative"})


def remake(block: Block, groups: list[Group], plain: Callable[[Op], bool], whole: Uses) -> None:
    """Does so for the groups of a block. ``plain``: whether a kernel does the operation element by element; ``whole``: of the graph."""
    if not groups:
        return
    uses = _Uses(block, whole)
    for group in sorted(groups, key=lambda group: group.first, reverse=True):  # what follows is known when it counts
        for op in group.ops[::-1]:
            _remake(op, group, groups, uses, plain)


def _remake(op: Op, group: Group, groups: list[Group], uses: _Uses, plain: Callable[[Op], bool]) -> None:
    made = op.result
    own = {*group.ops, group.fold, group.store}
    readers = [reader for reader in uses.readers.get(made, ()) if reader not in own]
    places = uses.exits.get(made, ())
    hosts = [host for host in groups if any(reader in host.ops for reader in readers)]
    kept = group.fold is not None or any(
        reader not in own for other in group.ops if other is not op for reader in uses.readers.get(other.result, ())
    )
    if uses.elsewhere(made) or not kept or not (readers or places):
        return
    if any(not any(reader in host.ops for host in hosts) for reader in readers):
        return
    if readers and not (plain(op) and _is_cheap(op, group) and all(_can_host(host, op) for host in hosts)):
        return
    until = max((group.until, *places, *(host.last for host in hosts)))
    while longer := [other.until for other in groups if group.first < other.first <= until < other.until]:
        until = max(longer)
    if not _can_begin_again(uses.block, group, groups, until):
        return
    group.reach = until
    for host in hosts:
        again = Op(op.name, op.args, (made.type,), dict(op.attrs), anew(op.exits), host.ops[0].line)
        for reader in host.ops:
            reader.args = tuple(again.result if arg is made else arg for arg in reader.args)
        host.ops.insert(0, again)
        for value in again.args:
            uses.readers.setdefault(value, []).append(again)


def _is_cheap(op: Op, group: Group) -> bool:
    return op.name == "ew" and op.attrs["ufunc"] in _CHEAP and not dtype_name(op.result).startswith("complex") and not group.makes(operands_of(op))


def _can_host(host: Group, op: Op) -> bool:
    """Whether the group can do the operation as well, and reads no more of memory for it than its result."""
    result, errors = op.result, op.attrs.get("errors")
    assert isinstance(result.type, Array)
    rank, order = result.type.ndim, order_of(op)
    if host.store is not None or len(host.ops) >= LIMIT or any(other.attrs.get("errors") != errors for other in host.ops if not takes(other)):
        return False
    read: set[Value] = set()
    for other in host.ops:
        if order_of(other) != order or not isinstance(other.result.type, Array) or other.result.type.ndim != rank:
            return False
        for value, stretch in zip(operands_of(other), stretch_of(other), strict=True):
            if value is result and (stretch or other.name != "ew"):
                return False
            read.add(value)
    if flat(host.ops) and not flat([op]):
        return False
    new = [
        value
        for value, stretch in zip(operands_of(op), stretch_of(op), strict=True)
        if isinstance(value.type, Array) and value.type.ndim == rank and not stretch and value not in read
    ]
    return len(set(new)) <= 1


def _can_begin_again(block: Block, group: Group, groups: list[Group], until: int) -> bool:
    """Whether all from the group on, up to that place, can be done again; a group may store where it ends."""
    stores = (other.last for other in groups if other.store is not None and other.last < until)
    return repeatable(block, group.first, until) and not any(group.first <= place for place in stores)


def _at_exits(op: Op) -> set[Value]:
    return {value for exit in op.exits.values() for value in exit.values()}


class _Uses:
    """Of values in a block. ``readers``: who has one as an argument; ``exits``: the places of those whose exits need it."""

    def __init__(self, block: Block, whole: Uses) -> None:
        self.block = block
        self.whole = whole
        self.readers: dict[Value, list[Op]] = {}
        self.exits: dict[Value, list[int]] = {}
        for place, op in enumerate(block.ops):
            for value in set(op.args):
                self.readers.setdefault(value, []).append(op)
            for value in _at_exits(op):
                self.exits.setdefault(value, []).append(place)

    def elsewhere(self, value: Value) -> bool:
        """Whether jumps or other blocks need it."""
        return bool(self.whole.at_ends(value)) or self.whole.is_needed_outside(value, self.block)
