"""Handlers: one row per normalised instruction (see pycode). A handler works on the tracer; END says that it ended the block."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Exit, Value
from . import (
    calls,
    closures,
    columns,
    displays,
    dunder,
    errstate,
    farewells,
    formatting,
    generators,
    inheritance,
    iteration,
    mappings,
    membership,
    operators,
    outliving,
    raising,
    sameness,
    subscripts,
    variables,
)
from .frames import stored_names
from .handlers import NULL_FIRST, Handler, names_operand, result
from .inline import INLINED
from .results import FINISHERS
from .state import Raised, Traceback
from .tracer import Tracer
from .values import END, NULL, Break, Container, Instance, Known, NullValue, Scalar
from .variables import storable

# ---- operators ------------------------------------------------------------------------------------------------------


def binary_op(t: Tracer, arg: tuple[str, bool]) -> object:
    symbol, inplace = arg
    left, right = t.popn(2)
    special = dunder.binary(t, symbol, left, right, inplace)
    return result(t, operators.binary(t, symbol, left, right, inplace) if special is None else special)


def unary_op(t: Tracer, symbol: str) -> object:
    operand = t.pop()
    special = dunder.truth(t, operand, True) if symbol == "not" else dunder.unary(t, symbol, operand)
    return result(t, operators.unary(t, symbol, operand) if special is None else special)


def compare_op(t: Tracer, symbol: str) -> object:
    left, right = t.popn(2)
    special = dunder.compare(t, symbol, left, right)
    return result(t, operators.compare(t, symbol, left, right) if special is None else special)


def to_bool(t: Tracer, _: Any) -> object:
    operand = t.pop()
    special = dunder.truth(t, operand)
    if special is not None:
        return result(t, special)
    truth = operators.truth(t, operand)
    t.push(Known(truth) if isinstance(truth, bool) else Scalar(truth))
    return None


def is_op(t: Tracer, invert: int) -> None:
    left, right = t.popn(2)
    t.push(sameness.identical(t, left, right, bool(invert)))


def contains_op(t: Tracer, invert: int) -> object:
    item, container = t.popn(2)
    special = dunder.contains(t, item, container, bool(invert))
    return result(t, membership.contains(t, item, container, bool(invert)) if special is None else special)


def binary_subscr(t: Tracer, _: Any) -> object:
    container, index = t.popn(2)
    special = dunder.getitem(t, container, index)
    if special is not None:
        return result(t, special)
    return result(t, columns.read(t, container, index, lambda: subscripts.load(t, container, index)))


def store_subscr(t: Tracer, _: Any) -> object:
    if isinstance(into := t.state.frame.stack[-2], Instance) and into.kind == "dict":
        variables.keep(t, 3)
    value, container, index = t.popn(3)
    if dunder.setitem(t, container, index, value) is INLINED:
        return result(t, INLINED)
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


# ---- the stack ------------------------------------------------------------------------------------------------------


def pop_top(t: Tracer, _: Any) -> None:
    farewells.drop((t.pop(),))


def copy(t: Tracer, n: int) -> None:
    t.push(storable(t.state.frame.stack[-n]))


def swap(t: Tracer, n: int) -> None:
    stack = t.state.frame.stack
    stack[-1], stack[-n] = stack[-n], stack[-1]


def nop(t: Tracer, _: Any) -> None:
    return None


# ---- control flow ---------------------------------------------------------------------------------------------------


def jump(t: Tracer, target: int) -> object:
    return t.jump(target)


def pop_jump(t: Tracer, arg: tuple[str, int]) -> object:
    wanted, target = arg
    tested = t.pop()
    if wanted in ("none", "not_none"):
        condition: Value | bool = sameness.is_none(t, tested) == (wanted == "none")
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
    return t.branch(condition, states[0], states[1])


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


def before_with(t: Tracer, _: Any) -> object:
    manager = t.pop()
    if errstate.is_manager(manager):
        return result(t, errstate.start(t, manager))
    if dunder.enter(t, manager) is None:
        raise Break("exception_handling", "BEFORE_WITH")
    return result(t, INLINED)


def with_except_start(t: Tracer, _: Any) -> object:
    """The manager is told what was raised; it says whether that ends here."""
    leaving, _lasti, _before, raised = t.state.frame.stack[-4:]
    if not isinstance(raised, Raised):
        raise Break("exception_handling", "an exception of the interpreter's")
    return result(t, calls.call(t, leaving, [Known(raised.cls), raised, Traceback()], {}))


def get_iter(t: Tracer, _: Any) -> object:
    value = t.pop()
    special = dunder.iterator(t, value)
    return result(t, iteration.iterator(t, value) if special is None else special)


def for_iter(t: Tracer, exhausted: int) -> object:
    return iteration.advance(t, exhausted)


def return_value(t: Tracer, _: Any) -> object:
    value = t.pop()
    if t.state.frame.consumer is not None:
        return generators.returned(t)
    value = outliving.outlive(t, value)
    if len(t.state.frames) > 1:
        farewells.let_all_go(t)
        callee = t.state.frames.pop()
        then = callee.then
        made = value if then is None else FINISHERS[then.kind](t, then, value)
        if made is not INLINED:
            caller = t.state.frame
            caller.pc = caller.bytecode.at(caller.pc).next
            if made is not None:
                t.push(made)
        t.block.end = t.goto(t.state, meets=callee.flow.returns > 1 and made is not INLINED)
        return END
    if isinstance(value, NullValue):
        raise Break("opcode", "RETURN_VALUE of NULL")
    if closures.stored_outside(t):
        return t.leave(t.exit("redo", "nonlocal_store"))
    if farewells.has_last_words(t):
        return t.leave(t.exit("redo", "side_effect"))
    t.returns = True
    t.given.append(value)
    names = stored_names(t.state.frames[0], t.entry_values)
    return t.leave(Exit("return", "return", (), names, value.recipe()))


def yield_value(t: Tracer, _: Any) -> object:
    return generators.yielded(t, t.pop())


def call(t: Tracer, arg: tuple[int, tuple[str, ...]]) -> object:
    count, keywords = arg
    return _call(t, count, keywords)


def call_kw(t: Tracer, count: int) -> object:
    return _call(t, count, names_operand(t))


def _call(t: Tracer, count: int, keywords: tuple[str, ...]) -> object:
    operands = t.popn(count)
    first, second = t.popn(2)
    if NULL_FIRST:
        callee, args = (second, operands) if first is NULL else (first, [second, *operands])
    else:
        callee, args = (first, operands) if second is NULL else (first, [second, *operands])
    positional = args[: len(args) - len(keywords)]
    named = dict(zip(keywords, args[len(args) - len(keywords) :], strict=True))
    return result(t, calls.call(t, callee, positional, named))


def call_function_ex(t: Tracer, flags: int) -> object:
    keywords = t.pop() if flags & 1 else None
    args, named = mappings.arguments(t, t.pop(), keywords)
    first, second = t.popn(2)
    return result(t, calls.call(t, second if NULL_FIRST else first, args, named))


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


HANDLERS: dict[str, Handler] = {
    **variables.HANDLERS,
    **displays.HANDLERS,
    **formatting.HANDLERS,
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
    "POP_TOP": pop_top,
    "COPY": copy,
    "SWAP": swap,
    "NOP": nop,
    "JUMP": jump,
    "JUMP_BACKWARD": jump,
    "POP_JUMP": pop_jump,
    "JUMP_IF_OR_POP": jump_if_or_pop,
    "BEFORE_WITH": before_with,
    "WITH_EXCEPT_START": with_except_start,
    "GET_ITER": get_iter,
    "FOR_ITER": for_iter,
    "RETURN_VALUE": return_value,
    "YIELD_VALUE": yield_value,
    "CALL": call,
    "CALL_KW": call_kw,
    "CALL_FUNCTION_EX": call_function_ex,
    "LOAD_SUPER_ATTR": load_super_attr,
    "RAISE_VARARGS": raising.raise_varargs,
    "RERAISE": raising.reraise,
    "PUSH_EXC_INFO": raising.push_exc_info,
    "CHECK_EXC_MATCH": raising.check_exc_match,
    "POP_EXCEPT": raising.pop_except,
    "LOAD_ASSERTION_ERROR": load_assertion_error,
}

