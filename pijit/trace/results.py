"""What instructions make of the result of a Python function that they call (__init__, __add__, __len__, ...).

RESULTS: the C function that does it for an exit inside the function, and how much of ``Then.data`` it is given.
FINISHERS: the same at capture, of an abstract result; None: the instruction pushes nothing; INLINED: another function is called.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _native
from ..ir.types import INT
from .values import Abstract, Break, Known, Scalar, kind_of, value_of

if TYPE_CHECKING:
    from .state import Then
    from .tracer import Tracer

RESULTS: dict[str, tuple[Callable[..., Any], int]] = {
    "made": (_native.then_made, 0),
    "nothing": (_native.then_nothing, 0),
    "bool": (_native.then_bool, 1),
    "truth": (operator.truth, 0),
    "not": (operator.not_, 0),
    "length": (_native.then_length, 0),
    "operator": (_native.then_operator, 2),
}


def _made(t: Tracer, then: Then, result: Abstract) -> Abstract:
    if not (isinstance(result, Known) and result.value is None):
        raise Break("always_raises", "__init__ that returns something")
    return then.held[0]


def _bool(t: Tracer, then: Then, result: Abstract) -> Abstract:
    if kind_of(result) != "bool":
        raise Break("always_raises", "__bool__ that returns something else")
    return _truth(t, result, then.data[0])


def _truth(t: Tracer, result: Abstract, invert: bool) -> Abstract:
    from . import operators

    truth = operators.truth(t, result)
    if isinstance(truth, bool):
        return Known(truth != invert)
    return operators.unary(t, "not", Scalar(truth)) if invert else Scalar(truth)


def _length(t: Tracer, then: Then, result: Abstract) -> Abstract:
    from .addresses import compare

    value = value_of(result)
    if value is None or value.type != INT:
        raise Break("unsupported_type", "__len__ that does not give an int")
    from ..ir.graph import const

    t.check(compare(t, ">=", value, const(0)), "always_raises")
    return result


def _operator(t: Tracer, then: Then, result: Abstract) -> Any:
    if not (isinstance(result, Known) and result.value is NotImplemented):
        return result
    from . import dunder

    left, right = then.held
    return dunder.attempt(t, left, right, *then.data)


FINISHERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "made": _made,
    "nothing": lambda t, then, result: None,
    "bool": _bool,
    "truth": lambda t, then, result: _truth(t, result, False),
    "not": lambda t, then, result: _truth(t, result, True),
    "length": _length,
    "operator": _operator,
}
