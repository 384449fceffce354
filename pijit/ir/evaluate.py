"""What the reference evaluator is made of: the objects of values, recipes, types, exits."""

from __future__ import annotations

import itertools
import types
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import _native
from ..ground.names import class_name, is_writable
from .graph import Box, Build, Const, Known, Null, Op, Recipe, Value
from .types import BOOL, COMPLEX, FLOAT, INT, Array, Np, Obj, Scalar, Type
from .ufuncs import function

# What an operation raises or warns where the interpreter must do it.
TROUBLE = (ArithmeticError, ValueError, TypeError, MemoryError, Warning)


class Env(dict[Value, Any]):
    """The objects of the values that were computed; ``error``: what a call raised, for a "raise" exit."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.kept: dict[tuple[int, int], Any] = {}  # by store and place

    error: BaseException | None = None
    force_exit: int | None = None
    root: Callable[[], Any] | None = None

    def of(self, value: Value) -> Any:
        """The object of a value."""
        return value.value if isinstance(value, Const) else self[value]


class Taken(Exception):
    """An operation takes its exit of this name."""

    def __init__(self, name: str = "redo") -> None:
        super().__init__(name)
        self.name = name


class Results(tuple[Any, ...]):
    """The results of an operation that may have one or several."""

    __slots__ = ()


def demand(condition: bool) -> None:
    if not condition:
        raise Taken


def careful(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turns floating-point flags, warnings and errors into the redo exit."""

    def evaluate(op: Op, *args: Any) -> Any:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                return function(op, *args)
            except TROUBLE:
                raise Taken from None

    return evaluate


def elementwise(ufunc: str, args: Sequence[Any], dtype: str) -> Any:
    """One NumPy operation; ``cast`` and ``where`` are no ufuncs."""
    if ufunc == "cast":
        return np.asarray(args[0]).astype(dtype)
    if ufunc == "where":
        return np.where(*args)
    return function(ufunc)(*args)


# ---- recipes ---------------------------------------------------------------------------------------------------------------


def rebuild(recipe: Recipe, env: Env) -> Any:
    """The object that a recipe describes, None for Null (not for Keep and Unset, which describe slots)."""
    match recipe:
        case Null():
            return None
        case Known(value):
            return value
        case Box(value):
            return env.of(value)
        case Build("function", (code, Null(), *rest)) if env.root is not None:
            return _function(rebuild(code, env), env.root(), *(rebuild(item, env) for item in rest))
        case Build(kind, items):
            return BUILDERS[kind](*(rebuild(item, env) for item in items))
    raise TypeError(f"{recipe!r} describes no object")


def _instance(head: tuple[Any, ...], *values: Any) -> Any:
    made = object.__new__(head[0])
    for name, value in zip(head[1:], values, strict=True):
        object.__setattr__(made, name, value)
    return made


def _function(code: Any, maker: Any, closure: Any, defaults: Any, keyword_defaults: Any) -> Any:
    made = types.FunctionType(code, maker.__globals__, None, defaults, closure)
    made.__kwdefaults__ = keyword_defaults
    return made


def _item(value: Any, index: int) -> Any:
    if type(value) is not tuple and type(value) is not list:
        raise LookupError
    return value[index]


def _dict_item(value: Any, name: str) -> Any:
    """Other keys have an __eq__ of their own, which looking a name up would ask."""
    if not _native.only_names(value):
        raise LookupError
    return value[name]


# Rows that load: the object and the operand of the row.
LOADS: dict[str, Callable[[Any, Any], Any]] = {
    "item": _item,
    "tuple_item": lambda value, index: tuple.__getitem__(value, index),
    **dict.fromkeys(("field", "part"), lambda value, name: object.__getattribute__(value, name)),
    "dict_item": _dict_item,
}


def _one_of(which: int, number: Any, items: list[Any] | None, *inputs: Any) -> Any:
    """The object that a number is: an item of a list if it is this very number, NaN included; one that came in; or a new one."""
    if which < -1:
        return inputs[-2 - which]
    return _if_same(items[which] if items is not None and 0 <= which < len(items) else None, number)


def _loaded(number: Any, owner: Any, row: tuple[Any, ...]) -> Any:
    kind, _, which = row
    try:
        return _if_same(LOADS[kind](owner, which), number)
    except (LookupError, AttributeError):
        return number


def _if_same(held: Any, number: Any) -> Any:
    return held if type(held) is type(number) and repr(held) == repr(number) else number


BUILDERS: dict[str, Callable[..., Any]] = {
    "one_of": _one_of,
    "loaded": _loaded,
    "tuple": lambda *items: items,
    "list": lambda *items: list(items),
    "slice": slice,
    "complex": complex,
    "bound_method": lambda function, owner: function.__get__(owner, type(owner)),
    "iterator": iter,
    "enumerate": enumerate,
    "zip": zip,
    "map": map,
    "map_together": map,
    "filter": filter,
    "count": itertools.count,
    "zip_strict": partial(zip, strict=True),
    "reversed": reversed,
    "record": tuple.__new__,
    "super": super,
    "dict_keys": dict.keys,
    "dict_values": dict.values,
    "dict_items": dict.items,
    "instance": _instance,
    "dict": lambda *parts: dict(zip(parts[::2], parts[1::2], strict=True)),
    "range": range,
    "range_iterator": lambda start, stop, step: iter(range(start, stop, step)),
    "iterator_at": _native.iterator_after,
    "function": _function,
    "cell": lambda depth, slot: types.CellType(),  # of what is in a dead variable: nobody calls it
    "root_cell": lambda slot: types.CellType(),
    "cell_of": lambda function, index: function.__closure__[index],
}


# ---- what fits a type ------------------------------------------------------------------------------------------------------


def fits(value: Any, type: Type) -> bool:
    """Whether an object is of a graph type."""
    return _FITS[type.__class__](value, type)


def _fits_array(value: Any, type: Array) -> bool:
    if type_of(value) is not np.ndarray or value.dtype != type.dtype or value.ndim != type.ndim:
        return False
    flags = value.flags
    orders = {
        "C": flags.c_contiguous,
        "F": flags.f_contiguous and not flags.c_contiguous,
        "A": True,
        "S": _sorted(value.strides),
    }
    return orders[type.order] and is_writable(value) == type.writable


def _sorted(strides: tuple[int, ...]) -> bool:
    return all(stride > 0 for stride in strides) and list(strides) == sorted(strides, reverse=True)


type_of: Callable[[Any], Any] = type  # also of what has a __class__ or __getattribute__ of its own
PYTHON = {INT: int, FLOAT: float, BOOL: bool, COMPLEX: complex}

_FITS: dict[type[Type], Callable[[Any, Any], bool]] = {
    Scalar: lambda value, type: type_of(value) is PYTHON[type] and (type != INT or in_64(value)),
    Np: lambda value, type: type_of(value) is type.dtype.type,
    Array: _fits_array,
    Obj: lambda value, wanted: wanted.name in ("object", class_name(type(value))),
}


def in_64(value: Any) -> bool:
    return bool(-(2**63) <= value < 2**63)
