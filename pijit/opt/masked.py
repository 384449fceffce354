"""What is computed of the elements that a mask takes, and stored there again, is computed of all of them where the mask takes many.

    i = mask_count m                         i = mask_count m
    x = pick a, m, i                         branch 4 * i >= size of m
    y = ew multiply x, x          ->         yes: x = ew where m, a, 1     no: as it was
    place a, y, m                                 y = ew multiply x, x
                                                  z = ew where m, y, a
                                                  assign a, z

Then it is one kernel, which needs no copies. Where it took many it is looked at again a few times later (`mask_many`), and what follows the stretch,
which has another one, is there once more for when both took many: what makes the second mask is computed with what it is for, and all of that may
wait for the next round of a loop (that mask is looked at behind it: `mask_look`). What the mask does not take may raise no floating-point flag: there
operations that might are given ones, if what they are given would raise any. All of it is on one line of the program, so that warnings are of that.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from pijit.ground.records import dataclass, replace

from ..ir.evaluate import elementwise
from ..ir.graph import Block, Branch, Const, Exit, Graph, Jump, Op, Value, const
from ..ir.loops import natural_loops
from ..ir.ops import OPS
from ..ir.types import BOOL, INT, Array, Np
from ..ir.ufuncs import can_raise, function
from ..ir.uses import Uses
from .again import repeatable, seen_elsewhere
from .copies import Copier

Fusible = Callable[[str, tuple[str, ...]], bool]

_MANY = 4  # from one in so many on
_LONG = frozenset({"floor_divide", "remainder", "mod"})  # take longer than to move an element there and back, and are done for fewer then


def masked(graph: Graph, formula: Fusible) -> None:
    """Gives such stretches a second way."""
    uses, slots = Uses(graph), itertools.count()  # found once: of what is made of the mask's elements, both ways need what one did
    repeated = {id(block) for _, blocks in natural_loops(graph) for block in blocks}
    for origin in list(graph.blocks):
        block, group, slot, tail = origin, _next(uses, origin, formula), next(slots), None
        while group is not None:
            divided, (block, whole) = block, _divide(block, group, slot)
            group, slot = _next(uses, block, formula), next(slots)
            if tail is not None and group is None and id(origin) in repeated:
                _go_back(divided, tail)
            tail = None
            if group is not None and group.count is not None and _passes_all(uses, origin, block):
                tail = _tail(block, group, slot)
                whole.end = Branch(whole.add("many_lately", (), BOOL, slot=slot), Jump(tail), Jump(block))
    graph.arrange()


def _next(uses: Uses, block: Block, formula: Fusible) -> _Group | None:
    """The first stretch of the block."""
    groups = (_group(uses, block, place, formula) for place in block.ops if place.name == "place")
    return next((group for group in groups if group is not None), None)


@dataclass(frozen=True, slots=True)
class _Group:
    """``members``: picks and operations on elements, in order. ``count``: what counts the elements that the mask takes, if only they need it."""

    place: Op
    members: tuple[Op, ...]
    start: Exit
    count: Op | None

    @property
    def mask(self) -> Value:
        return self.place.args[2]


def _group(uses: Uses, block: Block, place: Op, formula: Fusible) -> _Group | None:
    target, made, mask, _ = place.args
    type = target.type
    assert isinstance(type, Array)
    assert isinstance(mask.type, Array)
    if place.attrs["lead"] or type.ndim != mask.type.ndim or {type.order, mask.type.order} != {"C"} or not isinstance(made.type, Array):
        return None
    own = set(block.ops)
    members: set[Op] = set()
    ahead = [made]
    while ahead:
        op = ahead.pop().op
        if not isinstance(op, Op) or op not in own or not (_takes(op, mask) or _computes(op, formula)):
            return None
        if op not in members:
            members.add(op)
            ahead += [arg for arg in op.args if isinstance(arg.type, Array)] if op.name == "ew" else []
    values = {op.result for op in members}
    users = uses.readers_of(values)
    ordered = tuple(op for op in block.ops if op in members)
    begin, stop = block.ops.index(ordered[0]), block.ops.index(place)
    lines = {op.exits["redo"].frames[-1].line for op in (*members, place)}
    states = {op.attrs.get("errors") for op in members if op.name == "ew"}
    alone = members.issuperset(set(users) - {place}) and not seen_elsewhere(uses, block, begin, stop, values)
    if not alone or len(lines) != 1 or len(states) != 1 or not repeatable(block, begin, stop):
        return None
    if not formula("where", ("bool", type.name, type.name, type.name)):
        return None
    return _Group(place, ordered, ordered[0].exits["redo"], _own_count(uses, block, place, members))


def _own_count(uses: Uses, block: Block, place: Op, members: set[Op]) -> Op | None:
    value, op = place.args[3], place.args[3].op
    if not isinstance(op, Op) or op.name != "mask_count" or op not in block.ops or not members.issuperset(set(uses.readers(value)) - {place}):
        return None
    between = block.ops[block.ops.index(op) : block.ops.index(place)]
    written = any(OPS[other.name].effect in ("write", "any") for other in between)
    return None if written or uses.at_exits(value) or uses.at_ends(value) else op


def _takes(op: Op, mask: Value) -> bool:
    source = op.args[0].type
    same = op.name == "pick" and op.args[1] is mask and not op.attrs["lead"]
    return same and isinstance(source, Array) and source.ndim == mask.type.ndim  # type: ignore[attr-defined]


def _computes(op: Op, formula: Fusible) -> bool:
    if op.name != "ew" or any(op.attrs["stretch"]) or op.attrs["ufunc"] in _LONG:
        return False
    names = tuple(value.type.name for value in (*op.args[: op.attrs["n"]], op.result))  # type: ignore[attr-defined]
    return formula(op.attrs["ufunc"], names) and all(formula("where", ("bool", name, name, name)) for name in names)


def _divide(block: Block, group: _Group, slot: int) -> tuple[Block, Block]:
    """Two ways through the stretch; gives the block behind it, and the one in which everything is computed."""
    after, packed, whole = Block(block.line), Block(block.line), Block(block.line)
    before, after.ops = _around(block, group)
    after.end, packed.end, whole.end = block.end, Jump(after), Jump(after)
    packed.ops = [*group.members, group.place]
    _leave_to_numpy(packed)
    block.ops = before
    dims = _dims(block, group)
    if group.count is not None:
        looked = Op("mask_many", (group.mask,), (BOOL, INT), {"slot": slot, "one_in": _MANY}, {}, block.line)
        block.ops.append(looked)
        many, count = looked.results
        for op in packed.ops:
            op.args = tuple(count if arg is group.count.result else arg for arg in op.args)
    else:
        size = dims[0]
        for dim in dims[1:]:
            size = block.add("raw_mul", (size, dim), INT)
        many = block.add("cmp", (block.add("raw_mul", (group.place.args[3], const(_MANY)), INT), size), BOOL, symbol=">=")
    block.end = Branch(many, Jump(whole), Jump(packed))
    _Whole(whole, group, dims).emit()
    return after, whole


def _leave_to_numpy(packed: Block) -> None:
    """A single operation between copies that take longer is not worth a kernel of its own: NumPy's loop does it."""
    computing = [op for op in packed.ops if op.name == "ew"]
    if len(computing) == 1 and isinstance(function(computing[0].attrs["ufunc"]), np.ufunc):
        computing[0].attrs["loop"] = True


def _around(block: Block, group: _Group) -> tuple[list[Op], list[Op]]:
    """What comes before the stretch, and of it what is not of the group; and what comes after."""
    begin, stop = block.ops.index(group.members[0]), block.ops.index(group.place)
    inside = {*group.members, group.place, group.count}
    between = [op for op in block.ops[begin:stop] if op not in inside]
    for op in between:
        op.exits = {name: replace(exit, frames=group.start.frames, names=group.start.names) for name, exit in op.exits.items()}
    return [op for op in block.ops[:begin] if op not in inside] + between, block.ops[stop + 1 :]


def _dims(block: Block, group: _Group) -> list[Value]:
    """Of the target, which are those of the mask."""
    target = group.place.args[0]
    ndim = target.type.ndim  # type: ignore[attr-defined]
    if isinstance(target.op, Op) and target.op.name == "empty":
        return list(target.op.args[:ndim])
    return [block.add("dim", (group.mask,), INT, axis=axis) for axis in range(ndim)]


def _passes_all(uses: Uses, origin: Block, after: Block) -> bool:
    """Whether only the block's jump gives on what is made in it."""
    made = [result for op in after.ops for result in op.results]
    return isinstance(after.end, Jump) and not any(uses.is_needed_outside(result, origin) for result in made)


def _tail(after: Block, group: _Group, slot: int) -> Block:
    """The block once more, for when the group's mask takes many. At its end, when nothing else needs the mask to be there, it may be looked at."""
    made, whole = Block(after.line), Block(after.line)
    whole.ops, rest = _around(after, group)
    _Whole(whole, group, _dims(whole, group)).emit()
    copier = Copier({}, {})
    made.ops = [copier.op(op) for op in (*whole.ops, *rest)]
    made.ops.append(Op("mask_look", (copier.value(group.mask),), (), {"slot": slot, "one_in": _MANY}, {}, after.line))
    assert isinstance(after.end, Jump)
    made.end = Jump(after.end.target, tuple(map(copier.value, after.end.args)))
    return made


def _go_back(divided: Block, tail: Block) -> None:
    """Where a mask that took few is found to take many, ``tail`` makes it again: once, which is less than compiling a third way."""
    end = divided.end
    assert isinstance(end, Branch)
    if all(OPS[op.name].effect in (None, "read") for op in divided.ops):
        divided.end = replace(end, yes=Jump(tail))


class _Whole:
    """The way in which everything is computed. ``elsewhere``: what a value is where the mask is false, if that is known."""

    def __init__(self, block: Block, group: _Group, dims: list[Value]) -> None:
        self.block, self.group, self.dims = block, group, dims
        self.values: dict[Value, Value] = {}
        self.elsewhere: dict[Value, Any] = {}
        self.ones: dict[Value, Value] = {}
        self.errors = next(({"errors": op.attrs["errors"]} for op in group.members if "errors" in op.attrs), {})

    def emit(self) -> None:
        for op in self.group.members:
            if op.name == "pick":
                self.values[op.result] = op.args[0]
            else:
                self.compute(op)
        target, made, *_ = self.group.place.args
        result = self.choose(self.values[made], target, made.type.name)  # type: ignore[attr-defined]
        exits = {"redo": replace(self.group.start, reason="memory")}
        assign = Op("assign", (target, result, *self.dims), (), {"stretch": ()}, exits, self.group.place.line)
        self.block.ops.append(assign)

    def compute(self, op: Op) -> None:
        args = [self.values.get(arg, arg) for arg in op.args[: op.attrs["n"]]]
        ufunc, names = op.attrs["ufunc"], tuple(value.type.name for value in (*args, op.result))  # type: ignore[attr-defined]
        if can_raise(ufunc, names):
            args = [self.one(arg) if self.known(arg) is None else arg for arg in args]
            if not self.quiet(ufunc, args, names[-1]):
                args = [self.one(arg) for arg in args]
        made = self.ew(ufunc, args, names[-1])
        known = [self.known(arg) for arg in args]
        if None not in known:
            with np.errstate(all="ignore"):
                self.elsewhere[made] = elementwise(ufunc, [np.array([value]) for value in known], names[-1])[0]
        self.values[op.result] = made

    def quiet(self, ufunc: str, args: list[Value], dtype: str) -> bool:
        """Whether no flag is raised elsewhere."""
        try:
            with np.errstate(all="raise"):
                elementwise(ufunc, [np.array([self.known(arg)]) for arg in args], dtype)
        except FloatingPointError:
            return False
        return True

    def known(self, value: Value) -> Any:
        return value.value if isinstance(value, Const) else self.elsewhere.get(value)

    def choose(self, value: Value, other: Value, dtype: str) -> Value:
        """The value where the mask is true, elsewhere another one."""
        return self.ew("where", [self.group.mask, value, other], dtype)

    def one(self, value: Value) -> Value:
        """The value where the mask is true, elsewhere 1."""
        name = value.type.name  # type: ignore[attr-defined]
        if value not in self.ones:
            one = Const(Np(name), np.dtype(name).type(1))
            self.ones[value] = made = self.choose(value, one, name)
            self.elsewhere[made] = one.value
        return self.ones[value]

    def ew(self, ufunc: str, args: list[Value], dtype: str) -> Value:
        exits = {"redo": replace(self.group.start, reason="fp_flags")}
        attrs = {"ufunc": ufunc, "n": len(args), "stretch": ((),) * len(args), **self.errors}
        op = Op("ew", (*args, *self.dims), (Array(dtype, len(self.dims), "C"),), attrs, exits, self.group.place.line)
        self.block.ops.append(op)
        return op.result
