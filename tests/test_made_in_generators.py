"""Containers that are made in the steps of a generator that a call consumes whole, and changed there: an exit does the call again, so nothing that
was there before may change, and what outlives the call is as any other container from then on."""

from __future__ import annotations

import pytest
from differential import check, check_stays_native, function_of

pytestmark = pytest.mark.shared

VECTORS = [(0.5 * i, 0.25, -1.5 * i) for i in range(40)]
LATE = [*VECTORS[:30], (1, 2, 3), *VECTORS[30:]]  # ints come late: native code leaves in the middle of a call
LAST = [*VECTORS[:30], ("a", 2, 3)]
WORDS = ["abcab", "xyz", "aaaa", "b"] * 12

PROGRAMS = {
    "a comprehension": ("return sum(sum([x * x for x in v]) for v in vs)", LATE),
    "a function": (
        "def g(v):\n    q = [abs(c) - 0.3 for c in v]\n    q.append(1.0)\n    q[0] = q[1] * 2\n    return min(max(q), 0.5) + len(q)\n"
        "return min(g(v) for v in vs), sum(g(v) for v in vs)", LATE),
    "an exception": (
        "def g(v):\n    q = []\n    for c in v:\n        q.append(c + 1)\n    return q[0]\n"
        "try:\n    return sum(g(v) for v in vs)\nexcept TypeError as e:\n    return str(e)", LAST),
    "a dict": ("def g(w):\n    d = {}\n    for c in w:\n        d[c] = d.get(c, 0) + 1\n    return len(d)\nreturn sum(g(w) for w in vs)", WORDS),
    "a set": (
        "def g(w):\n    s = set()\n    for c in w:\n        s.add(c)\n    return len(s)\n"
        "return [sum(g(w) for w in vs), any(g(w) > 3 for w in vs)]", WORDS),
    "sums in a sum": ("return sum(sum(v) for v in vs), max(min(v) for v in vs), [any(all(v) for v in vs)]", LATE),
    "sums of lists and views": (
        "ls = [list(v) for v in vs]\nds = [dict(enumerate(v)) for v in vs]\n"
        "return sum(sum(v) for v in ls), sum(max(v.values()) for v in ds), any(any(v) for v in ls), sum(min(d) for d in ds)", LATE),
    "sums of texts": ("try:\n    return sum(sum(v) for v in vs)\nexcept TypeError as e:\n    return str(e)", LAST),
    "sums of their own": (
        "class A:\n    def __init__(self, x):\n        self.x = x\n    def __radd__(self, other):\n        seen.append(self.x)\n"
        "        return other + self.x\nas_ = [(A(v[0]), A(v[1])) for v in vs]\nreturn sum(sum(v) for v in as_), seen", LATE),
    "kept": ("a = [[x] for x in (len(v) for v in vs)]\nb = list([v[0]] for v in vs)\nb[0].append(3)\nreturn a, b, max([v[0], 1] for v in vs)", LATE),
    "kept and changed later": (
        "a = [0]\nfor v in vs:\n    b = max((x, [x]) for x in v)[1]\n    n = sum(b.append(x) or x for x in v)\n    a.append((n, b))\nreturn a", LATE),
    "one of two": (
        "a = [1.5]\ndef g(v):\n    q = a if v[0] > 3 else [v[1]]\n    q.append(v[2])\n    return len(q)\nreturn sum(g(v) for v in vs), a", LATE),
    "of those around": (
        "a, n = [], 0\nfor v in vs:\n    q = [v[0]]\n    n += sum(q.append(x) or x for x in v) + len(q)\n    a.append(q)\nreturn n, a", LATE),
    "each step": (
        "def g(m):\n    q = []\n    for v in m:\n        q.append(v[0])\n        yield q\nn = 0\nfor q in g(vs):\n    n += len(q) + q[-1]\n"
        "return n, [len(q) for q in g(vs)], sum(len(q) for q in g(vs))", LATE),
    "a step in a step": ("return sum(x for q in ([v[0], v[1]] for v in vs) for x in q), sum(sum(q) for q in ([v[0], 1] for v in vs))", LATE),
    "in a loop over them": (
        "n = 0\nfor x in (sum([y * 2 for y in v]) for v in vs):\n    n += x\nfor q in ([y for y in v] for v in vs):\n    q.append(n)\n    n += q[0]\n"
        "return n", LATE),
    "sorted": ("return sorted(sum([x for x in v if x]) for v in vs), sorted([-v[0], 1] for v in vs)", VECTORS),
    "instances": (
        "class A:\n    def __init__(self, v):\n        self.q = [v]\n    def put(self, x):\n        self.q.append(x)\n        return self\n"
        "return sum(len(A(v).put(3).put(v[0]).q) for v in vs), max(A(v[0]).put(v[1]).q for v in vs)", LATE),
    "a global": ("def g(v):\n    seen.append(v[0])\n    return v[0]\nn = sum(g(v) for v in vs)\nreturn n, seen", LATE),
}  # fmt: skip


def source(body):
    return "seen = []\n" + function_of("vs", f"seen.clear()\n{body}")


@pytest.mark.parametrize("what", PROGRAMS)
def test_same_as_plain(what):
    body, given = PROGRAMS[what]
    check(source(body), given)


@pytest.mark.parametrize("what", ["a comprehension", "a function", "sums in a sum"])
def test_stays_native(what):
    check_stays_native(source(PROGRAMS[what][0]), VECTORS)
