"""Whether this machine's code gives NumPy's bits: every scalar loop and cast against NumPy's own inner loops, and libm against `math`.

What machine code cannot do exactly it reports through a floating-point flag, and NumPy does it again: such elements do not count.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..ir.evaluate import elementwise
from ..ir.kernel import Kernel, Operand, Step
from ..ir.ufuncs import function
from . import engine, kernels
from . import llvm_ir as ir
from .scalars import CASTS, SUPPORTED

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
_TROUBLE = 1 | 2 | 8 | kernels.TROUBLE  # divide, overflow, invalid
_ORDINARY = 67  # values of each dtype beside the special ones: vectors and a rest


class Case(NamedTuple):
    """One loop."""

    ufunc: str
    dtype: str
    result: str
    arity: int

    @property
    def name(self) -> str:
        return f"{self.ufunc} {self.dtype}" + (f" -> {self.result}" if self.ufunc == "cast" else "")

    @property
    def kernel(self) -> Kernel:
        stride = np.dtype(self.dtype).itemsize
        operands = (Operand(self.dtype, (stride,)),) * self.arity
        return Kernel(1, operands, (Step(self.ufunc, tuple(range(self.arity)), self.result),), (self.arity,))


def cases() -> Iterator[Case]:
    """Every row of the table, aliases left out."""
    for ufunc, dtype in sorted(SUPPORTED):
        loops = function(ufunc)
        if isinstance(loops, np.ufunc) and loops.__name__ == ufunc:
            result = loops.resolve_dtypes((*[np.dtype(dtype)] * loops.nin, None))[-1].name
            yield Case(ufunc, dtype, result, loops.nin)
    for old, new in sorted(CASTS):
        yield Case("cast", old, new, 1)


def loops() -> tuple[int, list[str]]:
    """How many loops were compared, and those that differ."""
    every = list(cases())
    module = ir.Module("pijit_selftest")
    for kernel in dict.fromkeys(case.kernel for case in every):
        kernels.define(module, kernel)
    start = ir.Function(module, ir.FunctionType(ir.VoidType(), []), "pj_selftest")
    ir.IRBuilder(start.append_basic_block()).ret_void()
    library = engine.build(str(module), "pj_selftest").library  # 20 s for the first time, then from the cache
    flags = Flags()
    return len(every), [case.name for case in every if not agrees(case, library, flags)]


class Flags:
    """The floating-point flags, through the helpers that machine code uses."""

    def __init__(self) -> None:
        from pijit import _native

        symbols = _native.symbols()
        self.clear: Any = ctypes.CFUNCTYPE(None)(symbols["pj_fp_clear"])
        self.get = ctypes.CFUNCTYPE(ctypes.c_int64)(symbols["pj_fp_get"])


def agrees(case: Case, library: Any, flags: Flags) -> bool:
    """All pairs of values at once; what differs is done again alone, to see whether it asked for NumPy."""
    function = _FUNCTION(library.address_of(kernels.symbol(case.kernel)))
    operands = [np.ascontiguousarray(v.ravel()) for v in np.meshgrid(*[values(case.dtype)] * case.arity)]
    with np.errstate(all="ignore"):
        expected = np.asarray(elementwise(case.ufunc, operands, np.dtype(case.result).name))
    got, _ = run(case, function, operands)
    for i in np.flatnonzero(~same(expected, got)):
        flags.clear()
        alone, status = run(case, function, [v[i : i + 1].copy() for v in operands])
        if not (flags.get() | status) & _TROUBLE and not same(expected[i : i + 1], alone).all():
            return False
    return True


def run(case: Case, function: Any, operands: list[Any]) -> tuple[Any, int]:
    """The kernel's output and what it returns."""
    output = np.empty(operands[0].shape, case.result)
    values: dict[str, Any] = {"dim": lambda n: output.size, "pointer": lambda n: operands[n].ctypes.data, "output": lambda n: output.ctypes.data}
    words: Any = np.array([values[kind](number) for kind, number, _ in case.kernel.words()], np.int64)
    status = function(0, output.size, words.ctypes.data)
    return output, status


def same(a: Any, b: Any) -> Any:
    """Element by element: the same bits, or both NaN."""
    if a.dtype.kind == "c":
        return same(a.real, b.real) & same(a.imag, b.imag)
    if a.dtype.kind == "f":
        return (a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)
    return a == b


def values(dtype: str) -> Any:
    """Special values and ordinary ones, always the same."""
    kind, rng = np.dtype(dtype).kind, np.random.default_rng(1)
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        special = [v for v in (info.min, info.min + 1, -2, -1, 0, 1, 2, 3, 7, info.bits - 1, info.max - 1, info.max) if v >= info.min]
        return np.concatenate([np.array(special, dtype), rng.integers(info.min, info.max, _ORDINARY, dtype, endpoint=True)])
    if kind == "c":
        half = values("float32" if dtype == "complex64" else "float64")[::4]
        with np.errstate(invalid="ignore"):  # 1j * inf
            return (half[:, None] + 1j * half[None, ::2]).ravel().astype(dtype)[:: 3 if half.size > 20 else 1]
    limits = np.finfo(dtype)
    positive: list[float] = [0.0, 0.5, 1.0, 1.5, 2.5, 1e10, 2.0**31, 2.0**52 + 1, np.inf]
    positive += [float(v) for v in (limits.max, limits.tiny, limits.smallest_subnormal)]
    return np.array([*positive, *(-v for v in positive), np.nan, *(rng.standard_normal(_ORDINARY) * 100)], dtype)


# ---- libm --------------------------------------------------------------------------------------------------------------

# Helpers that `math` itself does not show under that name, that take something else than floats, or (hypot) that `math` does otherwise.
_NOT_PLAIN = frozenset({"hypot", "ldexp", "fma", "round", "floor", "ceil", "trunc", "tgamma", "lgamma"})
_TWO = frozenset({"atan2", "copysign", "fmod", "nextafter", "pow", "remainder"})


def libm() -> tuple[int, list[str]]:
    """How many helpers were compared with the functions of `math`, and those that differ."""
    from pijit import _native

    wrong, count = [], 0
    numbers = [float(x) for x in values("float64")]
    for symbol, address in sorted(_native.symbols().items()):
        name = symbol.removeprefix("pj_m_")
        python = getattr(math, name, None)
        if name == symbol or python is None or name in _NOT_PLAIN:
            continue
        count += 1
        arity = 2 if name in _TWO else 1
        helper = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * arity)(address)
        pairs = [(x,) for x in numbers] if arity == 1 else [(x, y) for x in numbers for y in numbers[::3]]
        if not all(map(equal(helper, python), pairs)):
            wrong.append(f"math.{name}")
    return count, wrong


def equal(helper: Any, python: Any) -> Any:
    """Compares on some arguments; where `math` raises there is nothing to compare."""

    def compare(arguments: tuple[float, ...]) -> bool:
        try:
            expected = python(*arguments)
        except (ValueError, OverflowError):
            return True
        return bool(same(np.float64(expected), np.float64(helper(*arguments))))

    return compare
