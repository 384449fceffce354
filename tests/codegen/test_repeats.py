"""A kernel several times over does what it does several times in succession, to the last bit, and finds its words in theirs."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from kernels import FLAGS, compiled, flag_functions, scalar_word

from pijit.codegen.repeats import Links, can_repeat, repeated, times
from pijit.ir.kernel import Kernel, Operand, Step, Store

pytestmark = pytest.mark.shared

F, D, N = "float32", "float64", None


def kernel(steps, *operands, own, strides, logged=True, named=None):
    operands = tuple(Operand(*operand) for operand in operands)
    reference = len(operands) + len(steps) - 1
    return Kernel(len(strides), operands, tuple(Step(*step) for step in steps), (), Store(reference, strides, own, logged, named))


KERNELS = {
    "scaled": kernel([("multiply", (0, 1), D), ("add", (2, 3), D)], (D, N), (D, (8,)), (D, (8,)), own=2, strides=(8,)),
    "steps": kernel([("multiply", (0, 1), D), ("subtract", (2, 3), D)], (D, N), (D, (N, 8)), (D, (N, 8)), own=2, strides=(N, 8)),
    "named": kernel([("divide", (0, 1), D)], (D, (8,)), (D, (8,)), own=0, strides=(8,), logged=False, named=0),
    "used twice": kernel([("multiply", (0, 0), F), ("add", (2, 1), F)], (F, (4,)), (F, (4,)), own=0, strides=(4,)),
    "bits": kernel([("bitwise_xor", (1, 0), "int64")], ("int64", (N,)), ("int64", (8,)), own=1, strides=(8,), logged=False),
    "unused": kernel([("add", (1, 2), D)], (D, (8,)), (D, (8,)), (D, N), own=0, strides=(8,)),
}
SHORT, LONG = KERNELS["scaled"], kernel([("add", (0, 1), D)] * 4, (D, (8,)), (D, (8,)), own=0, strides=(8,))
COUNTS = sorted({count for each in (SHORT, LONG) for feeds in ({}, {0: 0}) for count in times(each, feeds)})


def words_of(kernel: Kernel, values, target, log) -> list[int]:
    words = []
    for kind, number, extra in kernel.words():
        array = target if kind.startswith("store") or number == kernel.store.operand else values[number]
        words.append(
            target.shape[number] if kind == "dim"
            else scalar_word(array, extra) if kind == "scalar"
            else log.ctypes.data if kind == "log"
            else array.strides[extra] if kind in ("stride", "store_stride")
            else array.ctypes.data
        )  # fmt: skip
    return words


def run(kernel: Kernel, words: list[int]) -> int:
    """Runs all rows; the flags."""
    clear, test = flag_functions()
    p = (ctypes.c_int64 * len(words))(*words)
    clear(61)
    compiled(kernel)[0](0, words[0], ctypes.addressof(p))
    return test(FLAGS)


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n", [1, 2, 7, 33, 1025])
def test_the_same_as_one_after_the_other(name, count, n, same):
    """``same``: an operand that is the same every time is one of the whole."""
    once = KERNELS[name]
    assert can_repeat(once, {})
    lasting = frozenset(number for number in range(1) if same and number != once.store.operand)
    several, sources = repeated(once, count, Links({}, lasting))
    assert len(several.operands) == len(once.operands) + (count - 1) * (len(once.operands) - 1 - len(lasting))
    rng = np.random.default_rng(n)
    shape = (3, n) if once.ndim == 2 else (n,)

    def made(operand: Operand):
        if operand.strides is None:
            return np.dtype(operand.dtype).type(rng.integers(-3, 4))
        many = rng.integers(-4, 5, (*shape[:-1], n + 3)).astype(operand.dtype)
        return many[..., 1 : n + 1] if once.ndim == 2 else np.repeat(many[:n], 2)[::2] if operand.strides == (N,) else many[:n].copy()

    turns = [[made(operand) for operand in once.operands] for _ in range(count)]
    for values in turns:
        values[:1] = turns[0][:1] if lasting else values[:1]
    first = made(once.operands[once.store.operand])
    one, all, log, kept = first.copy(), first.copy(), np.empty(shape, first.dtype), np.empty(shape, first.dtype)
    flags = 0
    for values in turns:
        flags |= run(once, words_of(once, values, one, log))
    given = [words_of(once, values, all, kept) for values in turns]
    places = [number for number, word in enumerate(several.words()) if word[0] == "log"]
    taken = [given[time][word] for time, word in sources]
    for place in places:
        taken[place] = kept.ctypes.data
    assert run(several, taken) == flags
    assert all.tobytes() == one.tobytes()
    assert not places or kept.tobytes() == first.tobytes()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("reads nothing of it", {"own": None}),
        ("stores another type", {"steps": [("add", (0, 1), D), ("cast", (2,), F)]}),
        ("takes NumPy's loop", {"steps": [("exp", (1,), D), ("add", (0, 2), D)]}),
    ],
)
def test_what_cannot(name, changes):
    given = {"steps": [("add", (0, 1), D)], "own": 0, "strides": (8,)} | changes
    assert not can_repeat(kernel(given.pop("steps"), (D, (8,)), (D, (8,)), **given), {})


def test_how_often_at_once():
    assert times(SHORT, {}) == (9, 3)
    assert times(LONG, {}) == (4, 2)
    assert times(SHORT, {0: 0}) == times(LONG, {0: 0}) == (5, 3)
