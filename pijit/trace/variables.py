"""Handlers of variables and attributes: loads, stores and deletes of locals, cells, globals and names, and what makes functions."""

from __future__ import annotations

from typing import Any

from .. import _native
from ..pycode.liveness import live
from . import calls, closures, farewells, inputs, learned, objects
from .cursors import changes
from .handlers import NULL_FIRST, Handler, result
from .tracer import Tracer
from .values import END, LAZY, NULL, UNBOUND, Abstract, Break, Container, Known, bounded


def load_fast(t: Tracer, slot: int) -> None:
    frame = t.state.frame
    value = frame.locals[slot]
    if value is LAZY:
        value = frame.locals[slot] = inputs.load_local(t, slot)
    if value is UNBOUND:
        raise Break("unbound", frame.bytecode.slots[slot])
    if changes(value):  # it moves on, on the stack
        if slot in live(frame.bytecode, frame.bytecode.at(frame.pc).next):
            raise Break("iteration", f"{frame.bytecode.slots[slot]}, an iterator that is read again")
        frame.locals[slot] = UNBOUND
    t.push(value)


def _plain(handler: Handler) -> Handler:
    """Handler of an instruction for a local variable that no closure shares.

    Where a comprehension's variable has the name of one that is shared, the slot holds the comprehension's value, or a cell of
    its own, for as long as it runs, and the stack the cell of the function: that is the interpreter's business.
    """

    def handle(t: Tracer, slot: int) -> object:
        bytecode = t.state.frame.bytecode
        if slot in bytecode.cell_slots or slot in bytecode.free_slots:
            raise Break("comprehension", f"{bytecode.slots[slot]}, a name that a closure shares too")
        return handler(t, slot)

    return handle


def store_attr(t: Tracer, name: str) -> None:
    value, owner = t.popn(2)
    objects.store_attribute(t, owner, name, value)


def store_fast(t: Tracer, slot: int) -> None:
    value = kept(t, t.pop())
    frame = t.state.frame
    farewells.let_go(t, frame.locals[slot], slot)
    if frame.locals[slot] is LAZY and frame.flow.loops:
        farewells.let_go(t, value, slot)  # another time the variable will hold one like this
    frame.locals[slot] = value


def delete_attr(t: Tracer, name: str) -> None:
    objects.delete_attribute(t, t.pop(), name)


def kept(t: Tracer, value: Abstract) -> Abstract:
    """What a variable is to hold: a virtual list is made now."""
    if isinstance(value, Container) and value.kind == "list":
        t.last_micro = False  # the instruction pushes nothing: only the whole of it is done again
        return objects.new_list(t, value.items)
    return storable(value)


def keep(t: Tracer, depth: int) -> None:
    """The same for a value so deep on the stack: what is made for its items takes their place in what lies above and below, too."""
    t.state.frame.stack[-depth] = kept(t, t.state.frame.stack[-depth])


def storable(value: Abstract) -> Abstract:
    """What may be held in several places. A virtual list or iterator may not: it would become several, or be seen to stand still."""
    if changes(bounded(value)):
        raise Break("comprehension", "list or iterator")
    return value


def delete_fast(t: Tracer, slot: int) -> None:
    load_fast(t, slot)
    farewells.let_go(t, t.pop(), slot)
    t.state.frame.locals[slot] = UNBOUND


def load_fast_and_clear(t: Tracer, slot: int) -> None:
    frame = t.state.frame
    value = frame.locals[slot]
    if value is LAZY:
        value = inputs.load_local(t, slot)
    t.push(NULL if value is UNBOUND else value)
    frame.locals[slot] = UNBOUND


def load_deref(t: Tracer, slot: int) -> None:
    frame = t.state.frame
    if slot in frame.bytecode.free_slots:
        t.push(calls.load_free(t, frame, slot))
    else:
        load_fast(t, slot)


def store_deref(t: Tracer, slot: int) -> None:
    frame = t.state.frame
    if slot in frame.bytecode.free_slots:
        closures.store(t, closures.cell(t, slot), frame.bytecode.slots[slot], kept(t, t.pop()))
    else:
        store_fast(t, slot)


def delete_deref(t: Tracer, slot: int) -> None:
    load_deref(t, slot)
    farewells.let_go(t, t.pop(), slot)
    frame = t.state.frame
    if slot in frame.bytecode.free_slots:
        closures.store(t, closures.cell(t, slot), frame.bytecode.slots[slot], UNBOUND)
    else:
        frame.locals[slot] = UNBOUND


def load_closure(t: Tracer, slot: int) -> None:
    t.push(closures.cell(t, slot))


def make_function(t: Tracer, _: Any) -> None:
    t.push(closures.make(t, t.pop()))


def set_function_attribute(t: Tracer, bit: int) -> None:
    made, value = t.pop(), t.pop()
    t.push(closures.with_attribute(made, bit, value))


def load_const(t: Tracer, value: Any) -> None:
    t.push(Known(value))


def load_global(t: Tracer, name: str) -> None:
    t.push(inputs.load_global(t, name, t.state.frame))


def store_global(t: Tracer, name: str) -> None:
    objects.store_dict_item(t, _namespace(t, name), name, kept(t, t.pop()))


def delete_global(t: Tracer, name: str) -> None:
    objects.delete_dict_item(t, _namespace(t, name), name)


def _namespace(t: Tracer, name: str) -> Abstract:
    if name in _SPECIAL_NAMES or t.view.names is t.state.frame.globals:  # what a module's body stores is only written at an exit
        raise Break("opcode", f"assignment to the global {name}")
    return inputs.namespace(t, t.state.frame)


def push_null(t: Tracer, _: Any) -> None:
    t.push(NULL)


def load_name(t: Tracer, name: str) -> None:
    frame = t.state.frame
    if len(t.state.frames) > 1 or t.view.names is None:
        raise Break("opcode", "LOAD_NAME in a function")
    value = frame.names.get(name)
    if value is None:
        there = inputs.held(t.view.names, name) is not objects.UNSET
        if t.view.names is not t.view.globals and not there:
            t.guards.frame("no_name", name, text=f"{name} is not defined here")
            value = inputs.load_global(t, name, frame)
        elif there:
            value = inputs.load_name_slot(t, name)
        else:
            value = inputs.load_global(t, name, frame)
    if value is UNBOUND:
        raise Break("unbound", name)
    t.push(value)


def store_name(t: Tracer, name: str) -> None:
    if len(t.state.frames) > 1 or not _native.only_names(t.view.names):
        raise Break("opcode", "STORE_NAME outside a module or class body")
    if name in _SPECIAL_NAMES:
        raise Break("opcode", f"assignment to {name}")
    value = kept(t, t.pop())
    if closures.in_any(value):
        raise Break("definition", name)
    names = t.state.frame.names
    if names.get(name) is UNBOUND:
        del names[name]  # the order of a namespace is that of the first stores
    names[name] = value


# What the running frame itself may look at.
_SPECIAL_NAMES = frozenset({"__builtins__", "__annotations__"})


def load_attr(t: Tracer, name: str) -> object:
    owner = t.pop()
    samples = learned.samples(t, owner, name)
    if samples:
        learned.fork(t, owner, ("field", name), samples, lambda: t.push(calls.attribute(t, owner, name)))
        return END
    return result(t, calls.attribute(t, owner, name))


def load_method(t: Tracer, name: str) -> None:
    owner = t.pop()
    method = calls.method(t, owner, name)
    if method is not None:
        t.push(Known(method))
        t.push(owner)
        return
    depth = len(t.state.frames)
    value = calls.attribute(t, owner, name)
    if len(t.state.frames) > depth:
        raise Break("attribute", f"a call of what the property {name} gives")
    if isinstance(value, Container) and value.kind == "bound_method":
        for item in value.items:
            t.push(item)
        return
    for item in (NULL, value) if NULL_FIRST else (value, NULL):
        t.push(item)


HANDLERS: dict[str, Handler] = {
    "LOAD_FAST": _plain(load_fast),
    "LOAD_FAST_CHECK": _plain(load_fast),
    "LOAD_FAST_AND_CLEAR": _plain(load_fast_and_clear),
    "STORE_FAST": _plain(store_fast),
    "DELETE_FAST": _plain(delete_fast),
    "LOAD_DEREF": load_deref,
    "STORE_DEREF": store_deref,
    "DELETE_DEREF": delete_deref,
    "LOAD_CLOSURE": load_closure,
    "MAKE_FUNCTION": make_function,
    "SET_FUNCTION_ATTRIBUTE": set_function_attribute,
    "LOAD_CONST": load_const,
    "LOAD_GLOBAL": load_global,
    "LOAD_NAME": load_name,
    "STORE_NAME": store_name,
    "STORE_GLOBAL": store_global,
    "DELETE_GLOBAL": delete_global,
    "PUSH_NULL": push_null,
    "LOAD_ATTR": load_attr,
    "LOAD_METHOD": load_method,
    "STORE_ATTR": store_attr,
    "DELETE_ATTR": delete_attr,
}
