"""Products of complex numbers in arrays: whether NumPy's loops round each product of halves, or fuse one of the two with what is added to it, as
they do where the processor can. That is found out by comparing, for every way in which a loop may go through its operands.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.types import HALVES

if TYPE_CHECKING:
    from .scalars import Emitter

ROWS = frozenset((ufunc, dtype) for ufunc in ("multiply", "square") for dtype in HALVES)  # not of NumPy's scalars, which round each product
_LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 35)  # vectors of any width, and a rest


def known(ufunc: str, dtype: str) -> bool:
    """Whether there is a formula."""
    return _fuses(ufunc, dtype) is not None


def multiply(e: Emitter, dtype: str, a: Any, b: Any) -> tuple[Any, Any]:
    """The formula of `np.multiply`."""
    return _product(e, a, b, fused=_fuses("multiply", dtype))


def square(e: Emitter, dtype: str, a: Any) -> tuple[Any, Any]:
    """The formula of `np.square`."""
    return _product(e, a, a, fused=_fuses("square", dtype))


def _product(e: Emitter, a: Any, b: Any, fused: bool | None) -> tuple[Any, Any]:
    builder = e.builder
    inner, outer = builder.fmul(a[1], b[1]), builder.fmul(a[1], b[0])
    if fused:
        return e.call("llvm.fma", a[0], b[0], builder.fneg(inner)), e.call("llvm.fma", a[0], b[1], outer)
    return builder.fsub(builder.fmul(a[0], b[0]), inner), builder.fadd(builder.fmul(a[0], b[1]), outer)


@functools.cache
def _fuses(ufunc: str, dtype: str) -> bool | None:
    """Whether the loop fuses the products with the first operand's real part; None where it does something else, or it depends."""
    half = np.dtype(HALVES[dtype])
    bits = np.finfo(half).nmant // 2 + 1
    e = 2.0**-bits
    x = 1 + e  # whose square is not a number of this type
    rounded = 1 + 2 * e
    # (x + xi) * (x + yi), where what is added to a product is rounded
    for fused in (True, False):
        rest = e * e if fused else 0.0
        products = [((x, x), (x, x), (rest, 2 * rounded)), ((x, -x), (x, x), (2 * rounded, rest)), ((x, x), (x, -x), (2 * rounded, -rest))]
        if all(_gives(ufunc, dtype, complex(*a), complex(*b), complex(*c)) for a, b, c in products if ufunc == "multiply" or a == b):
            return fused
    return None


def _gives(ufunc: str, dtype: str, a: complex, b: complex, expected: complex) -> bool:
    function = getattr(np, ufunc)
    return all(bool((function(*given[: function.nin]) == expected).all()) for given in _layouts(dtype, a, b)) and all(
        bool((function(*given[: function.nin], out=out) == expected).all()) for given, out in _targets(dtype, a, b)
    )


def _layouts(dtype: str, a: complex, b: complex) -> Iterator[tuple[Any, Any]]:
    for n in _LENGTHS:
        for first in _ways(np.full(n, a, dtype)):
            for second in _ways(np.full(n, b, dtype)):
                yield first, second


def _ways(values: Any) -> list[Any]:
    """The same elements, as they may lie in memory."""
    unaligned = np.frombuffer(bytearray(4) + values.tobytes(), values.dtype, values.size, 4)
    return [values, values.repeat(3)[1::3], values[::-1], np.broadcast_to(values[:1], values.shape), unaligned]


def _targets(dtype: str, a: complex, b: complex) -> Iterator[tuple[tuple[Any, Any], Any]]:
    for n in _LENGTHS[1:]:  # one element into an array that is there is done in another way: trace/elementwise.assign_result
        x, y = np.full(n, a, dtype), np.full(n, b, dtype)
        yield (x, y), np.empty((n, 2), dtype)[:, 0]
        yield (x, y), np.empty(n, dtype)[::-1]
        for place in (0, 1):
            again = (x.copy(), y.copy())
            yield again, again[place]
