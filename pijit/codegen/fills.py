"""A new array of one value that the next kernel to wait changes: filling it waits too, and is done strip by strip with what changes it."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.kernel import Kernel, Operand, Store
from ..ir.types import Array
from . import stores, units
from . import words as memory
from .assign import fill
from .kernels import declared
from .llvm import I64, call, i64

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ir.graph import Op
    from .arrays import ArrayValue
    from .driver import Driver

_LARGE = 32768  # bytes: what is smaller does not wait (csrc/backlog.c)


def fill_later(d: Driver, op: Op, array: ArrayValue, value: Any) -> None:
    """Fills the array, now or with the kernels that follow."""
    b, type = d.builder, op.result.type
    assert isinstance(type, Array)
    itemsize = type.dtype.itemsize
    large = b.icmp_signed(">=", reduce(b.mul, array.dims, i64(itemsize)), i64(_LARGE))
    with b.if_else(large) as (later, now):
        with later:
            kernel = Kernel(type.ndim, (Operand(type.name, None),), (), (), Store(0, (*[None] * (type.ndim - 1), itemsize)))
            scalar = memory.pack(d, op.args[type.ndim].type, value)
            make: dict[str, Callable[[int, int], Any]] = {
                "dim": lambda axis, _: array.dims[axis],
                "scalar": lambda _, half: scalar[half],
                "store": lambda *_: b.ptrtoint(array.data, I64),
                "store_stride": lambda _, axis: array.steps[axis],
            }
            p = stores.in_words(d, [make[what](first, second) for what, first, second in kernel.words()], stores.RESULT)
            function = declared(d.module, d.unit(units.kernel_unit(kernel)))
            plan = stores.constants(d, stores.plan(kernel, 0, True, 1))
            # raises nothing, so nobody will be asked to do the rest
            call(b, "pj_kernel_later", I64, d.W, *(b.ptrtoint(pointer, I64) for pointer in (function, p, plan)), i64(0), i64(0), i64(0))
        with now:
            fill(d, array, value)
