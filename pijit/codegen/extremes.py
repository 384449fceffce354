"""Where the largest or smallest element is: the function of the dtype that NumPy's argmax and argmin call, with a self-test before its first use."""

from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from ..ir.types import Array
from . import inner
from . import llvm_ir as ir
from .arrays import ArrayValue, load_element
from .ints import ONE, ZERO
from .llvm import call, i64
from .rows import row
from .whole import new_array, size

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver

_HELPER = "pj_arg_extreme"
_LENGTHS = (1, 2, 7, 33, 130)


@functools.cache
def usable(dtype: str) -> bool:
    """Whether the function gives what NumPy does."""
    address = _native.symbols()[_HELPER]
    function = ctypes.PYFUNCTYPE(None, *[ctypes.c_int64] * 2, ctypes.c_void_p, *[ctypes.c_int64] * 2, ctypes.c_void_p)(address)

    def same(rows: Any, largest: bool) -> bool:
        places = np.full(len(rows), -1, np.int64)
        function(rows.dtype.num, largest, rows.ctypes.data, *rows.shape, places.ctypes.data)
        return bool((places == (np.argmax if largest else np.argmin)(rows, axis=1)).all())

    with np.errstate(all="ignore"):
        samples = [np.ascontiguousarray(np.resize(inner.samples(dtype, seed), (3, n))) for seed, n in enumerate(_LENGTHS)]
        return all(same(rows, largest) for rows in samples for largest in (True, False))


@row("arg_extreme")
def _arg_extreme(d: Driver, op: Op) -> Any:
    b, array, result = d.builder, d.array(op.args[0]), op.result.type
    rows, n = (size(b, array.dims[:-1]), array.dims[-1]) if isinstance(result, Array) else (ONE, size(b, array.dims))
    d.exit_if(op, b.icmp_signed("==", b.mul(rows, n), ZERO))
    made: list[ArrayValue] = []
    if isinstance(result, Array):
        made.append(new_array(d, op, op.result, array.dims[:-1], made))
    place = made[0].data if made else d.stack(1)
    numbers = i64(array.type.dtype.num), i64(op.attrs["largest"])
    call(b, _HELPER, ir.VoidType(), *numbers, array.data, rows, n, place)
    return made[0] if made else load_element(d, place, "int64")
