"""Arrays that are converted only to look at parts of them: `opt/casts.py`."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

import pijit

pytestmark = pytest.mark.shared

STENCIL = "def f(a):\n    x = a.astype(np.{to})\n    return x[:-2, 1:-1] + x[2:, 1:-1] * 2 - x[1:-1, ::-1][:, 1:-1]\n"
A = np.random.default_rng(5).integers(0, 256, (9, 12), dtype=np.uint8)
LAYOUTS = [
    A, A[:2], A[:3, :3], A[:, :2], A[:0], A[:, :0], np.asfortranarray(A), A.T, A[::2, ::3], A[::-1], np.broadcast_to(A[0], (5, 12)),
    A[:1], A > 99, A.astype(np.int8), A.astype(np.float32) - 0.5, A.astype(">i2"),
]  # fmt: skip


@pytest.mark.parametrize("to", ["int32", "int64", "float64", "float32", "complex128", "int8"])
def test_layouts(to):
    check_calls(STENCIL.format(to=to), [(a,) for a in LAYOUTS], configurations=("jit",))
    check_calls(STENCIL.format(to=to), [(A,), (A[:2],), (A > 99,)])


def test_special_numbers():
    a = np.array([np.nan, -0.0, np.inf, -np.inf, 1e-45, 3e38, 0.1], np.float32)
    for to in ("float64", "complex128"):
        check_calls(f"def f(a):\n    x = a.astype(np.{to})\n    return x[1:] + x[:-1], x[::-2] * x[::2]\n", [(a,), (a[::-1].copy(),), (a[:1],)])


PROGRAMS = {
    "used": "x = a.astype(np.int32)\n    return x[1:] + x[:-1], x",
    "whole": "x = a.astype(np.int32)\n    return x[1:] + x[:-1], x * 2",
    "sum": "x = a.astype(np.int32)\n    return (x[1:] + x[:-1]).sum(), x[1:].sum()",
    "stretched": "x = a.astype(np.int32)\n    return x[:1] + x, x[:, :1] * x[:, 1:]",
    "vector": "x = a.astype(np.int32)\n    return x[0] + x[:, :1]",
    "written": "x = a.astype(np.int32)\n    a[0] = 7\n    return x[1:] + x[:-1]",
    "written after": "x = a.astype(np.int32)\n    y = x[1:] + x[:-1]\n    a[0] = 7\n    return y + x[1:]",
    "itself": "x = a.astype(np.int32)\n    x[0] = 7\n    return x[1:] + x[:-1]",
    "strides": "x = a.astype(np.int32)\n    return x[1:] + x[:-1], x.strides, x.shape, x[1:].strides",
    "index": "x = a.astype(np.int32)\n    return x[1:] + x[:-1], x[-1, -1]",
    "kept view": "x = a.astype(np.int32)\n    v = x[1:]\n    return v + x[:-1], v",
    "loop": "x = a.astype(np.int32)\n    s = x[1:] * 0\n    for i in range(3):\n        s = s + x[1:] * i - x[:-1]\n    return s",
    "in a loop": "s = 0.0\n    for i in range(3):\n        x = a.astype(np.float64)\n        s = s + x[1:] * i - x[:-1]\n    return s",
    "roots": "x = a.astype(np.float64)\n    return np.sqrt(x[1:] - x[:-1]), np.exp(x[1:]) / x[:-1]",
    "raises": "x = a.astype(np.float64)\n    y = x[1:] + x[:-1]\n    z = x[1:] - y\n    return z + x[:, 2:]",
    "many": "x = a.astype(np.int64)\n    return " + " + ".join(f"x[{i}:, {j}:][:2, :2]" for i in range(3) for j in range(4)),
    "views of views": "x = a.astype(np.int32)[1:, 1:]\n    return x[1:] - x[:-1], x.T[1:] + 1, x[::-1, ::-1] * x",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    a = A[:5, :6].copy()
    check_calls(f"def f(a):\n    {PROGRAMS[name]}\n", [(a.copy(),), (a[:1].copy(),), (a.T,), (a[:, ::2],), (a.astype(np.float32),)])


def test_nothing_is_made():
    """One kernel reads the small elements, wherever its parts lie."""
    source = "def f(a, n):\n    x = a.astype(np.float64)\n    return x[n:] * x[:-n] + x[n:]\n"
    namespace = {"np": np}
    exec(source, namespace)
    f = pijit.jit(namespace["f"])
    f(A, 2)
    (kernel,) = (line for line in str(pijit.explain(f)).splitlines() if line.strip().startswith("kernel"))
    assert "a0: uint8" in kernel
    assert "a1: uint8" in kernel
    assert "a2" not in kernel
