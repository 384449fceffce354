"""Random numbers: numpy.random's functions and the methods of Generator and RandomState.

A draw moves the stream, so it is called once, where the program calls it, and never tried: what type it gives is found with a generator of
our own. Single numbers of the common distributions are operations: draws.py.
"""

from __future__ import annotations

import _random
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.draws import SHARED
from ....ir.graph import Value, const
from ... import opaque, standins
from ...tables import INHERITED
from ...values import Abstract, Break, Known, Opaque
from ..rows import row
from . import draws

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]

# Give None: they set the stream, or shuffle their argument in place.
EFFECTS = frozenset({"seed", "shuffle"})
# Objects that are not made or looked into here.
LEFT = frozenset(
    {
        "get_state",
        "set_state",
        "get_bit_generator",
        "set_bit_generator",
        "spawn",
        "test",
        "default_rng",
        "random_integers",
    }
)


def _shared(function: Any) -> Value | None:
    """What a function of numpy.random or random draws from."""
    owner = getattr(function, "__self__", None)
    return const(owner) if owner is not None and any(owner is shared for shared in SHARED.values()) else None


def _draw(key: Any, name: str, cls: type, first: int) -> None:
    """``first``: how many arguments come before those of the draw (the generator itself)."""

    @row(key)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        if not t.last_micro:
            raise Break("side_effect", f"random.{name}")
        if first and not (args and isinstance(args[0], Opaque) and args[0].cls is cls):
            raise Break("call_arguments", f"{name} without its generator")
        if "out" in kwargs:
            raise Break("call_arguments", f"{name} with out=")
        if name in EFFECTS:
            opaque.call_for_effect(t, key, args, kwargs)
            return Known(None)
        owner = args[0].value if first and isinstance(args[0], Opaque) else _shared(key)
        found = draws.single(t, name, owner, args[first:], kwargs) if owner is not None else None
        if found is not None:
            return found
        own = np.random.Generator(np.random.PCG64(0)) if cls is np.random.Generator else np.random.RandomState(0)
        sample = standins.sample_result(t, getattr(own, name), args[first:], kwargs)
        return opaque.call_pure(t, key, args, kwargs, sample=sample)


def _methods(cls: type) -> None:
    for name, function in vars(cls).items():
        if callable(function) and not name.startswith("_") and name not in LEFT:
            _draw(function, name, cls, 1)


_methods(np.random.Generator)
_methods(np.random.RandomState)
for _name in dir(np.random):
    _value = getattr(np.random, _name)
    _stream = hasattr(np.random.RandomState, _name) or _name in ("ranf", "sample")
    if callable(_value) and _stream and not isinstance(_value, type) and _name not in LEFT:
        _draw(_value, {"ranf": "random_sample", "sample": "random_sample"}.get(_name, _name), np.random.RandomState, 0)


def _python(key: Any, name: str) -> None:
    @row(key)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        if not t.last_micro:
            raise Break("side_effect", f"random.{name}")
        owner, given = _shared(key), args
        if owner is None and args and isinstance(args[0], Opaque) and args[0].cls is _RANDOM:
            owner, given = args[0].value, args[1:]
        # what is in C takes no keywords
        found = draws.single(t, name, owner, given, kwargs) if owner is not None and not kwargs else None
        if found is None:
            raise Break("unsupported_call", f"random.{name}")
        return found


_RANDOM = type(SHARED["Random"])
for _name in ("random", "getrandbits"):
    if _shared(getattr(random, _name)):
        _python(getattr(random, _name), _name)
    _python(vars(_random.Random)[_name], _name)
    INHERITED[vars(_random.Random)[_name]] = True


@row(np.random.default_rng)
def default_rng(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) > 1 or any(isinstance(a, Opaque) for a in args):
        raise Break("call_arguments", "default_rng of a generator")
    return opaque.call_pure(t, np.random.default_rng, args, kwargs, sample=np.random.default_rng(0))
