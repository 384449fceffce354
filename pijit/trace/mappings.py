"""Dict displays, **keywords and star-unpacking: dicts with constant keys stay virtual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native
from . import closures, deeds, instances, objects
from .values import Abstract, Break, Instance, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer


def display(t: Tracer, keys: list[Abstract], values: list[Abstract]) -> Abstract:
    """{key: value, ...}: virtual where its keys are texts that are known, else made at once."""
    made = Instance("dict", (), cls=dict)
    if not all(map(is_name, keys)):
        for key in keys:
            deeds.checked_key(key, "a dict")
        values = instances.settled(t, *values, fixed="shared")
        (real,) = instances.settled(t, made)
        assert isinstance(real, Opaque)
        t.last_micro = False  # only the whole instruction is done again
        for key, value in zip(keys, values, strict=True):
            deeds.dict_store(t, real, key, value, again=True)
        return real
    for key, value in zip(keys, values, strict=True):
        made = made.storing(key_of(key), value)
    return made


def key_of(key: Abstract) -> str:
    """A key that a virtual dict may have."""
    if not isinstance(key, Known) or type(key.value) is not str:
        raise Break("comprehension", "a dict whose keys are not constant strings")
    return key.value


def is_name(key: Abstract) -> bool:
    """Whether a key is one that a virtual dict may have."""
    return isinstance(key, Known) and type(key.value) is str


def is_fixed(t: Tracer, owner: Abstract, key: Abstract) -> bool:
    """Whether an item of a real dict is a place of its own: its key is a text that is known, among such as far as is seen."""
    if objects.class_of(owner) is not dict or not isinstance(key, Known) or type(key.value) is not str:
        return False
    actual = objects.actual_of(t, owner)
    return actual is objects.MISSING or (_native.only_names(actual) and (key.value in actual or not deeds.is_own(t, owner)))


def merged(into: Abstract, other: Abstract, *, anew: bool) -> Instance:
    """A dict that another one was put into; ``anew``: no key may be there already."""
    if not (isinstance(into, Instance) and isinstance(other, Instance) and into.kind == other.kind == "dict"):
        raise Break("call_arguments", "a dict that was not made here")
    for name, item in zip(other.names, other.items, strict=True):
        if anew and name in into.names:
            raise Break("always_raises", f"several values for {name}")
        into = into.storing(name, item)
    return into


def copied(t: Tracer, other: Abstract, callee: Abstract) -> Abstract:
    """A dict like a real one whose keys are texts, as far as is seen, to be passed; any other value as it is."""
    from . import inline, views

    held = objects.actual_of(t, other)
    if type(held) is not dict or isinstance(other, Instance) or not _native.only_names(held):
        return other
    if len(held) > t.limits.unroll or views.is_space(t, held):
        return other
    if len(held) < 2 or inline.takes(t, callee, held):
        objects.holds(t, other, "length", len(held), ("keys",), f"has {len(held)} items")
    else:  # it may be seen in which order they are
        objects.holds(t, other, "keys", tuple(held), ("keys",), f"has the keys {', '.join(held)}")
    return Instance("dict", tuple(objects.dict_item(t, other, name) for name in held), cls=dict, names=tuple(held))


def item(owner: Instance, key: Abstract) -> Abstract:
    """owner[key] of a virtual dict."""
    found = owner.get(key_of(key))
    if found is None:
        raise Break("always_raises", "a key that is not there")
    return found


def arguments(t: Tracer, args: Abstract, keywords: Abstract | None) -> tuple[list[Abstract], dict[str, Abstract]]:
    """What f(*args, **keywords) passes."""
    items = objects.items(t, args)
    if items is None:
        raise Break("call_arguments", "*arguments that are no tuple or short list")
    if keywords is None:
        return list(items), {}
    if not isinstance(keywords, Instance) or keywords.kind != "dict":
        raise Break("call_arguments", "**keywords of a dict that was not made here")
    return list(items), dict(zip(keywords.names, keywords.items, strict=True))


def partial(t: Tracer, given: Known | Opaque, args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    """A call of a functools.partial."""
    from .calls import call

    before, function = objects.items(t, closures.part(t, given, "args")), closures.part(t, given, "func")
    named = copied(t, closures.part(t, given, "keywords"), function)
    if before is None or not isinstance(named, Instance):
        raise Break("call_arguments", "a partial of many arguments")
    return call(t, function, [*before, *args], {**dict(zip(named.names, named.items, strict=True)), **kwargs})


