"""More functions for test_instances: calls, dicts, unpacking, with, match."""

from __future__ import annotations

import numpy as np

FUNCTIONS = {
    "keywords": ("""
def g(a, /, b, *c, d=4, **e):
    return a + b * d + len(c) + e.get('z', 1) + ('q' in e)
def f(x):
    k = {'b': 2, 'z': x}
    return g(x, b=3, q=1), g(x, 2, 3, 4, d=5), g(x, **k), g(*(x, 2), **{'d': 1}, w=5), g(*[x, 1])
""", (1.5,)),
    "keywords passed on": ("""
def h(x, y, k=1):
    return x * y + k
def g(*args, **kw):
    return h(*args, **kw)
def f(x):
    return g(x, y=x, k=3) + g(x, 2)
""", (1.5,)),
    "keywords escape": ("""
def g(**kw):
    kw['n'] = 1
    print(kw)
    return kw
def f(x):
    return g(a=x, b=[x])
""", (1.5,)),
    "keyword errors": ("""
def g(a, *, b):
    return a + b
def f(x):
    r = []
    for t in ((x,), (x, x)):
        try:
            r.append(g(*t))
        except TypeError as e:
            r.append(str(e))
    return r, g(x, b=1)
""", (1.5,)),
    "partial": ("""
def g(a, b, c=1):
    return a * b + c
p = functools.partial(g, 2, c=3)
def f(x):
    return p(x) + functools.reduce(lambda a, b: a + b, [1, 2])
""", (1.5,)),
    "dict": ("""
def f(x):
    d = {'a': x, 'b': 2}
    d['a'] += 1
    d['c'] = d['a']
    return d['a'] + len(d), 'c' in d, d.get('q', 5), d
""", (1.5,)),
    "dict in a loop": ("""
def f(n):
    d = {'s': 0.0, 'n': 0}
    for i in range(n):
        d['s'] += i * 0.5
        d['n'] += 1
    return d['s'] / d['n'], d
""", (5,)),
    "missing key": ("""
def f(x):
    d = {'a': x}
    d['a'] = 2
    return d['b']
""", (1.5,)),
    "star": ("""
def f(x):
    a, *b, c = (x, 1, 2, x)
    return a + c, b, [*b, *(x, x)]
""", (1.5,)),
    "with": ("""
class M:
    def __init__(self):
        self.n = 0
    def __enter__(self):
        self.n += 1
        return self
    def __exit__(self, *e):
        self.n += 10
        return False
def f(n):
    m = M()
    s = 0.0
    with m as k:
        for i in range(n):
            s += i * 0.5
            k.n += 1
    return m.n, s, k is m
""", (5,)),
    "with raises": ("""
class M:
    def __init__(self, l):
        self.l = l
    def __enter__(self):
        self.l.append('in')
    def __exit__(self, kind, error, tb):
        self.l.append(str(error))
        return kind is IndexError
def f(x, n):
    l = []
    with M(l):
        for i in range(n):
            l.append(x[i])
    return l
""", (np.arange(3.0), 5)),
    "arrays": ("""
def f(x):
    a, b = Array(x), Array(x * 2)
    c = a + b
    c[0] = 5.0
    return c.data, c[1], (a @ b).data
""", (np.arange(3.0),)),
    "arrays that do not fit": ("""
def f(x, y):
    return (Array(x) + Array(y)).data
""", (np.arange(3.0), np.arange(4.0))),
    "abstract and odd classes": ("""
import abc
class A(abc.ABC):
    @abc.abstractmethod
    def g(self): ...
class N:
    def __new__(cls, x):
        print('new')
        return object.__new__(cls)
class D:
    def __del__(self):
        print('del')
class S:
    def __setattr__(self, n, v):
        object.__setattr__(self, n, v * 2)
    def __init__(self, x):
        self.x = x
def f(x):
    N(x)
    D()
    s = S(x)
    try:
        A()
    except TypeError as e:
        print(e)
    return s.x
""", (1.5,)),
    "walrus and chains": ("""
def f(x, n):
    s = 0
    while (i := s + 1) < n and 0 < i <= x < 9:
        s = i
    del i
    return s
""", (4.5, 9)),
    "match": ("""
def g(v):
    match v:
        case 0:
            return 'zero'
        case 1 | 2:
            return 'few'
        case _:
            return 'many'
def f(n):
    return g(n), g(1), g(0)
""", (5,)),
}
