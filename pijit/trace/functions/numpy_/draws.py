"""Single draws of a Generator or RandomState, which are operations of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.draws import DRAWS
from ....ir.graph import Value
from ....ir.types import FLOAT, INT, Obj, Type
from ...values import Abstract, Known, Scalar
from ..builtins_ import to_float
from ..rows import index, scalar_kind

if TYPE_CHECKING:
    from ...tracer import Tracer

_NEEDED = object()
_FLAT: dict[str, Any] = {"size": None, "dtype": np.float64, "out": None}
# The parameters of each method in order, with their defaults. Those that are numbers are the arguments of the draw.
_PARAMETERS: dict[str, dict[str, Any]] = {
    "random": _FLAT,
    "standard_normal": _FLAT,
    "standard_exponential": {"size": None, "dtype": np.float64, "method": "zig", "out": None},
    "uniform": {"low": 0.0, "high": 1.0, "size": None},
    "normal": {"loc": 0.0, "scale": 1.0, "size": None},
    "exponential": {"scale": 1.0, "size": None},
    "integers": {"low": _NEEDED, "high": None, "size": None, "dtype": np.int64, "endpoint": False},
}
_LEGACY: dict[str, dict[str, Any]] = {
    "rand": {},
    "random": {"size": None},
    "random_sample": {"size": None},
    "uniform": _PARAMETERS["uniform"],
    "randint": {"low": _NEEDED, "high": None, "size": None, "dtype": int},
}
_METHODS: dict[Type, dict[str, dict[str, Any]]] = {
    Obj("Generator"): _PARAMETERS,
    Obj("RandomState"): _LEGACY,
    Obj("Random"): {"random": {}, "getrandbits": {"k": _NEEDED}},
}
_ROWS: dict[Type, dict[str, str]] = {  # of a Generator's methods: their names
    Obj("RandomState"): {**dict.fromkeys(_LEGACY, "legacy_random"), "uniform": "legacy_uniform", "randint": "legacy_randint"},
    Obj("Random"): {"random": "python_random", "getrandbits": "python_bits"},
}
_NUMBERS = frozenset({"low", "high", "loc", "scale", "k"})
_KINDS: dict[Type, tuple[str, ...]] = {FLOAT: ("float", "int", "bool", "f", "i", "u"), INT: ("int", "bool", "i", "u")}


def single(t: Tracer, name: str, generator: Value, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract | None:
    """One number as an operation; None where it is an array, of another type, or not to be had natively."""
    parameters = _METHODS.get(generator.type, {}).get(name)
    given = None if parameters is None else _bound(parameters, args, kwargs)
    if parameters is None or given is None:
        return None
    numbers = [given.pop(parameter) for parameter in parameters if parameter in _NUMBERS]
    if name in ("integers", "randint") and isinstance(numbers[1], Known) and numbers[1].value is None:
        numbers = [Known(0), numbers[0]]
    row = _ROWS.get(generator.type, {}).get(name, name)
    result = DRAWS[row].result
    if name == "integers":
        if _is(given["endpoint"], True):
            row = "integers_closed"
            del given["endpoint"]
        if _is(given["dtype"], int):
            result = INT
            del given["dtype"]
    if not all(_is(value, parameters[parameter]) for parameter, value in given.items()):
        return None
    draw = DRAWS[row]
    if not all(scalar_kind(number) in _KINDS[type] for number, type in zip(numbers, draw.args, strict=True)) or not t.limits.draw(row):
        return None
    values = (to_float(t, number) if type == FLOAT else index(t, number, name) for number, type in zip(numbers, draw.args, strict=True))
    return Scalar(t.emit("draw", (generator, *values), result, draw=row))


def _bound(parameters: dict[str, Any], args: list[Abstract], kwargs: dict[str, Abstract]) -> dict[str, Abstract] | None:
    """What each parameter gets; None for a call that Python would not take."""
    if len(args) > len(parameters):
        return None
    given = dict(zip(parameters, args, strict=False))
    if not (parameters.keys() - given.keys()).issuperset(kwargs):
        return None
    defaults = {parameter: Known(value) for parameter, value in parameters.items()}
    bound = {**defaults, **given, **kwargs}
    return None if any(_is(value, _NEEDED) for value in bound.values()) else bound


def _is(value: Abstract, wanted: Any) -> bool:
    return isinstance(value, Known) and (value.value is wanted or (type(value.value) is type(wanted) is str and value.value == wanted))
