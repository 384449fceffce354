"""Programs with classes of their own, and the functions that use them: for test_instances."""

from __future__ import annotations

CLASSES = """
import functools, math
from collections import namedtuple
from dataclasses import dataclass, field
import numpy as np
class Vec:
    def __init__(self, x, y=0.0):
        self.x = x
        self.y = y
    def __add__(self, o):
        if isinstance(o, Vec):
            return Vec(self.x + o.x, self.y + o.y)
        if isinstance(o, (int, float)):
            return Vec(self.x + o, self.y + o)
        return NotImplemented
    __radd__ = __add__
    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)
    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)
    def __rmul__(self, k):
        return Vec(k * self.x, k * self.y)
    def __truediv__(self, k):
        return Vec(self.x / k, self.y / k)
    def __imul__(self, k):
        self.x *= k
        self.y *= k
        return self
    def __neg__(self):
        return Vec(-self.x, -self.y)
    def __abs__(self):
        return math.sqrt(self.x * self.x + self.y * self.y)
    def __lt__(self, o):
        return self.x < o.x
    def __getitem__(self, i):
        return self.x if i == 0 else self.y
    def __setitem__(self, i, v):
        if i == 0:
            self.x = v
        else:
            self.y = v
    def __len__(self):
        return 2
    def __contains__(self, v):
        return self.x == v or self.y == v
    def __call__(self, k):
        return self.x * k + self.y
    def dot(self, o):
        return self.x * o.x + self.y * o.y
class Sub(Vec):
    def __init__(self, x, y, z):
        super().__init__(x, y)
        self.z = z
    def __radd__(self, o):
        return Sub(o.x + self.x, o.y + self.y, 7)
    def dot(self, o):
        return super().dot(o) * self.z
class Slots:
    __slots__ = ("a", "b")
    def __init__(self, a, b):
        self.a, self.b = a, b
class Truth:
    def __init__(self, v):
        self.v = v
    def __bool__(self):
        return self.v > 0
@dataclass
class Data:
    a: float
    b: int = 3
    def total(self):
        return self.a + self.b
@dataclass(frozen=True)
class Frozen:
    a: float
    b: float = 1.5
Point = namedtuple("Point", "x y")
class Result(namedtuple("Result", "x y")):
    def __new__(cls, x, y, *, more=0):
        made = super().__new__(cls, x, y)
        made.more = more
        return made
class Plain:
    k = 2
class Array:
    def __init__(self, data):
        self.data = data
    def __add__(self, o):
        return Array(self.data + o.data)
    def __matmul__(self, o):
        return Array(self.data @ o.data)
    def __getitem__(self, i):
        return self.data[i]
    def __setitem__(self, i, v):
        self.data[i] = v
"""

# Functions of numbers: nothing that is made outlives them but the result.
FUNCTIONS = {
    "add": ("""
def f(x, y):
    v = Vec(x, y) + Vec(y, x) * 2.0
    return v.x, v.y
""", (1.5, 2.5)),
    "result": ("""
def f(x, y):
    return Vec(x, y) + 1, Point(x, y), Data(x), Slots(x, y).a, Frozen(x)
""", (1.5, 2.5)),
    "reflected": ("""
def f(x):
    return (2 + Vec(x, x)).x, (3.0 * Vec(x)).x, (Vec(1.0) + Sub(x, x, x)).z
""", (1.5,)),
    "subclass first": ("""
def f(x):
    return Vec(x) + Sub(x, x, x), Sub(x, x, x) + Vec(x), Sub(x, 1.0, 2.0).dot(Vec(x, x))
""", (1.5,)),
    "in place": ("""
def f(x):
    v = w = Vec(x, 1.0)
    v *= 3
    u = v
    u += w
    return v is w, w.x, u is v, u.x
""", (1.5,)),
    "unary": ("""
def f(x):
    return (-Vec(x, x)).y, abs(Vec(x, 4.0)), bool(Vec(x)), not Vec(x)
""", (3.0,)),
    "comparison": ("""
def f(x, y):
    a, b = Vec(x), Vec(y)
    r = 0
    if a < b:
        r += 1
    if a > b:
        r += 2
    return r, a == b, a == a, a != b, a == None
""", (1.5, 2.5)),
    "items": ("""
def f(x, i):
    v = Vec(x, 2.0)
    v[0] = v[1] + x
    v[i] = 9.0
    return v[0], v[1], len(v), 9.0 in v, 4.0 not in v
""", (1.5, 1)),
    "truth": ("""
def f(x):
    t = Truth(x)
    r = bool(t), not t
    p = Plain()
    if p:
        r += (1,)
    return r
""", (1.5,)),
    "called": ("""
def f(x):
    v = Vec(x, 1.0)
    m = v.dot
    return v(3.0), m(v)
""", (1.5,)),
    "division": ("""
def f(x, y):
    v = Vec(x, 1.0)
    return (v / y).x
""", (1.5, 0.0)),
    "type error": ("""
def f(x):
    return Vec(x) + 'a'
""", (1.5,)),
    "type error of numbers": ("""
def f(x):
    return x - Plain()
""", (1.5,)),
    "no such field": ("""
def f(x):
    v = Vec(x)
    return v.z
""", (1.5,)),
    "too few arguments": ("""
def f(x):
    return Vec()
""", (1.5,)),
    "large": ("""
def f(n):
    v = Vec(n, n)
    return (v * n).x, (v + v).y
""", (2 ** 62,)),
    "loop": ("""
def f(n):
    s = Vec(0.0)
    for i in range(n):
        s = s + Vec(i * 0.5, 1.0)
        if i == 3:
            s = -s
    return s.x, s.y
""", (7,)),
    "changes type": ("""
def f(n):
    s = Vec(0, 0)
    for i in range(n):
        s.x += i
        if i > 3:
            s.y = s.y + 0.5
    return s
""", (7,)),
    "alias in a loop": ("""
def f(n):
    a = Vec(0.0)
    b = a
    for i in range(n):
        a.x += 1.0
        b.y += a.x
        if i == 4:
            b = Vec(5.0, 5.0)
    return a.x, a.y, b.x, b.y, a is b
""", (7,)),
    "kept in a loop": ("""
def f(n):
    last = None
    for i in range(n):
        v = Vec(i * 1.0)
        if last is not None:
            v.y = last.x
        last = v
    return v.x, v.y, last is v
""", (5,)),
    "branches": ("""
def f(x):
    v = Vec(1.0)
    if x > 1:
        v.x = x
    else:
        v.y = x
    w = v
    w.y += 1.0
    return v.x + v.y, v is w
""", (1.5,)),
    "two of one class": ("""
def f(x):
    a, b = Vec(x), Vec(x)
    a.x = 9.0
    return a.x, b.x, a is b, [a is a]
""", (1.5,)),
    "appended": ("""
def f(n):
    l = []
    for i in range(n):
        v = Vec(i, 0.5)
        l.append(v)
        v.y += 1.0
    return l, [o.y for o in l], l[0] is v
""", (4,)),
    "nested": ("""
def f(x):
    a = Vec(Vec(x, 1.0), Vec(2.0))
    b = a.x
    b.x += 1
    a.y = b
    return a, a.x.x, a.y is a.x, a.y is b
""", (1.5,)),
    "holds itself": ("""
def f(x):
    a = Vec(x)
    a.y = a
    b = a.y
    return b.x, b is a
""", (1.5,)),
    "in a tuple": ("""
def f(x):
    a = Vec(x)
    t = (a, a, x)
    for o in t[:2]:
        o.x += 1.0
    return a.x, t[0] is a, t
""", (1.5,)),
    "printed between": ("""
def f(x):
    a = Vec(x)
    b = (a, a)
    print(a.x)
    a.x += 1.0
    return a.x, b[0] is a, b[1].x
""", (1.5,)),
    "printed in a method": ("""
class C:
    def __init__(self, x):
        self.x = x
        print('made', x)
        self.y = 2
    def __add__(self, o):
        print('add')
        return C(self.x + o)
def f(x):
    a = C(x)
    return (a + 1).x, a.y
""", (1.5,)),
    "raised in a method": ("""
class C:
    def __init__(self, l, i):
        self.v = l[i]
    def __add__(self, o):
        return C([self.v + 1], o)
    def __len__(self):
        return -1
def f(l, i):
    return (C(l, 0) + i).v, len(C(l, i))
""", ([1.5], 1)),
    "negative length": ("""
class C:
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
def f(n):
    return len(C(3)), len(C(n))
""", (-1,)),
    "bad results": ("""
class C:
    def __init__(self, n):
        if n:
            return n
    def __bool__(self):
        return 1
def f(n):
    try:
        C(n)
    except TypeError as e:
        print(e)
    return not C(0)
""", (1,)),
    "given up": ("""
class C:
    def __init__(self, n):
        self.n = n
    def __add__(self, o):
        print('l', self.n // o.n)
        return NotImplemented
    def __lt__(self, o):
        self.n += 2 ** 62 * o.n
        return NotImplemented
class D(Plain):
    n = 1
    def __radd__(self, o):
        return o.n
def f(n):
    r = [C(n) + D()]
    try:
        C(n) < D()
    except TypeError as e:
        r.append(str(e))
    return r
""", (5,)),
    "slots": ("""
def f(x):
    s = Slots(x, 2)
    s.b += s.a
    return s.b, s.a
""", (1.5,)),
    "dataclass": ("""
def f(x):
    d = Data(x)
    d.a *= 2
    e = Data(b=4, a=x)
    return d.total(), e.total(), Frozen(x).b
""", (1.5,)),
    "dataclass escapes": ("""
def f(x, l):
    d = Data(x)
    l.append(d)
    d.b = 8
    return l, d, repr(d)
""", (1.5, [])),
    "namedtuple": ("""
def f(x):
    p = Point(x, 2)
    a, b = p
    return p.x + p[1] + a, len(p), [p], p
""", (1.5,)),
    "namedtuple with a field of its own": ("""
def f(x, n):
    for i in range(n):
        r = Result(x, i, more=i)
        r.me = r
    q = r
    q.more += 1
    return tuple(r), len(r), r.more, r.me is q, r == (x, n - 1), vars(Result(x, x)), Result(x, n).more
""", (1.5, 20)),
    "namedtuple without a place": ("""
def f(x):
    p = Point(x, 2)
    try:
        p.z = 3
    except AttributeError as e:
        return str(e), p
""", (1.5,)),
    "keywords have no attributes": ("""
def g(**k):
    k["a"] = 2
    try:
        k.a = 3
    except AttributeError as e:
        return str(e), k
def f(x):
    return g(a=x, b=x)
""", (1.5,)),
    "super that is not possible": ("""
class Gone(Vec):
    def gone(self):
        del self
        super()
    def bare(self):
        super()
        return 1
    def other(self, k):
        super(Gone, k)
        return k
def f(x):
    seen = []
    for call in (lambda: Gone(x).gone(), lambda: Gone(x).bare(), lambda: Gone.bare(x), lambda: Gone(x).other(x), lambda: Gone.bare(Vec(x))):
        try:
            seen.append(call())
        except (RuntimeError, TypeError) as e:
            seen.append(str(e))
    return seen
""", (1.5,)),
    "super": ("""
def f(x):
    s = Sub(x, 2.0, 3)
    return s.x, s.z, s.dot(s)
""", (1.5,)),
}
