"""Inlining: binds arguments and pushes the frame of a Python function."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import _native
from ..pycode import onlookers
from ..pycode.flow import control_flow
from ..pycode.instructions import Bytecode, Instruction, decode
from ..pycode.namespaces import name_of
from . import closures, generators, inputs, objects, own_calls
from .cursors import RangeIterator, SequenceIterator
from .state import FrameState, Then
from .values import LAZY, UNBOUND, Abstract, Break, Container, Instance, Known, NullValue, dict_of, items_of

if TYPE_CHECKING:
    from .tracer import Tracer

_VARARGS, _VARKEYWORDS = 0x04, 0x08
_builtins_of = types.FunctionType.__dict__["__builtins__"].__get__


INLINED = object()  # the callee's frame was pushed; its result comes with RETURN_VALUE


def push_frame(
    t: Tracer, function: types.FunctionType, args: list[Abstract], kwargs: dict[str, Abstract], then: Then | None = None
) -> None:
    """Makes the function's frame the innermost one, at its first instruction. ``then``: what its result is used for."""
    if decode(function.__code__).is_generator:
        raise Break("generator", function.__qualname__)
    t.state.frames.append(_of_function(t, Known(function), args, kwargs, then))


def push_call(t: Tracer, function: Abstract, args: list[Abstract], kwargs: dict[str, Abstract]) -> object:
    """A call whose result is used as it is: INLINED, a generator, or what the function itself gives that is captured."""
    code = closures.actual_of(function).__code__
    if not own_calls.is_own(t, code):
        return _enter(t, _of_function(t, function, args, kwargs, None))
    values = _bound(t, function, args, kwargs)
    own_calls.note(t, values)
    if own_calls.is_to_be_made(t, values):
        return own_calls.call(t, function, code, values)
    actual = closures.actual_of(function)
    _allow(t, code, actual.__globals__, code.co_qualname, among=1)
    return _enter(t, _of_values(t, function, values, None))


def _enter(t: Tracer, frame: FrameState) -> object:
    if frame.bytecode.is_generator:
        return generators.suspended(frame)
    t.state.frames.append(frame)
    return INLINED


def _of_function(t: Tracer, called: Abstract, args: list[Abstract], kwargs: dict[str, Abstract], then: Then | None) -> FrameState:
    """The frame of a call of a real function. Guarded: its code, and the defaults that are used."""
    function = closures.actual_of(called)
    if getattr(function, "__pijit_skip__", False):
        raise Break("skipped", function.__qualname__)
    if name_of(function.__globals__).partition(".")[0] in ("pijit", "numba", "llvmlite"):
        raise Break("not_inlinable", function.__qualname__)
    _allow(t, function.__code__, function.__globals__, function.__qualname__)
    return _of_values(t, called, _bound(t, called, args, kwargs), then)


def _of_values(t: Tracer, called: Abstract, values: dict[int, Abstract], then: Then | None) -> FrameState:
    function = closures.actual_of(called)
    return _frame(t, function.__code__, called, function.__globals__, _builtins_of(function), values, then)


def _bound(t: Tracer, called: Abstract, args: list[Abstract], kwargs: dict[str, Abstract]) -> dict[int, Abstract]:
    """What the parameters of a real function are."""
    function = closures.actual_of(called)
    args, kwargs = given(t, args, kwargs)
    _keeps_code(t, called)
    return bind(function.__code__, function.__qualname__, lambda slot: _default(t, called, slot), args, kwargs)


def _keeps_code(t: Tracer, called: Abstract) -> None:
    function = closures.actual_of(called)
    code = function.__code__
    t.guards.check(
        closures.source_of(t, called), "python_function", code, function.__globals__,
        (function.__defaults__ is not None) + 2 * (function.__kwdefaults__ is not None),
        text=f"{function.__qualname__} has the same code",
    )  # fmt: skip


def takes(t: Tracer, callee: Abstract, names: Collection[str]) -> bool:
    """Whether a function in Python has parameters of these names, so that nobody sees in which order they are passed."""
    if isinstance(callee, Container) and callee.kind == "bound_method":
        callee = callee.items[0]
    if isinstance(callee, Known) and type(callee.value) is type and objects.is_plain(callee.value):
        callee = Known(objects.class_lookup(callee.value, "__init__"))
    if not closures.is_function(callee):
        return False
    code = closures.actual_of(callee).__code__
    if not set(names) <= set(code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]):
        return False
    _keeps_code(t, callee)
    return True


def given(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> tuple[list[Abstract], dict[str, Abstract]]:
    """The arguments as parameters hold them: a list is one, however often it is read. A generator, `zip` and the like can be read once
    (variables.load_fast)."""
    from .variables import keep

    stack, count = t.state.frame.stack, len(args) + len(kwargs)
    stack += [*args, *kwargs.values()]
    for depth in range(count, 0, -1):
        value = stack[-depth]
        if isinstance(value, RangeIterator | SequenceIterator):
            raise Break("iteration", "an iterator as argument")
        if isinstance(value, Container) and value.kind in ("list", "tuple"):
            keep(t, depth)
    values = t.popn(count)
    return values[: len(args)], dict(zip(kwargs, values[len(args) :], strict=True))


def _default(t: Tracer, called: Abstract, slot: int) -> Abstract | None:
    """What a real function has for a parameter that is not given."""
    function = closures.actual_of(called)
    code = function.__code__
    if slot < code.co_argcount:
        given = function.__defaults__ or ()
        index = slot - code.co_argcount + len(given)
        items = objects.items(t, closures.part(t, called, "__defaults__")) if index >= 0 else None
        return None if items is None else items[index]
    name, named = code.co_varnames[slot], function.__kwdefaults__
    there = type(named) is dict and inputs.held(named, name) is not objects.UNSET
    return objects.dict_item(t, closures.part(t, called, "__kwdefaults__"), name) if there else None


def push_made(t: Tracer, made: Container, args: list[Abstract], kwargs: dict[str, Abstract]) -> object:
    """The same for a function that the program makes in this fragment."""
    code, _, _, defaults, keyword_defaults = made.items
    assert isinstance(code, Known)
    name = code.value.co_qualname
    maker, globals_, builtins_ = _surroundings(t, made)
    _allow(t, code.value, globals_, name)
    iterates = code.value.co_varnames[:1] == (".0",)  # a comprehension: its argument is a new iterator, which nothing else holds
    if not iterates:
        args, kwargs = given(t, args, kwargs)
    if not isinstance(keyword_defaults, Instance | NullValue):
        raise Break("not_inlinable", f"{name}: others have seen its defaults")
    named = dict(zip(keyword_defaults.names, keyword_defaults.items, strict=True)) if isinstance(keyword_defaults, Instance) else {}
    unnamed, positional = items_of(defaults) or (), code.value.co_argcount
    first = positional - len(unnamed)

    def default(slot: int) -> Abstract | None:
        return named.get(code.value.co_varnames[slot]) if slot >= positional else unnamed[slot - first] if slot >= first else None

    values = bind(code.value, name, default, args, kwargs)
    frame = _frame(t, code.value, maker, globals_, builtins_, values, None)
    frame.made.append(made)
    return _enter(t, frame)


def _surroundings(t: Tracer, made: Container) -> tuple[Abstract | None, dict[str, Any], dict[str, Any]]:
    """The function that makes it, None for that of the root frame; globals and builtins, which are those of its maker, whoever calls it."""
    maker = made.items[1]
    if isinstance(maker, NullValue):
        root = t.state.frames[0]
        return None, root.globals, root.builtins
    actual = closures.actual_of(maker)
    return maker, actual.__globals__, _builtins_of(actual)


def _allow(t: Tracer, code: types.CodeType, globals_: dict[str, Any], name: str, among: int = 0) -> None:
    """Raises Break where a call cannot be inlined. ``among``: the first frame that must not be one of the same code: 1 for a function that is
    captured itself, which is being looked at anyway."""
    bytecode = decode(code)
    onlookers.mark(bytecode, globals_)
    if not t.last_micro:
        raise Break("not_inlinable", f"{name} in the middle of an instruction")
    if bytecode.is_generator and not (bytecode.flags & inspect.CO_GENERATOR and not bytecode.cell_slots):
        raise Break("generator", name)
    if len(t.state.frames) > t.limits.inline_depth or any(f.bytecode is bytecode for f in t.state.frames[among:]):
        raise Break("inline_limit", name)
    if not among and t.limits.large(code):
        raise Break("inline_limit", name)
    if bytecode.is_malformed or bytecode.is_wide or bytecode.sees_frame or not can_inline(code):
        raise Break("not_inlinable", name)
    if _native.monitored(code):
        raise Break("not_inlinable", f"{name}: a tool of sys.monitoring watches it")


def _frame(
    t: Tracer,
    code: types.CodeType,
    function: Abstract | None,
    globals_: dict[str, Any],
    builtins_: dict[str, Any],
    values: dict[int, Abstract],
    then: Then | None,
) -> FrameState:
    t.guards.frame("unmonitored", code, text=f"no tool of sys.monitoring watches {code.co_qualname}")
    return _beginning(decode(code), function, globals_, builtins_, values, then)


def own_frame(function: types.FunctionType, values: Sequence[Abstract]) -> FrameState:
    """The frame of a function of pijit's own, which the program does not have."""
    named = dict(enumerate(values))
    return _beginning(decode(function.__code__), Known(function), function.__globals__, _builtins_of(function), named, None)


def _beginning(
    bytecode: Bytecode,
    function: Abstract | None,
    globals_: dict[str, Any],
    builtins_: dict[str, Any],
    values: dict[int, Abstract],
    then: Then | None,
) -> FrameState:
    locals_: list[Abstract] = [UNBOUND] * len(bytecode.slots)
    for slot, value in values.items():
        locals_[slot] = value
    for slot in bytecode.free_slots:
        locals_[slot] = LAZY
    return FrameState(bytecode, control_flow(bytecode), function, globals_, builtins_, bytecode.start, locals_, then=then)


def can_inline(code: types.CodeType) -> bool:
    """Whether the body is made of instructions that capture knows, so that it does not have to leave in the middle as a rule. What only
    exceptions lead to does not count."""
    from .opcodes import HANDLERS

    bytecode = decode(code)
    known = bytecode.analyses.get("can_inline")
    if known is None:
        raises = any(micro.name == "RAISE_VARARGS" for i in bytecode.instructions for micro in i.micros)
        known = raises or all(micro.name in HANDLERS for i in _reached(bytecode) for micro in i.micros)
        bytecode.analyses["can_inline"] = known
    return bool(known)


def _reached(bytecode: Bytecode) -> Iterator[Instruction]:
    """The instructions that run when nothing raises."""
    flow = control_flow(bytecode)
    todo, seen = [bytecode.start], {bytecode.start}
    while todo:
        found = bytecode.at(todo.pop())
        yield found
        for pc in flow.next_pcs(found.pc):
            if pc not in seen:
                seen.add(pc)
                todo.append(pc)


def bind(
    code: types.CodeType,
    name: str,
    default: Callable[[int], Abstract | None],
    args: list[Abstract],
    kwargs: dict[str, Abstract],
) -> dict[int, Abstract]:
    """Slots of the parameters -> arguments, as Python binds them; ``default``: of a slot's parameter. Raises Break where Python raises TypeError."""
    names = code.co_varnames
    positional, keyword_only = code.co_argcount, code.co_kwonlyargcount
    bound: dict[int, Abstract] = dict(enumerate(args[:positional]))
    rest = args[positional:]
    slot = positional + keyword_only
    if code.co_flags & _VARARGS:
        bound[slot] = Container("tuple", tuple(rest))
    elif rest:
        raise Break("always_raises", f"{name}() takes fewer arguments")
    more: dict[str, Abstract] | None = {} if code.co_flags & _VARKEYWORDS else None
    for key, value in kwargs.items():
        try:
            index = names.index(key, code.co_posonlyargcount, positional + keyword_only)
        except ValueError:
            if more is not None:
                more[key] = value
                continue
            raise Break("always_raises", f"{name}() got an unexpected keyword") from None
        if index in bound:
            raise Break("always_raises", f"{name}() got several values for {key}")
        bound[index] = value
    if more is not None:
        bound[slot + bool(code.co_flags & _VARARGS)] = dict_of(more)
    for index in range(positional + keyword_only):
        if index not in bound:
            found = default(index)
            if found is None:
                raise Break("always_raises", f"{name}() lacks {names[index]}")
            bound[index] = found
    return bound
