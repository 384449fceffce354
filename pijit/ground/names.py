"""Names of objects of the program, found without running any of its code.

`value.__name__` and even `isinstance(value, X)` may: a module's `__getattr__`, a metaclass's `__getattribute__`, a property `__class__`.
Capture and messages look at whatever a program has; what they look at must not notice.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import numpy as np

T = TypeVar("T")

_of_class = {name: type.__dict__[name].__get__ for name in ("__name__", "__qualname__", "__module__")}
flags_of = type.__dict__["__flags__"].__get__  # of a class, without what its metaclass has to say
_HEAP_TYPE = 1 << 9
FUNCTIONS = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    np.ufunc, type(np.sum), type(np.random.default_rng),
)  # fmt: skip
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(NotImplemented), type(Ellipsis))


def is_a(value: Any, cls: type | tuple[type, ...]) -> bool:
    """isinstance() by the type alone."""
    return issubclass(type(value), cls)


def is_one_of(cls: Any, classes: Iterable[Any]) -> bool:
    """Whether a class is one of several. A metaclass may have an __eq__ and a __hash__, which `in` would call."""
    for other in classes:  # noqa: SIM110 (any() takes four times as long, and capture asks all the time)
        if other is cls:
            return True
    return False


class ByClass(Generic[T]):
    """A table by class, for which no metaclass is asked either."""

    def __init__(self, rows: dict[type, T]) -> None:
        self._classes = tuple(rows)  # kept alive: no other class gets the id of one of them
        self._rows = {id(cls): row for cls, row in rows.items()}

    def __contains__(self, cls: type) -> bool:
        return id(cls) in self._rows

    def __getitem__(self, cls: type) -> T:
        return self._rows[id(cls)]

    def get(self, cls: type) -> T | None:
        return self._rows.get(id(cls))


def class_name(cls: type, of: str = "__qualname__") -> str:
    """A class's name."""
    try:
        name = _of_class[of](cls)
    except AttributeError:  # a class may be without its module
        return ""
    return name if type(name) is str else ""


def module_of(cls: type) -> str:
    """The name of a class's module, "" when it is not known."""
    found = class_name(cls, "__module__")
    if found:
        return found
    return type.__repr__(cls)[len("<class '") : -len("'>")].rpartition(".")[0]  # Cython's classes have something else of that name


def is_heap_class(cls: type) -> bool:
    """Whether a class was made by a class statement, or as if."""
    return bool(flags_of(cls) & _HEAP_TYPE)


def package_of(value: Any) -> str:
    """The top-level package that a class or function says it is from; "" when it does not say."""
    if is_a(value, type):
        return module_of(value).partition(".")[0]
    module = getattr(value, "__module__", None) if is_a(value, FUNCTIONS) else None
    return module.partition(".")[0] if type(module) is str else ""


def name_of(value: Any) -> str | None:
    """What an object with a name is called: a class, function, or module; None for anything else."""
    cls = type(value)
    if is_a(value, type):
        return class_name(value)
    if cls is types.ModuleType:
        space = vars(value)
        name = space.get("__name__") if all(type(key) is str for key in list(space)) else None  # others have an __eq__ of their own
    elif cls is types.MethodType:
        return name_of(value.__func__)
    elif is_a(value, FUNCTIONS):
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    else:
        return None
    return name if type(name) is str else None


def short(value: Any) -> str:
    """An object in a few words: the value of what is small, else its name or its class."""
    if is_one_of(type(value), _PLAIN) or (is_a(value, (np.generic, np.dtype)) and package_of(type(value)) == "numpy"):
        text = repr(value[:60] if is_one_of(type(value), (str, bytes)) else value)
    else:
        text = name_of(value) or f"a {class_name(type(value), '__name__')}"
    return text if len(text) <= 60 else text[:57] + "..."


def is_writable(array: Any) -> bool:
    """flags.writeable of an array, without the warning that asking gives for what np.broadcast_arrays made."""
    return bool(array.flags.num & 0x0400)  # NPY_ARRAY_WRITEABLE
