"""Handlers: one row per normalised instruction (see pycode). A handler works on the tracer; END says that it ended the block."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ..ir.graph import Exit, Value, const
from ..ir.types import INT
from . import calls, inputs, iteration, objects, opaque, operators, subscripts
from .frames import stored_names
from .tracer import END, Tracer
from .values import (
    LAZY,
    NULL,
    UNBOUND,
    Abstract,
    ArrayValue,
    Break,
    Container,
    Known,
    NullValue,
    Opaque,
    RangeIterator,
    Scalar,
    SequenceIterator,
    Together,
    Unrolled,
    kind_of,
)

Handler = Callable[[Tracer, Any], object]


# ---- locals, globals, names ------------------------------------------------------------------------------------------


def load_fast(t: Tracer, slot: int) -> None:
    frame = t.state.frame
    value = frame.locals[slot]
    if value is LAZY:
        value = frame.locals[slot] = inputs.load_local(t, slot)
    if value is UNBOUND:
        raise Break("unbound", frame.bytecode.slots[slot])
    t.push(value)


def store_attr(t: Tracer, name: str) -> None:
    value, owner = t.popn(2)
    objects.store_attribute(t, owner, name, value)


def store_fast(t: Tracer, slot: int) -> None:
    t.state.frame.locals[slot] = _storable(t.pop())


def _storable(value: Abstract) -> Abstract:
    """What may be held in several places. A virtual list or iterator may not: it would become several, or be seen to stand still."""
    if _changes(value):
        raise Break("comprehension", "list or iterator")
    return value


def _changes(value: Abstract) -> bool:
    if isinstance(value, RangeIterator | SequenceIterator | Unrolled | Together):
        return True
    return isinstance(value, Container) and (value.kind in _SINGLE or any(map(_changes, value.items)))


_SINGLE = frozenset({"list", "enumerate", "zip", "reversed"})


def delete_fast(t: Tracer, slot: int) -> None:
    load_fast(t, slot)
    t.pop()
    t.state.frame.locals[slot] = UNBOUND


def load_fast_and_clear(t: Tracer, slot: int) -> None:
    frame = t.state.frame
    value = frame.locals[slot]
    if value is LAZY:
        value = inputs.load_local(t, slot)
    t.push(NULL if value is UNBOUND else value)
    frame.locals[slot] = UNBOUND


def load_deref(t: Tracer, slot: int) -> None:
    frame = t.state.frame
    if slot in frame.bytecode.free_slots:
        t.push(calls.load_free(t, frame, slot))
    else:
        load_fast(t, slot)


def store_deref(t: Tracer, slot: int) -> None:
    if slot in t.state.frame.bytecode.free_slots:
        raise Break("nonlocal_store", t.state.frame.bytecode.slots[slot])
    store_fast(t, slot)


def load_const(t: Tracer, value: Any) -> None:
    t.push(Known(value))


def load_global(t: Tracer, name: str) -> None:
    t.push(inputs.load_global(t, name, t.state.frame))


def push_null(t: Tracer, _: Any) -> None:
    t.push(NULL)


def load_name(t: Tracer, name: str) -> None:
    frame = t.state.frame
    if len(t.state.frames) > 1 or t.view.names is None:
        raise Break("opcode", "LOAD_NAME in a function")
    value = frame.names.get(name)
    if value is None:
        if t.view.names is not t.view.globals and name not in t.view.names:
            t.guards.frame("no_name", name, text=f"{name} is not defined here")
            value = inputs.load_global(t, name, frame)
        elif name in t.view.names:
            value = inputs.load_name_slot(t, name)
        else:
            value = inputs.load_global(t, name, frame)
    if value is UNBOUND:
        raise Break("unbound", name)
    t.push(value)


def store_name(t: Tracer, name: str) -> None:
    if len(t.state.frames) > 1 or t.view.names is None or type(t.view.names) is not dict:
        raise Break("opcode", "STORE_NAME outside a module or class body")
    if name in _SPECIAL_NAMES:
        raise Break("opcode", f"assignment to {name}")
    t.state.frame.names[name] = _storable(t.pop())


# What the running frame itself may look at.
_SPECIAL_NAMES = frozenset({"__builtins__", "__annotations__"})


def load_attr(t: Tracer, name: str) -> object:
    value = calls.attribute(t, t.pop(), name)
    if value is calls.INLINED:
        t.block.end = t.goto(t.state)
        return END
    t.push(value)
    return None


def load_method(t: Tracer, name: str) -> None:
    owner = t.pop()
    method = calls.method(t, owner, name)
    if method is not None:
        t.push(Known(method))
        t.push(owner)
        return
    depth = len(t.state.frames)
    value = calls.attribute(t, owner, name)
    if len(t.state.frames) > depth:
        raise Break("attribute", f"a call of what the property {name} gives")
    if isinstance(value, Container) and value.kind == "bound_method":
        for item in value.items:
            t.push(item)
        return
    for item in (NULL, value) if NULL_FIRST else (value, NULL):
        t.push(item)


# ---- operators -----------------------------------------------------------------------------------------------------------


def binary_op(t: Tracer, arg: tuple[str, bool]) -> None:
    symbol, inplace = arg
    left, right = t.popn(2)
    t.push(operators.binary(t, symbol, left, right, inplace))


def unary_op(t: Tracer, symbol: str) -> None:
    t.push(operators.unary(t, symbol, t.pop()))


def compare_op(t: Tracer, symbol: str) -> None:
    left, right = t.popn(2)
    t.push(operators.compare(t, symbol, left, right))


def to_bool(t: Tracer, _: Any) -> None:
    truth = operators.truth(t, t.pop())
    t.push(Known(truth) if isinstance(truth, bool) else Scalar(truth))


def is_op(t: Tracer, invert: int) -> None:
    left, right = t.popn(2)
    t.push(Known(operators.identical(left, right) != bool(invert)))


def contains_op(t: Tracer, invert: int) -> None:
    item, container = t.popn(2)
    t.push(operators.contains(t, item, container, bool(invert)))


def binary_subscr(t: Tracer, _: Any) -> None:
    container, index = t.popn(2)
    t.push(subscripts.load(t, container, index))


def store_subscr(t: Tracer, _: Any) -> None:
    value, container, index = t.popn(3)
    subscripts.store(t, container, index, value)


def binary_slice(t: Tracer, _: Any) -> None:
    container, start, stop = t.popn(3)
    t.push(subscripts.load(t, container, Container("slice", (start, stop, Known(None)))))


def store_slice(t: Tracer, _: Any) -> None:
    value, container, start, stop = t.popn(4)
    subscripts.store(t, container, Container("slice", (start, stop, Known(None))), value)


# ---- building and unpacking ----------------------------------------------------------------------------------------------


def build_tuple(t: Tracer, n: int) -> None:
    items = tuple(t.popn(n))
    t.push(Container("tuple", items))


def build_list(t: Tracer, n: int) -> None:
    _push_list(t, tuple(t.popn(n)), n == 0 and not _follows(t, "LIST_EXTEND", 2))


def _push_list(t: Tracer, items: tuple[Abstract, ...], real: bool) -> None:
    """A list that is only looked at stays virtual; one that is kept, or grows, is made."""
    if real or any(_follows(t, name, 1) for name in ("STORE_FAST", "STORE_NAME", "STORE_ATTR")):
        t.push(objects.new_list(t, items))
    else:
        t.push(Container("list", items))


def _follows(t: Tracer, name: str, distance: int) -> bool:
    """Whether the instruction so many places further on starts with this step."""
    bytecode = t.state.frame.bytecode
    place = bytecode.instructions.index(bytecode.at(t.state.frame.pc)) + distance
    return place < len(bytecode.instructions) and bytecode.instructions[place].micros[0].name == name


def list_extend(t: Tracer, depth: int) -> None:
    items = objects.items(t, t.pop())
    into = t.state.frame.stack[-depth]
    if items is None or depth != 1 or not isinstance(into, Container) or into.kind != "list":
        raise Break("opcode", "LIST_EXTEND")
    t.pop()
    _push_list(t, (*into.items, *items), False)


def list_append(t: Tracer, depth: int) -> None:
    value = t.pop()
    into = t.state.frame.stack[-depth]
    if objects.class_of(into) is not list:
        raise Break("opcode", "LIST_APPEND")
    objects.append(t, into, value)


def build_slice(t: Tracer, n: int) -> None:
    items = t.popn(n)
    t.push(Container("slice", (*items, Known(None)) if n == 2 else tuple(items)))


def unpack_sequence(t: Tracer, n: int) -> None:
    value = t.pop()
    items = objects.items(t, value)
    if items is None and isinstance(value, ArrayValue):
        items = subscripts.unpack(t, value, n)
    if items is None and opaque.record(t, value) is not None:
        t.last_micro = False  # an unexpected item: the whole instruction is done again
        found = [opaque.record_item(t, value, i) for i in range(n)]
        items = None if None in found else tuple(item for item in found if item is not None)
    if items is None or len(items) != n:
        raise Break("unsupported_type", f"unpacking of {kind_of(value)}")
    for item in reversed(items):
        t.push(item)


# ---- the stack -----------------------------------------------------------------------------------------------------------


def pop_top(t: Tracer, _: Any) -> None:
    t.pop()


def copy(t: Tracer, n: int) -> None:
    t.push(_storable(t.state.frame.stack[-n]))


def swap(t: Tracer, n: int) -> None:
    stack = t.state.frame.stack
    stack[-1], stack[-n] = stack[-n], stack[-1]


def nop(t: Tracer, _: Any) -> None:
    return None


# ---- control flow --------------------------------------------------------------------------------------------------------


def jump(t: Tracer, target: int) -> object:
    return t.jump(target)


def pop_jump(t: Tracer, arg: tuple[str, int]) -> object:
    wanted, target = arg
    tested = t.pop()
    if wanted in ("none", "not_none"):
        condition: Value | bool = operators.identical(tested, Known(None)) == (wanted == "none")
    else:
        truth = operators.truth(t, tested)
        if isinstance(truth, bool):
            condition = truth == (wanted == "true")
        else:
            return _two_ways(t, truth, target if wanted == "true" else None, None if wanted == "true" else target)
    return _two_ways(t, condition, target, None)


def _two_ways(t: Tracer, condition: Value | bool, yes: int | None, no: int | None) -> object:
    frame = t.state.frame
    onward = frame.bytecode.at(frame.pc).next
    states = []
    for pc in (yes, no):
        state = t.state.copy()
        state.frame.pc = onward if pc is None else pc
        states.append(state)
    return t.branch(condition, *states)


def jump_if_or_pop(t: Tracer, arg: tuple[str, int]) -> object:
    """3.11: keeps the tested value when it jumps."""
    wanted, target = arg
    truth = operators.truth(t, t.state.frame.stack[-1])
    frame = t.state.frame
    jumps, stays = t.state.copy(), t.state.copy()
    jumps.frame.pc = target
    stays.frame.pc = frame.bytecode.at(frame.pc).next
    stays.frame.stack.pop()
    yes, no = (jumps, stays) if wanted == "true" else (stays, jumps)
    return t.branch(truth, yes, no)


def get_iter(t: Tracer, _: Any) -> None:
    t.push(iteration.iterator(t, t.pop()))


def for_iter(t: Tracer, exhausted: int) -> object:
    return iteration.advance(t, exhausted)


def return_value(t: Tracer, _: Any) -> object:
    value = t.pop()
    if len(t.state.frames) > 1:
        t.state.frames.pop()
        caller = t.state.frame
        caller.pc = caller.bytecode.at(caller.pc).next
        t.push(value)
        t.block.end = t.goto(t.state)
        return END
    if isinstance(value, NullValue):
        raise Break("opcode", "RETURN_VALUE of NULL")
    t.returns = True
    names = stored_names(t.state.frames[0], t.entry_values)
    return t.leave(Exit("return", "return", (), names, value.recipe()))


def call(t: Tracer, arg: tuple[int, tuple[str, ...]]) -> object:
    count, keywords = arg
    return _call(t, count, keywords)


def call_kw(t: Tracer, count: int) -> object:
    names = t.pop()
    assert isinstance(names, Known)
    return _call(t, count, names.value)


def _call(t: Tracer, count: int, keywords: tuple[str, ...]) -> object:
    operands = t.popn(count)
    first, second = t.popn(2)
    if NULL_FIRST:
        callee, args = (second, operands) if first is NULL else (first, [second, *operands])
    else:
        callee, args = (first, operands) if second is NULL else (first, [second, *operands])
    positional = args[: len(args) - len(keywords)]
    named = dict(zip(keywords, args[len(args) - len(keywords) :], strict=True))
    result = calls.call(t, callee, positional, named)
    if result is calls.INLINED:
        t.block.end = t.goto(t.state)
        return END
    if result is END:
        return END
    assert isinstance(result, Abstract)
    t.push(result)
    return None


def load_assertion_error(t: Tracer, _: Any) -> None:
    t.push(Known(AssertionError))


def _null_first() -> bool:
    from ..pycode.instructions import CALL_ORDER

    return CALL_ORDER == "null_first"


NULL_FIRST = _null_first()

HANDLERS: dict[str, Handler] = {
    "LOAD_FAST": load_fast,
    "LOAD_FAST_CHECK": load_fast,
    "LOAD_FAST_AND_CLEAR": load_fast_and_clear,
    "STORE_FAST": store_fast,
    "DELETE_FAST": delete_fast,
    "LOAD_DEREF": load_deref,
    "STORE_DEREF": store_deref,
    "LOAD_CONST": load_const,
    "LOAD_GLOBAL": load_global,
    "LOAD_NAME": load_name,
    "STORE_NAME": store_name,
    "PUSH_NULL": push_null,
    "LOAD_ATTR": load_attr,
    "LOAD_METHOD": load_method,
    "STORE_ATTR": store_attr,
    "BINARY_OP": binary_op,
    "UNARY_OP": unary_op,
    "COMPARE_OP": compare_op,
    "TO_BOOL": to_bool,
    "IS_OP": is_op,
    "CONTAINS_OP": contains_op,
    "BINARY_SUBSCR": binary_subscr,
    "STORE_SUBSCR": store_subscr,
    "BINARY_SLICE": binary_slice,
    "STORE_SLICE": store_slice,
    "BUILD_TUPLE": build_tuple,
    "BUILD_LIST": build_list,
    "LIST_EXTEND": list_extend,
    "LIST_APPEND": list_append,
    "BUILD_SLICE": build_slice,
    "UNPACK_SEQUENCE": unpack_sequence,
    "POP_TOP": pop_top,
    "COPY": copy,
    "SWAP": swap,
    "NOP": nop,
    "JUMP": jump,
    "JUMP_BACKWARD": jump,
    "POP_JUMP": pop_jump,
    "JUMP_IF_OR_POP": jump_if_or_pop,
    "GET_ITER": get_iter,
    "FOR_ITER": for_iter,
    "RETURN_VALUE": return_value,
    "CALL": call,
    "CALL_KW": call_kw,
    "LOAD_ASSERTION_ERROR": load_assertion_error,
}

__all__ = ["HANDLERS", "INT", "Opaque", "const", "types"]
