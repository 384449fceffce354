"""Lowers a graph to the LLVM function `int64_t pj_fragment(int64_t *W)`: blocks, values, ownership, exits.

Block parameters are phis; nothing but call arguments and exit values goes through memory. The operations themselves
are lowered
by the rows in `rows.LOWERINGS`.
"""

from __future__ import annotations

import functools
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..ir.graph import Block, Branch, Const, Exit, Graph, Jump, Leave, Op, Value, sides
from ..ir.loops import natural_loops
from ..ir.ops import OPS
from ..ir.types import Array, is_owned
from . import llvm_ir as ir
from . import words as memory
from .around import Around
from .arrays import ArrayValue, array_of_object, field, phi_of_array
from .backlog import Backlog
from .layout import Area, Layout, exit_tuple, has_words
from .llvm import I8, I64, PTR, Tags, call, constant, i64, llvm_type
from .looks import layout
from .npscalars import Deferred
from .owners import Owners
from .relaxed import CONTRACTED, REGROUPED, totals
from .rows import LOWERINGS, Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .units import Unit

NAME = "pj_fragment"
_NEVER, _ALWAYS = 1, 1 << 20  # branch weights of an exit and of going on
_MAX_DIMS = 64

# What is at a block: where to branch to, and the phis of its parameters.
Target = tuple[ir.Block, dict[Value, Any]]


class Merge:
    """The end of a `rarely`: chooses between a value made there and the usual one."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self._builder, self._before = builder, builder.block
        self.rare: Any = None

    def choose(self, usual: Any, rare: Any) -> Any:
        """The value to go on with."""
        phi = self._builder.phi(usual.type)
        phi.add_incoming(usual, self._before)
        phi.add_incoming(rare, self.rare)
        return phi


class WayOut:
    """The block of exits that store the same values: ``places`` says where, ``index`` is a phi of the exit's index, ``roots`` counts the
    references that are stored."""

    def __init__(self, function: ir.Function) -> None:
        self.block = function.append_basic_block("exit")
        self.builder = ir.IRBuilder(self.block)
        self.index = self.builder.phi(I64)
        self.places: dict[Value, int] = {}
        self.roots = 0


class Driver:
    """One compilation. Lowering rows use `builder`, `scalar`, `array`, `exit_if` and the helpers below them."""

    def __init__(self, graph: Graph, force_exit: int | None = None) -> None:
        self.graph, self.force_exit = graph, force_exit
        self.owners, self.layout = Owners(graph), Layout(graph)
        self.backlog = Backlog(graph, self.owners)
        self.around = Around(graph, self.owners, {op: array for op, array in self.backlog.filled.items() if op not in self.backlog.later})
        self.module = ir.Module("pijit")
        self.tags = Tags(self.module)
        self.function = ir.Function(self.module, ir.FunctionType(I64, [PTR]), NAME)
        self.W = self.function.args[0]
        self.W.name = "W"
        self.W.add_attribute("noalias")
        self.builder = ir.IRBuilder(self.function.append_basic_block("start"))
        self.exits: dict[int, tuple[Any, ...]] = {}
        self.sites: list[tuple[Any, ...]] = []
        self._units: dict[str, Unit] = {}
        self.deferred = Deferred()
        self._kept: dict[int, Any] = {}
        self._counters: dict[int, Any] = {}
        self._ways_out: dict[tuple[Any, ...], WayOut] = {}
        self.values: dict[Value, Any] = {}  # an LLVM value, or an ArrayValue
        self._number = {value: number for number, value in enumerate(_definitions(graph))}
        self._totals = totals(graph) if graph.relaxed else frozenset()
        self.held: frozenset[Value] = frozenset()
        self._targets: dict[int, Target] = {}
        self._sites_of_run: Any = None
        self._places: dict[Value, int] = dict(self.layout.word)  # values that are in W whatever happens
        self.inputs = frozenset(graph.inputs)

    @functools.cached_property
    def repeated(self) -> frozenset[Op]:
        """The operations in loops."""
        return frozenset(op for _, blocks in natural_loops(self.graph) for block in blocks for op in block.ops)

    def freedom(self, op: Op, loose: bool = True) -> tuple[str, ...]:
        """What LLVM may do to the operation's arithmetic."""
        return (REGROUPED if op in self._totals else CONTRACTED) if loose and self.graph.relaxed else ()

    # ---- the whole function ----

    def lower(self) -> None:
        """Makes the function."""
        self.poll_byte = memory.load(self, 0, PTR)
        self._stack_dims, self._stack_strides = self.stack(4 * _MAX_DIMS), self.stack(_MAX_DIMS)
        self._load_inputs()
        for block in self.graph.blocks:
            self._targets[id(block)] = self._open(block)
        self.builder.branch(self._targets[id(self.graph.entry)][0])
        for block in self.graph.blocks:
            self._lower_block(block)
        for way in self._ways_out.values():
            if not way.index.incomings:
                self.function.blocks.remove(way.block)

    def _load_inputs(self) -> None:
        for value in self.graph.inputs:
            word = self.layout.word[value]
            if isinstance(value.type, Array):
                self.values[value] = array_of_object(self, memory.load(self, word, PTR), value.type)
            else:
                self.values[value] = memory.load_value(self, word, value.type)

    def _open(self, block: Block) -> Target:
        place = self.function.append_basic_block("loop" if block.is_header else "block")
        builder = ir.IRBuilder(place)
        phis: dict[Value, Any] = {}
        for param in block.params:
            made = (
                phi_of_array(builder, param.type, param in self.owners.scratch)
                if isinstance(param.type, Array)
                else builder.phi(llvm_type(param.type))
            )
            phis[param] = self.values[param] = made
        return place, phis

    def _lower_block(self, block: Block) -> None:
        self.builder.position_at_end(self._targets[id(block)][0])
        states = self.owners.after_ops(block)
        self.backlog.enter(block)
        for param in block.params:
            if isinstance(param.type, Array):
                self.array(param).find_steps(self.builder)
        for op, before, after in zip(block.ops, states, states[1:], strict=False):
            self.builder.comment(f"line {op.line}: {op.name}")
            if self._is_forced(op) or (not Deferred.takes(op) and not _unnoticed(op)):
                self.deferred.flush(self)
            self.held = before
            self.backlog.prepare(self, op)
            self._force(op)
            self._define(op, LOWERINGS[op.name](self, op))
            for exit in op.exits.values():
                if exit.index not in self.exits:
                    self._way_out(exit)  # it cannot happen, but it has its place in the table
            made = {r for r in op.results if self.owners.carrier(r) is r}
            if (before | made) - after:
                self.deferred.flush(self)
                self._release((before | made) - after)
        self.deferred.flush(self)
        self.held = states[-1]
        self._lower_end(block)

    def _define(self, op: Op, made: Any) -> None:
        values = made if isinstance(made, tuple) else () if made is None else (made,)
        for result, value in zip(op.results, values, strict=True):
            self.values[result] = value

    # ---- terminators and ownership ----

    def _lower_end(self, block: Block) -> None:
        match block.end:
            case Leave(exit):
                self.builder.branch(self.exit_block(exit))
            case Jump():
                self._edge(block.end)
            case Branch(condition, yes, no, likely):
                edges = [self.function.append_basic_block("edge") for _ in "yn"]
                branch = self.builder.cbranch(self.scalar(condition), *edges)
                if likely:
                    branch.set_weights([_ALWAYS, _NEVER])
                for edge, jump in zip(edges, (yes, no), strict=True):
                    self.builder.position_at_end(edge)
                    self._edge(jump)
            case None:
                raise Unsupported("block without an end")

    def _edge(self, jump: Jump) -> None:
        """Passes the arguments. A carrier that dies here hands its reference over; one that lives on is retained."""
        place, phis = self._targets[id(jump.target)]
        keeps = self.owners.live_in(jump.target)
        given: set[Value] = set()
        passed = set(self.owners.used_params(jump))
        incoming = []
        for i, (param, argument) in enumerate(zip(jump.target.params, jump.args, strict=True)):
            if i not in passed:
                incoming.append((phis[param], None))
                continue
            value = self.value(argument) if isinstance(param.type, Array) else self.object(argument)
            incoming.append((phis[param], value))
            if not is_owned(param.type):
                continue
            carrier = self.owners.carrier(argument)
            if carrier is None or carrier in keeps or carrier in given:
                call(self.builder, "pj_retain", ir.VoidType(), self.object(argument))
            else:
                given.add(carrier)
        self._release(self.held - keeps - given)
        for phi, value in incoming:
            if isinstance(phi, ArrayValue):
                phi.add_incoming(value, self.builder.block)
            else:
                phi.add_incoming(ir.Constant(phi.type, None) if value is None else value, self.builder.block)
        self.builder.branch(place)

    def _release(self, carriers: frozenset[Value] | set[Value]) -> None:
        for value in self.order(carriers):
            made = self.value(value)
            if isinstance(made, ArrayValue):
                self.backlog.release(self, made.owner, made.scratch)
            else:
                self.backlog.release(self, made, array=False)

    def order(self, carriers: frozenset[Value] | set[Value]) -> list[Value]:
        """The same code for the same graph: in order of definition."""
        return sorted(carriers, key=self._number.__getitem__)

    # ---- values ----

    def value(self, value: Value) -> Any:
        """The LLVM value or the ArrayValue."""
        return constant_of(value) if isinstance(value, Const) else self.values[value]

    def scalar(self, value: Value) -> Any:
        """The LLVM value of a scalar or an object."""
        return self.value(value)

    def array(self, value: Value) -> ArrayValue:
        """The ArrayValue of an array."""
        made = self.value(value)
        assert isinstance(made, ArrayValue)
        return made

    def object(self, value: Value) -> Any:
        """The PyObject* of a value that has one."""
        made = self.value(value)
        return made.owner if isinstance(made, ArrayValue) else made

    def dims_on_stack(self, dims: list[Any], strides: list[Any] | None = None) -> tuple[Any, Any]:
        """Pointers to dims and strides, for a helper."""
        for place, values in ((self._stack_dims, dims), (self._stack_strides, strides or [])):
            for i, value in enumerate(values):
                self.builder.store(value, self.builder.gep(place, [i64(i)], inbounds=True, source_etype=I64))
        return self._stack_dims, self._stack_strides

    def sites_of_run(self) -> Any:
        """Where the sites are of the fragment that runs. Looked up once, at the start."""
        if self._sites_of_run is None:
            at = layout()
            with self.builder.goto_entry_block():
                fragment = field(self, memory.load(self, 1, PTR), at["fragment"], PTR)
                self._sites_of_run = field(self, fragment, at["sites"], PTR)
        return self._sites_of_run

    def stack(self, nwords: int) -> Any:
        """A stack area that lives as long as the function."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(ir.ArrayType(I64, max(nwords, 1)))

    def kept(self, slot: int, room: int) -> Any:
        """The place on the stack where a store of the fragment's own is."""
        if slot not in self._kept:
            self._kept[slot] = self.stack(room)
        return self._kept[slot]

    def counter(self, slot: int) -> Any:
        """The place of an int of the run's own, 0 where that begins."""
        if slot not in self._counters:
            self._counters[slot] = self.stack(1)
            with self.builder.goto_entry_block():
                self.builder.store(i64(0), self._counters[slot])
        return self._counters[slot]

    # ---- other units of code ----

    def unit(self, unit: Unit) -> str:
        """The symbol of a unit, which will be there when the code runs."""
        self._units[unit.symbol] = unit
        return unit.symbol

    def data_symbol(self, name: str) -> Any:
        """The address that a symbol stands for."""
        return self.module.globals.get(name) or ir.GlobalVariable(self.module, I8, name)

    def load_units(self, use_cache: bool) -> list[Any]:
        """Loads the kernels that the driver calls; what is returned keeps them alive."""
        return [unit.load(use_cache) for unit in self._units.values()]

    # ---- exits ----

    def exit_if(self, op: Op, condition: Any, name: str = "redo") -> None:
        """Leaves when the condition holds; this is not expected."""
        if isinstance(condition, ir.Constant) and not condition.constant:
            return
        self.leave_if(condition, self.exit_block(op.exits[name]))

    def leave_if(self, condition: Any, place: ir.Block) -> None:
        """Goes to a place when the condition holds; this is not expected."""
        go_on = self.function.append_basic_block("on")
        self.builder.cbranch(condition, place, go_on).set_weights([_NEVER, _ALWAYS])
        self.builder.position_at_end(go_on)

    @contextmanager
    def rarely(self, condition: Any) -> Iterator[Merge]:
        """Runs the body when the condition holds, which is not expected."""
        merge = Merge(self.builder)
        body, after = self.function.append_basic_block("rare"), self.function.append_basic_block("on")
        self.builder.cbranch(condition, body, after).set_weights([_NEVER, _ALWAYS])
        self.builder.position_at_end(body)
        yield merge
        merge.rare = self.builder.block
        self.builder.branch(after)
        self.builder.position_at_end(after)

    def exit_block(self, exit: Exit, boxed: Value | None = None) -> ir.Block:
        """The block to branch to from the current one: it stores what the exit needs and what is held now, and leaves.

        Exits that need the same values share one: they differ in the index and in the recipes. A definition that
        dominates all the places that branch there dominates the shared block too.
        """
        way = self._way_out(exit, boxed)
        way.index.add_incoming(i64(exit.index), self.builder.block)
        return way.block

    def _way_out(self, exit: Exit, boxed: Value | None = None) -> WayOut:
        alone = id(exit) if any(map(has_words, exit.recipes())) else None
        key = (tuple(exit.values()), self.held, boxed, alone, *self.around.pending)
        way = self._ways_out.get(key)
        if way is None:
            way = self._ways_out[key] = WayOut(self.function)
            hot, self.builder = self.builder, way.builder
            self.backlog.leave(self)
            self.around.leave(self)
            self._store_state(way, exit, boxed)
            self.builder.ret(way.index)
            self.builder = hot
        elif exit.index not in self.exits:
            self.exits[exit.index] = exit_tuple(exit, way.places.__getitem__, lambda n: self.layout.root(way.roots + n))
        return way

    def _store_state(self, way: WayOut, exit: Exit, boxed: Value | None) -> None:
        places = way.places
        places.update(self._places)
        if boxed is not None:
            places[boxed] = self.layout.call_root
        needed = set(exit.values())
        for value in self.order(self.held):
            scratch = value in self.owners.scratch
            if scratch and value not in needed:
                self.array(value).release(self)
                continue
            word = self.layout.root(way.roots)
            memory.store(self, word, self.array(value).keep(self) if scratch else self.object(value))
            places.setdefault(value, word)
            way.roots += 1
        area = Area(self.layout.exit_start)

        def place(value: Value) -> int:
            if value in places:
                return places[value]
            if self.owners.is_virtual(value):
                word = self.layout.root(way.roots)
                way.roots += 1
                memory.store(self, word, self.array(value).make_object(self))
            else:
                word = area.take(value.type)
                memory.store_value(self, word, value.type, self.value(value))
            places[value] = word
            return word

        self.exits[exit.index] = exit_tuple(exit, place, lambda n: self.layout.root(way.roots + n))

    def _force(self, op: Op) -> None:
        for exit in self._is_forced(op):
            way = [self.scalar(value) if holds else self.builder.not_(self.scalar(value)) for value, holds in sides(op)]
            forced = functools.reduce(self.builder.and_, way, ir.IntType(1)(1))
            onward = self.function.append_basic_block("onward")
            self.builder.cbranch(forced, self.exit_block(exit), onward)
            self.builder.position_at_end(onward)

    def _is_forced(self, op: Op) -> list[Exit]:
        """The exit to be taken whenever the operation is reached. A poll comes straight back: always taken, it would never get on."""
        named = (exit for name, exit in op.exits.items() if name in ("redo", "poll") and exit.kind != "poll")
        return [exit for exit in named if exit.index == self.force_exit]


def _unnoticed(op: Op) -> bool:
    """Whether the operation may come before an exit that belongs before it."""
    return not op.exits and OPS[op.name].effect in (None, "read") and not OPS[op.name].fresh


def constant_of(value: Const) -> Any:
    """The LLVM constant of a constant."""
    if is_owned(value.type):
        raise Unsupported("an object constant in native code")
    return constant(value.type, value.value)


def _definitions(graph: Graph) -> Iterator[Value]:
    yield from graph.inputs
    for block in graph.blocks:
        yield from block.params
        for op in block.ops:
            yield from op.results
