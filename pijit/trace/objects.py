"""Attributes and items of Python objects: instances of plain classes, dicts, lists and tuples.

What the fragment never stores to is read by guard rows at the entry, and named by its source. What it stores to (a *place*: all fields of
one name, all dict items of one key, all items of one list; ("item",): of a list that is not known; ("keys",): which keys dicts have;
ANY_NAME, ANY_FIELD: any item of a dict whose key is a text, which may be the dict of an instance) is read
where the program reads it, by a "look" operation: then a guard that is checked again after calls cannot fail because of the fragment's own
stores. A capture that finds a store to a place which it has read at the entry starts over (Tracer.capture).

What was stored or looked at is known until Python runs, something else is stored to the same place, or paths join.
"""

from __future__ import annotations

import enum
import types
from typing import TYPE_CHECKING, Any

from .. import _native
from ..ground.names import class_name, is_a, is_heap_class, is_one_of, module_of, short
from ..ir.graph import Box, Op, Recipe, Value, recipe_values
from . import inputs, opaque, sources, standins
from .sources import Source, _Same
from .tables import INHERITED
from .values import UNBOUND, Abstract, ArrayValue, Break, Container, Inside, Instance, Known, Opaque, Scalar, items_of

if TYPE_CHECKING:
    from .tracer import Tracer

Place = tuple[Any, ...]
ANY_NAME: Place = ("any_name",)
ANY_FIELD: Place = ("any_field",)
_WILD = {"dict_item": ANY_NAME, "field": ANY_FIELD, "item": ("item",)}

_OF_ENUMS = tuple((vars(enum.Enum)[name], f"_{name}_") for name in ("name", "value"))  # what the property gives that enum.py defines
_dict_offset = vars(type)["__dictoffset__"].__get__
_GENERIC = (object, tuple, list, dict, int, float, str, set, BaseException)  # types that get attributes as object does
UNSET = _UNSET = _native.UNSET
CLASS = object.__dict__["__class__"]
_mro = type.__dict__["__mro__"].__get__
_namespace = type.__dict__["__dict__"].__get__


class _Missing:
    """What a lookup gives for a name that is not there."""


MISSING = _Missing()


# ---- what is known of an owner ---------------------------------------------------------------------------------------------


def actual_of(t: Tracer, owner: Abstract) -> Any:
    """The object that the owner was at capture, or one like it; MISSING where there is none."""
    if isinstance(owner, Known):
        return owner.value
    return t.samples.get(owner.value, MISSING) if isinstance(owner, Opaque) else MISSING


def class_of(owner: Abstract) -> type | None:
    """The exact type of an object that is not a value of the graph."""
    if isinstance(owner, Known):
        return type(owner.value)
    return owner.cls if isinstance(owner, Opaque | Instance) else None


def is_plain(cls: type | None) -> bool:
    """Whether instances get their attributes as Python's own classes do."""
    return (
        cls is not None
        and is_heap_class(cls)
        and _is_generic(cls, "__getattribute__")
        and class_lookup(cls, "__getattr__") is MISSING
    )


def _is_generic(cls: type, name: str) -> bool:
    found = class_lookup(cls, name)
    return type(found) is types.WrapperDescriptorType and is_one_of(found.__objclass__, _GENERIC)


def is_slot(found: Any) -> bool:
    """Whether it is a slot of a Python class. Those of built-in types are not all for objects."""
    return type(found) is types.MemberDescriptorType and is_heap_class(found.__objclass__)


def class_lookup(cls: type, name: str) -> Any:
    """What the class and its bases say of a name, found without running anything."""
    for base in mro(cls):
        namespace = _namespace(base)
        if not (_native.class_has_only_names(base) or all(type(key) is str for key in list(namespace))):  # others have an __eq__ of their own
            raise Break("unsupported_type", f"{class_name(base)}, whose namespace holds more than names")
        if name in namespace:
            return namespace[name]
    return MISSING


def is_subclass(cls: type, other: type) -> bool:
    """issubclass() without what a metaclass has to say."""
    return is_one_of(other, mro(cls))


def mro(cls: type) -> tuple[type, ...]:
    """The order of a class's bases. It has none while its metaclass decides on it, nor as long as a type of C has not been made ready."""
    order: tuple[type, ...] | None = _mro(cls)
    if order is None:
        raise Break("unsupported_type", f"{class_name(cls)}, whose bases have no order yet")
    return order


def namespace(cls: type) -> Any:
    """What a class itself defines."""
    return _namespace(cls)


def origin_of(t: Tracer, owner: Abstract) -> Source | None:
    if isinstance(owner, Known):
        return sources.constant(owner.value, short(owner.value))
    return t.origins.get(owner.value) if isinstance(owner, Opaque) else None


def identity(owner: Abstract) -> object:
    """What tells an owner from others on one path."""
    return owner.value if isinstance(owner, Opaque) else id(getattr(owner, "value", None))


# ---- reading ---------------------------------------------------------------------------------------------------------------


def fetch(t: Tracer, owner: Abstract, row: tuple[Any, ...], place: Place, held: Any) -> Abstract:
    """What the loading row gives for the owner; ``held``: what it gave at capture."""
    key = ("place", identity(owner), row)
    found: Abstract | None = t.state.memo.get(key)
    if found is not None:
        return found
    origin = origin_of(t, owner)
    dynamic = origin is None or is_stored(t, place)
    if dynamic or held is _UNSET:
        held = t.supposed.get(key, last_made(t, owner, row, held))
    if held is _UNSET:
        raise _nothing_there(t, owner, row)
    if origin is None or dynamic or held is last_made(t, owner, row, _UNSET):
        found = t.state.memo[key] = _look(t, owner, row, held)
        return found
    hoist(t, place, origin)
    source = Source(row, _step(origin.name, row), origin)
    found = t.entry_values.get(source)
    if found is None:
        found = t.entry_values[source] = inputs.load(t, source, held)
    return found


def _nothing_there(t: Tracer, owner: Abstract, row: tuple[Any, ...]) -> Break:
    actual = actual_of(t, owner)
    return Break("was_empty", "list") if type(actual) is list and not actual else Break("attribute", _text(owner, row))


def _look(t: Tracer, owner: Abstract, row: tuple[Any, ...], held: Any) -> Abstract:
    from . import telling

    if row[0] != "field":
        return opaque.look(t, owner, row, held)
    return telling.with_fields(t, opaque.look(t, owner, row, telling.field(t, owner, row[1], held)), owner, row[1])


def holds(t: Tracer, owner: Abstract, kind: str, operand: Any, place: Place, text: str) -> None:
    """A check of the owner: at the entry, or here where the fragment stores to such places."""
    origin = origin_of(t, owner)
    if origin is not None and not is_stored(t, place):
        hoist(t, place, origin)
        t.guards.check(origin, kind, operand, text=f"{origin.name} {text}")
        return
    key = ("place", identity(owner), (kind, operand))
    if key not in t.state.memo:
        opaque.look(t, owner, (kind, operand), None, loads=False)
        t.state.memo[key] = Known(None)


def last_made(t: Tracer, owner: Abstract, row: tuple[Any, ...], otherwise: Any) -> Any:
    """An object like the last one that was stored there in an owner of this class."""
    return t.made.get((_Same(class_of(owner)), row), otherwise)


def _items_of(actual: Any) -> Place:
    """The place that the items of a tuple or list are."""
    return ("item", _Same(actual)) if is_a(actual, list) else ("tuple",)


def is_stored(t: Tracer, place: Place) -> bool:
    """Whether the fragment stores to the place, or may do so."""
    return place in t.stored or _WILD.get(place[0], place) in t.stored


def hoist(t: Tracer, place: Place, origin: Source) -> None:
    """A place is read at the entry."""
    t.hoisted |= {place, _WILD.get(place[0], place)}
    if place[0] == "item":
        t.read_lists[origin] = place
    elif place[0] == "field":
        t.read_fields[origin] = None


def tell_apart(t: Tracer) -> None:
    """Guards that no list which is read at the entry is one that is stored to, and that no dict is stored to by a text that is not known
    which is that of an instance whose fields are read at the entry."""
    for stored in t.stored_dicts:
        for read in t.read_fields:
            t.guards.apart(read, stored)
    for stored in t.stored_lists:
        for read in t.read_lists:
            t.guards.apart(read, stored)


def _step(owner: str, row: tuple[Any, ...]) -> str:
    return f"{owner}.{row[1]}" if row[0] == "field" else sources.item_name(owner, row[1])


def _text(owner: Abstract, row: tuple[Any, ...]) -> str:
    cls = class_of(owner)
    return _step(class_name(cls, '__name__') if cls is not None else "an object", row)


def stays_plain(t: Tracer, owner: Abstract) -> None:
    """Guards that instances of a plain class get their attributes as they do; of an object that exists, its rows look at that."""
    if isinstance(owner, Instance) and owner.kind == "instance":
        for name in ("__getattribute__", "__getattr__"):
            found = class_lookup(owner.cls, name)
            t.guards.member(owner.cls, name, _UNSET if found is MISSING else found)


def attribute(t: Tracer, owner: Abstract, name: str) -> Any:
    """owner.name of an instance of a plain class; calls.INLINED for a property."""
    cls = class_of(owner)
    assert cls is not None
    stays_plain(t, owner)
    found = class_lookup(cls, name)
    kind = type(found)
    slot = is_slot(found)
    if isinstance(owner, Instance) and (slot or not is_data(found)):
        from . import instances

        value = instances.field(t, owner, name)
        if value is not None:
            return value
        if slot or found is MISSING:
            raise Break("attribute", f"{class_name(cls, '__name__')}.{name}")
        return _bound(t, owner, cls, name, found)
    if slot or found is MISSING or not is_data(found):
        actual = actual_of(t, owner)
        held = _native.field(actual, name) if actual is not MISSING else _UNSET
        if held is not _UNSET or found is MISSING or slot or is_known(t, owner, ("field", name)):
            return fetch(t, owner, ("field", name), ("field", name), held)
        holds(t, owner, "no_field", name, ("field", name), f"has no {name} of its own")
        return _bound(t, owner, cls, name, found)
    t.guards.member(cls, name, found)
    if found is CLASS:
        return Known(cls)
    if kind is property and is_a(found.fget, types.FunctionType) and t.last_micro:
        from . import calls

        return calls.call(t, Known(found.fget), [owner], {})
    for of_enums, gives in _OF_ENUMS:
        if found is of_enums:
            return attribute(t, owner, gives)
    if class_name(kind) == "_tuplegetter" and module_of(kind) in ("collections", "_collections"):
        index = found.__reduce__()[1][0]
        return owner.items[index] if isinstance(owner, Instance) else item(t, owner, index)
    raise Break("attribute", f"{class_name(cls, '__name__')}.{name}")


def is_as_type(t: Tracer, cls: type, name: str) -> bool:
    """Whether a class's metaclass does what a special method is for as `type` does; guarded."""
    metaclass = type(cls)
    if metaclass is type:
        return True
    found = class_lookup(metaclass, name)
    if found is not class_lookup(type, name):
        return False
    t.guards.member(metaclass, name, found)
    return True


def class_attribute(t: Tracer, cls: type, name: str) -> Abstract:
    """cls.name of a Python class whose metaclass has no say in it."""
    if name in ("__name__", "__qualname__") and class_lookup(type(cls), name) is class_lookup(type, name) and is_as_type(t, cls, "__getattribute__"):
        return name_of(t, cls, name)
    found = class_lookup(cls, name)
    if found is MISSING or class_lookup(type(cls), name) is not MISSING or not is_as_type(t, cls, "__getattribute__"):
        raise Break("attribute", f"{class_name(cls, '__name__')}.{name}")
    if type(cls) is not type:
        t.guards.member(type(cls), name, _UNSET)
    if is_a(found, types.FunctionType):
        t.guards.member(cls, name, found)
        return Known(found)
    return _bound(t, Known(cls), cls, name, found)


def name_of(t: Tracer, owner: Any, name: str) -> Known:
    """What a class or function is called, as long as it is called so."""
    kind, called = (type, class_name(owner, "__name__")) if is_a(owner, type) else (types.FunctionType, owner.__name__)
    found = class_lookup(kind, name).__get__(owner)
    source = sources.part(sources.constant(owner, called), name)
    if source not in t.entry_values:
        t.guards.same(source, found)
        t.entry_values[source] = Known(found)
    return Known(found)


def _bound(t: Tracer, owner: Abstract, cls: type, name: str, found: Any) -> Abstract:
    """What is found in a class, as seen through an instance (or, with the class as owner, through the class)."""
    if class_lookup(type(found), "__get__") is MISSING:
        source = sources.member(cls, name)
        value = t.entry_values.get(source)
        if value is None:
            value = t.entry_values[source] = inputs.load(t, source, found)
        return value
    t.guards.member(cls, name, found)
    if is_a(found, types.FunctionType):
        return Container("bound_method", (Known(found), owner))
    if type(found) is staticmethod:
        return Known(found.__func__)
    if type(found) is classmethod:
        return Container("bound_method", (Known(found.__func__), Known(cls)))
    if is_a(found, types.MethodDescriptorType) and found in INHERITED:
        return Container("bound_method", (Known(found), owner))
    raise Break("attribute", f"{class_name(cls, '__name__')}.{name}")


def special(t: Tracer, owner: Abstract, name: str) -> types.FunctionType | None:
    """The Python function behind a special method of a plain class; guarded."""
    cls = class_of(owner)
    found = class_lookup(cls, name) if cls is not None and is_heap_class(cls) else None
    if cls is None or not is_a(found, types.FunctionType):
        return None
    t.guards.member(cls, name, found)
    return found


def is_data(found: Any) -> bool:
    return any(class_lookup(type(found), name) is not MISSING for name in ("__set__", "__delete__"))


def decides(found: Any) -> bool:
    """Whether what a class says of a name has the say in it, and not what an instance holds."""
    return not is_slot(found) and is_data(found)


def is_known(t: Tracer, owner: Abstract, row: tuple[Any, ...]) -> bool:
    return ("place", identity(owner), row) in t.state.memo


# ---- items -----------------------------------------------------------------------------------------------------------------


def item(t: Tracer, owner: Abstract, index: int) -> Abstract:
    """owner[index] of a tuple or list, for a constant index."""
    actual = actual_of(t, owner)
    place = _items_of(actual)
    if index < 0 and actual is not MISSING:
        holds(t, owner, "length", len(actual), place, f"has {len(actual)} items")
        index += len(actual)
    held = tuple.__getitem__(actual, index) if is_a(actual, tuple) and 0 <= index < len(actual) else _UNSET
    if type(actual) is list and 0 <= index < len(actual):
        held = actual[index]
    return fetch(t, owner, ("item" if is_one_of(type(actual), (tuple, list)) else "tuple_item", index), place, held)


def items(t: Tracer, value: Abstract) -> tuple[Abstract, ...] | None:
    """The items of a tuple or list, virtual or real, whose length is then guarded, or of a view of a dict; None for anything else."""
    from . import views

    found = items_of(value)
    if found is not None or (isinstance(value, Container) and value.kind == "list"):
        return found if found is not None or not isinstance(value, Container) else value.items
    if isinstance(value, Container) and views.is_view(value):
        return views.entries(t, value)
    actual = actual_of(t, value)
    if not is_one_of(type(actual), (tuple, list)) or len(actual) > t.limits.unroll:
        return None
    place = _items_of(actual)
    holds(t, value, "length", len(actual), place, f"has {len(actual)} items")
    return tuple(item(t, value, index) for index in range(len(actual)))


def unrollable(t: Tracer, value: Abstract) -> tuple[Abstract, ...] | None:
    """The items that a loop over a short tuple or list is unrolled for; of a list of numbers, the loop stays a loop."""
    actual = actual_of(t, value)
    if is_one_of(type(actual), (tuple, list)) and len(actual) > t.limits.rounds:
        return None
    if class_of(value) is list and not isinstance(value, Known):
        numbers = type(actual) is list and actual and is_one_of(type(actual[0]), (int, float))
        origin = origin_of(t, value)
        if numbers or origin is None or is_stored(t, _items_of(actual)):
            return None
        hoist(t, _items_of(actual), origin)
    found = items(t, value)
    return None if found is None or len(found) > t.limits.rounds else found


def dict_item(t: Tracer, owner: Abstract, key: str) -> Abstract:
    """owner[key] of an exact dict, for a constant key."""
    actual = actual_of(t, owner)
    held = inputs.held(actual, key) if type(actual) is dict else _UNSET
    return fetch(t, owner, ("dict_item", key), ("dict_item", key), held)


def dict_get(t: Tracer, owner: Abstract, key: str, default: Abstract) -> Abstract:
    """owner.get(key, default)."""
    actual = actual_of(t, owner)
    if is_known(t, owner, ("dict_item", key)) or (type(actual) is dict and inputs.held(actual, key) is not UNSET):
        return dict_item(t, owner, key)
    if type(actual) is not dict:
        raise Break("unsupported_type", "a dict that was not seen")
    holds(t, owner, "no_item", key, ("dict_item", key), f"has no {key!r}")
    return default


# ---- storing ---------------------------------------------------------------------------------------------------------------


def store_attribute(t: Tracer, owner: Abstract, name: str, value: Abstract) -> None:
    """owner.name = value."""
    cls = class_of(owner)
    if cls is None or not is_plain(cls) or not _is_generic(cls, "__setattr__"):
        raise Break("store_target", name)
    found = class_lookup(cls, name)
    if decides(found):
        raise Break("store_target", f"{class_name(cls, '__name__')}.{name}")
    if not is_slot(found) and _dict_offset(cls) == 0:
        raise Break("always_raises", f"{class_name(cls)} has no place for {name}")
    if isinstance(owner, Instance):
        from . import instances

        if owner.kind == "instance":
            instances.store(t, owner, name, value)
            return
        owner, value = instances.settled(t, owner, value)  # what others hold by name are their items
    put(t, owner, ("field", name), value)
    t.stored_here |= {("field", name), ("dict_item", name), ("keys",)}  # it may also be seen as an item of its __dict__


def store_dict_item(t: Tracer, owner: Abstract, key: str, value: Abstract) -> None:
    """owner[key] = value of an exact dict, for a constant key."""
    put(t, owner, ("dict_item", key), value)
    t.stored_here |= {("field", key), ("dict_item", key), ("global", key), ("keys",)}  # of whatever the dict is the namespace


def delete_attribute(t: Tracer, owner: Abstract, name: str) -> None:
    """del owner.name"""
    cls = class_of(owner)
    if cls is None or not is_plain(cls) or not _is_generic(cls, "__delattr__"):
        raise Break("store_target", f"del {name}")
    found = class_lookup(cls, name)
    if decides(found):
        raise Break("store_target", f"del {class_name(cls, '__name__')}.{name}")
    if isinstance(owner, Instance):
        from . import instances

        instances.remove(t, owner, name)
        return
    put(t, owner, ("field", name), UNBOUND)
    t.stored_here |= {("field", name), ("dict_item", name), ("keys",)}


def delete_dict_item(t: Tracer, owner: Abstract, key: str) -> None:
    """del owner[key] of an exact dict, for a constant key."""
    put(t, owner, ("dict_item", key), UNBOUND)
    t.stored_here |= {("field", key), ("dict_item", key), ("global", key), ("keys",)}


def store_item(t: Tracer, owner: Abstract, index: Value, value: Abstract) -> None:
    """owner[index] = value for an exact list and an index that is in range."""
    put(t, owner, ("item",), value, index)
    _stored_to(t, owner)


def new_list(t: Tracer, items: tuple[Abstract, ...]) -> Abstract:
    """A list that exists at once."""
    from . import deeds
    from .instances import make_real, settled

    items = tuple(settled(t, *items, fixed="shared"))
    if not all(map(is_storable, items)):
        raise Break("comprehension", "list")
    samples = [standins.sample_of(t, item) for item in items]
    sample = [found[0] for found in samples if found is not None]
    made = make_real(t, Container("list", items), sample)
    return deeds.own(t, made)


def append(t: Tracer, owner: Abstract, value: Abstract) -> None:
    """owner.append(value) for an exact list."""
    from . import deeds
    from .instances import settled

    (value,) = settled(t, value, fixed="shared")
    found = standins.sample_of(t, value)
    if found is not None:
        deeds.seen(t, owner, lambda sample: sample.extend([found[0]] * 2))
    put(t, owner, ("append",), value)
    _stored_to(t, owner)


def list_changed(t: Tracer, owner: Abstract) -> None:
    """Something was done to a list: its items and its length are no longer known."""
    forget(t, ())
    _stored_to(t, owner)


def _stored_to(t: Tracer, owner: Abstract) -> None:
    """The items of a list are stored to. No list that came in is one that the fragment makes."""
    origin = origin_of(t, owner)
    if origin is not None:
        place = _items_of(actual_of(t, owner))
        t.stored_here.add(place)
        t.stored_lists[origin] = place
    elif not isinstance(owner, Opaque) or owner.value not in t.new:
        t.stored_here.add(("item",))


def put(t: Tracer, owner: Abstract, place: Place, value: Abstract, *index: Value) -> None:
    """Stores an object in another one, and knows it from then on; UNBOUND: removes what is there."""
    from .instances import settled

    (value,) = settled(t, value, fixed="all" if len(place) > 1 else "shared")
    if value is not UNBOUND and not is_storable(value):
        raise Break("store_target", f"a virtual {type(value).__name__}")
    given: tuple[Recipe, ...] = (owner.recipe(), value.recipe(), *map(Box, index))
    args = tuple(dict.fromkeys(v for recipe in given for v in recipe_values(recipe)))
    exit = t.exit("redo", "store_target")
    t.append(Op("put", args, (), {"place": place, "arguments": given, "own": isinstance(owner, Inside) or None}, {"redo": exit}, t.line))
    forget(t, place[1:])
    if len(place) > 1 and value is not UNBOUND:
        t.state.memo["place", identity(owner), place] = value
        sample = standins.sample_of(t, value)
        if sample is not None:
            t.made[_Same(class_of(owner)), place] = sample[0]


def forget(t: Tracer, name: tuple[str, ...] | None = None) -> None:
    """What was known of places of this name is known no longer: () for list items, None for everything."""
    for key in [k for k in t.state.memo if k[0] == "place"]:
        row = key[2]
        is_item = row[0] in ("item", "tuple_item")
        wild = name == ANY_NAME and row[0] in ("field", "dict_item", "no_field", "no_item")
        if name is None or row[0] in ("length", "keys") or wild or (is_item if name == () else not is_item and row[1:] == name):
            del t.state.memo[key]


def is_storable(value: Abstract) -> bool:
    """Whether a settled value is an object, or becomes one where it is stored."""
    if isinstance(value, Container):
        return value.kind in ("tuple", "slice", "bound_method") and all(map(is_storable, value.items))
    return isinstance(value, (Known, Scalar, ArrayValue, Opaque))
