"""Calls: finds out what is called, and hands it to its row in the tables of known callables or inlines it."""

from __future__ import annotations

import functools
import time
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ground.names import class_name, is_a, is_heap_class, is_one_of, module_of, package_of
from ..ground.names import name_of as known_name
from ..ground.partials import PARTIALS
from . import (
    bound,
    closures,
    dunder,
    exceptions,
    functions,
    generators,
    inheritance,
    inputs,
    instances,
    lazily,
    mappings,
    objects,
    opaque,
    raising,
    sources,
)
from .inline import INLINED, push_call, push_frame, push_made
from .state import Raised
from .tables import ATTRIBUTES, CALLABLES, PURE, lookup
from .through import is_gone_through
from .values import (
    LAZY,
    UNBOUND,
    Abstract,
    ArrayValue,
    Break,
    Closure,
    Container,
    Instance,
    Known,
    Opaque,
    Scalar,
    Suspended,
    kind_of,
)

if TYPE_CHECKING:
    from .state import FrameState
    from .tracer import Tracer

EFFECTS = dict.fromkeys((print, input, open, time.sleep), True)  # a call is their whole point


def call(t: Tracer, callee: Abstract, args: list[Abstract], kwargs: dict[str, Abstract]) -> object:
    """The result of callee(*args, **kwargs), or INLINED."""
    if isinstance(callee, Container) and callee.kind == "bound_method":
        function, self_ = callee.items
        return call(t, function, [self_, *args], kwargs)
    if isinstance(callee, Container) and callee.kind == "function":
        return push_made(t, callee, args, kwargs)
    method = objects.special(t, callee, "__call__")
    if method is not None:
        push_frame(t, method, [callee, *args], kwargs)
        return INLINED
    if isinstance(callee, Closure):
        return push_call(t, callee, args, kwargs)
    if isinstance(callee, Known | Opaque) and is_one_of(objects.class_of(callee), PARTIALS):
        return mappings.partial(t, callee, args, kwargs)
    if isinstance(callee, Opaque) and callee.cls is types.MethodType:
        return bound.call(t, callee, args, kwargs)
    if isinstance(callee, Opaque) and callee.cls is types.BuiltinMethodType and (unbound := closures.unbound(t, callee)) is not None:
        return call(t, unbound, [closures.part(t, callee, "__self__"), *args], kwargs)
    if not isinstance(callee, Known):
        raise Break("unsupported_call", _called(t, callee))
    function = callee.value
    special = dunder.function(t, function, args, kwargs)
    if special is not None:
        return special
    if function is functools.reduce:
        return lazily.reduced(t, args, kwargs)
    raised = raising.made(t, function, args, kwargs)
    if raised is not None:
        return raised
    consumer = lookup(generators.CONSUMERS, function)
    if consumer is not None and "key" in kwargs:
        return lazily.by_key(t, function, args, kwargs)
    if consumer is not None and args and isinstance(args[0], Suspended):
        return generators.consume_by(t, consumer, args, kwargs)
    if consumer is not None and len(args) == 1 and _goes_item_by_item(t, function, args[0]):
        return generators.consume_by(t, consumer, [lazily.each(t, args[0])], kwargs)
    row = lookup(CALLABLES, function)
    if row is not None:
        return row(t, args, kwargs)
    if is_pure(function):
        return opaque.call_pure(t, function, args, kwargs)
    if is_a(function, types.FunctionType):
        return push_call(t, callee, args, kwargs)
    made = instances.create(t, function, args, kwargs) if is_a(function, type) else None
    if made is not None:
        return made
    raise Break("side_effect" if lookup(EFFECTS, function) is not None else "unsupported_call", name_of(function))


def _goes_item_by_item(t: Tracer, function: Any, items: Abstract) -> bool:
    """Whether native code goes through a container itself: through lists for min and max, and while a generator runs, which no call may disturb that
    might run Python."""
    if (function is min or function is max) and isinstance(items, Opaque) and items.cls is list:
        return True
    running = t.state.consumer is not None
    return running and is_one_of(function, (sum, any, all, min, max)) and is_gone_through(items) and not isinstance(items, Known)


def is_pure(function: Any) -> bool:
    """Whether a callable has no effect that can be seen, and looks at its arguments only."""
    # np.frompyfunc makes ufuncs that run Python functions
    return lookup(PURE, function) is not None or (is_a(function, np.ufunc) and any("O" not in loop for loop in function.types))


def attribute(t: Tracer, owner: Abstract, name: str) -> Any:
    """owner.name; INLINED for a property."""
    if isinstance(owner, Known) and is_one_of(type(owner.value), (np.finfo, np.iinfo)):
        return _constant(owner.value, name)
    if isinstance(owner, Container) and owner.kind == "super":
        cls, self_ = owner.items
        return inheritance.attribute(t, cls, self_, name)
    if isinstance(owner, Raised):
        return exceptions.attribute(t, owner, name)
    if objects.is_plain(objects.class_of(owner)):
        return objects.attribute(t, owner, name)
    if isinstance(owner, Known):
        value = owner.value
        if type(value) is types.ModuleType:
            return inputs.load_attribute(t, value, name)
        if type(value) is types.FunctionType and name in ("__name__", "__qualname__"):
            return objects.name_of(t, value, name)
        if is_a(value, type) and is_heap_class(value) and package_of(value) not in ("numpy", "builtins"):
            return objects.class_attribute(t, value, name)
        built_in = is_a(value, type) and not is_heap_class(value)
        if built_in and is_a(found := objects.class_lookup(value, name), types.WrapperDescriptorType) and lookup(CALLABLES, found):
            return Known(found)
        if (built_in and name == "__name__") or (is_a(value, (np.ufunc, type, np.dtype)) and not name.startswith("__")):
            return _constant(value, name)
    kind = kind_of(owner)
    row = ATTRIBUTES.get((kind, name))
    if row is not None:
        return row(t, owner)
    fields = getattr(opaque.record(t, owner), "_fields", ())
    if name in fields:
        item = opaque.record_item(t, owner, fields.index(name))
        assert item is not None
        return item
    by_type = method(t, owner, name)
    if by_type is not None:
        return Container("bound_method", (Known(by_type), owner))
    builtin = class_of(owner) if name == "__class__" else None
    if builtin is not None:
        return Known(builtin)
    raise Break("attribute", f"{_describe(owner)}.{name}")


def _constant(value: Any, name: str) -> Abstract:
    """An attribute that never changes."""
    try:
        return Known(getattr(value, name))
    except AttributeError:
        raise Break("always_raises", name) from None


_KNOWN_MODULES = ("builtins", "collections", "numpy.random._generator", "numpy.random.mtrand")
_CLASSES = {"array": np.ndarray, "float": float, "int": int, "bool": bool, "complex": complex, "tuple": tuple, "dict": dict}


def method(t: Tracer, owner: Abstract, name: str) -> Any:
    """The function behind owner.name when it is a method of a built-in type, else None."""
    cls = class_of(owner)
    found = None if cls is None else objects.class_lookup(cls, name)  # getattr() would find what only the class has: type.__class__
    return found if is_a(found, types.MethodDescriptorType) or lookup(CALLABLES, found) is not None else None


def class_of(owner: Abstract) -> type | None:
    """The built-in type of a value."""
    if isinstance(owner, Scalar) and kind_of(owner) == "np":
        return owner.type.dtype.type  # type: ignore[attr-defined, no-any-return]
    if isinstance(owner, Known) and is_one_of(type(owner.value), (str, bytes)):
        return type(owner.value)
    if isinstance(owner, Opaque):
        return owner.cls if owner.cls is not None and module_of(owner.cls) in _KNOWN_MODULES else None
    return _CLASSES.get(kind_of(owner))


def load_free(t: Tracer, frame: FrameState, slot: int) -> Abstract:
    """The contents of a cell that the function closed over."""
    first = len(frame.bytecode.slots) - len(frame.bytecode.free_slots)
    name = frame.bytecode.slots[slot]
    if frame.made:
        return closures.load(t, closures.cell(t, slot), name)
    if frame.function is None:
        stored = frame.locals[slot]
        if stored is UNBOUND:
            raise Break("unbound", name)
        return inputs.load_closure(t, slot - first, name) if stored is LAZY else stored
    return load_closed(t, frame.function, slot - first, name)


def load_closed(t: Tracer, function: Abstract, index: int, name: str) -> Abstract:
    """The contents of a cell that a real function has closed over."""
    if any(_stores(t, outer, name) for outer in t.state.frames):
        raise Break("nonlocal_store", name)  # the cell is only written when native code is left
    source = sources.closed(closures.source_of(t, function), index, name)
    found = t.entry_values.get(source)
    if found is None:
        closure = closures.actual_of(function).__closure__
        assert closure is not None
        try:
            actual = closure[index].cell_contents
        except ValueError:
            raise Break("unbound", name) from None
        found = t.entry_values[source] = inputs.load(t, source, actual)
    return found


def _stores(t: Tracer, frame: FrameState, name: str) -> bool:
    """Whether a frame has a cell of this name that may not hold what its variable does."""
    slots = frame.bytecode.slots
    root = frame is t.state.frames[0]
    if name not in slots or (slots.index(name) in frame.bytecode.free_slots and not root):
        return False
    value = frame.locals[slots.index(name)]
    return not (root and (value is LAZY or t.entry_values.get(slots.index(name)) is value))


def name_of(function: Any) -> str:
    """How messages name a callable."""
    return known_name(function) or f"an instance of {class_name(type(function), '__name__')}"


def _called(t: Tracer, callee: Abstract) -> str:
    """How messages name what is called, which is another object each time: by the one that was seen."""
    actual = objects.actual_of(t, callee)
    seen = None if actual is objects.MISSING or not callable(actual) else known_name(actual)
    return _describe(callee) if seen is None else f"{seen}, or whatever stands in its place"


def _describe(value: Abstract) -> str:
    if isinstance(value, Opaque | Instance):
        return f"a {class_name(value.cls, '__name__')}" if value.cls is not None else "an object"
    if isinstance(value, Known):
        return name_of(value.value)
    return f"a {kind_of(value)}" if not isinstance(value, ArrayValue) else "an array"


__all__ = ["functions", "INLINED", "call", "attribute", "method"]
