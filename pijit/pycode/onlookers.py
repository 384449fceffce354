"""Callees that look at the local variables of their callers, by sys._getframe(1).f_locals: numexpr.evaluate, DataFrame.query, patsy.

Their callers keep all their variables alive, as code does that names locals(). What is called is found by the names in the code: functions,
classes and objects among its globals, and attributes of modules there. A module looks at callers if any function that it defines does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ..ground.names import is_a, is_heap_class
from .instructions import Bytecode
from .namespaces import name_of, names_in

Namespace = dict[str, Any]

_LOOKS = frozenset({"f_locals"})
_METHODS = frozenset({"query", "eval"})  # of data frames: which object it is shows at run time only
_KNOWN = frozenset({"numpy", "numba", "llvmlite", "pijit", *sys.stdlib_module_names}) - {"__main__"}  # do not, or of themselves only
_found: dict[tuple[str, int], bool] = {}  # by name and size of a module
_members = type.__dict__["__dict__"].__get__  # of a class, whatever its metaclass says


def mark(bytecode: Bytecode, namespace: Namespace) -> None:
    """Makes every variable live in a code object that may have such callees."""
    if not bytecode.sees_frame and (_METHODS & {*bytecode.code.co_names} or any(map(_looks, _homes(bytecode.code, namespace)))):
        bytecode.sees_frame = True
        bytecode.analyses.pop("live", None)


def _homes(code: CodeType, namespace: Namespace) -> Iterator[Namespace]:
    """The globals of what the code may call, once each."""
    names, named = {*code.co_names}, names_in(namespace)
    modules = [found for name in names if type(found := named.get(name, sys.modules.get(name))) is ModuleType]
    seen = set()
    for space in (namespace, *map(vars, modules)):
        values = names_in(space)
        for name in values.keys() & names:
            function = next(_functions(values[name]), None)
            if function is not None and id(function.__globals__) not in seen:
                seen.add(id(function.__globals__))
                yield function.__globals__


def _looks(namespace: Namespace) -> bool:
    """Whether a function of a module looks at the variables of frames."""
    name = name_of(namespace)
    if name.partition(".")[0] in _KNOWN:
        return False
    key = name, len(namespace)
    if key in _found and _is_module(name, namespace):
        return _found[key]
    own = (function for value in list(names_in(namespace).values()) for function in _functions(value) if function.__globals__ is namespace)
    looks = any(_has(function.__code__) for function in own)
    if _is_module(name, namespace):
        _found[key] = looks
    return looks


def _is_module(name: str, namespace: Namespace) -> bool:
    module = sys.modules.get(name)
    return type(module) is ModuleType and vars(module) is namespace


def _functions(value: Any) -> Iterator[FunctionType]:
    """A function, or the methods of a class or of an object's class."""
    if type(value) is FunctionType:
        yield value
        return
    cls = value if is_a(value, type) else type(value)
    if is_heap_class(cls):
        yield from (inner for inner in list(_members(cls).values()) if type(inner) is FunctionType)


def _has(code: CodeType) -> bool:
    return not _LOOKS.isdisjoint(code.co_names) or any(_has(inner) for inner in code.co_consts if type(inner) is CodeType)
