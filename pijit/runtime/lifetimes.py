"""Fragments keep no function, class, module or namespace of the program alive.

A code object owns its fragments in a way that the garbage collector does not see. Would a fragment own a function that a guard compares
with, the function's globals, closure and code would live as long as the code that has once met it, for ever if that is its own. So what a
guard pins down is held by a weak reference, in the guard and wherever else the fragment names it: while native code runs, what its guards
let in is alive. Once it is gone the guard can never hold again. What a function was made with (cells, defaults) is no part of the guard: it is
read from the function each time.

NumPy's own dtypes never go; a fragment names them without a reference, so that a program that counts those finds its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from pijit import _native
from pijit.ground.names import is_a, is_heap_class, is_one_of
from pijit.ground.records import dataclass
from pijit.pycode.namespaces import names_in
from pijit.runtime.failures import DTYPES, Gone, told

Row = tuple[Any, ...]
Held = weakref.ref[Any] | _native.Lasting

# Kinds of rows and recipes whose operands are objects.
_PINS = frozenset({"is", "type", "object"})
_CLASSES = frozenset({"type", "object", "const"})  # those whose operands may be classes
_NAMES = _PINS | {"const", "python_function", "unmonitored", "globals"}


@dataclass(frozen=True, slots=True)
class Pin:
    """An object that is not owned, and its name."""

    held: Held
    name: Gone

    @classmethod
    def of(cls, held: Held) -> Pin:
        return cls(held, Gone(told(held())))


def pinned(rows: list[Row], sites: list[Row]) -> dict[int, weakref.ref[Any]]:
    """What guards pin down that may go away before the fragment, by id; and the classes that sites ask for, of which nothing is found any more
    once they are gone."""
    found: dict[int, weakref.ref[Any]] = {}
    for row in rows:
        for operand in _compared(row):
            if _may_go(operand):
                found[id(operand)] = weakref.ref(operand)
                if type(operand) is CodeType:  # what functions are made of while it is inlined
                    found |= {id(inner): weakref.ref(inner) for inner in _inside(operand)}
    for cls in _asked_for(sites):
        found[id(cls)] = weakref.ref(cls)
    return found


def _asked_for(part: Any) -> Iterator[type]:
    if type(part) is dict:
        part = tuple(part.values())
    if is_one_of(type(part), (tuple, list)):
        if part and type(part[0]) is str and part[0] in _CLASSES:
            yield from (operand for operand in part[1:] if is_a(operand, type) and is_heap_class(operand))
        for inner in part:
            yield from _asked_for(inner)


def _inside(code: CodeType) -> Iterator[CodeType]:
    """The code objects among the constants of a code object."""
    for inner in code.co_consts:
        if type(inner) is CodeType:
            yield inner
            yield from _inside(inner)


def _may_go(operand: Any) -> bool:
    """Classes in C stay, and functions in C where their modules have them; what else can be referred to weakly may go."""
    if is_a(operand, type):
        return is_heap_class(operand)
    if type(operand) is BuiltinFunctionType:
        home = operand.__self__
        return type(home) is not ModuleType or names_in(vars(home)).get(operand.__name__) is not operand
    return is_a(operand, (FunctionType, CodeType, MethodType, ModuleType, partial))


def _compared(row: Row) -> Iterator[Any]:
    """The objects that a row compares with."""
    if row[0] == "class":
        for part in row[1]:
            yield from part if type(part) is tuple else (part,)
    else:
        yield from row[2:] if row[0] in _PINS else row[2:3] if row[0] == "python_function" else ()


def weaken(part: Any, pins: dict[int, weakref.ref[Any]]) -> Any:
    """Rows, exits or call sites with weak references in place of what is pinned down."""
    kind = type(part)
    if kind is tuple and part and type(part[0]) is str and part[0] in _NAMES:
        return tuple(_unowned(item, pins) for item in part)
    if kind is tuple and len(part) > 1 and part[0] in ("class", "instance") and type(part[1]) is tuple:
        return (part[0], _weak(part[1], pins), *(weaken(item, pins) for item in part[2:]))
    if kind is tuple and len(part) > 1 and part[0] == "function" and type(part[1]) is CodeType:
        return (part[0], pins.get(id(part[1]), part[1]), *(weaken(item, pins) for item in part[2:]))
    if is_one_of(kind, (tuple, list)):
        return kind(weaken(item, pins) for item in part)
    if kind is dict:
        return {key: weaken(item, pins) for key, item in part.items()}
    return part


def _unowned(item: Any, pins: dict[int, weakref.ref[Any]]) -> Any:
    if is_a(item, np.dtype) and DTYPES.get(item.num) is item:
        return _native.lasting(item)
    return pins.get(id(item), item)


def _weak(parts: tuple[Any, ...], pins: dict[int, weakref.ref[Any]]) -> tuple[Any, ...]:
    return _each(parts, lambda part: pins.get(id(part), part))


def _each(parts: tuple[Any, ...], change: Callable[[Any], Any]) -> tuple[Any, ...]:
    return tuple(_each(part, change) if type(part) is tuple else change(part) for part in parts)


def recorded(row: Row) -> Row:
    """A row as messages need it: of a namespace its name, of what may go away too."""
    if row[0] in ("globals", "python_function"):
        row = tuple({"__name__": part.get("__name__")} if is_a(part, dict) else part for part in row)
    if row[0] == "class":
        return _each(row, _named)
    return tuple(map(_named, row))


def _named(part: Any) -> Any:
    return Pin.of(part) if is_one_of(type(part), (weakref.ref, _native.Lasting)) else part


def strong(row: Row) -> Row:
    """A recorded row with the objects themselves."""
    return _each(row, _held) if row[0] == "class" else tuple(map(_held, row))


def is_like(wanted: Any, got: Any) -> bool:
    """Whether an object has come in the place of another that may be another one each time."""
    if is_a(got, FunctionType):
        return type(wanted) is Gone or (is_a(wanted, FunctionType) and wanted.__code__ is got.__code__)
    return type(got) is type(wanted) or type(wanted) is Gone or (is_a(wanted, (str, bytes)) and is_a(got, (str, bytes)))


def _held(part: Any) -> Any:
    if type(part) is not Pin:
        return part
    held = part.held()
    return part.name if held is None else held
