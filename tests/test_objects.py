"""Attributes, methods and items of Python objects: read, stored, rebound."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from differential import check

import pijit

CLASSES = """
import numpy as np
class Base:
    k = 3
    def scale(self, v):
        return v * self.k
class A(Base):
    def __init__(self, x=1.5):
        self.x = x
        self.n = 0
    def get(self):
        return self.x
    @property
    def twice(self):
        return self.x * 2
    @staticmethod
    def inc(v):
        return v + 1
    @classmethod
    def cls_k(cls):
        return cls.k
    def __call__(self, v):
        return v + self.x
class B(A):
    k = 7
    def get(self):
        return -self.x
class Slots:
    __slots__ = ("a", "b")
    def __init__(self, a):
        self.a = a
a, b = A(), A(4)
"""

# Each calls a jitted function before and after something is rebound.
PROGRAMS = {
    "field": "@jit\ndef g(o):\n    return o.x + 1\nr = [g(a), g(b), g(a)]\na.x = 10\nr.append(g(a))\na.x = 'no'\ntry:\n    g(a)\nexcept TypeError as e:\n    r.append(str(e))",
    "field deleted": "@jit\ndef g(o):\n    return o.x + 1\nr = [g(a)]\ndel a.x\ntry:\n    g(a)\nexcept AttributeError as e:\n    r.append(str(e))\na.x = 2\nr.append(g(a))",
    "field in dict": "@jit\ndef g(o):\n    return o.x + 1\nr = [g(a)]\nvars(a)['x'] = 99\nr.append(g(a))\nb.__dict__ = {'x': 5}\nr.append(g(b))",
    "global instance": "@jit\ndef g():\n    return a.x + b.x\nr = [g()]\na.x = 2.5\nr.append(g())\nb = A(100)\nr.append(g())",
    "class attribute": "@jit\ndef g(o):\n    return o.k + A.k\nr = [g(a)]\nBase.k = 4\nr.append(g(a))\nA.k = 5.5\nr.append(g(a))\na.k = 6\nr.append(g(a))\ndel A.k\nr.append(g(a))",
    "class counter": "@jit\ndef g(o):\n    return o.k * 2\nr = []\nfor i in range(12):\n    A.k = i\n    r.append(g(a))\nr.append(stats(g).compiles < 3 if stats(g) else True)",
    "method": "@jit\ndef g(o):\n    return o.get()\nr = [g(a)]\nA.get = lambda self: 'new'\nr.append(g(a))\na.get = lambda: 'own'\nr.append(g(a))\ndel a.get\nr.append(g(a))",
    "base's method": "@jit\ndef g(o):\n    return o.scale(2)\nr = [g(a)]\nBase.scale = lambda self, v: v - 1\nr.append(g(a))\nA.scale = lambda self, v: v - 2\nr.append(g(a))",
    "bound method": "@jit\ndef g(o):\n    f = o.get\n    return f() + f()\nr = [g(a), g(b)]\nA.get = lambda self: 8\nr.append(g(a))",
    "subclass": "@jit\ndef g(o):\n    return o.get() * o.cls_k()\nr = [g(a), g(B()), g(a), g(B(2))]",
    "class of instance": "@jit\ndef g(o):\n    return o.get()\nr = [g(a)]\na.__class__ = B\nr.append(g(a))",
    "property": "@jit\ndef g(o):\n    return o.twice + 1\nr = [g(a)]\nA.twice = property(lambda self: 50)\nr.append(g(a))\nA.twice = 3\nr.append(g(a))",
    "field becomes property": "@jit\ndef g(o):\n    return o.x + 1\nr = [g(a)]\nA.x = property(lambda self: 77)\nr.append(g(a))\ndel A.x\nr.append(g(a))",
    "getattr added": "@jit\ndef g(o):\n    return o.x + 1\nr = [g(a)]\nA.__getattribute__ = lambda self, name: 41\nr.append(g(a))",
    "getattr fallback": "@jit\ndef g(o):\n    return o.x + 1\nr = [g(a)]\nA.__getattr__ = lambda self, name: 41\nr.append(g(a))\ndel a.x\nr.append(g(a))",
    "static and class": "@jit\ndef g(o):\n    return o.inc(1) + A.inc(2) + o.cls_k() + A.cls_k()\nr = [g(a)]\nA.inc = staticmethod(lambda v: v * 100)\nr.append(g(a))\nA.k = 1000\nr.append(g(a))",
    "call": "@jit\ndef g(o):\n    return o(1.5)\nr = [g(a)]\nA.__call__ = lambda self, v: 'c'\nr.append(g(a))\na.__call__ = 3\nr.append(g(a))",
    "slots": "s = Slots(2.0)\n@jit\ndef g(s):\n    s.b = s.a * 2\n    return s.a + s.b\nr = [g(s)]\ns.a = 5\nr.append(g(s))\ndel s.a\ntry:\n    g(s)\nexcept AttributeError as e:\n    r.append(str(e))\nr.append(s.b)",
    "dict": "d = {'lr': 0.5, 'n': 2}\n@jit\ndef g():\n    return d['lr'] * d['n'] + d.get('m', 1)\nr = [g()]\nd['lr'] = 4\nr.append(g())\nd['m'] = 9\nr.append(g())\ndel d['n']\ntry:\n    g()\nexcept KeyError as e:\n    r.append(repr(e))\nd[1] = d['n'] = 3\nr.append(g())",
    "items": "l = [a, b, (1.5, 2)]\n@jit\ndef g():\n    return l[0].x + l[1].x + l[-1][0]\nr = [g()]\nl[0] = A(50)\nr.append(g())\nl.append((9, 9))\nr.append(g())",
    "stores": "@jit\ndef g(o, p):\n    o.x = o.x + 1\n    p.x = p.x * 2\n    o.x -= 1\n    return o.x, p.x\nr = [g(a, b), g(a, a), vars(a), g(b, b), vars(b)]",
    "store in loop": "@jit\ndef g(o, p, n):\n    for i in range(n):\n        o.x += p.x\n        p.n = o.n + i\n    return o.x, p.n\nr = [g(a, b, 5), g(a, a, 5), g(a, b, 0), vars(a), vars(b)]",
    "new field": "@jit\ndef g(o, v):\n    o.fresh = v + 1\n    return o.fresh * 2\nr = [g(a, 1.0), g(a, 2.0), g(b, 1), list(vars(a)), vars(b)]",
    "store of another type": "@jit\ndef g(o, n):\n    o.x = None\n    for i in range(n):\n        o.x = i if i < 3 else i * 0.5\n    return o.x\nr = [g(a, 2), g(a, 7), g(a, 0)]",
    "store before an exception": "@jit\ndef g(o, l, i):\n    o.x = i\n    o.n = l[i]\n    o.x = -i\nr = []\nfor i in (0, 1, 5):\n    try:\n        g(a, [3, 4], i)\n    except IndexError as e:\n        r.append(str(e))\n    r.append(dict(vars(a)))",
    "setattr added": "@jit\ndef g(o, v):\n    o.x = v\nr = [g(a, 2), a.x]\nlog = []\nA.__setattr__ = lambda self, name, v: log.append((name, v))\nr += [g(a, 3), a.x, log]",
    "setter": "@jit\ndef g(o, v):\n    o.x = v\nr = [g(a, 2), a.x]\nA.x = property(lambda self: 0, lambda self, v: r.append(v))\nr += [g(a, 3), a.x]",
    "destructor": "class D:\n    def __del__(self):\n        r.append(('gone', a.n))\nr = []\n@jit\ndef g(o, v):\n    o.n = 1\n    o.x = v\n    o.n = 2\nfor i in range(3):\n    a.x = D()\n    g(a, i)\n    a.n = 0",
    "dict alias": "d = vars(a)\n@jit\ndef g(o, d, v):\n    o.x = v\n    d['x'] = d['x'] + 1\n    return o.x\nr = [g(a, d, 1), g(a, d, 2.5), vars(a)]",
    "namespace alias": "q = 1\nns = globals()\n@jit\ndef g(v):\n    ns['q'] = v\n    return q\nr = [g(4), g(5), q]",
    "list stores": "@jit\ndef g(l, v):\n    l[0] = v\n    l[-1] = l[0] + 1\n    l.append(len(l))\n    return l[0], l[-1], len(l)\nl = [0.5, 1.5]\nr = [g(l, 2.5), g(l, 3.5), l]\ntry:\n    g([], 1.0)\nexcept IndexError as e:\n    r.append(str(e))",
    "append before raise": "@jit\ndef g(l, x):\n    for i in range(len(x) + 1):\n        l.append(x[i] * 2)\nl = []\ntry:\n    g(l, np.arange(4.0))\nexcept IndexError as e:\n    r = [str(e), l]",
    "dict stores": "@jit\ndef g(d, x):\n    d['w'] -= 0.5 * x\n    d['n'] = d['n'] + 1\n    d['new'] = d['n']\n    return d['w'], d['new']\nd = {'w': np.ones(3), 'n': 0}\nr = [g(d, np.arange(3.0)), g(d, np.arange(3.0)), d]",
    "changed by a call": "class Arr:\n    def __array__(self, dtype=None, copy=None):\n        a.x += 1\n        return np.arange(3.0)\n@jit\ndef g(o, l):\n    before = o.x\n    s = np.sum(l)\n    return before, s, o.x\nr = [g(a, [1.0, 2.0]), g(a, [1, Arr()][1]), a.x]",
    "shadowed while running": "@jit\ndef g(o, x):\n    y = np.sort(x)\n    o.get = y\n    return o.get\nr = [g(a, np.ones(2)), g(b, np.ones(2)), vars(b)]",
    "array fields": "@jit\ndef g(o, n):\n    for i in range(n):\n        o.u = o.u + o.v * 0.5\n        o.v[1:] -= o.u[:-1]\n        o.n += 1\n    return o.u.sum()\na.u, a.v = np.ones(4), np.arange(4.0)\nr = [g(a, 3), g(a, 4), vars(a)]\na.u = np.ones((2, 4))\nr.append(g(a, 0))",
    "same array twice": "@jit\ndef g(o):\n    old = o.u\n    o.u = old * 2\n    o.old = old\n    return o.u is old, o.old is old\na.u = np.ones(3)\nr = [g(a), g(a), a.old, a.u]",
}


def run(source: str, jit: object, stats: object) -> object:
    space = {"jit": jit, "np": np, "__name__": "subject", "stats": stats}
    exec(compile(CLASSES + source, "<subject>", "exec"), space)
    return space["r"]


def plain_data(value: object) -> object:
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.str, value.tolist())
    if isinstance(value, tuple | list):
        return [type(value), *map(plain_data, value)]
    if isinstance(value, dict):
        return [(name, plain_data(item)) for name, item in value.items()]
    return (type(value).__name__, value if type(value) in (int, float, str, bool) else str(type(value)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    def none(function):
        return None

    expected = run(PROGRAMS[name], lambda f: f, none)
    for options in ({}, {"backend": "numpy"}):
        got = run(PROGRAMS[name], functools.partial(pijit.jit, **options), pijit.stats)
        assert plain_data(got) == plain_data(expected)


class Config:
    def __init__(self):
        self.dt, self.nu = 0.01, 0.3


class Simulation:
    order = 2

    def __init__(self, n):
        self.u, self.v, self.config = np.linspace(0, 1, n), np.zeros(n), Config()
        self.time, self.steps, self.history = 0.0, 0, []

    def force(self):
        return self.config.nu * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])

    def step(self, dt):
        self.v[1:-1] += dt * self.force()
        self.u = self.u + dt * self.v
        self.time += dt
        self.steps += 1

    def run(self, n):
        for i in range(n):
            self.step(self.config.dt)
            if i % 4 == 0:
                self.history.append(self.time)
        return self.time


def simulate(s, n):
    return s.run(n), s.u, s.v, s.history, s.steps


class Dense:
    def __init__(self, n, m):
        self.w, self.b = np.linspace(-1, 1, n * m).reshape(n, m), np.zeros(m)

    def forward(self, x):
        self.x = x
        return np.tanh(x @ self.w + self.b)


def network(layers, x):
    y = layers[0].forward(x)
    y = layers[1].forward(y)
    return y, layers[0].x, layers[1].x


def test_simulation():
    stats = check(simulate, Simulation(8), 9)
    assert not stats.breaks


def test_network():
    stats = check(network, [Dense(3, 4), Dense(4, 2)], np.ones((5, 3)))
    assert not stats.breaks
