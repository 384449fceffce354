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
    "field": """
@jit
def g(o):
    return o.x + 1
r = [g(a), g(b), g(a)]
a.x = 10
r.append(g(a))
a.x = 'no'
try:
    g(a)
except TypeError as e:
    r.append(str(e))
""",
    "field deleted": """
@jit
def g(o):
    return o.x + 1
r = [g(a)]
del a.x
try:
    g(a)
except AttributeError as e:
    r.append(str(e))
a.x = 2
r.append(g(a))
""",
    "field in dict": """
@jit
def g(o):
    return o.x + 1
r = [g(a)]
vars(a)['x'] = 99
r.append(g(a))
b.__dict__ = {'x': 5}
r.append(g(b))
""",
    "global instance": """
@jit
def g():
    return a.x + b.x
r = [g()]
a.x = 2.5
r.append(g())
b = A(100)
r.append(g())
""",
    "class attribute": """
@jit
def g(o):
    return o.k + A.k
r = [g(a)]
Base.k = 4
r.append(g(a))
A.k = 5.5
r.append(g(a))
a.k = 6
r.append(g(a))
del A.k
r.append(g(a))
""",
    "class counter": """
@jit
def g(o):
    return o.k * 2
r = []
for i in range(12):
    A.k = i
    r.append(g(a))
r.append(stats(g).compiles < 3 if stats(g) else True)
""",
    "method": """
@jit
def g(o):
    return o.get()
r = [g(a)]
A.get = lambda self: 'new'
r.append(g(a))
a.get = lambda: 'own'
r.append(g(a))
del a.get
r.append(g(a))
""",
    "base's method": """
@jit
def g(o):
    return o.scale(2)
r = [g(a)]
Base.scale = lambda self, v: v - 1
r.append(g(a))
A.scale = lambda self, v: v - 2
r.append(g(a))
""",
    "bound method": """
@jit
def g(o):
    f = o.get
    return f() + f()
r = [g(a), g(b)]
A.get = lambda self: 8
r.append(g(a))
""",
    "subclass": """
@jit
def g(o):
    return o.get() * o.cls_k()
r = [g(a), g(B()), g(a), g(B(2))]
""",
    "class of instance": """
@jit
def g(o):
    return o.get()
r = [g(a)]
a.__class__ = B
r.append(g(a))
""",
    "property": """
@jit
def g(o):
    return o.twice + 1
r = [g(a)]
A.twice = property(lambda self: 50)
r.append(g(a))
A.twice = 3
r.append(g(a))
""",
    "field becomes property": """
@jit
def g(o):
    return o.x + 1
r = [g(a)]
A.x = property(lambda self: 77)
r.append(g(a))
del A.x
r.append(g(a))
""",
    "getattr added": """
@jit
def g(o):
    return o.x + 1
r = [g(a)]
A.__getattribute__ = lambda self, name: 41
r.append(g(a))
""",
    "getattr fallback": """
@jit
def g(o):
    return o.x + 1
r = [g(a)]
A.__getattr__ = lambda self, name: 41
r.append(g(a))
del a.x
r.append(g(a))
""",
    "static and class": """
@jit
def g(o):
    return o.inc(1) + A.inc(2) + o.cls_k() + A.cls_k()
r = [g(a)]
A.inc = staticmethod(lambda v: v * 100)
r.append(g(a))
A.k = 1000
r.append(g(a))
""",
    "call": """
@jit
def g(o):
    return o(1.5)
r = [g(a)]
A.__call__ = lambda self, v: 'c'
r.append(g(a))
a.__call__ = 3
r.append(g(a))
""",
    "slots": """
s = Slots(2.0)
@jit
def g(s):
    s.b = s.a * 2
    return s.a + s.b
r = [g(s)]
s.a = 5
r.append(g(s))
del s.a
try:
    g(s)
except AttributeError as e:
    r.append(str(e))
r.append(s.b)
""",
    "dict": """
d = {'lr': 0.5, 'n': 2}
@jit
def g():
    return d['lr'] * d['n'] + d.get('m', 1)
r = [g()]
d['lr'] = 4
r.append(g())
d['m'] = 9
r.append(g())
del d['n']
try:
    g()
except KeyError as e:
    r.append(repr(e))
d[1] = d['n'] = 3
r.append(g())
""",
    "items": """
l = [a, b, (1.5, 2)]
@jit
def g():
    return l[0].x + l[1].x + l[-1][0]
r = [g()]
l[0] = A(50)
r.append(g())
l.append((9, 9))
r.append(g())
""",
    "stores": """
@jit
def g(o, p):
    o.x = o.x + 1
    p.x = p.x * 2
    o.x -= 1
    return o.x, p.x
r = [g(a, b), g(a, a), vars(a), g(b, b), vars(b)]
""",
    "store in loop": """
@jit
def g(o, p, n):
    for i in range(n):
        o.x += p.x
        p.n = o.n + i
    return o.x, p.n
r = [g(a, b, 5), g(a, a, 5), g(a, b, 0), vars(a), vars(b)]
""",
    "new field": """
@jit
def g(o, v):
    o.fresh = v + 1
    return o.fresh * 2
r = [g(a, 1.0), g(a, 2.0), g(b, 1), list(vars(a)), vars(b)]
""",
    "store of another type": """
@jit
def g(o, n):
    o.x = None
    for i in range(n):
        o.x = i if i < 3 else i * 0.5
    return o.x
r = [g(a, 2), g(a, 7), g(a, 0)]
""",
    "store before an exception": """
@jit
def g(o, l, i):
    o.x = i
    o.n = l[i]
    o.x = -i
r = []
for i in (0, 1, 5):
    try:
        g(a, [3, 4], i)
    except IndexError as e:
        r.append(str(e))
    r.append(dict(vars(a)))
""",
    "setattr added": """
@jit
def g(o, v):
    o.x = v
r = [g(a, 2), a.x]
log = []
A.__setattr__ = lambda self, name, v: log.append((name, v))
r += [g(a, 3), a.x, log]
""",
    "setter": """
@jit
def g(o, v):
    o.x = v
r = [g(a, 2), a.x]
A.x = property(lambda self: 0, lambda self, v: r.append(v))
r += [g(a, 3), a.x]
""",
    "destructor": """
class D:
    def __del__(self):
        r.append(('gone', a.n))
r = []
@jit
def g(o, v):
    o.n = 1
    o.x = v
    o.n = 2
for i in range(3):
    a.x = D()
    g(a, i)
    a.n = 0
""",
    "dict alias": """
d = vars(a)
@jit
def g(o, d, v):
    o.x = v
    d['x'] = d['x'] + 1
    return o.x
r = [g(a, d, 1), g(a, d, 2.5), vars(a)]
""",
    "namespace alias": """
q = 1
ns = globals()
@jit
def g(v):
    ns['q'] = v
    return q
r = [g(4), g(5), q]
""",
    "list stores": """
@jit
def g(l, v):
    l[0] = v
    l[-1] = l[0] + 1
    l.append(len(l))
    return l[0], l[-1], len(l)
l = [0.5, 1.5]
r = [g(l, 2.5), g(l, 3.5), l]
try:
    g([], 1.0)
except IndexError as e:
    r.append(str(e))
""",
    "append before raise": """
@jit
def g(l, x):
    for i in range(len(x) + 1):
        l.append(x[i] * 2)
l = []
try:
    g(l, np.arange(4.0))
except IndexError as e:
    r = [str(e), l]
""",
    "dict stores": """
@jit
def g(d, x):
    d['w'] -= 0.5 * x
    d['n'] = d['n'] + 1
    d['new'] = d['n']
    return d['w'], d['new']
d = {'w': np.ones(3), 'n': 0}
r = [g(d, np.arange(3.0)), g(d, np.arange(3.0)), d]
""",
    "changed by a call": """
class Arr:
    def __array__(self, dtype=None, copy=None):
        a.x += 1
        return np.arange(3.0)
@jit
def g(o, l):
    before = o.x
    s = np.sum(l)
    return before, s, o.x
r = [g(a, [1.0, 2.0]), g(a, [1, Arr()][1]), a.x]
""",
    "shadowed while running": """
@jit
def g(o, x):
    y = np.sort(x)
    o.get = y
    return o.get
r = [g(a, np.ones(2)), g(b, np.ones(2)), vars(b)]
""",
    "array fields": """
@jit
def g(o, n):
    for i in range(n):
        o.u = o.u + o.v * 0.5
        o.v[1:] -= o.u[:-1]
        o.n += 1
    return o.u.sum()
a.u, a.v = np.ones(4), np.arange(4.0)
r = [g(a, 3), g(a, 4), vars(a)]
a.u = np.ones((2, 4))
r.append(g(a, 0))
""",
    "one list is stored to, another is gone through": """
@jit
def g(steps, log, x):
    own = []
    for step in reversed(steps):
        x = step(x)
        log.append(x)
        own.append(x)
    for step in steps:
        log[0] = abs
        x = step(x) * 2
    return x, own
steps, log = [abs, float, abs, len], [0]
r = []
try:
    g(steps, log, -2)
except TypeError as e:
    r.append(str(e))
steps.pop()
r += [g(steps, log, -2), len(log), g(steps, [0], -2)]
r += [g([float, lambda v: v * 3], [0, 1], -2)]
steps[0] = len
other = [float, lambda v: v - 1, abs]
r += [g(other, [0], -2), g(other, other[:], -2)]
try:
    g(steps, steps, -2)
except TypeError as e:
    r.append(str(e))
r.append(len(steps))
""",
    "a list of the fragment's own becomes another's": """
@jit
def g(o, x):
    mine = []
    o.steps = mine
    o.steps.append(abs)
    mine.append(float)
    for step in o.steps:
        x = step(x)
    o.steps[0] = float
    for step in mine:
        x = step(x)
    return x, mine, o.steps is mine
r = [str(g(a, -2)), str(g(a, -3))]
""",
    "the list that is gone through is stored to on the way": """
@jit
def g(o, other, x):
    for step in o.steps:
        other[1] = float
        x = step(x)
        if x == 3:
            o.steps[2] = len
    return x
a.steps, b.steps = [abs, abs, float], [float, abs, abs]
r = [g(a, b.steps, -2), b.steps == [float, float, abs], g(a, a.steps, -1)]
try:
    g(b, a.steps, -3)
except TypeError as e:
    r.append(str(e))
r.append(b.steps[2] is len)
""",
    "a builtin is rebound": """
import builtins
old, new = len, lambda x: 100
def rebind():
    builtins.len = new
@jit
def g(x):
    return len(x) + abs(-1)
@jit
def by_a_call(x, n):
    s = 0
    for i in range(n):
        if i == 5:
            rebind()
        s += len(x)
    return s
@jit
def here(x, n):
    s = 0
    for i in range(n):
        if i == 5:
            builtins.len = new
        s += len(x)
    builtins.__dict__['len'] = old
    return s
r = [g('abc'), g('abc')]
builtins.len = new
r.append(g('abc'))
builtins.len = old
r.append(g('abc'))
for _ in range(2):
    r.append(by_a_call('ab', 9))
    builtins.len = old
    r.append(here('ab', 9))
len = lambda x: 7
r.append(g('abc'))
del len
r.append(g('abc'))
""",
    "same array twice": """
@jit
def g(o):
    old = o.u
    o.u = old * 2
    o.old = old
    return o.u is old, o.old is old
a.u = np.ones(3)
r = [g(a), g(a), a.old, a.u]
""",
}


LOOPS = {
    "enumerate": ("def f(x):\n    s = 0.0\n    for i, v in enumerate(x):\n        s += i * v\n    return s", (np.arange(5.0),)),
    "enumerate from": ("def f(x):\n    r = 0\n    for i, v in enumerate(range(x), 3):\n        r = r * 2 + i * v\n    return r", (5,)),
    "zip": ("def f(x, y, n):\n    s = 0.0\n    for a, b, i in zip(x, y, range(n)):\n        s += a * b - i\n    return s", (np.arange(5.0), np.ones(7), 9)),
    "zip of a list": ("def f(x, y):\n    s = 0.0\n    for a, b in zip(x, y):\n        s += a * b\n    return s", (np.arange(5.0), [1.0, 2.0])),
    "reversed": ("def f(n):\n    r = 0\n    for i in reversed(range(n)):\n        r = r * 3 + i\n    return r", (7,)),
    "reversed tuple": ("def f(n):\n    r = 0\n    for i in reversed((1, 2, n)):\n        r = r * 3 + i\n    return r", (7,)),
    "constants": ("def f(x):\n    s = 0.0\n    for c in (0.5, 2.0, 1.25):\n        s = s * x + c\n    return s", (1.5,)),
    "tuple argument": ("def f(t, x):\n    for a, b in t:\n        x = x * a + b\n    return x", (((1.5, 2), (3.5, 4)), np.ones(3))),
    "list of arrays": ("def f(l):\n    s = 0.0\n    for a in l:\n        s = s + a.sum()\n    return s", ([np.ones(2), np.ones((3, 3))],)),
    "nested": ("def f(l, n):\n    s = 0.0\n    for i in range(n):\n        for a, w in zip(l, (2.0, 3.0)):\n            for v in a:\n                s += v * w\n    return s", ([np.ones(2), np.arange(3.0)], 3)),
    "list literal": ("def f(a, b):\n    x = np.array([a, b, 1.5])\n    w = [a, b]\n    return x, sum(w), len(w), w[1]", (0.5, 2.5)),
    "constant list": ("def f():\n    return np.array([1.0, 2.0, 3.5]) * 2", ()),
    "list grows": ("def f(n):\n    r = []\n    for i in range(n):\n        r.append(i * 0.5)\n    return r, len(r), np.array(r)", (5,)),
    "comprehension": ("def f(x):\n    r = [v * 2 for v in x]\n    return r, np.array([i + 1 for i in range(4)])", (np.arange(4.0),)),
    "comprehension of nothing": ("def f(x):\n    return [v * 2 for v in x], [[i, i] for i in range(2)]", (np.ones(0),)),
    "break": ("def f(x):\n    for i, v in enumerate(x):\n        if v > 2:\n            break\n    return i, v", (np.arange(5.0),)),
    "raises inside": ("def f(l, d):\n    s = []\n    try:\n        for i, x in enumerate(l):\n            s.append(1.0 / (d - i))\n    except ZeroDivisionError as e:\n        s.append(str(e))\n    return s", ((1, 2, 3), 1)),
    "list changes under the loop": ("def f(l):\n    n = 0\n    for o in l:\n        n += 1\n        if n < 5:\n            l.append(o)\n    return n, l", ([None, (1, 2)],)),
    "errstate": ("def f(x):\n    with np.errstate(divide='ignore', invalid='ignore'):\n        y = x / x\n        z = 1.0 / x\n    return y + z", (np.arange(3.0),)),
    "try and assert": ("def f(x, i):\n    try:\n        assert i >= 0, 'low'\n        return x[i] * 2\n    except IndexError:\n        return -1.0\n    finally:\n        x[0] += 1", (np.arange(3.0), 7)),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name):
    source, args = LOOPS[name]
    check("import numpy as np\n" + source, *args)


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


def train(layers, x, epochs):
    losses = []
    for _ in range(epochs):
        y = x
        for layer in layers:
            y = layer.forward(y)
        losses.append(float(y.sum()))
        for layer in reversed(layers):
            layer.w = layer.w * 0.9
    return losses


def test_layers_beside_a_list_that_grows():
    stats = check(train, [Dense(3, 4), Dense(4, 2)], np.ones((5, 3)), 3)
    assert not stats.breaks


def test_network():
    stats = check(network, [Dense(3, 4), Dense(4, 2)], np.ones((5, 3)))
    assert not stats.breaks


LOOP_OF_STORES = "s = 0.0\nfor i in range(n):\n    {0} = value\n    s += {1}\nreturn s"


@pytest.mark.parametrize(("old", "number"), [("o.t", "o.x"), ("o[0]", "o[1]"), ("o['t']", "o['x']")])
def test_what_a_store_lets_go_of_may_be_nested_however_deep(old, number):
    """Whether that runs Python is asked on the C stack."""

    class Held:
        pass

    space = {}
    exec("def store(o, value, n):\n    " + LOOP_OF_STORES.format(old, number).replace("\n", "\n    "), space)
    put = {}
    exec(f"def put(o, value):\n    {old} = value\n", put)
    o = {"o.t": Held, "o[0]": lambda: [(), 1.5], "o['t']": dict}[old]()
    if old != "o[0]":
        put["put"](o, ())
        exec(f"{number} = 1.5", {"o": o})
    store = pijit.jit(space["store"])
    for nested in (1, 1, 400_000):
        t = ()
        for _ in range(nested):
            t = (t,)
        put["put"](o, t)
        del t
        assert store(o, (1, 2), 10) == 15.0
    assert pijit.stats(store).hits
