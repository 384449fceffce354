"""Handlers: one row per normalised instruction (see pycode). A handler works on the tracer; END says that it ended the block."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ..ir.graph import Exit, Value, const
from ..ir.types import INT
from . import (
    calls,
    closures,
    dunder,
    errstate,
    generators,
    inheritance,
    inputs,
    iteration,
    mappings,
    matching,
    membership,
    objects,
    opaque,
    operators,
    subscripts,
)
from .frames import stored_names
from .inline import INLINED
from .results import FINISHERS
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
    Scalar,
    changes,
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
    if frame.made and changes(value):  # the iterator of a comprehension, which moves on
        frame.locals[slot] = UNBOUND
    t.push(value)


def store_attr(t: Tracer, name: str) -> None:
    value, owner = t.popn(2)
    objects.store_attribute(t, owner, name, value)


def store_fast(t: Tracer, slot: int) -> None:
    value = _storable(t.pop())
    frame = t.state.frame
    objects.let_go(t, frame.locals[slot], slot)
    if frame.locals[slot] is LAZY and frame.flow.loops:
        objects.let_go(t, value, slot)  # another time the variable will hold one like this
    frame.locals[slot] = value


def delete_attr(t: Tracer, name: str) -> None:
    objects.delete_attribute(t, t.pop(), name)


def before_with(t: Tracer, _: Any) -> object:
    manager = t.pop()
    if errstate.is_manager(manager):
        return _result(t, errstate.start(t, manager))
    if dunder.enter(t, manager) is None:
        raise Break("exception_handling", "BEFORE_WITH")
    return _result(t, INLINED)


def _storable(value: Abstract) -> Abstract:
    """What may be held in several places. A virtual list or iterator may not: it would become several, or be seen to stand still."""
    if changes(value):
        raise Break("comprehension", "list or iterator")
    return value


def delete_fast(t: Tracer, slot: int) -> None:
    load_fast(t, slot)
    objects.let_go(t, t.pop(), slot)
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
    frame = t.state.frame
    if slot in frame.bytecode.free_slots:
        closures.store(t, closures.cell(t, slot), frame.bytecode.slots[slot], _storable(t.pop()))
    else:
        store_fast(t, slot)


def delete_deref(t: Tracer, slot: int) -> None:
    load_deref(t, slot)
    t.pop()
    frame = t.state.frame
    if slot in frame.bytecode.free_slots:
        closures.store(t, closures.cell(t, slot), frame.bytecode.slots[slot], UNBOUND)
    else:
        frame.locals[slot] = UNBOUND


def load_closure(t: Tracer, slot: int) -> None:
    t.push(closures.cell(t, slot))


def make_function(t: Tracer, _: Any) -> None:
    t.push(closures.make(t, t.pop()))


def set_function_attribute(t: Tracer, bit: int) -> None:
    made, value = t.pop(), t.pop()
    t.push(closures.with_attribute(made, bit, value))


def load_const(t: Tracer, value: Any) -> None:
    t.push(Known(value))


def load_global(t: Tracer, name: str) -> None:
    t.push(inputs.load_global(t, name, t.state.frame))


def store_global(t: Tracer, name: str) -> None:
    objects.store_dict_item(t, _namespace(t, name), name, _storable(t.pop()))


def delete_global(t: Tracer, name: str) -> None:
    objects.delete_dict_item(t, _namespace(t, name), name)


def _namespace(t: Tracer, name: str) -> Abstract:
    if name in _SPECIAL_NAMES or t.view.names is t.state.frame.globals:  # what a module's body stores is only written at an exit
        raise Break("opcode", f"assignment to the global {name}")
    return inputs.namespace(t, t.state.frame)


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
    value = _storable(t.pop())
    if closures.in_any(value):
        raise Break("definition", name)
    names = t.state.frame.names
    if names.get(name) is UNBOUND:
        del names[name]  # the order of a namespace is that of the first stores
    names[name] = value


# What the running frame itself may look at.
_SPECIAL_NAMES = frozenset({"__builtins__", "__annotations__"})


def load_attr(t: Tracer, name: str) -> object:
    return _result(t, calls.attribute(t, t.pop(), name))


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


def binary_op(t: Tracer, arg: tuple[str, bool]) -> object:
    symbol, inplace = arg
    left, right = t.popn(2)
    special = dunder.binary(t, symbol, left, right, inplace)
    return _result(t, operators.binary(t, symbol, left, right, inplace) if special is None else special)


def _result(t: Tracer, value: Any) -> object:
    """Pushes a result; ends the block where a function runs first."""
    if value is INLINED:
        t.block.end = t.goto(t.state)
        return END
    if value is END:
        return END
    assert isinstance(value, Abstract)
    t.push(value)
    return None


def unary_op(t: Tracer, symbol: str) -> object:
    operand = t.pop()
    special = dunder.truth(t, operand, True) if symbol == "not" else dunder.unary(t, symbol, operand)
    return _result(t, operators.unary(t, symbol, operand) if special is None else special)


def compare_op(t: Tracer, symbol: str) -> object:
    left, right = t.popn(2)
    special = dunder.compare(t, symbol, left, right)
    return _result(t, operators.compare(t, symbol, left, right) if special is None else special)


def to_bool(t: Tracer, _: Any) -> object:
    operand = t.pop()
    special = dunder.truth(t, operand)
    if special is not None:
        return _result(t, special)
    truth = operators.truth(t, operand)
    t.push(Known(truth) if isinstance(truth, bool) else Scalar(truth))
    return None


def is_op(t: Tracer, invert: int) -> None:
    left, right = t.popn(2)
    t.push(Known(operators.identical(left, right) != bool(invert)))


def contains_op(t: Tracer, invert: int) -> object:
    item, container = t.popn(2)
    special = dunder.contains(t, item, container, bool(invert))
    return _result(t, membership.contains(t, item, container, bool(invert)) if special is None else special)


def binary_subscr(t: Tracer, _: Any) -> object:
    container, index = t.popn(2)
    special = dunder.getitem(t, container, index)
    return _result(t, subscripts.load(t, container, index) if special is None else special)


def store_subscr(t: Tracer, _: Any) -> object:
    value, container, index = t.popn(3)
    if dunder.setitem(t, container, index, value) is INLINED:
        return _result(t, INLINED)
    subscripts.store(t, container, index, value)
    return None


def delete_subscr(t: Tracer, _: Any) -> None:
    container, index = t.popn(2)
    subscripts.delete(t, container, index)


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
    _push_list(t, tuple(t.popn(n)), n == 0 and not _is_extended(t))


def _push_list(t: Tracer, items: tuple[Abstract, ...], real: bool) -> None:
    """A list that is only looked at stays virtual; one that is kept, or grows, is made."""
    if real or any(_follows(t, name, 1) for name in ("STORE_FAST", "STORE_DEREF", "STORE_NAME", "STORE_ATTR")):
        t.push(objects.new_list(t, items))
    else:
        t.push(Container("list", items))


def _follows(t: Tracer, name: str, distance: int) -> bool:
    """Whether the instruction so many places further on starts with this step."""
    bytecode = t.state.frame.bytecode
    place = bytecode.instructions.index(bytecode.at(t.state.frame.pc)) + distance
    return place < len(bytecode.instructions) and bytecode.instructions[place].micros[0].name == name


_NOT_EXTENDED = ("FOR_ITER", "RETURN_VALUE", "STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR")


def _is_extended(t: Tracer) -> bool:
    """Whether the next that is done with a new list is to extend it: it is a display with stars, or the arguments of a call."""
    bytecode = t.state.frame.bytecode
    place = bytecode.instructions.index(bytecode.at(t.state.frame.pc)) + 1
    names = (instruction.micros[0].name for instruction in bytecode.instructions[place:])
    return next((name for name in names if name == "LIST_EXTEND" or name in _NOT_EXTENDED), "") == "LIST_EXTEND"


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
    if isinstance(into, Container) and into.kind == "list":  # a display with stars in it
        t.state.frame.stack[-depth] = Container("list", (*into.items, value))
        return
    if objects.class_of(into) is not list:
        raise Break("opcode", "LIST_APPEND")
    objects.append(t, into, value)


def list_to_tuple(t: Tracer, _: Any) -> None:
    items = objects.items(t, t.pop())
    if items is None:
        raise Break("opcode", "LIST_TO_TUPLE")
    t.push(Container("tuple", items))


def build_map(t: Tracer, n: int) -> None:
    parts = t.popn(2 * n)
    t.push(mappings.display(parts[::2], parts[1::2]))


def build_const_key_map(t: Tracer, n: int) -> None:
    t.push(mappings.display([Known(key) for key in _names(t)], t.popn(n)))


def dict_merge(t: Tracer, depth: int) -> None:
    other = t.pop()
    t.state.frame.stack[-depth] = mappings.merged(t.state.frame.stack[-depth], other, anew=True)


def dict_update(t: Tracer, depth: int) -> None:
    other = t.pop()
    t.state.frame.stack[-depth] = mappings.merged(t.state.frame.stack[-depth], other, anew=False)


def unpack_ex(t: Tracer, counts: int) -> None:
    before, after = counts & 255, counts >> 8
    items = objects.items(t, t.pop())
    if items is None or len(items) < before + after:
        raise Break("unsupported_type", "unpacking with a star")
    t.last_micro = False  # more is pushed than the list: an exit does the whole instruction again
    rest = objects.new_list(t, items[before : len(items) - after])
    for item in reversed((*items[:before], rest, *items[len(items) - after :])):
        t.push(item)


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


def match_sequence(t: Tracer, _: Any) -> None:
    t.push(matching.is_sequence(t.state.frame.stack[-1]))


def get_len(t: Tracer, _: Any) -> object:
    return _result(t, calls.call(t, Known(len), [t.state.frame.stack[-1]], {}))


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
        special = dunder.truth(t, tested)
        if special is INLINED:
            raise Break("unsupported_type", "truth of an object that has a method for it")
        truth = operators.truth(t, tested) if special is None else bool(special.value)
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


def get_iter(t: Tracer, _: Any) -> object:
    value = t.pop()
    special = dunder.iterator(t, value)
    return _result(t, iteration.iterator(t, value) if special is None else special)


def for_iter(t: Tracer, exhausted: int) -> object:
    return iteration.advance(t, exhausted)


def return_value(t: Tracer, _: Any) -> object:
    value = t.pop()
    if t.state.frame.consumer is not None:
        return generators.returned(t)
    closures.may_return(t, value)
    if len(t.state.frames) > 1:
        objects.let_all_go(t)
        then = t.state.frames.pop().then
        made = value if then is None else FINISHERS[then.kind](t, then, value)
        if made is not INLINED:
            caller = t.state.frame
            caller.pc = caller.bytecode.at(caller.pc).next
            if made is not None:
                t.push(made)
        t.block.end = t.goto(t.state)
        return END
    if isinstance(value, NullValue):
        raise Break("opcode", "RETURN_VALUE of NULL")
    if closures.stored_outside(t):
        return t.leave(t.exit("redo", "nonlocal_store"))
    t.returns = True
    names = stored_names(t.state.frames[0], t.entry_values)
    return t.leave(Exit("return", "return", (), names, value.recipe()))


def yield_value(t: Tracer, _: Any) -> object:
    return generators.yielded(t, t.pop())


def call(t: Tracer, arg: tuple[int, tuple[str, ...]]) -> object:
    count, keywords = arg
    return _call(t, count, keywords)


def call_kw(t: Tracer, count: int) -> object:
    return _call(t, count, _names(t))


def _names(t: Tracer) -> tuple[str, ...]:
    """The constant that the compiler put on the stack for the instruction."""
    operand = t.pop()
    if not isinstance(operand, Known):
        raise Break("opcode", "names that are not a constant")
    names: tuple[str, ...] = operand.value
    return names


def _call(t: Tracer, count: int, keywords: tuple[str, ...]) -> object:
    operands = t.popn(count)
    first, second = t.popn(2)
    if NULL_FIRST:
        callee, args = (second, operands) if first is NULL else (first, [second, *operands])
    else:
        callee, args = (first, operands) if second is NULL else (first, [second, *operands])
    positional = args[: len(args) - len(keywords)]
    named = dict(zip(keywords, args[len(args) - len(keywords) :], strict=True))
    return _result(t, calls.call(t, callee, positional, named))


def call_function_ex(t: Tracer, flags: int) -> object:
    keywords = t.pop() if flags & 1 else None
    args, named = mappings.arguments(t, t.pop(), keywords)
    first, second = t.popn(2)
    return _result(t, calls.call(t, second if NULL_FIRST else first, args, named))


def load_super_attr(t: Tracer, arg: tuple[str, bool, bool]) -> None:
    name, is_method, _ = arg
    function, cls, owner = t.popn(3)
    if not isinstance(function, Known) or function.value is not super:
        raise Break("attribute", "super that is not the built-in one")
    value = inheritance.attribute(t, cls, owner, name)
    if not is_method:
        t.push(value)
        return
    for item in value.items if isinstance(value, Container) else (NULL, value) if NULL_FIRST else (value, NULL):
        t.push(item)


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
    "DELETE_DEREF": delete_deref,
    "LOAD_CLOSURE": load_closure,
    "MAKE_FUNCTION": make_function,
    "SET_FUNCTION_ATTRIBUTE": set_function_attribute,
    "LOAD_CONST": load_const,
    "LOAD_GLOBAL": load_global,
    "LOAD_NAME": load_name,
    "STORE_NAME": store_name,
    "STORE_GLOBAL": store_global,
    "DELETE_GLOBAL": delete_global,
    "PUSH_NULL": push_null,
    "LOAD_ATTR": load_attr,
    "LOAD_METHOD": load_method,
    "STORE_ATTR": store_attr,
    "DELETE_ATTR": delete_attr,
    "BINARY_OP": binary_op,
    "UNARY_OP": unary_op,
    "COMPARE_OP": compare_op,
    "TO_BOOL": to_bool,
    "IS_OP": is_op,
    "CONTAINS_OP": contains_op,
    "BINARY_SUBSCR": binary_subscr,
    "STORE_SUBSCR": store_subscr,
    "DELETE_SUBSCR": delete_subscr,
    "BINARY_SLICE": binary_slice,
    "STORE_SLICE": store_slice,
    "BUILD_TUPLE": build_tuple,
    "BUILD_LIST": build_list,
    "LIST_EXTEND": list_extend,
    "LIST_APPEND": list_append,
    "BUILD_SLICE": build_slice,
    "UNPACK_SEQUENCE": unpack_sequence,
    "MATCH_SEQUENCE": match_sequence,
    "GET_LEN": get_len,
    "POP_TOP": pop_top,
    "COPY": copy,
    "SWAP": swap,
    "NOP": nop,
    "JUMP": jump,
    "JUMP_BACKWARD": jump,
    "POP_JUMP": pop_jump,
    "JUMP_IF_OR_POP": jump_if_or_pop,
    "BEFORE_WITH": before_with,
    "GET_ITER": get_iter,
    "FOR_ITER": for_iter,
    "RETURN_VALUE": return_value,
    "YIELD_VALUE": yield_value,
    "CALL": call,
    "CALL_KW": call_kw,
    "CALL_FUNCTION_EX": call_function_ex,
    "LOAD_SUPER_ATTR": load_super_attr,
    "LIST_TO_TUPLE": list_to_tuple,
    "BUILD_MAP": build_map,
    "BUILD_CONST_KEY_MAP": build_const_key_map,
    "DICT_MERGE": dict_merge,
    "DICT_UPDATE": dict_update,
    "UNPACK_EX": unpack_ex,
    "LOAD_ASSERTION_ERROR": load_assertion_error,
}

__all__ = ["HANDLERS", "INT", "Opaque", "const", "types"]
