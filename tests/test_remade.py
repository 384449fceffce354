"""What several kernels need is made by each of them where that is cheaper than memory, and nothing is kept for exits alone."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(21)

PROGRAMS = {
    "normalised": "d = x - x.mean(axis=1, keepdims=True)\n    return d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5)",
    "every pair": "d = x[:, None, :] - x[None, :, :]\n    r = (d * d).sum(axis=2)\n    return (d * (r + 1.0)[:, :, None]).sum(axis=1)",
    "returned as well": "d = x - y\n    s = (d * d).sum(axis=0)\n    return d * s, d",
    "written meanwhile": "d = x - 1.0\n    s = (d * d).sum(axis=0)\n    x[0] = 7.0\n    return d * s",
    "written by a kernel meanwhile": "d = x - 1.0\n    s = (d * d).sum(axis=0)\n    x *= 2.0\n    return d * s, x",
    "its own place": "d = x - 1.0\n    s = (d * d).sum(axis=0)\n    d *= s\n    return d",
    "viewed": "d = x - 1.0\n    s = (d * d).sum(axis=0)\n    return d[::-1] * s",
    "three times": "d = -x\n    s = (d * d).sum(axis=0)\n    e = d * s\n    t = e.sum(axis=0)\n    return d - (d + t).sum(axis=1).sum() * t",
    "twice over": "a = x - 1.0\n    b = a * 3.0\n    s = (b + a).sum(axis=0)\n    return (b * s).sum(axis=1), a - s",
    "flat and not": "d = x - x[:1]\n    s = (d * d).sum()\n    return d * s",
    "stretched later": "d = x[0] - 2.0\n    s = (d * d).sum()\n    return x * d * s",
    "with an index": "d = x - y\n    s = (d * d).sum(axis=0)\n    return d * s[k]",
    "a call in between": "d = x - y\n    s = (d * d).sum(axis=0)\n    t = np.sort(s)\n    return d * t",
    "two steps": "d = (x - y) * 0.5\n    s = (d * d).sum(axis=0)\n    return d - s",
    "an assignment": "d = x - 1.0\n    s = (d * d).sum(axis=0)\n    y[...] = d * s\n    return y",
    "maximum": "d = x - 1.0\n    s = np.exp(d).sum(axis=1, keepdims=True)\n    return np.exp(d) / s",
    "unequal": "d = x - y\n    s = (d * d).sum(axis=0)\n    return d * s[1:]",
    "in turn": "for i in range(3):\n        d = x - y.mean(axis=0)\n        y = d / ((d * d).sum(axis=0) + 1.0)\n    return y",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.complex128])
def test_programs(name, dtype):
    x = (RNG.standard_normal((6, 5)) * 8).astype(dtype)
    y = (RNG.standard_normal((6, 5)) * 8).astype(dtype)
    source = f"import numpy as np\ndef f(x, y, k):\n    {PROGRAMS[name]}\n"
    check(source, x, y, 2, calls=3)


@pytest.mark.parametrize("name", PROGRAMS)
def test_arrays(name):
    """One compilation for all of them, and what it raises and warns of."""
    source = f"import numpy as np\ndef f(x, y, k):\n    {PROGRAMS[name]}\n"
    x = RNG.standard_normal((40, 6))
    late, empty = x.copy(), np.empty((0, 6))
    late[-1, -1] = 1e200
    calls = [(x, x * 0.5, 2), (late, x, 0), (x * np.nan, x, 1), (x * np.inf, x, 1), (empty, empty, 1), (x[:1], x[:1], 3), (x, x, 9)]
    calls += [(x[::-1], x[:, ::-1], 1), (x.T, x.T.copy(), 1), (x, x, 1), (x[:, :0], x[:, :0], 0)]
    check_calls(source, calls, configurations=("jit",))


@pytest.mark.parametrize("state", ["raise", "ignore", "call"])
def test_error_states(state):
    source = """
import numpy as np
def f(x):
    with np.errstate(all=STATE, call=lambda *what: None):
        d = x - x.mean(axis=0)
        s = (d * d).sum(axis=0)
    return d / s
""".replace("STATE", repr(state))
    x = RNG.standard_normal((9, 4))
    check_calls(source, [(x,), (x * 1e200,), (x * 0,), (x * np.inf,)] * 2)


def test_kernels():
    """The difference is in no array."""

    @pijit.jit
    def f(x):
        d = x - x.mean(axis=1, keepdims=True)
        return d / np.sqrt((d * d).mean(axis=1, keepdims=True))

    f(RNG.random((4, 5)))
    kernels = [line for line in str(pijit.explain(f)).splitlines() if line.startswith("  kernel")]
    assert sum("subtract" in line for line in kernels) == 2
    assert not any("subtract" in line and "out s0" in line for line in kernels)


def test_it_costs_no_more_memory():
    """Of two whole arrays it is read, not made again."""

    @pijit.jit
    def f(x, y):
        d = x - y
        return d * (d * d).sum(axis=0)

    f(RNG.random((4, 5)), RNG.random((4, 5)))
    kernels = [line for line in str(pijit.explain(f)).splitlines() if line.startswith("  kernel")]
    assert sum("subtract" in line for line in kernels) == 1
