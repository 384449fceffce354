"""np.roll, natively and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

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
