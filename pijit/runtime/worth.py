"""Whether a fragment pays: what a run of it saves against what it costs to enter and leave.

All figures are nanoseconds and rough; they come from bench/small_calls.py and bench/breaks.py. A wrong guess costs little: what is kept
by mistake runs at about the interpreter's speed, what is retired by mistake runs in the interpreter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pijit.codegen import emit, levels, looks, storable
from pijit.ground.config import CONFIG
from pijit.ir.glances import is_glance
from pijit.ir.graph import Block, Box, Exit, Graph, Leave, Op, Recipe, Value
from pijit.ir.loops import back_jumps, loops_by_header
from pijit.ir.repeatable import calls_itself
from pijit.runtime.records import FragmentRecord, Record

RUN = 60.0  # a few guards, exit, crossing
_GUARD = 5.0  # each guard above a few
_FEW = 2
RETURN = 50.0  # a frame that never runs costs less to leave than one that goes on
_BOXED = 6.0  # per slot that an exit rebuilds
_FRAME = 250.0  # per frame of an inlined function that it rebuilds, above what the interpreter takes for calling it

_PER_OP = 11.0  # what an operation and its loads and stores take in the interpreter
_WORK = {
    **dict.fromkeys(("poll", "part", "np_part", "dim", "stride", "check", "raw_add", "raw_sub", "raw_mul", "raw_min", "raw_max", "recheck"), 0.0),
    **dict.fromkeys(("check_index", "bool_to_int", "int_to_float", "cast", "not"), 2.0),
    **dict.fromkeys(("load", "store", "view"), 60.0),
    **dict.fromkeys(("kernel", "kernel_into", "kernel_rolled", "kernel_at", "ew", "assign", "empty", "ramp"), 250.0),
    **dict.fromkeys(("reduce", "accumulate", "arg_extreme"), 1500.0),
    "matmul": 600.0,
    **dict.fromkeys(("roll", "roll_into"), 5000.0),
    **dict.fromkeys(("pick", "place", "take", "mask_places"), 400.0),
    **dict.fromkeys(("search", "interp"), 1500.0),
    **dict.fromkeys(("bincount", "add_at", "kernel_scattered", "edges", "places", "histogram"), 1000.0),
    "mask_count": 150.0,
    **dict.fromkeys(("mask_many", "mask_look", "many_lately", "within"), 0.0),
    **dict.fromkeys(("keep", "keep_run", "kept"), 0.0),
    "list_ints": 0.0,
    **dict.fromkeys(("list_get", "tuple_get"), 2.0),
    **dict.fromkeys(("packed_get", "packed_put"), 20.0),
    "packed_code": 0.0,
    "placed": 0.0,
    **dict.fromkeys(("look", "put", "make"), -5.0),  # the interpreter is faster,
    **dict.fromkeys(("read", "written"), 2.0),  # but not than generated code that does it by itself
    **dict.fromkeys(("glance", "is_of", "next", "text", "char"), 3.0),
    **dict.fromkeys(("find", "do"), 5.0),
    "np_op": 50.0,
    "draw": 150.0,
    "call": -80.0,
    "own_call": 20.0,
}
_ERRSTATE = 450.0  # half of np.errstate
_RECHECK = 150.0  # looking again at some dozens of guards, after a call that may have run anything

# A loop in native code does at least this many times as much in the same time,
_LOOP_SPEEDUP = 8.0
# but for one that looks at objects and stores in them, or copies a list. There: what the interpreter, whose instructions are specialised, takes
# for an operation, and what native code takes.
_SCALAR = (5.0, 1.0)
_OBJECTS = {
    "look": (3.0, 8.5), "read": (3.0, 1.2), "put": (5.0, 20.0), "written": (5.0, 2.0), "placed": (5.0, 5.0), "list_get": (5.0, 1.5),
    "tuple_get": (5.0, 1.5), "packed_get": (20.0, 1.5), "packed_put": (20.0, 1.5), "packed_code": (0.0, 0.5),
    "obj_len": (0.0, 0.5), "cmp": (0.0, 1.0), "is_of": (0.0, 1.0), "call": (100.0, 180.0), "glance": (3.0, 1.2), "find": (20.0, 12.0),
    "do": (25.0, 25.0), "next": (10.0, 5.0), "text": (10.0, 3.0), "char": (12.0, 5.0),
    "own_call": (60.0, 20.0),
}  # fmt: skip
_ELEMENTS = frozenset({"load", "store", "view"})
_OBJECTS.update((name, (_WORK[name], 2.0)) for name in _ELEMENTS)
_SLOWER = frozenset({"look", "put", "make"})
_COPIES = frozenset({"list_get", "obj_len", "cmp", "raw_add", "poll", "put", "placed"})
_TOO_SLOW = 0.8
_OBJECTS_SPEEDUP = 0.1  # at least, once such a loop runs: what enters it and leaves it has to be small against it
_ARRAYS_SPEEDUP = 1.0  # what a nanosecond in kernels saves at least, however large the arrays are (what they call in NumPy is not timed)
_ITERATOR = 60.0  # what it takes in the interpreter to make a range and its iterator
_TIMED = 15.0  # what is added where it is timed in the interpreter
_ENOUGH = 1024  # times that tell how long something takes
_EMPTY_RUN = 40.0  # what the clock shows for a run that does nothing


_PRICES = {emit.QUICK: (3e-3, 0.8e-3), emit.PLAIN: (3e-3, 2.3e-3), emit.BEST: (10e-3, 2.5e-3)}  # seconds for machine code, and more for each exit,
_OF_SLOT, _OF_KERNEL = 3e-5, 2e-3  # for each slot that one rebuilds, and for each operation on arrays
_ON_ARRAYS = 250.0  # in _WORK, at least


class Way(NamedTuple):
    """To an exit: what it saves, once round each loop on it that counts (other loops may not go round at all); what leaving there costs; and what a
    nanosecond of going round saves, as far as is known: that of the innermost loop that the exit is in, else of the best one."""

    saves: float
    leaving: float
    gain: float


def ways(graph: Graph) -> list[Way]:
    """For every exit, by its index."""
    before: dict[int, float] = {}
    found, trips = _along(graph, before)
    for _ in range(len(trips)):  # what loops within loops save comes in from the inside
        if trips == before:
            break
        before = trips
        found, trips = _along(graph, before)
    best, inner = loop_gain(graph), _innermost_gains(graph)
    block_of = {exit.index: block for block in graph.blocks for op in block.ops for exit in op.exits.values()}
    leaving = {exit.index: _rebuilt(exit) for exit in graph.exits()}
    return [Way(found[index], leaving[index], inner.get(block_of.get(index), best)) for index in sorted(found)]


def savings(graph: Graph) -> list[float]:
    """What each way saves, less what leaving costs."""
    return [way.saves - way.leaving for way in ways(graph)]


def _innermost_gains(graph: Graph) -> dict[Block | None, float]:
    """By block, that of the smallest loop which it is in. One that is left in the middle time after time is not the loop that it was taken for:
    what it looks at counts as what takes C."""
    found: dict[Block | None, float] = {}
    for blocks in sorted(loops_by_header(graph).values(), key=len, reverse=True):
        found.update(dict.fromkeys(blocks, _gain([op.name for inside in blocks for op in inside.ops])))
    return found


def _along(graph: Graph, trips: dict[int, float]) -> tuple[dict[int, float], dict[int, float]]:
    """What is saved up to each exit, and by going round from each header back to it. ``trips``: what that adds on the way."""
    counters = _counters(graph)
    best: dict[int, float] = {id(graph.entry): _ITERATOR if _begins_counting(graph, counters) else 0.0}
    found: dict[int, float] = {}
    rounds: dict[int, float] = {}
    place = {id(block): n for n, block in enumerate(graph.blocks)}
    for n, block in enumerate(graph.blocks):  # in reverse postorder: forward edges come before their targets
        so_far = best[id(block)] = best.get(id(block), 0.0) + trips.get(id(block), 0.0)
        for op in block.ops:
            for exit in op.exits.values():
                found[exit.index] = so_far
            so_far += _ERRSTATE if op.name == "call" and "errors" in op.attrs else _WORK.get(_name(op), _PER_OP)
        if isinstance(block.end, Leave):
            found[block.end.exit.index] = so_far
        for jump in block.jumps():
            target = id(jump.target)
            if place[target] > n:
                best[target] = max(best.get(target, 0.0), so_far)
            elif any(_counts(arg) or arg in counters for arg in jump.args):
                rounds[target] = max(rounds.get(target, 0.0), so_far - best[target])
    return found, rounds


def _counters(graph: Graph) -> set[Value]:
    """Parameters that take the next one of a range or an iterator: those of a loop, and of the strips that it is done in."""
    jumps = [jump for block in graph.blocks for jump in block.jumps()]
    return {param for jump in jumps for param, arg in zip(jump.target.params, jump.args, strict=True) if _counts(arg)}


def _begins_counting(graph: Graph, counters: set[Value]) -> bool:
    """Whether a range or an iterator is made, not one found that is under way."""
    known = counters | set(graph.inputs)
    jumps = [jump for block in graph.blocks for jump in block.jumps()]
    pairs = [pair for jump in jumps for pair in zip(jump.target.params, jump.args, strict=True)]
    return any(param in counters and arg not in known and not _counts(arg) for param, arg in pairs)


def _counts(value: Value) -> bool:
    """Whether the value is the next one of a range or an iterator, of which Python makes an object."""
    return isinstance(value.op, Op) and value.op.name == "raw_add"


def _rebuilt(exit: Exit) -> float:
    return _BOXED * sum(len(frame.locals) + len(frame.stack) for frame in exit.frames) + _FRAME * max(0, len(exit.frames) - 1)


def _name(op: Op) -> str:
    """That of the operation's row: of a read or store of an attribute, by who does it."""
    if op.name == "look" and is_glance(op):
        return "glance"
    if op.name == "look" and looks.reads(op):
        return "read"
    if op.name == "put" and _is_computed(op.attrs["arguments"][1]):
        return op.name if not storable.can_store(op, frozenset()) else "written" if storable.is_written_over(op) else "placed"
    return op.name


def _is_computed(value: Recipe) -> bool:
    """Else an object has it already, and a store puts that in its place."""
    return not isinstance(value, Box) or (isinstance(value.value.op, Op) and value.value.op.name not in ("look", "list_get"))


def has_loop(graph: Graph) -> bool:
    """Whether native code can go round."""
    return bool(back_jumps(graph))


def loop_gain(graph: Graph) -> float:
    """What a nanosecond in the graph's loops saves: the best of them counts; less than 0 where the interpreter is faster."""
    loops = loops_by_header(graph)
    gains = []
    for header, blocks in loops.items():
        nested = set().union(*(inner for other, inner in loops.items() if other is not header and inner < blocks))
        names = {_name(op) for block in blocks - nested for op in block.ops}
        work = {name for name in names if _WORK.get(name, 0.0) > _PER_OP}
        if work and not (work <= _ELEMENTS and names & _SLOWER):
            return _LOOP_SPEEDUP
        if not nested:  # else its own share is small
            gains.append(_gain([_name(op) for block in blocks for op in block.ops]))
    return max(gains, default=0.0)


def _gain(names: Sequence[str]) -> float:
    """That of a loop without others in it. Only of one through a list is it sure enough that the interpreter is faster."""
    objects = {"look", "read", "written"} & set(names)
    through_list = "list_get" in names and (objects or _COPIES.issuperset(names))
    if not through_list and not objects and not {"call", "glance", "find", "do", "next"} & set(names):
        return _LOOP_SPEEDUP
    costs = [_OBJECTS.get(name, (0.0, 0.0) if name in _WORK else _SCALAR) for name in names]
    interpreter, native = sum(cost[0] for cost in costs), sum(cost[1] for cost in costs)
    gain = interpreter / native - 1.0
    if through_list and interpreter < _TOO_SLOW * native:
        return gain
    return min(max(gain, _OBJECTS_SPEEDUP), _LOOP_SPEEDUP)


def is_doubtful(graph: Graph) -> bool:
    """Whether the figures here are too rough to tell if it is faster than the interpreter: it works on objects, calls itself, does a few things
    only, or calls others for most of what it does. What works on arrays or goes round a loop of numbers is."""
    done = [_name(op) for block in graph.blocks for op in block.ops]
    names = set(done)
    work = [_WORK.get(name, 0.0) for name in done]
    if "own_call" not in names and any(saved > _PER_OP for saved in work) and sum(work) > _RECHECK * done.count("recheck"):
        return False
    return not has_loop(graph) or not names.isdisjoint(("look", "put", "make", "call", "find", "do", "next", "own_call"))


def takes_turns(graph: Graph) -> bool:
    """Whether the rounds of its loop are tried in the interpreter, too (csrc/turns.c)."""
    return is_doubtful(graph) and (CONFIG.long_loop == 1 or (bool(CONFIG.long_loop) and not CONFIG.compile_all))


def needs_clock(record: Record) -> bool:
    """Whether it takes the clock to tell if the function's calls are faster than the interpreter's."""
    return not CONFIG.compile_all and all(fragment.doubtful for fragment in record.fragments if not fragment.retired)


def price(graph: Graph) -> float:
    """About how many seconds the machine code for a captured graph takes: measured on 400 graphs of up to 2,300 operations. Exits are what best tells
    how much code there is."""
    exits = list(graph.exits())
    slots = sum(len(frame.locals) + len(frame.stack) for exit in exits for frame in exit.frames)
    kernels = sum(_WORK.get(op.name, 0.0) >= _ON_ARRAYS for block in graph.blocks for op in block.ops)
    first, each = _PRICES[levels.level(graph)]
    return first + len(exits) * each + slots * _OF_SLOT + kernels * _OF_KERNEL


def can_pay(graph: Graph, saves: Sequence[float]) -> bool:
    """Whether any way through the graph can be worth entering it."""
    return has_loop(graph) or calls_itself(graph) or any(saved > RUN for saved in saves)


def is_too_little(seconds: float, times: int) -> bool:
    """Whether what the interpreter has taken so many times is less than native code takes to be entered and left."""
    return times >= _ENOUGH and seconds * 1e9 < (RUN + _TIMED) * times and not CONFIG.compile_all


def pays(fragment: FragmentRecord) -> bool:
    """Whether a fragment is not known to be slower than the interpreter."""
    return CONFIG.compile_all or net(fragment) >= 0


def net(fragment: FragmentRecord) -> float:
    """The nanoseconds that all runs of a fragment so far have saved, less than 0 where they were slower than the interpreter."""
    native = fragment.native
    if native is None:
        return 0.0
    loop = native.sampled / native.samples if native.samples else 0.0
    kinds = (exit.kind for exit in fragment.exits)
    return saving(native.hits, len(fragment.guards), native.exits, fragment.ways, kinds, loop, 0.0 if fragment.doubtful else _ARRAYS_SPEEDUP)


def known_net(fragment: FragmentRecord) -> float:
    """The same, and no more than is known: the interpreter may have done it in twice the time that native code took."""
    native = fragment.native
    if native is None or not native.samples:
        return 0.0
    return min(net(fragment), float(native.hits * native.sampled / native.samples))


def saving(
    hits: int, guards: int, taken: Sequence[int], ways: Iterable[tuple[float, float, float]], kinds: Iterable[str],
    nanoseconds: float = 0.0, straight: float = 0.0,
) -> float:  # fmt: skip
    """What has run so far has saved that. ``nanoseconds``: mean time in native code of a run, 0 when it is not known; ``straight``: what one of them
    saves where there are no loops."""
    cost, saved, gains = hits * _GUARD * max(0, guards - _FEW), 0.0, 0.0
    for count, (saves, leaving, gain), kind in zip(taken, ways, kinds, strict=True):
        gains += count * (gain or straight)
        if kind != "poll":
            cost += count * ((RETURN if kind == "return" else RUN) + leaving)
            saved += count * saves
    going_round = hits * max(0.0, nanoseconds - _EMPTY_RUN) * gains / max(1, sum(taken))
    return max(saved, going_round) - cost  # the way to the exit is a part of what goes round
