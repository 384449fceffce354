"""Objects that the fragment makes: virtual until they escape, and then made at once."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from .. import _native
from ..ground.names import class_name, flags_of, is_a, package_of
from ..ir.evaluate import BUILDERS
from ..ir.graph import Op, Value
from ..ir.types import Obj
from ..pycode.liveness import live
from . import closures, farewells, inline, objects, opaque, standins, views
from .cursors import changes
from .state import Then, Unmade
from .values import (
    Abstract,
    Break,
    Container,
    Done,
    Instance,
    Known,
    Opaque,
    Suspended,
    bounded,
    containers_in,
    held_twice,
    instances_in,
    items_of,
    rebuilt,
)

if TYPE_CHECKING:
    from .state import FrameState
    from .tracer import Tracer

_NOT_MADE = 1 << 20 | 1 << 7  # abstract, or not to be instantiated
_NEW = object.__dict__["__new__"]
_INIT = object.__dict__["__init__"]
_UNSET = _native.UNSET
Fixed = Literal["none", "shared", "all"]


def create(t: Tracer, cls: type, args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    """cls(*args, **kwargs) of a plain class; inline.INLINED while __init__ or __new__ runs; None when the class is none that is known."""
    if not objects.is_plain(cls) or flags_of(cls) & _NOT_MADE or package_of(cls) == "numpy" or not objects.is_as_type(t, cls, "__call__"):
        return None
    new = objects.class_lookup(cls, "__new__")
    function: Any = new.__func__ if type(new) is staticmethod else new
    if is_a(function, types.FunctionType) and objects.is_subclass(cls, tuple):
        return _record(t, cls, function, new, args, kwargs)
    if new is not _NEW or objects.class_lookup(cls, "__del__") is not objects.MISSING:
        return None
    init = objects.class_lookup(cls, "__init__")
    for name, found in (("__new__", new), ("__init__", init), ("__del__", _UNSET)):
        t.guards.member(cls, name, found)
    made = Instance("instance", (), cls=cls)
    if init is _INIT:
        if args or kwargs:
            raise Break("always_raises", f"{class_name(cls, '__name__')}() takes no arguments")
        return made
    if not is_a(init, types.FunctionType):
        return None
    inline.push_frame(t, init, [made, *args], kwargs, Then("made", [made]))
    return inline.INLINED


def _record(
    t: Tracer, cls: type, function: types.FunctionType, new: Any, args: list[Abstract], kwargs: dict[str, Abstract]
) -> Any:
    """A named tuple: its __new__ is Python's own, and calls tuple.__new__."""
    if objects.class_lookup(cls, "__init__") is not _INIT or objects.class_lookup(cls, "__del__") is not objects.MISSING:
        return None
    if not objects.is_as_type(t, cls, "__getattribute__"):  # a __new__ in Python is looked up with it
        return None
    for name, found in (("__new__", new), ("__init__", _INIT), ("__del__", _UNSET)):
        t.guards.member(cls, name, found)
    inline.push_frame(t, function, [Known(cls), *args], kwargs)
    return inline.INLINED


def record(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    """tuple.__new__(cls, items)."""
    cls = args[0].value if len(args) == 2 and isinstance(args[0], Known) and not kwargs else None
    items = items_of(args[1]) if len(args) == 2 else None
    if cls is None or not is_a(cls, type) or items is None or not objects.is_plain(cls):
        raise Break("call_arguments", "tuple.__new__")
    return Instance("record", items, cls=cls, names=tuple(range(len(items))))


def field(t: Tracer, owner: Instance, name: str) -> Abstract | None:
    """What a virtual object itself holds under a name, where plain attribute access gives just that."""
    found = objects.class_lookup(owner.cls, name)
    value = owner.get(name) if owner.kind == "instance" else None
    if value is not None:
        t.guards.member(owner.cls, name, _UNSET if found is objects.MISSING else found)
    return value


def store(t: Tracer, owner: Instance, name: Any, value: Abstract) -> None:
    """Stores a field or item in a virtual object."""
    t.effect("store", virtual=True)
    if owner.kind == "dict":
        views.may_store(t)
    if any(inner.token is owner.token for inner in instances_in(bounded(value))):
        raise Break("store_target", "an object that holds itself")
    if changes(value):
        raise Break("comprehension", "list or iterator")
    if owner.kind == "instance":
        found = objects.class_lookup(owner.cls, name)
        t.guards.member(owner.cls, name, _UNSET if found is objects.MISSING else found)
        t.guards.member(owner.cls, "__setattr__", objects.class_lookup(owner.cls, "__setattr__"))
    replace(t.state.frames, owner, owner.storing(name, value))


def remove(t: Tracer, owner: Instance, name: str) -> None:
    """Removes a field or item of a virtual object."""
    t.effect("del", virtual=True)
    if owner.kind == "dict":
        views.may_store(t)
    if owner.kind == "record" or name not in owner.names:
        raise Break("always_raises", f"del {name}")
    if owner.kind == "instance":
        for looked in (name, "__delattr__"):
            found = objects.class_lookup(owner.cls, looked)
            t.guards.member(owner.cls, looked, _UNSET if found is objects.MISSING else found)
    held = owner.get(name)
    assert held is not None
    farewells.let_go(t, held, 0)
    replace(t.state.frames, owner, owner.without(name))


def replace(frames: list[FrameState], old: Container, new: Abstract, *values: Abstract) -> list[Abstract]:
    """Puts another value in the place of a virtual object or tuple, wherever it is in the frames, and in values, which are given back."""
    token = old.token if isinstance(old, Instance) else None

    def change(value: Abstract) -> Abstract:
        return new if value is old or (token is not None and isinstance(value, Instance) and value.token is token) else value

    return changed(frames, change, *values)


def changed(frames: list[FrameState], change: Callable[[Abstract], Abstract], *values: Abstract) -> list[Abstract]:
    """Applies ``change`` to all values in the frames and to all that they are made of, and to values, which are given back."""
    done: Done = {}
    for frame in frames:
        for _, container, keys in frame.containers():
            for key in keys:
                container[key] = rebuilt(container[key], change, done)
    return [rebuilt(value, change, done) for value in values]


def settled(t: Tracer, *values: Abstract, fixed: Fixed = "none", redone: bool = False) -> list[Abstract]:
    """The values with the virtual objects and functions in them made: they are about to be seen by others. ``fixed``: which of the
    tuples, slices, ranges and bound methods in them are made as well, as one object for all that is to have it: those that a variable has too, or
    may have later on. ``redone``: nobody sees them before the instruction is over, and an exit before that does it again with others."""
    given = list(values)
    while (found := next((inner for value in given for inner in _to_be_made(t, value, fixed, given)), None)) is not None:
        real = make_real(t, found, _sample(t, found))
        if not redone and _has_changed(t, found):
            t.effect("make")
        # in one go: what holds it is then one object in both, too
        given = replace([*t.state.frames, *([] if redone else t.checkpoint)], found, real, *given)
    return given


def _has_changed(t: Tracer, made: Abstract) -> bool:
    """Whether a virtual object is another one than where the exception was raised that is being handled."""
    handling = t.state.handling
    if handling is None or not isinstance(made, Instance):
        return False
    before = (inner for frame in handling.frames for _, held, keys in frame.containers() for key in keys for inner in instances_in(held[key]))
    return any(inner.token is made.token and inner is not made for inner in before)


def _to_be_made(t: Tracer, value: Abstract, fixed: Fixed, given: list[Abstract]) -> Iterator[Container]:
    """Innermost first. ``given``: all the values, of which what is not made by itself is made afterwards, at once."""
    for item in _parts(value):
        yield from _to_be_made(t, item, "shared" if fixed == "none" and isinstance(value, Instance) else fixed, given)
    if not isinstance(value, Container):
        return
    if isinstance(value, Instance) or (fixed != "none" and value.kind in _FIXED and value.items and (fixed == "all" or _is_shared(t, value, given))):
        yield value
    elif value.kind == "function":
        if closures.shares_variables(value):
            raise Break("definition", "a function that others keep, with variables of the code around it")
        yield value


def _parts(value: Abstract) -> tuple[Abstract, ...]:
    """What may have to be made before it. The function of a generator is nobody else's, nor are the tuples that a function has."""
    if isinstance(value, Suspended):
        return (*value.locals, *value.stack)
    if isinstance(value, Container) and value.kind == "function":
        _, _, closure, defaults, keyword_defaults = value.items
        return (*closure.inner(), *defaults.inner(), keyword_defaults)
    return value.inner()


# Kinds of what never changes, so that only its identity tells whether it was made twice.
_FIXED = frozenset({"tuple", "slice", "range", "bound_method"})


def _is_shared(t: Tracer, value: Container, given: list[Abstract]) -> bool:
    """Whether it is in the frames where it may be read, or at two places in what is given."""
    return id(value) in held_twice(given) or any(
        other is value
        for frame in t.state.frames
        for _, container, keys in frame.containers()
        for key in keys
        if container is not frame.locals or key in live(frame.bytecode, frame.pc)
        for other in containers_in(container[key])
    )


def make_real(t: Tracer, virtual: Abstract, sample: Any) -> Opaque:
    """The real object of a virtual one; ``sample``: one like it."""
    recipe = virtual.recipe()
    args = tuple(v for v in dict.fromkeys(virtual.parts()) if opaque.is_argument(v, (recipe,)))
    exit = t.exit("redo", "memory")
    op = Op("make", args, (Obj(class_name(type(sample))),), {"arguments": (recipe,)}, {"redo": exit}, t.line)
    value: Value = t.append(op)
    t.samples[value] = sample
    real = Opaque(value, type(sample))
    if not isinstance(virtual, Container) or virtual.kind not in _ROWS:
        return real
    if virtual.kind == "dict":
        from . import deeds

        real = deeds.own(t, real)
    kind = _ROWS[virtual.kind]
    for name, item in zip(_names(virtual), virtual.items, strict=True):
        t.state.memo["place", value, (kind, name)] = item
    return real


# The row that loads a part of it.
_ROWS = {"instance": "field", "dict": "dict_item", "record": "tuple_item", "tuple": "item"}


def _names(virtual: Container) -> Iterable[Any]:
    return virtual.names if isinstance(virtual, Instance) else range(len(virtual.items))


def _sample(t: Tracer, virtual: Container) -> Any:
    """An object like the one that is made."""
    if isinstance(virtual, Unmade):
        virtual.recipe()
    if virtual.kind == "function":
        code = virtual.items[0]
        assert isinstance(code, Known)
        return types.FunctionType(code.value, {}, None, None, tuple(types.CellType() for _ in code.value.co_freevars))
    samples = [standins.sample_of(t, item) for item in virtual.items]
    held = {name: found[0] for name, found in zip(_names(virtual), samples, strict=True) if found is not None}
    if not isinstance(virtual, Instance):
        if len(held) < len(samples):
            raise Break("store_target", f"a {virtual.kind} of objects of which nothing is known")
        return BUILDERS[virtual.kind](*held.values())
    if virtual.kind == "record":
        return tuple.__new__(virtual.cls, held.values())
    if virtual.kind == "dict":
        return held
    like: Any = object.__new__(virtual.cls)
    for name, value in held.items():
        object.__setattr__(like, name, value)
    return like


