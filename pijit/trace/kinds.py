"""Lists whose items are of a few types: a loop over one tells them apart, and goes on for each type by a way of its own.

What the list holds at capture says which types to ask for, the frequent ones first; an item of yet another one is an exit, as where all are of one
type. The ways meet where what is left of the item is alike.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ir.graph import Value
from . import objects
from .cursors import SequenceIterator, Together
from .values import Abstract, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

_LOOKED_AT = 64  # items
_MOST = 3  # ways
_OTHERS = (int, float, type(None))


class Several(NamedTuple):
    """The list, where the next item is in it, and an item of each type."""

    container: Opaque
    at: Value
    samples: list[Any]


def ahead(t: Tracer, it: Abstract) -> Several | None:
    """What the next item of an iterator may be, where it is of one of several types; of `zip` the first such item."""
    for inner in it.iterators if isinstance(it, Together) else (it,):
        if isinstance(inner, SequenceIterator) and isinstance(inner.sequence, Opaque) and inner.sequence.cls is list:
            samples = _samples(t.samples.get(inner.sequence.value))
            if len(samples) > 1:
                return Several(inner.sequence, inner.index, samples)
    return None


def _samples(items: Any) -> list[Any]:
    """An item of each type; none where one of another type is among them."""
    some = items[:_LOOKED_AT] if type(items) is list else []
    counts = Counter(map(type, some))
    if not all(cls in _OTHERS or objects.is_plain(cls) for cls in counts):
        return []
    return [next(item for item in some if type(item) is cls) for cls, _ in counts.most_common(_MOST)]
