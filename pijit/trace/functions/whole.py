"""Sets and dicts taken as a whole: their operators, comparisons, copies, and the methods that are given another one. Rows of deeds, which leave it
to the interpreter where something compared, or let go of, is the program's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Any

from pijit.ground.records import replace

from ...ground.names import is_one_of
from .. import deeds, instances, objects, operators, orders, standins, views
from ..through import samples, through
from ..values import Abstract, Break, Container, Instance, Known, Opaque, dict_of
from .rows import expect, row

if TYPE_CHECKING:
    from ..tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]

# symbol: the deed of the new set, that of a set which is changed.
_OF_SETS = {"|": ("set_all", "set_merged"), "&": ("set_meet", "set_kept"), "-": ("set_less", "set_reduced"), "^": ("set_all", "set_swapped")}
_INPLACE: dict[str, Callable[[Any, Any], Any]] = {"|": operator.ior, "&": operator.iand, "-": operator.isub, "^": operator.ixor}
_NAMES = {"|": ("union", "update"), "&": ("intersection", "intersection_update"), "-": ("difference", "difference_update"),
          "^": ("symmetric_difference", "symmetric_difference_update")}  # fmt: skip
# symbol: the deed, whether the operands change places, whether it is the opposite.
_COMPARED = {
    "<=": ("set_within", False, False), ">=": ("set_within", True, False), "<": ("set_below", False, False), ">": ("set_below", True, False),
    "==": ("set_equal", False, False), "!=": ("set_equal", False, True),
}  # fmt: skip
_FEW = 2  # items say what the others are like


def binary(t: Tracer, symbol: str, left: Abstract, right: Abstract, inplace: bool) -> Abstract | None:
    """left <symbol> right of two sets or two dicts; None for anything else."""
    if symbol in _OF_SETS and _is_set(left) and _is_set(right):
        made, changed = _OF_SETS[symbol]
        if inplace and isinstance(left, Opaque) and left.cls is set:
            _change(t, changed, _INPLACE[symbol], left, right)
            return left
        return _make(t, made, operators.PYTHON[symbol], left, right)
    if symbol == "|" and _is_dict(left) and _is_dict(right):
        left, right = instances.settled(t, left, right)
        if not inplace:
            return _merged(t, operators.PYTHON[symbol], left, right)
        _update(t, operator.ior, left, right)
        return left
    return None


def together(t: Tracer, into: Abstract, other: Abstract) -> Abstract | None:
    """What {**into, **other} gives of two dicts; None for anything else."""
    if isinstance(into, Instance) and not into.items and _is_dict(other):
        return copied(t, [other], {})
    return binary(t, "|", into, other, False)


def compare(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Abstract | None:
    """left <symbol> right of two sets; None for anything else."""
    if not (_is_set(left) and _is_set(right)):
        return None
    deed, swaps, negates = _COMPARED[symbol]
    found = _told(t, deed, *((right, left) if swaps else (left, right)))
    return operators.unary(t, "not", found) if negates else found


# ---- sets ------------------------------------------------------------------------------------------------------------------


def _is_set(value: Abstract) -> bool:
    return deeds.is_set(value) or (isinstance(value, Known) and type(value.value) is frozenset)


def _is_listed(value: Abstract) -> bool:
    """Whether it is a list or tuple, virtual or real."""
    return (isinstance(value, Container) and value.kind in ("list", "tuple")) or is_one_of(objects.class_of(value), (list, tuple))


def _items(t: Tracer, value: Abstract, what: str) -> list[Any]:
    """What items of it are like. Those of a class with an `__eq__` of its own are none that native code compares."""
    found = samples(t, value)
    orders.without_nans(t, value)
    if not all(map(deeds.is_hashable, found)):
        raise Break("unsupported_type", f"{what} of objects")
    return found


def _make(t: Tracer, deed: str, function: Any, left: Abstract, right: Abstract) -> Abstract:
    name = function.__name__
    one, other = _items(t, left, name), _items(t, right, name)
    cls: Any = objects.class_of(left)
    sample = cls((*one, *other)[: 2 * _FEW] if deed == "set_all" else one)
    return deeds.make(t, deed, [Known(function), left, right], sample)


def _change(t: Tracer, deed: str, function: Any, owner: Opaque, given: Abstract) -> None:
    name = function.__name__
    _items(t, owner, name)
    more = _items(t, given, name)
    deeds.do(t, deed, [Known(function), owner, given])
    if more and deed in ("set_merged", "set_swapped"):
        deeds.seen(t, owner, lambda sample: sample.update(more))


def _told(t: Tracer, deed: str, left: Abstract, right: Abstract) -> Abstract:
    """What a comparison says."""
    for value in (left, right):
        _items(t, value, "a comparison")
    return deeds.do(t, deed, [left, right], True, pure=True)


def _makes(cls: Any, name: str, deed: str) -> None:
    function = getattr(cls, name)

    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        owner, given = _operands(args, kwargs, name, cls, deed == "set_all")
        return _make(t, deed, function, owner, given)


def _changes(name: str, deed: str) -> None:
    function = getattr(set, name)

    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        owner, given = _operands(args, kwargs, name, set, deed == "set_merged")
        assert isinstance(owner, Opaque)
        _change(t, deed, function, owner, given)
        return Known(None)


def _tells(cls: Any, name: str, deed: str, swaps: bool) -> None:
    @row(getattr(cls, name))
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        owner, given = _operands(args, kwargs, name, cls, False)
        return _told(t, deed, *((given, owner) if swaps else (owner, given)))


def _operands(args: Args, kwargs: Kwargs, name: str, cls: type, listed: bool) -> tuple[Abstract, Abstract]:
    """The set of a method, and the other one that it is given; ``listed``: which may be a list or tuple."""
    expect(name, args, kwargs, 2)
    owner, given = args
    if not _is_set(owner) or objects.class_of(owner) is not cls or not (_is_set(given) or (listed and _is_listed(given))):
        raise Break("call_arguments", f"{name} of {operators.describe(given)}")
    return owner, given


for _symbol, (_made, _changed) in _OF_SETS.items():
    for _cls in (set, frozenset):
        _makes(_cls, _NAMES[_symbol][0], _made)
    _changes(_NAMES[_symbol][1], _changed)
for _cls in (set, frozenset):
    _tells(_cls, "issubset", "set_within", False)
    _tells(_cls, "issuperset", "set_within", True)
    _tells(_cls, "isdisjoint", "set_apart", False)


@row(frozenset)
def frozenset_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) > 1 or not all(_is_set(given) or _is_listed(given) for given in args):
        raise Break("call_arguments", "frozenset")
    if not args:
        return Known(frozenset())
    if objects.class_of(args[0]) is frozenset:
        return args[0]
    return deeds.make(t, "set_all", [Known(frozenset), *args], frozenset(_items(t, args[0], "frozenset")))


# ---- dicts -----------------------------------------------------------------------------------------------------------------


def _is_dict(value: Abstract) -> bool:
    return (isinstance(value, Instance) and value.kind == "dict") or (isinstance(value, Opaque) and value.cls is dict)


def _like(t: Tracer, value: Abstract) -> dict[Any, Any]:
    """A few items like those of a real dict."""
    found = standins.sample_of(t, value)
    items = list(islice(dict.items(found[0]), _FEW)) if found is not None else []
    if not all(deeds.is_hashable(key) for key, _ in items):
        raise Break("unsupported_type", "a dict with objects as keys")
    return dict(items)


def _merged(t: Tracer, function: Any, *given: Abstract) -> Abstract:
    """A new dict of one or two."""
    likes = [_like(t, value) for value in given]
    return deeds.make(t, "dict_all", [Known(function), *given], {key: item for like in likes for key, item in like.items()})


def _update(t: Tracer, function: Any, owner: Abstract, given: Abstract) -> None:
    more = _like(t, given)
    _like(t, owner)
    assert isinstance(owner, Opaque)
    views.may_store(t)
    deeds.do(t, "dict_merged", [Known(function), owner, given])
    deeds.forgotten(t, owner, Known(""))
    if more:
        deeds.seen(t, owner, lambda sample: sample.update(more))


def _of_pairs(t: Tracer, given: Abstract, what: str) -> Abstract:
    """A new dict of the pairs that something gives."""
    if not _is_listed(given):
        through(given, what)
    pairs = samples(t, given)
    orders.without_nans(t, given)
    if not all(is_one_of(type(pair), (tuple, list)) and len(pair) == 2 and deeds.is_hashable(pair[0]) for pair in pairs):
        raise Break("call_arguments", f"{what} of {operators.describe(given)}")
    return deeds.make(t, "dict_paired", [given], dict(pairs))


@row(dict)
def dict_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if not args:
        return dict_of(kwargs)
    if kwargs or len(args) > 1:
        raise Break("call_arguments", "dict of another object and keywords")
    return copied(t, args, {}) if _is_dict(args[0]) else _of_pairs(t, args[0], "dict")


@row(dict.copy)
def copied(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("copy", args, kwargs, 1)
    (given,) = args
    if not _is_dict(given):
        raise Break("call_arguments", f"copy of {operators.describe(given)}")
    if isinstance(given, Instance):
        return replace(given, token=object(), built=None)
    return _merged(t, dict.copy, given)


@row(dict.update)
def update(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if not args or not _is_dict(args[0]) or len(args) + bool(kwargs) != 2:
        raise Break("call_arguments", "update")
    given = args[1] if len(args) == 2 else dict_of(kwargs)
    if not _is_dict(given):
        given = _of_pairs(t, given, "update")
    owner, given = instances.settled(t, args[0], given)
    _update(t, dict.update, owner, given)
    return Known(None)


# ---- copies of others ------------------------------------------------------------------------------------------------------


def _copies(cls: Any) -> None:
    @row(cls.copy)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        expect("copy", args, kwargs, 1)
        if not isinstance(args[0], Opaque | Known) or not deeds.is_text(args[0], cls):
            raise Break("call_arguments", f"copy of {operators.describe(args[0])}")
        like = _items(t, args[0], "copy") if cls is set else samples(t, args[0])  # to make a set runs __hash__
        return deeds.make(t, "call", [Known(cls.copy), args[0]], cls(like))


_copies(list)
_copies(set)
