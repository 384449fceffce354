"""Indexing: elements, views and stores of arrays; items of tuples and lists."""

from __future__ import annotations

import operator
from array import array
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ground.names import ByClass, is_one_of
from ..ir.graph import Value, const
from ..ir.types import FLOAT, INT, NATIVE, Np, Obj
from ..ir.types import Scalar as ScalarType
from . import (
    deeds,
    elementwise,
    instances,
    kinds,
    lengths,
    mappings,
    masks,
    objects,
    opaque,
    packed,
    ranges,
    standins,
    takes,
    telling,
)
from .addresses import compare
from .operators import cast, describe
from .slicing import checked_index, plan_of, view
from .values import (
    END,
    Abstract,
    ArrayValue,
    Break,
    Container,
    Instance,
    Known,
    Opaque,
    Scalar,
    items_of,
    kind_of,
    unsupported,
    value_of,
)

if TYPE_CHECKING:
    from .state import State
    from .tracer import Tracer

_LIST_ITEMS = ByClass({int: INT, float: FLOAT})


_OUTSIDE = Known(("list index out of range",))  # the arguments of the IndexError
_SLICED = (list, array, bytearray)
_MAKERS = tuple(map(type, (np.r_, np.c_, np.mgrid, np.ogrid)))  # make arrays of what they are indexed with


def _is_short(t: Tracer, container: Abstract, index: int) -> bool:
    """Whether what is like a list that was made here has no such item."""
    if not isinstance(container, Opaque) or container.cls is not list or objects.origin_of(t, container) is not None:
        return False
    held = t.samples.get(container.value)
    return type(held) is not list or not -len(held) <= index < len(held)


def _is_from_the_end(t: Tracer, container: Abstract, index: int) -> bool:
    """Whether an index means another item whenever a list has grown. What has been seen of the list says of which types they are."""
    return index < 0 and isinstance(container, Opaque) and container.cls is list and bool(t.samples.get(container.value))


def load(t: Tracer, container: Abstract, index: Abstract) -> Any:
    """container[index]."""
    if isinstance(container, ArrayValue):
        plan = plan_of(t, container, index)
        if plan is None:
            picked = masks.load(t, container, index) or takes.load(t, container, index)
            return picked or opaque.call_pure(t, operator.getitem, [container, index], {})
        if len(plan) == container.type.ndim and all(kind == "index" for kind, _ in plan):
            return element_at(t, container, [value for _, value in plan])
        return view(t, container, plan)
    if isinstance(container, Instance) and container.kind == "dict":
        if mappings.is_name(index):
            return mappings.item(container, index)
        (container,) = instances.settled(t, container)
    items = items_of(container)
    if items is None and isinstance(container, Container) and container.kind == "list":
        items = container.items
    if items is not None:
        chosen = _chosen(t, items, index, container)
        return _item(items, index, container) if chosen is None else chosen
    fixed = isinstance(index, Known) and type(index.value) is int and is_one_of(objects.class_of(container), (list, tuple))
    fixed = fixed and not _is_from_the_end(t, container, index.value)  # type: ignore[attr-defined]
    if fixed and not _is_short(t, container, index.value):  # type: ignore[attr-defined]
        return objects.item(t, container, index.value)  # type: ignore[attr-defined]
    if mappings.is_fixed(t, container, index):
        return objects.dict_item(t, container, index.value)  # type: ignore[attr-defined]
    if deeds.is_mapping(container):
        return deeds.dict_item(t, container, index)  # type: ignore[arg-type]
    code = _code_of(t, container, index)
    if code is not None:
        return packed.load(t, container, code, value_of(index))  # type: ignore[arg-type]
    part = _part(t, container, index)
    if part is not None:
        return part
    place = _place(t, container, index, _OUTSIDE)
    if place is not None and isinstance(container, Opaque):
        functions = deeds.functions_in(t.samples.get(container.value))
        if functions is not None:
            return deeds.one_of(t, t.emit("list_get", (container.value, place), Obj(), reason="list_item_type"), functions)
        several = kinds.item(t, container, place) if t.last_micro else None
        return _typed_item(t, container, place) if several is None else _either(t, several)
    if isinstance(container, Opaque) and container.cls is tuple and kind_of(index) in ("int", "bool"):
        held = t.samples.get(container.value) or ()
        if len({id(type(item)) for item in held}) == 1:
            return _of_tuple(t, container, held, t.emit("obj_len", (container.value,), INT), index)
    if isinstance(container, Opaque) and container.cls is deque and kind_of(index) in ("int", "bool"):
        return deeds.do(t, "call", [Known(operator.getitem), container, index], deeds.item_sample(t, container), pure=True)
    if isinstance(container, Opaque) and is_one_of(container.cls, _MAKERS):
        sample = standins.sample_result(t, operator.getitem, [Known(t.samples[container.value]), index], {})
        return opaque.call_pure(t, operator.getitem, [container, index], {}, sample=sample)
    if ranges.is_range(container) and kind_of(index) in ("int", "bool"):
        return ranges.item(t, container, value_of(index))  # type: ignore[arg-type]
    if isinstance(index, Known) and type(index.value) is int:
        field = opaque.record_item(t, container, index.value)
        if field is not None:
            return field
    if isinstance(container, Known) and isinstance(index, Known) and is_one_of(type(container.value), (str, range)):
        try:
            return Known(container.value[index.value])
        except (IndexError, TypeError):
            raise Break("always_raises", "index") from None
    raise unsupported(f"{describe(container)}[{describe(index)}]", container, index)


def _part(t: Tracer, container: Abstract, index: Abstract) -> Abstract | None:
    """A character of a text, a byte of bytes, a slice of a list, text or bytes; None for anything else."""
    from .functions.rows import scalar_kind

    texts, in_bytes = deeds.is_text(container), deeds.is_text(container, bytes, bytearray)
    known = isinstance(container, Known) and isinstance(index, Known)
    if known or not (texts or in_bytes or deeds.is_text(container, list, tuple, array)):
        return None
    if kind_of(index) == "slice" and all(kind_of(part) in ("int", "known") for part in index.inner()):
        return deeds.part(t, container, index)
    if scalar_kind(index) not in ("int", "bool") or not (texts or in_bytes):
        return None
    length = t.emit("obj_len", (deeds.as_object(t, container),), INT)
    place = checked_index(t, value_of(index), length)  # type: ignore[arg-type]
    return deeds.char(t, container, place) if texts else deeds.byte(t, container, place)


def delete(t: Tracer, container: Abstract, index: Abstract) -> None:
    """del container[index]"""
    if isinstance(container, Instance) and container.kind == "dict" and not mappings.is_name(index):
        (container,) = instances.settled(t, container)
    if isinstance(container, Instance) and container.kind == "dict":
        instances.remove(t, container, mappings.key_of(index))
    elif mappings.is_fixed(t, container, index):
        objects.delete_dict_item(t, container, index.value)  # type: ignore[attr-defined]
    elif deeds.is_mapping(container):
        deeds.dict_delete(t, container, index)  # type: ignore[arg-type]
    elif isinstance(container, Opaque) and container.cls is list and kind_of(index) in ("int", "bool"):
        deeds.do(t, "list_delete", [container, index])
        objects.list_changed(t, container)
    elif _is_part(container, index):
        deeds.do(t, "list_part", [container, index])
        objects.list_changed(t, container)
    else:
        raise unsupported(f"del of an item of {describe(container)}", container, reason="store_target")


def store(t: Tracer, container: Abstract, index: Abstract, value: Abstract) -> None:
    """container[index] = value."""
    if isinstance(container, Instance) and container.kind == "dict" and not mappings.is_name(index):
        container, value = instances.settled(t, container, value)
    if isinstance(container, Instance) and container.kind == "dict":
        instances.store(t, container, mappings.key_of(index), value)
        return
    if mappings.is_fixed(t, container, index):
        objects.store_dict_item(t, container, index.value, value)  # type: ignore[attr-defined]
        return
    if deeds.is_mapping(container):
        deeds.dict_store(t, container, index, value)  # type: ignore[arg-type]
        return
    place = _place(t, container, index)
    if place is not None:
        objects.store_item(t, container, place, value)
        return
    code = _code_of(t, container, index)
    if code is not None:
        packed.store(t, container, code, value_of(index), value)  # type: ignore[arg-type]
        return
    if _is_part(container, index):
        _store_part(t, container, index, value)
        return
    if not isinstance(container, ArrayValue):
        raise unsupported(f"store into {describe(container)}", container, reason="store_target")
    if not container.type.writable:
        raise Break("read_only", "store into a read-only array")
    if container.type.dtype.kind == "c":
        _, value = elementwise.with_complex(t, container, value)
    plan = plan_of(t, container, index)
    if plan is None and masks.store(t, container, index, value):
        return
    if plan is None or not storable(t, container, value):
        opaque.call_for_effect(t, operator.setitem, [container, index, value])
        return
    if len(plan) == container.type.ndim and all(kind == "index" for kind, _ in plan):
        scalar = value_of(value)
        assert scalar is not None
        if isinstance(value, ArrayValue):
            raise Break("unsupported_type", "array stored into an element")
        converted = as_element(t, scalar, container.type.element)
        indices = _checked(t, container, [v for _, v in plan])
        t.emit("store", (container.value, converted, *indices))
        return
    target = view(t, container, plan) if plan and not _is_whole(plan) else container
    if isinstance(value, ArrayValue):
        if len(value.dims) > len(target.dims):
            opaque.call_for_effect(t, operator.setitem, [container, index, value])
            return
        source: Abstract = elementwise.converted(t, value, container.type.name)
    else:
        scalar = value_of(value)
        assert scalar is not None
        source = Scalar(as_element(t, scalar, container.type.element))
    elementwise.assign(t, target, source)


def _code_of(t: Tracer, container: Abstract, index: Abstract) -> str | None:
    """The typecode of an array.array or bytearray of which this is an item."""
    from .functions.rows import scalar_kind

    return packed.code_of(t, container) if scalar_kind(index) in ("int", "bool") else None


def _is_part(container: Abstract, index: Abstract) -> bool:
    """Whether it is a slice of a list, array.array or bytearray."""
    known = isinstance(container, Opaque) and is_one_of(container.cls, _SLICED)
    return known and kind_of(index) == "slice" and all(kind_of(part) in ("int", "bool", "known") for part in index.inner())


def _store_part(t: Tracer, container: Abstract, index: Abstract, value: Abstract) -> None:
    """list[slice] = items of a list or tuple, or of what is gone through in C. Arrays take arrays, bytes take bytes."""
    from .functions.containers import list_put

    assert isinstance(container, Opaque)
    if container.cls is not list:
        if not deeds.is_text(value, *((array,) if container.cls is array else (bytes, bytearray))):
            raise unsupported(f"{describe(value)} into a slice of {describe(container)}", container, reason="store_target")
        deeds.do(t, "list_part", [container, index, value])
        return
    list_put(t, container, value, lambda items: deeds.do(t, "list_part", [container, index, items]))


def as_element(t: Tracer, value: Value, element: Np) -> Value:
    """A number as an element to be stored one by one. NumPy's ints have to fit, as Python's have; arithmetic would wrap."""
    if isinstance(value.type, Np) and value.type.dtype.kind in "iu" and element.dtype.kind in "iu" and value.type != element:
        value = cast(t, value, INT)
    return cast(t, value, element)


def _is_whole(plan: list[tuple[str, Any]]) -> bool:
    return all(kind == "slice" and s == (None, None, 1) for kind, s in plan)


def storable(t: Tracer, container: ArrayValue, value: Abstract) -> bool:
    """Whether the conversion to the container's dtype is one that is done natively."""
    to = container.type.name
    if isinstance(value, ArrayValue):
        return value.type.name == to or (
            value.type.ndim > 0 and elementwise.result_order((value,)) is not None and t.limits.elementwise("cast", (value.type.name, to))
        )
    scalar = value_of(value)
    if scalar is None or to not in NATIVE:
        return False
    kind = container.type.dtype.kind
    if isinstance(scalar.type, ScalarType):
        allowed = {"bool": "biufc", "int": "iufc", "float": "fc"}[scalar.type.name]
    else:
        assert isinstance(scalar.type, Np)
        allowed = {"b": "biufc", "i": "iufc", "u": "iufc", "f": "fc", "c": "c"}[scalar.type.dtype.kind]
    return kind in allowed


# ---- elements --------------------------------------------------------------------------------------------------------------


def element(t: Tracer, sequence: Abstract, index: Value) -> Abstract:
    """Item ``index`` of an array, list or text, where the index is known to be in range."""
    if isinstance(sequence, ArrayValue) and len(sequence.dims) > 1:
        return view(t, sequence, [("index", index), *[("slice", (None, None, 1))] * (len(sequence.dims) - 1)], checked=True)
    if isinstance(sequence, ArrayValue):
        return Scalar(t.emit("load", (sequence.value, index), sequence.type.element))
    assert isinstance(sequence, Opaque)
    if deeds.is_text(sequence, str, bytes):
        return deeds.char(t, sequence, index) if sequence.cls is str else deeds.byte(t, sequence, index)
    return _typed_item(t, sequence, index)


def element_at(t: Tracer, array: ArrayValue, indices: list[Value]) -> Scalar:
    checked = _checked(t, array, indices)
    return Scalar(t.emit("load", (array.value, *checked), array.type.element))


def _checked(t: Tracer, array: ArrayValue, indices: list[Value]) -> list[Value]:
    return [checked_index(t, index, dim) for index, dim in zip(indices, array.dims, strict=True)]


def unpack(t: Tracer, array: ArrayValue, n: int) -> tuple[Abstract, ...]:
    """The items of an array with n items along its first axis."""
    if array.type.ndim == 0:
        raise Break("always_raises", "unpacking of a 0-d array")
    t.check(compare(t, "==", array.dims[0], const(n)), "shape_mismatch")
    rest: list[tuple[str, Any]] = [("slice", (None, None, 1))] * (array.type.ndim - 1)
    if not rest:
        return tuple(element(t, array, const(i)) for i in range(n))
    return tuple(view(t, array, [("index", const(i)), *rest]) for i in range(n))


def _item(items: tuple[Abstract, ...], index: Abstract, container: Abstract) -> Abstract:
    if isinstance(index, Known) and is_one_of(type(index.value), (int, bool)):
        try:
            return items[int(index.value)]
        except IndexError:
            raise Break("always_raises", "tuple index out of range") from None
    if isinstance(index, Container) and index.kind == "slice" and all(isinstance(i, Known) for i in index.items):
        bounds = slice(*(i.value for i in index.items if isinstance(i, Known)))
        if container_kind(container) == "tuple":
            return Container("tuple", tuple(items[bounds]))
    raise Break("unsupported_type", "tuple index that is not a constant")


def _chosen(t: Tracer, items: tuple[Abstract, ...], index: Abstract, container: Abstract) -> Abstract | None:
    """One of the known items of a tuple or list, all of one type, at an index that is computed; None for anything else."""
    from .functions.rows import scalar_kind

    objects_ = tuple(item.value for item in items if isinstance(item, Known))
    if isinstance(index, Known) or scalar_kind(index) not in ("int", "bool", "i", "u"):
        return None
    if not items or len(objects_) < len(items) or len({id(type(item)) for item in objects_}) > 1:
        return None
    known = container if isinstance(container, Known) else Known(objects_)
    return _of_tuple(t, deeds.as_opaque(t, known), objects_, const(len(items)), index)


def _of_tuple(t: Tracer, container: Opaque, items: tuple[Any, ...], length: Value, index: Abstract) -> Abstract:
    """The item at an index; it leaves at one of another type."""
    from .functions.rows import index as whole

    place = checked_index(t, whole(t, index, "index"), length)
    found = t.emit("tuple_get", (container.value, place), Obj())
    functions = deeds.functions_in(items)
    return telling.with_siblings(t, opaque.like(t, found, items[0]), items) if functions is None else deeds.one_of(t, found, functions)


def container_kind(container: Abstract) -> str:
    return kind_of(container)


def _place(t: Tracer, container: Abstract, index: Abstract, args: Abstract | None = None) -> Value | None:
    """Where in a list an integer that may be NumPy's leads to, counted from the start; leaves when it is out of range. None for anything else.
    ``args``: those of the IndexError, where they are known."""
    from .functions.rows import index as whole
    from .functions.rows import scalar_kind

    if not isinstance(container, Opaque) or container.cls is not list or scalar_kind(index) not in ("int", "bool", "i", "u"):
        return None
    length = lengths.of(t, container)
    assert length is not None
    return checked_index(t, whole(t, index, "index"), length, args)


def _either(t: Tracer, several: kinds.Several) -> object:
    """Ends the instruction with an item of one of several types on the stack."""
    def go_on(state: State) -> None:
        found = _typed_item(t, several.container, several.at)
        state.frame.stack.append(found)
        state.frame.pc = state.frame.bytecode.at(state.frame.pc).next
        t.block.end = t.goto(state)

    kinds.fork(t, several, go_on)
    return END


def _typed_item(t: Tracer, container: Opaque, index: Value) -> Abstract:
    taken, expected = t.expected.get((container.value, index), (None, None))
    sample = t.samples.get(container.value) if taken is None else [expected]
    wanted = _LIST_ITEMS.get(type(sample[0])) if sample else None
    if wanted is None:
        if not sample:
            raise deeds.unseen(t, container)
        found = t.emit("list_get", (container.value, index), Obj(), reason="list_item_type") if taken is None else taken
        made = opaque.like(t, found, telling.item(sample))
        return telling.with_siblings(t, made, sample) if len(sample) > 1 else made
    return Scalar(t.emit("list_get", (container.value, index), wanted, reason="list_item_type"))
