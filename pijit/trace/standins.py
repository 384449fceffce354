"""Stand-ins: small objects of the types of abstract values, on which a function is tried to see what it gives.

They are hints only, since every result is checked at run time; but a wrong one is an exit at every call. So what is known of the objects that
there are now is used: numbers as they are, the order of the axes in memory, lengths where the shape of the result may depend on them.
"""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ground.names import class_name, is_a, name_of, package_of, short
from ..ir.evaluate import Taken
from ..ir.graph import Const, Op, Value
from ..ir.run import EVALUATORS
from ..ir.types import FLOAT, INT, NUMBERS, Array, Np
from ..ir.types import Scalar as ScalarType
from .inputs import array_type, is_native
from .values import Abstract, ArrayValue, Complex, Container, Known, Opaque, items_of, unsupported, value_of

if TYPE_CHECKING:
    from .tracer import Tracer

_LARGE = 1 << 20  # elements of a stand-in that is not made
_ACTUAL, _LONG = -1, 200  # stand-ins with the lengths that there are; the longest of those
_NUMBERS = (bool, int, float, complex)


class _NoStandIn(Exception):
    pass


def sample_result(t: Tracer, function: Callable[..., Any], args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    """What the function gives for small objects of the arguments' types.

    Lengths are short in the stand-ins, and equal or longer where they are now; if the function refuses, it is tried with the lengths that there
    are now, then with all lengths equal, also to the constants among its arguments; at last with numbers that sum up to 1.
    """
    given = (*args, *kwargs.values(), *_inner(args))
    lengths = {actual_length(t, dim) for a in given if isinstance(a, ArrayValue) for dim in a.dims if not isinstance(dim, Const)}
    short = {actual: 5 + place for place, actual in enumerate(sorted(length for length in lengths if length is not None))}
    numbers = [a.value for a in given if isinstance(a, Known)]
    numbers += [dim.value for a in given if isinstance(a, ArrayValue) for dim in a.dims if isinstance(dim, Const)]
    constants = {n for n in numbers if type(n) is int and 1 < n <= 16}
    makers = [_Maker(t, length, short) for length in (None, _ACTUAL, 5, *sorted(constants))]
    refused = True
    result: Any = None
    for maker in (*makers, _Maker(t, None, short, shares=True)):
        try:
            with np.errstate(all="ignore"), _no_warnings():
                result = function(*map(maker.make, args), **{name: maker.make(value) for name, value in kwargs.items()})
        except _NoStandIn as e:
            raise unsupported(f"{called(function)} with {e}", *args, *kwargs.values(), reason="unsupported_call") from None
        except Exception:  # whatever the function refuses: the interpreter finds out
            if not refused:
                return result
            continue
        if type(result) is not tuple or maker.common is not None or not lengths:
            return result
        refused = False  # how many items it has may depend on the lengths: with those that there are, if it does not refuse them
    if refused:
        raise unsupported(f"{called(function)} with arguments like these", *args, *kwargs.values(), reason="unsupported_call")
    return result


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Like catch_warnings with an "ignore" filter, but does not make Python forget which of the user's warnings were shown already."""
    row: Any = ("ignore", None, Warning, None, 0)
    filters: list[Any] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, row)
    try:
        yield
    finally:
        filters.remove(row)


def called(function: Any) -> str:
    """How messages name a callable."""
    name = name_of(function)
    return short(function) if name is None else name.rpartition(".")[2]


_BUILDERS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple, "list": list, "slice": lambda items: slice(*items), "range": lambda items: range(*items),
}  # fmt: skip


class _Maker:
    """``common``: what all lengths that are not known are, or None: as in ``short``, else each another, or _ACTUAL: what they are now, as far
    as is known. ``short``: short lengths for those that there are now. ``shares``: floats are shares of a whole."""

    def __init__(self, tracer: Tracer, common: int | None, short: dict[int, int] | None = None, shares: bool = False) -> None:
        self.tracer, self.common, self.short, self.shares = tracer, common, short or {}, shares
        self.lengths: dict[Value, int] = {}

    def length(self, dim: Value) -> int:
        if isinstance(dim, Const):
            return min(int(dim.value), 16)
        if self.common == _ACTUAL:
            actual = actual_length(self.tracer, dim)
            if actual is None or actual > _LONG:
                raise ValueError
            return self.lengths.setdefault(dim, actual)
        if self.common is None:
            actual = actual_length(self.tracer, dim)
            other = 5 + len(self.short) + len(self.lengths)
            return self.lengths.setdefault(dim, other if actual is None else self.short.get(actual, other))
        return self.lengths.setdefault(dim, self.common)

    def make(self, abstract: Abstract) -> Any:
        if isinstance(abstract, Known):
            if _runs_code(abstract.value):
                raise _NoStandIn(f"the function or class {short(abstract.value)}")
            return abstract.value
        if isinstance(abstract, ArrayValue):
            shape = tuple(map(self.length, abstract.dims))
            if math.prod(shape) > _LARGE:  # of many axes
                raise ValueError
            made = stand_in(abstract.type, shape, _layout(self.tracer, abstract))
            if self.shares and made.dtype.kind == "f" and made.flags.writeable and made.size:
                made[...] = 1 / made.size
            return made
        value = value_of(abstract)
        if value is not None:
            return self._scalar(value)
        if isinstance(abstract, Complex):
            return complex(*map(self._scalar, abstract.parts()))
        if isinstance(abstract, Opaque) and abstract.cls is list:
            found = self.tracer.samples.get(abstract.value)
            if found is not None and _is_plain(found):
                return self._items(found)
        if isinstance(abstract, Container) and abstract.kind in ("tuple", "list", "slice", "range"):
            items = [self.make(item) for item in abstract.items]
            return _BUILDERS[abstract.kind](items)
        if not isinstance(abstract, Opaque):
            raise _NoStandIn(type(abstract).__name__)
        raise _NoStandIn("object" if abstract.cls is None else class_name(abstract.cls, "__name__"))

    def _items(self, items: list[Any]) -> list[Any]:
        """A list with stand-ins for its arrays."""
        return [self._items(x) if type(x) is list else self._array(x) if type(x) is np.ndarray else x for x in items]

    def _array(self, held: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        shape = tuple(n if n <= 8 else self.short.setdefault(n, 9 + len(self.short)) for n in held.shape)
        return stand_in(array_type(held), shape, (list(held.shape), list(held.strides)))

    def _scalar(self, value: Value) -> Any:
        found = actual(self.tracer, value)
        if value.type == INT:
            return self._int(value, found)
        if isinstance(value.type, ScalarType):
            if found is None or (self.shares and value.type == FLOAT):
                return {"float": 0.5 if self.shares else 1.5, "bool": True}[value.type.name]
            return found
        assert isinstance(value.type, Np)
        return value.type.dtype.type(1) if found is None else found

    def _int(self, value: Value, found: int | None) -> int:
        """An int as it is where it is small, as short as lengths are where it is one of those or large."""
        if value in self.lengths:
            return self.lengths[value]
        if found is None:
            return 2
        if self.common == _ACTUAL and abs(found) <= _LONG:
            return found
        if abs(found) <= 8 and not (found in self.short and isinstance(value.op, Op) and value.op.name == "dim"):
            return found
        return self.short.get(found, 5 if found > 0 else -5)


# ---- what the values are now ---------------------------------------------------------------------------------------------------

_DEPTH = 40
_FOLLOWED = ("int_", "raw_", "float_", "cmp", "not", "select", "bool_to_int", "cast", "np_op", "math", "slice_bounds")
_COSTLY = ("int_pow",)


def actual(t: Tracer, value: Value, depth: int = _DEPTH) -> Any:
    """A number as it is now, from what the inputs are; None where that cannot be told."""
    if isinstance(value, Const):
        return value.value
    if value in t.samples:
        return t.samples[value]
    op = value.op
    if not isinstance(op, Op) or depth == 0:
        return None
    if op.name in ("dim", "stride"):
        return _measure(t, op, depth)
    if not op.name.startswith(_FOLLOWED) or op.name in _COSTLY:
        return None
    args = [actual(t, arg, depth - 1) for arg in op.args]
    if any(arg is None for arg in args):
        return None
    try:
        results = EVALUATORS[op.name](op, *args)
    except (Taken, ArithmeticError, TypeError, ValueError):
        return None
    for made, found in zip(op.results, results if len(op.results) > 1 else (results,), strict=True):
        t.samples[made] = found
    return t.samples[value]


def _measure(t: Tracer, op: Op, depth: int) -> Any:
    """A length or a stride of an array."""
    array, axis = op.args[0], op.attrs["axis"]
    if array in t.samples:
        held = t.samples[array]
        return (held.shape if op.name == "dim" else held.strides)[axis]
    if not isinstance(array.op, Op) or array.op.name != "view":
        return None
    lengths_and_strides = array.op.args[2:]
    return actual(t, lengths_and_strides[axis + (len(lengths_and_strides) // 2 if op.name == "stride" else 0)], depth - 1)


def actual_length(t: Tracer, value: Value) -> int | None:
    """A length as it is now; None where that cannot be told."""
    found = actual(t, value)
    return None if found is None else int(found)


def _layout(t: Tracer, array: ArrayValue) -> tuple[list[int], list[int]] | None:
    """The lengths and strides of an array now, as far as its type does not tell them."""
    value, rank = array.value, len(array.dims)
    if array.type.order not in ("A", "S") or not rank:
        return None
    if value in t.samples:
        held = t.samples[value]
        return list(held.shape), list(held.strides)
    if value in t.layouts:
        return t.layouts[value]
    if not isinstance(value.op, Op) or value.op.name != "view":
        return None
    found = [actual(t, part) for part in value.op.args[2:]]
    return None if any(part is None for part in found) else (found[:rank], found[rank:])


def actual_step(t: Tracer, vector: ArrayValue) -> int | None:
    """The stride of a vector now, in bytes, or one with its sign; None where that cannot be told."""
    if vector.type.order in ("C", "S"):
        return vector.type.dtype.itemsize
    maker = vector.value.op
    if isinstance(maker, Op) and maker.name == "view":
        return actual_length(t, maker.args[3])
    layout = _layout(t, vector)
    return None if layout is None else layout[1][0]


def sample_of(t: Tracer, value: Abstract) -> tuple[Any] | None:
    """An object like the one that the value stands for."""
    if isinstance(value, Opaque):
        return (t.samples[value.value],) if value.value in t.samples else None
    if isinstance(value, Known):
        return (value.value,)
    try:
        return (_Maker(t, None).make(value),)
    except _NoStandIn:
        return None


def _inner(args: list[Abstract]) -> tuple[Abstract, ...]:
    return tuple(item for a in args for item in items_of(a) or (a.items if isinstance(a, Container) else ()))


def _runs_code(value: Any) -> bool:
    """Whether a function that is given this object might run code of the user's with it, as NumPy does with the na_object of a StringDType."""
    if is_a(value, np.dtype):
        return hasattr(value, "na_object") or package_of(type(value)) != "numpy"
    if not is_a(value, (type, types.FunctionType, types.MethodType)):
        return False
    return package_of(value) not in ("numpy", "builtins")


def _is_plain(items: list[Any], depth: int = 0) -> bool:
    """Whether a list holds numbers and arrays only, or lists of such: nothing that could run code or be changed."""
    return depth < 4 and len(items) < 1000 and all(_is_number(x) or (type(x) is list and _is_plain(x, depth + 1)) for x in items)


def _is_number(item: Any) -> bool:
    return type(item) in NUMBERS or type(item) is complex or is_native(item)


def stand_in(type: Array, shape: tuple[int, ...], layout: tuple[list[int], list[int]] | None = None) -> np.ndarray[Any, Any]:
    """A small array of a type: same dtype, rank, memory order and writability. ``layout``: lengths and strides of one that there is."""
    made = _empty(type, shape, layout)
    # ints that are good as indices, floats that differ, some of each truth
    filled = (np.arange(made.size) % 2 if type.dtype.kind in "iub" else np.linspace(0.5, 1.0, made.size)).reshape(shape)
    if made.flags.writeable:
        made[...] = filled
        if len(shape) > 1 and shape[-1] == shape[-2]:
            made += np.eye(shape[-1], dtype=type.dtype)  # not singular, and positive definite
    made.flags.writeable &= type.writable
    return made


def _empty(type: Array, shape: tuple[int, ...], layout: tuple[list[int], list[int]] | None) -> np.ndarray[Any, Any]:
    if not shape:
        return np.empty((), type.dtype)
    if type.order in ("C", "F"):
        return np.empty(shape, type.dtype, order=type.order)  # type: ignore[call-overload, no-any-return]
    if layout is None:
        step = 2 if type.order == "S" else -2
        return np.empty((*shape[:-1], 2 * shape[-1]), type.dtype)[..., ::step]
    lengths, strides = layout
    # from the innermost axis outwards; a gap where there is one
    axes = sorted((axis for axis in range(len(shape)) if strides[axis]), key=lambda axis: abs(strides[axis]))
    axes = [*axes, *(axis for axis in range(len(shape)) if not strides[axis])]
    steps, room, expected = [0] * len(shape), type.dtype.itemsize, type.dtype.itemsize
    first = 0
    for axis in axes:
        if strides[axis]:
            room = room if abs(strides[axis]) == expected else room + type.dtype.itemsize
            steps[axis] = room if strides[axis] > 0 else -room
            first += room * max(shape[axis] - 1, 0) if strides[axis] < 0 else 0
            room, expected = room * max(shape[axis], 1), abs(strides[axis]) * lengths[axis]
    memory = np.empty(room // type.dtype.itemsize + 1, type.dtype)
    made = np.ndarray(shape, type.dtype, memory, first, steps)
    made.flags.writeable = 0 not in steps
    return made
