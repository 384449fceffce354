"""Texts made of numbers and texts, and of several texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ground.names import is_one_of
from ...ir.types import Np
from .. import deeds, exceptions, formatting, generators, templates
from ..operators import describe
from ..state import Raised
from ..through import through
from ..values import Abstract, Break, Known, Scalar, Suspended, kind_of, sequence_of
from .rows import expect, row

if TYPE_CHECKING:
    from ..tracer import Tracer

_PLAIN = (str, int, float, bool, complex, bytes, type(None))


def _row(function: Any) -> Any:
    @row(function)
    def text(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        """str(x), repr(x) or ascii(x)."""
        expect(function.__name__, args, kwargs, 1)
        (value,) = args
        if function is str and isinstance(value, Raised):
            spelling, value = exceptions.spelled(t, value)
            return _ROWS[spelling](t, [value], {})  # type: ignore[no-any-return]
        if function is str and deeds.is_text(value):
            return value
        if isinstance(value, Known) and is_one_of(type(value.value), _PLAIN):
            return Known(function(value.value))
        if isinstance(value, Scalar) and not isinstance(value.type, Np):
            return formatting.text_of(t, value)  # which all three of them are
        if not isinstance(value, Scalar) and not deeds.is_text(value):
            raise Break("unsupported_call", f"{function.__name__} of {describe(value)}")
        return formatting.called(t, function, value)

    return text


_ROWS = {function: _row(function) for function in (str, repr, ascii)}


def _of_base(function: Any) -> None:
    @row(function)
    def digits(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        """bin(x), oct(x) or hex(x)."""
        expect(function.__name__, args, kwargs, 1)
        (value,) = args
        if kind_of(value) not in ("int", "bool"):
            raise Break("unsupported_call", f"{function.__name__} of {describe(value)}")
        return Known(function(value.value)) if isinstance(value, Known) else formatting.called(t, function, value)


for _function in (bin, oct, hex):
    _of_base(_function)


@row(str.join)
def join(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    expect("join", args, kwargs, 2)
    between, items = args
    if not deeds.is_text(between):
        raise Break("call_arguments", f"join of {describe(between)}")
    if isinstance(items, Suspended):
        return generators.consume_by(t, generators.JOIN, [items, between], {})
    parts = sequence_of(items)
    if parts is None:
        return templates.join(t, between, through(items, "join"))
    if not all(map(deeds.is_text, parts)):
        raise Break("call_arguments", "join of what is no text")
    return templates.together(t, [piece for part in parts for piece in (between, part)][1:])


@row(str.format)
def format_(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    if not args or not deeds.is_text(args[0]):
        raise Break("call_arguments", "format")
    return templates.formatted(t, args[0], args[1:], kwargs)
