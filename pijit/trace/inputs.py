"""Loads inputs: an actual object becomes an abstract value, its guard and its graph inputs."""

from __future__ import annotations

import builtins
import itertools
import sys
import types
from array import array
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from ..ground.names import class_name, is_a, is_one_of, module_of, short
from ..ground.partials import PARTIALS
from ..ir.graph import Const, Value, const
from ..ir.types import COMPLEX, INT, NATIVE, NUMBERS, Array, Obj
from ..pycode.namespaces import name_of
from . import complexes, iterators, reachable, sources
from .sources import ConstantSource, Source
from .values import (
    LAZY,
    NULL,
    UNBOUND,
    Abstract,
    ArrayValue,
    Break,
    Closure,
    Container,
    Known,
    Opaque,
    Scalar,
)

if TYPE_CHECKING:
    from .state import FrameState
    from .tracer import Tracer


_CYTHON = type(np.random.default_rng)

# Objects of these types are guarded by identity and known from then on: they are code, or constants.
BY_IDENTITY = (
    types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    type, np.ufunc, np.dtype, type(None), type(NotImplemented), type(Ellipsis), str, bytes, type(np.sum),
    _CYTHON,
)  # fmt: skip


_CONTAINERS = (list, tuple, dict, set, frozenset, str, bytes, bytearray, array, deque, defaultdict)


def is_constant(actual: Any) -> bool:
    cls = type(actual)  # Cython's metaclass hides the module of its functions' class
    return is_a(actual, BY_IDENTITY) and (cls is _CYTHON or is_a(actual, type) or module_of(cls).startswith(("builtins", "numpy")))


def order_of(array: np.ndarray[Any, Any]) -> str:
    """What the type of an array says of its strides; see ir.types.Array."""
    flags = array.flags
    if flags.c_contiguous and (not array.ndim or array.size or array.strides[-1] in (0, array.itemsize)):
        return "C"
    if flags.f_contiguous:
        return "F"
    strides = [stride for stride, length in zip(array.strides, array.shape, strict=True) if length != 1]
    descending = all(a >= b for a, b in itertools.pairwise(strides))
    return "S" if descending and all(stride > 0 for stride in strides) else "A"


_WARN_ON_WRITE = 1 << 31  # NPY_ARRAY_WARN_ON_WRITE: what broadcast_arrays gives


def is_native(array: Any) -> bool:
    """Whether an object is an exact, aligned ndarray of a native dtype and byte order, into which one may write without a warning (or not
    at all)."""
    return type(array) is np.ndarray and native_dtype(array.dtype) and array.flags.aligned and not array.flags.num & _WARN_ON_WRITE


def native_dtype(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is one of NATIVE itself, not another C type of the same width or byte order, and without fields or metadata."""
    plain = dtype.names is None and dtype.metadata is None
    return plain and dtype.name in NATIVE and dtype.isnative and dtype.num == np.dtype(dtype.name).num


def array_type(array: np.ndarray[Any, Any]) -> Array:
    return Array(array.dtype.name, array.ndim, order_of(array), array.flags.writeable)


def load(tracer: Tracer, source: Source, actual: Any) -> Abstract:
    """The abstract value of what the source holds now, with guards that it will hold the like."""
    cls = type(actual)
    if _is_setting(tracer, source, actual):
        tracer.guards.same(source, actual)
        return Known(actual)
    if cls in NUMBERS and not (cls is int and not -(2**63) <= actual < 2**63):
        return _scalar(tracer, source, Value(NUMBERS[cls]), actual)
    if cls is complex:
        return _complex(tracer, source, actual)
    if is_native(actual):
        value = new(tracer, Value(array_type(actual)))
        tracer.guards.array(source, value, actual)
        tracer.samples[value] = actual
        return with_dims(tracer, value, actual.shape)
    under_way = iterators.load(tracer, source, actual)
    if under_way is not None:
        return under_way
    remade = _is_remade(tracer, source, actual)
    if is_a(actual, types.FunctionType) and remade:
        return _closure(tracer, source, actual)
    if is_constant(actual) and not _varies(tracer, source, actual):
        tracer.guards.same(source, actual)
        return Known(actual)
    if (is_one_of(cls, PARTIALS) and not remade) or _is_operand(tracer, source, actual):
        tracer.guards.same(source, actual)
        return Known(actual)
    if cls is types.MethodType and type(actual.__self__) is np.random.RandomState:  # numpy.random's functions
        tracer.guards.same(source, actual)
        return Known(actual)
    value = new(tracer, Value(Obj(class_name(cls))))
    tracer.guards.object(source, value, cls)
    tracer.samples[value] = actual
    if source.row in tracer.told.others:  # what it holds is looked at where it is used
        tracer.siblings[value] = reachable.alike(actual, tracer.root.bytecode.code.co_names)
    else:
        tracer.origins[value] = source
    return Opaque(value, cls)


_LASTING = frozenset({"global", "builtin", "attr", "name", "member"})  # rows of what has a name of its own, and is one object as a rule


def _is_remade(tracer: Tracer, source: Source, actual: Any) -> bool:
    """Whether a function or partial may be another one next time, made by the same code."""
    if is_a(actual, types.FunctionType) and actual.__code__ is tracer.root.bytecode.code:
        return False  # one that calls itself: a fragment of one turn costs more than it saves
    if source.name in tracer.limits.varying:
        return True
    if not is_a(actual, types.FunctionType):
        return source.row[0] not in _LASTING
    return source.row[0] not in _LASTING and (is_inner(actual) or actual.__code__ in tracer.root.bytecode.code.co_consts)


def unbound(method: types.BuiltinMethodType) -> Any:
    """`list.append` for `[].append`; None where it is no method of a container or text."""
    found = getattr(type(method.__self__), method.__name__, None) if is_one_of(type(method.__self__), _CONTAINERS) else None
    return found if type(found) is types.MethodDescriptorType else None


def is_inner(actual: Any) -> bool:
    """Whether it is a function that another function has made."""
    return is_a(actual, types.FunctionType) and "<locals>" in actual.__code__.co_qualname


_SETTINGS = frozenset(("part", name) for name in ("__defaults__", "__kwdefaults__", "args", "keywords"))
_SIMPLE = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))


# random.randrange asks whether its step is the default, by what has this name.
_NAMED = frozenset({"random._ONE"})


def _is_setting(tracer: Tracer, source: Source, actual: Any) -> bool:
    """Whether it is a default, or an argument of a partial, of a kind that is known from then on, as they are seldom another one: one, or
    all that a known function has."""
    all_of_known = type(actual) is tuple and isinstance(source.parent, ConstantSource)
    owner = source if all_of_known else source.parent
    if owner is None or not (owner.row in _SETTINGS or source.name in _NAMED) or source.name in tracer.limits.varying:
        return False
    return all(is_one_of(type(item), _SIMPLE) for item in (actual if all_of_known else (actual,)))


def _closure(tracer: Tracer, source: Source, actual: types.FunctionType) -> Closure:
    """A function that is known by its code; what it is made with is loaded where it is used."""
    value = new(tracer, Value(Obj("function")))
    tracer.guards.object(source, value, type(actual))
    tracer.samples[value] = actual
    tracer.origins[value] = source
    return Closure(value, type(actual), actual)


def _varies(tracer: Tracer, source: Source, actual: Any) -> bool:
    """Whether a text was made just now, or is another one each time: then it is an object like any other."""
    if type(actual) is types.BuiltinMethodType:  # bound to an object, it is a new one each time
        on_stack = source.row[0] == "stack" and not is_a(actual.__self__, (types.ModuleType, type, type(None)))
        return on_stack or unbound(actual) is not None
    return is_one_of(type(actual), (str, bytes)) and (source.row[0] in ("stack", "under") or source.name in tracer.limits.varying)


def _is_operand(tracer: Tracer, source: Source, actual: Any) -> bool:
    """Whether it is a constant of this code that an instruction is to work with next, such as the names of keyword arguments."""
    consts = tracer.root.bytecode.code.co_consts
    return source.row[0] == "stack" and is_one_of(type(actual), (tuple, frozenset)) and any(actual is item for item in consts)


def with_dims(tracer: Tracer, value: Value, shape: tuple[int, ...]) -> ArrayValue:
    """An input array with its dims; a length of 1 is part of its guard."""
    dims: list[Value] = []
    for axis, length in enumerate(shape):
        dim = const(1) if length == 1 else tracer.entry_op("dim", (value,), INT, axis=axis)
        tracer.samples.setdefault(dim, length)
        dims.append(dim)
    return ArrayValue(value, tuple(dims))


def new(tracer: Tracer, value: Value) -> Value:
    """An input of the graph."""
    tracer.graph.inputs.append(value)
    return value


def _scalar(tracer: Tracer, source: Source, value: Value, actual: Any) -> Abstract:
    new(tracer, value)
    tracer.guards.scalar(source, value)
    tracer.samples[value] = actual
    return Scalar(value)


def _complex(tracer: Tracer, source: Source, actual: complex) -> Abstract:
    value = new(tracer, Value(COMPLEX))
    tracer.guards.scalar(source, value)
    made = complexes.parts(tracer, value, entry=True)
    tracer.samples |= {value: actual, made.real: actual.real, made.imag: actual.imag}
    return made


def load_local(tracer: Tracer, slot: int) -> Abstract:
    """What the root frame's slot held at the entry, loaded on first use."""
    found = tracer.entry_values.get(slot)
    if found is None:
        actual = tracer.view.locals[slot]
        root = tracer.root.bytecode
        name = root.slots[slot]
        if slot in root.free_slots:  # before the prologue, the cells are in the function only
            first = len(root.slots) - len(root.free_slots)
            found = load_closure(tracer, slot - first, name)
        elif actual is tracer.view.unset:
            tracer.guards.frame("unset", slot, text=f"{name} is not bound")
            found = UNBOUND
        else:
            found = load(tracer, sources.local(slot, name), actual)
        tracer.entry_values[slot] = found
    return found


def load_name_slot(tracer: Tracer, name: str) -> Abstract:
    """What a module-level or class-level name held at the entry; UNBOUND when it was not there."""
    found = tracer.entry_values.get(name)
    _namespace_entry(tracer, name)
    if found is None:
        names = tracer.view.names
        assert names is not None
        actual = held(names, name)
        if actual is not _native.UNSET:
            found = load(tracer, sources.name_(name), actual)
        else:
            tracer.guards.frame("no_name", name, text=f"{name} is not defined here")
            found = UNBOUND
        tracer.entry_values[name] = found
    return found


def held(space: Any, name: str) -> Any:
    """What a dict holds under a name, UNSET when nothing."""
    if not _native.only_names(space):
        raise Break("unsupported_type", "a dict whose keys are not all texts")
    return space.get(name, _native.UNSET)


def load_global(tracer: Tracer, name: str, frame: FrameState) -> Abstract:
    """A global or builtin as the frame's code sees it. An inlined function of another module reads that module's dict."""
    if ("global", name) in tracer.stored and tracer.view.names is not frame.globals:
        return _load_stored(tracer, name, frame)
    _namespace_entry(tracer, name)
    if frame.globals is tracer.view.globals:
        pending = tracer.state.frames[0].names
        if tracer.view.names is frame.globals and name in pending:
            return pending[name]
        key: Any = ("global", name)
        found = tracer.entry_values.get(key)
        if found is None:
            tracer.guards.frame("globals", frame.globals, text="it runs in the same module")
            if (actual := held(frame.globals, name)) is not _native.UNSET:
                found = load(tracer, sources.global_(name), actual)
            elif (actual := held(frame.builtins, name)) is not _native.UNSET:
                found = load(tracer, sources.builtin(name), actual)
            else:
                raise Break("unbound", name)
            tracer.entry_values[key] = found
        return found
    module = sys.modules.get(name_of(frame.globals))
    if type(module) is not types.ModuleType or vars(module) is not frame.globals:
        return _load_item(tracer, frame, name)
    if held(frame.globals, name) is not _native.UNSET:
        return load_attribute(tracer, module, name)
    if frame.builtins is vars(builtins) and held(frame.builtins, name) is not _native.UNSET:
        tracer.guards.check(sources.constant(module, short(module)), "no_attr", name, text=f"{short(module)} has no {name}")
        return load_attribute(tracer, builtins, name)
    raise Break("unbound", name)


def namespace(tracer: Tracer, frame: FrameState) -> Opaque:
    """The globals of a frame as an object."""
    key = ("namespace", id(frame.globals))
    found = tracer.entry_values.get(key)
    if found is None:
        if type(frame.globals) is not dict:
            raise Break("store_target", "globals that are no exact dict")
        own = frame.globals is tracer.view.globals
        owner = Source(("function",), "the function") if own else _owner(tracer, frame)
        found = tracer.entry_values[key] = load(tracer, sources.globals_of(owner), frame.globals)
    assert isinstance(found, Opaque)
    return found


def _load_stored(tracer: Tracer, name: str, frame: FrameState) -> Abstract:
    """A global that the fragment stores to, or may: read where it is read."""
    from . import objects

    place = ("dict_item", name)
    return objects.fetch(tracer, namespace(tracer, frame), place, place, held(frame.globals, name))


def _owner(tracer: Tracer, frame: FrameState) -> Source:
    """Where the function of an inlined frame comes from."""
    from . import closures

    assert frame.function is not None
    return closures.source_of(tracer, frame.function)


def _load_item(tracer: Tracer, frame: FrameState, name: str) -> Abstract:
    """A global of a function whose globals are no module's, as those that namedtuple and dataclass make."""
    actual = held(frame.globals, name)
    if actual is _native.UNSET:
        raise Break("unsupported_call", f"a function whose globals are no module ({name})")
    key = ("item", id(frame.globals), name)
    _namespace_entry(tracer, name)
    found = tracer.entry_values.get(key)
    if found is None:
        source = sources.dict_item(sources.globals_of(_owner(tracer, frame)), name)
        found = tracer.entry_values[key] = load(tracer, source, actual)
    return found


def load_attribute(tracer: Tracer, module: types.ModuleType, name: str) -> Abstract:
    """An attribute of a module, read from its dict."""
    key = ("attr", id(module), name)
    _namespace_entry(tracer, name)
    found = tracer.entry_values.get(key)
    if found is None:
        actual = held(vars(module), name)
        if actual is _native.UNSET:
            raise Break("attribute", f"{short(module)}.{name}")
        source = sources.attribute(sources.constant(module, short(module)), name)
        found = tracer.entry_values[key] = load(tracer, source, actual)
    return found


def _namespace_entry(tracer: Tracer, name: str) -> None:
    """A name that the fragment stores as an item of some dict may be this one."""
    if ("global", name) in tracer.stored:
        raise Break("store_target", f"an item {name!r} of a dict that may be a namespace")
    tracer.hoisted.add(("global", name))


def load_closure(tracer: Tracer, index: int, name: str) -> Abstract:
    """The contents of a closure cell of the root frame's function."""
    key = ("closure", index)
    found = tracer.entry_values.get(key)
    if found is None:
        try:
            actual = tracer.view.function.__closure__[index].cell_contents
        except ValueError:
            raise Break("unbound", name) from None
        found = tracer.entry_values[key] = load(tracer, sources.closure(index, name), actual)
    return found


def load_stack(tracer: Tracer) -> None:
    """Puts what is on the root frame's value stack at the entry on the abstract stack."""
    stack = tracer.state.frame.stack
    for index, actual in enumerate(tracer.view.stack):
        if actual is tracer.view.unset:
            stack.append(NULL)
        else:
            source = sources.stack(index)
            loaded = load(tracer, source, actual)
            stack.append(loaded)
            if isinstance(loaded, ArrayValue) and tracer.view.alone >> index & 1:
                tracer.alone[loaded.value] = source


__all__ = ["LAZY", "Const", "Container", "load", "load_local", "order_of", "is_native"]
