"""Generators that are consumed where they are made: by a `for` loop, or by sum, any, all, min, max, list, tuple, sorted, str.join.

A generator is a value (Suspended) between its steps; while it runs, its frame lies above its caller's. A step is a transaction: it has no
effect that others see (Tracer.effect), and an exit in it does the caller's instruction again, with the generator as it was before: the step of
a `for` loop, the whole call of sum and its like. So no exit has to rebuild a generator that is running.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from operator import is_
from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass

from ..ground.names import is_one_of
from ..ir.graph import Const, Value, const
from ..ir.types import BOOL, FLOAT
from ..pycode.instructions import Bytecode
from ..pycode.liveness import live
from ..pycode.loops import STORES
from ..pycode.versions import HERE
from .cursors import Together, Unrolled, changes
from .state import Consumer, FrameState, State
from .values import (
    END,
    LAZY,
    NULL,
    UNBOUND,
    Abstract,
    Break,
    Container,
    Inside,
    Instance,
    Known,
    NullValue,
    Opaque,
    Scalar,
    Suspended,
    items_of,
    kind_of,
    value_of,
)

if TYPE_CHECKING:
    from .tracer import Tracer

_NUMBERS = ("int", "float", "bool", "np")
KINDS: dict[int, str] = {}  # by the id of their code, what exits make of generators that the program does not have (lazily.py)


def suspended(frame: FrameState, pc: int | None = None) -> Suspended:
    """The generator of a frame: a new one, or one that has yielded and goes on at pc."""
    bytecode = frame.bytecode
    kept = frame.locals
    if pc is not None:
        live_slots = live(bytecode, pc)
        kept = [value if slot in live_slots or value is LAZY else UNBOUND for slot, value in enumerate(kept)]
    if any(isinstance(value, NullValue) for value in frame.stack):
        raise Break("generator", "yield among the arguments of a call")
    function = frame.made[0] if frame.made else frame.function
    assert function is not None
    return Suspended(
        KINDS.get(id(bytecode.code), "generator"),
        (function, *kept, *frame.stack),
        bytecode=bytecode,
        pc=frame.pc if pc is None else pc,
        started=pc is not None,
        scope=(frame.function, frame.globals, frame.builtins),
        stores=_stores(bytecode),
    )


def _stores(bytecode: Bytecode) -> frozenset[int]:
    found = bytecode.analyses.get("stores")
    if found is None:
        found = frozenset(step.arg for i in bytecode.instructions for step in i.micros if step.name in STORES)
        bytecode.analyses["stores"] = found
    return found


def takes_part(state: State) -> bool:
    """Whether a generator is running, or is what a loop goes over."""
    return any(frame.consumer is not None or (frame.stack and isinstance(frame.stack[-1], Suspended)) for frame in state.frames)


def resume(t: Tracer, generator: Suspended, consumer: Consumer) -> object:
    """Runs the generator until it yields or returns."""
    bytecode = generator.bytecode
    if len(t.state.frames) > t.limits.inline_depth or any(frame.bytecode is bytecode for frame in t.state.frames):
        raise Break("inline_limit", bytecode.code.co_qualname)
    function, globals_, builtins_ = generator.scope
    from ..pycode.flow import control_flow

    frame = FrameState(
        bytecode, control_flow(bytecode), function, globals_, builtins_, generator.pc, list(generator.locals), list(generator.stack),
        made=[generator.items[0]] if isinstance(generator.items[0], Container) else [], consumer=consumer,
    )  # fmt: skip
    if generator.started:
        frame.stack.append(Known(None))  # what the yield gives
    t.state.frames.append(frame)
    t.block.end = t.goto(t.state)
    return END


def goes_through(generator: Suspended) -> Abstract | None:
    """The iterator of a generator expression that has not begun; None of anything else."""
    return generator.locals[0] if generator.bytecode.slots[:1] == (".0",) and not generator.started else None


def consume_by(t: Tracer, row: Row, args: list[Abstract], kwargs: dict[str, Abstract]) -> object:
    """A call of what the row is of, with a generator."""
    from .c_iterators import afresh  # which knows of containers, as this need not

    if not t.last_micro:
        raise Break("generator", "in the middle of an instruction")
    if row is CONSUMERS[tuple] and isinstance(args[0], Suspended) and _yields_so_often(args[0]):
        row = _ITEMS
    held = row.begin(t, args[1:], kwargs)
    caller = t.state.frame
    operands = len(t.checkpoint[-1].stack) - len(caller.stack)
    caller.stack[:] = t.checkpoint[-1].stack
    generator = args[0]
    assert isinstance(generator, Suspended)
    return resume(t, afresh(t, generator), Consumer(row.name, held, (operands,)))


def yielded(t: Tracer, value: Abstract) -> object:
    """YIELD_VALUE."""
    frame = t.state.frame
    consumer = frame.consumer
    if consumer is None or changes(value):
        raise Break("generator", "yield")
    if _is_in_try(frame):
        raise Break("generator", "yield in a try statement")
    after = frame.bytecode.at(frame.pc).next
    if consumer.kind != "for":
        return _BY_NAME[consumer.kind].take(t, consumer, value)
    t.state.frames.pop()
    caller = t.state.frame
    caller.stack[-1] = suspended(frame, after)
    caller.stack.append(value)
    caller.pc = caller.bytecode.at(caller.pc).next
    t.block.end = t.goto(t.state)
    return END


def _is_in_try(frame: FrameState) -> bool:
    """Whether an exception at the yield, as the one that closes a generator, is handled by more than what turns StopIteration into RuntimeError."""
    handler = frame.flow.handler(frame.pc)
    return handler is not None and frame.bytecode.at(handler.pc).micros[0].arg != "INTRINSIC_STOPITERATION_ERROR"


def returned(t: Tracer) -> object:
    """RETURN_VALUE: the generator is exhausted."""
    consumer = t.state.frame.consumer
    assert consumer is not None
    if consumer.kind != "for":
        return _BY_NAME[consumer.kind].end(t, consumer)
    t.state.frames.pop()
    caller = t.state.frame
    caller.stack.pop()
    (caller.pc,) = consumer.data
    t.block.end = t.goto(t.state)
    return END


# ---- what takes all that a generator yields --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """``begin``: what is held at first, for the other arguments. ``take`` and ``end`` are what a handler is."""

    name: str
    begin: Callable[[Tracer, list[Abstract], dict[str, Abstract]], list[Abstract]]
    take: Callable[[Tracer, Consumer, Abstract], object]
    end: Callable[[Tracer, Consumer], object]


def _go_on(state: State) -> State:
    """After the yield, which gives None."""
    frame = state.frame
    frame.stack.append(Known(None))
    frame.pc = frame.bytecode.at(frame.pc).next
    return state


def _finished(state: State, result: Abstract) -> State:
    """After the call."""
    consumer = state.frames.pop().consumer
    assert consumer is not None
    caller = state.frame
    (operands,) = consumer.data
    del caller.stack[len(caller.stack) - operands :]
    caller.stack.append(outside(result) if state.consumer is None else result)
    caller.pc = caller.bytecode.at(caller.pc).next
    return state


def outside(value: Abstract) -> Abstract:
    """What is left of such a call, as what it is from then on."""
    done: dict[int, Abstract] = {}

    def visit(one: Abstract) -> Abstract:
        if id(one) not in done:
            inner = one.inner()
            known = tuple(map(visit, inner))
            same = all(map(is_, inner, known))
            done[id(one)] = Opaque(one.value, one.cls) if isinstance(one, Inside) else one if same else one.with_inner(known)
        return done[id(one)]

    return visit(value)


def _next(t: Tracer) -> object:
    t.block.end = t.goto(_go_on(t.state))
    return END


def _end(t: Tracer, result: Abstract) -> object:
    t.block.end = t.goto(_finished(t.state, result))
    return END


def _nothing(name: str) -> Callable[[Tracer, list[Abstract], dict[str, Abstract]], list[Abstract]]:
    def begin(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> list[Abstract]:
        if args or kwargs:
            raise Break("call_arguments", f"{name} of a generator with more arguments")
        return []

    return begin


def _until(name: str, wanted: bool) -> Row:
    """any and all: ends where the truth of an item is as wanted."""

    def take(t: Tracer, consumer: Consumer, value: Abstract) -> object:
        from . import dunder, operators

        if dunder.class_of(value) is not None:
            raise Break("call_arguments", f"{name} of objects")
        truth = operators.truth(t, value)
        found, other = _finished(t.state.copy(), Known(wanted)), _go_on(t.state.copy())
        return t.branch(truth, *((found, other) if wanted else (other, found)))

    return Row(name, _nothing(name), take, lambda t, consumer: _end(t, Known(not wanted)))


# next: held is the default (NULL: none)


def _begin_next(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> list[Abstract]:
    return args or [NULL]


def _end_next(t: Tracer, consumer: Consumer) -> object:
    (default,) = consumer.held
    return t.leave(t.exit("redo", "always_raises")) if default is NULL else _end(t, default)


# sum: held are the sum so far and, where floats are added with a compensation (3.12), what rounding has lost; else None


def _begin_sum(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> list[Abstract]:
    start = kwargs.get("start", args[0] if args else Known(0))
    if len(args) + len(kwargs) > 1 or not set(kwargs) <= {"start"} or kind_of(start) not in _NUMBERS:
        raise Break("call_arguments", "sum of a generator with such a start")
    return [start, _no_loss(start)]


def _no_loss(total: Abstract) -> Abstract:
    return Known(0.0) if HERE.compensated_sum and kind_of(total) == "float" else Known(None)


def _take_sum(t: Tracer, consumer: Consumer, value: Abstract) -> object:
    from . import dunder, operators

    total, lost = consumer.held
    if dunder.class_of(value) is not None:
        raise Break("call_arguments", "sum of objects")
    kind = kind_of(value)
    compensates = kind_of(lost) == "float"
    if compensates and kind not in ("int", "float", "bool"):
        raise Break("call_arguments", f"sum of floats and {kind}")
    if compensates and kind == "float":
        consumer.held[:] = map(Scalar, _added(t, _value(total), _value(lost), _value(value)))
    else:
        total = operators.binary(t, "+", total, value)
        consumer.held[:] = [total, lost if compensates else _no_loss(total)]
    return _next(t)


def _value(number: Abstract) -> Value:
    found = value_of(number)
    assert found is not None
    return found


def _added(t: Tracer, total: Value, lost: Value, x: Value) -> tuple[Value, Value]:
    """One step of Neumaier's summation, as CPython does it."""

    def op(name: str, a: Value, b: Value) -> Value:
        return t.emit(name, (a, b), FLOAT)  # type: ignore[no-any-return]

    made = op("float_add", total, x)
    sizes = t.emit("float_abs", (total,), FLOAT), t.emit("float_abs", (x,), FLOAT)
    larger = t.emit("cmp", sizes, BOOL, symbol=">=")
    kept = op("float_add", op("float_sub", total, made), x), op("float_add", op("float_sub", x, made), total)
    return made, op("float_add", lost, t.emit("select", (larger, *kept), FLOAT))


def _end_sum(t: Tracer, consumer: Consumer) -> object:
    total, lost = consumer.held
    if kind_of(lost) != "float":
        return _end(t, total)
    value, rest = _value(total), _value(lost)
    if isinstance(rest, Const):  # nothing was added with a compensation
        return _end(t, total)
    some = t.emit("cmp", (rest, const(0.0)), BOOL, symbol="!=")
    finite = t.emit("cmp", (t.emit("float_abs", (rest,), FLOAT), const(math.inf)), BOOL, symbol="<")
    both = t.emit("select", (some, finite, const(False)), BOOL)
    corrected = t.emit("float_add", (value, rest), FLOAT)
    return _end(t, Scalar(t.emit("select", (both, corrected, value), FLOAT)))


def _extreme(name: str, symbol: str) -> Row:
    """min and max: held are the best so far (NULL at first) and the default (NULL: none)."""

    def begin(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> list[Abstract]:
        if args or not set(kwargs) <= {"default"}:
            raise Break("call_arguments", f"{name} with {', '.join(f'{key}=' for key in kwargs)}")
        return [NULL, kwargs.get("default", NULL)]

    def take(t: Tracer, consumer: Consumer, value: Abstract) -> object:
        from . import operators

        best = consumer.held[0]
        if kind_of(value) not in _NUMBERS:
            raise Break("call_arguments", f"{name} of what is no number")
        if best is not NULL:
            # as Python does it: the later one wins only if it compares as better, so a NaN stays where it is
            better = operators.truth(t, operators.compare(t, symbol, value, best))
            old, new = _value(best), _value(value)
            if isinstance(better, bool):
                value = value if better else best
            elif old.type == new.type:
                value = Scalar(t.emit("select", (better, new, old), new.type))
            else:
                kept = _go_on(t.state.copy())
                consumer.held[0] = value
                return t.branch(better, _go_on(t.state.copy()), kept)
        consumer.held[0] = value
        return _next(t)

    def end(t: Tracer, consumer: Consumer) -> object:
        best, default = consumer.held
        if best is NULL and default is NULL:
            return t.leave(t.exit("redo", "always_raises"))
        return _end(t, default if best is NULL else best)

    return Row(name, begin, take, end)


# list, tuple, sorted, join: held is a list that nobody else has seen


def _begin_list(name: str) -> Callable[[Tracer, list[Abstract], dict[str, Abstract]], list[Abstract]]:
    def begin(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> list[Abstract]:
        from . import objects

        _nothing(name)(t, args, kwargs)
        t.last_micro = False  # the list is not yet the result: an exit does the whole call
        return [objects.new_list(t, ())]

    return begin


def _take_item(t: Tracer, consumer: Consumer, value: Abstract) -> object:
    from . import objects

    objects.append(t, consumer.held[0], value)
    return _next(t)


def _end_tuple(t: Tracer, consumer: Consumer) -> object:
    from . import deeds, through

    (made,) = consumer.held

    def call() -> Abstract:
        found = deeds.do(t, "call", [Known(tuple), made], (), pure=True)
        assert isinstance(found, Opaque)
        t.samples[found.value] = tuple(through.samples(t, made))
        return found

    return _called(t, call)


# tuple of a generator expression that is unrolled, and that yields in each round: held is a virtual tuple


def _yields_so_often(generator: Suspended) -> bool:
    """Whether it is known how many items a generator expression yields."""
    it = goes_through(generator)
    unrolled = isinstance(it, Unrolled) or (isinstance(it, Together) and bool(it.iterators) and all(isinstance(i, Unrolled) for i in it.iterators))
    names = [i.opname for i in generator.bytecode.instructions]
    return unrolled and names.count("FOR_ITER") == 1 and not any("JUMP_IF" in name for name in names)


def _take_another(t: Tracer, consumer: Consumer, value: Abstract) -> object:
    (made,) = consumer.held
    assert isinstance(made, Container)
    consumer.held = [Container("tuple", (*made.items, value))]
    return _next(t)


def _begin_items(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> list[Abstract]:
    return [*_nothing("tuple")(t, args, kwargs), Container("tuple", ())]


def _end_sorted(t: Tracer, consumer: Consumer) -> object:
    from . import deeds, opaque, through

    made = consumer.held[0]

    def call() -> Abstract:
        found = through.samples(t, made)
        if not all(is_one_of(type(item), (int, float)) for item in found):
            return deeds.make(t, "sorted", [made], found)
        opaque.call_for_effect(t, list.sort, [made])
        return made

    return _called(t, call)


def _begin_join(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> list[Abstract]:
    return [*_begin_list("join")(t, [], kwargs), *args]


def _take_text(t: Tracer, consumer: Consumer, value: Abstract) -> object:
    from . import deeds

    if not deeds.is_text(value):
        raise Break("call_arguments", "join of what is no text")
    return _take_item(t, consumer, value)


def _end_join(t: Tracer, consumer: Consumer) -> object:
    from . import templates

    made, between = consumer.held
    return _called(t, lambda: templates.join(t, between, made))


# sorted with key=: what is yielded are the keys; held are a list of the items, one of the keys, and whether it is the other way round


def _begin_by_key(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> list[Abstract]:
    reverse = kwargs.get("reverse", Known(False))
    small = isinstance(reverse, Known) and type(reverse.value) is int and abs(reverse.value) < 2**31  # 3.11 raises for others, at the call
    if kind_of(reverse) != "bool" and not small:
        raise Break("call_arguments", "sorted with such a reverse=")
    return [args[0], *_begin_list("sorted")(t, [], {}), reverse]


def _take_by_key(t: Tracer, consumer: Consumer, value: Abstract) -> object:
    from . import objects

    if not _is_ordered(value):
        raise Break("call_arguments", "sorted by what is no number, text or tuple of such")
    objects.append(t, consumer.held[1], value)
    return _next(t)


def _is_ordered(key: Abstract) -> bool:
    """Whether comparing it runs nothing of the program's."""
    from . import deeds

    items = items_of(key)
    return kind_of(key) in _NUMBERS or deeds.is_text(key) or (items is not None and not isinstance(key, Instance) and all(map(_is_ordered, items)))


def _end_by_key(t: Tracer, consumer: Consumer) -> object:
    from . import deeds, through

    found = through.samples(t, consumer.held[0])
    return _called(t, lambda: deeds.make(t, "sorted_by", [Known(_by_key), *consumer.held], found))


def _by_key(items: list[Any], keys: list[Any], reverse: Any) -> list[Any]:
    """Sorts the items, each of which has its key at its place: next(keys, item) gives that."""
    items.sort(key=functools.partial(next, iter(keys)), reverse=reverse)
    return items


_by_key.__name__ = _by_key.__qualname__ = "sorted"  # in reports


def _called(t: Tracer, call: Callable[[], Abstract]) -> object:
    """The result of a call that is made when the generator is exhausted, in the name of the consumer."""
    before = t.state
    t.state = _finished(t.state.copy(), UNBOUND)  # a placeholder for the result
    caller = t.state.frame
    caller.stack.pop()
    caller.pc = before.frames[-2].pc
    t.checkpoint = [frame.copy() for frame in before.frames[:-1]]
    caller.stack.append(call())
    caller.pc = caller.bytecode.at(caller.pc).next
    if t.ran_python:
        t.recheck()
    t.block.end = t.goto(t.state)
    return END


CONSUMERS: dict[Any, Row] = {
    any: _until("any", True),
    all: _until("all", False),
    sum: Row("sum", _begin_sum, _take_sum, _end_sum),
    min: _extreme("min", "<"),
    max: _extreme("max", ">"),
    list: Row("list", _begin_list("list"), _take_item, lambda t, consumer: _end(t, consumer.held[0])),
    tuple: Row("tuple", _begin_list("tuple"), _take_item, _end_tuple),
    sorted: Row("sorted", _begin_list("sorted"), _take_item, _end_sorted),
}
# What takes the first thing that a generator yields, or the only one; if it yields nothing and there is no default, the call raises.
NEXT = Row("next", _begin_next, lambda t, consumer, value: _end(t, value), _end_next)
BY_KEY = Row("by_key", _begin_by_key, _take_by_key, _end_by_key)
JOIN = Row("join", _begin_join, _take_text, _end_join)
_ITEMS = Row("items", _begin_items, _take_another, lambda t, consumer: _end(t, consumer.held[0]))
_BY_NAME = {row.name: row for row in (*CONSUMERS.values(), NEXT, BY_KEY, JOIN, _ITEMS)}
