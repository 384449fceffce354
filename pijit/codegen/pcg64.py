"""Draws from PCG64, the stream of np.random.default_rng, without a call: one step of it, and of the ziggurats the way that nearly all draws go.

What is here is NumPy's (numpy/random/src/pcg64, distributions.c); it is compared with NumPy's before its first use, number and stream, on
both sides of the end of each of the ziggurats' layers. What is rare draws from the stream as it was, by NumPy's own function.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..ir.draws import DRAWS
from . import llvm_ir as ir
from . import symbols
from .llvm import F64, I8, I64, PTR, i64

if TYPE_CHECKING:
    from collections.abc import Callable

    from .driver import Driver

_WIDE = ir.IntType(128)
_MULTIPLIER = 2549297995355413924 << 64 | 4865540595714422341
_MASK = (1 << 128) - 1
_UNIT = 1.0 / (1 << 53)
_LAYERS = 256
_STATE = ("bit_generator", "state", "has_uint32", "uinteger")


class Ziggurat(NamedTuple):
    """Where in 64 random bits the layer, the place in it and the sign are; numba has copies of NumPy's tables by these names."""

    layer: int
    place: int
    bits: int
    sign: int | None
    widths: str
    ends: str

    def bits_of(self, layer: int, place: int) -> int:
        """Random bits that mean these."""
        return layer << self.layer | place << self.place


ZIGGURATS = {
    "standard_normal": Ziggurat(0, 9, 52, 8, "wi_double", "ki_double"),
    "standard_exponential": Ziggurat(3, 11, 53, None, "we_double", "ke_double"),
}

# Draw -> the one that it is a formula of, and that formula.
_FORMULAS: dict[str, tuple[str, Callable[[ir.IRBuilder, Any, list[Any]], Any]]] = {
    "random": ("random", lambda b, x, args: x),
    "standard_normal": ("standard_normal", lambda b, x, args: x),
    "standard_exponential": ("standard_exponential", lambda b, x, args: x),
    "uniform": ("random", lambda b, x, args: b.fadd(args[0], b.fmul(args[1], x))),
    "normal": ("standard_normal", lambda b, x, args: b.fadd(args[0], b.fmul(args[1], x))),
    "exponential": ("standard_exponential", lambda b, x, args: b.fmul(args[0], x)),
}


# ---- whether it is NumPy's --------------------------------------------------------------------------------------------------


@functools.cache
def usable(draw: str) -> bool:
    """Whether NumPy's PCG64 and what it makes of its bits are as they are here."""
    if draw not in _FORMULAS or sys.byteorder != "little":
        return False
    base = _FORMULAS[draw][0]
    try:
        return _steps_agree() and _formula_agrees(draw) and (base == "random" or _ziggurat_agrees(base))
    except (AttributeError, KeyError, OSError):
        return False


def _put(generator: Any, state: int, inc: int) -> None:
    generator.bit_generator.state = dict(zip(_STATE, ("PCG64", {"state": state, "inc": inc}, 0, 0), strict=True))


def _place(generator: Any) -> int:
    state: int = generator.bit_generator.state["state"]["state"]
    return state


def _step(state: int, inc: int) -> tuple[int, int]:
    """The next state, and its 64 bits."""
    state = (state * _MULTIPLIER + inc) & _MASK
    mixed, turn = (state >> 64 ^ state) & (1 << 64) - 1, state >> 122
    return state, (mixed >> turn | mixed << (64 - turn)) & (1 << 64) - 1


def _steps_agree() -> bool:
    from .streams import bitgen

    generator = np.random.Generator(np.random.PCG64(11))
    inner = generator.bit_generator.state["state"]
    state, inc = inner["state"], inner["inc"]
    words = ctypes.c_int64.from_address(ctypes.c_int64.from_address(bitgen(generator)).value).value
    for _ in range(50):
        if ctypes.string_at(words, 32) != state.to_bytes(16, "little") + inc.to_bytes(16, "little"):
            return False
        state, bits = _step(state, inc)
        if generator.random() != (bits >> 11) * _UNIT or _place(generator) != state:
            return False
    return True


def _formula_agrees(draw: str) -> bool:
    """Also when the compiler of NumPy's library made one operation of a product and a sum, where it may."""
    base, _ = _FORMULAS[draw]
    one, other = (np.random.Generator(np.random.PCG64(12)) for _ in range(2))
    for args in DRAWS[draw].samples * 8:
        x = getattr(other, base)()
        if draw in ("uniform", "normal"):
            x = args[0] + (args[1] - args[0] if draw == "uniform" else args[1]) * x
        elif args:
            x *= args[0]
        if repr(DRAWS[draw].of(one, *args)) != repr(x):
            return False
    return True


@functools.cache
def _table(base: str) -> Any:
    """Width and end of each layer, one after the other, from numba's copies alone: what lies around them takes long to import."""
    numba = importlib.util.find_spec("numba")
    assert numba is not None
    assert numba.origin is not None
    copies = runpy.run_path(str(Path(numba.origin).parent / "np" / "random" / "_constants.py"))
    table = np.empty(_LAYERS, [("width", np.float64), ("end", np.uint64)])
    table["width"], table["end"] = copies[ZIGGURATS[base].widths], copies[ZIGGURATS[base].ends]
    return table


def _ziggurat_agrees(base: str) -> bool:
    """On the two sides of the end of each layer, where all of a layer's width is in the number that is drawn."""
    rule, generator = ZIGGURATS[base], np.random.Generator(np.random.PCG64(13))
    inverse, inc = pow(_MULTIPLIER, -1, 1 << 128), 1
    for layer, (width, end) in enumerate(_table(base).tolist()):
        for place in {max(0, end - 1), min(end, (1 << rule.bits) - 1)}:
            state = rule.bits_of(layer, place)  # its upper half is 0, so its bits are itself
            _put(generator, (state - inc) * inverse & _MASK, inc)
            drawn = getattr(generator, base)()
            once = _place(generator) == state
            if once != (place < end) or (once and drawn != place * width):
                return False
    return True


# ---- machine code -----------------------------------------------------------------------------------------------------------


def draw(d: Driver, name: str, stream: Any, draws_by: Any, args: list[Any], otherwise: Callable[[], Any]) -> Any:
    """The number that is drawn; ``otherwise`` emits what draws it where the stream is another one or the way a rare one."""
    from .streams import next_double

    b, function = d.builder, d.function
    here, other, after = (function.append_basic_block(label) for label in ("pcg64", "otherwise", "drawn"))
    b.cbranch(b.icmp_unsigned("==", draws_by, d.data_symbol(next_double("PCG64"))), here, other)
    b.position_at_end(here)
    base, formula = _FORMULAS[name]
    owner = b.load(b.load(stream, typ=PTR), typ=PTR)
    inc = b.load(b.gep(owner, [i64(16)], inbounds=True, source_etype=I8), typ=_WIDE, align=8)
    state = b.add(b.mul(b.load(owner, typ=_WIDE, align=8), ir.Constant(_WIDE, _MULTIPLIER)), inc)
    high, low = (b.trunc(part, I64) for part in (b.lshr(state, ir.Constant(_WIDE, 64)), state))
    mixed = b.xor(high, low)
    turn = d.module.declare_intrinsic("llvm.fshr", [I64], ir.FunctionType(I64, [I64] * 3))
    bits = b.call(turn, [mixed, mixed, b.lshr(high, i64(58))])
    if base == "random":
        x = b.fmul(b.sitofp(b.lshr(bits, i64(11)), F64), ir.Constant(F64, _UNIT))
    else:
        x, inside = _in_layer(d, base, bits)
        usual = function.append_basic_block("usual")
        b.cbranch(inside, usual, other).set_weights([99, 1])
        b.position_at_end(usual)
    b.store(state, owner, align=8)
    x = formula(b, x, args)
    made = b.block
    b.branch(after)
    b.position_at_end(other)
    called = otherwise()
    last = b.block
    b.branch(after)
    b.position_at_end(after)
    result = b.phi(F64)
    result.add_incoming(x, made)
    result.add_incoming(called, last)
    return result


def _in_layer(d: Driver, base: str, bits: Any) -> tuple[Any, Any]:
    """The number, and whether it is certain to be under the curve."""
    b, rule = d.builder, ZIGGURATS[base]
    name = f"pj_ziggurat_{base}"
    symbols.register({name: _table(base).ctypes.data})
    layer = b.and_(b.lshr(bits, i64(rule.layer)), i64(_LAYERS - 1))
    place = b.and_(b.lshr(bits, i64(rule.place)), i64((1 << rule.bits) - 1))
    at = b.gep(d.data_symbol(name), [b.shl(layer, i64(4))], inbounds=True, source_etype=I8)
    width, end = b.load(at, typ=F64), b.load(b.gep(at, [i64(8)], inbounds=True, source_etype=I8), typ=I64)
    x: ir.Value = b.fmul(b.sitofp(place, F64), width)
    if rule.sign is not None:  # into the sign of the number
        sign = b.shl(b.and_(bits, i64(1 << rule.sign)), i64(63 - rule.sign))
        x = b.bitcast(b.xor(b.bitcast(x, I64), sign), F64)
    return x, b.icmp_unsigned("<", place, end)
