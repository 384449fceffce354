"""The draws of a numpy.random.Generator or RandomState and of random.Random that are operations: one row each for capture, checker, evaluator and
lowering."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from pijit.ground.records import dataclass

from .types import FLOAT, INT, Np, Type


@dataclass(frozen=True, slots=True)
class Draw:
    """``method`` of the generator, which is an ``owner``, given ``args``, and with ``closed`` endpoint=True. ``fits``: whether NumPy takes such
    arguments; it may say no to some that NumPy takes. ``samples``: arguments that a self-test tries. ``masked``: of an integer, where it is made
    of random bits as RandomState does it."""

    method: str
    args: tuple[Type, ...] = ()
    result: Type = FLOAT
    fits: Callable[..., bool] = lambda *args: True
    samples: tuple[tuple[Any, ...], ...] = ((),)
    closed: bool = False
    owner: str = "Generator"
    masked: bool = False

    def of(self, generator: Any, *args: Any) -> Any:
        """Draws, as the program would."""
        return getattr(generator, self.method)(*args, **({"endpoint": True} if self.closed else {}))


# Those whose methods the functions of numpy.random and random are, whatever a program has put in the functions' places since.
SHARED: dict[str, Any] = {"RandomState": getattr(np.random.mtrand, "_rand", None), "Random": getattr(random, "_inst", None)}


def bit_generator_of(owner: Any) -> Any:
    """What a Generator or RandomState draws from; None of Python's own random.Random."""
    if isinstance(owner, random.Random):
        return None
    return owner.bit_generator if hasattr(owner, "bit_generator") else owner._bit_generator


def is_scale(x: float) -> bool:
    """Whether it is a number from 0.0 on, which -0.0 is not."""
    return x >= 0.0 and math.copysign(1.0, x) > 0.0


def _is_range(low: float, high: float) -> bool:
    return math.isfinite(high - low) and is_scale(high - low)


_FAR = 2**63
_RANGES = ((0, 0), (-3, 3), (5, 105), (0, 2**31), (-1, 2**32 - 2), (0, 2**32 - 1), (7, 2**32 + 7), (0, 2**40), (-(2**62), 2**62), (-_FAR, _FAR - 2))
_SCALES = ((1.0,), (0.0,), (2.5,), (1e300,), (5e-324,), (math.inf,))

_UNIFORMS = ((0.0, 1.0), (-2.5, 3.25), (1.0, 1.0), (-1e300, 1e-300), (0.1, 0.7))
_BELOW = tuple((low, high + 1) for low, high in _RANGES)

DRAWS: dict[str, Draw] = {
    "random": Draw("random"),
    "standard_normal": Draw("standard_normal"),
    "standard_exponential": Draw("standard_exponential"),
    "uniform": Draw("uniform", (FLOAT, FLOAT), fits=_is_range, samples=_UNIFORMS),
    "normal": Draw(
        "normal", (FLOAT, FLOAT), fits=lambda loc, scale: is_scale(scale), samples=tuple((loc, *s) for s in _SCALES for loc in (0.0, -1.7, 1e16))
    ),
    "exponential": Draw("exponential", (FLOAT,), fits=is_scale, samples=_SCALES),
    "integers": Draw("integers", (INT, INT), Np("int64"), lambda low, high: low < high, _BELOW),
    "integers_closed": Draw(
        "integers", (INT, INT), Np("int64"), lambda low, high: low <= high, (*_RANGES, (-_FAR, _FAR - 1)), closed=True
    ),
    "python_random": Draw("random", owner="Random"),
    "python_bits": Draw("getrandbits", (INT,), INT, lambda k: 0 <= k <= 63, tuple((k,) for k in (0, 1, 31, 32, 33, 63)), owner="Random"),
    "legacy_random": Draw("random_sample", owner="RandomState"),
    "legacy_uniform": Draw("uniform", (FLOAT, FLOAT), fits=_is_range, samples=_UNIFORMS, owner="RandomState"),
    "legacy_randint": Draw("randint", (INT, INT), INT, lambda low, high: low < high, _BELOW, owner="RandomState", masked=True),
}
