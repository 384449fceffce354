"""Memory runs out: every array that native code makes fails in turn, and the program is still the same program.

The helpers that make arrays are replaced before anything is compiled, so this runs in a process of its own (as a script).
"""

from __future__ import annotations

import ctypes
import subprocess
import sys

import numpy as np
import pytest

GRID = np.arange(42.0).reshape(6, 7)
PROGRAMS = {
    "new arrays": ("def f(a, b):\n    c = a * 2 + b\n    d = np.sqrt(c)\n    return c, d, np.zeros(3), np.roll(a, 1, axis=0)\n", (GRID, GRID)),
    "overlap": (
        "def f(a, b):\n    a[1:] = a[:-1]\n    a[:, 1:] = a[:, :-1]\n    a[...] = a[::-1]\n    a.T[:6] = a[:, :6]\n    return a\n",
        (GRID, GRID),
    ),
    "overlap in a loop": ("def f(a, b):\n    for i in range(3):\n        a[1:] = a[:-1]\n        b = b + i\n    return a, b\n", (GRID, GRID)),
    "in place": ("def f(a, b):\n    a += b\n    a[1:-1] += a[2:] * a[:-2]\n    np.exp(b / 50, out=a)\n    return a, b\n", (GRID, GRID + 1)),
    "rolls": (
        "def f(a, b):\n    a[...] = np.roll(np.roll(a, 1, 1), -2, 0)\n    b[1:] = np.roll(b[:-1], 3, 0)\n    return np.roll(a, 2, 0), b\n",
        (GRID, GRID),
    ),
    "joins": (
        "def f(a, b):\n    c = np.concatenate([a * 2, b, a + b])\n    return c, np.stack([c, c], axis=1), np.hstack([a[0] - 1, 3.0])\n",
        (GRID, GRID),
    ),
    "masks": ("def f(a, b):\n    m = a > 9\n    c = a[m]\n    a[m] = c * 2\n    b[1:, m[0]] = a[:5, m[0]]\n    return b[:, m[1]], c\n", (GRID, GRID)),
    "flags": ("def f(a, b):\n    a /= b\n    a[1:-1, 1:-1] += 0.5 * a[2:, 1:-1] / b[2:, 1:-1]\n    return a\n", (GRID, GRID)),
    "reductions": (
        "def f(a, b):\n    return a.sum(axis=0), a.max(axis=1, keepdims=True), a.mean(), a - a.mean(axis=-1, keepdims=True)\n",
        (GRID, GRID),
    ),
    "arrays without objects": (
        "def f(a, b):\n    i = np.array([1, 0, 2])\n    return (a[0] * b[0]).sum(), (a * 2).sum(1) @ b, a[i].sum(), (a[:, 0][i] + 1) @ b[i, 0]\n",
        (GRID, GRID),
    ),
    "carried by a loop": (
        "def f(a, b):\n    y = np.arange(6.0)\n    for i in range(5):\n        z = np.empty_like(y)\n        z[:] = y + a[i, :6]\n"
        "        z[i] += b[i, i]\n        y = z\n    return y[0] + y[-1]\n",
        (GRID, GRID),
    ),
    "views": (
        "def f(a, b):\n    c = a[1:, ::-1]\n    for i in range(3):\n        c = c[:, 1:]\n    d = np.sort(b[2:])\n    return c, d, a.T, b[::2]\n",
        (GRID, GRID),
    ),
    "beside what waits": (
        "def f(a, b):\n    z = a * 1\n    c = b * 1\n    d = b + 1\n    for i in range(7):\n        y = z * 0.5 + a\n        c += y * z\n"
        "        z = y\n    for i in range(3):\n        y = a * i\n        c += y\n        d += y / b\n    return z, c, d\n",
        (np.arange(5000.0), np.arange(5000.0) + 1),
    ),
    "views that end in an exit": ("def f(a, b):\n    c, d = a[1:], b[::2]\n    str(3)\n    return c + 1, d, c[0]\n", (GRID, GRID)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_allocation_fails_in_turn(name):
    run = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True)
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]


class Memory:
    """Counts the arrays that a helper makes, and fails to make one of them."""

    def __init__(self, name: str, *types: type) -> None:
        from pijit import _native
        from pijit.codegen import symbols

        kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, *types)
        self.real, self.own = kind(_native.symbols()[name]), kind(self.make)
        self.made, self.fails_at = 0, 0
        symbols.register({name: ctypes.cast(self.own, ctypes.c_void_p).value or 0})

    def make(self, *args: int) -> int | None:
        self.made += 1
        return None if self.made == self.fails_at else self.real(*args)


def main(name: str) -> None:
    from differential import clone, describe, observe, settings, subject_of

    import pijit
    from pijit.codegen import emit

    emit.ready()  # registers the helpers
    word, pointer = ctypes.c_int64, ctypes.c_void_p
    memories = {
        "pj_empty": Memory("pj_empty", word, word, pointer, word),
        "pj_scratch": Memory("pj_scratch", word, word, word, pointer, word, pointer),
        "pj_empty_later": Memory("pj_empty_later", word, word, pointer, word),
        "pj_scratch_later": Memory("pj_scratch_later", word, word, word, pointer, word, pointer),
        "pj_kernel_into": Memory("pj_kernel_into", pointer, pointer, pointer),
        "pj_assign": Memory("pj_assign", pointer, pointer, word, word, pointer),
        "pj_roll": Memory("pj_roll", pointer, pointer, word, word, pointer),
        "pj_view": Memory("pj_view", pointer, pointer, word, word, pointer, pointer, word),
    }
    source, args = PROGRAMS[name]
    expected = subject_of(source, "f").make().run([(args, {})])[0]
    with settings(compile_all=True, raise_internal=True):
        instance = subject_of(source, "f").make()
        instance.jit({})
        instance.run([(args, {})])
        for helper, memory in memories.items():
            memory.made = memory.fails_at = 0
            compare(expected, instance.run([(args, {})])[0], helper)
            for number in range(1, memory.made + 1):
                memory.made, memory.fails_at = 0, number
                compare(expected, observe(instance.function, clone(args), {}, None), helper)
                assert memory.made >= number, "nothing failed"
    assert describe(pijit.stats(instance.function).compiles) != 0


def compare(expected, got, helper):
    """A view that cannot be made may be an argument or a result: then it is a MemoryError of the program."""
    if helper == "pj_view" and got.exception is not None:
        assert got.exception[0] is MemoryError, got.exception
        return
    for field in ("result", "exception", "arguments", "sharing", "warnings"):
        a, b = getattr(expected, field), getattr(got, field)
        if field == "warnings":  # of files with other names
            a, b = ([(w[0], w[1], w[3]) for w in x] for x in (a, b))
        assert a == b, (helper, field, a, b)


if __name__ == "__main__":
    main(sys.argv[1])
