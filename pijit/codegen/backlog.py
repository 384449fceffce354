"""Which kernels that store may wait for those that follow, to be run with them strip by strip: `csrc/backlog.c`.

One may wait where another comes before anything that could notice. Numbers and shapes cannot; an element that is loaded is looked up among
those that are still to be stored; a mask that is looked at now and then catches up by itself; arrays that nobody needs any more are let go
afterwards; exits, and all else, catch up first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Const, Op
from ..ir.ops import OPS
from ..ir.types import Array
from ..ir.ufuncs import place_counts, signals
from . import llvm_ir as ir
from . import references
from .assign import extent
from .llvm import call, i64
from .repeats import Links, can_repeat

if TYPE_CHECKING:
    from ..ir.graph import Block, Graph, Value
    from .driver import Driver
    from .owners import Owners


class Backlog:
    """``filled``: the operations that fill a new array, and which it is. ``later``: those that may be done later; ``repeats``: those of
    them that may wait for themselves with nothing between, and how one time goes with the next."""

    def __init__(self, graph: Graph, owners: Owners) -> None:
        self._graph, self._owners = graph, owners
        self.later: set[Op] = set()
        self._fills: set[Op] = set()
        ops = [op for block in graph.blocks for op in block.ops]
        self.filled = {op: _filled(op) for op in ops if _fills(op)}
        if any(map(self._could, ops)):
            self._fills = {op for op in self.filled if self._is_changed_next(op)}
            self._start = self._find()
        self.repeats: dict[Op, Links] = {}
        for op in self.later - self._fills:
            if can_repeat(op.attrs["kernel"], feeds := self._feeds(op)) and op in self._next(op):
                self.repeats[op] = Links(feeds, self._same(op))
        self._waiting = False

    def _could(self, op: Op) -> bool:
        if op in self._fills:
            return True
        if op.name != "kernel_into" or op.attrs["kernel"].fold is not None:
            return False
        kernel, errors = op.attrs["kernel"], self._graph.errors_at(op)
        silent = errors.harmless or not (errors.watched and signals(kernel))
        return bool(silent and not kernel.store.spent and not (kernel.ndim > 1 and place_counts(kernel)))

    def _unnoticed(self, op: Op) -> bool:
        """Whether the operation may be done while others wait."""
        if op.name == "view":
            return self._owners.is_virtual(op.result)
        row = OPS[op.name]
        return op.name in ("load", "poll", "mask_many", "mask_look", "many_lately") or (row.effect is None and not row.fresh)

    def _find(self) -> dict[int, bool]:
        """Finds what may wait; gives whether something may be waiting where a block starts, by the block's id."""
        comes = self._flow(backwards=True)  # whether one that could wait comes before what would notice
        seeds = set()
        for block in self._graph.blocks:
            state = any(comes[id(target)] for target in _targets(block))
            for op in reversed(block.ops):
                if self._could(op):
                    if state:
                        seeds.add(op)
                    state = True
                else:
                    state = state and self._unnoticed(op)
        self.later = seeds
        waiting = self._flow(backwards=False)
        for block in self._graph.blocks:
            state = waiting[id(block)]
            for op in block.ops:
                if state and self._could(op):
                    self.later.add(op)
                state = self._after(op, state)
        return waiting

    def _flow(self, backwards: bool) -> dict[int, bool]:
        """What holds at the start of each block."""
        blocks = self._graph.blocks
        states = dict.fromkeys(map(id, blocks), False)
        changed = True
        while changed:
            changed = False
            for block in blocks:
                if backwards:
                    state = any(states[id(target)] for target in _targets(block))
                    for op in reversed(block.ops):
                        state = self._could(op) or (state and self._unnoticed(op))
                    changed |= state and not states[id(block)]
                    states[id(block)] |= state
                    continue
                state = states[id(block)]
                for op in block.ops:
                    state = self._after(op, state)
                for target in _targets(block) if state else ():
                    changed |= not states[id(target)]
                    states[id(target)] = True
        return states

    def _next(self, op: Op) -> set[Op]:
        """The kernels that may be the next to wait after the operation."""
        home = next(block for block in self._graph.blocks if op in block.ops)
        found, seen = set(), set()
        ahead: list[tuple[Block, int]] = [(home, home.ops.index(op) + 1)]
        while ahead:
            block, start = ahead.pop()
            noticed = next((each for each in block.ops[start:] if not self._unnoticed(each)), None)
            if noticed is not None:
                found |= {noticed} if self._could(noticed) else set()
            elif id(block) not in seen:
                ahead += [(target, 0) for target in _targets(block)]
            if start == 0:
                seen.add(id(block))
        return found

    def _feeds(self, op: Op) -> dict[int, int]:
        """The operands that are, in the next round of a loop, what the operation made in this one."""
        found: dict[int, int] = {}
        for block in self._graph.blocks:
            for jump in block.jumps():
                for param, arg in zip(jump.target.params, jump.args, strict=True):
                    if arg in op.results and param in op.args:
                        found[op.results.index(arg)] = op.args.index(param)
        return found

    def _same(self, op: Op) -> frozenset[int]:
        """The operands that are the same every time, but for what is stored."""
        kernel = op.attrs["kernel"]
        operands = enumerate(op.args[: len(kernel.operands)])
        return frozenset(n for n, value in operands if n != kernel.store.operand and (isinstance(value, Const) or value in self._graph.inputs))

    def _is_changed_next(self, op: Op) -> bool:
        """Whether the next kernel to wait changes the new array that the operation fills."""
        array = _filled(op)
        return any(each.args[-1] is array and each.attrs["kernel"].ndim == array.type.ndim for each in self._next(op))  # type: ignore[attr-defined]

    def _after(self, op: Op, before: bool) -> bool:
        return op in self.later or (before and (self._unnoticed(op) or self._could(op)))

    # ---- lowering ----

    def enter(self, block: Block) -> None:
        """The block is lowered now."""
        self._waiting = bool(self.later) and self._start[id(block)]

    def prepare(self, d: Driver, op: Op) -> None:
        """Before the operation is lowered."""
        if self._waiting and op.name == "load":
            d.deferred.flush(d)
            call(d.builder, "pj_settle", ir.VoidType(), d.W, *extent(d, d.array(op.args[0])))
        elif self._waiting and not self._after(op, True):
            self.leave(d)
        self._waiting = self._after(op, self._waiting)

    def leave(self, d: Driver) -> None:
        """Catches up, if something may wait anywhere."""
        if self.later:
            call(d.builder, "pj_catch_up", ir.VoidType(), d.W)

    def maker(self, op: Op, helper: str) -> str:
        """The helper that makes a new array of the operation."""
        return helper + "_later" if op in self.later and op not in self._fills else helper

    def release(self, d: Driver, owner: Any, scratch: bool = False, array: bool = True) -> None:
        """Lets an object, or memory without one, go."""
        if self._waiting:
            call(d.builder, "pj_let_go_later", ir.VoidType(), d.W, owner, i64(scratch))
        elif not array:
            references.release(d, owner)
        else:
            call(d.builder, "pj_discard" if scratch else "pj_release", ir.VoidType(), owner)


def _targets(block: Block) -> list[Block]:
    return [jump.target for jump in block.jumps()]


def _fills(op: Op) -> bool:
    """Whether the operation fills a new array, with one value or with the elements of another one."""
    if op.name == "empty":
        return bool(op.attrs["filled"]) and _is_plain(op.result)
    if op.name != "assign" or not all(map(_is_plain, op.args[:2])):
        return False
    array, source = op.args[:2]
    return isinstance(array.op, Op) and array.op.name == "empty" and source.type == array.type and not any(op.attrs["stretch"])


def _filled(op: Op) -> Value:
    return op.result if op.name == "empty" else op.args[0]


def _is_plain(value: Value) -> bool:
    return isinstance(value.type, Array) and value.type.order == "C"
