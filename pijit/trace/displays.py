"""Handlers of what builds and takes apart: displays of tuples, lists and dicts, slices, unpacking, sequence patterns."""

from __future__ import annotations

from typing import Any

from . import calls, columns, deeds, mappings, matching, objects, opaque, subscripts
from .handlers import NULL_FIRST, Handler, names_operand, result
from .tracer import Tracer
from .values import Abstract, ArrayValue, Break, Container, Instance, Known, Suspended, kind_of


def build_tuple(t: Tracer, n: int) -> None:
    items = tuple(t.popn(n))
    t.push(Container("tuple", items))


def build_list(t: Tracer, n: int) -> None:
    _push_list(t, tuple(t.popn(n)), n == 0 and not _is_extended(t))


def _push_list(t: Tracer, items: tuple[Abstract, ...], real: bool) -> None:
    """A list that is only looked at stays virtual; one that is kept, or grows, is made."""
    if real or _next_step(t) in ("STORE_FAST", "STORE_DEREF", "STORE_NAME", "STORE_ATTR"):
        t.push(objects.new_list(t, items))
    else:
        t.push(Container("list", items))


def _next_step(t: Tracer) -> str:
    """What the next instruction begins with."""
    bytecode = t.state.frame.bytecode
    return bytecode.at(bytecode.at(t.state.frame.pc).next).micros[0].name


_EXTENDS = ("LIST_EXTEND", "LIST_APPEND")
_NOT_EXTENDED = ("FOR_ITER", "RETURN_VALUE", "STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR")


def _is_extended(t: Tracer) -> bool:
    """Whether the next that is done with a new list is to extend it: it is a display, long or with stars, or the arguments of a call."""
    bytecode = t.state.frame.bytecode
    place = bytecode.instructions.index(bytecode.at(t.state.frame.pc)) + 1
    names = (instruction.micros[0].name for instruction in bytecode.instructions[place:])
    return next((name in _EXTENDS for name in names if name in _EXTENDS or name in _NOT_EXTENDED), False)


def list_extend(t: Tracer, depth: int) -> None:
    from .functions import containers

    given = t.pop()
    items = objects.items(t, given)
    into = t.state.frame.stack[-depth]
    if depth != 1 or (items is None and _next_step(t) == "LIST_TO_TUPLE"):
        raise Break("opcode", "LIST_EXTEND")
    if isinstance(into, Container) and into.kind == "list":
        t.pop()
        if items is not None:
            _push_list(t, (*into.items, *items), False)
        else:  # in steps that may be done again: no exit may lie behind the first of them
            made = containers.list_(t, [given], {})
            joined = containers.concatenated(t, into, made) if into.items else made
            assert joined is not None
            t.push(joined)
    elif objects.class_of(into) is list:
        containers.list_extend(t, [into, given], {})
    else:
        raise Break("opcode", "LIST_EXTEND")


def list_append(t: Tracer, depth: int) -> None:
    value = t.pop()
    into = t.state.frame.stack[-depth]
    if isinstance(into, Container) and into.kind == "list" and depth == 1:  # a display that is long, or with stars in it
        t.pop()
        _push_list(t, (*into.items, value), False)
        return
    if objects.class_of(into) is not list:
        raise Break("opcode", "LIST_APPEND")
    objects.append(t, into, value)


def list_to_tuple(t: Tracer, _: Any) -> None:
    items = objects.items(t, t.pop())
    if items is None:
        raise Break("opcode", "LIST_TO_TUPLE")
    t.push(Container("tuple", items))


def build_map(t: Tracer, n: int) -> None:
    parts = t.popn(2 * n)
    t.push(mappings.display(t, parts[::2], parts[1::2]))


def build_set(t: Tracer, n: int) -> None:
    items = t.popn(n)
    for item in items:
        deeds.checked_key(item, "a set")
    t.push(calls.call(t, Known(set), [Container("tuple", tuple(items))] if items else [], {}))  # type: ignore[arg-type]


def set_add(t: Tracer, depth: int) -> None:
    item = t.pop()
    calls.call(t, Known(set.add), [t.state.frame.stack[-depth], item], {})


def set_update(t: Tracer, depth: int) -> None:
    """A display of constants, or one that begins with a star: there is nothing in the set as yet."""
    given = t.pop()
    bytecode = t.state.frame.bytecode
    begun = deeds.made_at(t, t.state.frame.stack[-1])
    if depth != 1 or isinstance(given, Suspended) or begun is None or begun[0] is not bytecode.code:
        raise Break("opcode", "SET_UPDATE")
    step = bytecode.at(begun[1]).micros[0]
    if (step.name, step.arg) != ("BUILD_SET", 0):
        raise Break("opcode", "SET_UPDATE")
    t.pop()
    t.push(calls.call(t, Known(set), [given], {}))  # type: ignore[arg-type]


def map_add(t: Tracer, depth: int) -> None:
    key, value = t.popn(2)
    subscripts.store(t, t.state.frame.stack[-depth], key, value)


def build_const_key_map(t: Tracer, n: int) -> None:
    t.push(mappings.display(t, [Known(key) for key in names_operand(t)], t.popn(n)))


def dict_merge(t: Tracer, depth: int) -> None:
    other, stack = t.pop(), t.state.frame.stack
    callee = stack[-depth - 2 if NULL_FIRST else -depth - 3]
    stack[-depth] = mappings.merged(stack[-depth], mappings.copied(t, other, callee), anew=True)


def dict_update(t: Tracer, depth: int) -> None:
    from .functions import whole

    other = t.pop()
    into = t.state.frame.stack[-depth]
    found = None if isinstance(into, Instance) and isinstance(other, Instance) else whole.together(t, into, other)
    t.state.frame.stack[-depth] = mappings.merged(into, other, anew=False) if found is None else found


def unpack_ex(t: Tracer, counts: int) -> None:
    before, after = counts & 255, counts >> 8
    items = objects.items(t, t.pop())
    if items is None or len(items) < before + after:
        raise Break("unsupported_type", "unpacking with a star")
    t.last_micro = False  # more is pushed than the list: an exit does the whole instruction again
    rest = objects.new_list(t, items[before : len(items) - after])
    for item in reversed((*items[:before], rest, *items[len(items) - after :])):
        t.push(item)


def build_slice(t: Tracer, n: int) -> None:
    items = t.popn(n)
    t.push(Container("slice", (*items, Known(None)) if n == 2 else tuple(items)))


def unpack_sequence(t: Tracer, n: int) -> object:
    value = t.pop()
    deeds.into(t, value, n)
    return columns.unpacked(t, value, n, lambda: _unpack(t, value, n))


def _unpack(t: Tracer, value: Abstract, n: int) -> None:
    items = objects.items(t, value)
    if items is None and isinstance(value, ArrayValue):
        items = subscripts.unpack(t, value, n)
    if items is None and opaque.record(t, value) is not None:
        t.last_micro = False  # an unexpected item: the whole instruction is done again
        found = [opaque.record_item(t, value, i) for i in range(n)]
        items = None if None in found else tuple(item for item in found if item is not None)
    if items is None or len(items) != n:
        raise Break("unsupported_type", f"unpacking of {kind_of(value)}")
    for item in reversed(items):
        t.push(item)


def match_sequence(t: Tracer, _: Any) -> None:
    t.push(matching.is_sequence(t.state.frame.stack[-1]))


def get_len(t: Tracer, _: Any) -> object:
    return result(t, calls.call(t, Known(len), [t.state.frame.stack[-1]], {}))


HANDLERS: dict[str, Handler] = {
    "BUILD_TUPLE": build_tuple,
    "BUILD_LIST": build_list,
    "LIST_EXTEND": list_extend,
    "LIST_APPEND": list_append,
    "BUILD_SLICE": build_slice,
    "UNPACK_SEQUENCE": unpack_sequence,
    "MATCH_SEQUENCE": match_sequence,
    "GET_LEN": get_len,
    "LIST_TO_TUPLE": list_to_tuple,
    "BUILD_MAP": build_map,
    "BUILD_CONST_KEY_MAP": build_const_key_map,
    "BUILD_SET": build_set,
    "SET_ADD": set_add,
    "SET_UPDATE": set_update,
    "MAP_ADD": map_add,
    "DICT_MERGE": dict_merge,
    "DICT_UPDATE": dict_update,
    "UNPACK_EX": unpack_ex,
}
