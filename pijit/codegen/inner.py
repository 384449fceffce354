"""NumPy's own inner loops: where they are, and whether calling one tile by tile gives what one whole call gives.

Code refers to a loop by name (``pj_u_<ufunc>_<types>``, and ``..._data`` for its data pointer), never by address.
"""

from __future__ import annotations

import ctypes
import functools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from pijit.ground.records import dataclass

from ..ir import ufuncs
from ..ir.types import NATIVE
from . import symbols

# Offsets in PyUFuncObject (public ABI, 64-bit): the arrays of loops and of their data.
_FUNCTIONS, _DATA = 32, 40
_FUNCTION = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 4)
_N = 1100
_TILES = (1024, 1, 7, 68)
# Loops that take a repeated operand (a step of 0) for a reason to compute in another way.
LOOKS_AT_STEPS = frozenset({"power", "float_power", "clip"})


@dataclass(frozen=True, slots=True)
class Loop:
    """``data``: 0 where the loop has none."""

    ufunc: np.ufunc
    name: str
    address: int
    data: int

    def register(self) -> None:
        """Makes the names known."""
        symbols.register({self.name: self.address} | ({self.data_name: self.data} if self.data else {}))

    @property
    def data_name(self) -> str:
        """The name of the data."""
        return f"{self.name}_data"


@functools.cache
def find(ufunc: str, dtypes: tuple[str, ...]) -> Loop | None:
    """The loop of exactly these dtypes: those of the operands, then the result's."""
    return _find(ufunc, dtypes, core=False)


@functools.cache
def find_core(ufunc: str, dtypes: tuple[str, ...]) -> Loop | None:
    """The same of a ufunc on whole axes, such as matmul."""
    return _find(ufunc, dtypes, core=True)


def _find(ufunc: str, dtypes: tuple[str, ...], core: bool) -> Loop | None:
    function = ufuncs.function(ufunc)
    if not isinstance(function, np.ufunc) or function.nout != 1 or bool(function.signature) != core or not NATIVE.issuperset(dtypes):
        return None
    chars = [np.dtype(name).char for name in dtypes]
    signature = f"{''.join(chars[:-1])}->{chars[-1]}"
    if signature not in function.types:
        return None
    number = function.types.index(signature)
    address, data = (_pointer(id(function) + offset, number) for offset in (_FUNCTIONS, _DATA))
    return Loop(function, f"pj_u_{ufunc}_{''.join(chars)}", address, data) if address else None


@functools.cache
def place(ufunc: str, operands: tuple[str, ...]) -> tuple[int, int] | None:
    """Where the ufunc keeps its loop for operands of these dtypes, and the loop that was there at the first look. C code may put another
    in its place at any time (PyUFunc_ReplaceLoopBySignature)."""
    function = ufuncs.function(ufuncs.computed(ufunc))
    if not isinstance(function, np.ufunc) or not NATIVE.issuperset(operands):
        return None
    start = "".join(np.dtype(name).char for name in operands) + "->"
    number = next((n for n, signature in enumerate(function.types) if signature.startswith(start)), None)
    array = _at(id(function) + _FUNCTIONS)
    if number is None or not array:
        return None
    return array + 8 * number, _at(array + 8 * number)


def is_replaced(place: tuple[int, int]) -> bool:
    """Whether another loop is there now."""
    return _at(place[0]) != place[1]


def _at(address: int) -> int:
    return ctypes.c_void_p.from_address(address).value or 0


def _pointer(where: int, number: int) -> int:
    array = _at(where)
    return _at(array + 8 * number) if array else 0


@functools.cache
def usable(ufunc: str, dtypes: tuple[str, ...]) -> bool:
    """Whether kernels may call the loop."""
    if ufunc == "power" and dtypes[-1][0] in "iu":
        return False  # raises by itself
    loop = find(ufunc, dtypes)
    return loop is not None and _same_in_tiles(loop, dtypes)


def _same_in_tiles(loop: Loop, dtypes: tuple[str, ...]) -> bool:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return all(
            equal(loop.ufunc(*whole), _tiled(loop, tiles, dtypes[-1]))
            for whole, tiles in _layouts([samples(name, seed) for seed, name in enumerate(dtypes[:-1])], loop)
        )


def _layouts(samples: list[Any], loop: Loop) -> Iterator[tuple[list[Any], list[Any]]]:
    """Operands for NumPy and the same for the tiles: contiguous; with gaps; one repeated; one whole for NumPy, repeated in tiles."""
    plain = [a[:_N] for a in samples]
    yield plain, plain
    gaps = [a[1::3][:_N] for a in samples]
    yield gaps, gaps
    for which in range(len(samples) if len(samples) > 1 else 0):
        one = [np.broadcast_to(samples[which][5], _N) if i == which else a for i, a in enumerate(plain)]
        yield one, one
        if loop.ufunc.__name__ not in LOOKS_AT_STEPS:
            yield [np.ascontiguousarray(a) for a in one], one


def _tiled(loop: Loop, values: list[Any], dtype: str) -> Any:
    result = np.empty(_N, dtype)
    arrays = [*values, result]
    first = 0
    for length in _TILES:
        run(loop, [a[first : first + length] for a in arrays])
        first += length
    return result


def run(loop: Loop, arrays: list[Any]) -> None:
    """One call of the loop, on vectors: its operands, then what it writes into."""
    places = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    steps = (ctypes.c_int64 * len(arrays))(*(a.strides[0] for a in arrays))
    count = ctypes.c_int64(len(arrays[0]))
    _FUNCTION(loop.address)(ctypes.addressof(places), ctypes.addressof(count), ctypes.addressof(steps), loop.data or None)


def equal(a: Any, b: Any) -> bool:
    """The same bits, every NaN the same."""
    if a.dtype != b.dtype:
        return False
    if a.dtype.kind == "c":
        return equal(np.ascontiguousarray(a.real), np.ascontiguousarray(b.real)) and equal(
            np.ascontiguousarray(a.imag), np.ascontiguousarray(b.imag)
        )
    if a.dtype.kind == "f":
        return bool(np.all((a == b) & (np.signbit(a) == np.signbit(b)) | (a != a) & (b != b)))
    return bool(np.array_equal(a, b))


def samples(dtype: str, seed: int) -> Any:
    """Ordinary and special values, three times as many as are used at once."""
    rng, n = np.random.default_rng(seed), 3 * _N + 2
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(n) < 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, n, dtype, endpoint=True)
        values[::2] %= 50
        return values
    values = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 3, n)
    values[::17] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e300, 1e-300, 0.5], len(values[::17]))
    values[5] = 2.0
    if kind == "c":
        values = values + 1j * rng.standard_normal(n)
    return values.astype(dtype)
