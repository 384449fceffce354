"""Whether one may write: what is compiled for a read-only array is not what runs for one that may be written, nor the other way round."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

pytestmark = pytest.mark.shared

VIEWS = (
    "a[1:]", "a[::-1, 1]", "a.T", "a[None]", "a[..., 0]", "a.reshape(-1)", "a.ravel()", "a.real", "a.swapaxes(0, 1)", "a.squeeze()", "a.diagonal()",
    "np.broadcast_to(a, (2, 3, 4))", "np.flip(a)", "np.split(a, 3)", "[row for row in a]", "a.view()", "np.asarray(a)", "np.atleast_3d(a)", "a",
    "a.astype(float, copy=False)", "a.flags.writeable", "(a + 1)[1:]", "np.where(a > 2, a, 0)[1:]", "a.copy()[1:]", "np.expand_dims(a, 0)[0]",
)  # fmt: skip
STORES = ("a[0] = 1.0", "a += 1.0", "a[1:] *= 2.0", "a.T[0] = a[0, 0]", "a.fill(3.0)", "np.add(a, 1, out=a)", "a.sort()", "a[a > 2] = 0")
# How it comes in: what is handed over, and what the function takes out of it.
HOLDERS = {
    "argument": (lambda a: a, "x"),
    "list": (lambda a: [a, 1.0], "x[0]"),
    "dict": (lambda a: {"a": a}, "x['a']"),
    "view": (lambda a: a[None], "x[0]"),
    "rows": (lambda a: [a[None]], "next(iter(x[0]))"),
    "asked for": (lambda a: [a], "list.pop(x)"),
}


def arrays(first):
    """Of each kind some in turn."""
    made = []
    for number in (0, 0, 1, 1, 0, 1):
        array = np.arange(12.0).reshape(3, 4)
        array.flags.writeable = bool(number)
        made.append(array)
    return made if first == "read-only" else made[::-1]


@pytest.mark.parametrize("first", ["read-only", "writable"])
@pytest.mark.parametrize("holder", HOLDERS)
def test_views(holder, first):
    make, taken = HOLDERS[holder]
    for start in range(0, len(VIEWS), 5):
        text = "".join(f"    r.append({view})\n" for view in VIEWS[start : start + 5])
        check_calls(f"def f(x):\n    r = []\n    a = {taken}\n{text}    return r\n", [(make(a),) for a in arrays(first)])


@pytest.mark.parametrize("first", ["read-only", "writable"])
@pytest.mark.parametrize("statement", STORES)
def test_stores(statement, first):
    check_calls(f"def f(a):\n    {statement}\n    return a\n", [(a,) for a in arrays(first)])


@pytest.mark.parametrize("first", ["read-only", "writable"])
def test_loops(first):
    """The name has arrays of both kinds in one loop."""
    given = arrays(first)
    source = """
def f(arrays, n):
    r, v = [], arrays[0]
    for i in range(n):
        w = v[1:]
        r.append(w)
        v = arrays[i % len(arrays)]
    return r, v
"""
    check_calls(source, [(given, n) for n in (3, 9, 9, 1)])
