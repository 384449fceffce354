"""What the rows share: registration, folding of constants, scalars of the graph as abstract values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.names import is_one_of
from ...ir.graph import Const, Value
from ...ir.types import BOOL, FLOAT, HALVES, INT, Np, Type
from ...ir.types import Scalar as ScalarType
from ..operators import as_int, cast, describe
from ..tables import CALLABLES, Handler
from ..values import Abstract, ArrayValue, Break, Complex, Container, Instance, Known, Opaque, Scalar, value_of

if TYPE_CHECKING:
    from ..tracer import Tracer

_PYTHON: dict[Type, type] = {INT: int, FLOAT: float, BOOL: bool}
_CONTAINERS = {"tuple": tuple, "list": list, "range": range, "slice": slice}
_DTYPES = {"bool": np.dtype(np.bool_), "int": np.dtype(np.int64), "float": np.dtype(np.float64)}
FOLDABLE = (bool, int, float, complex, str, type(None))


def row(*keys: Any) -> Callable[[Handler], Handler]:
    """Enters a handler for the callables."""

    def enter(handler: Handler) -> Handler:
        CALLABLES.update(dict.fromkeys(keys, handler))
        return handler

    return enter


def expect(name: str, args: Sequence[Abstract], kwargs: dict[str, Abstract], low: int, high: int | None = None) -> None:
    """That there are so many arguments, and no keywords."""
    no_keywords(name, kwargs)
    if not low <= len(args) <= (low if high is None else high):
        raise Break("always_raises", f"{name} of {len(args)} arguments")


def abstract(value: Value) -> Abstract:
    """A scalar of the graph; a constant is known."""
    return Known(value.value) if isinstance(value, Const) else Scalar(value)


def value(operand: Abstract, what: str) -> Value:
    """The graph value of a scalar."""
    found = value_of(operand)
    if found is None or isinstance(operand, ArrayValue):
        raise Break("call_arguments", f"{what} of {describe(operand)}")
    return found


def scalar_kind(operand: Abstract) -> str:
    """The kind of a scalar: bool, int or float for Python's, one of NumPy's letters (biufc) for NumPy's; "" for anything else."""
    found = value_of(operand)
    if found is None or isinstance(operand, ArrayValue):
        return ""
    return found.type.name if isinstance(found.type, ScalarType) else found.type.dtype.kind  # type: ignore[attr-defined]


def half(t: Tracer, number: Abstract, which: int) -> Value:
    """The real or, with which=1, the imaginary part of a complex NumPy scalar."""
    whole = value(number, "part")
    emitted: Value = t.emit("np_part", (whole,), Np(HALVES[whole.type.name]), which=which)  # type: ignore[attr-defined]
    return emitted


def dtype_of_numbers(numbers: Sequence[Abstract]) -> np.dtype[Any]:
    """What NumPy makes of real numbers in a list, which it takes one after the other."""
    return reduce(np.promote_types, map(_dtype_of_number, numbers))


def _dtype_of_number(operand: Abstract) -> np.dtype[Any]:
    kind, found = scalar_kind(operand), value_of(operand)
    return _DTYPES[kind] if kind in _DTYPES else found.type.dtype  # type: ignore  # noqa: SIM401 (a number of Python's has no such attribute)


def index(t: Tracer, operand: Abstract, what: str) -> Value:
    """operator.index(operand) as an int of the graph."""
    kind = scalar_kind(operand)
    if kind in ("int", "bool"):
        return as_int(t, value(operand, what))
    if kind in ("i", "u"):
        return cast(t, value(operand, what), INT)
    raise Break("call_arguments", f"{what} of {describe(operand)}")


def by_name(names: Sequence[str], args: list[Abstract], kwargs: dict[str, Abstract]) -> dict[str, Abstract] | None:
    """The arguments by name, or None where others than these are given, or one of them twice."""
    bound = dict(zip(names, args, strict=False))
    if len(args) > len(names) or not set(kwargs) <= set(names) - set(bound):
        return None
    return bound | kwargs


def no_keywords(name: str, kwargs: dict[str, Abstract]) -> None:
    if kwargs:
        raise Break("call_arguments", f"{name} with {', '.join(kwargs)}=")


def fold(function: Callable[..., Any], args: list[Abstract]) -> Abstract | None:
    """The result for constants, of a function that is cheap for all of them."""
    if not all(isinstance(a, Known) and is_one_of(type(a.value), FOLDABLE) for a in args):
        return None
    try:
        return Known(function(*(a.value for a in args if isinstance(a, Known))))
    except Exception:  # the interpreter raises it
        raise Break("always_raises", getattr(function, "__name__", "call")) from None


def type_of(operand: Abstract) -> type | None:
    """The exact type of the object, or None where it is not known."""
    if isinstance(operand, Known):
        return type(operand.value)
    if isinstance(operand, ArrayValue):
        return np.ndarray
    if isinstance(operand, Scalar):
        return operand.type.dtype.type if isinstance(operand.type, Np) else _PYTHON[operand.type]
    if isinstance(operand, Complex):
        return complex
    if isinstance(operand, Instance):
        return operand.cls
    if isinstance(operand, Container):
        return _CONTAINERS.get(operand.kind)
    return operand.cls if isinstance(operand, Opaque) else None
