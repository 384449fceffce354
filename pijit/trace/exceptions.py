"""What a handler sees of an exception that is raised within the fragment (raising.py): its class, its arguments, its text, and what a class
of the program's keeps in it. Such an exception is an instance that is never made; its traceback, cause and context are nowhere.

Source: CPython's Objects/exceptions.c (BaseException_new, BaseException_init, BaseException_str, KeyError_str).
"""

from __future__ import annotations

from collections.abc import Callable
from types import WrapperDescriptorType
from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass, replace

from ..ground.names import is_a, is_heap_class
from . import instances, objects
from .cursors import changes
from .state import Raised, Unmade
from .tables import CALLABLES
from .values import Abstract, Break, Container, Known, rebuilt

if TYPE_CHECKING:
    from .tracer import Tracer

# Built-in classes that can be called with any arguments, which are all that they keep; none that iteration or attributes wait for.
PLAIN = frozenset({
    BaseException, Exception, ArithmeticError, AssertionError, BufferError, EOFError, FloatingPointError, IndexError, KeyError, LookupError,
    NotImplementedError, OverflowError, RecursionError, ReferenceError, RuntimeError, TypeError, UnicodeError, ValueError,
    ZeroDivisionError, KeyboardInterrupt,
})  # fmt: skip
_ARGS = objects.namespace(BaseException)["args"]
# What str() is of the only argument.
_TEXTS: dict[Any, Callable[[Any], str]] = {BaseException.__str__: str, KeyError.__str__: repr}


@dataclass(frozen=True, slots=True, eq=False)
class Message(Unmade):
    """A text for an exception, which most handlers do not look at: it is put together when one does."""

    make: Callable[[Any], Abstract]


def seen(t: Tracer, value: Abstract) -> Abstract:
    """A value whose texts are looked at."""
    return rebuilt(value, lambda part: part.make(t) if isinstance(part, Message) else part, {})


def arguments(t: Tracer, raised: Raised) -> Abstract:
    """The tuple of an exception's arguments."""
    if raised.args is None or any(map(changes, raised.args.inner())):
        raise unseen()
    args = seen(t, raised.args)
    if args is not raised.args:
        instances.replace(t.state.frames, raised, replace(raised, args=args))
    return args


def unseen() -> Break:
    """The break where a handler looks at what is not known of an exception: the interpreter makes it."""
    return Break("exception_handling", "the exception is looked at")


def attribute(t: Tracer, raised: Raised, name: str) -> Any:
    """An attribute; inline.INLINED for a property."""
    cls = raised.cls
    if is_heap_class(cls):
        if not objects.is_plain(cls):
            raise unseen()
        objects.stays_plain(t, raised)
    if name == "args" and _is_of(t, cls, name, _ARGS):
        return arguments(t, raised)
    if name == "__class__" and _is_of(t, cls, name, objects.CLASS):
        return Known(cls)
    if not is_heap_class(cls) or name.startswith("__"):
        raise unseen()
    return objects.attribute(t, raised, name)


def spelled(t: Tracer, raised: Raised) -> tuple[Callable[[Any], str], Abstract]:
    """str() of an exception, and so format() without a specification: a function that gives it, and what of."""
    cls = raised.cls
    found = objects.class_lookup(cls, "__str__")
    if not is_a(found, WrapperDescriptorType) or found not in _TEXTS:
        raise unseen()
    if not _is_of(t, cls, "__str__", found) or not _is_of(t, cls, "__format__", object.__format__):
        raise unseen()
    args = objects.items(t, arguments(t, raised))
    if args is None or len(args) > 1:
        raise unseen()
    return (_TEXTS[found], args[0]) if args else (str, Known(""))


def _is_of(t: Tracer, cls: type, name: str, wanted: Any) -> bool:
    """Whether a class has something from a built-in one; guarded."""
    if objects.class_lookup(cls, name) is not wanted:
        return False
    if is_heap_class(cls):
        t.guards.member(cls, name, wanted)
    return True


def _row(cls: type) -> None:
    def init(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        """The __init__ of a built-in class, called by one of the program's; it takes instances of that class only."""
        raised = args[0] if args else None
        if not isinstance(raised, Raised) or kwargs or not objects.is_subclass(raised.cls, cls):
            raise Break("call_arguments", "__init__ of an exception")
        instances.replace(t.state.frames, raised, replace(raised, args=Container("tuple", tuple(args[1:]))))
        return Known(None)

    CALLABLES[objects.namespace(cls)["__init__"]] = init


for _cls in PLAIN:
    _row(_cls)
