"""super(): attributes found behind a class in the order of another one's bases."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ..ground.names import is_a
from . import calls, objects
from .tables import CALLABLES
from .values import LAZY, Abstract, Break, Container, Known

if TYPE_CHECKING:
    from .tracer import Tracer


def without_arguments(t: Tracer) -> Container:
    """super() in a method: __class__ is a cell, and the object the first argument."""
    frame = t.state.frame
    slots = frame.bytecode.slots
    if "__class__" not in slots or not frame.bytecode.code.co_argcount:
        raise Break("always_raises", "super() outside a method")
    cls = calls.load_free(t, frame, slots.index("__class__"))
    owner = frame.locals[0]
    if owner is LAZY:
        from .inputs import load_local

        owner = frame.locals[0] = load_local(t, 0)
    return _checked(cls, owner)


def _checked(cls: Abstract, owner: Abstract) -> Container:
    """super(cls, owner), which has to be possible also where nobody uses it."""
    actual = _class_of(owner)
    if not isinstance(cls, Known) or not is_a(cls.value, type) or actual is None or not objects.is_subclass(actual, cls.value):
        raise Break("attribute", "super()")
    return Container("super", (cls, owner))


def _class_of(owner: Abstract) -> Any:
    """Where super() begins to look: the class of an object, or a class itself; None when that is not known."""
    return owner.value if isinstance(owner, Known) and is_a(owner.value, type) else objects.class_of(owner)


def attribute(t: Tracer, cls: Abstract, owner: Abstract, name: str) -> Abstract:
    """super(cls, owner).name"""
    _checked(cls, owner)
    of_class = isinstance(owner, Known) and is_a(owner.value, type)
    actual = _class_of(owner)
    assert isinstance(cls, Known)
    order = objects.mro(actual)
    t.guards.member(actual, "__mro__", order)
    bases = order[next(place for place, base in enumerate(order) if base is cls.value) + 1 :]
    found: Any = objects.MISSING
    for base in bases:
        if base is object and name not in objects.namespace(object):
            break
        if base is not object:
            said = objects.class_lookup(base, name)
            t.guards.member(base, name, objects.UNSET if said is objects.MISSING else said)
        if name in objects.namespace(base):
            found = objects.namespace(base)[name]
            break
    if is_a(found, types.FunctionType):
        return Known(found) if of_class else Container("bound_method", (Known(found), owner))
    if type(found) is classmethod and is_a(found.__func__, types.FunctionType):
        return Container("bound_method", (Known(found.__func__), Known(actual)))
    if type(found) is staticmethod:
        return Known(found.__func__)
    if is_a(found, types.WrapperDescriptorType) and found in CALLABLES and not of_class:
        return Container("bound_method", (Known(found), owner))
    raise Break("attribute", f"super().{name}")


def _super(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    if kwargs or len(args) not in (0, 2):
        raise Break("call_arguments", "super")
    return _checked(*args) if args else without_arguments(t)


def _object_init(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    if len(args) != 1 or kwargs:
        raise Break("call_arguments", "object.__init__")
    return Known(None)


CALLABLES[super] = _super
CALLABLES[object.__init__] = _object_init
