"""Exceptions that are raised and handled within a fragment, by the statements of one function or of its callers.

Nobody sees such an exception, so it is never made. What happens from the instruction that raises it to the end of its handler is a transaction,
like the step of a generator: an exit in it does that instruction again, and the interpreter makes the exception with its traceback and
context. So nothing may leave after something has changed that others see. Where something would, the capture begins again and
leaves what is raised there to the interpreter (`is_left`).

Source: CPython's Objects/exception_handling_notes.txt and Python/ceval.c (the instructions), Python/errors.c (PyErr_GivenExceptionMatches).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native
from ..ground.names import class_name, is_a, is_heap_class
from ..ir.graph import Const, Value
from ..pycode.flow import ENDS
from ..pycode.liveness import live
from . import farewells, inputs, objects
from .state import Handling, Raised, Unmade
from .values import UNBOUND, Abstract, Break, Known, items_of

if TYPE_CHECKING:
    from ..pycode.instructions import Bytecode, Instruction, Micro
    from .state import FrameState
    from .tracer import Tracer

# Built-in classes that can be called with any arguments, and that nobody can tell they have been; none that iteration or attributes wait for.
_ANY_ARGUMENTS = frozenset({
    BaseException, Exception, ArithmeticError, AssertionError, BufferError, EOFError, FloatingPointError, IndexError, KeyError, LookupError,
    NotImplementedError, OverflowError, RecursionError, ReferenceError, RuntimeError, TypeError, UnicodeError, ValueError,
    ZeroDivisionError, KeyboardInterrupt,
})  # fmt: skip

_MOST = 24  # exceptions of a graph that are followed: where they are raised in many places, the paths multiply


# ---- raising ---------------------------------------------------------------------------------------------------------


def is_raised(t: Tracer, function: Any, kwargs: dict[str, Abstract]) -> bool:
    """Whether a call makes an exception that the next instruction raises, and a statement here may handle it."""
    if kwargs or not is_a(function, type) or not t.last_micro or not may_be_handled(t):
        return False
    frame = t.state.frame
    call = frame.bytecode.at(frame.pc)
    return is_of_raise(frame.bytecode, call) and _has_cause(frame, frame.bytecode.at(call.next).micros[0]) and _is_plain(t, function)


def _has_cause(frame: FrameState, step: Micro) -> bool:
    """Whether what an exception is raised from may be that: None, or an exception that is handled."""
    if step.name == "LOAD_FAST":
        return isinstance(frame.locals[step.arg], Raised)
    return step.name != "LOAD_CONST" or step.arg is None


def is_of_raise(bytecode: Bytecode, call: Instruction) -> bool:
    """Whether it is a call whose result is raised."""
    if call.opname not in ("CALL", "CALL_KW"):
        return False
    following = bytecode.at(call.next)
    operands = 1
    if following.micros[0].name in ("LOAD_CONST", "LOAD_FAST"):  # raise ... from None, or from what is handled
        following = bytecode.at(following.next)
        operands = 2
    return following.opname == "RAISE_VARARGS" and following.micros[0].arg == operands


def raise_varargs(t: Tracer, count: int) -> object:
    """RAISE_VARARGS. A call of a class before it is part of it: see is_raised."""
    handling = t.state.handling
    if count == 0 and handling is not None and handling.handled:
        return _unwind(t, handling.handled[-1])
    operand = t.state.frame.stack[-1] if count == 1 else None
    if not isinstance(operand, Known) or not is_a(operand.value, type) or not may_be_handled(t) or not _is_plain(t, operand.value):
        raise Break("always_raises", "raise")
    t.pop()
    return throw(t, operand.value, [])


def throw(t: Tracer, cls: type, args: list[Abstract]) -> object:
    """Raises an exception of the class in the current instruction."""
    frame = t.state.frame
    if is_left(frame) or t.raises >= _MOST:
        raise Break("always_raises", class_name(cls))
    farewells.drop(args)
    t.raises += 1
    if t.state.handling is None:  # else it began with its message, or another one is being handled
        t.state.handling = Handling((frame.bytecode, frame.pc), t.checkpoint)
    return _unwind(t, Raised(cls))


def may_be_handled(t: Tracer) -> bool:
    return any(frame.flow.handler(frame.pc) is not None for frame in t.state.frames)


def _is_plain(t: Tracer, cls: type) -> bool:
    """Whether making an exception of the class runs nothing of the program's, and takes any arguments; guarded."""
    if not is_heap_class(cls):
        return cls in _ANY_ARGUMENTS
    built_in = next((base for base in objects.mro(cls) if not is_heap_class(base)), None)
    if built_in not in _ANY_ARGUMENTS or not objects.is_as_type(t, cls, "__call__"):
        return False
    found = {name: objects.class_lookup(cls, name) for name in ("__new__", "__init__", "__del__")}
    assert built_in is not None
    if any(value is not objects.class_lookup(built_in, name) for name, value in found.items()):
        return False
    for name, value in found.items():
        t.guards.member(cls, name, _native.UNSET if value is objects.MISSING else value)
    t.guards.member(cls, "__mro__", objects.mro(cls))
    return True


def _unwind(t: Tracer, raised: Raised) -> object:
    """Goes on where an exception of the current instruction is handled. Calls that it ends are gone."""
    from .tracer import END

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


# ---- what operations raise -----------------------------------------------------------------------------------------------


def where(t: Tracer, condition: Value, cls: type) -> None:
    """The current instruction raises an exception of a built-in class where the condition holds; elsewhere it goes on. For what `catches`:
    else it is enough that the operation leaves before the instruction."""
    if isinstance(condition, Const):
        return

    def follow(number: int) -> None:
        if number == 1:
            return
        t.state.frames = [frame.copy() for frame in t.checkpoint]
        try:
            throw(t, cls, [])
        except Break:
            t.leave(t.exit("redo", "always_raises"))

    t.ways([lambda: condition], follow)


def catches(t: Tracer, cls: type) -> bool:
    """Whether a statement here seems to handle what the current instruction may raise, and not to look at it: to ask costs where it does not
    happen."""
    if t.state.handling is not None or is_left(t.state.frame) or t.raises >= _MOST:
        return False
    for frame in reversed(t.state.frames):
        handler = frame.flow.handler(frame.pc)
        names = () if handler is None else _caught(frame.bytecode, handler.pc)
        if names is None or any(_names(frame, name, cls) for name in names):
            return True
        if frame.consumer is not None:
            return False
    return False


def _names(frame: FrameState, name: str, cls: type) -> bool:
    spaces = (frame.globals, frame.builtins)
    found = next((value for space in spaces if (value := inputs.held(space, name)) is not objects.UNSET), None)
    return _is_exception(found) and objects.is_subclass(cls, found)  # type: ignore[arg-type]


def _caught(bytecode: Bytecode, pc: int) -> tuple[str, ...] | None:
    """The names of the classes in the `except` clauses at the beginning of a handler that do not look at the exception; None: it handles
    everything."""
    known: dict[int, tuple[str, ...] | None] = bytecode.analyses.setdefault("caught", {})
    if pc not in known:
        known[pc] = _clauses(bytecode, pc)
    return known[pc]


def _clauses(bytecode: Bytecode, pc: int) -> tuple[str, ...] | None:
    names: list[str] = []
    found: list[str] = []
    first = True
    while True:
        at = bytecode.at(pc)
        step = at.micros[0]
        pc = at.next
        if step.name == "POP_JUMP" and at.target is not None:
            first = False
            found += [] if _is_looked_at(bytecode, pc) else names
            names = []
            pc = at.target
        elif step.name in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.append(step.arg)
        elif step.name == "POP_TOP" and first:
            return None
        elif step.name not in ("PUSH_EXC_INFO", "BUILD_TUPLE", "NOP", "CHECK_EXC_MATCH"):
            return tuple(found)


def _is_looked_at(bytecode: Bytecode, pc: int) -> bool:
    """Whether a clause names the exception and uses the name."""
    at = bytecode.at(pc)
    if at.micros[0].name != "STORE_FAST":
        return at.micros[0].name != "POP_TOP"
    slot, steps = at.micros[0].arg, list(at.micros[1:])
    while (at := bytecode.at(at.next)).opname != "POP_EXCEPT" and at.opname not in ENDS:
        steps += at.micros
    return any(step.name.startswith("LOAD_FAST") and step.arg == slot for step in (*steps, *at.micros))


# ---- handling --------------------------------------------------------------------------------------------------------


def push_exc_info(t: Tracer, _: Any) -> None:
    raised = _in_flight(t)
    assert t.state.handling is not None
    t.state.handling.handled += (raised,)
    t.state.frame.stack.insert(-1, Known(None))  # what was handled before, which POP_EXCEPT puts back


def check_exc_match(t: Tracer, _: Any) -> None:
    wanted = t.pop()
    raised = _in_flight(t)
    classes = [item.value for item in items_of(wanted) or (wanted,) if isinstance(item, Known)]
    if len(classes) < len(items_of(wanted) or (wanted,)) or not all(_is_exception(cls) for cls in classes):
        raise Break("exception_handling", "except with what are no classes of exceptions that are known")
    t.push(Known(any(objects.is_subclass(raised.cls, cls) for cls in classes)))


def reraise(t: Tracer, _: Any) -> object:
    raised = _in_flight(t)
    t.pop()
    return _unwind(t, raised)


def pop_except(t: Tracer, _: Any) -> None:
    """The handler ends. If it raises, the exception is on the stack, and if another handler runs, that goes on."""
    handling = t.state.handling
    if handling is None or not handling.handled:
        raise Break("exception_handling", "POP_EXCEPT")
    t.pop()
    handling.handled = handling.handled[:-1]
    if handling.handled or any(isinstance(value, Raised) for frame in t.state.frames for value in frame.stack):
        return
    frame = t.state.frame
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


def _is_exception(cls: Any) -> bool:
    return is_a(cls, type) and objects.is_subclass(cls, BaseException)


def no_exception(value: Abstract) -> None:
    """What the program does with an exception, other than raising and catching it, is done by the interpreter."""
    if isinstance(value, Raised):
        raise Break("exception_handling", "the exception is looked at")


# ---- what cannot be done twice ---------------------------------------------------------------------------------------


def leave_to_python(t: Tracer) -> None:
    """The capture begins again without following the exception that is being handled."""
    assert t.state.handling is not None
    bytecode, pc = t.state.handling.place
    bytecode.analyses.setdefault("uncaught", set()).add(pc)
    t.again = True


def is_left(frame: FrameState) -> bool:
    """Whether what the next instruction raises is left to the interpreter. It stays known for the code object."""
    return frame.pc in frame.bytecode.analyses.get("uncaught", ())

