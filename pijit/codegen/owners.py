"""Who keeps arrays and objects alive, and until when.

Ownership is static: at every place of the graph it is known which references native code owns. So nothing is written
to the root words while the fragment runs; an exit stores what is held there, and C releases it.

Laws:
1. A *carrier* is a value with a reference of its own: an array or object made by an operation, or a block parameter.
2. A view has no object until it must be one; it lives on the carrier of its base.
3. A carrier is held exactly while it is live: from its definition to the last use of it or of a view on it.
4. An array that nothing but operations on elements uses need have no object either, and is a carrier all the same: of memory (*scratch*). An
   exit that needs it makes an object of it. Nobody counts who holds it, so a jump gives it away: to one parameter, and it has no other name.
5. Inputs are borrowed: from the frame, and from what `pj_hold_inputs` keeps as soon as Python may run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph import Block, Const, Graph, Jump, Leave, Op, Value, recipe_values, recipes_of
from ..ir.types import Array, is_owned

if TYPE_CHECKING:
    from collections.abc import Iterable


_MAKERS = frozenset({"ew", "kernel", "kernel_into", "reduce", "arg_extreme", "matmul", "take", "pick", "roll", "empty", "ramp", "search", "interp"})
# What works on elements and lengths only; views are looked through.
_READERS = _MAKERS | {"dim", "load", "store", "mask_count", "mask_many", "assign", "place", "roll_into", "view", "kernel_at", "kernel_scattered"}
_READERS |= {"mask_places", "disjoint", "apart", "within", "bincount", "add_at", "places", "histogram", "mask_look"}


def _given(op: Op) -> list[Value]:
    """What the operation works on."""
    return [*op.args, *(v for recipe in recipes_of(op) for v in recipe_values(recipe))]


def _is_dense(value: Value) -> bool:
    return isinstance(value.type, Array) and value.type.order in ("C", "F")


class Owners:
    """Carriers, and where they are live."""

    def __init__(self, graph: Graph) -> None:
        self._inputs = set(graph.inputs)
        self._objects = self._views_that_are_objects(graph)
        # By id of the block: what is held where it starts, with and without its parameters.
        self._start: dict[int, frozenset[Value]] = {}
        self._live_in: dict[int, frozenset[Value]] = {}
        self._used: dict[Op, frozenset[Value]] = {}
        self._flow(graph)
        self.scratch = self._never_objects(graph)

    def is_virtual(self, value: Value) -> bool:
        """A view for which no array object is made."""
        return isinstance(value.op, Op) and value.op.name == "view" and value not in self._objects

    def is_looked_through(self, op: Op) -> bool:
        """No object is made for a view on what the operation works on."""
        return op.name != "view" or op.result not in self._objects

    def carrier(self, value: Value) -> Value | None:
        """What must be held for the value to be usable; None when nothing: a scalar, a constant, a borrowed input."""
        value = self.base(value)
        if not is_owned(value.type) or isinstance(value, Const) or value in self._inputs:
            return None
        return value

    def before(self, op: Op, after: frozenset[Value]) -> frozenset[Value]:
        """What is held before the operation, given what is held after it."""
        return (after - set(op.results)) | self._uses(op)

    def at_end(self, block: Block) -> frozenset[Value]:
        """What is held before the block's terminator."""
        held: set[Value] = set()
        for jump in block.jumps():
            held |= self.live_in(jump.target) | self._carriers(jump.args[i] for i in self.used_params(jump))
        if isinstance(block.end, Leave):
            held |= self._carriers(block.end.exit.values())
        return frozenset(held)

    def after_ops(self, block: Block) -> list[frozenset[Value]]:
        """What is held before the first operation, between the others, and after the last one."""
        states = [self.at_end(block)]
        for op in reversed(block.ops):
            states.append(self.before(op, states[-1]))
        return states[::-1]

    def live_in(self, block: Block) -> frozenset[Value]:
        """What is held where the block starts, its parameters aside."""
        return self._live_in.get(id(block), frozenset())

    def used_params(self, jump: Jump) -> list[int]:
        """The positions of the target's parameters that need their argument: an owned one that nobody uses is not
        passed."""
        start = self._start.get(id(jump.target), frozenset())
        return [i for i, p in enumerate(jump.target.params) if not is_owned(p.type) or p in start]

    def _uses(self, op: Op) -> frozenset[Value]:
        uses = self._used.get(op)
        if uses is None:
            uses = self._used[op] = self._find_uses(op)
        return uses

    def _find_uses(self, op: Op) -> frozenset[Value]:
        made = {*op.results, op.attrs.get("boxed")}
        values = _given(op)
        for exit in op.exits.values():
            values += exit.values()
        return self._carriers(v for v in values if v not in made)

    def _carriers(self, values: Iterable[Value]) -> frozenset[Value]:
        return frozenset(c for c in map(self.carrier, values) if c is not None)

    def _flow(self, graph: Graph) -> None:
        changed = True
        while changed:
            changed = False
            for block in reversed(graph.blocks):
                start = self.after_ops(block)[0]
                if start != self._start.get(id(block)):
                    self._start[id(block)] = start
                    self._live_in[id(block)] = start - set(block.params)
                    changed = True

    def _never_objects(self, graph: Graph) -> set[Value]:
        """New arrays that only an exit in the middle may have to make objects of."""
        made = {value for block in graph.blocks for op in block.ops if op.name in _MAKERS for value in op.results if _is_dense(value)}
        made.update(param for block in graph.blocks for param in block.params if _is_dense(param))
        for block in graph.blocks:
            if isinstance(block.end, Leave):
                made.difference_update(map(self.base, block.end.exit.values()))
            for op in block.ops:
                if op.name not in _READERS or not self.is_looked_through(op):
                    made.difference_update(map(self.base, _given(op)))
                for exit in op.exits.values():
                    made.difference_update(self.base(value) for value in exit.values() if self.is_virtual(value))
        jumps = [jump for block in graph.blocks for jump in block.jumps()]
        before = 0
        while len(made) != before:
            before = len(made)
            for jump in jumps:
                self._keep_what_is_given_away(jump, made)
        return made

    def _keep_what_is_given_away(self, jump: Jump, made: set[Value]) -> None:
        """Takes what is an object on one side of the jump out of what is none, on the other."""
        live, used = self.live_in(jump.target), self.used_params(jump)
        given = [jump.args[i] for i in used]
        for i in used:
            param, argument = jump.target.params[i], jump.args[i]
            away = param.type == argument.type and argument not in live and given.count(argument) == 1
            if not (away and param in made and argument in made):
                made -= {param, argument}

    def base(self, value: Value) -> Value:
        """What a virtual view is a view of; anything else is what it is."""
        while self.is_virtual(value):
            assert isinstance(value.op, Op)
            value = value.op.args[0]
        return value

    @staticmethod
    def _views_that_are_objects(graph: Graph) -> set[Value]:
        """Views that Python code sees, or that are passed on under another name, are one object from the start."""
        seen: set[Value] = set()
        for block in graph.blocks:
            for jump in block.jumps():
                seen.update(jump.args)
            for op in block.ops:
                for recipe in recipes_of(op):
                    seen.update(recipe_values(recipe))
                if op.name == "select":
                    seen.update(op.args)
        return seen
