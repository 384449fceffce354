"""The reference evaluator's built-in containers and texts: what csrc/deeds.c does, in Python."""

from __future__ import annotations

import bisect
import heapq
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

from ..ground.names import ByClass, is_one_of
from .evaluate import Env, careful, demand, rebuild
from .graph import Op

_BASIC = (int, str, float, bool, type(None), bytes, complex)
_KINDS = ByClass({int: "number", float: "number", bool: "number", str: "text", bytes: "bytes"})
_NOTHING = object()
_DICT_ITERATORS: tuple[type, ...] = (type(iter({})), type(iter({}.values())), type(iter({}.items())))


def _is_plain(o: Any, depth: int = 0) -> bool:
    """Whether hash and == of an object run no Python."""
    cls = type(o)
    if is_one_of(cls, _BASIC):
        return not (is_one_of(cls, (float, complex)) and o != o)
    if cls is tuple:
        return depth <= 8 and all(_is_plain(item, depth + 1) for item in o)
    return all(type.__getattribute__(cls, name) is object.__dict__[name] for name in ("__eq__", "__hash__"))


def _is_quiet(o: Any) -> bool:
    """Whether an object may be let go of: as far as its type says."""
    return is_one_of(type(o), _BASIC) or (type(o) is tuple and all(map(_is_quiet, o)))


def _look_up(owner: Any, key: Any) -> bool:
    demand(_is_plain(key) and all(map(_is_plain, list(owner))))
    return key in owner


def find(op: Op, env: Env) -> tuple[Any, ...]:
    owner, (recipe,) = env.of(op.args[0]), op.attrs["arguments"]
    key = rebuild(recipe, env)
    there = _look_up(owner, key)
    if op.attrs["what"] == "has":
        return (there,)
    if not there and op.attrs["what"] == "get":
        return (env.of(op.args[1]),)
    demand(there)
    return (dict.__getitem__(owner, key),)


def _dict_store(owner: dict[Any, Any], key: Any, value: Any) -> None:
    old = dict.get(owner, key, None) if _look_up(owner, key) else None
    demand(_is_quiet(old))
    owner[key] = value


def _dict_default(owner: dict[Any, Any], key: Any, value: Any) -> Any:
    _look_up(owner, key)
    return owner.setdefault(key, value)


def _dict_made(owner: Any, key: Any, factory: type) -> Any:
    demand(_look_up(owner, key) or owner.default_factory is factory)
    return owner[key]


def _dict_pop(owner: dict[Any, Any], key: Any, *default: Any) -> Any:
    demand(_look_up(owner, key) or bool(default))
    return owner.pop(key, *default)


def _dict_delete(owner: dict[Any, Any], key: Any) -> None:
    demand(_look_up(owner, key) and _is_quiet(dict.get(owner, key)))
    del owner[key]


def _set_add(owner: set[Any], key: Any) -> None:
    _look_up(owner, key)
    owner.add(key)


def _set_remove(owner: set[Any], key: Any) -> None:
    demand(_look_up(owner, key))
    owner.remove(key)


def _set_discard(owner: set[Any], key: Any) -> None:
    _look_up(owner, key)
    owner.discard(key)


def _of_plain(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def work(items: Any, item: Any) -> Any:
        demand(_is_plain(item) and all(map(_is_plain, items)))
        return function(items, item)

    return careful(work)


def _in_order(items: Any) -> None:
    """Numbers, texts, or tuples of such: they can be sorted."""
    kinds = {_kind(item) for item in items}
    demand(len(kinds) < 2 and None not in kinds)


def _kind(item: Any) -> Any:
    if type(item) is tuple:
        kinds = tuple(map(_kind, item))
        nan = any(one != one for one in item if type(one) is float)  # in tuples it tells which object it is
        return None if nan or None in kinds or any(type(kind) is tuple for kind in kinds) else kinds
    return _KINDS.get(type(item))


def _sort(items: list[Any]) -> None:
    _in_order(items)
    items.sort()


def _sorted(items: Any) -> list[Any]:
    made = list(items)
    _sort(made)
    return made


def _sorted_by(function: Any, items: list[Any], keys: list[Any], reverse: Any) -> Any:
    _in_order(keys)
    return function(items, keys, reverse)


def _heap_push(heap: list[Any], item: Any) -> None:
    _in_order([*heap, item])
    heapq.heappush(heap, item)


def _heap_pop(heap: list[Any]) -> Any:
    demand(len(heap) > 0)
    _in_order(heap)
    return heapq.heappop(heap)


def _heap_made(function: Any, heap: list[Any]) -> None:
    _in_order(heap)
    function(heap)


def _insort(items: list[Any], item: Any, after: bool) -> None:
    _in_order([*items, item])
    (bisect.insort_right if after else bisect.insort_left)(items, item)


def _deque_put(function: Any, owner: deque[Any], item: Any) -> None:
    demand(owner.maxlen is None or len(owner) < owner.maxlen or all(map(_is_quiet, owner)))
    function(owner, item)


def _of_sets(function: Any, *given: Any) -> Any:
    demand(all(all(map(_is_plain, items)) for items in given))
    return function(*given)


def _comparing(function: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda one, other: _of_sets(function, one, other)


def _dict_all(function: Any, *dicts: dict[Any, Any]) -> Any:
    demand(all(all(map(_is_plain, held)) for held in dicts))
    return function(*dicts)


def _dict_merged(function: Any, owner: dict[Any, Any], given: dict[Any, Any]) -> None:
    demand(all(map(_is_plain, owner)) and all(map(_is_plain, given)))
    demand("__name__" not in owner and all(_is_quiet(dict.get(owner, key)) for key in given))
    function(owner, given)


def _dict_paired(items: Any) -> dict[Any, Any]:
    pairs = list(items)
    demand(all(is_one_of(type(pair), (tuple, list)) and len(pair) == 2 and _is_plain(pair[0]) for pair in pairs))
    return dict(pairs)


_COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)


def _is_compared(item: Any) -> bool:
    return all(map(_is_compared, item)) if type(item) is list else _is_plain(item)


def _items_compared(op: int, one: Any, other: Any) -> Any:
    demand(all(map(_is_compared, one)) and all(map(_is_compared, other)))
    return _COMPARISONS[op](one, other)


def _list_remove(items: list[Any], item: Any) -> None:
    demand(_is_plain(item) and all(map(_is_plain, items)) and item in items)
    items.remove(item)


def _list_delete(items: list[Any], index: int) -> None:
    demand(_is_quiet(items[index]))
    del items[index]


def _list_part(items: list[Any], place: slice, *put: Any) -> None:
    demand(all(map(_is_quiet, items[place])))
    if put:
        (items[place],) = put
    else:
        del items[place]


def _of_numbers(function: Any, *args: Any) -> Any:
    demand(all(is_one_of(type(item), (int, float, bool)) for item in args[-1]))
    return function(*args)


def _clear(method: Any, owner: Any) -> None:
    demand(all(map(_is_quiet, owner)))
    method(owner)


def _dict_clear(method: Any, owner: dict[Any, Any]) -> None:
    demand("__name__" not in owner and all(map(_is_quiet, owner.items())))
    method(owner)


def _cell_store(cell: Any, value: Any) -> None:
    cell.cell_contents = value


def _set_of(items: Any) -> set[Any]:
    demand(all(map(_is_plain, items)))
    return set(items)


DEEDS: dict[str, Callable[..., Any]] = {
    "call": lambda function, *args: function(*args),
    "iter": iter,
    "cell_store": _cell_store,
    "dict_store": _dict_store,
    "dict_default": _dict_default,
    "dict_made": _dict_made,
    "dict_pop": _dict_pop,
    "dict_delete": _dict_delete,
    "set_add": _set_add,
    "set_discard": _set_discard,
    "set_remove": _set_remove,
    "set_of": _set_of,
    "items_have": _of_plain(lambda items, item: item in items),
    "items_index": _of_plain(lambda items, item: items.index(item)),
    "items_count": _of_plain(lambda items, item: items.count(item)),
    "list_remove": _list_remove,
    "list_pop": list.pop,
    "list_delete": _list_delete,
    "list_slice": operator.getitem,
    "list_part": _list_part,
    "of_numbers": _of_numbers,
    "clear": _clear,
    "dict_clear": _dict_clear,
    "list_sort": _sort,
    "sorted": _sorted,
    "sorted_by": _sorted_by,
    "heap_push": _heap_push,
    "heap_pop": _heap_pop,
    "heap_made": _heap_made,
    "insort": _insort,
    "deque_put": _deque_put,
    **dict.fromkeys(("set_all", "set_meet", "set_less", "set_merged", "set_reduced", "set_swapped", "set_kept"), _of_sets),
    "set_within": _comparing(operator.le),
    "set_below": _comparing(operator.lt),
    "set_equal": _comparing(operator.eq),
    "set_apart": _comparing(lambda one, other: one.isdisjoint(other)),
    "dict_all": _dict_all,
    "dict_merged": _dict_merged,
    "dict_paired": _dict_paired,
    "items_compared": _items_compared,
    "str": str,
    "join": lambda *texts: "".join(texts),
}


def do(op: Op, env: Env) -> tuple[Any, ...]:
    arguments = [rebuild(recipe, env) for recipe in op.attrs["arguments"]]
    try:
        found = DEEDS[op.attrs["deed"]](*arguments)
    except (LookupError, TypeError, ValueError, ArithmeticError, MemoryError, BufferError):
        demand(False)
    return (found,) if op.results else ()


def following(op: Op, it: Any) -> tuple[bool, Any]:
    try:
        if is_one_of(type(it), _DICT_ITERATORS) and not it.__length_hint__():
            it.__reduce__()  # goes on with a copy: the iterator itself raises only once where the keys are others
        found = next(it, _NOTHING)
    except RuntimeError:  # changed during iteration
        demand(False)
    return (False, None) if found is _NOTHING else (True, found)


TEXTS: dict[str, Callable[..., int]] = {
    "ord": lambda text: ord(text) if len(text) == 1 else -1,
    "byte": lambda packed, index: packed[index],
    "order": lambda one, other: (one > other) - (one < other),
    "same": lambda one, other: int(one == other),
    "has": lambda text, part: int(part in text),
}


def text(op: Op, *args: Any) -> int:
    found = TEXTS[op.attrs["which"]](*args)
    demand(found >= 0 or op.attrs["which"] == "order")
    return found


def char(op: Op, owner: str, index: int) -> str:
    return owner[index]

