"""Comparisons of tuples, and of the fragment's own lists, item by item: the first pair that is not equal decides, else the lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ground.names import is_one_of
from ..ir.graph import Const, Value, const
from ..ir.types import BOOL, FLOAT, Np
from . import deeds, objects, operators
from .through import samples
from .values import Abstract, Break, Container, Known, Opaque, Scalar, kind_of, sequence_of, value_of

if TYPE_CHECKING:
    from .tracer import Tracer

_SYMBOLS = ("<", "<=", "==", "!=", ">", ">=")  # in the order of C's numbers for them
_NUMBERS = frozenset({"int", "bool", "float"})
_DEPTH = 8  # of lists in lists


def compare(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Abstract | None:
    """left <symbol> right of two tuples, or of two new lists, whose items are numbers, texts or such: nothing of the program's own is run. None for
    anything else."""
    found = _compare_sequences(t, symbol, left, right)
    return None if found is None else _known(found)


def _compare_sequences(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Value | None:
    both = (left, right)
    if all(map(_is_tuple, both)):
        one, other = (objects.items(t, value) for value in both)
        if one is None or other is None:
            return _compare_real(t, symbol, left, right)
        return _compare(t, symbol, one, other)
    if {kind_of(value) for value in both} == {"list"}:
        return _compare(t, symbol, sequence_of(left) or (), sequence_of(right) or ())
    if all(kind_of(value) == "list" or objects.class_of(value) is list for value in both):
        return _compare_real(t, symbol, left, right)
    return None


def _compare_real(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Value:
    """The same for real ones, by the objects that they hold when it comes to that."""
    for value in (left, right):
        without_nans(t, value)
        if not all(map(_is_compared, samples(t, value))):
            raise Break("unsupported_type", f"{operators.describe(left)} {symbol} {operators.describe(right)} of objects")
    found = value_of(deeds.do(t, "items_compared", [Known(_SYMBOLS.index(symbol)), left, right], True, pure=True))
    assert found is not None
    return found


def without_nans(t: Tracer, value: Abstract) -> None:
    """Leaves at a NaN in a virtual container: it is equal to itself if it is the same object, and one that is made for it is another."""
    for item in value.inner() if isinstance(value, Container) else ():
        without_nans(t, item)
        _tell_apart(t, item, item)


def _is_compared(item: Any, depth: int = 0) -> bool:
    if type(item) is list:
        return depth < _DEPTH and all(_is_compared(one, depth + 1) for one in item)
    return deeds.is_hashable(item)


def _is_tuple(value: Abstract) -> bool:
    return kind_of(value) == "tuple" or (isinstance(value, Opaque) and value.cls is tuple)


def _compare(t: Tracer, symbol: str, left: tuple[Abstract, ...], right: tuple[Abstract, ...]) -> Value:
    if symbol in ("==", "!=") and len(left) != len(right):
        return const(symbol == "!=")
    decisions = []
    for one, other in zip(left, right, strict=False):
        same = _compare_items(t, "==", one, other)
        if isinstance(same, Const) and same.value:
            continue
        decisions.append((same, _decided(t, symbol, same, one, other)))
        if isinstance(same, Const):
            break
    found: Value = const(operators.PYTHON[symbol](len(left), len(right)))
    for same, decision in reversed(decisions):
        found = decision if isinstance(same, Const) else _either(t, same, found, decision)
    return found


def _decided(t: Tracer, symbol: str, same: Value, left: Abstract, right: Abstract) -> Value:
    """What a pair says that is not equal."""
    if symbol in ("==", "!="):
        return const(symbol == "!=")
    if "np" in (kind_of(left), kind_of(right)):
        raise Break("unsupported_type", f"tuple {symbol} tuple of NumPy's numbers, which may be one of NumPy's bools")
    return _compare_items(t, symbol, left, right)


def _compare_items(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Value:
    kinds = {kind_of(left), kind_of(right)}
    within = _compare_sequences(t, symbol, left, right)
    if within is not None:
        return within
    if not all(map(_is_plain, (left, right))) or not (symbol == "==" or kinds <= _NUMBERS or all(map(deeds.is_text, (left, right)))):
        raise Break("unsupported_type", f"{operators.describe(left)} {symbol} {operators.describe(right)} within a tuple")
    if symbol == "==":
        _tell_apart(t, left, right)
    found = operators.truth(t, operators.compare(t, symbol, left, right))
    return const(found) if isinstance(found, bool) else found


def _is_plain(item: Abstract) -> bool:
    """Whether it is a real number, a text or None."""
    value = value_of(item)
    if value is not None:
        return value.type.dtype.kind in "biuf" if isinstance(value.type, Np) else kind_of(item) in _NUMBERS
    return deeds.is_text(item) or (isinstance(item, Known) and is_one_of(type(item.value), (str, bytes, type(None))))


def _tell_apart(t: Tracer, left: Abstract, right: Abstract) -> None:
    """A NaN is equal to itself there, if it is the same object: then the interpreter decides."""
    one, other = value_of(left), value_of(right)
    if one is None or other is None or one.type != other.type or not (one.type == FLOAT or (isinstance(one.type, Np) and one.type.dtype.kind == "f")):
        return
    constant = next((value for value in (one, other) if isinstance(value, Const)), None)
    if constant is None:
        t.check(t.emit("cmp", (one, one), BOOL, symbol="=="), "guard_value")
    elif constant.value != constant.value:
        raise Break("unsupported_type", "nan in a container")


def _either(t: Tracer, condition: Value, yes: Value, no: Value) -> Value:
    if isinstance(yes, Const) and isinstance(no, Const):
        if yes.value == no.value:
            return yes
        return condition if yes.value else t.emit("not", (condition,), BOOL)
    return t.emit("select", (condition, yes, no), BOOL)  # type: ignore[no-any-return]


def _known(found: Value) -> Abstract:
    return Known(bool(found.value)) if isinstance(found, Const) else Scalar(found)
