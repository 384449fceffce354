"""What is made for np.bincount, np.add.at and np.subtract.at alone is fed to them strip by strip (opt/scattered.py): nobody can tell."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(8)
BODIES = {  # lines of a function of x and q, floats, i, ints from 0 to 99, and n, which is 100; "*" where several strips give a kernel each
    "counts": "return np.bincount((x * n).astype(int), minlength=n)",
    "few": "return np.bincount((x * 5).astype(np.uint8) // np.uint8(2), minlength=3)",
    "bytes": "return np.bincount((x * n).astype(np.uint8), minlength=256)",
    "weights": "return np.bincount(i, x * q, n)",
    "weights of places that are made": "return np.bincount((i + 3) % n, q[::-1], minlength=n)",
    "two counts": "return np.bincount(i // 3, x * q, n), np.bincount(i // 2, x - q, minlength=n)",
    "more bins": "return np.bincount(i * 7, x * q, n), np.bincount(i + 1, x - q, minlength=n - 1)",
    "more and more bins": "j = np.arange(len(x)) // 5 | return np.bincount(j, x * q, n // 20), np.bincount(j * 3, x + q, n // 20)",
    "no bins": "return np.bincount(i * 7, x * q, n - 100)",
    "sums": "s = np.zeros(n) | np.add.at(s, i, x * q) | return s",
    "from the end": "s = np.zeros(n) | np.subtract.at(s, i - n, x * q) | return s",
    "ints": "s = np.zeros(n, np.int64) | k = (x * n).astype(int) | np.add.at(s, k, k * 9) | np.subtract.at(s, (k + 1) % n, k) | return s",
    "one number": "s = np.ones(n) | np.add.at(s, (i + 1) % n, 2.5) | return s",
    "small floats": "s = np.zeros(n, 'f4') | np.add.at(s, i, (x * q).astype('f4')) | return s",
    "twice*": "s = np.zeros(n) | y = x * 90 | k = y.astype(int) | r = y - k | np.add.at(s, k, q * (1 - r)) | np.add.at(s, (k + 1) % n, q * r)"
    " | return s",
    "twice, of others": "s = np.zeros(n) | np.add.at(s, i, x * q) | np.add.at(s, i, x) | np.add.at(s, (i + 1) % n, x - x * q) | return s",
    "in turns": "s = np.zeros(n) | v = x * q | np.add.at(s, i, v) | np.add.at(s, i, x) | np.add.at(s, i, v * x) | return s",
    "two": "s, t = np.zeros(n), np.zeros(n) | k = (x * n).astype(int) | np.add.at(s, k, x * x) | np.subtract.at(t, k - n, x) | return s, t",
    "sums and counts": "s = np.zeros(n) | k = (x * n).astype(int) | np.add.at(s, k, q + x) | return s, np.bincount(k, minlength=n)",
    "sine": "s = np.zeros(n) | np.add.at(s, i, np.sin(x)) | np.add.at(s, i, np.sin(x) * q) | return s",
    "in a loop": "s = np.zeros(n) | for k in range(3): |     s = s + np.bincount(i, x * k, n) | return s",
    "it came in": "np.add.at(q, i, x * 2) | return q.sum()",
    "it is seen": "s = np.zeros(n) | a = [s] | np.add.at(s, i, x * q) | print(a) | np.add.at(s, i, x / q) | return s",
    "it was read": "s = np.ones(n) | t = s * 2 | np.add.at(s, i, x * t[3]) | return s, t",
    "it is read": "s = np.ones(n) | np.add.at(s, i, x * q) | m = s[3] | np.add.at(s, i, x * m) | return s",
    "it is added": "s = np.ones(n) | np.add.at(s, i[:n] * 0 + 1, s[:len(i)] * 2) | return s",
    "for its warnings": "k = (x * 9).astype(int) | r = x - k | return np.bincount(i, x * q, n)",
    "for its warnings, in turns": "k = (x * 9).astype(int) | s = np.zeros(n) | r = x - k | np.add.at(s, i, x * q) | np.add.at(s, i, x - q)"
    " | return s",
    "kept": "v = x * q | return np.bincount(i, v, n), v",
}  # fmt: skip


def source(name):
    return "def f(x, q, i, n):\n" + "".join(f"    {line}\n" for line in BODIES[name].split(" | "))


def arguments(n):
    return RNG.random(n), RNG.standard_normal(n), RNG.integers(0, 100, n), 100


@pytest.mark.parametrize("name", BODIES)
def test_programs(name):
    calls = [arguments(n) for n in (100, 1, 0, 1024, 1025, 3000)]
    calls.append((*(a[::-3] for a in calls[-1][:3]), 100))
    check_calls(source(name), calls, configurations=("jit",))
    if name in ("twice*", "sums and counts"):
        check(source(name), *arguments(3), 100)


FAILURES = {  # what is at one place of x, q, i
    "not a number": (np.nan, np.nan, 3),
    "too large": (1e300, 1e300, 2),
    "infinite": (np.inf, 0.0, 2),
    "no place": (0.5, 0.5, 1000),
    "negative": (-3.0, 0.5, -101),
    "far": (0.5, 0.5, 2**62),
}


WARN = ["for its warnings", "for its warnings, in turns"]


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("name", ["counts", "weights", "two counts", "sums", "from the end", "ints", "twice*", "two", "sums and counts", *WARN])
def test_what_fails_in_the_middle(name, failure):
    """Of a strip, and of the first, the second, and the last one."""
    if failure == "far" and "count" in name + source(name):
        return  # that many bins there are not
    calls = [arguments(4000)]
    for place in (0, 1500, 3999):
        calls.append(tuple(a.copy() if isinstance(a, np.ndarray) else a for a in calls[0]))
        for array, value in zip(calls[-1], FAILURES[failure], strict=False):
            array[place] = value
    check_calls(source(name), calls, configurations=("jit",))


def test_sums_that_overflow():
    """Flags of what is added count, those of np.bincount do not."""
    x, q, i, n = arguments(4000)
    x[2000:2050], q[2000:2050], i[2000:2050] = 1e308, 1.0, 4
    for name in ("sums", "two", "twice*", "weights"):
        check_calls(source(name), [(x, q, i, n), arguments(50)], configurations=("jit",))
    quiet = source("sums").replace("    np.add", "    with np.errstate(over='ignore'):\n        np.add")
    check_calls(quiet, [(x, q, i, n)], configurations=("jit",))


@pytest.mark.parametrize("name", ["counts", "weights", "sums", "twice*", "two", "small floats"])
def test_nothing_is_in_memory(name):
    space = {"np": np}
    exec(source(name), space)
    function, args = pijit.jit(space["f"]), arguments(200_000)
    function(*args)
    graph = str(pijit.explain(function, *args)).partition("  graph\n")[2]
    assert graph.count("kernel_scattered ") == 1 + name.endswith("*"), graph
    tracemalloc.start()
    function(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000, peak
