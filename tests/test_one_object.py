"""What is one object in the program is one object wherever it was put, and when it is read again: every kind of what native code keeps out of
memory, in every kind of place."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

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
    "tuple": ("p = (v, n)\n    l.append(p)", "p[0], l[-1][0], p is l[-1]"),
    "variable": ("w = v", "w"),
    "global": ("global g\n    g = v", "g"),
    "default": ("h = lambda y=v: y\n    l.append(h)", "h(), l[-1]()"),
    "cell": ("o = C()\n    o.get = hold(v)\n    l.append(o)", "o.get(), l[-1].get()"),
}

PROGRAM = """
def hold(v):
    return lambda: v
def f(n, x, a, t):
    c, l, d = C(), [0, 1], {{}}
    v = {kind}
    {put}
    r = ({read},)
    str(n)
    s = ({read},)
    return [one is v for one in r], [one is v for one in s], [one is other for one, other in zip(r, s)]
"""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_one_object(kind, place):
    put, read = PLACES[place]
    source = CLASSES + PROGRAM.format(kind=KINDS[kind], put=put, read=read)
    calls = [(n, x, np.array([x, 1.0]), "c") for n, x in ((3, 1.5), (4, 2.5))]
    check_calls(source, calls, entry="f", configurations=("jit", "numpy", "forced"))
