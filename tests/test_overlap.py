"""Results that go over the memory of operands: NumPy runs some loops as they are there, which then round otherwise than beside them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from differential import check_calls

import pijit

pytestmark = pytest.mark.shared

R = np.random.default_rng(11)
UNARY = ("exp", "log", "tan", "cbrt", "square", "sqrt")
BINARY = ("power", "arctan2", "multiply", "add")
PLACES = {  # of what is written, of what is read
    "before": ("[:-1]", "[1:]"),
    "behind": ("[1:]", "[:-1]"),
    "between": ("[1:-1:2]", "[2::2]"),
    "closer": ("[: n // 2]", "[: n // 2 * 2 : 2]"),
    "same": ("[:n]", "[:n]"),
    "rows": (".reshape(2, -1)[:1]", ".reshape(2, -1)[1:]"),
    "columns": (".reshape(4, -1)[:, :-1]", ".reshape(4, -1)[:, 1:]"),
}
IN_PLACE = (
    "a[:-1] *= a[1:]", "a[:-1] **= a[1:]", "t = a * b; t *= b; t **= a; t[:-1] *= t[1:]; a[:] = t",
    "t = a * b; s = t\n    for i in range(3): s[:-1] **= t[1:]; a *= s; t = s * a; t[1:] *= s[:-1]",
)  # fmt: skip


def _calls(dtype):
    made = [R.uniform(0.5, 1.5, (3, 36)) for _ in range(2)]
    a, b, c = (x.astype(dtype) + (1j * y).astype(dtype) if dtype[0] == "c" else x.astype(dtype) for x, y in zip(*made, strict=True))
    return [(a, b, 9), (a, c, 9), (c, c, 17), (b[::-1], b, 36)]


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8"])
@pytest.mark.parametrize("place", PLACES)
def test_out(place, dtype):
    to, of = PLACES[place]
    ufuncs = UNARY[4:] if dtype[0] == "c" else UNARY
    lines = [f"np.{ufunc}(a{of}, out=a{to})" for ufunc in ufuncs]
    for ufunc in BINARY[2:] if dtype[0] == "c" else BINARY:
        lines += [f"np.{ufunc}(a{of}, b{to}, out=a{to})", f"np.{ufunc}(a{to}, b{of}, out=b{to})"]
    check_calls("def f(a, b, n):\n    " + "\n    ".join(lines), _calls(dtype), configurations=("jit", "numpy"))


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("lines", IN_PLACE)
def test_in_place(lines, dtype):
    lines = lines if dtype == "f8" else lines.replace("**=", "*=")
    check_calls(f"def f(a, b, n):\n    {lines}\n    return a\n", _calls(dtype), configurations=("jit", "numpy"))


def _into(t, a, b):
    t[...] = a * 2.0 + b


STEPS = [(start, step) for step in (1, 2, 3, 4, -2) for start in range(abs(step))]


@pytest.mark.parametrize("n", [7, 3000])
def test_elements_that_lie_among_each_other(n):
    """Every second or third element, or a column, written from others and itself, of one size or two: side by side is no overlap, one between the
    others may be."""
    jitted = pijit.jit(_into)
    for target, of in itertools.product(STEPS, repeat=2):
        for narrow in (False, True):
            told = []
            for function in (jitted, _into):
                memory = np.arange(4.0 * n + 8)
                t = memory[4 if target[1] > 0 else 4 * n + 3 :][target[0] :: target[1]][:n]
                floats = memory.view(np.float32) if narrow else memory
                a = floats[of[0] :: of[1]][: t.size]
                function(t[: a.size], a, np.arange(1.0, a.size + 1))
                told.append(memory.tobytes())
            assert told[0] == told[1], (target, of, narrow)
    assert pijit.stats(jitted).compiles


TEMPORARY = """
def f(w, v):
    s = w * (v - w)
    t = (v + w) * w * w.conj()
    for i in range(2):
        s = s * (s + v) * np.exp(1j * v.real)
    m = w.real > v.real
    t[m] = w[m] * v[m] + t[m]
    u = v[:] * (v + w), v.reshape(1, -1) * (v + w), v[:1] * (v + w), (v + w) * v[::-1]
    u += (w * (v + w)[:], w[3] * (v + w), w[3:4].reshape(()) * (v + w), np.full((), 1.5 - 2j) * (v + w))
    return s, t, u, 2.0 * (v + w), (s + v) * (t - w), s.view(s.real.dtype)[::2] * (v * 0.5)
"""


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_products_in_the_memory_of_a_temporary(dtype):
    """From 256 KB on NumPy's operators do not make a new array if the right operand can take the result, and multiply the other way round."""
    limit = (1 << 18) // np.dtype(dtype).itemsize
    calls = []
    for n in (5, limit - 1, limit, limit + 7):
        w, v = (R.normal(size=n) + 1j * R.normal(size=n) for _ in range(2))
        calls.append((w.astype(dtype), v.astype(dtype)))
    check_calls(TEMPORARY, [*calls, *calls[::-1]], configurations=("jit", "enabled"))


OVER_ITSELF = [  # lengths and steps, in elements
    ((5, 2), (1, 1)), ((5, 2), (-1, -1)), ((5, 2), (-1, 1)), ((5, 2), (1, -1)),
    ((4, 3), (-1, -2)), ((3, 4), (-2, -1)), ((3, 2, 2), (-1, 1, -1)), ((5,), (0,)),
]  # fmt: skip


@pytest.mark.parametrize("line", ["s[...] = t", "s[...] = t * 2.0", "s[:] = s[::-1]", "s[:] = s[::-1] * 2.0", "s[1:] = t[:-1] + 1.0", "s += t"])
def test_targets_that_lie_on_themselves(line):
    """The last one stored stays, and NumPy stores from the first address on."""
    calls = []
    for lengths, steps in OVER_ITSELF:
        target = np.lib.stride_tricks.as_strided(np.arange(20.0)[8:], lengths, [8 * step for step in steps])
        calls.append((target, np.arange(100.0, 100.0 + target.size).reshape(lengths)))
    check_calls(f"def f(s, t):\n    {line}\n    return s\n", calls, configurations=("jit", "numpy"))
