"""Functions that outlive the call that makes them: kept in objects and dicts, with the variables they share; and what others see of them."""

from __future__ import annotations

import gc
import weakref

import pytest
from differential import check_calls, settings

import pijit

CLASSES = """
class O:
    pass
class Value:
    def __init__(self, data, children=()):
        self.data = data
        self.grad = 0.0
        self.backward = lambda: None
        self.children = set(children)
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))
        def backward():
            self.grad += out.grad
            other.grad += out.grad
        out.backward = backward
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        def backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.backward = backward
        return out
"""

PROGRAMS = {
    "autograd": (
        """
def f(n, x):
    a, b = Value(x), Value(0.5)
    out = a
    for i in range(n):
        out = out * b + a
    out.grad = 1.0
    out.backward()
    for node in sorted(out.children, key=lambda v: v.data):
        node.backward()
    return out.data, a.grad, b.grad, out.backward.__closure__[0].cell_contents is out, out.backward.__qualname__, len(out.children)
""",
        [(3, 2.0), (0, 1.5), (5, 0.25)],
    ),
    "several share a variable": (
        """
def make(k):
    o = O()
    def bump(d):
        nonlocal k
        k += d
        return k
    o.bump, o.get = bump, lambda: k
    k += 1
    return o
def f(n):
    s = 0
    for i in range(n):
        o = make(i)
        s += o.bump(i) + o.get()
    return s, o.get(), o.bump.__closure__[0] is o.get.__closure__[0], o.bump.__name__, o.bump is o.get
""",
        [(5,), (2,), (7,)],
    ),
    "it holds what holds it": (
        """
def make(k):
    d = {"k": k, "pair": (k, k)}
    d["me"] = lambda: d
    return d
def f(n):
    d = make(n)
    e = make(1.5)
    return d["me"]() is d, e["me"]() is d, d["me"]()["pair"] is d["pair"], e["me"]()["k"]
""",
        [(5,), (2,), (0.5,)],
    ),
    "in __init__": (
        """
class Button:
    def __init__(self, size):
        self.size = size
        self.area = lambda: self.size * self.size
        self.grow = lambda by=size: setattr(self, "size", self.size + by)
def f(n):
    s = 0
    for i in range(n):
        b = Button(i)
        b.grow()
        b.grow(1)
        s += b.area()
    return s
""",
        [(5,), (3,)],
    ),
    "unbound variables": (
        """
def make(k):
    o = O()
    o.get = lambda: late
    o.gone = lambda: k
    if k > 100:
        late = 1
    del k
    return o
def f(n):
    o = make(n)
    found = []
    for function in (o.get, o.gone):
        try:
            function()
        except NameError as e:
            found.append(str(e))
    return found
""",
        [(5,), (3,)],
    ),
    "functions in variables": (
        """
def make(k):
    def double(x):
        return 2 * x * k
    def fact(i):
        return 1 if i < 2 else i * fact(i - 1) + double(i)
    o = O()
    o.fact = fact
    return o
def f(n):
    o = make(n)
    return o.fact(5), o.fact(3) + make(1).fact(2), o.fact.__closure__[1].cell_contents is o.fact
""",
        [(5,), (3,)],
    ),
    "all kinds of contents": (
        """
def make(i, x, z, a, t):
    o = O()
    p = (i, t)
    big = i << 70
    q = p
    o.get = lambda: (i, x, z, a, t, p, big, q, none)
    none = None
    o.p = p
    return o
def f(i, x, z, a, t):
    i, x = i + 1, x * 2
    o = make(i, x, z, a, t)
    got = o.get()
    return got, got[5] is o.p, got[5] is got[7], got[3] is a, got[1] is x, got[4] is t
""",
        [(5, 1.5, 2j, [1], (1, 2)), (3, 0.5, 1 + 1j, [2], (1, 3))],
    ),
    "variables of two frames": (
        """
def outer(k):
    def inner(x):
        o = O()
        o.get = lambda: x * k
        return o
    o = inner(3)
    k += 1
    return o
def f(n):
    return outer(n).get(), [outer(i).get() for i in range(n)]
""",
        [(5,), (3,)],
    ),
    "held otherwise": (
        """
def make(k, kept):
    def get():
        return k
    kept.append(get)
    o = O()
    o.all = [get, get]
    o.each = (get() + i for i in range(3))
    o.partial = min(get(), 4)
    k += 1
    return o
def f(n):
    kept = []
    o = make(n, kept)
    return o.all[0]() + kept[0](), sum(o.each), o.all[1] is kept[0], o.partial
""",
        [(5,), (3,)],
    ),
    "returned": (
        """
def adder(k):
    return lambda x: x + k
def pair(k):
    def get():
        return k
    def put(x):
        nonlocal k
        k = x
    return get, put
def f(n):
    s = 0
    for i in range(n):
        s += adder(i)(s)
    get, put = pair(n)
    put(get() + s)
    return s, get(), get.__closure__[0] is put.__closure__[0]
""",
        [(5,), (3,)],
    ),
    "by two returns": (
        """
def make(k):
    o = O()
    o.get = lambda: k * 2
    if k > 2:
        k += 1
        return o
    o.other = lambda: k
    return o
def f(n):
    return [make(i).get() for i in range(n)], [len(make(i).__dict__) for i in range(n)]
""",
        [(5,), (3,)],
    ),
    "defaults": (
        """
def make(k):
    o, p = O(), O()
    p.v = k
    def get(a=p, *, b=(k, 1), c=p):
        return a.v + b[0] + c.v + k
    o.get, o.p = get, p
    k += 1
    return o
def f(n):
    o = make(n)
    o.p.v += 10
    return o.get(), o.get.__defaults__[0] is o.p, o.get.__kwdefaults__["c"] is o.p, sorted(o.get.__kwdefaults__)
""",
        [(5,), (3,)],
    ),
    "changed after a break": (
        """
def changed(k):
    get = lambda: k
    str(k)
    k += 1
    return get
def deleted(k):
    get = lambda: k
    str(k)
    del k
    return get
def in_a_loop(n, kept):
    k = 0
    kept.append(lambda: k)
    for i in range(n):
        k += i
def yielding(n, kept):
    for i in range(n):
        kept.append(lambda: i * n)
        str(i)
        i += 1
        yield i
        n += 1
def f(n):
    kept = []
    in_a_loop(n, kept)
    try:
        deleted(n)()
    except NameError as e:
        kept.append(lambda: str(e))
    return changed(n)(), kept[0](), list(yielding(n, kept)), [get() for get in kept]
""",
        [(5,), (3,)],
    ),
    "kept by a list": (
        """
def f(n):
    kept = []
    plain = lambda: 3
    for i in range(n):
        o = O()
        o.plain, o.own, o.k = plain, lambda: n, i
        kept.append(o)
    n += 1
    return [(o.plain is plain, o.own(), o.k) for o in kept], len({id(o.own) for o in kept}), plain()
""",
        [(5,), (3,)],
    ),
    "kept by a dict": (
        """
def make(k, d):
    o = O()
    o.get = lambda: k
    d[k] = o
    k += 1
    return o
def f(n):
    d = {}
    plain = lambda x, y=n: x + y
    d["plain"] = plain
    s = sum(make(i, d).get() for i in range(n))
    return s, d["plain"] is plain, d["plain"](1), [d[i].get() for i in range(n)]
""",
        [(5,), (3,)],
    ),
    "stored in the frame around": (
        """
def outer(k):
    call = None
    def inner(x):
        nonlocal call
        call = lambda: x * 2
        x += 1
    inner(k)
    return call()
def f(n):
    return outer(n), [outer(i) for i in range(n)]
""",
        [(5,), (3,)],
    ),
    "exits on the way": (
        """
def make(k, x):
    o = O()
    o.values = (k, x)
    def get():
        return k + len(o.values)
    o.get = get
    k = x // k
    return o
def f(n, x):
    s = 0
    for i in range(n):
        try:
            o = make(3 - i, x)
            s += o.get()
        except ZeroDivisionError as e:
            s += e.__traceback__.tb_next.tb_lineno
    return s, o.get() if n else None
""",
        [(5, 7), (3, 9), (2, 2**62), (4, 2.5)],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    source, calls = PROGRAMS[name]
    check_calls(CLASSES + source, [call for call in calls for _ in range(2)], entry="f")


def test_is_captured():
    """Autograd's operators leave nothing to the interpreter."""
    source = CLASSES + "def f(a, b):\n    return a * b + a\n"
    namespace: dict[str, object] = {}
    exec(source, namespace)
    value = namespace["Value"]
    report = pijit.explain(namespace["f"], value(2.0), value(3.0)).to_dict()
    assert not report["breaks"]


def test_nothing_lives_on():
    """Cells and functions go away with the object that holds them."""
    namespace: dict[str, object] = {}
    exec(CLASSES + "def f(a, n):\n    for i in range(n):\n        a = a * a + i\n    return a\n", namespace)
    with settings(compile_all=True, raise_internal=True):
        f = pijit.jit(namespace["f"])
        for _ in range(3):
            start = namespace["Value"](0.5)
            gone = weakref.ref(start)
            out = f(start, 3)
            last = weakref.ref(out.backward)
            assert gone() is start
            del start, out
            gc.collect()
            assert gone() is None
            assert last() is None
