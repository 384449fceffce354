"""np.roll, natively and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

SOURCE = (
    "def f(a, n):\n    return (np.roll(a, n, axis=0), np.roll(a, 1, 0), np.roll(a, -1, axis=-1), np.roll(a, n), np.roll(a, shift=n, axis=0) + a,"
    " a - np.roll(a, -2, axis=0))\n"
)
X = np.random.default_rng(7).standard_normal((40, 60))
LAYOUTS = [
    X[0], X[0, ::-1], X[:, 3], X[0, 5:6], X[0, :0], X[:7, :9].copy(), X.T, X[::2, ::3], X[::-1], np.asfortranarray(X),
    X[:1], X[:, :1], X[:0], X[:, :0], X.reshape(4, 10, 60), X.astype(np.int8), X > 0,
    (X + 1j).astype(np.complex64), np.broadcast_to(X[0], (3, 60)), X.astype(">f8"),
]  # fmt: skip


@pytest.mark.parametrize("array", LAYOUTS, ids=range(len(LAYOUTS)))
def test_layouts(array):
    check_calls(SOURCE, [(array, n) for n in (2, 0, -1, 1000, -(2**62))], configurations=("jit",))


def test_every_configuration():
    check(SOURCE, X[:7, :9].copy(), 3)
    for call in ("np.roll(a, (1, 2), (0, 1))", "np.roll(a, 1.5)", "np.roll(a, 1, axis=7)", "np.roll(a, [1], axis=0)", "np.roll(a, np.int64(3), 0)"):
        check(f"def f(a):\n    b = a * 2\n    return b, {call}\n", X, calls=2, configurations=("jit",))
    check("def f(a):\n    for i in range(5):\n        a = a - 0.5 * (a - np.roll(a, i))\n        a[0] = 1\n    return a\n", X[0], calls=2)


def test_in_a_generator():
    """Capture ends in the middle of what a generator does; what it made until then is dead, the sizes too."""
    source = (
        "def f(g, k):\n    for _ in range(k):\n"
        "        g = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)) > 4\n    return g\n"
    )
    check(source, np.eye(5, dtype=bool), 4)


def test_shifts_of_numpy_and_several_axes():
    source = (
        "def f(a, n, k):\n    return (np.roll(a, n[0], axis=0), np.roll(a, (n[0], k), (0, 1)), np.roll(a, k, axis=(1, 0)),"
        " np.roll(a, (k, 1), axis=(-1, 0)),"
        " np.roll(np.roll(a, n[1], axis=1), k, axis=0), np.roll(np.roll(a, n[1], axis=1), k, axis=1), np.roll(a, (1, 2), (0, 0)))\n"
    )
    for dtype in (np.int64, np.uint8, np.int32):
        check_calls(source, [(X[:7, :9].copy(), np.array([3, 8], dtype), k) for k in (0, 5, -1, 200)], configurations=("jit",))
    check_calls("def f(a, n, k):\n    return np.roll(a, n, (0, 2)), np.roll(np.roll(a, k, 1), n, 2)\n", [(X.reshape(5, 8, 60), 7, 3)])


STORES = {
    "itself": "a[...] = np.roll(a, n, {axis})",
    "twice": "a[:] = np.roll(np.roll(a, n, axis=0), k, axis=-1)",
    "rows": "for i in range(3):\n        a[i] = np.roll(np.roll(a[i], n), k)",
    "overlap": "a[1:] = np.roll(a[:-1], n, axis=0)",
    "elsewhere": "b = np.zeros_like(a)\n    b[...] = np.roll(np.roll(a, n, axis=0), k, axis=-1)\n    a[0] = b[1]",
    "strided": "a[::2] = np.roll(np.roll(a[::2], n, axis=0), k, axis=-1)",
    "backwards": "a[::-1] = np.roll(a, n, axis=0)",
    "columns": "a[:, 1] = np.roll(a[:, 0], n, axis=0)",
    "stretched": "a[...] = np.roll(a[:1], n, axis=-1)",
    "used": "b = np.roll(a, n, axis=0)\n    c = np.roll(b, k, axis=-1)\n    a[...] = c\n    a[0] = b[1] + c[2]",
    "between": "b = np.roll(a, n, axis=0)\n    a[0] = 7\n    a[...] = np.roll(b, k, axis=-1)",
    "itself and more": "a[...] = np.roll(a, n, axis=0) + np.roll(a, k, axis=-1)",
}


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize("shape", [(7, 9), (4, 5, 6), (3, 1, 1), (3, 1, 8), (200, 300)], ids=str)
def test_stored(name, shape):
    """Into the array itself, what overlaps it, and others."""
    a = np.arange(np.prod(shape), dtype=float).reshape(shape)
    calls = [(n, k) for n in (0, 1, -1, 2, 3, 5) for k in (0, -1, 4)] if a.size < 1000 else [(1, -1), (101, 290)]
    layouts = [a, np.asfortranarray(a), a.astype(np.int8)] if a.size < 1000 else [a]
    source = f"def f(a, n, k):\n    {STORES[name].format(axis=0)}\n    return a.sum()\n"
    for layout in layouts:
        check_calls(source, [(layout.copy(order="K"), n, k) for n, k in calls], configurations=("jit",))


def test_stored_in_every_configuration():
    for name in ("itself", "twice", "rows", "overlap", "used"):
        check(f"def f(a, n, k):\n    {STORES[name].format(axis=0)}\n    return a.sum()\n", X[:7, :9].copy(), 2, 1, calls=2)
    check("def f(a, b, n):\n    a[...] = np.roll(b, n, axis=0)\n", X[:7, :9].copy(), X[:6, :9].copy(), 2)  # raises at the assignment



KERNELS = {
    "one": "return a - 0.5 * (a - np.roll(a, n))",
    "rows": "return a - 0.5 * (a - np.roll(a, n, axis=0))",
    "two": "return np.roll(a, n, axis=0) - 2 * a + np.roll(a, -n, axis=0) / np.roll(a, k, axis=0)",
    "of another": "b = a * 2\n    return np.roll(b, n, axis=0) / np.roll(a, k, axis=0)",
    "functions": "return np.exp(np.roll(a, n, axis=0)) * np.sin(a)",
    "two results": "r = np.roll(a, n, axis=0)\n    return a + r, a - r",
    "used again": "r = np.roll(a, n, axis=0)\n    return a / r, r",
    "written meanwhile": "r = np.roll(a, n, axis=0)\n    b = a - 1\n    a[1:] = b[1:]\n    return r + a",
    "last axis": "return a / np.roll(a, n, axis=-1)",
    "with a row": "return np.roll(a, n, axis=0) * a[0] - np.roll(a[:1], k, axis=0)",
    "sum": "return np.sum(a, axis=0) / np.roll(a[0], n)",
    "running": "return np.cumsum(np.roll(a, n) * 2) if a.ndim == 1 else a",
    "loop": "for i in range(3):\n        a = a - 0.25 * (a - np.roll(a, i + n, axis=0))\n    return a",
    "exit": "return np.roll(a, n, axis=0) * (1 / k) + a",
    "twice rolled": "return a - np.roll(np.roll(a, n, axis=0), k, axis=0)",
    "of two results": "b, c = a + 1, a * 2\n    a[:1] = 0\n    return b / np.roll(c, n, axis=0) - c",
    "complex": "return np.roll(a, n, axis=0) * 1j + a",
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_within_kernels(name):
    """What is rolled for a kernel alone, with warnings and without."""
    source = f"import numpy as np\ndef f(a, n, k):\n    {KERNELS[name]}\n"
    special = X[:7, :9].copy()
    special[2, 3], special[5] = np.inf, 0
    layouts = [X[0].copy(), X[:7, :9].copy(), special, X[::2, ::3], X[::-1], np.asfortranarray(X[:5, :6]), X[:1], X[:, :1], X[:0], X[:, :0]]
    layouts += [X.reshape(4, 10, 60).copy(), X.astype(np.float32), (X > 0).astype(np.int64), np.broadcast_to(X[0], (3, 60))]
    for layout in layouts:
        check_calls(source, [(layout.copy(order="K"), n, k) for n, k in ((1, 2), (-1, 0), (0, 5), (1000, -3))], configurations=("jit",))
    check_calls(source, [(special, 1, 2), (X[0].copy(), 1, 0)])


def test_moves_nothing_for_a_kernel_alone(caplog):
    """No array is made of what is rolled."""
    for body, moved in (("a - np.roll(a, 1)", 0), ("np.roll(a, 2) * 2 + np.roll(a, 1)", 0), ("(np.roll(a, 1), 1)[0]", 1)):
        space: dict = {"np": np}
        exec(f"def f(a):\n    return {body}\n", space)
        caplog.clear()
        with caplog.at_level("DEBUG", logger="pijit.graph"):
            assert pijit.jit(space["f"])(X[0].copy()).tobytes() == space["f"](X[0].copy()).tobytes()
        final = caplog.text[caplog.text.index("as compiled") :]
        assert final.count(" roll ") == moved


def test_within_kernels_under_other_error_states():
    """How warnings are treated is part of the guard."""
    a = X[:7, :9].copy()
    a[2, 3] = 0
    source = (
        "import numpy as np\ndef g(a):\n    return 1 / np.roll(a, 1, axis=0)\n"
        "def f(a, state):\n    with np.errstate(divide=state):\n        return g(a)\n"
    )
    check_calls(source, [(a, state) for state in ("warn", "ignore", "raise", "warn", "ignore", "raise")])
