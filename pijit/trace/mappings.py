"""Dict displays, **keywords and star-unpacking: dicts with constant keys stay virtual."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from . import inputs, objects, sources
from .tables import CALLABLES
from .values import Abstract, Break, Instance, Known

if TYPE_CHECKING:
    from .tracer import Tracer


def display(keys: list[Abstract], values: list[Abstract]) -> Instance:
    """{key: value, ...}"""
    made = Instance("dict", (), cls=dict)
    for key, value in zip(keys, values, strict=True):
        made = made.storing(key_of(key), value)
    return made


def key_of(key: Abstract) -> str:
    """A key that a virtual dict may have."""
    if not isinstance(key, Known) or type(key.value) is not str:
        raise Break("comprehension", "a dict whose keys are not constant strings")
    return key.value


def merged(into: Abstract, other: Abstract, *, anew: bool) -> Instance:
    """A dict that another one was put into; ``anew``: no key may be there already."""
    if not (isinstance(into, Instance) and isinstance(other, Instance) and into.kind == other.kind == "dict"):
        raise Break("call_arguments", "a dict that was not made here")
    for name, item in zip(other.names, other.items, strict=True):
        if anew and name in into.names:
            raise Break("always_raises", f"several values for {name}")
        into = into.storing(name, item)
    return into


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


def partial(t: Tracer, given: functools.partial[Any], args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    """A call of a functools.partial, which is guarded to be the same one."""
    from .calls import call

    before = [_constant(t, value, f"argument {i} of a partial") for i, value in enumerate(given.args)]
    named: dict[str, Abstract] = {}
    for name, value in given.keywords.items():
        source = sources.dict_item(sources.constant(given.keywords, "a partial's keywords"), name)
        t.guards.check(source, "is", value, text=f"{source.name} is what it was")
        named[name] = _constant(t, value, source.name)
    return call(t, Known(given.func), [*before, *args], {**named, **kwargs})


def _constant(t: Tracer, value: Any, name: str) -> Abstract:
    """What a partial holds: always the same object."""
    key = ("partial", id(value))
    if type(value) in (int, float, bool, complex) or inputs.is_constant(value):
        return Known(value)
    found = t.entry_values.get(key)
    if found is None:
        found = t.entry_values[key] = inputs.load(t, sources.constant(value, name), value)
    return found


def _dict(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    if args:
        raise Break("call_arguments", "dict of another object")
    return Instance("dict", tuple(kwargs.values()), cls=dict, names=tuple(kwargs))


CALLABLES[dict] = _dict


