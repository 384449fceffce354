"""Operations on elements behind a bincount, histogram or add.at are done before it (opt/early.py): nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check

import pijit

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(5)
X, Q = RNG.random(900) * 8, RNG.standard_normal(900)
SPECIAL = np.array([0.5, 7.9, -0.0, 3.0, 1e-300, 2.5])
BEGIN = "def f(x, q, n):\n    i = x.astype(np.int64)\n    r = x - i\n"
BODIES = {  # lines behind that
    "two counts": "s = np.bincount(i, q * (1 - r), n) | return s + np.bincount((i + 1) % n, weights=q * r, minlength=n)",
    "two adds": "s = np.zeros(n) | np.add.at(s, i, q * (1 - r)) | np.add.at(s, (i + 1) % n, q * r) | return s",
    "what was there": "s = np.zeros(n) | s[1] = 3 | np.add.at(s, i, r) | s *= 2 | np.subtract.at(s, i, q / (r + 1)) | return s, r",
    "of what is added to": "s = np.zeros(n) | np.add.at(s, i, r) | t = s[:] * 2 | np.add.at(s, i, q * r) | return s, t",
    "it came in": "np.add.at(q, i, r) | t = q * r | np.add.at(q, i, t) | return q.sum()",
    "it may have come in twice": "np.add.at(q, i, r) | return np.bincount(i, x * r)",
    "a view of what came in": "s = q[:n] | np.add.at(s, i, r) | np.add.at(s, i, q * r) | return s",
    "a view": "t = np.zeros(2 * n) | s = t[::2] | np.add.at(s, i, r) | np.add.at(s, i, q * r + t[3]) | return t",
    "kept": "s = np.bincount(i, weights=r) | return s, np.bincount(i, weights=q * r), r",
    "more than before": "s = np.bincount(i, weights=r) | return s, np.bincount(i, weights=q * r), q / r, -r",
    "flags": "s = np.bincount(i, r) | return s, np.bincount(i, weights=q / r), np.bincount(i, np.sqrt(q - r))",
    "flags of the sum": "s = np.bincount(i, r) | t = s / (n - 8) | return t, np.bincount(i, weights=q * r)",
    "flags of an addition": "s = np.zeros(n) | np.add.at(s, i, r * 1e308 * 1.5) | np.add.at(s, i, q * r) | return s",
    "too large a place": "s = np.zeros(n // 2) | np.add.at(s, i, r) | np.add.at(s, i, q * r) | return s",
    "negative": "s = np.bincount(i, weights=r) | return s, np.bincount(i - 1, weights=q * r)",
    "lengths": "s = np.bincount(i, weights=r) | return s, np.bincount(i[1:], weights=q[1:] * r[:-1] + q)",
    "parts": "s = np.bincount(i[1:], q[1:] * r[1:]) | return s, np.bincount(i[:-1], q[1:] * r[:-1] + r[1:])",
    "parts of what was there": "s = np.bincount(i, q * r) | a = r[::2] | b = q[::2] | return s, np.bincount(i[::2] + 1, a * b)",
    "numbers": "s = np.bincount(i, q * r) | k = n * 0.5 + x[0] | return s, np.bincount(i, q * r * k), k",
    "lengths that are computed": "s = np.bincount(i, weights=r) | t = s * q[:n] | return t, np.bincount(i, q * r)",
    "histograms": "h, e = np.histogram(r, 8, (0.0, 8.0)) | g, _ = np.histogram(r * q, 8, (-4.0, 4.0)) | return h, g, e",
    "text between": "s = np.bincount(i, weights=r) | print(s) | return np.bincount(i, weights=q * r)",
    "a loop": "s = np.zeros(n) | for k in range(3): |     j = (i + k) % n |     p = x - j |     np.add.at(s, j, p)"
    " |     np.add.at(s, (j + 1) % n, q * p) | return s",
}  # fmt: skip


def source(name):
    return BEGIN + "".join(f"    {line}\n" for line in BODIES[name].split(" | "))


@pytest.mark.parametrize("name", BODIES)
def test_programs(name):
    calls = [(X, Q), (X[::-3], Q[:300]), (SPECIAL, SPECIAL * 0), (SPECIAL, SPECIAL[::-1] - 2), (X[:1], Q[:1]), (X[:0], Q[:0]), (X[:7], Q[:6])]
    for x, q in (*calls, (X[5:], X[:-5]), (X, X)):
        check(source(name), x, q, 8, calls=2)


@pytest.mark.parametrize("name", ["two counts", "two adds"])
def test_one_kernel(name):
    space = {"np": np}
    exec(source(name), space)
    graph = str(pijit.explain(space["f"], X, Q, 8)).partition("  graph\n")[2]
    (kernel,) = (line for line in graph.splitlines() if "kernel_scattered " in line and "remainder" in line)
    sinks = {"two counts": "(('bincount', 0, 1), ('bincount', 2, 3))", "two adds": "(('add', 0, 1))"}  # what is added to one array is so in turn
    assert kernel.partition("sinks=")[2].partition(" !")[0] == sinks[name]
    assert "f64[1]C = kernel" not in graph.replace(kernel, "") or name == "two counts"
