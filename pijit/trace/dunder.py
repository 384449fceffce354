"""Operators and built-in functions on instances of Python classes: their special methods are inlined.

Every function gives an abstract result, inline.INLINED, or None where Python would not call a method of a Python class.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from ..ground.names import class_name, is_a, is_one_of, package_of
from . import objects
from .inline import INLINED, push_call, push_frame
from .state import Then
from .tables import lookup
from .values import Abstract, Break, Container, Instance, Known

if TYPE_CHECKING:
    from .tracer import Tracer

_NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor",
}  # fmt: skip
_COMPARISONS = {
    "<": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__"), "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"), ">": ("__gt__", "__lt__"),
    ">=": ("__ge__", "__le__"),
}  # fmt: skip
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_QUIET = (int, float, bool, complex, type(None))  # built-in types that know nothing of instances
_OF_OBJECT = frozenset(map(id, object.__dict__.values()))

Attempts = tuple[tuple[Any, bool], ...]


def class_of(value: Abstract) -> type | None:
    """The class of an instance of a Python class."""
    cls = value.cls if isinstance(value, Instance) and value.kind != "dict" else objects.class_of(value)
    if cls is None or issubclass(cls, (type, np.ndarray, np.generic)) or not objects.is_plain(cls) or package_of(cls) == "numpy":
        return None
    return cls


def method(t: Tracer, cls: type, name: str) -> types.FunctionType | None:
    """The Python function of a special method; None where the class has none of its own. Guarded."""
    found: Any = objects.class_lookup(cls, name)
    t.guards.member(cls, name, _native.UNSET if found is objects.MISSING else found)
    if found is objects.MISSING or found is None or id(found) in _OF_OBJECT:
        return None
    if not is_a(found, types.FunctionType):
        raise Break("attribute", f"{class_name(cls)}.{name}")
    function: types.FunctionType = found
    return function


def _has(cls: type, name: str) -> bool:
    found = objects.class_lookup(cls, name)
    return found is not objects.MISSING and id(found) not in _OF_OBJECT


# ---- operators -------------------------------------------------------------------------------------------------------------


def binary(t: Tracer, symbol: str, left: Abstract, right: Abstract, inplace: bool = False) -> Any:
    """left <symbol> right."""
    classes = class_of(left), class_of(right)
    if classes[0] is classes[1] is None:
        return None
    _only_quiet(left, right, symbol)
    name = _NAMES[symbol]
    attempts = _order(t, *classes, f"__{name}__", f"__r{name}__", overrides=True)
    if inplace and classes[0] is not None:
        own = method(t, classes[0], f"__i{name}__")
        attempts = attempts if own is None else ((own, False), *attempts)
    return attempt(t, left, right, attempts, symbol + "=" * inplace)


def compare(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Any:
    """left <symbol> right of the six comparisons."""
    classes = class_of(left), class_of(right)
    if classes[0] is classes[1] is None:
        return None
    _only_quiet(left, right, symbol)
    if symbol == "!=" and not all(cls is None or not _has(cls, "__eq__") or _has(cls, "__ne__") for cls in classes):
        raise Break("unsupported_type", "!= by way of __eq__")
    return attempt(t, left, right, _order(t, *classes, *_COMPARISONS[symbol], overrides=False), symbol)


def _only_quiet(left: Abstract, right: Abstract, symbol: str) -> None:
    from .functions.rows import type_of
    from .operators import describe

    for value in (left, right):
        if class_of(value) is None and not is_one_of(type_of(value), _QUIET):
            raise Break("unsupported_type", f"{describe(left)} {symbol} {describe(right)}")


def _order(t: Tracer, left: type | None, right: type | None, name: str, reflected: str, overrides: bool) -> Attempts:
    """The methods that Python tries, with whether the right operand is the self."""
    first = None if left is None else method(t, left, name)
    other = right is not None and (left is not right or not overrides)
    second = method(t, right, reflected) if other and right is not None else None
    attempts = [(first, False), (second, True)]
    if second is not None and left is not None and right is not None and left is not right and objects.is_subclass(right, left):
        attempts = attempts[::-1] if not overrides or objects.class_lookup(left, reflected) is not second else attempts
    return tuple((function, swapped) for function, swapped in attempts if function is not None)


def attempt(t: Tracer, left: Abstract, right: Abstract, attempts: Attempts, symbol: str) -> Any:
    """Calls the first of the methods; the others follow where it gives NotImplemented."""
    if not attempts:
        if symbol in ("==", "!="):
            from .sameness import identical

            return identical(t, left, right, symbol == "!=")
        raise Break("always_raises", f"{symbol} of these operands")
    (function, swapped), *rest = attempts
    args = [right, left] if swapped else [left, right]
    push_frame(t, function, args, {}, Then("operator", [left, right], (tuple(rest), symbol)))
    return INLINED


def unary(t: Tracer, symbol: str, operand: Abstract) -> Any:
    """-x, +x, ~x."""
    cls = class_of(operand) if symbol in _UNARY else None
    return None if cls is None else _call(t, cls, _UNARY[symbol], [operand])


def truth(t: Tracer, operand: Abstract, invert: bool = False) -> Any:
    """bool(operand), or not operand."""
    cls = class_of(operand)
    if cls is None or issubclass(cls, tuple):
        return None
    found = method(t, cls, "__bool__")
    if found is not None:
        push_frame(t, found, [operand], {}, Then("bool", [], (invert,)))
        return INLINED
    found = method(t, cls, "__len__")
    if found is not None:
        push_frame(t, found, [operand], {}, Then("not" if invert else "truth", []))
        return INLINED
    return Known(not invert)


# ---- items -----------------------------------------------------------------------------------------------------------------


def getitem(t: Tracer, owner: Abstract, index: Abstract) -> Any:
    """owner[index]."""
    return _of_items(t, owner, "__getitem__", [index], None)


def setitem(t: Tracer, owner: Abstract, index: Abstract, value: Abstract) -> Any:
    """owner[index] = value."""
    return _of_items(t, owner, "__setitem__", [index, value], "nothing")


def contains(t: Tracer, item: Abstract, container: Abstract, invert: bool) -> Any:
    """item in container."""
    return _of_items(t, container, "__contains__", [item], "not" if invert else "truth")


def iterator(t: Tracer, owner: Abstract) -> Any:
    """iter(owner)."""
    return _of_items(t, owner, "__iter__", [], None)


def _of_items(t: Tracer, owner: Abstract, name: str, args: list[Abstract], kind: str | None) -> Any:
    cls = class_of(owner)
    if cls is None or issubclass(cls, (tuple, list, dict, set, frozenset, str, bytes)):
        return None
    return _call(t, cls, name, [owner, *args], kind)


def _call(t: Tracer, cls: type, name: str, args: list[Abstract], kind: str | None = None) -> Any:
    found = method(t, cls, name)
    if found is None:
        raise Break("unsupported_type", f"{class_name(cls)} without {name}")
    if kind is None and name == "__iter__":
        return push_call(t, Known(found), args, {})
    push_frame(t, found, args, {}, None if kind is None else Then(kind, []))
    return INLINED


# ---- built-in functions ------------------------------------------------------------------------------------------------------


def _abs(t: Tracer, operand: Abstract) -> Any:
    cls = class_of(operand)
    return None if cls is None else _call(t, cls, "__abs__", [operand])


def _len(t: Tracer, operand: Abstract) -> Any:
    return _of_items(t, operand, "__len__", [], "length")


FUNCTIONS: dict[Any, Callable[[Any, Any], Any]] = {abs: _abs, len: _len, bool: truth}


def function(t: Tracer, callee: Any, args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    """A built-in function of one instance."""
    row = lookup(FUNCTIONS, callee) if len(args) == 1 and not kwargs else None
    return None if row is None else row(t, args[0])


# ---- with ------------------------------------------------------------------------------------------------------------------


def enter(t: Tracer, manager: Abstract) -> Any:
    """The start of a with statement: __exit__, bound, is pushed, and __enter__ called."""
    cls = class_of(manager)
    if cls is None:
        return None
    entering, leaving = method(t, cls, "__enter__"), method(t, cls, "__exit__")
    if entering is None or leaving is None:
        raise Break("always_raises", f"{class_name(cls)} is no context manager")
    t.push(Container("bound_method", (Known(leaving), manager)))
    push_frame(t, entering, [manager], {})
    return INLINED

