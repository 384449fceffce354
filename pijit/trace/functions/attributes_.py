"""The functions that stand for statements about attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import calls, instances, objects, presence
from ..values import Abstract, Break, Instance, Known
from .rows import expect, row

if TYPE_CHECKING:
    from ..tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]


@row(hasattr)
def hasattr_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("hasattr", args, kwargs, 2)
    return Known(presence.has_attribute(t, args[0], _name(args[1])))


@row(getattr)
def getattr_(t: Tracer, args: Args, kwargs: Kwargs) -> Any:
    expect("getattr", args, kwargs, 2, 3)
    if len(args) == 3 and not presence.has_attribute(t, args[0], _name(args[1])):
        return args[2]
    return calls.attribute(t, args[0], _name(args[1]))


@row(setattr)
def setattr_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("setattr", args, kwargs, 3)
    objects.store_attribute(t, args[0], _name(args[1]), args[2])
    return Known(None)


@row(delattr)
def delattr_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    expect("delattr", args, kwargs, 2)
    objects.delete_attribute(t, args[0], _name(args[1]))
    return Known(None)


@row(object.__setattr__)
def object_setattr(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    name = args[1] if len(args) == 3 and not kwargs and isinstance(args[0], Instance) else None
    owner = args[0]
    if not isinstance(owner, Instance) or owner.kind != "instance" or not isinstance(name, Known) or type(name.value) is not str:
        raise Break("call_arguments", "object.__setattr__")
    found = objects.class_lookup(owner.cls, name.value)
    if found is not objects.MISSING and not objects.is_slot(found) and objects.is_data(found):
        raise Break("store_target", name.value)
    instances.store(t, owner, name.value, args[2])
    return Known(None)


def _name(operand: Abstract) -> str:
    if not isinstance(operand, Known) or type(operand.value) is not str:
        raise Break("call_arguments", "an attribute whose name is not constant")
    return operand.value
