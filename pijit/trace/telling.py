"""Which of the objects at hand stands for the others at capture. An empty container says nothing of what others hold: one that is not is taken."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from .. import _native
from ..ground.names import is_one_of
from . import objects, reachable
from .values import Abstract, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

_CONTAINERS = (list, dict, set, frozenset, deque, OrderedDict, defaultdict, Counter)
_LOOKED_AT = 64


def _says_nothing(held: Any) -> bool:
    """Whether it is an empty container, or a tuple with one in it."""
    if type(held) is tuple:
        return any(is_one_of(type(item), _CONTAINERS) and not len(item) for item in held)
    return is_one_of(type(held), _CONTAINERS) and not len(held)


def _likely(held: Any, others: Iterable[Any]) -> Any:
    """An object, or another of its type in place of one that says nothing."""
    if not _says_nothing(held):
        return held
    return next((one for one in others if type(one) is type(held) and not _says_nothing(one)), held)


def _some(items: Collection[Any]) -> list[Any] | tuple[Any, ...]:
    """Some of the items: from all over a list or tuple; of others the first ones, as the way to the last leads through all. In one go, so that no
    other thread changes them meanwhile."""
    if is_one_of(type(items), (list, tuple)):
        return items[:: 1 + len(items) // _LOOKED_AT]  # type: ignore[index,no-any-return]
    return list(islice(items, _LOOKED_AT))


def item(items: Collection[Any]) -> Any:
    """An item like the first one of a built-in container that is not empty."""
    return _likely(next(iter(items)), _some(items))


def value(held: dict[Any, Any], first: Any) -> Any:
    """What a dict holds under a key, or what it holds under others."""
    return _likely(first, _some(dict.values(held)))


def field(t: Tracer, owner: Abstract, name: str, held: Any) -> Any:
    """What an attribute of an owner holds, or what that of others holds that are like it."""
    return _likely(held, _fields(t, owner, name))


def _fields(t: Tracer, owner: Abstract, name: str) -> Iterator[Any]:
    for other in _siblings(t, owner):
        yield _native.field(other, name)
    actual = objects.actual_of(t, owner)
    if objects.is_plain(type(actual)):
        for other in reachable.alike(actual, t.root.bytecode.code.co_names):
            yield _native.field(other, name)


def with_siblings(t: Tracer, made: Abstract, items: Collection[Any]) -> Abstract:
    """An object that was taken from among the items, whose attributes tell what those of one may hold."""
    if isinstance(made, Opaque):
        t.siblings[made.value] = [other for other in _some(items) if type(other) is made.cls]
    return made


def with_fields(t: Tracer, made: Abstract, owner: Abstract, name: str) -> Abstract:
    """An instance that is an attribute of an owner."""
    others = _siblings(t, owner)
    is_instance = isinstance(made, Opaque) and objects.is_plain(made.cls)
    return with_siblings(t, made, [_native.field(other, name) for other in others]) if others and is_instance else made


def _siblings(t: Tracer, owner: Abstract) -> list[Any]:
    return t.siblings.get(owner.value, []) if isinstance(owner, Opaque) else []
