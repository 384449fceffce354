"""One object, no number, that is put into several places stays one, whatever kind it is of and whatever puts it there: `is` tells."""

from __future__ import annotations

import pytest
from differential import check

pytestmark = pytest.mark.shared

KINDS = {
    "tuple": "(x, {n})", "nested": "((x, {n}), k)", "instance": "P(x, {n})", "named": "Pt(x, {n})", "data": "D(x, {n})", "list": "[x, {n}]",
    "dict": "{{'a': x, 'b': {n}}}", "slice": "slice(k, {n})", "range": "range(k, {n} + 9)", "method": "P(x, {n}).m", "lambda": "lambda: (x, {n})",
    "text": "f'{{x}} {n}'", "set": "frozenset((x, {n}))",
}  # fmt: skip; numbers: test_identity
WAYS = """
sorted([u, v, u], key=lambda a: 1)
sorted([u, v, u])
sorted((u, v))
sorted([v, u], reverse=True)
sorted([u, v, u, v], key=lambda a: (a is u, "x"))
[u] * 3
(u, v) * 2 + (u,)
[max([u, v]), min(u, v), max(u, v, key=lambda a: 1)]
[*[u, v], *(u, u)]
list((u, v, u)).copy()[::-1]
tuple([u, v, u])[1:]
list(reversed([u, v]))
list(a for a in [u, v, u])
list(zip([u, v], [v, u]))[0]
list(enumerate([u, u]))[1]
list(itertools.chain([u], [v, u]))
list(map(lambda a: a, filter(lambda a: True, [u, v])))
[u or v, u and v, u if k % 2 else v]
[{1: u}.get(1), {1: u}.get(2, v), {}.get(1, u)]
[{1: u, 2: u}.setdefault(1, v), {1: v}.setdefault(3, u)]
list({1: u, 2: v, 3: u}.values())
list({"a": u, **{"b": u}}.values())
list(dict(a=u, b=u).values())
[{1: u}.pop(1), {1: u}.pop(2, u)]
[getattr(p, "none", u), getattr(u, "none", v)]
[next(iter([u])), next((a for a in (u, v)), None)]
list(collections.deque([u, v, u]))
[functools.reduce(lambda a, b: a, [u, v])]
[same(u), same(v), same(same(u))]
list(stars(u, v, u))
list(keywords(a=u, b=u).values())
[cell(u)(), cell(u)()]
[p.put(u).held, p.held]
[kept.append(u) or kept[-1], kept[-1]]
[heap(u, v)[0]]
[copy.copy((u, v))[0]]
[[u, v].pop(), [u, v].pop(0)]
[a for pair in ((u, v), (v, u)) for a in pair]
[g[0] for g in pairs(u, v)]
[(w := u), w]
[D(u, u).a, Pt(u, v).x]
[[u, v][k % 2], (u, v)[k % 2]]
[shown(u), here()]
""".strip().splitlines()
BEFORE = """
import collections, copy, functools, heapq, itertools
from dataclasses import dataclass
class P:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def m(self):
        return self.x
    def put(self, held):
        self.held = held
        return self
    def __lt__(self, other):
        return self.x < other.x
@dataclass(order=True)
class D:
    a: object
    b: object
Pt = collections.namedtuple("Pt", "x y")
kept = []
def same(a):
    return a
def stars(*a):
    return a
def keywords(**a):
    return a
def cell(a):
    def get():
        return a
    return get
def heap(*a):
    made = []
    for b in a:
        heapq.heappush(made, b)
    return made
def pairs(*a):
    for b in a:
        yield b, b
def shown(a):
    global last
    last = a
    return a
def here():
    return last
def which(got, u, v):
    return [(a is u, a is v, a is got[0], a is got[-1]) for a in got]
"""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_one_object_in_several_places(kind, way):
    source = f"""{BEFORE}
def f(xs=(1.5, 2.0, 3.25), n=4):
    inside, after = [], []
    p = P(1, 2)
    for k in range(n):
        x = xs[k % 3]
        u = {KINDS[kind].format(n=3)}
        v = {KINDS[kind].format(n=2)}
        try:
            got = {way}
        except TypeError as error:
            after.append(str(error))
            continue
        inside.append([(a is u, a is v, a is got[0], a is got[-1]) for a in got])
        after.append((got, u, v))
    return inside, [made if type(made) is str else which(*made) for made in after]
"""
    check(source, configurations=("jit",))
