"""Iterators: what GET_ITER makes and FOR_ITER advances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph import Block, Branch, Const, Jump, Value, const
from ..ir.types import BOOL, INT
from .operators import describe
from .values import (
    Abstract,
    ArrayValue,
    Break,
    Container,
    Known,
    Opaque,
    RangeIterator,
    Scalar,
    SequenceIterator,
    unsupported,
    value_of,
)

if TYPE_CHECKING:
    from .tracer import Tracer

_LARGE = 2**62  # beyond this the next value of a range might not fit in 64 bits


def iterator(t: Tracer, value: Abstract) -> Abstract:
    """iter(value)."""
    if isinstance(value, (RangeIterator, SequenceIterator)):
        raise Break("iteration", "an iterator that is also held elsewhere")  # it would become two
    if isinstance(value, Container) and value.kind == "range":
        return _range(t, value)
    if isinstance(value, Known) and type(value.value) is range:
        r = value.value
        return _range(t, Container("range", (Known(r.start), Known(r.stop), Known(r.step))))
    if isinstance(value, ArrayValue) and value.type.ndim == 1:
        return SequenceIterator(value, const(0))
    if isinstance(value, Opaque) and value.cls is list:
        return SequenceIterator(value, const(0))
    raise unsupported(describe(value), value, reason="iteration")


def _range(t: Tracer, value: Container) -> Abstract:
    from .tracer import compare

    start, stop, step = (value_of(item) for item in value.items)
    if start is None or stop is None or not isinstance(step, Const) or step.value == 0:
        raise Break("iteration", "range with a step that is not a constant")
    for bound in (start, stop):
        t.check(compare(t, "<=", bound, const(_LARGE)), "int_too_large")
        t.check(compare(t, ">=", bound, const(-_LARGE)), "int_too_large")
    return RangeIterator(start, stop, step.value)


def advance(t: Tracer, exhausted: int) -> object:
    """FOR_ITER: pushes the next value and goes on, or pops the iterator and goes to ``exhausted``."""
    top = t.state.frame.stack[-1]
    if isinstance(top, RangeIterator):
        more = t.emit("cmp", (top.next, top.stop), BOOL, symbol="<" if top.step > 0 else ">")
    elif isinstance(top, SequenceIterator):
        more = t.emit("cmp", (top.index, _length(t, top.sequence)), BOOL, symbol="<")
    else:
        raise unsupported(describe(top), top, reason="iteration")
    done = t.state.copy()
    done.frame.stack.pop()
    done.frame.pc = exhausted
    body = t.state.copy()
    body.frame.pc = t.state.frame.bytecode.at(t.state.frame.pc).next
    # The step happens at the head of the body, in a block of its own.
    before, checkpoint = t.block, t.checkpoint
    block = Block(t.line)
    t.block = block
    t.state = body
    stack = body.frame.stack
    if isinstance(top, RangeIterator):
        following = t.emit("raw_add", (top.next, const(top.step)), INT)
        stack[-1] = top.moved(following)
        stack.append(Scalar(top.next))
    else:
        following = t.emit("raw_add", (top.index, const(1)), INT)
        from . import subscripts

        try:
            item = subscripts.element(t, top.sequence, top.index)
        except Break:
            t.block = before  # the instruction has not begun
            raise
        stack[-1] = top.moved(following)
        stack.append(item)
    block.end = t.goto(body)
    t.checkpoint = checkpoint
    before.end = Branch(more, Jump(block), t.goto(done))
    from .tracer import END

    return END


def _length(t: Tracer, sequence: Abstract) -> Value:
    if isinstance(sequence, ArrayValue):
        return sequence.dims[0]
    assert isinstance(sequence, Opaque)
    return t.emit("list_len", (sequence.value,), INT)  # type: ignore[no-any-return]
