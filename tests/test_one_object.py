"""What is one object in the program is one object wherever it was put, and when it is read again: every kind of what native code keeps out of
memory, in every kind of place."""

from __future__ import annotations

import numpy as np
import pytest
from differential import VERSION, VERSIONS, check_calls

pytestmark = pytest.mark.shared

CLASSES = """
from collections import deque
class C:
    def m(self, x):
        return x
class Slots:
    __slots__ = ("v",)
    def __init__(self, v):
        self.v = v
"""

KINDS = {
    "tuple": "(n, x)",
    "nested tuple": "((n, 1), x)",
    "slice": "slice(1, n)",
    "range": "range(n)",
    "method": "c.m",
    "lambda": "lambda: 3",
    "lambda with a default": "lambda y=(n, 1): y",
    "object": "C()",
    "dict": "{'a': n}",
    "float": "x * 2.0",
    "complex": "complex(x, n)",
    "int": "n + 10**10",
    "numpy scalar": "a[0] * 2.0",
    "array": "a * 2",
    "text": "'ab' + t",
    "list": "[n, x]",
    "list in a tuple": "([n], x)",
}

# Statements that put `v` somewhere, and expressions that read it again.
PLACES = {
    "append": ("l.append(v)", "l[-1]"),
    "list display": ("k = [v, (v, n)]", "k[0], k[1][0]"),
    "list item": ("l[0] = v", "l[0]"),
    "insert": ("l.insert(0, v)", "l[0]"),
    "dict item": ("d['v'] = v", "d['v']"),
    "dict item by number": ("d[n] = v", "d[n]"),
    "setdefault": ("d.setdefault('w', v)", "d['w']"),
    "dict display": ("e = {'v': v, 'n': n}\n    l.append(e)", "e['v'], l[-1]['v']"),
    "attribute": ("c.v = v", "c.v"),
    "attribute of a new object": ("o = C()\n    o.v = v\n    l.append(o)", "o.v, l[-1].v"),
    "slot of a new object": ("o = Slots(v)\n    l.append(o)", "o.v, l[-1].v"),
    "attribute of an attribute": ("o = C()\n    o.v = v\n    c.o = o", "c.o.v, o.v"),
    "deque": ("q = deque()\n    q.append(v)", "q[0]"),
    "list + list": ("k = [v] + l", "k[0]"),
    "display with a star": ("k = [v, *range(n + 9)]", "k[0]"),
    "star of a display": ("k = [*l, *[v, n], *range(n + 9)]", "k[2]"),
    "list of a zip": ("k = list(zip([v, n], range(n)))", "k[0][0]"),
    "list of an enumeration": ("k = [*enumerate((n, v))]", "k[1][1]"),
    "added in place": ("l += [v]", "l[-1]"),
    "extended": ("l.extend((n, v))", "l[-1]"),
    "deque of a list": ("q = deque([v, n])", "q[0]"),
    "set": ("k = {v}", "[*k][0]"),
    "tuple": ("p = (v, n)\n    l.append(p)", "p[0], l[-1][0], p is l[-1]"),
    "variable": ("w = v", "w"),
    "global": ("global g\n    g = v", "g"),
    "default": ("h = lambda y=v: y\n    l.append(h)", "h(), l[-1]()"),
    "cell": ("o = C()\n    o.get = hold(v)\n    l.append(o)", "o.get(), l[-1].get()"),
}


def configurations(*texts):
    """Exits are forced in a third of the programs, and the evaluator runs another one: others on each version."""
    third = (sum(map(len, texts)) + VERSION) % VERSIONS
    return ("jit", *(("forced",) if third == 0 else ("numpy",) if third == 1 else ()))


PROGRAM = """
def hold(v):
    return lambda: v
def f(n, x, a, t):
    c, l, d = C(), [0, 1], {{}}
    v = {kind}
    {put}
    r = ({read},)
    {between}
    s = ({read},)
    return [one is v for one in r], [one is v for one in s], [one is other for one, other in zip(r, s)]
"""


@pytest.mark.parametrize("between", ["abs(n)", "import math"], ids=["in one fragment", "in two"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_one_object(kind, place, between):
    put, read = PLACES[place]
    source = CLASSES + PROGRAM.format(kind=KINDS[kind], put=put, read=read, between=between)
    calls = [(n, x, np.array([x, 1.0]), "c") for n, x in ((3, 1.5), (4, 2.5))]
    check_calls(source, calls, entry="f", configurations=configurations(kind, place))


# Tuples within tuples, where paths meet again.
PATHS = {
    "loop": """
def f(n, x):
    p = (n, x)
    q = (p, 1)
    r = []
    for i in range(4):
        r.append(q[0])
        r.append(p)
        if i == n - 3:
            p = (n, x + i)
    return [a is b for a in r for b in r], q[0] is p
""",
    "join": """
def f(n, x):
    p = (n, x)
    q = (p, 1)
    if n > 3:
        p = (n, x)
    r = [q, p]
    return r[0][0] is r[1], q[0] is p
""",
    "join 2": """
def f(n, x):
    p = (n, x)
    if n > 3:
        q = (p, 1)
    else:
        q = ((n, x), 1)
    r = [q, p]
    return r[0][0] is r[1], q[0] is p
""",
    "two nested": """
def f(n, x):
    p = (n, x)
    q, s = (p, 1), (p, 2)
    p = None
    r = []
    for i in range(4):
        r.append((q, s))
        if n == 3:
            s = (q[0], i)
        elif n == 4:
            q = ((n, x), i)
    return [a is b for c in r for a, _ in c for d in r for b, _ in d]
""",
    "iterator": """
def f(n, x):
    p = (n, x)
    q = (p, p, (n, x), 4)
    r = []
    for a in q:
        r.append(a)
        r.append(p)
        if n > 3:
            p = (n, x)
    return [a is b for a in r for b in r]
""",
    "slots in loops": """
def f(n, x):
    a = (n, x)
    b = (a, 0)
    r = []
    for i in range(6):
        a, b = (n, x + i) if i % n else b[0], (a, i)
        r.append((a, b))
        r.append(b[0])
    return [s is t or s[0] is t or s[1] is t for s in r for t in r]
""",
}


@pytest.mark.parametrize("program", PATHS.values(), ids=PATHS)
def test_it_stays_one_object_where_paths_meet(program):
    check_calls(program, [(3, 1.5), (4, 2.5), (3, 1.5)], entry="f", configurations=("jit", "numpy", "forced"))


# Expressions of what there may be only one of, and functions that hold it in some way while they use it twice.
SINGLE = {
    "list": "[n, 5, 6, 7]",
    "range": "iter(range(n, 9))",
    "generator": "(y * 2 for y in range(n + 3))",
    "enumerate": "enumerate([5, 6, 7], n)",
    "zip": "zip([5, 6, 7], range(n, 9))",
    "reversed": "reversed([n, 5, 6, 7])",
    "map": "map(abs, [n, -5, 6, 7])",
    "list iterator": "iter([n, 5, 6, 7])",
    "own generator": "gen(n)",
}
HOLDERS = {
    "argument": "return twice({v}, n)",
    "keyword": "return twice(v={v}, n=n)",
    "arguments": "return several({v}, n)",
    "keywords": "return named(v={v}, n=n)",
    "default": "return (lambda n, v={v}: twice(v, n))(n)",
    "of a function that is made": "g = lambda v: twice(v, n)\n    return g({v})",
    "cell": "return shared({v}, n)()",
    "method": "return C().twice({v}, n)",
    "attribute": "c = C()\n    c.v = {v}\n    return twice(c.v, n), twice(c.v, n)",
    "attribute in __init__": "c = Holder({v})\n    return twice(c.v, n), twice(c.v, n), c.rest()",
    "dict": "d = {{'n': n}}\n    d['v'] = {v}\n    return twice(d['v'], n), twice(d['v'], n)",
    "dict display": "d = {{'v': {v}, 'n': n}}\n    return twice(d['v'], n), twice(d['v'], n)",
    "tuple": "p = ({v}, n)\n    return twice(p[0], n), twice(p[0], n)",
    "variable": "v = {v}\n    w = v\n    return twice(v, n), twice(w, n), v is w",
    "returned twice": "v, w = both({v})\n    return twice(v, n), twice(w, n), v is w",
    "in a callee of a callee": "return outer({v}, n)",
    "global": "global held\n    held = {v}\n    r = twice(held, n), twice(held, n)\n    held = None\n    return r",
    "conditional": "v = {v} if n else None\n    return v and (twice(v, n), twice(v, n))",
    "step": "v = {v}\n    s = 0\n    for y in range(3):\n        s += len(str(twice(v, y)))\n    return s",
}
USES = """
def gen(n):
    for i in range(n, 9):
        yield i
def twice(v, n):
    r = []
    for y in v:
        r.append(y)
        if len(r) > 1:
            break
    {split}
    for y in v:
        r.append(y)
        if len(r) > 3:
            break
    if type(v) is list:
        v.append(n)
        r.append(len(v))
    return r
def several(*a):
    return twice(a[0], a[1]), twice(*a)
def named(**a):
    return twice(a["v"], 1), twice(**a)
def shared(v, n):
    def use():
        return twice(v, n), twice(v, n)
    return use
def both(v):
    return v, v
def outer(v, n):
    return twice(v, n), inner(v, n), v is inner(v, n)
def inner(v, n):
    return twice(v, n)
class C:
    def twice(self, v, n):
        self.v = v
        return twice(self.v, n), twice(v, n), self.v is v
class Holder:
    def __init__(self, v):
        self.v = v
        self.w = self.v
    def rest(self):
        return self.v is self.w, list(self.w)
"""


@pytest.mark.parametrize("split", ["pass", "str(n)"])
@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("single", SINGLE)
def test_there_is_only_one(single, holder, split):
    """What moves on or is changed by one name is so by the other."""
    source = USES.format(split=split) + "def f(n):\n    " + HOLDERS[holder].format(v=SINGLE[single]) + "\n"
    check_calls(source, [(0,), (2,), (2,), (4,)], entry="f", configurations=configurations(single, holder, split))
