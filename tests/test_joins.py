"""np.concatenate and its relatives, natively and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

X = np.random.default_rng(11).standard_normal((6, 8))
V = X[0].copy()
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e308])
LAYOUTS = {
    "vector": V, "reversed": V[::-1], "every second": V[::2], "column": X[:, 3], "one": V[:1], "none": V[:0], "special": SPECIAL,
    "matrix": X, "fortran": np.asfortranarray(X), "transposed": X.T, "part": X[1:5, 2:7], "upside down": X[::-1], "steps": X[::2, ::-3],
    "one row": X[:1], "one column": X[:, :1], "no rows": X[:0], "no columns": X[:, :0], "nothing": X[:0, :0], "cube": X.reshape(3, 4, 4),
    "flat cube": X.reshape(6, 1, 8), "repeated": np.broadcast_to(V, (3, 8)), "0-d": np.array(2.5), "small": X[:2, :2].astype(np.int8),
    "bool": X > 0, "complex": X.astype(np.complex64) * 1j, "swapped": X.astype(">f8"), "half": X.astype(np.float16), "text": np.array(["a", "b"]),
    "object": np.array([1, "a"], object), "masked": np.ma.array(V, mask=V > 0), "read only": np.broadcast_to(2.0, 4),
}  # fmt: skip
FORMS = """np.concatenate([a, b]) | np.concatenate((a, b), axis=-1) | np.concatenate([a, b, a], 1) | np.stack([a, b]) | np.stack((a, b), axis=-1)
    | np.stack([a, b], 1) | np.vstack([a, b]) | np.hstack((a, b)) | np.column_stack([a, b]) | np.append(a, b) | np.append(a, b, axis=0)
    | np.append(a, 2) | np.concatenate(([0, 1.5], a)) | np.hstack((a, 2.5, b)) | np.concatenate([a, [True]]) | np.concatenate([a, []])
    | np.concatenate([a, [2**70]]) | np.concatenate([a, a[:0]]) | np.concatenate([a]) | np.concatenate([a, b], axis=None)
    | np.concatenate([a, b], dtype=np.complex128) | np.concatenate([a, b], axis=2) | np.concatenate([])"""
MADE = """np.concatenate([a * 2, b + 1]) | np.stack([-a, a * b]) | np.concatenate([a - 1, a, b * a], axis=-1) | np.stack([a + b, a - b], axis=-1)
    | np.vstack([a + 1, b])"""


def each(forms):
    """All of them in one function, in which what raises says so."""
    line = "    try:\n        out.append({})\n    except Exception as e:\n        out.append((type(e), str(e)))\n"
    lines = [line.format(form.strip()) for form in forms.split("|")]
    return "def f(a, b):\n    out = []\n" + "".join(lines) + "    return out, [x.strides for x in out if isinstance(x, np.ndarray)]\n"


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("forms", [FORMS, MADE], ids=["arrays", "kernels"])
def test_layouts(name, forms):
    a = LAYOUTS[name]
    others = [a, a * 1 if a.dtype.kind in "fci" else a, V, X, a[..., ::-1] if a.ndim else a, X.astype(np.float32)]
    check_calls(each(forms), [(a, b) for b in others], configurations=("jit",))


@pytest.mark.parametrize("form", [form.strip() for form in f"{FORMS} | {MADE}".split("|")])
def test_each_alone(form):
    """So that what one leaves by does not keep the others from running natively."""
    pairs = [("vector", "column"), ("none", "vector"), ("one", "one"), ("matrix", "matrix"), ("no rows", "matrix"), ("one row", "no rows")]
    pairs += [("matrix", "part"), ("part", "steps"), ("transposed", "transposed")]
    calls = [(LAYOUTS[a], LAYOUTS[b]) for a, b in pairs for _ in range(2)]
    check_calls(f"def f(a, b):\n    return {form}\n", calls, configurations=("jit",))


PROGRAMS = {
    "a loop": "for i in range(3):\n        a = np.concatenate([a + i, a * b[0]])\n    return a",
    "names": "c = a + b\n    d = a - b\n    e = np.concatenate([c, d])\n    return e, e.sum()",
    "used again": "c = a + b\n    return np.concatenate([c, a - b]), c",
    "twice": "c = a + b\n    return np.concatenate([c, c])",
    "in between": "c = a + b\n    a[0] = 7\n    return np.concatenate([c, a * 2])",
    "several kernels": "c = np.exp(a)\n    d = a.sum()\n    return np.concatenate([c, (b - d) * 2, b])",
    "of the target": "a[...] = np.concatenate([a[1:] * 2, a[:1] - 1])\n    return a",
    "a view": "return np.stack([a + b, a - b])[:, ::-1].T",
    "joined again": "c = np.stack([a, b])\n    return np.concatenate([c * 2, c]) + np.vstack([c, c])",
    "flags": "return np.concatenate([a / b, np.sqrt(a)])",
    "flags later": "c = a * 2\n    d = b / a\n    print(len(c))\n    return np.concatenate([c, d + 1])",
    "shapes": "c = a * 2\n    return np.concatenate([c[None], np.stack([a, b, b - a]) * 2, b[None] + 1])",
    "sums": "return np.concatenate([a * b, [a.sum(), 2]]), np.append(a * b, b[-1])",
    "other dtypes": "return np.concatenate([a * 2, np.arange(len(b)), b > 0]), np.concatenate([np.arange(3), b > 0]), np.append(b > 0, 2)",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    for a, b in ((V, V[::-1]), (SPECIAL, SPECIAL * 0), (X[1:4, 0], X[0:3, 1]), (np.arange(3000) - 5.0, np.arange(3000.0)[::-1])):
        check(f"def f(a, b):\n    {PROGRAMS[name]}\n", a.copy() if name == "a view" else a, b, calls=3)


WRONG = ("np.concatenate([a * 2, b[1:] + 1])", "np.stack([a + 1, b[:2] * 2])", "np.concatenate([c, m * 2])", "np.concatenate([c, m])")


@pytest.mark.parametrize("wrong", WRONG)
def test_errors(wrong):
    check(f"def f(a, b, m):\n    c = a + b\n    return {wrong}\n", V, V, X, calls=3)


def test_stored_at_once():
    """What kernels make for a join alone is nowhere else."""

    def f(a, b, x):
        c = np.exp(a)
        return np.concatenate([a * b, x, c, a - b])

    def g(a, b):
        return np.stack([a * b, a - b], axis=1)

    found = str(pijit.explain(f, V, V, V[1:]))
    assert [found.count(f"{name} ") for name in ("kernel_at", "= kernel", " assign")] == [1, 0, 1]
    found = str(pijit.explain(g, V, V))
    assert [found.count(f"{name} ") for name in ("kernel_at", "= kernel", " assign")] == [0, 1, 2]


def test_growing_in_a_loop():
    """A length that grows from round to round is a number: one loop for all of them."""

    @pijit.jit
    def f(n):
        a = np.zeros((1, 3))
        v = np.zeros(1)
        for i in range(n):
            a = np.concatenate([a, a + i])
            v = np.append(v, i * 0.5)
        return a, v

    f(5)
    a, v = f(9)
    assert a.shape == (512, 3)
    assert v.tolist() == [0.0, *(i * 0.5 for i in range(9))]
    stats = pijit.stats(f)
    assert (stats.compiles, stats.hits, stats.exits) == (1, 2, 0), stats
