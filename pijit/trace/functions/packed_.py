"""array.array and bytearray that the program makes, of what is no object of its own."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from ...ir import packed
from .. import deeds
from ..operators import describe
from ..through import is_gone_through
from ..values import Abstract, Break, Container, Known, Opaque, kind_of
from .rows import row, scalar_kind

if TYPE_CHECKING:
    from ..tracer import Tracer

_NUMBERS = {"int", "bool", "float"}


def _may_initialise(value: Abstract) -> bool:
    """Whether what goes into the new object is numbers, or memory, from the start."""
    if _is_list(value):
        return True
    if isinstance(value, Container) and value.kind in ("list", "tuple"):
        return {kind_of(item) for item in value.items} <= _NUMBERS
    if isinstance(value, Container):
        return value.kind == "range" and is_gone_through(value)
    return isinstance(value, Opaque | Known) and deeds.is_text(value, bytes, bytearray, array, range)


def _is_list(value: Abstract) -> bool:
    return isinstance(value, Opaque) and deeds.is_text(value, list, tuple)


def _made(t: Tracer, function: type, args: list[Abstract], like: array[int] | bytearray) -> Abstract:
    """Of lists it is looked at when this runs that they hold nothing but numbers."""
    return deeds.make(t, "of_numbers" if args and _is_list(args[-1]) else "call", [Known(function), *args], like)


@row(bytearray)
def bytearray_(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    if kwargs or len(args) > 1 or not (args == [] or scalar_kind(args[0]) in ("int", "bool") or _may_initialise(args[0])):
        raise Break("call_arguments", f"bytearray of {', '.join(map(describe, args))}")
    return _made(t, bytearray, args, bytearray(2))


@row(array)
def array_(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    code = args[0].value if args and isinstance(args[0], Known) else None
    if kwargs or len(args) > 2 or type(code) is not str or len(code) != 1 or packed.element(code) is None or not all(map(_may_initialise, args[1:])):
        raise Break("call_arguments", f"array of {', '.join(map(describe, args))}")
    return _made(t, array, args, array(code, [1, 1]))


def _appends(cls: type) -> None:
    @row(cls.append)  # type: ignore[attr-defined]
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        """Of a number of Python's, whose conversion is no call of the program's."""
        owner = args[0] if len(args) == 2 and not kwargs else None
        if not (isinstance(owner, Opaque) and owner.cls is cls and kind_of(args[1]) in _NUMBERS):
            raise Break("call_arguments", f"append of {', '.join(map(describe, args))}")
        return deeds.do(t, "call", [Known(cls.append), *args])  # type: ignore[attr-defined]


_appends(array)
_appends(bytearray)
