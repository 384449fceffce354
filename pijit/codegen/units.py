"""Code that drivers call by name and that is not theirs: kernels, and the inner loops of NumPy's ufuncs."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir

from . import engine, symbols
from .rows import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ir.kernel import Kernel

# Offsets in PyUFuncObject (public ABI, 64-bit): the arrays of loops and of their data.
_FUNCTIONS, _DATA = 32, 40


@dataclass(frozen=True, slots=True)
class Unit:
    """``load`` makes the symbol known and gives what must be kept; ``data``: the symbol of a loop's data, if it has
    some."""

    symbol: str
    load: Callable[[bool], Any]
    data: str = ""


_kernels: dict[str, Any] = {}  # by symbol: compiled once per process


def kernel_unit(kernel: Kernel) -> Unit:
    """The machine code of a kernel."""
    from . import kernels

    name = kernels.symbol(kernel)

    def load(use_cache: bool) -> Any:
        if name not in _kernels:
            module = ir.Module(name)
            kernels.define(module, kernel)
            machine = engine.build(str(module), name, use_cache)
            symbols.register({name: machine.address})
            _kernels[name] = machine.library
        return _kernels[name]

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
