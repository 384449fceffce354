"""``is``: what capture knows of it, and for instances of Python classes what the run tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ground.names import is_a
from ..ir.graph import Value
from ..ir.types import BOOL
from . import closures, deeds, objects
from .functions.rows import type_of
from .operators import describe, unary
from .values import Abstract, Break, Instance, Known, Opaque, Scalar, kind_of

if TYPE_CHECKING:
    from .tracer import Tracer


def identical(t: Tracer, left: Abstract, right: Abstract, invert: bool = False) -> Abstract:
    """left is right, or is not."""
    if closures.is_function(left) and closures.is_function(right):
        same: bool | Value = closures.is_same(t, left, right)
    else:
        known = _is_known(left, right)
        same = _at_run_time(t, left, right) if known is None else known
    if isinstance(same, bool):
        return Known(same != invert)
    return unary(t, "not", Scalar(same)) if invert else Scalar(same)


def is_none(t: Tracer, value: Abstract) -> bool:
    same = identical(t, value, Known(None))
    assert isinstance(same, Known)
    return bool(same.value)


def _is_known(left: Abstract, right: Abstract) -> bool | None:
    """left is right; None where capture does not know."""
    if isinstance(left, Known) and isinstance(right, Known):
        return left.value is right.value
    if left is right and not isinstance(left, Scalar):
        return True
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Instance):  # nobody else has seen it
            return isinstance(other, Instance) and other.token is one.token
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Known) and (is_a(one.value, type) or any(one.value is single for single in (None, Ellipsis, NotImplemented))):
            may_be = isinstance(other, Opaque) and (other.cls is None or objects.is_subclass(type(one.value), other.cls))
            if not may_be:
                return False
        if isinstance(one, Known) and isinstance(one.value, bool) and kind_of(other) not in ("bool", "opaque"):
            return False
    return None


def _at_run_time(t: Tracer, left: Abstract, right: Abstract) -> bool | Value:
    one, other = type_of(left), type_of(right)
    if one is not other and one is not None and other is not None:
        return False
    if one is not object and not objects.is_plain(one):  # the fragment may have made one of these where plain Python makes two
        raise Break("unsupported_type", f"{describe(left)} is {describe(right)}")
    found: Value = t.emit("same", (deeds.as_object(t, left), deeds.as_object(t, right)), BOOL)
    return found
