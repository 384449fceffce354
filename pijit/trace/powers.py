"""What ``array ** x`` does: NumPy takes a quicker ufunc for some exponents. Which, this NumPy is asked."""

from __future__ import annotations

import functools
import warnings

import numpy as np

from .values import Abstract, ArrayValue, Known

# Exponents that some version of NumPy treats apart, and what it may take for them.
_SPECIAL = {-1: "reciprocal", 0: "", 0.5: "sqrt", 1: "positive", 2: "square"}


def ufunc_of(base: Abstract, exponent: Abstract) -> str | None:
    """The name of the ufunc that ``base ** exponent`` applies to both operands, or when it is not "power" to the base; None where it
    is not known."""
    if isinstance(exponent, ArrayValue):
        return "power" if exponent.dims else None
    if not isinstance(exponent, Known) or not isinstance(base, ArrayValue) or type(exponent.value) not in (int, float):
        return None
    if exponent.value not in _SPECIAL:
        return "power"
    name = _SPECIAL[exponent.value]
    return name if name and _is(name, base.type.name, exponent.value, type(exponent.value).__name__) else None


@functools.cache
def _is(ufunc: str, dtype: str, exponent: float, kind: str) -> bool:
    """Whether this NumPy gives the ufunc's bits. ``kind``: of the exponent: 2 and 2.0 are the same to a cache."""
    function = getattr(np, ufunc)
    values = np.concatenate([np.linspace(-3, 3, 3001), [-0.0, 1e-300, 1e300] if dtype[0] in "fc" else [0]])
    if dtype[0] in "fc":
        values = np.append(values, [np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = (values * 20).astype(dtype)
        try:
            one, other = array**exponent, function(array)
        except (TypeError, ValueError, OverflowError):
            return False
    return bool(one.dtype == other.dtype and one.tobytes() == other.tobytes())
