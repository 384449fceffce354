"""Fragments keep no function, class or namespace of the program alive.

A code object owns its fragments in a way that the garbage collector does not see. Would a fragment own a function that a guard compares
with, the function's globals, closure and code would live as long as the code that has once met it, for ever if that is its own. So what a
guard pins down is held by a weak reference, in the guard and wherever else the fragment names it: while native code runs, what its guards
let in is alive. Once it is gone the guard can never hold again. Default values of an inlined function are owned: neither a tuple nor a dict can
be referred to weakly.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from pijit.ground.names import is_a, is_heap_class
from pijit.runtime.failures import Gone, show, type_name

Row = tuple[Any, ...]

# Kinds of rows and recipes whose operands are objects.
_PINS = frozenset({"is", "type", "object"})
_NAMES = _PINS | {"const", "python_function", "globals"}


@dataclass(frozen=True, slots=True)
class Pin:
    """An object that is held weakly, and its name."""

    held: weakref.ref[Any]
    name: Gone

    @classmethod
    def of(cls, held: weakref.ref[Any]) -> Pin:
        operand: Any = held()
        if type(operand) is CodeType:
            return cls(held, Gone(f"the code of line {operand.co_firstlineno}"))
        return cls(held, Gone(type_name(operand) if is_a(operand, type) else show(operand)))


def pinned(rows: list[Row]) -> dict[int, weakref.ref[Any]]:
    """What guards pin down that may go away before the fragment, by id."""
    found: dict[int, weakref.ref[Any]] = {}
    for row in rows:
        for operand in row[2:] if row[0] in _PINS else row[2:3] if row[0] == "python_function" else row[1] if row[0] == "class" else ():
            if is_a(operand, (FunctionType, CodeType)) or (is_a(operand, type) and is_heap_class(operand)):
                found[id(operand)] = weakref.ref(operand)
    return found


def weaken(part: Any, pins: dict[int, weakref.ref[Any]]) -> Any:
    """Rows, exits or call sites with weak references in place of what is pinned down."""
    kind = type(part)
    if kind is tuple and part and type(part[0]) is str and part[0] in _NAMES:
        return tuple(pins.get(id(item), item) for item in part)
    if kind is tuple and len(part) == 2 and type(part[0]) is str and part[0] == "class" and type(part[1]) is tuple:
        return "class", tuple(pins.get(id(item), item) for item in part[1])
    if kind in (tuple, list):
        return kind(weaken(item, pins) for item in part)
    if kind is dict:
        return {key: weaken(item, pins) for key, item in part.items()}
    return part


def recorded(row: Row) -> Row:
    """A row as messages need it: of a namespace its name, of what may go away too."""
    if row[0] == "globals":
        return "globals", {"__name__": row[1].get("__name__")}
    if row[0] == "class":
        return "class", recorded(("", *row[1]))[1:]
    return tuple(Pin.of(part) if type(part) is weakref.ref else part for part in row)


def strong(row: Row) -> Row:
    """A recorded row with the objects themselves."""
    if row[0] == "class":
        return "class", strong(("", *row[1]))[1:]
    return tuple(part if type(part) is not Pin else part.name if part.held() is None else part.held() for part in row)
