"""Whether an object has an attribute or a dict a key, where that can be seen at the entry; guarded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _native
from ..ground.names import class_name
from . import objects, sources
from .values import Abstract, Break, Instance

if TYPE_CHECKING:
    from .tracer import Tracer


def has_attribute(t: Tracer, owner: Abstract, name: str) -> bool:
    """hasattr(owner, name) of an instance of a plain class."""
    cls = objects.class_of(owner)
    if cls is None or not objects.is_plain(cls):
        raise Break("call_arguments", "hasattr of an object that is no instance of a plain class")
    objects.stays_plain(t, owner)
    found = objects.class_lookup(cls, name)
    slot = objects.is_slot(found)
    if found is not objects.MISSING and objects.is_data(found) and not slot:
        raise Break("call_arguments", f"hasattr of {class_name(cls, '__name__')}.{name}")
    t.guards.member(cls, name, objects.UNSET if found is objects.MISSING else found)
    if found is not objects.MISSING and not slot:
        return True
    if isinstance(owner, Instance):
        return owner.kind == "instance" and name in owner.names
    actual, place = objects.actual_of(t, owner), ("field", name)
    origin = objects.origin_of(t, owner)
    if origin is None or objects.is_stored(t, place):
        raise Break("call_arguments", "hasattr of what is stored here")
    if _native.field(actual, name) is not objects.UNSET:
        objects.hoist(t, place, origin)
        t.guards.load(sources.field(origin, name))
        return True
    if slot:
        raise Break("call_arguments", "hasattr of an empty slot")
    objects.holds(t, owner, "no_field", name, place, f"has no {name} of its own")
    return False


def has_dict_item(t: Tracer, owner: Abstract, key: str) -> bool | None:
    """key in owner of an exact dict; None where that is known at run time only."""
    actual, origin, place = objects.actual_of(t, owner), objects.origin_of(t, owner), ("dict_item", key)
    if not _native.only_names(actual) or origin is None or objects.is_stored(t, place):
        return None
    if key not in actual:
        objects.holds(t, owner, "no_item", key, place, f"has no {key!r}")
        return False
    objects.hoist(t, place, origin)
    t.guards.load(sources.dict_item(origin, key))
    return True
