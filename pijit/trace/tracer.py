"""The abstract interpreter: runs bytecode on abstract values, path by path, and writes down the graph.

Invariants:
1. A handler that raises Break has emitted nothing with an effect: the exit redoes the instruction.
2. Every operation that may leave does so with the snapshot of the start of its instruction ("redo"), of its end ("continue"), or of
   itself ("raise").
3. Blocks are versioned by the abstract state at their start; what a loop stores enters the loop's header unknown, with its type.
4. Capture runs no user code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CellType, CodeType
from typing import Any

from pijit.ground.records import dataclass, field, replace

from .. import _native
from ..ir.errors import error_state
from ..ir.graph import Block, Branch, Const, Exit, Graph, Jump, Leave, Op, Value
from ..ir.ops import OPS
from ..ir.types import Type
from ..pycode import onlookers
from ..pycode.flow import control_flow
from ..pycode.instructions import decode
from ..pycode.joins import Join
from ..pycode.liveness import live
from . import addresses, farewells, generators, holders, inputs, objects, own_calls, raising, views
from .covered import join_covered
from .frames import snapshot, stored_names
from .guards import Guards
from .lazily import of_program
from .limits import Limits, TooLong
from .objects import Place
from .sources import Source
from .state import FrameState, State
from .values import END, LAZY, UNBOUND, Abstract, Break
from .versions import Sight, Version, line_of, match, new_version


@dataclass(frozen=True, slots=True)
class View:
    """The actual values of the frame at the entry: what types are read from. ``UNSET`` marks what is unbound or NULL. ``alone``: what of the
    stack nothing else refers to, as bits."""

    function: Any
    globals: dict[str, Any]
    builtins: dict[str, Any]
    names: dict[str, Any] | None
    locals: tuple[Any, ...]
    stack: tuple[Any, ...]
    unset: object
    alone: int = 0


@dataclass(slots=True)
class BreakRecord:
    """A place where capture stopped. ``root_pc``: the instruction of the root frame that has to run in the interpreter."""

    code: CodeType
    pc: int
    line: int
    reason: str
    detail: str
    hint: str
    root_pc: int
    exit: Exit


@dataclass(slots=True)
class Capture:
    """What capture gives: the graph, its guards, and where it stopped. ``progress``: whether the fragment does anything at all."""

    graph: Graph
    guards: Guards
    breaks: list[BreakRecord]
    returns: bool
    progress: bool
    loops: bool
    lines: set[tuple[str, int]]  # (file, line) of every instruction that was met
    borrowed: dict[str, tuple[int, int]] = field(default_factory=dict)  # NumPy's loops that it computes as: the place of each, and which
    alone: dict[Value, Source] = field(default_factory=dict)  # where the arrays of graph.alone come from
    told: own_calls.Told = own_calls.NOTHING  # of the function's calls of itself, if it begins here,
    asks: bool = False  # whether others may show more,
    calls_itself: bool = False  # and whether there are such


# Why an operation leaves, where its handler does not say.
REASONS = {
    "cast": "conversion", "float_to_int": "conversion", "float_round": "conversion", "int_exact_float": "int_too_large",
    "int_truediv": "zero_division", "math": "math_domain", "np_op": "fp_flags", "ew": "fp_flags", "reduce": "fp_flags", "check_index": "index_error",
    "int_math": "int_overflow", "called": "math_domain", "matmul": "fp_flags", "accumulate": "fp_flags", "add_at": "fp_flags",
    "bincount": "index_error", "edges": "histogram", "places": "memory", "histogram": "fp_flags",
    "look": "source_changed", "make": "memory", "put": "store_target",
    "arg_extreme": "memory",
    "empty": "memory", "ramp": "memory", "assign": "memory", "roll": "memory", "join": "memory", "pick": "memory", "place": "overlap",
    "mask_places": "memory", "search": "memory", "interp": "memory",
    "take": "index_error", "list_ints": "list_item_type",
    "draw": "draw", "text": "container", "char": "memory", "list_get": "list_item_type", "recheck": "source_changed",
    "int_abs": "int_overflow", "int_neg": "int_overflow", "float_pow": "power", "int_floordiv": "zero_division",
}  # fmt: skip

# Instructions without a handler whose reason says more than that.
UNSUPPORTED = {
    **dict.fromkeys(("IMPORT_NAME", "IMPORT_FROM"), "import"),
    **dict.fromkeys(("LOAD_CLOSURE", "MAKE_FUNCTION", "LOAD_BUILD_CLASS"), "definition"),
    **dict.fromkeys(("BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SET", "LIST_APPEND", "LIST_EXTEND", "SET_ADD", "MAP_ADD"), "comprehension"),
    "STORE_ATTR": "store_target",
}

# Operations whose checks depend on NumPy's error state; attr "errors" where it is not that of the graph.
_MAX_EXIT_SLOTS = 200_000  # of all exits of a graph: compiling takes time and memory for each,
_MAX_EXIT_VALUES = 50_000  # and more for what is put there
_MAX_INPUTS = 2000
_INNER = 8  # times as many versions within inlined calls and behind them: there the paths of the caller are told apart, too
_MAX_UNROLLED = 2000  # operations of a graph in which a loop is unrolled
_OBEYS_ERRSTATE = frozenset({"ew", "reduce", "accumulate", "add_at", "histogram", "matmul"})

class Tracer:
    """One capture. Handlers (opcodes, operators, subscripts, calls) work through its methods. `TooLong`: see Steps."""

    def __init__(
        self, code: CodeType, pc: int, view: View, limits: Limits, stored: frozenset[Place] = frozenset(), made: Any = None,
        told: own_calls.Told = own_calls.NOTHING,
    ) -> None:  # fmt: skip
        bytecode = decode(code)
        onlookers.mark(bytecode, view.globals)
        self.stored, self.stored_here = stored, set(stored)  # places: see objects
        self.hoisted: set[Place] = set()
        self.origins: dict[Value, Source] = {}
        self.own: set[Value] = set()  # lists that the fragment makes: their samples are capture's
        self.new: set[Value] = set()  # the same, but surely: what other paths bring to a join is not
        self.pieces: set[Value] = set()  # lists of pieces of a text
        self.stored_lists: dict[Source, Place] = {}  # lists that came in, by where from
        self.read_lists: dict[Source, Place] = {}
        self.stored_dicts: dict[Source, None] = {}  # by texts that are not known
        self.read_fields: dict[Source, None] = {}  # instances that came in
        self.sites: dict[int, tuple[Any, Any]] = {}  # of a sample's id: where the container is made, and the sample
        self.unseen: set[Any] = set()  # where containers are made from which something is taken before something is put in
        self.made: dict[Any, Any] = {} if made is None else made  # (class, row) of a place: an object like the last one stored there
        self._start = (code, pc, view)
        self.begins = pc == bytecode.start  # the call begins here: nothing that it has made is known to others
        self.view, self.limits = view, limits
        self.guards = Guards()
        self.graph = Graph([], Block())
        self.entry = self.graph.entry
        self.block = self.entry
        self.breaks: list[BreakRecord] = []
        self.entry_values: dict[Any, Abstract] = {}
        self.samples: dict[Value, Any] = {}
        self.siblings: dict[Value, list[Any]] = {}  # of an item of a list: some of the others
        self.expected: dict[tuple[Value, Value], tuple[Value, Any]] = {}  # by list and index, on the way that is followed: the item, and one like it
        self.supposed: dict[Any, Any] = {}  # by place, on the way that is followed: what an attribute holds is like this
        self.item_types = 1  # for how many types of an item of a list there is a way of its own,
        self.forks = 0  # and how many more ways there are for that,
        self.ways_from: dict[tuple[CodeType, int], int] = {}  # by the instruction
        self.raises = 0  # how many exceptions there are ways for
        self.layouts: dict[Value, tuple[list[int], list[int]]] = {}  # lengths and strides of arrays like those that calls give
        self._versions: dict[Any, list[Version]] = {}
        self._work: list[tuple[Block, State]] = []
        self._ops = 0
        self._exit_slots = self._exit_values = 0
        self.again = False  # something was found out too late: see holders
        self.left = False  # the same of exceptions: see raising
        self.told = told  # of the function's calls of itself,
        self.calls_itself = False  # and what is found out of them: see own_calls
        self.passed_others: set[tuple[Any, ...]] = set()
        self.given: list[Abstract] = []
        self._on_the_way: set[Block] = set()
        self.lines: set[tuple[str, int]] = set()
        self.returns = self.loops = False
        self.last_micro = True
        self.ran_python = False  # the current instruction calls something
        root = FrameState(bytecode, control_flow(bytecode), None, view.globals, view.builtins, pc, [LAZY] * len(bytecode.slots))
        self.root = root
        self._midway = any(pc in loop.body for loop in root.flow.loops)
        self.pending_checks: list[tuple[Value, str, Value]] = []
        self.state = State([root], errors=limits.errmask)
        self.checkpoint: list[FrameState] = []
        self.entry_results: set[Value] = set()
        self.alone: dict[Value, Source] = {}

    # ---- the whole capture -------------------------------------------------------------------------------------------

    def capture(self) -> Capture:
        root = self.state.frame
        inputs.load_stack(self)
        # a check that fails here leaves the frame as it is, iterators of another step included
        self.checkpoint = [replace(root, stack=[LAZY] * len(root.stack))]
        for value, symbol, wanted in self.pending_checks:
            self.check(addresses.compare(self, symbol, value, wanted), "guard_value")
        try:
            farewells.may_take(self)
        except Break as stop:
            self._stop(stop)
        else:
            self.entry.end = self.goto(self.state)
        while self._work and not self.again:
            self.block, self.state = self._work.pop()
            self._run()
        if self.again or self.left or not self.stored_here.isdisjoint(self.hoisted):
            return Tracer(*self._start, self.limits, frozenset(self.stored_here), self.made, self.told).capture()
        objects.tell_apart(self)
        join_covered(self, self._versions.values())
        self.graph.arrange()
        learned = own_calls.learned(self)
        if learned is not self.told:
            return Tracer(*self._start, self.limits, frozenset(self.stored_here), self.made, learned).capture()
        progress = any(op.name not in ("poll", "dim", "stride") for block in self.graph.blocks for op in self._done_in(block)) or self.returns
        self.graph.alone = dict.fromkeys(self.alone, False)
        return Capture(
            self.graph, self.guards, self.breaks, self.returns, progress, self.loops, self.lines,
            alone=self.alone, told=own_calls.found(self), asks=own_calls.asks(self), calls_itself=self.calls_itself,
        )  # fmt: skip

    def _done_in(self, block: Block) -> list[Op]:
        """What a block does that is work of the program."""
        return [] if block in self._on_the_way else block.ops

    def _run(self) -> None:
        """Interprets from the current state until the block ends."""
        from .opcodes import HANDLERS

        while True:
            frame, steps = self.state.frame, self.limits.steps
            steps.left -= 1
            if steps.left < 0:
                raise TooLong
            instruction = frame.bytecode.at(frame.pc)
            handling = self.state.handling
            self.checkpoint = [f.copy() for f in self.state.frames] if handling is None else handling.frames
            if handling is not None and self.left and raising.is_left(handling.place):
                self._stop(Break("exception_handling", "left to the interpreter"))
                return
            exits = self._exit_slots > _MAX_EXIT_SLOTS or self._exit_values > _MAX_EXIT_VALUES
            if frame.bytecode.is_wide or exits or len(self.graph.inputs) > _MAX_INPUTS:
                self._stop(Break("graph_limit", "too many variables"))
                return
            self.ran_python = False
            self.lines.add((of_program(self.state.frames).bytecode.code.co_filename, self.line))
            try:
                for micro in instruction.micros:
                    self.last_micro = micro is instruction.micros[-1]
                    handler = HANDLERS.get(micro.name)
                    if handler is None:
                        raise Break(UNSUPPORTED.get(micro.name, "opcode"), micro.name)
                    if handler(self, micro.arg) is END:
                        return
            except Break as stop:
                self._stop(stop)
                return
            frame = self.state.frame  # a call may have pushed or popped one
            if frame.bytecode.at(frame.pc) is instruction:
                frame.pc = instruction.next
            if self.ran_python:
                self.recheck()
            if self._is_join(frame, frame.pc):
                self.block.end = self.goto(self.state)
                return

    def _stop(self, stop: Break) -> None:
        self.block.end = self._left(stop, self.checkpoint)

    def _left(self, stop: Break, frames: list[FrameState]) -> Leave:
        frame = of_program(frames)
        instruction = frame.bytecode.at(frame.pc)
        exit = self.exit("redo", stop.reason, frames)
        where = frame.bytecode.code, instruction.at, instruction.line or 0
        self.breaks.append(BreakRecord(*where, stop.reason, stop.detail, stop.hint, frames[0].pc, exit))
        return Leave(exit)

    # ---- emitting ------------------------------------------------------------------------------------------------------

    @property
    def line(self) -> int:
        frame = of_program(self.state.frames)
        return frame.bytecode.at(frame.pc).line or 0

    def emit(self, name: str, args: tuple[Value, ...], /, *types: Type, reason: str = "", **attrs: Any) -> Any:
        """Appends an operation; gives its result (one), results (several) or None. A "redo" exit is attached where the row has one."""
        row = OPS[name]
        exits = {"redo": self.exit("redo", reason or REASONS[name])} if row.exits == ("redo",) else {}
        return self.append(Op(name, args, types, attrs, exits, self.line))

    def append(self, op: Op) -> Any:
        if self.is_seen(op):
            self.effect(op.name)
        if op.name == "put" and op.attrs["place"][0] in ("field", "dict_item"):
            views.may_store(self)
        if op.name in _OBEYS_ERRSTATE and self.state.errors != self.limits.errmask:
            op.attrs["errors"] = error_state(self.state.errors)
        self._ops += 1
        self.block.ops.append(op)
        if len(op.results) == 1:
            return op.results[0]
        return op.results or None

    def is_seen(self, op: Op) -> bool:
        """Whether an operation changes what others see."""
        writes = OPS[op.name].effect in ("write", "any") and op.name != "poll"
        return writes and not (op.attrs.get("pure") or op.attrs.get("own") or self._is_private(op))

    def effect(self, what: str, virtual: bool = False) -> None:
        """Something is about to change that others see. The step of a generator may be done again, so nothing in it may; nor may what
        raises an exception after this, so nothing leaves until that is handled. ``virtual``: it is nowhere but in the frames, and so it is
        as before in those that an exit of what handles an exception leads to."""
        if self.state.consumer is not None:
            raise Break("generator", f"an effect in a generator ({what})")
        if self.state.handling is not None and not virtual:
            self.state.handling.changed = True

    def _is_private(self, op: Op) -> bool:
        """Whether an operation changes only the list that is made of what a generator yields."""
        consumer = self.state.frame.consumer
        held = () if consumer is None else [value for item in consumer.held for value in item.parts()]
        return op.name == "put" and op.args[0] in held

    def entry_op(self, name: str, args: tuple[Value, ...], /, *types: Type, **attrs: Any) -> Any:
        """Appends a pure operation to the entry block, where it dominates everything."""
        op = Op(name, args, types, attrs, {}, 0)
        self.entry.ops.append(op)
        self.entry_results.add(op.result)
        return op.result

    def once(self, name: str, args: tuple[Value, ...], type: Type, **attrs: Any) -> Value:
        """Like emit for a pure operation, but the same one is computed once per path."""
        key = (name, tuple(("const", a.value) if isinstance(a, Const) else a for a in args), tuple(sorted(attrs.items())))
        value = self.state.memo.get(key)
        if value is None:
            value = self.state.memo[key] = self.emit(name, args, type, **attrs)
        return value  # type: ignore[no-any-return]

    def exit(self, kind: str, reason: str, frames: list[FrameState] | None = None) -> Exit:
        """An exit with the frames as they were at the start of the current instruction, or with those given."""
        chosen = self.checkpoint if frames is None else frames
        handling = self.state.handling
        if handling is not None:
            chosen = handling.frames
            if kind != "redo" or handling.changed:
                raising.leave_to_python(self)
        self._exit_slots += sum(len(frame.locals) + len(frame.stack) for frame in chosen)
        made = Exit(kind, reason, snapshot(chosen, self.entry_values), stored_names(chosen[0], self.entry_values))
        self._exit_values += len(made.values())
        return made

    def check(self, condition: Value, reason: str) -> None:
        """Leaves (redo) unless the condition holds."""
        if isinstance(condition, Const):
            if condition.value:
                return
            raise Break(reason)
        self.emit("check", (condition,), reason=reason)

    def recheck(self) -> None:
        """After something that may run Python or let another thread run: what guards saw must still be so. Leaves at the next
        instruction if it is not."""
        objects.forget(self)
        frames = [frame.copy() for frame in self.state.frames]
        self.append(Op("recheck", (), (), {}, {"redo": self.exit("redo", "source_changed", frames)}, self.line))

    # ---- the value stack -------------------------------------------------------------------------------------------------

    def push(self, value: Abstract) -> None:
        self.state.frame.stack.append(value)

    def pop(self) -> Abstract:
        return self.state.frame.stack.pop()

    def popn(self, n: int) -> list[Abstract]:
        stack = self.state.frame.stack
        values = stack[len(stack) - n :]
        del stack[len(stack) - n :]
        return values

    # ---- control flow ------------------------------------------------------------------------------------------------------

    def jump(self, pc: int) -> object:
        self.state.frame.pc = pc
        self.block.end = self.goto(self.state)
        return END

    def branch(self, condition: Value | bool, yes: State, no: State, meets: bool = False) -> object:
        """Ends the block with a branch on a bool; a known condition is followed one way. ``meets``: as for goto."""
        if isinstance(condition, Const):
            condition = bool(condition.value)
        if isinstance(condition, bool):
            self.state = yes if condition else no
            self.block.end = self.goto(self.state, meets)
        else:
            self.block.end = Branch(condition, self.goto(yes, meets), self.goto(no, meets))
        return END

    def ways(self, tests: Sequence[Callable[[], Value]], follow: Callable[[int], None]) -> None:
        """A way for each of some cases: where its test, a bool, is the first that holds, and one more for the rest. ``follow`` goes the way of
        a number, from what is known now; the block of the last may go on behind that. Where one breaks, the instruction has not begun."""
        before, state, checkpoint = self.block, self.state, self.checkpoint
        try:
            for number in range(len(tests) + 1):
                way = other = self.block
                if number < len(tests):
                    way, other = Block(self.line), Block(self.line)
                    self.block.end = Branch(tests[number](), Jump(way), Jump(other))
                self.block, self.state = way, state.copy()
                handling = self.state.handling
                self.checkpoint = checkpoint if handling is None else handling.frames
                follow(number)
                if other is not way:
                    self.block = other
                self.state, self.checkpoint = state, checkpoint
        except Break:
            self.block, self.state, self.checkpoint = before, state, checkpoint
            raise

    def choose(self, condition: Value, yes: Abstract, no: Abstract) -> Any:
        """Ends the instruction with one of two results of different types on the stack: a branch."""
        if not self.last_micro:
            raise Break("call_arguments", "a result of two types")
        frame = self.state.frame
        states = []
        for value in (yes, no):
            state = self.state.copy()
            state.frame.stack.append(value)
            state.frame.pc = frame.bytecode.at(frame.pc).next
            states.append(state)
        return self.branch(condition, states[0], states[1], meets=True)

    def leave(self, exit: Exit) -> object:
        self.block.end = Leave(exit)
        return END

    def next_round(self) -> None:
        """An unrolled loop goes round once more. What has become too large for that is captured again, with fewer loops unrolled."""
        if self._ops > _MAX_UNROLLED and self.limits.rounds:
            self.limits = replace(self.limits, rounds=self.limits.rounds // 4)
            self.again = True

    def _is_join(self, frame: FrameState, pc: int) -> bool:
        return pc in frame.flow.joins

    def goto(self, state: State, meets: bool = False) -> Jump:
        """A jump to a block for this state: one that exists, or a new one. ``meets``: other paths lead there, though bytecode does not show it."""
        frame = state.frame
        join = frame.flow.joins.get(frame.pc) or (Join.hidden(frame.pc, len(frame.stack)) if meets else None)
        if join is None or state.handling is not None:  # what handles an exception meets nothing: its exits lead to where that was raised
            block = Block(line_of(frame))
            if state.handling is not None and frame.flow.loop_at(frame.pc) is not None:
                block.end = self._left(Break("exception_handling", "a loop in the handler of an exception"), state.frames)
            else:
                self._work.append((block, state.copy()))
            return Jump(block)
        versions = self._versions.setdefault(state.place(), [])
        held = holders.forget(self, state, join, bool(versions))
        if not held:
            return self._meet(state, join, versions)
        block = Block(line_of(frame))
        block.ops, block.end = held, self._meet(state, join, versions)
        self._on_the_way.add(block)
        return Jump(block)

    def _meet(self, state: State, join: Join, versions: list[Version]) -> Jump:
        frame = state.frame
        loop = frame.flow.loop_at(frame.pc)
        if loop is not None:
            try:
                self._prepare_header(state, loop)
            except Break as stop:
                block = Block(line_of(frame))
                block.end = self._left(stop, state.frames)
                return Jump(block)
        if versions:
            sight = Sight(state)
            for version in versions:
                args = match(self, sight, version)
                if args is not None:
                    return Jump(version.block, tuple(args))
        inner = join.is_hidden or len(state.frames) > 1
        limit = self.limits.header_versions * self.item_types if loop is not None else self.limits.versions * (_INNER if inner else self.item_types)
        if loop is not None and generators.takes_part(state):
            limit += self.limits.header_versions  # new or not, a generator is another one
        if self._midway:
            limit *= 2  # the round in which the capture begins is another one
        full = len(self._versions) > self.limits.blocks
        if len(versions) >= limit or full:
            block = Block(line_of(frame))
            block.end = Leave(self.exit("redo", "graph_limit" if full else "block_limit", state.frames))
            return Jump(block)
        version, args = new_version(self, state, loop or join, versions[-1] if versions else None)
        versions.append(version)
        self._work.append((version.block, version.state.copy()))
        if loop is not None:
            self.loops = True
            self._poll(version)
        return Jump(version.block, tuple(args))

    def _poll(self, version: Version) -> None:
        version.block.is_header = True
        kind = "poll" if len(version.state.frames) == 1 else "redo"
        exit = self.exit(kind, "poll", version.state.frames)
        version.block.ops.append(Op("poll", (), (), {}, {"poll": exit}, version.block.line))

    def _prepare_header(self, state: State, loop: Any) -> None:
        """What the loop stores must have a value of its own at the header."""
        frame = state.frame
        live_slots = live(frame.bytecode, frame.pc)
        for slot in loop.stores:
            if frame.locals[slot] is LAZY and len(state.frames) == 1 and not self._is_empty(slot):
                frame.locals[slot] = inputs.load_local(self, slot) if slot in live_slots else UNBOUND
        if len(state.frames) == 1 and _native.only_names(self.view.names):
            for name in sorted(loop.names):
                if name not in frame.names:
                    frame.names[name] = inputs.load_name_slot(self, name)


    def _is_empty(self, slot: int) -> bool:
        """Whether a variable of a function around the root frame's has no value."""
        root = self.root.bytecode
        if slot not in root.free_slots:
            return False
        cell = self.view.function.__closure__[slot - len(root.slots) + len(root.free_slots)]
        return bool(cell == CellType())  # two cells of which one is empty: nothing of the program is compared
