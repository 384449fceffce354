"""Methods of built-in containers and texts, and what else works on them: rows of deeds."""

from __future__ import annotations

import bisect
import heapq
import operator
import types
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ...ground.names import is_one_of
from ...ir.graph import const
from ...ir.types import BOOL, INT
from .. import columns, deeds, instances, lengths, mappings, objects, opaque, ranges, standins, views
from ..operators import describe
from ..through import samples, through
from ..values import Abstract, Break, Container, Instance, Known, Opaque, Scalar, items_of, kind_of
from .rows import row, scalar_kind

if TYPE_CHECKING:
    from ..tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]


def _real(t: Tracer, function: Any, args: Args, kwargs: Kwargs, least: int, most: int, *classes: type) -> Opaque:
    """The container that a method works on, which is given so many arguments beside."""
    name = getattr(function, "__name__", "call")
    if kwargs or not least <= len(args) - 1 <= most:
        raise Break("call_arguments", name)
    if isinstance(args[0], Instance) and args[0].kind == "dict":
        args[:] = instances.settled(t, *args)
    if not isinstance(args[0], Opaque) or not is_one_of(args[0].cls, classes):
        raise Break("call_arguments", f"{name} of {describe(args[0])}")
    return args[0]


# ---- dicts -----------------------------------------------------------------------------------------------------------------


@row(dict.get)
def get(t: Tracer, args: Args, kwargs: Kwargs) -> Any:
    key = args[1] if len(args) in (2, 3) and not kwargs else None
    default = args[2] if len(args) == 3 else Known(None)
    if key is not None and isinstance(args[0], Instance) and args[0].kind == "dict" and mappings.is_name(key):
        held = args[0].get(mappings.key_of(key))
        return held if held is not None else default
    if key is not None and mappings.is_fixed(t, args[0], key):
        name = key.value  # type: ignore[attr-defined]
        return columns.read(t, args[0], key, lambda: objects.dict_get(t, args[0], name, default))
    owner = _real(t, dict.get, args, kwargs, 1, 2, *deeds.MAPPINGS)
    return deeds.dict_get(t, owner, args[1], default)


@row(dict.setdefault)
def setdefault(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    owner = _real(t, dict.setdefault, args, kwargs, 1, 2, dict)
    return deeds.dict_default(t, owner, args[1], args[2] if len(args) == 3 else Known(None))


@row(dict.pop)
def pop(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    return deeds.dict_pop(t, _real(t, dict.pop, args, kwargs, 1, 2, dict), *args[1:])


# ---- sets ------------------------------------------------------------------------------------------------------------------


def _of_set(function: Any, deed: str) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        owner = _real(t, function, args, kwargs, 1, 1, set)
        deeds.checked_key(args[1], function.__name__)
        found = deeds.do(t, deed, args)
        if function is set.add:
            like = standins.sample_of(t, args[1])
            if like is not None and deeds.is_hashable(like[0]):
                deeds.seen(t, owner, lambda sample: sample.add(like[0]))
        return found


_of_set(set.add, "set_add")
_of_set(set.discard, "set_discard")
_of_set(set.remove, "set_remove")


# ---- lists -----------------------------------------------------------------------------------------------------------------


def _changed(t: Tracer, owner: Opaque, *put: Abstract) -> None:
    """The items of a list are no longer what they were."""
    objects.list_changed(t, owner)
    likes = [like[0] for like in map(partial(standins.sample_of, t), put) if like is not None]
    if likes:
        deeds.seen(t, owner, lambda sample: sample.extend(likes[:1] * 2))


@row(list.pop)
def list_pop(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    owner = _real(t, list.pop, args, kwargs, 0, 1, list)
    if len(args) == 2 and scalar_kind(args[1]) not in ("int", "bool"):
        raise Break("call_arguments", f"pop of {describe(args[1])}")
    found = deeds.do(t, "list_pop", args, deeds.item_sample(t, owner))
    _changed(t, owner)
    return found


@row(list.insert)
def list_insert(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    owner = _real(t, list.insert, args, kwargs, 2, 2, list)
    if scalar_kind(args[1]) not in ("int", "bool"):
        raise Break("call_arguments", f"insert at {describe(args[1])}")
    deeds.do(t, "call", [Known(list.insert), *args])
    _changed(t, owner, args[2])
    return Known(None)


@row(list.extend)
def list_extend(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    owner = _real(t, list.extend, args, kwargs, 1, 1, list)
    list_put(t, owner, args[1], lambda items: deeds.do(t, "call", [Known(list.extend), owner, items]))
    return Known(None)


def list_put(t: Tracer, owner: Opaque, items: Abstract, put: Callable[[Abstract], object]) -> None:
    """A list gets several items at once, which ``put`` does."""
    if not _is_sequence(items):
        through(items, "extend")
    given = samples(t, items)
    put(items)
    objects.list_changed(t, owner)
    if given:
        deeds.seen(t, owner, lambda sample: sample.extend(given[:1] * 2))


def _rearranges(function: Any, deed: str) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        owner = _real(t, function, args, kwargs, 0, 0, list)
        deeds.do(t, deed, [Known(function), owner])
        _changed(t, owner)
        return Known(None)


_rearranges(list.reverse, "call")
_rearranges(heapq.heapify, "heap_made")


@row(list.remove)
def list_remove(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    owner = _real(t, list.remove, args, kwargs, 1, 1, list)
    deeds.checked_key(args[1], "remove")
    deeds.do(t, "list_remove", args)
    _changed(t, owner)
    return Known(None)


@row(list.sort)
def list_sort(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    owner = _real(t, list.sort, args, kwargs, 0, 0, list)
    deeds.do(t, "list_sort", args)
    _changed(t, owner)
    return Known(None)


def _of_items(function: Any, deed: str) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        _real(t, function, args, kwargs, 1, 1, list, tuple)
        deeds.checked_key(args[1], function.__name__)
        return deeds.do(t, deed, args, 1, pure=True)


for _cls in (list, tuple):
    _of_items(_cls.index, "items_index")
    _of_items(_cls.count, "items_count")


def _is_sequence(value: Abstract) -> bool:
    """Whether it is a list or tuple, virtual or real."""
    if isinstance(value, Container) and value.kind in ("list", "tuple"):
        return True
    return is_one_of(objects.class_of(value), (list, tuple))


@row(list)
def list_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) > 1:
        raise Break("call_arguments", "list")
    if not args:
        return objects.new_list(t, ())
    found: tuple[Abstract, ...] | None = None
    if isinstance(args[0], Instance) and args[0].kind == "dict":
        found = tuple(map(Known, args[0].names))
    elif items_of(args[0]) is not None or isinstance(args[0], Container):
        found = objects.items(t, args[0])
    if found is not None:
        return objects.new_list(t, found)
    return deeds.make(t, "call", [Known(list), through(args[0], "list")], samples(t, args[0]))


@row(sorted)
def sorted_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) != 1 or not isinstance(args[0], Opaque | Container) or kind_of(args[0]) in ("list", "tuple"):
        return opaque.call_pure(t, sorted, instances.settled(t, *args, fixed="shared"), kwargs)
    return deeds.make(t, "sorted", [through(args[0], "sorted")], samples(t, args[0]))


def _are(cls: type, *values: Abstract) -> bool:
    return all(v.kind == cls.__name__ if isinstance(v, Container) else objects.class_of(v) is cls for v in values)


def concatenated(t: Tracer, left: Abstract, right: Abstract, inplace: bool = False) -> Abstract | None:
    """list + list or tuple + tuple, of real ones or one that is virtual; None for anything else."""
    if _are(tuple, left, right):
        sample = (*_tuple_like(t, left), *_tuple_like(t, right))
        return deeds.do(t, "call", [Known(operator.add), *instances.settled(t, left, right, fixed="shared")], sample, pure=True)
    if inplace or not _are(list, left, right):
        return None
    return deeds.make(t, "call", [Known(operator.add), left, right], (samples(t, left) + samples(t, right))[:2])


def _tuple_like(t: Tracer, value: Abstract) -> tuple[Any, ...]:
    """A tuple like a virtual or real one, as far as is known."""
    found = [standins.sample_of(t, item) for item in (value.items if isinstance(value, Container) else [value])]
    likes = [like[0] for like in found if like is not None]
    return tuple(likes) if isinstance(value, Container) else likes[0] if likes else ()


def _clears(cls: Any) -> None:
    @row(cls.clear)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        owner = _real(t, cls.clear, args, kwargs, 0, 0, cls)
        if cls is dict:
            views.may_store(t)
        deeds.do(t, "dict_clear" if cls is dict else "clear", [Known(cls.clear), owner])
        if cls is list:
            _changed(t, owner)
        elif cls is dict:
            t.stored_here.add(("keys",))
            deeds.forget_names(t, owner)
        return Known(None)


for _cleared in (list, dict, set, deque):
    _clears(_cleared)


# ---- heaps and deques ------------------------------------------------------------------------------------------------------


@row(heapq.heappush)
def heappush(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    owner = _real(t, heapq.heappush, args, kwargs, 1, 1, list)
    deeds.do(t, "heap_push", args)
    _changed(t, owner, args[1])
    return Known(None)


@row(heapq.heappop)
def heappop(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    owner = _real(t, heapq.heappop, args, kwargs, 0, 0, list)
    found = deeds.do(t, "heap_pop", args, deeds.item_sample(t, owner))
    _changed(t, owner)
    return found


def _keeps_order(function: Any, after: bool) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        """bisect.insort of a whole list."""
        owner = _real(t, function, args, kwargs, 1, 1, list)
        deeds.do(t, "insort", [*args, Known(after)])
        _changed(t, owner, args[1])
        return Known(None)


_keeps_order(bisect.insort_right, True)
_keeps_order(bisect.insort_left, False)


def _puts(function: Any) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        owner = _real(t, function, args, kwargs, 1, 1, deque)
        deeds.do(t, "deque_put", [Known(function), *args])
        like = standins.sample_of(t, args[1])
        if like is not None:
            deeds.seen(t, owner, lambda sample: sample.append(like[0]))
        return Known(None)


def _takes(function: Any) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        owner = _real(t, function, args, kwargs, 0, 0, deque)
        return deeds.do(t, "call", [Known(function), owner], deeds.item_sample(t, owner))


for _putting in (deque.append, deque.appendleft):
    _puts(_putting)
for _taking in (deque.pop, deque.popleft):
    _takes(_taking)


def _makes(cls: Any) -> None:
    @row(cls)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        """A new set or deque of what a container has, or of nothing."""
        most: Args = []  # a deque's maxlen
        if cls is deque and (len(args) == 2 or "maxlen" in kwargs):
            most = [*args[1:], *kwargs.values()]
            args, kwargs = args[:1] or [Container("tuple", ())], {}
            if len(most) != 1 or not (scalar_kind(most[0]) == "int" or isinstance(most[0], Known)):
                raise Break("call_arguments", "deque")
        if kwargs or len(args) > 1 or (args and not (_is_sequence(args[0]) or isinstance(args[0], Opaque | Known) or ranges.is_range(args[0]))):
            raise Break("call_arguments", cls.__name__)
        if args and not _is_sequence(args[0]):
            through(args[0], cls.__name__)
        args = instances.settled(t, *args, fixed="shared")
        given = samples(t, args[0]) if args else []
        if cls is set and args and not all(map(deeds.is_hashable, given)):
            raise Break("call_arguments", "set of objects")
        deed = "set_of" if cls is set and args else "call"
        return deeds.make(t, deed, [*([] if deed == "set_of" else [Known(cls)]), *args, *most], cls(given))


_makes(deque)
_makes(set)


# ---- texts -----------------------------------------------------------------------------------------------------------------


@row(ord)
def ord_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) != 1 or not deeds.is_text(args[0]):
        raise Break("call_arguments", "ord")
    if isinstance(args[0], Known):
        if len(args[0].value) != 1:
            raise Break("always_raises", "ord")
        return Known(ord(args[0].value))
    return Scalar(deeds.text(t, "ord", INT, deeds.as_object(t, args[0])))


@row(chr)
def chr_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) != 1 or scalar_kind(args[0]) not in ("int", "bool"):
        raise Break("call_arguments", "chr")
    return deeds.do(t, "call", [Known(chr), args[0]], "x", pure=True)


# Methods that look at their texts and at nothing else: no codec, no table, no iterable, no other object's __format__.
_METHODS = (
    "capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit",
    "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "ljust", "lower", "lstrip", "partition",
    "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith",
    "strip", "swapcase", "title", "upper", "zfill",
)  # fmt: skip
_PLAIN = (str, int, bool, bytes, type(None))


_MOST = {"encode": 1, "decode": 1}  # arguments: UTF-8 needs no codec


def _of_text(function: types.MethodDescriptorType) -> None:
    most = _MOST.get(function.__name__, 9)

    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        likes = [standins.sample_of(t, arg) for arg in args]
        if kwargs or not 0 < len(args) <= most or not all(like is not None and is_one_of(type(like[0]), _PLAIN) for like in likes):
            raise Break("call_arguments", function.__name__)
        if not all(isinstance(arg, Known) or (isinstance(arg, Opaque) and arg.cls is not None) or kind_of(arg) in ("int", "bool") for arg in args):
            raise Break("call_arguments", function.__name__)
        try:
            sample = function(*(like[0][: deeds.LIKE] if is_one_of(type(like[0]), (str, bytes)) else like[0] for like in likes if like is not None))
        except Exception:
            raise Break("call_arguments", function.__name__) from None
        found = deeds.do(t, "call", [Known(function), *args], sample, pure=True)
        return deeds.pieces(t, found) if type(sample) is list else found


for _name in (*_METHODS, *_MOST):
    for _text in (str, bytes):
        _function = getattr(_text, _name, None)
        if type(_function) is types.MethodDescriptorType:
            _of_text(_function)


_LONG = 2000  # characters, from which on copying them is what takes the time


def joined_texts(t: Tracer, left: Abstract, right: Abstract) -> Abstract | None:
    """text + text, of which one is not known."""
    for cls in (str, bytes):
        if deeds.is_text(left, cls) and deeds.is_text(right, cls):
            length = lengths.of(t, left) if cls is str else None
            if length is not None:  # CPython lets a long one grow where it is
                t.check(t.emit("cmp", (length, const(_LONG)), BOOL, symbol="<"), "text_grows")
            return deeds.do(t, "call", [Known(operator.add), left, right], cls(), pure=True)
    return None
