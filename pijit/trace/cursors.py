"""Iterators as abstract values: a position in what they go through."""

from __future__ import annotations

from collections.abc import Iterator

from pijit.ground.records import dataclass, replace

from ..ir.graph import Box, Build, Recipe, Value, const
from .values import Abstract, Container, Suspended


@dataclass(frozen=True, slots=True, eq=False)
class RangeIterator(Abstract):
    """An iterator over range(next, stop, step), or itertools.count(next, step) where there is no stop. It stands for one object in one slot;
    exits put a new one there. A step that is not known is positive."""

    next: Value
    stop: Value | None
    step: int | Value

    def parts(self) -> tuple[Value, ...]:
        return tuple(part for part in (self.next, self.stop, self.step) if isinstance(part, Value))

    def remade(self, parts: Iterator[Value]) -> Abstract:
        position = next(parts)
        stop = None if self.stop is None else next(parts)
        return RangeIterator(position, stop, self.step if isinstance(self.step, int) else next(parts))

    @property
    def width(self) -> Value:
        """The step as a value of the graph."""
        return const(self.step) if isinstance(self.step, int) else self.step

    @property
    def goes_up(self) -> bool:
        return not isinstance(self.step, int) or self.step > 0

    def moved(self, position: Value) -> Abstract:
        """The same iterator at another position."""
        return replace(self, next=position)

    @property
    def position(self) -> Value:
        return self.next

    def shape(self) -> object:
        return ("RangeIterator", self.stop is None, self.step if isinstance(self.step, int) else None)

    def recipe(self) -> Recipe:
        if self.stop is None:
            return Build("count", (Box(self.next), Box(self.width)))
        return Build("range_iterator", (Box(self.next), Box(self.stop), Box(self.width)))


@dataclass(frozen=True, slots=True, eq=False)
class SequenceIterator(Abstract):
    """An iterator over a list, array or text (``sequence``) that stands at ``index``, and goes on by ``step``, 1 or -1."""

    sequence: Abstract
    index: Value
    step: int = 1

    def parts(self) -> tuple[Value, ...]:
        return (*self.sequence.parts(), self.index)

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return SequenceIterator(self.sequence.remade(parts), next(parts), self.step)

    def moved(self, position: Value) -> Abstract:
        """The same iterator at another position."""
        return replace(self, index=position)

    @property
    def position(self) -> Value:
        return self.index

    def shape(self) -> object:
        return ("SequenceIterator", self.step, self.sequence.shape())

    def recipe(self) -> Recipe:
        through = self.sequence.recipe()
        return Build("iterator_at", (through if self.step == 1 else Build("reversed", (through,)), Box(self.index)))

    def inner(self) -> tuple[Abstract, ...]:
        return (self.sequence,)

    def with_inner(self, inner: tuple[Abstract, ...]) -> Abstract:
        return replace(self, sequence=inner[0])


@dataclass(frozen=True, slots=True, eq=False)
class Unrolled(Abstract):
    """An iterator over the known items of a tuple or list (``owner``): a loop over it is unrolled."""

    owner: Abstract
    items: tuple[Abstract, ...]
    index: int = 0

    def parts(self) -> tuple[Value, ...]:
        return (*self.owner.parts(), *(v for item in self.items for v in item.parts()))

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return replace(self, owner=self.owner.remade(parts), items=tuple(item.remade(parts) for item in self.items))

    def shape(self) -> object:
        return ("Unrolled", self.index, self.owner.shape(), *(item.shape() for item in self.items))

    def recipe(self) -> Recipe:
        return Build("iterator_at", (self.owner.recipe(), Box(const(self.index))))

    def inner(self) -> tuple[Abstract, ...]:
        return (self.owner, *self.items)

    def with_inner(self, inner: tuple[Abstract, ...]) -> Abstract:
        return replace(self, owner=inner[0], items=inner[1:])


@dataclass(frozen=True, slots=True, eq=False)
class Together(Abstract):
    """An iterator over tuples of what other iterators give: of zip, or (with ``count``) of enumerate."""

    iterators: tuple[Abstract, ...]
    count: Value | None = None
    strict: bool = False

    def parts(self) -> tuple[Value, ...]:
        own = () if self.count is None else (self.count,)
        return (*own, *(v for it in self.iterators for v in it.parts()))

    def remade(self, parts: Iterator[Value]) -> Abstract:
        count = None if self.count is None else next(parts)
        return replace(self, iterators=tuple(it.remade(parts) for it in self.iterators), count=count)

    def shape(self) -> object:
        return ("Together", self.count is None, self.strict, *(it.shape() for it in self.iterators))

    def recipe(self) -> Recipe:
        inner = tuple(it.recipe() for it in self.iterators)
        return Build(ZIP[self.strict], inner) if self.count is None else Build("enumerate", (*inner, Box(self.count)))

    def inner(self) -> tuple[Abstract, ...]:
        return self.iterators

    def with_inner(self, inner: tuple[Abstract, ...]) -> Abstract:
        return replace(self, iterators=inner)

    def rounds(self) -> tuple[int, ...]:
        """Of the loops that are unrolled for it, which round they are in."""
        return tuple(number for it in self.iterators for number in rounds(it))


def rounds(value: Abstract) -> tuple[int, ...]:
    """Which rounds of unrolled loops an iterator is in; empty for anything else."""
    return (value.index,) if isinstance(value, Unrolled) else value.rounds() if isinstance(value, Together) else ()


ZIP = ("zip", "zip_strict")  # the kinds of builds
_SINGLE = frozenset({"list", "enumerate", *ZIP, "reversed", "count"})


def changes(value: Abstract) -> bool:
    """Whether a virtual object is a list or an iterator, or holds one: there may be only one of it."""
    if isinstance(value, RangeIterator | SequenceIterator | Unrolled | Together | Suspended):
        return True
    return isinstance(value, Container) and (value.kind in _SINGLE or any(map(changes, value.items)))
