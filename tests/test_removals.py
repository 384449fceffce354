"""Globals that a function stores or deletes, and `del` of attributes and items: everything happens in program order."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from differential import check, settings

import pijit

NATIVE = {
    "a counter": ("""
count = 0
def f(n):
    global count
    for i in range(n):
        count += i
    return count
""", (7,)),
    "of a callee": ("""
count, seen = 0, None
def tick(i):
    global count, seen
    count += i
    seen = i * 0.5
def f(n):
    for i in range(n):
        tick(i)
    return count, seen
""", (7,)),
    "new": ("""
def f(n):
    global made
    made = n * 2
    return made + 1
""", (7,)),
    "arrays": ("""
a = np.ones(3)
def f(n):
    global a
    for i in range(n):
        a = a * 2 + i
    a[0] = 9
    return a
""", (3,)),
    "an array and its old one": ("""
a = np.ones(3)
def f(n):
    global a
    b = a
    a = b + n
    b[0] = 5
    return a - b
""", (3,)),
    "through globals() too": ("""
k, d = 1, {}
d = globals()
def f(n):
    global k
    k = 5
    d['k'] = d['k'] + n
    k += 1
    return k, d['k']
""", (3,)),
    "deleted": ("""
k = 1
def f(n):
    global k, gone
    gone = n
    r = gone + k
    del gone
    k = r
    return r
""", (3,)),
    "before an error": ("""
k = 1
def f(a, n):
    global k
    for i in range(n):
        k = i
        a[i] = k
    return k
""", (np.zeros(3), 5)),
    "another type": ("""
k = 1
def f(n):
    global k
    for i in range(n):
        k = k + 1 if i < 4 else k * 0.5
    return k
""", (7,)),
    "shadows a builtin": ("""
def f(n):
    global abs
    r = [abs(-n)]
    abs = float
    r.append(abs(-n))
    del abs
    r.append(abs(-n))
    return r
""", (3,)),
    "a field": ("""
class O: pass
o = O()
def f(n):
    c = 0
    for i in range(n):
        o.x = i
        c += o.x
        del o.x
    return c, vars(o)
""", (5,)),
    "a slot": ("""
class O:
    __slots__ = 'x', 'y'
o = O()
def f(n):
    c = 0
    for i in range(n):
        o.x = i
        c += o.x
        del o.x
    return c, hasattr(o, 'x')
""", (5,)),
    "a field of the fragment's own": ("""
class O: pass
def f(n):
    o = O()
    o.a, o.b, o.c = n, 2, 3
    del o.a, o.b
    o.b = 7
    o.a = n * 2
    return vars(o)
""", (5,)),
    "below it the class's": ("""
class O:
    x = 5
o = O()
def f(n):
    c = o.x
    o.x = n
    c += o.x
    del o.x
    return c + o.x
""", (3,)),
    "an item": ("""
d = {'b': 1}
def f(n):
    c = 0
    for i in range(n):
        d['a'] = i
        c += d['a'] + d.get('b', 9)
        del d['a']
    return c, list(d)
""", (5,)),
    "an item of the fragment's own": ("""
def f(n):
    d = {'a': n, 'b': 2}
    del d['a']
    d['a'] = 4
    return d, list(d)
""", (5,)),
}

RAISES = {
    "no global": ("""
def f(n):
    global gone
    try:
        del gone
    except NameError as e:
        return str(e)
""", (1,)),
    "read after del": ("""
def f(n):
    global k
    k = n
    del k
    try:
        return k
    except NameError as e:
        return str(e)
""", (1,)),
    "no field": ("""
class O: pass
o = O()
def f(n):
    o.x = n
    del o.x
    try:
        del o.x
    except AttributeError as e:
        return str(e)
""", (1,)),
    "no own field": ("""
class O: pass
def f(n):
    o = O()
    try:
        del o.x
    except AttributeError as e:
        return str(e)
""", (1,)),
    "no slot": ("""
class O:
    __slots__ = 'x',
o = O()
def f(n):
    try:
        del o.x
    except AttributeError as e:
        return str(e)
""", (1,)),
    "no item": ("""
d = {}
def f(n):
    try:
        del d['x']
    except KeyError as e:
        return str(e)
""", (1,)),
    "a class with __delattr__": ("""
class O:
    def __delattr__(self, name):
        log.append(name)
o, log = O(), []
def f(n):
    p = O()
    p.x = o.x = n
    del o.x, p.x
    return vars(o), vars(p), log
""", (1,)),
    "a property": ("""
class O:
    @property
    def x(self):
        return 1
    @x.deleter
    def x(self):
        log.append(2)
o, log = O(), []
def f(n):
    del o.x
    return log
""", (1,)),
    "a finalizer": ("""
class T:
    def __del__(self):
        log.append(1)
class O: pass
o, log = O(), []
def f(n):
    o.t = T()
    r = list(log)
    del o.t
    return r, list(log)
""", (1,)),
    "items of lists": ("""
def f(n):
    x = [1, 2, n]
    del x[0], x[-1:]
    return x
""", (1,)),
}


def text(source):
    return "import numpy as np\n" + source


@pytest.mark.parametrize("name", NATIVE)
def test_native(name):
    source, args = NATIVE[name]
    stats = check(text(source), *args)
    assert {row.detail for row in stats.breaks} <= {"vars", "list", "hasattr of an empty slot"}


@pytest.mark.parametrize("name", RAISES)
def test_raises(name):
    source, args = RAISES[name]
    check(text(source), *args)


def test_others_see_a_global_at_once():
    """A callee in NumPy's hands, a second function, a loop that polls."""
    check(text("""
k = 0
class Arr:
    def __array__(self, dtype=None, copy=None):
        global k
        k += 10
        return np.arange(3.0)
def read():
    return k
def f(n):
    global k
    r = []
    for i in range(n):
        k += 1
        r.append(read())
        r.append(float(np.sum(Arr())) + k)
    return r
"""), 4)


def test_a_namespace_does_not_live_on():
    with settings(compile_all=True):
        space = {"__name__": "gone", "count": 0}
        exec("def f(n):\n    global count\n    for i in range(n):\n        count += i\n    return count", space)
        f = pijit.jit(space["f"])
        assert [f(10), f(10)] == [45, 90]
        assert pijit.stats(f).hits
        watch = weakref.ref(f)
        space["f"] = f
        del f, space
        gc.collect()
        assert watch() is None
