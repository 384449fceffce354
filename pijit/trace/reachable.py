"""Objects like one at hand, that are found from it: the other nodes of a tree or list, which are instances, tuples or lists. Nothing of the program
runs for it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .. import _native
from ..ground.names import is_one_of

_MOST = 64


def alike(held: Any, names: Collection[str]) -> list[Any]:
    """Other objects of its type that its attributes of these names hold, or lists and tuples in them, or its items, and so on: depth first, so that
    the ends are among the few that are looked at."""
    cls, seen, ahead = type(held), {id(held)}, [held]
    found: list[Any] = []
    while ahead and len(found) < _MOST:
        owner = ahead.pop()
        found.append(owner)
        for value in [owner] if is_one_of(cls, (list, tuple)) else [_native.field(owner, name) for name in names]:
            for item in value[:_MOST] if is_one_of(type(value), (list, tuple)) else (value,):
                if type(item) is cls and id(item) not in seen:
                    seen.add(id(item))
                    ahead.append(item)
    return found[1:]
