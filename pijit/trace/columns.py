"""Records in a list, such as tuples of a table's row or dicts with the same keys: what the items at one place in them may be.

The record at hand says little of the others: one has a number where another has None. So where an item is read of a record that was taken from a
list, the other records of the list (`Tracer.siblings`) are looked at, and there is a way onward for each type that they have at that place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _native
from ..ground.names import is_one_of
from . import inputs, kinds, learned, mappings, objects
from .values import END, Abstract, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer


_MOST = 4  # ways onward from one instruction: those of several items are multiplied


def row_of(t: Tracer, record: Abstract, index: Abstract) -> tuple[Any, ...] | None:
    """The place that an index means in a record; None for what is none."""
    if not isinstance(record, Opaque) or record.value not in t.siblings or not isinstance(index, Known):
        return None
    if is_one_of(record.cls, (tuple, list)) and type(index.value) is int and index.value >= 0:
        return "item", index.value
    return ("dict_item", index.value) if mappings.is_fixed(t, record, index) else None


def samples(t: Tracer, record: Opaque, row: tuple[Any, ...]) -> list[Any]:
    """An item for each type that the records have there; none where that is the one at hand, or more than can be told apart."""
    if not learned.may_fork(t) or objects.is_known(t, record, row) or learned.place_of(record, row) in t.supposed:
        return []
    mine, others = _held(objects.actual_of(t, record), row), [item for one in t.siblings[record.value] for item in _held(one, row)]
    if not mine and row[0] == "dict_item":  # it has no such key
        return []
    found = kinds.of_each([*mine, *others])
    return found if len(found) > 1 or not mine else []


def _held(record: Any, row: tuple[Any, ...]) -> list[Any]:
    """What a record holds at a place: one item, or none."""
    kind, index = row
    if kind == "item":
        return [record[index]] if is_one_of(type(record), (tuple, list)) and index < len(record) else []
    item = inputs.held(record, index) if _native.only_names(record) else objects.UNSET
    return [] if item is objects.UNSET else [item]


def read(t: Tracer, record: Abstract, index: Abstract, get: Callable[[], Any]) -> Any:
    """record[index], which ``get`` reads: END with a way for each type that it may be of, or what that gives."""
    row = row_of(t, record, index)
    found = [] if row is None else samples(t, record, row)  # type: ignore[arg-type]
    if not found:
        return get()
    learned.fork(t, record, row, found, partial(_push, t, get))  # type: ignore[arg-type]
    return END


def _push(t: Tracer, get: Callable[[], Any]) -> Any:
    item = get()
    return item if item is END else t.push(item)  # of a list that was shorter, the items are told apart there


def unpacked(t: Tracer, record: Abstract, n: int, push: Callable[[], None], ways: int = 1) -> Any:
    """The same for the first n items of a record, which ``push`` pushes. ``ways``: that lead here."""
    if isinstance(record, Opaque) and record.value in t.siblings and is_one_of(record.cls, (tuple, list)):
        for index in range(n):
            row = "item", index
            found = samples(t, record, row)
            if found and ways * len(found) <= _MOST:
                learned.fork(t, record, row, found, partial(unpacked, t, record, n, push, ways * len(found)))
                return END
    return push()
