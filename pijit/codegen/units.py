"""Code that drivers call by name and that is not theirs: kernels, and the inner loops of NumPy's ufuncs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.kernel import Kernel
from . import engine, symbols
from .rows import Unsupported

# Offsets in PyUFuncObject (public ABI, 64-bit): the arrays of loops and of their data.
_FUNCTIONS, _DATA = 32, 40


@dataclass(frozen=True, slots=True)
class Unit:
    """``load`` makes the symbol known and gives what must be kept; ``data``: the symbol of a loop's data, if it has some."""

    symbol: str
    load: Callable[[bool], Any]
    data: str = ""


def kernel_unit(kernel: Kernel) -> Unit:
    from . import kernels

    name, text = kernels.kernel_ir(kernel)

    def load(use_cache: bool) -> Any:
        machine = engine.build(text, name, use_cache)
        symbols.register({name: machine.address})
        return machine.library

    return Unit(name, load)


def loop_unit(ufunc: str, dtypes: tuple[str, ...]) -> Unit:
    """The loop of exactly these dtypes."""
    function = getattr(np, ufunc, None)
    chars = [np.dtype(name).char for name in dtypes]
    signature = f"{''.join(chars[:-1])}->{chars[-1]}"
    if not isinstance(function, np.ufunc) or function.nout != 1 or signature not in function.types:
        raise Unsupported(f"np.{ufunc} on {signature}")
    number = function.types.index(signature)
    name = f"pj_u_{ufunc}_{''.join(chars)}"
    address, data = (_pointer(id(function) + offset, number) for offset in (_FUNCTIONS, _DATA))
    addresses = {name: address} | ({name + "_data": data} if data else {})

    def load(use_cache: bool) -> Any:
        symbols.register(addresses)
        return function

    return Unit(name, load, name + "_data" if data else "")


def _pointer(where: int, number: int) -> int:
    array = ctypes.c_void_p.from_address(where).value
    return ctypes.c_void_p.from_address(array + 8 * number).value or 0 if array else 0
