"""Kernels whose result is assigned to an array: `csrc/store.c` does it without a temporary array where it can.

When it has stored already what a floating-point flag was raised in, or part of it, NumPy is asked for the rest, step by step: for what is
not stored yet, and for what it would have warned of. By then nothing but a warning can come of it; `csrc/quiet.c` saw to that.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import operator
import struct
import sys
import threading
import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.evaluate import elementwise
from ..ir.kernel import Kernel
from ..ir.types import INT, Np
from ..ir.ufuncs import function, place_counts, signals
from . import llvm_ir as ir
from . import units
from . import words as memory
from .kernels import declared, divisible, loops, walked, work
from .layout import Area, recipe_tuple
from .llvm import I64, call, i64
from .repeats import repeated, times

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import FrameType

    from ..ir.graph import Op
    from .driver import Driver

_REDO, _DONE, _FINISH = range(3)  # what the helper says
_SITUATION = 4  # words of a Situation of csrc/store.h, behind which are those that it is the situation of
_DIRECT = 4  # the place in a plan that says whether the kernel may store directly
_UNKNOWN, _SHOWN, _SILENT, _SPENT = range(4)  # what is in it
_PATIENCE = 4  # so many warnings; from then on NumPy does it all, and the exit is on record
_ALL, _NOTE, _WARN = range(3)  # what is asked of a rest
_BLOCK = 8192  # elements at a time
# Words that the helper writes behind the kernel's: the first row that was not computed, flags, where rows wait, how many; or -1: none do, and
# nothing of the rest may be stored before all of it is read.
RESULT = 4


def plan(kernel: Kernel, watched: int, harmless: bool, threads: int) -> list[int]:
    """The kernel as csrc/store.c wants to know it."""
    place = {word: number for number, word in enumerate(kernel.words())}
    store = kernel.store
    assert store is not None
    direct = _SPENT if store.spent else _SILENT if not watched else _SHOWN if harmless else _UNKNOWN
    whole = kernel.ndim > 1 and place_counts(kernel)
    saved = store.operand is not None and store.named is not None
    numbers = [n for n, operand in enumerate(kernel.operands) if operand.strides is not None and n != store.operand]
    own = -1 if store.operand is None else place["pointer", store.operand, 0]
    head = [kernel.ndim, len(place), watched, loops(kernel), direct, whole, store.operand is not None, place.get(("log", 0, 0), -1), saved]
    head += [own, threads if divisible(kernel) else 1, work(kernel)]
    counts, arrays = [len(numbers), len(kernel.outputs)], []
    for number in (len(kernel.operands), *numbers):
        operand = walked(kernel)[number]
        first, distance = operand.near or (number, 0)
        name, which, strided = ("store", 0, "store_stride") if number == len(kernel.operands) else ("pointer", first, "stride")
        arrays += [place[name, which, 0], Np(operand.dtype).dtype.itemsize, distance]
        for axis, stride in enumerate(operand.strides or ()):
            arrays += [place[strided, which, axis], 0] if stride is None else [-1, stride]
    for number, reference in enumerate(kernel.outputs):
        arrays += [place["output", number, 0], Np(kernel.dtype(reference)).dtype.itemsize]
    situation = len(head) + 1 + len(counts) + len(arrays)
    return [*map(int, head), situation, *counts, *arrays, *[0] * (_SITUATION + len(place))]


def in_words(d: Driver, words: list[Any], more: int = 0) -> Any:
    """The words on the stack, with room for more."""
    b, p = d.builder, d.stack(len(words) + more)
    for number, word in enumerate(words):
        b.store(word, b.gep(p, [i64(number)], inbounds=True, source_etype=I64))
    return p


def constants(d: Driver, words: Sequence[Any]) -> ir.GlobalVariable:
    """Words, numbers or addresses, that are in memory as long as the code is."""
    made = ir.GlobalVariable(d.module, ir.ArrayType(I64, len(words)), d.module.get_unique_name("plan"))
    made.initializer = ir.Constant(made.value_type, words)
    made.linkage = "internal"
    return made


def call_kernel(d: Driver, op: Op, symbol: str, p: Any) -> Any:
    """Calls the helper; gives whether to leave by "redo". p has room for RESULT words more than the kernel needs."""
    b, kernel = d.builder, op.attrs["kernel"]
    errors = d.graph.errors_at(op)
    watched = errors.watched if signals(kernel) else 0
    described = constants(d, plan(kernel, watched, errors.harmless, d.graph.threads))
    places = b.ptrtoint(declared(d.module, symbol), I64), b.ptrtoint(p, I64), b.ptrtoint(described, I64)
    if kernel.store.spent:
        return b.icmp_signed("==", call(b, "pj_kernel_into", I64, *places), i64(_REDO))
    site, words_of_rest = _site(d, op)
    if op in d.backlog.later:
        repeats = _repeats(d, op, watched) if op in d.backlog.repeats else i64(0)
        status = call(b, "pj_kernel_later", I64, d.W, *places, i64(site), i64(words_of_rest[0]), repeats)
    else:
        status = call(b, "pj_kernel_into", I64, *places)
    with d.rarely(b.icmp_signed("==", status, i64(_FINISH))):
        for word, value in zip(words_of_rest, (*places[1:], i64(_ALL)), strict=True):
            memory.store(d, word, value)
        call(b, "pj_call_aside", ir.VoidType(), d.W, i64(site))
    return b.icmp_signed("==", status, i64(_REDO))


def _repeats(d: Driver, op: Op, watched: int) -> Any:
    """What csrc/backlog.c wants to know of several times the operation: which words of the next time are which of this one; then how many, the
    kernel and its plan, and where its words come from."""
    own, links = op.attrs["kernel"], d.backlog.repeats[op]
    harmless, pairs = d.graph.errors_at(op).harmless, links.words(own)
    words: list[Any] = [len(pairs), *itertools.chain.from_iterable(pairs)]
    for count in times(own, links.feeds):
        kernel, sources = repeated(own, count, links)
        function = declared(d.module, d.unit(units.kernel_unit(kernel)))
        described = constants(d, plan(kernel, watched, harmless, 1))
        words += [count, function.ptrtoint(I64), described.ptrtoint(I64), len(sources), *itertools.chain.from_iterable(sources)]
    return d.builder.ptrtoint(constants(d, [*words, 0]), I64)


def _site(d: Driver, op: Op) -> tuple[int, list[int]]:
    """The site that does the rest, and the words that it is given."""
    area = Area(d.layout.call_start)
    places = [area.take(INT) for _ in range(3)]
    arguments = [("int", word) for word in places]
    rest = Rest(op.attrs["kernel"], op.attrs["lines"], d.graph.errors_at(op).watched)
    chain = [(None if owner is None else recipe_tuple(owner, d.layout.word.__getitem__), pc) for owner, pc in op.attrs["chain"]]
    d.sites.append((("const", rest), arguments, (), chain, [], d.layout.call_root))
    return len(d.sites) - 1, places


class Rest:
    """Does what is left of a kernel's work by NumPy, and warns as NumPy does: once per operation and flag, at the operation's line.
    ``lines``: of the steps. What is done in pieces is noted piece by piece, and then warned of."""

    def __init__(self, kernel: Kernel, lines: tuple[int, ...], watched: int) -> None:
        self.kernel, self.lines, self.watched = kernel, lines, watched
        self.calls = 0
        self.noted: dict[int, list[dict[str, None]]] = {}  # by thread

    def __call__(self, p: int, plan: int, what: int) -> None:
        thread = threading.get_ident()
        raised = self.noted.pop(thread, None) or [{} for _ in self.lines]
        if what != _WARN:
            self._complete(p, raised)
        if what == _NOTE:
            self.noted[thread] = raised
            return
        self.calls += any(raised)
        if self.calls >= _PATIENCE:
            ctypes.c_int64.from_address(plan + 8 * _DIRECT).value = _UNKNOWN
        self._warn(raised, sys._getframe(1))

    def _complete(self, p: int, raised: list[dict[str, None]]) -> None:
        """Does what is left, and notes the flags of each step."""
        named = None if self.kernel.store is None else self.kernel.store.named
        flags = ctypes.c_int64.from_address(p + 8 * (sum(1 for _ in self.kernel.words()) + 1)).value
        if named is not None and flags:  # everything is stored, and it is known what was raised where
            raised[named].update(dict.fromkeys(name for name, flag in _FLAGS.items() if flags & flag))
        else:
            for operands, results, waiting in _blocks(self.kernel, p):
                values = self._values(operands, raised)
                for rows, computed in waiting:
                    rows[...] = computed
                for reference, result in results:
                    result[...] = values[reference]

    def _values(self, operands: list[Any], raised: list[dict[str, None]]) -> list[Any]:
        """The operands and the results of the steps, by reference; notes the flags of each step."""
        values = list(operands)
        for step, found in zip(self.kernel.steps, raised, strict=True):
            with np.errstate(all="call", under="ignore", call=lambda name, _, found=found: found.setdefault(name)):
                values.append(elementwise(step.ufunc, [values[arg] for arg in step.args], step.dtype))
        return values

    def _warn(self, raised: list[dict[str, None]], frame: FrameType) -> None:
        names = frame.f_globals
        for step, line, found in zip(self.kernel.steps, self.lines, raised, strict=True):
            for name in (name for name, flag in _FLAGS.items() if name in found and flag & self.watched):
                message = f"{name} encountered in {getattr(function(step.ufunc), '__name__', step.ufunc)}"
                module, registry = names.get("__name__") or "<string>", names.setdefault("__warningregistry__", {})
                warnings.warn_explicit(message, RuntimeWarning, frame.f_code.co_filename, line, module, registry)


_FLAGS = {"divide by zero": 1, "overflow": 2, "invalid value": 8}  # in the order of NumPy's warnings of one operation


def _blocks(kernel: Kernel, p: int) -> Iterator[tuple[list[Any], list[tuple[int, Any]], list[tuple[Any, Any]]]]:
    """For parts of the first axis, from the first row that was not computed on: the operands, where which references go, and rows of the target
    with what waits to be stored there once the operands have been read."""
    place = {word: number for number, word in enumerate(kernel.words())}
    words = list((ctypes.c_int64 * (len(place) + RESULT)).from_address(p))
    dims = tuple(words[: kernel.ndim])
    begin, _, address, late = words[len(place) :]

    def array(dtype: str, address: int, strides: Iterable[int], dims: tuple[int, ...] = dims) -> Any:
        interface = {"version": 3, "typestr": Np(dtype).dtype.str, "shape": dims, "strides": tuple(strides), "data": (address, False)}
        return np.asarray(SimpleNamespace(__array_interface__=interface))

    def walk(number: int, which: int, name: str, stride: str) -> Any:
        operand = walked(kernel)[number]
        which, distance = operand.near or (which, 0)
        strides = enumerate(operand.strides or ())
        return array(
            operand.dtype,
            words[place[name, which, 0]] + distance,
            (words[place[stride, which, axis]] if step is None else step for axis, step in strides),
        )

    def scalar(number: int) -> Any:
        first = place["scalar", number, 0]
        dtype = Np(kernel.operands[number].dtype).dtype
        return np.frombuffer(struct.pack("2q", *words[first : first + 2]), dtype, 1)[0]

    count = len(kernel.operands)
    operands = [scalar(n) if o.strides is None else walk(n, n, "pointer", "stride") for n, o in enumerate(kernel.operands)]
    results = []
    for number, reference in enumerate(kernel.outputs):
        dtype = kernel.dtype(reference)
        results.append((reference, array(dtype, words[place["output", number, 0]], _contiguous(Np(dtype).dtype.itemsize, dims))))
    assert kernel.store is not None
    target = walk(count, 0, "store", "store_stride")
    results.append((kernel.store.reference, target))
    if late:
        rest, waiting = slice(begin, None), []
        if late > 0:
            computed = array(target.dtype.name, address, _contiguous(target.itemsize, dims), (late, *dims[1:]))
            waiting = [(target[begin - late : begin], computed)]
        yield [o[rest] if o.ndim else o for o in operands], [(reference, result[rest]) for reference, result in results], waiting
        return
    rows = dims[0] if place_counts(kernel) else max(1, _BLOCK // max(1, math.prod(dims[1:])))
    for low in range(begin, dims[0], rows):
        part = slice(low, low + rows)
        yield [o[part] if o.ndim else o for o in operands], [(reference, result[part]) for reference, result in results], []


def _contiguous(itemsize: int, dims: tuple[int, ...]) -> list[int]:
    """Strides of an array of this shape in C order."""
    return list(itertools.accumulate((itemsize, *dims[:0:-1]), operator.mul))[::-1]
