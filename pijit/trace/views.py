"""Dicts gone through: their keys, values and items. Those of a small dict with texts as keys are known one by one; of a real dict, a look at
its keys says so at the start. Until the end nothing may be stored in a dict: an exit makes an iterator that stands where this one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import learned, objects, opaque
from .cursors import Unrolled
from .values import Abstract, Break, Container, Instance, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

KINDS = {"dict_keys": dict.keys, "dict_values": dict.values, "dict_items": dict.items}


def is_view(value: Abstract) -> bool:
    return isinstance(value, Container) and value.kind in KINDS


def entries(t: Tracer, view: Container) -> tuple[Abstract, ...] | None:
    """What going through a view gives; None where it is not known."""
    (owner,) = view.items
    keys = _keys(t, owner)
    if keys is None or view.kind == "dict_keys":
        return keys
    values = tuple(_value(t, owner, key.value) for key in keys)
    return values if view.kind == "dict_values" else tuple(Container("tuple", pair) for pair in zip(keys, values, strict=True))


def _keys(t: Tracer, owner: Abstract) -> tuple[Known, ...] | None:
    if isinstance(owner, Instance):
        return tuple(map(Known, owner.names))
    actual = objects.actual_of(t, owner)
    if type(actual) is not dict or len(actual) > t.limits.unroll or not all(type(key) is str for key in actual):
        return None
    if is_space(t, actual) or learned.has_other_keys(t) or not all(_has_keys_of(actual, other) for other in _siblings(t, owner)):
        return None
    t.last_micro = False  # other keys: the whole instruction is done again
    found = opaque.call_pure(t, tuple, [owner], {}, sample=tuple(map(opaque.Exactly, actual)))
    assert isinstance(found, Container)
    return tuple(key for key in found.items if isinstance(key, Known))


def is_space(t: Tracer, actual: dict[Any, Any]) -> bool:
    """Whether it is one that code here runs in: what a module's body stores is only written at an exit."""
    return any(actual is space for space in (t.view.names, *(frame.globals for frame in t.state.frames)))


def _siblings(t: Tracer, owner: Abstract) -> Sequence[Any]:
    """Other items of the list that it was taken from."""
    return t.siblings.get(owner.value, ()) if isinstance(owner, Opaque) else ()


def _has_keys_of(known: dict[str, Any], other: Any) -> bool:
    if type(other) is not dict:
        return True
    keys = list(other)
    return len(keys) == len(known) and all(a is b or (type(b) is str and a == b) for a, b in zip(known, keys, strict=True))


def _value(t: Tracer, owner: Abstract, key: str) -> Abstract:
    found = owner.get(key) if isinstance(owner, Instance) else objects.dict_item(t, owner, key)
    assert found is not None
    return found


def may_store(t: Tracer) -> None:
    """Something is about to be stored that may be in a dict: Break while one is gone through."""
    if any(_goes_through(value) for _, _, _, value in t.state.slots()):
        raise Break("iteration", "a store in a loop over a dict")


def _goes_through(value: Abstract) -> bool:
    return (isinstance(value, Unrolled) and is_view(value.owner)) or any(map(_goes_through, value.inner()))
