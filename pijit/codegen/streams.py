"""Where a numpy.random.Generator or RandomState keeps its stream, and the functions of NumPy's C library of distributions that draw from it.

No header says where a Generator keeps things, so they are looked for in one, and each draw is tried before its first use: if anything is
not as it was with the NumPy that this was written for, draws are calls of the methods as any other call is.
"""

from __future__ import annotations

import _random
import ctypes
import functools
import importlib
import sys
import types
from typing import Any, NamedTuple

import numpy as np

from ..ir.draws import DRAWS, SHARED, Draw, bit_generator_of
from ..ir.types import FLOAT
from . import symbols

TYPE = 8  # where an object has its type (CPython, 64-bit)
NEXT_DOUBLE = 24  # in bitgen_t (numpy/random/bitgen.h): state, next_uint64, next_uint32, next_double, next_raw
_BITGEN = 5
_METHOD_DESCRIPTOR = 7  # words of one: count, type, class, name, qualified name, its row in C, how it is called
_TAKES = {"random": 4, "getrandbits": 8}  # METH_NOARGS, METH_O
_API = ("PyFloat_AsDouble", "Py_DecRef", "PyErr_Clear")

# Bit generators whose C functions run nothing but themselves.
KNOWN = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")

# Draw -> the function of numpy/random/distributions.h.
FUNCTIONS = {
    "random": "random_standard_uniform",
    "standard_normal": "random_standard_normal",
    "standard_exponential": "random_standard_exponential",
    "uniform": "random_uniform",
    "normal": "random_normal",
    "exponential": "random_exponential",
    "integers": "random_bounded_uint64",
    "integers_closed": "random_bounded_uint64",
    "python_random": "random",
    "python_bits": "getrandbits",
    "legacy_random": "random_standard_uniform",
    "legacy_uniform": "random_uniform",
    "legacy_randint": "random_bounded_uint64",
}
GLOBALS = {"RandomState": "pj_random_state", "Random": "pj_python_state"}  # the names of what is SHARED
LOCK_TYPE = "pj_draw_lock"


class Place(NamedTuple):
    """Offsets in bytes: of the stream (a bitgen_t) and of the lock in an object that draws; ``held``: of what in a lock is 0 while nobody holds it,
    and ``width``: how long that is. ``lock_type``: the type of such locks."""

    stream: int
    lock: int
    held: int
    width: int
    lock_type: type


@functools.cache
def place(owner: str) -> Place | None:
    """Where a Generator or RandomState keeps its stream and lock; None if that cannot be told."""
    try:
        found = {_find(_generator(name, owner)) for name in KNOWN}
    except (AttributeError, TypeError, ValueError):
        return None
    return found.pop() if len(found) == 1 else None


def _generator(name: str, owner: str = "Generator", seed: int = 9) -> Any:
    return getattr(np.random, owner)(getattr(np.random, name)(seed))


def _words(owner: Any, size: int) -> list[int]:
    return list((ctypes.c_int64 * (size // 8)).from_address(id(owner)))


def bitgen(generator: Any) -> int:
    """The address of the bit generator's own bitgen_t, of which what draws from it has a copy."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(get(bit_generator_of(generator).capsule, b"BitGenerator"))


def _find(generator: Any) -> Place | None:
    words = _words(generator, type(generator).__basicsize__)
    stream = list((ctypes.c_int64 * _BITGEN).from_address(bitgen(generator)))
    streams = [n for n in range(len(words)) if words[n : n + _BITGEN] == stream]
    lock = bit_generator_of(generator).lock
    locks = [n for n, word in enumerate(words) if word == id(lock)]
    counter = held(lock)
    if len(streams) != 1 or len(locks) != 1 or counter is None:
        return None
    return Place(8 * streams[0], 8 * locks[0], *counter, type(lock))


def held(lock: Any) -> tuple[int, int] | None:
    """The offset in a lock of what tells that it is held, and its size: a word that counts, or of a lock that is held once only a byte."""
    size = type(lock).__basicsize__
    seen = [bytes(ctypes.string_at(id(lock), size))]
    often = 0
    while often < 2 and lock.acquire(blocking=False):
        often += 1
        seen.append(ctypes.string_at(id(lock), size))
    for _ in range(often):
        lock.release()
        seen.append(ctypes.string_at(id(lock), size))
    width, wanted = (8, [0, 1, 2, 1, 0]) if often == 2 else (1, [0, 1, 0])
    found = [n for n in range(16, size, width) if [int.from_bytes(look[n : n + width], sys.byteorder) for look in seen] == wanted]
    return (found[0], width) if len(found) == 1 else None


@functools.cache
def _library() -> Any:
    return ctypes.PyDLL(str(importlib.import_module("numpy.random._generator").__file__))


def _address(name: str) -> int:
    return ctypes.cast(getattr(_library(), name), ctypes.c_void_p).value or 0


@functools.cache
def usable(draw: str) -> bool:
    """Whether machine code may draw: everything is where it should be, and NumPy draws the same."""
    if DRAWS[draw].owner == "Random":
        return python_method(DRAWS[draw].method) != 0
    try:
        return place(DRAWS[draw].owner) is not None and all(_agrees(DRAWS[draw], _address(FUNCTIONS[draw]), name) for name in KNOWN)
    except (AttributeError, OSError):
        return False


def _agrees(draw: Draw, address: int, name: str) -> bool:
    """Both streams must be at the same place after each draw too: the 32 bits that some draws leave for the next one included."""
    where = place(draw.owner)
    assert where is not None
    mine, theirs = _generator(name, draw.owner), _generator(name, draw.owner)
    call = _caller(draw, address)
    for args in draw.samples * 8:
        if repr(call(id(mine) + where.stream, *args)) != repr(draw.of(theirs, *args)):
            return False
        if _next(mine) != _next(theirs):
            return False
    return True


def _next(generator: Any) -> list[Any]:
    """Numbers of which the first takes 32 bits."""
    whole = getattr(generator, "integers", None) or generator.randint
    return [whole(9, dtype=np.int32), generator.random()]


def _caller(draw: Draw, address: int) -> Any:
    """The function, to be called as machine code does."""
    if draw.result == FLOAT:
        function = ctypes.PYFUNCTYPE(ctypes.c_double, ctypes.c_void_p, *[ctypes.c_double] * len(draw.args))(address)
        return (lambda stream, low, high: function(stream, low, high - low)) if draw.method == "uniform" else function
    bounded = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_int64] * 4)(address)
    last = 0 if draw.closed else 1

    def between(stream: int, low: int, high: int) -> Any:
        width = high - low - last
        mask = (1 << width.bit_length()) - 1 if draw.masked else 0
        return (int if draw.masked else np.int64)(bounded(stream, low, *(ctypes.c_int64(word).value for word in (width, mask)), draw.masked))

    return between


@functools.cache
def python_method(name: str) -> int:
    """The address of what draws in C for a random.Random; 0 where it takes something else or is not to be found."""
    words = (ctypes.c_void_p * _METHOD_DESCRIPTOR).from_address(id(vars(_random.Random)[name]))
    method = words[_METHOD_DESCRIPTOR - 2]
    if words[1] != id(types.MethodDescriptorType) or not method:
        return 0
    called, address = (ctypes.c_void_p * 2).from_address(method)
    takes = ctypes.c_int.from_address(method + 16).value
    return (address or 0) if called and takes == _TAKES[name] and ctypes.string_at(called) == name.encode() else 0


def register(draw: str) -> str:
    """Makes the names known that machine code of this draw refers to; gives that of the function."""
    if DRAWS[draw].owner == "Random":
        api = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in _API}
        symbols.register({f"pj_{draw}": python_method(DRAWS[draw].method), GLOBALS["Random"]: id(SHARED["Random"]), **api})
        return f"pj_{draw}"
    where = place(DRAWS[draw].owner)
    assert where is not None
    own = f"pj_{FUNCTIONS[draw]}"
    state = {GLOBALS["RandomState"]: id(SHARED["RandomState"])}
    symbols.register({own: _address(FUNCTIONS[draw]), LOCK_TYPE: id(where.lock_type), **state, **_next_doubles()})
    return own


@functools.cache
def _next_doubles() -> dict[str, int]:
    return {next_double(name): ctypes.c_int64.from_address(bitgen(_generator(name)) + NEXT_DOUBLE).value for name in KNOWN}


def next_double(name: str) -> str:
    """What machine code calls the function of a bit generator."""
    return f"pj_next_double_{name}"
