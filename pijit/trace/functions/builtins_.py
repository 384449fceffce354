"""Python's built-in functions and types."""

from __future__ import annotations

import bisect
import types
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...ground.names import is_a, is_heap_class, is_one_of, module_of
from ...ir.graph import Value, const
from ...ir.types import BOOL, FLOAT, INT, Np
from .. import (
    complexes,
    deeds,
    elementwise,
    instances,
    iteration,
    lazily,
    lengths,
    objects,
    opaque,
    operators,
    ranges,
    standins,
    views,
)
from ..cursors import ZIP, RangeIterator, SequenceIterator, Together, Unrolled
from ..operators import as_float, as_int, cast, describe
from ..tables import ATTRIBUTES, PURE
from ..through import is_gone_through, samples
from ..values import (
    Abstract,
    ArrayValue,
    Break,
    Complex,
    Container,
    Instance,
    Known,
    Opaque,
    Scalar,
    Suspended,
    items_of,
    kind_of,
    spread,
)
from .rows import abstract, expect, fold, half, index, no_keywords, row, scalar_kind, type_of, value

if TYPE_CHECKING:
    from ..tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]


# ---- conversions -------------------------------------------------------------------------------------------------------------


@row(int)
def int_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    folded = _fold(int, args, kwargs)
    if folded is not None:
        return folded
    if not kwargs and 1 <= len(args) <= 2 and deeds.is_text(args[0], str, bytes):
        return deeds.do(t, "call", [Known(int), *args], 1, pure=True)
    expect("int", args, kwargs, 1)
    kind = scalar_kind(args[0])
    if kind in ("float", "f"):
        return Scalar(t.emit("float_to_int", (cast(t, value(args[0], "int"), FLOAT),), INT))
    if kind == "b":
        return abstract(as_int(t, cast(t, value(args[0], "int"), BOOL)))
    if kind in ("int", "bool", "i", "u"):
        return abstract(index(t, args[0], "int"))
    return opaque.call_pure(t, int, args, kwargs)


@row(float)
def float_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    folded = _fold(float, args, kwargs)
    if folded is not None:
        return folded
    expect("float", args, kwargs, 1)
    if deeds.is_text(args[0], str, bytes):
        return deeds.do(t, "call", [Known(float), args[0]], 1.0, pure=True)
    if scalar_kind(args[0]) in ("", "c"):
        return opaque.call_pure(t, float, args, kwargs)
    return abstract(to_float(t, args[0]))


def to_float(t: Tracer, operand: Abstract) -> Value:
    """float(operand) for a real scalar."""
    found = value(operand, "float")
    return as_float(t, found) if found.type in (INT, BOOL) else cast(t, found, FLOAT)


@row(complex)
def complex_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    folded = _fold(complex, args, kwargs)
    if folded is not None:
        return folded
    if len(args) == 1 and not kwargs and scalar_kind(args[0]) == "c":
        return Complex(cast(t, half(t, args[0], 0), FLOAT), cast(t, half(t, args[0], 1), FLOAT))
    if not kwargs:
        args = [Scalar(cast(t, arg.value, FLOAT)) if isinstance(arg, Scalar) and arg.type == Np("float64") else arg for arg in args]
    kinds = [kind_of(spread(arg)) for arg in args]
    if kwargs or not 1 <= len(args) <= 2 or not {"int", "bool", "float"}.issuperset(kinds[:1] if kinds == ["complex"] else kinds):
        return args[0] if kinds == ["complex"] and not kwargs else opaque.call_pure(t, complex, args, kwargs)
    halves = [as_float(t, value(spread(arg), "complex")) for arg in args]
    return Complex(halves[0], halves[1] if len(halves) == 2 else const(0.0))


@row(complex.conjugate)
def conjugate(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("conjugate", args, kwargs, 1)
    number = spread(args[0])
    if not isinstance(number, Complex):
        raise Break("call_arguments", f"conjugate of {describe(args[0])}")
    return complexes.conjugate(t, number)


ATTRIBUTES["complex", "real"] = lambda t, owner: Scalar(owner.parts()[0])
ATTRIBUTES["complex", "imag"] = lambda t, owner: Scalar(owner.parts()[1])


@row(bool)
def bool_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("bool", args, kwargs, 0, 1)
    if not args:
        return Known(False)
    if isinstance(args[0], ArrayValue) or scalar_kind(args[0]) == "c":
        return opaque.call_pure(t, bool, args, kwargs)
    truth = operators.truth(t, args[0])
    return Known(truth) if isinstance(truth, bool) else Scalar(truth)


@row(tuple)
def tuple_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("tuple", args, kwargs, 0, 1)
    items = _items(args[0]) if args else ()
    if items is None and isinstance(args[0], Opaque) and is_one_of(args[0].cls, (list, str)):
        return deeds.do(t, "call", [Known(tuple), args[0]], (), pure=True)
    if items is None:
        raise Break("call_arguments", f"tuple of {describe(args[0])}")
    return Container("tuple", items)


@row(slice)
def slice_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("slice", args, kwargs, 1, 3)
    none = Known(None)
    return Container("slice", (none, args[0], none) if len(args) == 1 else (*args, *[none] * (3 - len(args))))


@row(range)
def range_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("range", args, kwargs, 1, 3)
    items = [abstract(index(t, a, "range")) for a in args]
    start, stop = (Known(0), items[0]) if len(items) == 1 else (items[0], items[1])
    step = items[2] if len(items) == 3 else Known(1)
    if isinstance(step, Known) and step.value == 0:
        raise Break("always_raises", "range with step 0")
    if not isinstance(step, Known):
        t.check(t.emit("cmp", (value(step, "range"), const(0)), BOOL, symbol="!="), "iteration")
    return Container("range", (start, stop, step))


# What is made of these is made at exits: nothing may be run by that, nor raised, since by then it is too late for it.
_REVERSIBLE: frozenset[type] = frozenset({tuple, list, range, str, bytes, dict, type({}.keys()), type({}.values()), type({}.items())})
_ITERABLE = _REVERSIBLE | {set, frozenset, zip, enumerate, reversed, types.GeneratorType}
_ITERATORS = (Suspended, RangeIterator, SequenceIterator, Unrolled, Together)
_MADE = frozenset({*ZIP, "enumerate", "reversed", "count"})  # by what is below


def _goes_through(name: str, operand: Abstract, classes: frozenset[type]) -> None:
    """That making an iterator of the operand is no more than making an object."""
    if (isinstance(operand, ArrayValue) and operand.dims) or views.is_view(operand):
        return
    through = isinstance(operand, _ITERATORS) or (isinstance(operand, Container) and operand.kind in _MADE)
    if not is_one_of(type_of(operand), classes) and not (classes is _ITERABLE and through):
        raise Break("call_arguments", f"{name} of {describe(operand)}")


@row(zip)
def zip_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    strict = kwargs.pop("strict", Known(False))
    no_keywords("zip", kwargs)
    if not isinstance(strict, Known) or not is_one_of(type(strict.value), (bool, int, type(None))):
        raise Break("call_arguments", f"zip with strict={describe(strict)}")
    for arg in args:
        _goes_through("zip", arg, _ITERABLE)
    return Container(ZIP[bool(strict.value)], tuple(args))


@row(map)
def map_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    no_keywords("map", kwargs)
    if len(args) < 2:
        raise Break("always_raises", "map of nothing")
    function, *items = args
    for item in items:
        _goes_through("map", item, _ITERABLE)
    return lazily.mapped(t, function, items)


@row(filter)
def filter_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("filter", args, kwargs, 2)
    _goes_through("filter", args[1], _ITERABLE)
    return lazily.filtered(t, *args)


@row(enumerate)
def enumerate_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    start = kwargs.get("start", args[1] if len(args) == 2 else Known(0))
    if not 1 <= len(args) <= 2 or not set(kwargs) <= {"start"} or len(args) + len(kwargs) > 2:
        raise Break("call_arguments", "enumerate")
    _goes_through("enumerate", args[0], _ITERABLE)
    if not is_one_of(type_of(start), (int, bool)):
        raise Break("call_arguments", f"enumerate from {describe(start)}")
    return Container("enumerate", (args[0], start))


@row(reversed)
def reversed_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("reversed", args, kwargs, 1)
    _goes_through("reversed", args[0], _REVERSIBLE)
    return iteration.backwards(t, args[0]) or Container("reversed", tuple(args))


@row(tuple.__new__)
def tuple_new(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    return instances.record(t, args, kwargs)


@row(type)
def type_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    cls = type_of(args[0]) if len(args) == 1 and not kwargs else None
    if cls is None:
        raise Break("call_arguments", "type of an object whose type is not known")
    return Known(cls)


# ---- numbers -----------------------------------------------------------------------------------------------------------------


@row(abs)
def abs_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    folded = _fold(abs, args, kwargs)
    if folded is not None:
        return folded
    expect("abs", args, kwargs, 1)
    if isinstance(args[0], Complex):
        return complexes.absolute(t, args[0])
    kind = kind_of(args[0])
    if kind in ("int", "bool"):
        return Scalar(t.emit("int_abs", (as_int(t, value(args[0], "abs")),), INT, reason="int_overflow"))
    if kind == "float":
        return Scalar(t.emit("float_abs", (value(args[0], "abs"),), FLOAT))
    if kind == "np":
        return operators.numpy_scalars(t, "absolute", abs, args[0])
    if kind == "array":
        return elementwise.apply(t, "absolute", abs, args[0])
    raise Break("call_arguments", f"abs of {describe(args[0])}")


@row(divmod)
def divmod_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("divmod", args, kwargs, 2)
    if all(kind_of(a) in ("int", "bool", "float") for a in args):
        return Container("tuple", tuple(operators.binary(t, symbol, args[0], args[1]) for symbol in ("//", "%")))
    return opaque.call_pure(t, divmod, args, kwargs)


def _whole(t: Tracer, function: Any, args: Args, kwargs: Kwargs) -> Abstract | None:
    """sum, any, all, min or max of a container or view of plain numbers or texts, which C goes through; None for anything else. Of lists it is not
    asked: they are gone through natively."""
    if not args or not is_gone_through(args[0]) or type_of(args[0]) is list:
        return None
    items, others = samples(t, args[0]), [standins.sample_of(t, arg) for arg in args[1:]]
    if not items or not all(is_one_of(type(item), (int, float, bool, str)) for item in items) or None in others:
        return None
    try:
        sample = function(items, *(other[0] for other in others if other is not None))
    except Exception:
        return None
    return opaque.call_pure(t, function, args, kwargs, sample=sample)


@row(sum)
def sum_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    items = _items(args[0]) if len(args) == 1 and not kwargs else None
    # From 3.12 on, sum() of floats is compensated; only ints are added here.
    if items is not None and all(kind_of(item) in ("int", "bool") for item in items):
        total: Abstract = Known(0)
        for item in items:
            total = operators.binary(t, "+", total, item)
        return total
    return _whole(t, sum, args, kwargs) or opaque.call_pure(t, sum, args, kwargs)


# ---- any and all ----------------------------------------------------------------------------------------------------------------


def _until(function: Any, wanted: bool) -> None:
    @row(function)
    def until(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        """Whether the truth of an item is as wanted: those of numbers are all looked at, which nobody can tell."""
        items = _items(args[0]) if len(args) == 1 and not kwargs else None
        if items is None or not all(kind_of(item) in ("int", "bool", "float", "np") for item in items):
            return _whole(t, function, args, kwargs) or opaque.call_pure(t, function, args, kwargs)
        found: Value | bool = not wanted
        for item in items:
            truth = operators.truth(t, item)
            if truth is wanted:
                return Known(wanted)
            if isinstance(truth, Value):
                two = (const(True), truth) if wanted else (truth, const(False))
                found = truth if isinstance(found, bool) else t.emit("select", (found, *two), BOOL)
        return Known(found) if isinstance(found, bool) else Scalar(found)


_until(any, True)
_until(all, False)
PURE.update({bisect.bisect_left: "bisect", bisect.bisect_right: "bisect"})


# ---- min and max ----------------------------------------------------------------------------------------------------------------


def _extreme(symbol: str, function: Any) -> None:
    name = function.__name__

    @row(function)
    def extreme(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        if len(args) == 1 and _items(args[0]) is None and (found := _whole(t, function, args, kwargs)):
            return found
        no_keywords(name, kwargs)
        if len(args) == 1 and isinstance(args[0], ArrayValue):
            return opaque.call_pure(t, function, args, kwargs)
        items = list(_items(args[0]) or ()) if len(args) == 1 else args
        if not items:
            raise Break("call_arguments", f"{name} of {describe(args[0]) if args else 'nothing'}")
        if not all(scalar_kind(item) not in ("", "c") for item in items):
            raise Break("call_arguments", f"{name} of {', '.join(map(describe, items))}")
        return _best(t, symbol, name, items)  # type: ignore[no-any-return]


def _best(t: Tracer, symbol: str, name: str, items: Sequence[Abstract]) -> Any:
    """As Python does it: a later one wins only if it compares as better, so a NaN stays where it is. The result has the type of the one that is
    chosen: from where they differ there is a way onward for each."""
    chosen = items[0]
    for position, item in enumerate(items[1:], 2):
        better = operators.truth(t, operators.compare(t, symbol, item, chosen))
        if isinstance(better, bool):
            chosen = item if better else chosen
        elif value(item, name).type == value(chosen, name).type:
            chosen = Scalar(t.emit("select", (better, value(item, name), value(chosen, name)), value(item, name).type))
        elif position == len(items):
            return t.choose(better, item, chosen)
        elif len(items) > _MOST_OF_TWO_TYPES:
            raise Break("call_arguments", f"{name} of {', '.join(map(describe, items))}")
        else:
            left = items[position:]
            return deeds.one_of_two(t, better, *(partial(_best, t, symbol, name, [best, *left]) for best in (item, chosen)))
    return chosen


_MOST_OF_TWO_TYPES = 4  # each more could double the ways


_extreme("<", min)
_extreme(">", max)


# ---- lists and dicts ---------------------------------------------------------------------------------------------------------------


@row(list.append)
def append(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) != 2 or kwargs or objects.class_of(args[0]) is not list:
        raise Break("call_arguments", "append")
    objects.append(t, *args)
    return Known(None)


def _view(kind: str) -> None:
    @row(views.KINDS[kind])
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        if len(args) != 1 or kwargs or objects.class_of(args[0]) is not dict:
            raise Break("call_arguments", kind)
        return Container(kind, (args[0],))


for _kind in views.KINDS:
    _view(_kind)


# ---- containers and types --------------------------------------------------------------------------------------------------------

@row(len)
def len_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("len", args, kwargs, 1)
    (operand,) = args
    if isinstance(operand, ArrayValue):
        if not operand.dims:
            raise Break("always_raises", "len of a 0-d array")
        return abstract(operand.dims[0])
    items = operand.items if isinstance(operand, Instance) and operand.kind == "dict" else _items(operand)
    if items is not None:
        return Known(len(items))
    if isinstance(operand, Known) and is_one_of(type(operand.value), (dict, set, frozenset, str, bytes, tuple, range)):
        return Known(len(operand.value))
    if ranges.is_range(operand):
        return abstract(ranges.length(t, operand))
    length = lengths.of(t, operand)
    if length is not None:
        return Scalar(length)
    raise Break("call_arguments", f"len of {describe(operand)}")


@row(hash)
def hash_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    """Of what has the same hash whenever it is made anew."""
    expect("hash", args, kwargs, 1)
    if not deeds.is_text(args[0], str, bytes) and scalar_kind(args[0]) not in ("int", "bool"):
        raise Break("call_arguments", f"hash of {describe(args[0])}")
    return deeds.do(t, "call", [Known(hash), args[0]], 0, pure=True)


@row(isinstance)
def isinstance_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("isinstance", args, kwargs, 2)
    cls = type_of(args[0])
    wanted = [item.value for item in items_of(args[1]) or (args[1],) if isinstance(item, Known)]
    if cls is None or not wanted or any(not is_a(w, type) for w in wanted) or len(wanted) != len(items_of(args[1]) or (1,)):
        raise Break("call_arguments", f"isinstance of {describe(args[0])}")
    if wanted[0] is cls:  # nobody is asked
        return Known(True)
    # Metaclasses may decide for themselves, and an object of a class of the user's may claim another __class__.
    claims = objects.class_lookup(cls, "__class__") is not objects.CLASS
    decide = any(not objects.is_as_type(t, w, "__instancecheck__") for w in wanted)
    if decide or claims or (module_of(cls) not in ("builtins", "numpy") and not objects.is_plain(cls)):
        raise Break("call_arguments", "isinstance with a class that may decide for itself")
    if is_heap_class(cls):
        t.guards.member(cls, "__class__", objects.CLASS)
        t.guards.member(cls, "__mro__", objects.mro(cls))
    return Known(any(objects.is_subclass(cls, w) for w in wanted))


@row(issubclass)
def issubclass_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("issubclass", args, kwargs, 2)
    cls, items = args[0], objects.items(t, args[1])
    wanted = (args[1],) if items is None else items
    if not isinstance(cls, Known) or not is_a(cls.value, type):
        raise Break("call_arguments", f"issubclass of {describe(cls)}")
    classes = [item.value for item in wanted if isinstance(item, Known) and is_a(item.value, type)]
    if len(classes) < len(wanted) or not all(objects.is_as_type(t, found, "__subclasscheck__") for found in classes):
        raise Break("call_arguments", "issubclass with a class that may decide for itself")
    if is_heap_class(cls.value):
        t.guards.member(cls.value, "__mro__", objects.mro(cls.value))
    return Known(any(objects.is_subclass(cls.value, found) for found in classes))


def _items(operand: Abstract) -> tuple[Abstract, ...] | None:
    if isinstance(operand, Container) and operand.kind == "list":
        return operand.items
    return items_of(operand)


def _fold(function: Any, args: Args, kwargs: Kwargs) -> Abstract | None:
    return None if kwargs else fold(function, args)
