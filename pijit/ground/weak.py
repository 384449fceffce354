"""What is known about objects, and forgotten when they go.

The program's tracer, profiler or debugger is there when its object goes, and would find Python code of ours in the middle of its own: what
removes a row is C. (What `weakref` offers runs Python code.)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Generic, TypeVar
from weakref import ref

T = TypeVar("T")


class Rows(Generic[T]):
    """A value for each of some objects, by identity: objects that are equal may differ in what we know."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: dict[int, tuple[T, ref[object]]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, about: object) -> T | None:
        row = self._rows.get(id(about))
        return None if row is None else row[0]

    def put(self, about: object, value: T) -> T:
        key = id(about)
        self._rows[key] = (
            value,
            ref(about, partial(self._rows.pop, key)),
        )  # called with the reference, which is the default
        return value


class Objects(Generic[T]):
    """Some objects, as long as they live."""

    __slots__ = ("_refs",)

    def __init__(self) -> None:
        self._refs: dict[int, ref[T]] = {}

    def __len__(self) -> int:
        return len(self._refs)

    def __iter__(self) -> Iterator[T]:
        return (found for found in [ref() for ref in list(self._refs.values())] if found is not None)

    def add(self, item: T) -> None:
        self._refs[id(item)] = ref(item, partial(self._refs.pop, id(item)))


class Named(Generic[T]):
    """Objects by name, as long as they live. One that is put where another is just going may lose its row to that one's end: what uses this makes
    again what it does not find."""

    __slots__ = ("_refs",)

    def __init__(self) -> None:
        self._refs: dict[str, ref[T]] = {}

    def __len__(self) -> int:
        return len(self._refs)

    def get(self, name: str) -> T | None:
        found = self._refs.get(name)
        return None if found is None else found()

    def put(self, name: str, item: T) -> T:
        self._refs[name] = ref(item, partial(self._refs.pop, name))
        return item
