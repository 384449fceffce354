"""Compiles kernels and runs them on arrays, with the floating-point flags that they raise."""

from __future__ import annotations

import ctypes
import struct
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from pijit.codegen import engine
from pijit.codegen import llvm_ir as ir
from pijit.codegen.kernels import TROUBLE, define, symbol
from pijit.ir.kernel import Kernel, Operand, Step

_libm = ctypes.CDLL("libm.so.6")
FLAGS = 4 | 8 | 1  # divide, overflow, invalid, as fenv.h has them on x86
STATUS = 1 | 2 | 8 | TROUBLE  # the same as NumPy has them
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


@cache
def compiled(kernel: Kernel) -> tuple[Any, engine.Machine]:
    module = ir.Module(symbol(kernel))
    define(module, kernel)
    machine = engine.build(str(module), symbol(kernel))
    return _FUNCTION(machine.address), machine


def scalar_word(scalar: Any, half: int) -> int:
    raw = scalar.tobytes()[8 * half : 8 * half + 8].ljust(8, b"\0")
    return struct.unpack("q", raw)[0]


@cache
def flag_functions() -> Any:
    return _libm.feclearexcept, _libm.fetestexcept


def call(kernel: Kernel, dims: tuple[int, ...], values: list[Any], pieces: int = 1) -> tuple[list[np.ndarray], int]:
    """The outputs, and the flags or what the kernel returned."""
    function, _ = compiled(kernel)
    outputs = [np.empty(dims, kernel.dtype(reference)) for reference in kernel.outputs]
    for output in outputs:
        output.view(np.uint8).reshape(-1)[...] = 0xAA if output.size else 0
    words = []
    for kind, number, extra in kernel.words():
        match kind:
            case "dim":
                words.append(dims[number])
            case "pointer":
                words.append(values[number].ctypes.data)
            case "stride":
                words.append(values[number].strides[extra])
            case "scalar":
                words.append(scalar_word(values[number], extra))
            case "output":
                words.append(outputs[number].ctypes.data)
    p = np.array(words, np.int64)
    address = p.ctypes.data
    clear, test = flag_functions()
    edges = [dims[0] * i // pieces for i in range(pieces + 1)]
    clear(FLAGS)
    status = 0
    for low, high in pairwise(edges):
        status |= function(low, high, address) & STATUS
    return outputs, test(FLAGS) | status


def operand(value: Any, constant: bool = True) -> Operand:
    """The description of a value: unit strides as constants if asked for."""
    if not isinstance(value, np.ndarray):
        return Operand(value.dtype.name, None)
    strides = tuple(s if constant and s in (0, value.itemsize) else None for s in value.strides)
    return Operand(value.dtype.name, strides)


def single(ufunc: str, values: list[Any], dtype: str, constant: bool = True) -> Kernel:
    ndim = max(value.ndim for value in values)
    n = len(values)
    return Kernel(ndim, tuple(operand(v, constant) for v in values), (Step(ufunc, tuple(range(n)), dtype),), (n,))
