"""Inlining: binds arguments and pushes the frame of a Python function."""

from __future__ import annotations

import builtins
import types
from typing import TYPE_CHECKING, Any

from ..pycode.flow import control_flow
from ..pycode.instructions import decode
from . import sources
from .state import FrameState, Then
from .values import LAZY, UNBOUND, Abstract, Break, Container, Instance, Known, RangeIterator, SequenceIterator

if TYPE_CHECKING:
    from .tracer import Tracer

_VARARGS, _VARKEYWORDS = 0x04, 0x08


INLINED = object()  # the callee's frame was pushed; its result comes with RETURN_VALUE


def push_frame(
    t: Tracer, function: types.FunctionType, args: list[Abstract], kwargs: dict[str, Abstract], then: Then | None = None
) -> None:
    """Makes the function's frame the innermost one, at its first instruction. ``then``: what its result is used for.

    Guarded: the function's code and defaults. The function object itself is known: whoever loaded it guards it.
    """
    code = function.__code__
    bytecode = decode(code)
    if getattr(function, "__pijit_skip__", False):
        raise Break("skipped", function.__qualname__)
    if not t.last_micro:
        raise Break("not_inlinable", f"{function.__qualname__} in the middle of an instruction")
    if bytecode.is_generator:
        raise Break("generator", function.__qualname__)
    if len(t.state.frames) > t.limits.inline_depth or any(f.bytecode is bytecode for f in t.state.frames):
        raise Break("inline_limit", function.__qualname__)
    if bytecode.is_malformed or bytecode.sees_frame or function.__globals__.get("__name__", "").partition(".")[0] in ("pijit", "numba", "llvmlite"):
        raise Break("not_inlinable", function.__qualname__)
    if not can_inline(function):
        raise Break("not_inlinable", function.__qualname__)
    if any(isinstance(value, RangeIterator | SequenceIterator) for value in (*args, *kwargs.values())):
        raise Break("iteration", "an iterator as argument")
    values = bind(function, args, kwargs)
    t.guards.check(
        sources.constant(function, function.__qualname__), "python_function", code, function.__defaults__, function.__kwdefaults__,
        text=f"{function.__qualname__} has the same code and defaults",
    )  # fmt: skip
    locals_: list[Abstract] = [UNBOUND] * len(bytecode.slots)
    for slot, value in values.items():
        locals_[slot] = value
    for slot in bytecode.free_slots:
        locals_[slot] = LAZY
    flow = control_flow(bytecode)
    builtins_ = function.__globals__.get("__builtins__", builtins)
    namespace: dict[str, Any] = vars(builtins_) if type(builtins_) is types.ModuleType else builtins_
    t.state.frames.append(FrameState(bytecode, flow, function, function.__globals__, namespace, bytecode.start, locals_, then=then))


def can_inline(function: types.FunctionType) -> bool:
    """Whether the body is made of instructions that capture knows, so that it does not have to leave in the middle as a rule."""
    from .opcodes import HANDLERS

    bytecode = decode(function.__code__)
    flow = control_flow(bytecode)
    reached = [i for i in bytecode.instructions[:400] if i.pc >= bytecode.start and flow.stack_depth(i.pc) is not None]
    return all(micro.name in HANDLERS for i in reached for micro in i.micros) or any(
        micro.name == "RAISE_VARARGS" for i in bytecode.instructions for micro in i.micros
    )


def bind(function: types.FunctionType, args: list[Abstract], kwargs: dict[str, Abstract]) -> dict[int, Abstract]:
    """Slots of the parameters -> arguments, as Python binds them. Raises Break where Python raises TypeError."""
    code = function.__code__
    names = code.co_varnames
    positional, keyword_only = code.co_argcount, code.co_kwonlyargcount
    bound: dict[int, Abstract] = dict(enumerate(args[:positional]))
    rest = args[positional:]
    slot = positional + keyword_only
    if code.co_flags & _VARARGS:
        bound[slot] = Container("tuple", tuple(rest))
    elif rest:
        raise Break("always_raises", f"{function.__qualname__}() takes fewer arguments")
    more: dict[str, Abstract] | None = {} if code.co_flags & _VARKEYWORDS else None
    for name, value in kwargs.items():
        try:
            index = names.index(name, code.co_posonlyargcount, positional + keyword_only)
        except ValueError:
            if more is not None:
                more[name] = value
                continue
            raise Break("always_raises", f"{function.__qualname__}() got an unexpected keyword") from None
        if index in bound:
            raise Break("always_raises", f"{function.__qualname__}() got several values for {name}")
        bound[index] = value
    if more is not None:
        bound[slot + bool(code.co_flags & _VARARGS)] = Instance("dict", tuple(more.values()), cls=dict, names=tuple(more))
    defaults = function.__defaults__ or ()
    for index, value in zip(range(positional - len(defaults), positional), defaults, strict=True):
        bound.setdefault(index, Known(value))
    keyword_defaults = function.__kwdefaults__ or {}
    for index in range(positional, positional + keyword_only):
        if names[index] in keyword_defaults:
            bound.setdefault(index, Known(keyword_defaults[names[index]]))
    missing = [names[i] for i in range(positional + keyword_only) if i not in bound]
    if missing:
        raise Break("always_raises", f"{function.__qualname__}() lacks {missing[0]}")
    return bound
