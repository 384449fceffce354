"""Texts made of numbers and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.types import Np
from .. import deeds, exceptions, formatting
from ..operators import describe
from ..state import Raised
from ..values import Abstract, Break, Known, Scalar
from .rows import expect, row

if TYPE_CHECKING:
    from ..tracer import Tracer

_PLAIN = (str, int, float, bool, complex, bytes, type(None))


def _row(function: Any) -> None:
    @row(function)
    def text(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        """str(x), repr(x) or ascii(x)."""
        expect(function.__name__, args, kwargs, 1)
        (value,) = args
        if function is str and isinstance(value, Raised):
            spelling, value = exceptions.spelled(t, value)
            return text(t, [value], {}) if spelling is str else formatting.called(t, spelling, value)
        if function is str and deeds.is_text(value):
            return value
        if isinstance(value, Known) and type(value.value) in _PLAIN:
            return Known(function(value.value))
        if isinstance(value, Scalar) and not isinstance(value.type, Np):
            return formatting.text_of(t, value)  # which all three of them are
        if not isinstance(value, Scalar) and not deeds.is_text(value):
            raise Break("unsupported_call", f"{function.__name__} of {describe(value)}")
        return formatting.called(t, function, value)


for _function in (str, repr, ascii):
    _row(_function)
