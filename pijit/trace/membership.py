"""`item in container`."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ..ground.names import is_one_of
from ..ir.graph import Const, Value, const
from ..ir.types import BOOL, FLOAT, INT
from . import deeds, instances, mappings, objects, opaque, operators, presence, ranges
from .values import Abstract, Break, Container, Instance, Known, Opaque, Scalar, items_of, kind_of, value_of

if TYPE_CHECKING:
    from .tracer import Tracer

_NUMBERS = ("int", "bool", "float")
_BUILT_IN = (list, tuple, set, frozenset, dict, str)


def contains(t: Tracer, item: Abstract, container: Abstract, invert: bool) -> Abstract:
    """Among numbers that are known one by one: comparisons. In a real container: what Python does."""
    if isinstance(container, Instance) and container.kind == "dict" and not mappings.is_name(item):
        (container,) = instances.settled(t, container)
    found: Abstract | bool | None = _known(t, item, container)
    if found is None:
        found = _among(t, item, container)
    if found is None and ranges.is_range(container):
        found = ranges.contains(t, container, item)
    if found is None:
        found = _found(t, item, container)
    if found is None:
        t.last_micro &= not invert  # what the call gives is not yet the result
        found = _looked_up(t, item, container)
    if isinstance(found, bool):
        return Known(found != invert)
    return operators.unary(t, "not", found) if invert else found


def _known(t: Tracer, item: Abstract, container: Abstract) -> bool | None:
    if not isinstance(item, Known):
        return None
    if isinstance(container, Instance) and container.kind == "dict" and type(item.value) is str:
        return item.value in container.names
    foldable = is_one_of(type(item.value), operators.FOLDABLE)
    if foldable and isinstance(container, Known) and is_one_of(type(container.value), (str, tuple, frozenset, range)):
        try:
            return item.value in container.value
        except TypeError:
            raise Break("always_raises", "in") from None
    if objects.class_of(container) is dict and type(item.value) is str:
        return presence.has_dict_item(t, container, item.value)
    return None


def _found(t: Tracer, item: Abstract, container: Abstract) -> Abstract | None:
    """A lookup in a dict, set, list, tuple or text; None where the item may have something to say to it."""
    if isinstance(container, Known) and is_one_of(type(container.value), (frozenset, str, tuple)):
        container = Opaque(deeds.as_object(t, container), type(container.value))
    if not isinstance(container, Opaque):
        return None
    if (deeds.is_mapping(container) or deeds.is_set(container)) and deeds.is_key(item, looked_up=True):
        return Scalar(deeds.has_key(t, container, item))
    if deeds.is_text(container, list, tuple) and deeds.is_key(item):
        value = value_of(item)
        if value is not None and value.type == FLOAT:
            return None
        return deeds.do(t, "items_have", [container, item], True, pure=True)
    if deeds.is_text(container) and deeds.is_text(item):
        has = deeds.text(t, "has", INT, container.value, deeds.as_object(t, item))
        return Scalar(t.emit("cmp", (has, const(0)), BOOL, symbol="!="))
    return None


def _members(container: Abstract) -> tuple[Abstract, ...] | None:
    if isinstance(container, Container) and container.kind == "list":
        return container.items
    if isinstance(container, Known) and type(container.value) is frozenset:
        return tuple(map(Known, container.value))
    return items_of(container)


def _among(t: Tracer, item: Abstract, container: Abstract) -> Abstract | bool | None:
    members = _members(container)
    if members is None or kind_of(item) not in _NUMBERS:
        return None
    others = [member for member in members if not _never_equal(member)]
    if any(kind_of(member) not in _NUMBERS for member in others):
        return None
    _is_itself(t, item, others)
    found: Value = const(False)
    for member in others:
        equal = value_of(operators.compare(t, "==", item, member))
        assert equal is not None
        if isinstance(equal, Const):
            found = const(True) if equal.value else found
        else:
            found = equal if isinstance(found, Const) and not found.value else t.emit("select", (equal, const(True), found), BOOL)
        if isinstance(found, Const) and found.value:
            return True
    return bool(found.value) if isinstance(found, Const) else Scalar(found)


def _never_equal(member: Abstract) -> bool:
    """Whether a member is equal to no number."""
    return isinstance(member, Known) and (member.value is None or is_one_of(type(member.value), (str, bytes)))


def _is_itself(t: Tracer, item: Abstract, others: list[Abstract]) -> None:
    """A NaN is in a container if it is the same object: then the interpreter decides."""
    value = value_of(item)
    if value is not None and value.type == FLOAT and any(kind_of(member) == "float" for member in others):
        if isinstance(value, Const) and value.value != value.value:
            raise Break("unsupported_type", "nan in a container")
        if not isinstance(value, Const):
            t.check(t.emit("cmp", (value, value), BOOL, symbol="=="), "guard_value")


def _looked_up(t: Tracer, item: Abstract, container: Abstract) -> Any:
    cls = container.cls if isinstance(container, Opaque) else None
    if not is_one_of(cls, _BUILT_IN) or kind_of(item) not in ("int", "bool", "float", "known", "opaque"):
        raise Break("unsupported_type", f"{operators.describe(item)} in {operators.describe(container)}")
    if isinstance(item, Scalar):
        _is_itself(t, item, [item])
    return opaque.call_pure(t, operator.contains, [container, item], {}, sample=True)
