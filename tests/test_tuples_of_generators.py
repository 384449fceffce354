"""tuple(a + b for a, b in zip(u, v)): vectors as tuples, whose sums and products are generator expressions."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_stays_native, function_of

pytestmark = pytest.mark.shared

VECTORS = [(float(i), i + 0.5, 2.5) for i in range(30)]
LENGTHS = [(1.5,), (1.0, 2.0), (), (3.0, 4.0, 5.0), (1, 2.5, 3)] * 6
LISTS = [[0.5 * k for k in range(i % 5)] for i in range(30)]

PROGRAMS = {
    "sums": ("n = (0.0, 0.0, 0.0)\nfor v in vs:\n    n = tuple(a + b for a, b in zip(n, v))\nreturn n", VECTORS),
    "scaled": ("n = 0.0\nfor v in vs:\n    w = tuple(x * 2 for x in v)\n    n += w[0] * w[-1] + len(w)\nreturn n", VECTORS),
    "normalised": (
        "found = []\nfor v in vs:\n    n = sum(x * x for x in v) ** 0.5\n    found.append(tuple(x / n for x in v))\nreturn found", VECTORS),
    "a function": (
        "def add(u, v):\n    return tuple(a + b for a, b in zip(u, v))\nn = vs[0]\n"
        "for v in vs:\n    n = add(n, add(v, v))\n    x, y, z = n\nreturn n, x + z", VECTORS),
    "numbered": ("return [tuple(i * x for i, x in enumerate(v)) for v in vs]", VECTORS),
    "conditional": ("return [tuple(x if x > 3 else -x for x in v) for v in vs]", VECTORS),
    "filtered": ("return [tuple(x for x in v if x > 3) for v in vs]", VECTORS),
    "nested": ("return [tuple(tuple(x * y for y in v) for x in v) for v in vs]", VECTORS),
    "of pairs": ("return [tuple((x, str(x)) for x in v)[0] for v in vs]", VECTORS),
    "other lengths": ("return [tuple(x + 1 for x in v) for v in vs]", LENGTHS),
    "of lists": ("return [tuple(x + 1 for x in v) for v in vs], [len(tuple(x for x in v)) for v in vs]", LISTS),
    "a list and a tuple": ("return [tuple(x + y for x, y in zip(v, (1, 2, 3))) for v in vs]", LISTS),
    "raises": (
        "n = 0\nfor v in vs:\n    try:\n        n += tuple(3 / (x - 4) for x in v)[0]\n"
        "    except ZeroDivisionError:\n        n -= 1\nreturn n", VECTORS),
    "in a set": ("return len({tuple(int(x) % 4 for x in v) for v in vs}), {tuple(x for x in v): 1 for v in vs}", VECTORS),
    "the objects": ("return [[a is b for a, b in zip(v, tuple(x for x in v))] for v in vs]", VECTORS),
    "compared": ("return [tuple(x for x in v) == v for v in vs], [tuple(-x for x in v) < v for v in vs]", VECTORS),
    "more arguments": ("try:\n    return tuple((x for x in vs[0]), 1)\nexcept TypeError as e:\n    return str(e)", VECTORS),
}  # fmt: skip


@pytest.mark.parametrize("what", PROGRAMS)
def test_same_as_plain(what):
    body, vectors = PROGRAMS[what]
    check(function_of("vs", body), vectors)


@pytest.mark.parametrize("what", ["sums", "scaled", "normalised", "a function", "numbered", "conditional"])
def test_stays_native(what):
    body, vectors = PROGRAMS[what]
    check_stays_native(function_of("vs", body), vectors)


def test_items_that_are_arrays():
    check_calls(
        "def f(a, n):\n    rows = tuple(a[i] * 2 for i in range(3))\n    views = tuple(row[1:] for row in (a, a.T))\n"
        "    views[0][0] += n\n    return rows, views, tuple(x for x in (a, n, 'text', None))\n",
        [(np.arange(9.0).reshape(3, 3), 2.5), (np.arange(9.0).reshape(3, 3), 1)],
        entry="f",
    )
