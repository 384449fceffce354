"""Sources: where an input comes from. One object loads the value, states its guard, and names it for the user."""

from __future__ import annotations

from typing import Any

from pijit.ground.records import dataclass

from ..ground.names import class_name


@dataclass(frozen=True, slots=True)
class Source:
    """``row`` is the loading row of docs/native.md; ``parent`` the source it loads from; ``name`` is the user's."""

    row: tuple[Any, ...]
    name: str
    parent: Source | None = None


def local(slot: int, name: str) -> Source:
    return Source(("local", slot), name)


def stack(index: int) -> Source:
    return Source(("stack", index), f"value {index} of the expression being evaluated")


def global_(name: str) -> Source:
    return Source(("global", name), name)


def builtin(name: str) -> Source:
    return Source(("builtin", name), name)


def name_(name: str) -> Source:
    return Source(("name", name), name)


def closure(index: int, name: str) -> Source:
    return Source(("closure", index), name)


def attribute(parent: Source, name: str) -> Source:
    return Source(("attr", name), f"{parent.name}.{name}", parent)


def field(parent: Source, name: str) -> Source:
    """What an instance holds under a name."""
    return Source(("field", name), f"{parent.name}.{name}", parent)


def member(cls: type, name: str) -> Source:
    """What a class and its bases say of a name."""
    return Source(("member", name), f"{class_name(cls, '__name__')}.{name}", constant(cls, class_name(cls, "__name__")))


def dict_item(parent: Source, key: str) -> Source:
    return Source(("dict_item", key), item_name(parent.name, key), parent)


def item_name(owner: str, key: object) -> str:
    """An item as people write it: cfg["lr"], layers[2]."""
    return f'{owner}["{key}"]' if isinstance(key, str) and key.isidentifier() else f"{owner}[{key!r}]"


def globals_of(parent: Source) -> Source:
    """The namespace of a function."""
    return Source(("globals_of",), f"the globals of {parent.name}", parent)


def item(parent: Source, index: int) -> Source:
    return Source(("item", index), f"{parent.name}[{index}]", parent)


@dataclass(frozen=True, slots=True)
class ConstantSource(Source):
    """An object that is known: hashed by identity."""

    identity: int = 0


def constant(value: Any, name: str) -> Source:
    return ConstantSource(("const", _Same(value)), name, None, id(value))


class _Same:
    """Compares by identity, so that any object can be part of a row."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def closed(parent: Source, index: int, name: str) -> Source:
    """What a function has closed over."""
    return Source(("closed", index), name, parent)


def part(parent: Source, name: str) -> Source:
    """What a function, bound method or partial was made with."""
    return Source(("part", name), f"{parent.name}.{name}", parent)


def under(parent: Source, strict: bool = False) -> Source:
    """What an iterator goes through: the sequence, the iterator of enumerate, the iterators of zip, which is ``strict`` or not."""
    return Source(("under_strict" if strict else "under",), f"what {parent.name} goes through", parent)
