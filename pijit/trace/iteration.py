"""Iterators: what GET_ITER makes and FOR_ITER advances."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pijit.ground.records import replace

from ..ir.graph import Block, Branch, Const, Jump, Value, const
from ..ir.types import BOOL, INT
from . import c_iterators, deeds, generators, kinds, lengths, objects, opaque, telling
from .cursors import RangeIterator, SequenceIterator, Together, Unrolled, rounds
from .operators import as_int, describe
from .state import Consumer, State
from .values import (
    END,
    Abstract,
    ArrayValue,
    Break,
    Container,
    Known,
    Opaque,
    Scalar,
    Suspended,
    kind_of,
    unsupported,
    value_of,
)

if TYPE_CHECKING:
    from .tracer import Tracer

_LARGE = 2**62  # beyond this the next value of a range might not fit in 64 bits


def iterator(t: Tracer, value: Abstract) -> Abstract:
    """iter(value): as a position, where there is one, so that others can go on in step with it, and the step of a generator can be done again."""
    if isinstance(value, Suspended) or (isinstance(value, SequenceIterator) and value.step < 0):
        return value
    if isinstance(value, (RangeIterator, SequenceIterator, Unrolled, Together)):
        raise Break("iteration", "an iterator that is also held elsewhere")  # it would become two
    if isinstance(value, Container) and value.kind == "range":
        return _range(t, value)
    if objects.class_of(value) is range:
        return _range(t, _of_object(t, value))
    if isinstance(value, Container) and value.kind in _COMPOSITE:
        return _COMPOSITE[value.kind](t, value)
    owner = Container("dict_keys", (value,)) if objects.class_of(value) is dict else value
    items = objects.unrollable(t, owner)
    if items is not None:
        return Unrolled(owner, items)
    sequence = _by_position(t, value)
    if sequence is not None:
        return SequenceIterator(sequence, const(0))
    real = c_iterators.iterator(t, value)
    if real is not None:
        return real
    raise unsupported(describe(value), value, reason="iteration")


def _zip(t: Tracer, value: Container) -> Abstract:
    return Together(tuple(iterator(t, item) for item in value.items), strict=value.kind == "zip_strict")


def _enumerate(t: Tracer, value: Container) -> Abstract:
    iterable, start = value.items
    count = value_of(start)
    if count is None or count.type not in (INT, BOOL):
        raise Break("iteration", "enumerate with a start beyond 64 bits")
    count = as_int(t, count)
    _check_small(t, count)
    return Together((iterator(t, iterable),), count)


def backwards(t: Tracer, value: Abstract) -> Abstract | None:
    """reversed(value) of what is gone through by position: it begins at the last item that there is now. None for anything else."""
    sequence = None if objects.unrollable(t, value) is not None else _by_position(t, value)
    if sequence is None:
        return None
    return SequenceIterator(sequence, t.emit("raw_add", (_length(t, sequence), const(-1)), INT), -1)


def _by_position(t: Tracer, value: Abstract) -> Abstract | None:
    """The array or list, or text, that a loop goes through by position; None for anything else."""
    if deeds.is_text(value, str, bytes):
        return deeds.as_opaque(t, value)
    by_position = bool(value.dims) if isinstance(value, ArrayValue) else isinstance(value, Opaque) and value.cls is list
    return value if by_position else None


def _reversed(t: Tracer, value: Container) -> Abstract:
    (inner,) = value.items
    if isinstance(inner, Known) and type(inner.value) is range:
        return iterator(t, Known(inner.value[::-1]))
    if objects.class_of(inner) is range:
        inner = _of_object(t, inner)
    if isinstance(inner, Container) and inner.kind == "range":
        it = _range(t, inner)
        assert isinstance(it, RangeIterator)
        if not isinstance(it.step, int) or it.step not in (1, -1):
            raise Break("iteration", "reversed range with steps")
        # an empty range stays one: both ends move by the same step
        from .addresses import add

        assert it.stop is not None
        return RangeIterator(add(t, it.stop, const(-it.step)), add(t, it.next, const(-it.step)), -it.step)
    items = objects.unrollable(t, inner)
    if items is None:
        raise Break("iteration", "reversed of this object")
    backwards = Container("tuple", items[::-1])
    return Unrolled(backwards, backwards.items)


def _endless(t: Tracer, value: Container) -> Abstract:
    """itertools.count"""
    start, step = value.items
    first = as_int(t, value_of(start))  # type: ignore[arg-type]
    _check_small(t, first)
    assert isinstance(step, Known)
    return RangeIterator(first, None, step.value)


_COMPOSITE = {"zip": _zip, "zip_strict": _zip, "enumerate": _enumerate, "reversed": _reversed, "count": _endless}


def _check_small(t: Tracer, *bounds: Value) -> None:
    """Leaves where what is counted from or to might not fit in 64 bits on the way."""
    from .addresses import both, compare

    small: Value = const(True)
    for bound in bounds:  # one check, which is two additions for the processor
        small = both(t, small, both(t, compare(t, ">=", bound, const(-_LARGE)), compare(t, "<", bound, const(_LARGE))))
    t.check(small, "int_too_large")


def _of_object(t: Tracer, value: Abstract) -> Container:
    """The numbers of a range that is an object. Where they are not known, the step is taken to be the one at hand: it differs seldom."""
    from .addresses import compare
    from .closures import part

    if isinstance(value, Known):
        return Container("range", (Known(value.value.start), Known(value.value.stop), Known(value.value.step)))
    start, stop, step = (part(t, value, name) for name in ("start", "stop", "step"))
    usual = objects.actual_of(t, value)
    if usual is not objects.MISSING and kind_of(step) == "int":
        t.check(compare(t, "==", value_of(step), const(usual.step)), "iteration")  # type: ignore[arg-type]
        step = Known(usual.step)
    return Container("range", (start, stop, step))


def _range(t: Tracer, value: Container) -> Abstract:
    from .addresses import both, compare

    start, stop, step = (value_of(item) for item in value.items)
    if start is None or stop is None or step is None or (isinstance(step, Const) and step.value == 0):
        raise Break("iteration", "range of what is not a number")
    _check_small(t, start, stop)
    if isinstance(step, Const):
        return RangeIterator(start, stop, step.value)
    t.check(both(t, compare(t, ">", step, const(0)), compare(t, "<", step, const(_LARGE))), "iteration")
    return RangeIterator(start, stop, step)


def advance(t: Tracer, exhausted: int) -> object:
    """FOR_ITER: pushes the next value and goes on, or pops the iterator and goes to ``exhausted``."""
    top = t.state.frame.stack[-1]
    if isinstance(top, Suspended):
        return generators.resume(t, top, Consumer("for", [], (exhausted,)))
    if isinstance(top, Opaque):
        return _advance_real(t, top, exhausted)
    more = _more(t, top)
    if more is not False and rounds(top):
        t.next_round()
    done = t.state.copy()
    done.frame.stack.pop()
    done.frame.pc = exhausted
    body = t.state.copy()
    body.frame.pc = t.state.frame.bytecode.at(t.state.frame.pc).next
    if more is False:
        t.block.end = t.goto(done)
        return END
    # The step happens at the head of the body, in a block of its own.
    before, checkpoint = t.block, t.checkpoint
    block = Block(t.line)
    before.end = Jump(block) if more is True else Branch(more, Jump(block), t.goto(done))
    t.block, t.state = block, body
    try:
        several = kinds.ahead(t, top)
        if several is None:
            _step(t, body)
        else:
            kinds.fork(t, several, partial(_step, t))
    except Break:
        t.block = before  # the instruction has not begun
        raise
    t.checkpoint = checkpoint
    return END


def _step(t: Tracer, body: State) -> None:
    """Goes on in the body of the loop with the next item."""
    stack = body.frame.stack
    item, stack[-1] = _next(t, stack[-1])
    stack.append(item)
    t.block.end = t.goto(body)


def _advance_real(t: Tracer, it: Opaque, exhausted: int) -> object:
    """The same for an iterator in C, which moves: what it gives is not taken twice, so one of another type goes on behind the instruction,
    as does all that something gives which seemed to be empty."""
    unseen = c_iterators.is_unseen(t, it)
    under = () if unseen else c_iterators.goes_through(t, it)
    functions = deeds.functions_in(under)
    more, item = c_iterators.advance(t, it)
    done, body = t.state.copy(), t.state.copy()
    done.frame.stack.pop()
    done.frame.pc = exhausted
    before, checkpoint, t.block, t.state = t.block, t.checkpoint, Block(t.line), body
    first = t.block
    exit = opaque.going_on(t, [frame.copy() for frame in body.frames], Opaque(item, None))
    if unseen:
        t.leave(exit)
    elif functions is not None:
        deeds.one_of(t, item, functions, exit)
    else:
        found = telling.with_siblings(t, opaque.like(t, item, telling.item(under), exit), under)
        body.frame.pc = body.frame.bytecode.at(body.frame.pc).next
        body.frame.stack.append(found)
        t.block.end = t.goto(body)
    before.end = Branch(more, Jump(first), t.goto(done))
    t.checkpoint = checkpoint
    return END


def _more(t: Tracer, it: Abstract) -> Value | bool:
    """Whether the iterator has another item."""
    if isinstance(it, RangeIterator):
        if it.stop is None:
            _check_small(t, it.next)
            return True
        return t.emit("cmp", (it.next, it.stop), BOOL, symbol="<" if it.goes_up else ">")  # type: ignore[no-any-return]
    if isinstance(it, SequenceIterator):
        inside = t.emit("cmp", (it.index, _length(t, it.sequence)), BOOL, symbol="<")  # of a list there may be less meanwhile
        if it.step < 0:
            inside = t.emit("select", (t.emit("cmp", (it.index, const(0)), BOOL, symbol=">="), inside, const(False)), BOOL)
        return inside  # type: ignore[no-any-return]
    if isinstance(it, Unrolled):
        return it.index < len(it.items)
    if isinstance(it, Together):
        found: Value | bool = bool(it.iterators)  # zip() gives nothing
        answers = [_more(t, inner) for inner in it.iterators]
        if it.strict:
            _check_alike(t, answers)
        for answer in answers:
            if answer is False:
                return False
            if found is True:
                found = answer
            elif isinstance(answer, Value) and isinstance(found, Value):
                found = t.emit("select", (found, answer, const(False)), BOOL)
        return found
    raise unsupported(describe(it), it, reason="iteration")


def _check_alike(t: Tracer, answers: list[Value | bool]) -> None:
    """Leaves where some iterators of a strict zip have another item and others have not: it raises."""
    values = [const(answer) if isinstance(answer, bool) else answer for answer in answers]
    for value in values[1:]:
        t.check(t.emit("cmp", (values[0], value), BOOL, symbol="=="), "iteration")


def _next(t: Tracer, it: Abstract) -> tuple[Abstract, Abstract]:
    """The next item of an iterator that has one, and the iterator after it."""
    if isinstance(it, RangeIterator):
        return Scalar(it.next), it.moved(t.emit("raw_add", (it.next, it.width), INT))
    if isinstance(it, SequenceIterator):
        from . import subscripts

        following = t.emit("raw_add", (it.index, const(it.step)), INT)
        return subscripts.element(t, it.sequence, it.index), it.moved(following)
    if isinstance(it, Unrolled):
        return it.items[it.index], replace(it, index=it.index + 1)
    assert isinstance(it, Together)
    items, moved = zip(*(_next(t, inner) for inner in it.iterators), strict=True)
    if it.count is None:
        return Container("tuple", items), replace(it, iterators=moved)
    from .addresses import add

    return Container("tuple", (Scalar(it.count), *items)), replace(it, iterators=moved, count=add(t, it.count, const(1)))


def _length(t: Tracer, sequence: Abstract) -> Value:
    if isinstance(sequence, ArrayValue):
        return sequence.dims[0]
    length = lengths.of(t, sequence)
    assert length is not None
    return length
