"""Temporary arrays that no object is made for, unless an exit needs one."""

from __future__ import annotations

import resource
import tracemalloc

import numpy as np
import pytest
from differential import check_calls

import pijit
from pijit.codegen.owners import Owners

pytestmark = pytest.mark.shared

PROGRAMS = {
    "seen by an exit": "y = a * 2\n    s = y.sum()\n    n = len(p)\n    z = y / p\n    return z.sum() + s, n",
    "kept by a name": "y = a * 2\n    z = y + p\n    w = z.sum() / (y * p).sum()\n    print(y, z)\n    return w",
    "view seen by an exit": "y = (a * 2)[::-1]\n    s = y.sum() / p[0]\n    return s + y[0]",
    "strides": "y = a[i] * 1\n    return y.strides, y[1:].strides, y.sum(), y[::-1][0]",
    "given to Python": "y = a[i]\n    print(y)\n    return y.sum() + len(y)",
    "given to Python as a part": "y = a[i]\n    print(y[1:], y.tolist())\n    return (y * y).sum()",
    "view that lives on": "y = a[i]\n    v = y[1:]\n    return v, v.base is None, (v * v).sum()",
    "in a loop": "s = 0.0\n    for k in range(4):\n        y = a[i] * k\n        s += y.sum() / p[k % len(p)]\n    return s",
    "across a loop": "y = a[i]\n    s = 0.0\n    for k in range(len(y)):\n        s += y[k] * y.sum()\n    return s",
    "one of two": "y = a[i] if len(p) > 1 else a * 2\n    return y.sum()",
    "raised in between": "y = a[i] * 2\n    z = y.sum()\n    q = z / p.sum() + i[7]\n    return q + y.sum()",
    "stored": "y = a[i]\n    p[:] = y[0]\n    q = (y + 1) @ (y * 2)\n    return q, y @ y",
    "counted": "y = np.abs(i)\n    w = a[i] * 2\n    c = np.bincount(y, w, 3)\n    return c, np.bincount(y[::-1], w[::-1]) / p[0], w.sum() / p[0]",
    "counted, then seen": "y = i + 1\n    w = a[i] * 2\n    c = np.bincount(y, minlength=len(p))\n    print(y, w)\n    return c, np.bincount(y, w)",
    "binned": "y = a[i] * 2\n    w = y + 1\n    c = np.histogram(y, 3, (0, 9), weights=w)[0]\n    return c / p[0], np.histogram(y[::-1], 4, (-1, 9))",
    "places": "y = (i + 2) % len(p)\n    w = a[i] * 2\n    np.add.at(p, y, w)\n    np.subtract.at(p, y[::-1], w[::2])\n    return p, w.sum()",
    "added to": "y = a[i] * 2\n    np.add.at(y, i, p)\n    s = y.sum() / p[0]\n    np.add.at(y[::-1], i, y)\n    return s, y.sum()",
    "added to, then seen": "y = a[i] * 2\n    np.subtract.at(y, i, 1)\n    s = y.sum() / p[0]\n    print(y)\n    return s + y[i[0]]",
    "grids": "g = a[:, None] * a[None, :]\n    h = g.sum(axis=0) / p[0]\n    return h.sum(), g.max(axis=1), (g @ h).sum()",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    source = f"import numpy as np\ndef f(a, i, p):\n    {PROGRAMS[name]}\n"
    grid = np.arange(1.0, 6.0)
    index = np.array([3, 0, -1, 2, 2])
    calls = [(grid, index, np.ones(5)), (grid[::-1], index[::-1], np.zeros(5)), (grid, index, np.full(5, np.nan)), (np.full(5, 1e308), index, grid)]
    calls += [(grid[:1], index[1:2], np.zeros(1)), (grid[:0], index[:0], np.ones(0)), (grid, index[:0], np.ones(1))]
    check_calls(source, calls)
    for kind in ("raise", "ignore"):
        check_calls(source.replace("def f(", "def g(") + f"def f(a, i, p):\n    with np.errstate(all='{kind}'):\n        return g(a, i, p)\n", calls)


CARRIED = {
    "filled by elements": """
    y = np.arange(n)
    for k in range(5):
        z = np.empty_like(y)
        for j in range(5):
            z[j] = y[j] + i[k % 5] // p[j % len(p)]
        y = z
    return y[4], y[0]
""",
    "in turn": """
    y, z = np.zeros(n), np.ones(n)
    for k in range(n):
        z[k] = y[k - 1] + a[k % 5]
        y, z = z, y
    return y[0] / p[0], z[n - 1]
""",
    "by two names": """
    y = np.arange(float(n))
    z = y
    for k in range(1, n):
        y[k] += z[k - 1]
        if k == n - 2:
            y = np.ones(n)
    return y[-1], z[-1], i[k % 5] // 1
""",
    "from two places": """
    y = np.zeros(n) if p[0] else np.ones(n)
    for k in range(n):
        y[k] += a[k % 5]
    return y[-1] + y[0]
""",
    "kept by the first name": """
    y = first = np.full(n, 2.0)
    for k in range(3):
        y = y * a[k]
        y[0] = first[k] / p[k]
    return y[1], first[1]
""",
    "matrices": """
    y = np.zeros((n, 2))
    for k in range(4):
        z = y.T * 2
        z[1, k] = p[k % len(p)]
        y = z.T + a[k]
    return y[0, 1], y[-1, 0]
""",
    "seen at the end": """
    y = np.zeros(n)
    for k in range(4):
        z = np.empty(n)
        z[:] = y
        z[k] += 1 / p[k]
        y = z
    return y, z is y
""",
    "seen in the middle": """
    y = np.zeros(n)
    for k in range(4):
        z = y + a[k]
        z[0] = k
        if k == 2:
            print(y, z)
        y = z
    return y[1]
""",
    "unused": """
    y = z = np.zeros(n)
    for k in range(4):
        y = np.empty(n)
        y[0] = a[k]
        w = y[0] / p[k]
    return w, z[0]
""",
}


@pytest.mark.parametrize("n", [5, 600])
@pytest.mark.parametrize("name", CARRIED)
def test_carried_by_loops(name, n):
    """Small ones have no object, large ones have one that nobody sees; each exit in turn finds them."""
    source = f"import numpy as np\ndef f(a, i, p):\n    n = {n}{CARRIED[name]}"
    a, i = np.arange(1.0, 6.0), np.arange(5)
    ones = np.ones(5)
    calls = [(a, i, ones), (a, i, np.full(5, 2)), (a, i, np.arange(5) % 3 - 1), (a, i, np.zeros(5, int)), (a[:2], i, ones), (a, i[:3], ones[:1])]
    check_calls(source, calls)


@pytest.mark.parametrize(
    ("first", "then", "last", "scratch"),
    [
        ("y = np.zeros(3)", "", "y", 0),
        ("y = np.zeros(3)", "", "y[0]", 3),
        ("y = z = np.zeros(3)", "", "y[0] + z[0]", 0),
        ("y = np.zeros(3)", "z = y[1:]", "y[0] + z[0]", 1),  # only the first one is not looked into
    ],
)
def test_what_loops_give_away_has_no_object(first, then, last, scratch, monkeypatch):
    found = _found(monkeypatch)
    space = {"np": np}
    exec(f"def f(a, n):\n    {first}\n    for k in range(n):\n        y = y * a\n        {then}\n    return {last}\n", space)
    pijit.jit(space["f"])(np.arange(3.0), 3)
    assert len(found[-1]) == scratch


def temporaries(a, n):
    s = 0.0
    for _ in range(n):
        y = np.sqrt(a[1:] * a[:-1])
        s += y[::2].sum() + y.sum()
    return s


def breaking_off(a, n):
    s = 0.0
    for k in range(n):
        y = np.sqrt(a[1:] * a[:-1])
        s += y.sum() / (y[0] * (k % 2))
    return s


@pytest.mark.parametrize("program", [temporaries, breaking_off])
def test_memory_is_given_back(program):
    native = pijit.jit(program)
    a = np.ones(300)
    with np.errstate(all="ignore"):
        native(a, 100)
        before = _resident()
        native(a, 20_000)  # 48 MB, were it kept
    assert _resident() - before < 24 << 20


def test_large_ones_are_seen_by_tracemalloc_and_given_back():
    native = pijit.jit(temporaries)
    a = np.ones(1 << 18)
    native(a, 3)
    tracemalloc.start()
    try:
        native(a, 20)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert now < 1 << 18
    assert peak < 3 * a.nbytes


SCATTERS = {
    "bincount": "np.bincount(i * 2, a + 1)",
    "add.at": "np.add.at(p, i * 2, a + 1)",
    "histogram": "np.histogram(a + 1, 3, (0, 9), weights=a * 2)[0]",
}


@pytest.mark.parametrize("name", SCATTERS)
def test_what_is_only_scattered_has_no_object(name, monkeypatch):
    found = _found(monkeypatch)
    space = {"np": np}
    exec(f"def f(a, i, p):\n    return {SCATTERS[name]}\n", space)
    pijit.jit(space["f"])(np.arange(3.0), np.arange(3), np.zeros(9))
    assert len(found[-1]) == 2


def _found(monkeypatch):
    """What has no object, of each graph that is compiled."""
    found, find = [], Owners._never_objects
    monkeypatch.setattr(Owners, "_never_objects", lambda self, graph: found.append(find(self, graph)) or found[-1])
    return found


def _resident() -> int:
    with open("/proc/self/statm") as words:
        return int(words.read().split()[1]) * resource.getpagesize()
