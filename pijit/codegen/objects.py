"""Lists, calls of Python code, and what has to be looked at again after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Box, Const, Op, Value
from ..ir.types import FLOAT, INT, Array, Obj, Type, is_owned
from . import attributes, glances, looks, places, references, storable, unboxing
from . import llvm_ir as ir
from . import words as memory
from .arrays import array_of_object, field
from .glances import ITEMS, LENGTH, TUPLE_ITEMS
from .layout import Area, Place, recipe_tuple
from .llvm import I8, I64, PTR, call, i64
from .rows import Unsupported, row

if TYPE_CHECKING:
    from .driver import Driver

_SET_LENGTH = 24  # its byte offset in CPython's objects (the same in 3.11 to 3.13, 64-bit)
# Guard rows that unbox into the word at this position of the row.
_UNBOXING = frozenset({"int", "float", "bool", "complex", "np", "array", "object", "any", "range_iterator"})


@row("obj_len")
def _obj_len(d: Driver, op: Op) -> Any:
    return field(d, d.object(op.args[0]), LENGTH, I64)


@row("set_len")
def _set_len(d: Driver, op: Op) -> Any:
    return field(d, d.object(op.args[0]), _SET_LENGTH, I64)


@row("list_get")
def _list_get(d: Driver, op: Op) -> Any:
    type = op.result.type
    item = _list_item(d, op)
    if type in (INT, FLOAT):
        return unboxing.whole(d, op, item) if type == INT else unboxing.float_of(d, item, lambda holds: d.exit_if(op, d.builder.not_(holds)))
    if type == Obj():
        references.retain(d, item)  # another reference to it may go while Python code runs
        return item
    raise Unsupported(f"an element of type {type} of a list")


@row("tuple_get")
def _tuple_get(d: Driver, op: Op) -> Any:
    items = d.builder.gep(d.object(op.args[0]), [i64(TUPLE_ITEMS)], inbounds=True, source_etype=I8)
    item = field(d, d.builder.gep(items, [d.scalar(op.args[1])], inbounds=True, source_etype=PTR), 0, PTR)
    references.retain(d, item)
    return item


def _list_item(d: Driver, op: Op) -> Any:
    """The object at an index of an exact list; leaves where there is none."""
    b, index = d.builder, d.scalar(op.args[1])
    owner = d.object(op.args[0])
    d.exit_if(op, b.icmp_unsigned(">=", index, field(d, owner, LENGTH, I64)))
    items = field(d, owner, ITEMS, PTR)
    return field(d, b.gep(items, [index], inbounds=True, source_etype=PTR), 0, PTR)


@row("poll")
def _poll(d: Driver, op: Op) -> None:
    b = d.builder
    leave = b.icmp_unsigned("!=", b.load_atomic(d.poll_byte, "monotonic", 1, typ=I8), I8(0))
    exit = op.exits["poll"]
    if exit.kind == "poll" and exit.frames[0].pc == d.graph.counts:
        leave = b.or_(leave, b.icmp_signed("<=", memory.count_down(d), i64(0)))
    d.exit_if(op, leave, "poll")


@row("recheck")
def _recheck(d: Driver, op: Op) -> None:
    """C compares what the guards saw: sources, and shape, strides and memory of the inputs. Arrays made here are nobody else's."""
    d.exit_if(op, d.builder.icmp_signed("!=", call(d.builder, "pj_recheck", I64, d.W), i64(0)))


@row("call")
def _call_python(d: Driver, op: Op) -> Any:
    """Arguments and results go through words; the result object itself waits in the call's root until it is taken."""
    b, attrs, area = d.builder, op.attrs, Area(d.layout.call_start)
    place = passing(d, area)
    callee = recipe_tuple(attrs["callable"], place)
    arguments = [recipe_tuple(a, place) for a in attrs["arguments"]]
    chain = [(None if function is None else recipe_tuple(function, place), pc) for function, pc in attrs["chain"]]
    result_words = [area.take(r.type) for r in op.results]
    rows = [_with_words(guard, op, result_words) for guard in attrs["result_guard"]]
    d.sites.append((callee, arguments, tuple(attrs["keywords"]), chain, rows, d.layout.call_root))

    status = call(b, "pj_call", I64, d.W, i64(len(d.sites) - 1))
    d.exit_if(op, b.icmp_signed("==", status, i64(1)), "raise")
    # a call for its effect has no result that could be of another type: its exit would do the effect again
    forced = op.exits["type"].index == d.force_exit and rows
    other = ir.Constant(ir.IntType(1), 1) if forced else b.icmp_signed("!=", status, i64(0))
    unexpected = d.exit_block(op.exits["type"], attrs.get("boxed"))
    d.leave_if(other, unexpected)
    results = tuple(_take(d, word, r.type) for word, r in zip(result_words, op.results, strict=True))
    whole = memory.load(d, d.layout.call_root, PTR)
    memory.store(d, d.layout.call_root, PTR(None))
    call(b, "pj_release", ir.VoidType(), whole)
    return results


@row("look")
def _look(d: Driver, op: Op) -> Any:
    """What the rows unbox is taken from its words."""
    b, area = d.builder, Area(d.layout.call_start)
    (recipe,) = op.attrs["arguments"]
    done = glances.inline(d, op)
    if done is not None:
        return done
    at_hand = looks.is_at_hand(recipe)
    owner = ("null",) if at_hand else recipe_tuple(recipe, passing(d, area))
    result_words = [area.take(r.type) for r in op.results]
    d.sites.append(("look", owner, [_with_words(guard, op, result_words) for guard in op.attrs["result_guard"]]))
    kind = looks.reads(op)
    if kind is not None:
        results = attributes.read(d, op, kind, len(d.sites) - 1, d.object(recipe.value), result_words)
        for value, found in zip(op.results, results, strict=True):
            if is_owned(value.type):
                references.retain(d, found)
        return results or None
    number = i64(len(d.sites) - 1)
    failed = call(b, "pj_look_at", I64, d.W, number, d.object(recipe.value)) if at_hand else call(b, "pj_look", I64, d.W, number)
    d.exit_if(op, b.icmp_signed("!=", failed, i64(0)))
    results = tuple(_take(d, word, r.type) for word, r in zip(result_words, op.results, strict=True))
    return results or None


@row("make", "box")
def _make(d: Driver, op: Op) -> Any:
    if _is_whole(op):
        return call(d.builder, "PyLong_FromLongLong", PTR, d.scalar(op.args[0]))
    (recipe,) = (recipe_tuple(recipe, passing(d, Area(d.layout.call_start))) for recipe in op.attrs["arguments"])
    d.sites.append(("look", recipe, []))
    made = call(d.builder, "pj_make", PTR, d.W, i64(len(d.sites) - 1))
    if op.exits:
        d.exit_if(op, d.builder.icmp_unsigned("==", made, PTR(None)))
    return made


def _is_whole(op: Op) -> bool:
    """Whether the object is that of an int."""
    (recipe,) = op.attrs["arguments"]
    return not op.exits and isinstance(recipe, Box) and not isinstance(recipe.value, Const) and recipe.value.type == INT


@row("put")
def _put(d: Driver, op: Op) -> None:
    b = d.builder
    owner, value, *index = op.attrs["arguments"]
    kind, *names = op.attrs["place"]
    at_hand = storable.can_store(op, d.inputs)
    if at_hand and not names:
        places.store_item(d, op)
        return
    rows = [(kind, 0, *names)] if names else []
    site = len(d.sites)
    d.sites.append(())

    def by_helper() -> None:
        place = passing(d, Area(d.layout.call_start))
        word = place(index[0].value) if index else -1
        d.sites[site] = ("put", recipe_tuple(owner, place), rows, recipe_tuple(value, place), word)
        d.exit_if(op, b.icmp_signed("!=", call(b, "pj_put", I64, d.W, i64(site)), i64(0)))

    if at_hand:
        places.store_attribute(d, op, site, by_helper)
    else:
        by_helper()


def passing(d: Driver, area: Area) -> Place:
    """Gives the word of a value, where it is stored if need be."""
    places: dict[Value, int] = dict(d.layout.word)

    def place(value: Value) -> int:
        if value not in places:
            places[value] = area.take(value.type)
            stored = d.object(value) if is_owned(value.type) else d.value(value)
            memory.store_value(d, places[value], value.type, stored)
        return places[value]

    return place


def _take(d: Driver, word: int, type: Type) -> Any:
    """A result; one that is an object gets a reference of its own, whether it is the whole result or part of it."""
    value = memory.load_value(d, word, type)
    if is_owned(type):
        references.retain(d, value)
    return array_of_object(d, value, type) if isinstance(type, Array) else value


def _with_words(guard: tuple[Any, ...], op: Op, result_words: list[int]) -> tuple[Any, ...]:
    """A guard row names a result by the value or by its number, where the contract has a word."""
    if guard[0] not in _UNBOXING:
        return guard
    result = guard[2]
    number = op.results.index(result) if isinstance(result, Value) else result
    return (*guard[:2], result_words[number], *guard[3:])
