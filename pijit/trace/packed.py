"""Items of array.array and bytearray, read and stored one by one. An array's typecode is looked at where it is used: its class does not tell."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from ..ir import packed
from ..ir.graph import Value, const
from ..ir.types import BOOL, FLOAT, INT, Np
from .addresses import compare
from .operators import cast, describe
from .slicing import checked_index
from .values import Abstract, Break, Opaque, Scalar, value_of

if TYPE_CHECKING:
    from .tracer import Tracer


def code_of(t: Tracer, container: Abstract) -> str | None:
    """The typecode of one whose items are taken out natively."""
    if not isinstance(container, Opaque) or not (container.cls is array or container.cls is bytearray):
        return None
    code = packed.BYTES if container.cls is bytearray else packed.code_of(t.samples.get(container.value))
    return code if code is not None and packed.element(code) is not None else None


def load(t: Tracer, container: Opaque, code: str, index: Value) -> Abstract:
    """container[index]"""
    place = _place(t, container, code, index)
    wanted = packed.element(code)
    assert wanted is not None
    return Scalar(t.emit("packed_get", (container.value, place), wanted, code=code))


def store(t: Tracer, container: Opaque, code: str, index: Value, value: Abstract) -> None:
    """container[index] = value"""
    item = _as_item(t, code, value)
    if item is None:
        raise Break("store_target", f"{describe(value)} into an item of {describe(container)}")
    place = _place(t, container, code, index)
    t.emit("packed_put", (container.value, place, item), code=code, reason="container")


def _place(t: Tracer, container: Opaque, code: str, index: Value) -> Value:
    if code != packed.BYTES:
        t.check(compare(t, "==", t.emit("packed_code", (container.value,), INT), const(ord(code))), "container")
    return checked_index(t, index, t.emit("obj_len", (container.value,), INT))


def _as_item(t: Tracer, code: str, value: Abstract) -> Value | None:
    """A number as Python's int or float, where Python would convert it without a call of the program's."""
    given = value_of(value)
    if given is None:
        return None
    wanted = packed.element(code)
    assert wanted is not None
    name = given.type.name if isinstance(given.type, Np) else ""
    good = (INT, BOOL) if wanted == INT else (INT, BOOL, FLOAT)
    if given.type in good or (name.startswith(("int", "uint")) if wanted == INT else name == "float64"):
        return cast(t, given, wanted)
    return None
