"""Exceptions that are raised and handled within a fragment, by the statements of one function or of its callers.

Nobody else sees such an exception, so it is never made (exceptions.py: what a handler sees of it). What happens from the instruction that
makes it, which may be the call before the one that raises it, to the end of its handler is a transaction, like the step of a generator: an exit
in it does that instruction again, and the interpreter makes the exception with its traceback and context. So nothing may leave after something
has changed that others see. Where something would, the capture begins again and leaves what is raised there to the interpreter (`is_left`).

Source: CPython's Objects/exception_handling_notes.txt and Python/ceval.c (the instructions), Python/errors.c (PyErr_GivenExceptionMatches).
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from .. import _native
from ..ground.names import class_name, is_a, is_heap_class, is_one_of
from ..pycode.liveness import live
from . import exceptions, farewells, inline, objects
from .state import Handling, Raised, Then, Unmade
from .values import END, UNBOUND, Abstract, Break, Container, Known, items_of

if TYPE_CHECKING:
    from ..pycode.instructions import Bytecode, Instruction
    from .tracer import Tracer

MOST = 24  # exceptions of a graph that are followed: where they are raised in many places, the paths multiply


# ---- raising ---------------------------------------------------------------------------------------------------------


def made(t: Tracer, cls: Any, args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    """The exception that a call makes and the next instruction raises, where a statement here may handle it; INLINED while its __init__ runs.
    None where it is no such call."""
    frame = t.state.frame
    if not is_a(cls, type) or not t.last_micro or not may_be_handled(t) or not is_of_raise(frame.bytecode, frame.bytecode.at(frame.pc)):
        return None
    init = _init_of(t, cls)
    if init is None or (kwargs and not is_a(init, FunctionType)):
        return None
    _begin(t, cls)
    if not is_a(init, FunctionType):
        farewells.drop(args)
        return Raised("instance", (), cls=cls, args=Container("tuple", tuple(args)))
    args, kwargs = inline.given(t, [exceptions.seen(t, arg) for arg in args], {name: exceptions.seen(t, arg) for name, arg in kwargs.items()})
    farewells.drop((*args, *kwargs.values()))
    raised = Raised("instance", (), cls=cls, args=Container("tuple", tuple(args)))
    inline.push_frame(t, init, [raised, *args], kwargs, Then("made", [raised]))
    return inline.INLINED


def is_of_raise(bytecode: Bytecode, call: Instruction) -> bool:
    """Whether it is a call whose result is raised."""
    if call.opname not in ("CALL", "CALL_KW"):
        return False
    following = bytecode.at(call.next)
    operands = 1
    if following.micros[0].name in ("LOAD_CONST", "LOAD_FAST", "LOAD_FAST_CHECK"):  # raise ... from None, or from what is handled
        following = bytecode.at(following.next)
        operands = 2
    return following.opname == "RAISE_VARARGS" and following.micros[0].arg == operands


def raise_varargs(t: Tracer, count: int) -> object:
    """RAISE_VARARGS. The exception is one that a call before it has made (`made`), or it is made here, or the one that is being handled."""
    if count == 0:
        return _unwind(t, _handled(t))
    cause = t.pop() if count == 2 else Known(None)
    if not isinstance(cause, Raised) and not (isinstance(cause, Known) and cause.value is None):
        raise Break("exception_handling", "the cause of an exception")
    operand = t.pop()
    if isinstance(operand, Raised):
        return _unwind(t, operand)
    init = _init_of(t, operand.value) if isinstance(operand, Known) and is_a(operand.value, type) and may_be_handled(t) else None
    if init is None or is_a(init, FunctionType):
        raise Break("always_raises", "raise")
    assert isinstance(operand, Known)
    return throw(t, operand.value, Container("tuple", ()))


def _handled(t: Tracer) -> Raised:
    """The exception that is being handled."""
    found = next((frame.handled[-1] for frame in reversed(t.state.frames) if frame.handled), None)
    if not isinstance(found, Raised):
        raise Break("always_raises", "raise")
    return found


def throw(t: Tracer, cls: type, args: Abstract | None) -> object:
    """Raises an exception of the class in the current instruction; ``args`` as in Raised."""
    _begin(t, cls)
    return _unwind(t, Raised("instance", (), cls=cls, args=args))


def _begin(t: Tracer, cls: type) -> None:
    """Here is made what is to be raised and handled. It may be part of something: its message, or another exception that is being handled."""
    here = place(t)
    if is_left(here) or t.raises >= MOST:
        raise Break("always_raises", class_name(cls))
    t.raises += 1
    if t.state.handling is None:
        t.state.handling = Handling(here, t.checkpoint)


def may_be_handled(t: Tracer) -> bool:
    return any(frame.flow.handler(frame.pc) is not None for frame in t.state.frames)


def _init_of(t: Tracer, cls: type) -> Any:
    """The __init__ of a class of exceptions, of which making one runs nothing else of the program's; that of a built-in class takes any
    arguments. Guarded; None for other classes."""
    if not is_heap_class(cls):
        return BaseException.__init__ if is_one_of(cls, exceptions.PLAIN) else None
    built_in = [base for base in objects.mro(cls) if not is_heap_class(base) and base is not object]
    if not built_in or not exceptions.PLAIN.issuperset(built_in):
        return None
    if not all(objects.is_as_type(t, cls, name) for name in ("__call__", "__subclasscheck__")):  # `raise` asks whether it is one of its own
        return None
    found = {name: objects.class_lookup(cls, name) for name in ("__new__", "__init__", "__del__")}
    its_own = {name for name, value in found.items() if value is not objects.class_lookup(built_in[0], name)}
    if its_own and not (its_own == {"__init__"} and is_a(found["__init__"], FunctionType)):
        return None
    for name, value in found.items():
        t.guards.member(cls, name, _native.UNSET if value is objects.MISSING else value)
    t.guards.member(cls, "__mro__", objects.mro(cls))
    return found["__init__"]


def _unwind(t: Tracer, raised: Raised) -> object:
    """Goes on where an exception of the current instruction is handled. Calls that it ends are gone."""
    state = t.state
    while (handler := state.frame.flow.handler(state.frame.pc)) is None:
        if len(state.frames) == 1 or state.frame.consumer is not None:
            raise Break("always_raises", class_name(raised.cls))
        if state.frame.bytecode.cell_slots:
            raise Break("exception_handling", "an exception that ends a call whose variables a function shares")
        farewells.let_all_go(t)
        state.frames.pop()
    frame = state.frame
    farewells.drop(frame.stack[handler.depth :])
    frame.stack[handler.depth :] = [Known(frame.pc), raised] if handler.lasti else [raised]
    frame.pc = handler.pc
    t.block.end = t.goto(state)
    return END


# ---- handling --------------------------------------------------------------------------------------------------------


def push_exc_info(t: Tracer, _: Any) -> None:
    t.state.frame.handled.append(_in_flight(t))
    t.state.frame.stack.insert(-1, Known(None))  # what was handled before, which POP_EXCEPT puts back


def check_exc_match(t: Tracer, _: Any) -> None:
    wanted = t.pop()
    raised = _in_flight(t)
    classes = known(wanted)
    if len(classes) < len(items_of(wanted) or (wanted,)) or not all(is_exception(cls) for cls in classes):
        raise Break("exception_handling", "except with what are no classes of exceptions that are known")
    t.push(Known(any(objects.is_subclass(raised.cls, cls) for cls in classes)))


def known(classes: Abstract) -> list[Any]:
    """What is known of a class or a tuple of classes."""
    return [item.value for item in items_of(classes) or (classes,) if isinstance(item, Known)]


def reraise(t: Tracer, _: Any) -> object:
    raised = _in_flight(t)
    t.pop()
    return _unwind(t, raised)


def pop_except(t: Tracer, _: Any) -> None:
    """The handler ends. If it raises, the exception is on the stack, and if another handler runs, that goes on."""
    frame = t.state.frame
    if not frame.handled:
        raise Break("exception_handling", "POP_EXCEPT")
    t.pop()
    frame.handled.pop()
    if any(frame.handled or any(isinstance(value, Raised) for value in frame.stack) for frame in t.state.frames):
        return
    live_slots = live(frame.bytecode, frame.bytecode.at(frame.pc).next)
    frame.locals[:] = [UNBOUND if isinstance(value, Raised) and slot not in live_slots else value for slot, value in enumerate(frame.locals)]
    if any(map(_holds_unmade, (value for _, _, _, value in t.state.slots()))):
        raise Break("exception_handling", "the exception is kept")
    t.state.handling = None


def _holds_unmade(value: Abstract) -> bool:
    return isinstance(value, Unmade) or any(map(_holds_unmade, value.inner()))


def _in_flight(t: Tracer) -> Raised:
    found = t.state.frame.stack[-1]
    if not isinstance(found, Raised):
        raise Break("exception_handling", "an exception of the interpreter's")
    return found


def is_exception(cls: Any) -> bool:
    return is_a(cls, type) and objects.is_subclass(cls, BaseException)


# ---- what cannot be done twice ---------------------------------------------------------------------------------------


def leave_to_python(t: Tracer) -> None:
    """The capture begins again, when all ways are known that have to be left, without following the exception that is being handled."""
    assert t.state.handling is not None
    bytecode, chain = t.state.handling.place
    bytecode.analyses.setdefault("uncaught", set()).add(chain)
    t.left = True


def place(t: Tracer) -> tuple[Bytecode, tuple[Any, ...]]:
    """Where something is raised: the same instruction, called by others, may be handled by others."""
    return t.state.frame.bytecode, tuple((id(frame.bytecode), frame.pc) for frame in t.state.frames)


def is_left(where: tuple[Bytecode, tuple[Any, ...]]) -> bool:
    """Whether what is raised there is left to the interpreter. It stays known for the code object."""
    bytecode, chain = where
    return chain in bytecode.analyses.get("uncaught", ())
