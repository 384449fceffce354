"""Results in the place of arrays that nobody needs any more."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(9)

PROGRAMS = {
    "picked": "return z[m] * z[m] + 1",
    "square": "z[m] = z[m] * z[m] + c[m]\n    return z",
    "both": "return z[m] + c[m], z[m] - c[m]",
    "shared": "x = z[m]\n    y = x * 2\n    return x, y",
    "named": "x = z[m]\n    y = x * 2 + 1\n    x = y\n    return x + y",
    "seen in between": "x = z[m]\n    y = x * 2\n    k = x.sum()\n    return y * k",
    "reduced": "x = z[m]\n    s = x.sum()\n    return x * 3 - 1, s",
    "view of it": "x = z[m]\n    v = x[1:]\n    y = x * 2\n    return y, v",
    "view of the result": "y = z[m] * 2\n    v = y[::-1]\n    y[0] = 5\n    return v",
    "rolled": "return np.roll(z, 2) * c + 1",
    "taken": "return z[[2, 0, 1]] * c[:3]",
    "stretched": "return z[[1]] * c",
    "another dtype": "return z[m] > 0.5, z[m] * 1j",
    "product": "a = z[:4].reshape(2, 2)\n    return a @ a / 3.0 + 1",
    "elementary": "return np.exp(z[m]) * c[m], np.exp(z[m])",
    "twice": "x = z[m] * 2\n    y = c[m] * 2\n    return x, y, x + y",
    "written meanwhile": "x = z[m]\n    z[0] = 7\n    return x * 2 + z[m]",
    "loop": "for i in range(4):\n        z[m] = z[m] * 0.5 + i\n        c[m] += np.roll(z, i)[m] * 2\n    return z, c",
    "divided": "return 1 / z[m], z[m] / 0",
    "too large": "x = z[m] * 1e308\n    return x * c[m] * 1e308",
    "raises": "with np.errstate(all='raise'):\n        return 1 / (z[m] - z[m])",
    "at the end": "x = z[m]\n    try:\n        return x * 2 / len(x)\n    finally:\n        c[0] = x[0]",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("n", [9, 5000])
@pytest.mark.parametrize("dtype", [float, complex])
def test_programs(name, n, dtype):
    z = RNG.random(n).astype(dtype)
    source = f"def f(z, c, m):\n    {PROGRAMS[name]}\n"
    if n == 9:
        check(source, z, z[::-1] * 0.5, z.real > 0.4, calls=3)
    else:
        check_calls(source, [(z, z[::-1] * 0.5, z.real > 0.4)] * 2)


@pytest.mark.parametrize("n", [10, 3000, 200_000])
def test_where_it_fails(n):
    """An overflow in the last element only: what was picked is picked again."""
    z = np.linspace(0.1, 1.0, n)
    late = z.copy()
    late[-1] = 1e200
    source = "def f(z, m):\n    x = z[m] * z[m]\n    return x, z[m] / z[m] + 1\n"
    check_calls(source, [(z, z > 0), (late, z > 0), (late * 0, z > 0), (z, z < 0)], configurations=("jit",))


def test_what_numpy_made():
    """An exit there must find the product as it was."""
    source = "import numpy as np\ndef f(a, b):\n    return np.matmul(a, b) * b / 0.5 - 1\n"
    a = RNG.random((130, 130))
    check_calls(source, [(a, a), (a, a * 1e308), (a * 0, a)], configurations=("jit",))


# What is on the value stack where a fragment begins, behind the call in the denominator: new, or held by somebody else too.
ON_THE_STACK = {
    "made": "return (z * 2) / LATER",
    "argument": "return z / LATER",
    "named": "w = z * 2\n    return w / LATER, w",
    "named on the way": "return (w := z * 2) / LATER, w",
    "part of another": "return (z * 2)[1:] / LATER",
    "part whose owner lives": "w = z * 2\n    v = w[1:] / LATER\n    return v, w",
    "item": "return keep[0] / LATER, keep",
    "cached or made": "return [pick(z, i) / LATER for i in (0, 1, 0, 2)], keep",
    "known weakly": "w = weakly(z * 2) / LATER\n    return w, refs.pop()() is w and z.nbytes < 4096",
    "read only": "return frozen(z * 2) / LATER",
    "twice": "return twice(z * 2) / LATER",
    "seen by another": "return both(z * 2) / LATER, keep",
    "used again": "w = (z * 2) / LATER\n    return w, w * 2, z",
    "reduced": "return ((z * 2) / LATER).sum()",
    "rows": "return (z.reshape(-1, 1) * z[:3]) / LATER * 2 + z[1]",
    "another dtype": "return (z * 2) > LATER, (z * 2) * (LATER * 1j)",
    "loop": "s = z\n    for i in range(6):\n        s = s + (z * i) / LATER * 3\n    return s",
    "zero": "return (z * 2) / (LATER - 3.0)",
    "too large": "return (z * 1e300) * (LATER * 1e8)",
    "raises": "with np.errstate(all='raise'):\n        return (z * 2) / (LATER - 3.0)",
    "raises late": "try:\n        return (z * 2) / (LATER - z[-1] / z[-1] * 3)\n    finally:\n        z[0] = 4",
}
MAKERS = """
import weakref
import numpy as np
keep, refs = [np.arange(5.0)], []
def pick(z, i):
    print(end='')
    return z * 2 if i else keep[0]
def weakly(w):
    refs.append(weakref.ref(w))
    return w
def frozen(w):
    w.flags.writeable = False
    return w
def twice(w):
    return (w, w)[len(refs) > 0]
def both(w):
    keep.append(w)
    return w
"""


@pytest.mark.parametrize("name", ON_THE_STACK)
@pytest.mark.parametrize("n", [0, 1, 9, 70_000])
def test_values_on_the_stack(name, n):
    text = ON_THE_STACK[name].replace("LATER", "(print(end='') or 3.0)")
    z = np.linspace(0.5, 1.5, max(n, 3) if name == "rows" else n)
    source = f"{MAKERS}def f(z):\n    {text}\n"
    if n == 9:
        check(source, z, calls=3, entry="f")
    else:
        check_calls(source, [(z,)] * 3, entry="f", configurations=("jit",))


def test_a_value_on_the_stack_is_alone_or_it_is_not():
    """One fragment for each."""
    source = f"{MAKERS}def f(z, i):\n    return pick(z, i) / 3.0\n"
    space = {}
    exec(source, space)
    f, z = pijit.jit(space["f"]), np.arange(5.0)
    pick = space["pick"]
    for i in (1, 1, 0, 1, 0, 0, 1):
        assert (f(z, i) == pick(z, i) / 3.0).all()
        assert (space["keep"][0] == np.arange(5.0)).all()


def peak(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            function(*args)
        tracemalloc.start()
        try:
            function(*args)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def escape(z, c, m):
    z[m] = z[m] * z[m] + c[m]


def later(x):
    return (x * 2) / (print(end="") or 3.0) + 1


def centred(x):
    d = x - x.mean(axis=0)
    return d.T @ d / (len(x) - 1.0)


@pytest.mark.parametrize(("function", "args"), [
    (escape, (RNG.random(100_000) * 1j, RNG.random(100_000) + 0j, RNG.random(100_000) > 0.1)),
    (centred, (RNG.random((300, 280)),)),
    (later, (RNG.random(100_000),)),
])  # fmt: skip
def test_memory(function, args):
    assert peak(pijit.jit(function), *args) <= 1.01 * peak(function, *args)
