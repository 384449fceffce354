"""Maxima and minima of many rows: NumPy's bits for NaNs, zeros of both signs and numbers, however windows lie in their array."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from differential import check_calls, settings

import pijit
from pijit.codegen import llvm_ir as ir
from pijit.codegen import picks, repeats
from pijit.codegen.kernels import define
from pijit.ir.kernel import Kernel, Operand, Step, Store

pytestmark = pytest.mark.shared

UFUNCS = ["maximum", "minimum", "fmax", "fmin"]
ROWS = 9000  # elements, of which some programs' arrays have more than csrc/backlog.c lets pass
PROGRAMS = {
    "windows": "out = x[: x.size - w + 1].copy()\n    for k in range(1, w):\n        "
    "np.{u}(out, x[k : k + out.size], out=out)\n    return out",
    "windows from the end": "n = x.size - w + 1\n    out = x[w - 1 :].copy()\n    for k in range(w - 1):\n        "
    "np.{u}(out, x[w - 2 - k : w - 2 - k + n], out=out)\n    return out",
    "windows, and a number": "out = np.full(x.size - w + 1, x[3])\n    for k in range(w):\n        "
    "np.{u}(out, x[k : k + out.size], out=out)\n    return out",
    "windows of two": "y = x * 2.0\n    out = x[w:].copy()\n    for k in range(w):\n        np.{u}(out, x[k : k - w], out=out)\n"
    "        np.{u}(out, y[k : k - w], out=out)\n    return out",
    "an expression": "return np.{u}(np.{u}(np.{u}(x[:-9], x[9:]), x[w:w - 9]), x[5:-4])",
    "a pyramid": "return np.{u}(np.{u}(x[:-9], x[w : w - 9]), np.{u}(x[3:-6], 0.25)) - np.{u}(x[9:], x[1:-8])",
    "far apart": "h = x.size // 4\n    return np.{u}(np.{u}(x[:h], x[2 * h : 3 * h]), np.{u}(x[h : 2 * h], x[w : h + w]))",
    "a filter": "m = x[: x.size // 90 * 90].reshape(90, -1)\n    r, c = m.shape[0] - 2, m.shape[1] - w\n    out = m[:r, :c]\n"
    "    for i in range(3):\n        out = np.{u}(np.{u}(out, m[i : i + r, :c]), np.{u}(m[i : i + r, w:], m[i : i + r, 1 : c + 1]))\n    return out",
    "in place, moved": "y = x.copy()\n    np.{u}(np.{u}(np.{u}(y[3:], y[:-3]), y[1:-2]), y[2:-1], out=y[3:])\n    return y",
    "every second": "return np.{u}(np.{u}(np.{u}(x[::2], x[1::2]), x[::-2]), x[::2] * w)",
}


def inputs(dtype):
    """Of which no element is odd, few are, and many."""
    rng = np.random.default_rng(3)
    numbers = rng.standard_normal(ROWS).astype(dtype)
    nan, other = np.array([np.nan, -np.nan], dtype)
    plain, zeros = np.where(numbers > 0.4, 0, numbers).astype(dtype), np.where(rng.random(ROWS) < 0.5, 0.0, -0.0).astype(dtype)
    yield plain
    yield np.where(rng.random(ROWS) < 0.001, dtype(-0.0), numbers)
    yield np.where(rng.random(ROWS) < 0.001, nan, numbers)
    yield np.where(numbers > 0, zeros, numbers)
    yield np.where(numbers < 0, zeros, numbers)
    yield np.where(rng.random(ROWS) < 0.1, np.where(rng.random(ROWS) < 0.5, nan, other), zeros)
    yield np.where(rng.random(ROWS) < 0.01, other, np.where(rng.random(ROWS) < 0.1, dtype(np.inf), -numbers))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("ufunc", UFUNCS)
def test_bits(ufunc, program, dtype):
    source = f"import numpy as np\ndef f(x, w):\n    {PROGRAMS[program].format(u=ufunc)}\n"
    calls = [(x, w) for x in inputs(dtype) for w in (3, 7)]
    check_calls(source, calls, entry="f", configurations=("jit",))
    check_calls(source, [(x[:450], 5) for x in inputs(dtype)], entry="f", configurations=("jit",))


@pytest.mark.parametrize("count", range(2, 16))
def test_of_windows_of_each_size(count):
    source = "import numpy as np\ndef f(x, w):\n    " + PROGRAMS["windows"].format(u="maximum")
    check_calls(source, [(x, count) for x in inputs(np.float64)], entry="f", configurations=("jit",))


def test_plain_rows_stay_native():
    def f(x, w):
        out = x[: x.size - w + 1].copy()
        for k in range(1, w):
            np.maximum(out, x[k : k + out.size], out=out)
        return out

    fast, x = pijit.jit(f), next(inputs(np.float64))
    with settings(compile_all=True):
        for _ in range(4):
            assert fast(x, 7).tobytes() == f(x, 7).tobytes()
    assert not pijit.stats(fast).exits


def chain(dtype, strides, ufunc, count, odd=None):
    """Picks the best of so many operands."""
    operands = tuple(Operand(dtype, odd if number == 1 and odd else strides) for number in range(count))
    steps = tuple(Step(ufunc, (0 if number == 0 else count + number - 1, number + 1), dtype) for number in range(count - 1))
    return Kernel(1, operands, steps, (2 * count - 2,))


@pytest.mark.parametrize(("dtype", "size"), [("float64", 8), ("float32", 4)])
def test_which_kernels_look_first(dtype, size):
    assert picks.picks(chain(dtype, (size,), "maximum", 4)) == {4, 5, 6}
    assert not picks.picks(chain(dtype, (size,), "maximum", 3))  # not worth it
    assert not picks.picks(chain(dtype, (None,), "fmin", 4))
    assert not picks.picks(chain(dtype, (size,), "add", 4))
    assert not picks.picks(chain(f"int{8 * size}", (size,), "maximum", 4))
    assert len(picks.picks(chain(dtype, (size,), "minimum", 6, odd=(None,)))) == 0
    for kernel in (chain(dtype, (size,), "minimum", 5), chain(dtype, None, "minimum", 5)):
        module = ir.Module()
        define(module, kernel)
        assert "pj_are_plain" in str(module) or kernel.operands[0].strides is None


def test_several_times_of_what_is_picked():
    operand = Operand("float64", (8,))
    kernel = Kernel(1, (operand, operand), (Step("maximum", (0, 1), "float64"),), (), Store(2, (8,), operand=0))
    assert repeats.can_repeat(kernel, {})
    made, _ = repeats.repeated(kernel, 3, repeats.Links({}, frozenset()))
    assert made.store is not None
    assert not made.store.logged
    turned = Kernel(1, (operand, operand), (Step("maximum", (1, 0), "float64"),), (), Store(2, (8,), operand=0))
    assert not repeats.can_repeat(turned, {})  # of two zeros it would pick the other one when it is done again


@pytest.mark.parametrize("keep_nan", [True, False])
def test_numpy_may_do_it_again(keep_nan):
    """Why several maxima may be left to NumPy after they were stored: whatever it picks of two zeros, the first of them that counts is there."""

    def pick(a, b, second):
        return b if np.isnan(b if keep_nan else a) else b if (second if a == b == 0 else a < b) else a

    values = [-1.0, -0.0, 0.0, 1.0, float("nan")]
    for row in itertools.product(values, repeat=4):
        stored = row[0]
        for value in row[1:]:
            stored = pick(stored, value, False)
        for choices in itertools.product([False, True], repeat=3):
            wanted, found = row[0], stored
            for value, second in zip(row[1:], choices, strict=True):
                wanted, found = pick(wanted, value, second), pick(found, value, second)
            assert str(wanted) == str(found), (row, choices)
