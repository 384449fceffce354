"""Products of two vectors: the function of the dtype that NumPy's matmul calls for them, without what matmul looks at before. A few elements that
lie one after the other are added here, in the order and with the rounding that the function is found to add them in.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from pijit.ground.records import dataclass

from . import emit, engine, scalars, symbols
from . import llvm_ir as ir
from .llvm import I64, PTR
from .units import Unit

_NAMES = {"float32": "pj_dot_f", "float64": "pj_dot_d"}  # NumPy's functions
_TYPES = {"float32": ctypes.c_float, "float64": ctypes.c_double}
_MOST = 31  # elements
_LENGTHS = (0, 1, 2, 5, 16, 31, 32, 47, 127, 1031)
_PLACES = 8  # at which vectors may begin, in elements: a cache line of the larger ones


@dataclass(frozen=True, slots=True)
class Way:
    """``fused``: a product is not rounded before it is added to those before it. ``few``: up to so many elements, added here."""

    fused: bool
    few: int


@functools.cache
def way(dtype: str) -> Way | None:
    """How to multiply vectors of the dtype; None where that gives something else than matmul."""
    emit.ready()  # registers the helpers
    if dtype not in _NAMES or symbols.unknown([_NAMES[dtype]]):
        return None
    with np.errstate(all="ignore"):
        ways = [Way(fused, _few(dtype, fused)) for fused in (True, False)]
        best = max(ways, key=lambda way: way.few)
        function = _callable(dtype, best.fused)
        return best if all(_same(a, b, function(a, b, best.few)) for a, b in _samples(dtype)) else None


def _few(dtype: str, fused: bool) -> int:
    """How many elements are added one after the other, wherever they lie and whatever they are."""
    rng, function = np.random.default_rng(9), _callable(dtype, fused)
    for n in range(_MOST + 1):
        for place in range(_PLACES):
            for make in (_cancelling, _cancelling, _cancelling, _special):
                a, b = make(rng, n + place, dtype)[:, place:], make(rng, n, dtype)[0]
                for other in (a[1], b):
                    if not _same(a[0], other, function(a[0], other, n)):
                        return max(n - 1, 0)
    return _MOST


def _cancelling(rng: Any, n: int, dtype: str) -> Any:
    """Two vectors whose product is nearly 0, from any place on: what is left are the errors of rounding, which tell one way from another."""
    a, b = rng.standard_normal((2, n))
    total = 0.0
    for i in range(n)[::-1]:
        if i % 3 == 0 and i + 1 < n:
            b[i] = -total / a[i]
        total += a[i] * b[i]
    return np.array([a, b], dtype)


def _samples(dtype: str) -> Iterator[tuple[Any, Any]]:
    """Vectors in every layout: contiguous, with gaps, turned round, of one element again and again, one with itself."""
    rng = np.random.default_rng(10)
    for n in _LENGTHS:
        for make in (_ordinary, _special):
            wide, other = make(rng, 3 * n + 9, dtype)
            layouts = [wide[:n], wide[1 : n + 1], wide[: 3 * n : 3], wide[n - 1 :: -1][:n], wide[3 * n : n : -2], np.broadcast_to(wide[5], n)]
            yield from ((a, b) for a in layouts for b in (other[:n], other[3 : 2 * n + 3 : 2], a) if len(a) == len(b) == n)


def _ordinary(rng: Any, n: int, dtype: str) -> Any:
    return (rng.standard_normal((2, n)) * 10.0 ** rng.integers(-3, 4, (2, n))).astype(dtype)


def _special(rng: Any, n: int, dtype: str) -> Any:
    values = _ordinary(rng, n, "float64")
    values[:, ::3] = rng.choice([0.0, -0.0, 1e-300, 1e30, np.inf, np.nan], values[:, ::3].shape)
    return values.astype(dtype)


def _same(a: Any, b: Any, product: float) -> bool:
    """The same bits, every NaN the same."""
    expected = a @ b
    return bool(expected.tobytes() == type(expected)(product).tobytes() or (expected != expected and product != product))


def _callable(dtype: str, fused: bool) -> Any:
    machine = _machine(dtype, fused)
    function = ctypes.CFUNCTYPE(_TYPES[dtype], *[ctypes.c_void_p, ctypes.c_int64] * 2, ctypes.c_int64, ctypes.c_int64)(machine.address)

    def product(a: Any, b: Any, few: int) -> float:
        made: float = function(a.ctypes.data, *a.strides, b.ctypes.data, *b.strides, len(a), few)
        return made

    return product


# ---- the code ----------------------------------------------------------------------------------------------------------


def unit(dtype: str, fused: bool) -> Unit:
    """``T product(T *a, i64 step of a, T *b, i64 step of b, i64 n, i64 few)``, steps in bytes."""
    name = _name(dtype, fused)

    def load(use_cache: bool) -> Any:
        machine = _machine(dtype, fused)
        symbols.register({name: machine.address})
        return machine.library

    return Unit(name, load)


def _name(dtype: str, fused: bool) -> str:
    return f"{_NAMES[dtype]}_{'fused' if fused else 'rounded'}"


@functools.cache
def _machine(dtype: str, fused: bool) -> engine.Machine:
    name = _name(dtype, fused)
    module = ir.Module(name)
    _define(module, name, dtype, fused)
    return engine.build(str(module), name)


def _define(module: ir.Module, name: str, dtype: str, fused: bool) -> None:
    type = scalars.llvm_type(dtype)
    function = ir.Function(module, ir.FunctionType(type, [PTR, I64, PTR, I64, I64, I64]), name)
    function.attributes.add("nounwind")
    a, a_step, b, b_step, n, few = function.args
    start, here, there = (function.append_basic_block() for _ in range(3))
    builder, size = ir.IRBuilder(start), I64(np.dtype(dtype).itemsize)
    close = builder.and_(builder.icmp_signed("==", a_step, size), builder.icmp_signed("==", b_step, size))
    builder.cbranch(builder.and_(close, builder.icmp_signed("<=", n, few)), here, there)
    _add_up(builder, here, (a, b), n, type, fused)
    builder.position_at_end(there)
    one = builder.icmp_signed("==", n, I64(1))
    steps = [builder.select(one, I64(0), step) for step in (a_step, b_step)]  # as matmul gives them
    place = builder.alloca(type)
    theirs = ir.Function(module, ir.FunctionType(ir.VoidType(), [PTR, I64, PTR, I64, PTR, I64, PTR]), _NAMES[dtype])
    builder.call(theirs, [a, steps[0], b, steps[1], place, n, PTR(None)])
    builder.ret(builder.load(place, typ=type))


def _add_up(builder: ir.IRBuilder, block: ir.Block, vectors: tuple[Any, Any], n: Any, type: ir.Type, fused: bool) -> None:
    """One product after the other, from 0."""
    head, body, done = block, builder.append_basic_block(), builder.append_basic_block()
    before = builder.block
    builder.position_at_end(head)
    index, total = builder.phi(I64), builder.phi(type)
    index.add_incoming(I64(0), before)
    total.add_incoming(type(0.0), before)
    builder.cbranch(builder.icmp_signed("<", index, n), body, done)
    builder.position_at_end(body)
    x, y = (builder.load(builder.gep(vector, [index], inbounds=True, source_etype=type), typ=type) for vector in vectors)
    more = scalars.Emitter(builder).call("llvm.fma", x, y, total) if fused else builder.fadd(total, builder.fmul(x, y))
    total.add_incoming(more, body)
    index.add_incoming(builder.add(index, I64(1), flags=("nsw",)), body)
    builder.branch(head)
    builder.position_at_end(done)
    builder.ret(total)
