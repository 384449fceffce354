"""What ``array ** x`` does: NumPy takes a quicker ufunc for some exponents. Which, this NumPy is asked."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ground.names import is_one_of
from ..ir.ufuncs import function
from .values import Abstract, ArrayValue, Known

# Exponents that some version of NumPy treats apart, and what it may take for them.
_SPECIAL = {-1: ("reciprocal", "power_-1"), 0: (), 0.5: ("sqrt",), 1: ("positive",), 2: ("square", "power_2")}


def ufunc_of(base: Abstract, exponent: Abstract) -> str | None:
    """The name of the ufunc that ``base ** exponent`` applies to both operands, or when it is not "power" to the base; None where it
    is not known."""
    if isinstance(exponent, ArrayValue):
        return "power" if exponent.dims else None
    if not isinstance(exponent, Known) or not isinstance(base, ArrayValue) or not is_one_of(type(exponent.value), (int, float)):
        return None
    if exponent.value not in _SPECIAL:
        return "power"
    return _taken(base.type.name, exponent.value, type(exponent.value).__name__)


@functools.cache
def _taken(dtype: str, exponent: float, kind: str) -> str | None:
    """The one that gives this NumPy's bits and warnings. ``kind``: of the exponent: 2 and 2.0 are the same to a cache."""
    array = np.linspace(-60, 60, 3001).astype(dtype)
    if dtype[0] in "fc":
        limits = np.finfo(dtype)
        array = np.append(array, np.array([-0.0, limits.tiny, limits.max / 2, np.inf, -np.inf, np.nan], dtype))
    found = _seen(lambda: array**exponent)
    for name in _SPECIAL[exponent]:
        if found is not None and found == _seen(functools.partial(function(name), array)):
            return name
    return None


def _seen(compute: Callable[[], Any]) -> tuple[np.dtype[Any], bytes, list[str]] | None:
    """The type and the bits of what is computed, and what was warned of; None where it raises."""
    with np.errstate(all="warn", under="ignore"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = compute()
        except (TypeError, ValueError, OverflowError):
            return None
    return result.dtype, result.tobytes(), [str(warning.message) for warning in caught]
