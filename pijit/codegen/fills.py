"""A new array of one value, or a copy of another one, that the next kernel to wait changes: filling it waits too, and is done strip by strip with
what changes it."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.kernel import Kernel, Operand, Store
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

Words = dict[str, "Callable[[int, int], Any]"]


def fill_later(d: Driver, op: Op, array: ArrayValue, value: Any) -> None:
    """Fills the array, now or with the kernels that follow."""
    with d.builder.if_else(_is_large(d, array)) as (later, now):
        with later:
            scalar = memory.pack(d, op.args[array.type.ndim].type, value)
            _store_later(d, array, Operand(array.type.name, None), {"scalar": lambda _, half: scalar[half]})
        with now:
            fill(d, array, value)


def copy_later(d: Driver, array: ArrayValue, source: ArrayValue, copy_now: Callable[[], None]) -> None:
    """Copies the elements of the source, which is C-contiguous, into the new array, now or with the kernels that follow."""
    b = d.builder
    with b.if_else(_is_large(d, array)) as (later, now):
        with later:
            words: Words = {"pointer": lambda *_: b.ptrtoint(source.data, I64), "stride": lambda _, axis: source.steps[axis]}
            _store_later(d, array, Operand(array.type.name, _strides(array)), words)
        with now:
            copy_now()


def _is_large(d: Driver, array: ArrayValue) -> Any:
    size = reduce(d.builder.mul, array.dims, i64(array.type.dtype.itemsize))
    return d.builder.icmp_signed(">=", size, i64(_LARGE))


def _strides(array: ArrayValue) -> tuple[int | None, ...]:
    return (*[None] * (array.type.ndim - 1), array.type.dtype.itemsize)


def _store_later(d: Driver, array: ArrayValue, operand: Operand, words: Words) -> None:
    b = d.builder
    kernel = Kernel(array.type.ndim, (operand,), (), (), Store(0, _strides(array)))
    make: Words = words | {
        "dim": lambda axis, _: array.dims[axis],
        "store": lambda *_: b.ptrtoint(array.data, I64),
        "store_stride": lambda _, axis: array.steps[axis],
    }
    p = stores.in_words(d, [make[what](first, second) for what, first, second in kernel.words()], stores.RESULT)
    function = declared(d.module, d.unit(units.kernel_unit(kernel)))
    plan = stores.constants(d, stores.plan(kernel, 0, True, 1))
    # raises nothing, so nobody will be asked to do the rest
    call(b, "pj_kernel_later", I64, d.W, *(b.ptrtoint(pointer, I64) for pointer in (function, p, plan)), i64(0), i64(0), i64(0))
