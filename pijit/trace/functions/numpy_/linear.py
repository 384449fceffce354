"""np.dot and its relatives, and norms, where they are products that native code makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ... import elementwise, opaque, operators, products
from ...values import Abstract, ArrayValue
from ..rows import row
from .arrays import contiguous, length

if TYPE_CHECKING:
    from ...tracer import Tracer

_VECTORS = (np.inner, np.vdot)  # which go through matrices in another way


def _enter(function: object, name: str) -> None:
    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        made = None
        if len(args) == 2 and not kwargs:
            vectors = all(isinstance(a, ArrayValue) and len(a.dims) == 1 for a in args)
            made = products.dot(t, name, *args) if vectors or function not in _VECTORS else None
        return opaque.call_pure(t, function, args, kwargs) if made is None else made


for _function, _name in ((np.dot, "dot"), (np.ndarray.dot, "dot"), (np.inner, "dot"), (np.vdot, "vdot")):
    _enter(_function, _name)


def norm(t: Tracer, a: Abstract | None) -> Abstract | None:
    """np.linalg.norm: the square root of the product of all elements, in the order of memory, with themselves. None where it takes NumPy."""
    made = None
    if isinstance(a, ArrayValue) and a.dims and a.type.order == "C" and a.type.dtype.kind in "biuf":
        dtype = a.type.name if a.type.dtype.kind == "f" else "float64"
        if t.limits.dot(dtype) and elementwise.castable(t, [a], (np.dtype(dtype),)):
            vector = contiguous(t, elementwise.converted(t, a, dtype), (length(t, a.dims),))
            made = products.dot(t, "dot", vector, vector)
    return None if made is None else operators.numpy_scalars(t, "sqrt", np.sqrt, made)
