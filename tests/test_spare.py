"""A loop that makes an array in each round and lets one go has its memory back; nobody can tell."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from differential import check

import pijit

pytestmark = pytest.mark.shared

PROGRAMS = {
    "rows": """
        def f(a, n):
            row = np.zeros(a.size)
            for i in range(n):
                new = np.empty_like(row)
                new[0] = i
                for j in range(1, row.size):
                    new[j] = row[j - 1] + a[j]
                row = new
            return row
        """,
    "kept": """
        def f(a, n):
            kept = []
            for i in range(n):
                b = a + i
                c = b * 2.0
                if i % 2:
                    kept.append(c)
            return kept
        """,
    "views": """
        def f(a, n):
            last = a
            for i in range(n):
                b = a + i
                last = b[1:] if i % 3 else last
            return last
        """,
    "two orders": """
        def f(a, n):
            total = np.zeros((3, 2))
            for i in range(n):
                b = np.full((2, 3), 1.0 * i)
                c = np.full((3, 2), 2.0 * i)
                d = np.asfortranarray(b)
                total = total + c + d.T
            return total
        """,
    "axes of one": """
        def f(a, n):
            seen = []
            for i in range(n):
                b = (a + i).reshape(1, -1).T * 2.0
                c = np.sort(a[None, :].T + i, axis=0)
                d = np.full((a.size, 1), 1.0 * i)
                e = np.full((1, a.size), 2.0 * i)
                seen.append((b.strides, c.strides, d.strides, e.strides, d.flags.c_contiguous, d.flags.f_contiguous, d, e[:, :1]))
                f = np.full((a.size, 1), 3.0)
                seen.append(f.sum())
            return seen
        """,
    "two types": """
        def f(a, n):
            total = 0.0
            for i in range(n):
                total += float((a + i).sum()) + int((a > i).sum()) + (a.astype(np.float32) * 2)[0]
            return total
        """,
    "weak references": """
        import weakref
        def f(a, n):
            found = []
            for i in range(n):
                b = a + i
                r = weakref.ref(b)
                found.append(r() is b)
                del b
                found.append(r() is None)
                c = a + i
                found.append(r() is None)
            return found
        """,
    "lent out": """
        def f(a, n):
            found = []
            for i in range(n):
                b = a + i
                found.append(memoryview(b)[0])
                c = a * i
                found.append(c[0])
            return found
        """,
    "several shapes": """
        def f(a, n):
            total = 0.0
            for i in range(n):
                b = a + i
                c = np.zeros((a.size + 1, 2))
                c[1:, 0] = b
                d = c[:-1] * 2 + i
                e = np.zeros((2, a.size + 2))
                e[1, 1:-1] += b
                g = np.full((a.size, 2), i, np.float32)
                total += d.sum() + e.sum() + float(g.sum())
            return total, b, c, d, e, g
        """,
    "more than are kept": """
        def f(a, n):
            found = []
            for i in range(2 * n):
                b = np.zeros((a.size, i % n + 1))
                b[:, -1] = a
                found.append(b.sum())
                c = np.zeros((i % 3 + 1, a.size)) - i
                found.append(c[0])
            return found
        """,
    "other steps": """
        def f(a, n):
            found = []
            for i in range(n):
                b = np.zeros((1, 4))
                found.append(b.strides)
                b.shape = (4, 1)
                found.append(b.strides)
                c = np.zeros((1, 4)) + i
                found.append(c.strides)
                c = c.T
                found.append(c.flags.c_contiguous)
            return found
        """,
}


def source(name):
    return "import numpy as np\n" + "\n".join(line[8:] for line in PROGRAMS[name].splitlines()[1:])


@pytest.mark.parametrize("size", [0, 1, 2, 3000])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nobody_can_tell(name, size):
    if name in ("lent out", "two types", "rows") and not size:
        size = 1
    size = min(size, 40) if name == "rows" else size  # element by element
    check(source(name), np.linspace(0.5, 3.5, size), 7, entry="f", calls=3)


def rounds(a, n):
    total = 0.0
    for i in range(n):
        b = a + i
        total += b[-1]
        del b
        c = np.sort(a)
        total += c[0]
    return total


def peak(function, *args):
    gc.collect()
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def test_no_memory_more():
    """Neither meanwhile, where something else needs memory, nor afterwards."""
    a = np.linspace(0.0, 1.0, 1_000_000)
    fast = pijit.jit(rounds)
    assert fast(a, 5) == fast(a, 5) == rounds(a, 5)
    left, most = peak(fast, a, 5)
    plain = peak(rounds, a, 5)
    assert most < plain[1] + 100_000
    assert left < 100_000


SHAPES = """
import resource
import numpy as np
import pijit

@pijit.jit
def staggered(h, n):
    for i in range(n):
        x = np.zeros((h.shape[0] + 1, h.shape[1]))
        y = np.zeros((h.shape[0], h.shape[1] + 1))
        x[1:-1] = h[1:] - h[:-1]
        y[:, 1:-1] = h[:, 1:] - h[:, :-1]
        h -= 0.1 * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])

def pages(n):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    staggered(h, n)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

h = np.random.default_rng(1).random((500, 500))
pages(2)
print(pages(2), pages(20))
"""


def test_arrays_of_several_shapes_have_their_memory_back():
    """Each new one that is asked of the system is there page by page when it is first written."""
    result = subprocess.run(
        [sys.executable, "-c", SHAPES], env=os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}, capture_output=True, text=True, check=True
    )
    few, many = map(int, result.stdout.split())
    assert many < 2 * few
