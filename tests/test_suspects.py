"""Programs at the corners of the language, where a compiler that knows types and lines easily goes wrong; see also test_language.py."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

A = np.arange(6.0)
READ_ONLY = np.arange(4.0)
READ_ONLY.flags.writeable = False

# name: (source, calls)
PROGRAMS = {
    "zero iterations leave the variable unbound": (
        """
def f(n):
    for i in range(n):
        x = i * 2
    else:
        y = n + 1
    print(y)
    return x + i
""",
        [(3,), (0,), (3,)],
    ),
    "variable of an outer loop keeps its value": (
        """
def f(n):
    i = -1
    for i in range(n):
        for j in range(i):
            i = i + j
    return i
""",
        [(5,), (0,)],
    ),
    "unbound on one path, in a loop": (
        """
def f(n):
    s = 0
    for i in range(n):
        if i == 3:
            last = i
        if i > 4:
            s += last
    return s + last
""",
        [(8,), (2,)],
    ),
    "del": (
        """
def f(n):
    x = n * 2
    y = x + 1
    del x
    try:
        return x
    except UnboundLocalError as e:
        print(str(e))
    del y
    return y
""",
        [(3,), (2.5,)],
    ),
    "del in a loop": (
        """
def f(n):
    x = 1
    for i in range(n):
        y = x + i
        del x
        x = y * 2
        del y
    return x
""",
        [(5,)],
    ),
    "ranges": (
        """
def f(a, b, c):
    s = []
    k = 0
    for i in range(a, b, c):
        k = k * 3 + i
        s.append(i)
        if len(s) > 5:
            break
    else:
        s.append("else")
    return s, k
""",
        [
            (5, 0, -2),
            (0, 5, 7),
            (2**62 - 2, 2**62 + 2, 1),
            (2**63 - 3, 2**63 + 2, 1),
            (-(2**63), -(2**63) - 3, -1),
            (1, 1, 1),
            (10, 0, -(2**62)),
        ],
    ),
    "step zero": (
        """
def f(a):
    for i in range(0, 5, a):
        pass
    return a
""",
        [(1,), (0,), (True,)],
    ),
    "a range of NumPy ints": (
        """
def f(n):
    s = 0
    for i in range(n):
        s += i
    return s, type(s)
""",
        [(np.int64(5),), (np.uint8(3),), (4,), (True,)],
    ),
    "a range is a value": (
        """
def f(n):
    r = range(n)
    a = 0
    for i in r:
        a += i
    for i in r:
        a += i * 2
    return a, r, len(r), r[-1]
""",
        [(5,)],
    ),
    "iterator shared by two loops": (
        """
def f(n):
    it = iter(range(n))
    s = 0
    for i in it:
        s += i
        if i == 3:
            break
    for i in it:
        s += i * 100
    return s, list(it)
""",
        [(7,)],
    ),
    "list changed while it is iterated": (
        """
def f(x):
    s = 0
    for v in x:
        s += v
        if len(x) < 7:
            x.append(v + 1)
    return s, x
""",
        [([1, 2, 3],), ([1.0, 2, 3],), ([],)],
    ),
    "list shrinks while it is iterated": (
        """
def f(x):
    s = 0
    for v in x:
        s += v
        x.pop()
    return s, x
""",
        [([1, 2, 3, 4, 5],)],
    ),
    "array changed while it is iterated": (
        """
def f(x):
    s = 0.0
    for v in x:
        s += v
        x[-1] = s
        x *= 2.0
    return s, x
""",
        [(A,), (A[::-1],), (A[::2],), (np.zeros(0),)],
    ),
    "variable of the loop assigned to the array itself": (
        """
def f(x):
    for x in x:
        y = x * 2
    return x, y
""",
        [(A,)],
    ),
    "rows of a matrix": (
        """
def f(m):
    s = 0.0
    for row in m:
        row += 1.0
        s += row[0]
    return s, m
""",
        [(A.reshape(2, 3),), (A.reshape(3, 2).T,)],
    ),
    "tuples stay one object": (
        """
def f(a, n):
    t = (a, n)
    u = t
    r = [t is u, (t, 1)[0] is t]
    for i in range(n):
        if i == 2:
            u = (i, t)
            print(u[1] is t)
        v = u
        print(v is u, u is t)
    return t, u, v, v is u, r
""",
        [(1.5, 4), (A, 4)],
    ),
    "lists stay one object": (
        """
def f(a):
    x = [a, a + 1]
    y = x
    y.append(a * 2)
    z = [x, y]
    x[0] = 5
    return x, y, z, x is y, z[0] is z[1]
""",
        [(2,), (1.5,)],
    ),
    "identity": (
        """
def f(a, b):
    x = a
    r = [a is None, x is a, a is b, a is not b]
    c = a[1:]
    d = c
    r += [c is d, c is a]
    return r
""",
        [(A, A), (A, A[:])],
    ),
    "None and default": (
        """
def f(a, b=None):
    if b is None:
        b = a * 2
    s = a
    for i in range(3):
        s = s + b if b is not None else s
    return s
""",
        [(1,), (1.5, 2), (A, None)],
    ),
    "chained comparisons run operands once": (
        """
def g(x):
    print(x)
    return x
def f(a, b, c):
    return g(a) < g(b) < g(c), a == b == c, a < b > c != a
""",
        [(1, 2, 3), (3, 2, 1), (float("nan"), 1, 2), (1, 1.0, True), (2**63, 2.0**63, 2**53 + 1)],
    ),
    "int meets float exactly": (
        """
def f(a, b):
    s = 0
    for i in range(3):
        s = s * 2 + (a < b) + (a == b) * 4 + (a >= b) * 8
    return s
""",
        [
            (2**53 + 1, 2.0**53),
            (2**63 - 1, 2.0**63),
            (-(2**63), -(2.0**63)),
            (1, float("inf")),
            (1, float("nan")),
            (3, 3.0),
        ],
    ),
    "overlapping in-place": (
        """
def f(a, b):
    a += b
    b *= 2
    a[1:] -= a[:-1]
    return a, b
""",
        [(A, A), (A[1:], A[:-1]), (A[::-1], A), (A, A[::-1]), (A.reshape(2, 3), A[:3]), (A[:1], A[:1])],
    ),
    "in-place on another object of the same memory": (
        """
def f(x):
    y = x[::2]
    z = x.reshape(2, 3)
    y += z[0, 1]
    z[:, 0] = y[:2]
    x *= y[1]
    return x, y, z
""",
        [(A,)],
    ),
    "read-only": (
        """
def f(x, y):
    s = x[0] + y[0]
    try:
        x[1] = s
    except ValueError as e:
        print(e)
    try:
        x += y
    except ValueError as e:
        print(e)
    x[1:] = y[1:]
    return x
""",
        [(A[:4], A[:4]), (READ_ONLY, A[:4]), (READ_ONLY[1:], A[:3])],
    ),
    "no dimension": (
        """
def f(x, y):
    z = x * y + 1
    x += y
    x[...] = 7
    return z, x, x[()], float(x), x + 1.0, np.sin(x)
""",
        [(np.array(2.0), 3.0), (np.array(2), np.array(3)), (np.array(2.0), np.float32(1.5))],
    ),
    "sizes 0 and 1": (
        """
def f(x, y):
    z = x + y
    z[:1] = 5
    return z * y, z.sum(), z[1:] - z[:-1] if len(z) > 0 else z
""",
        [(A, A), (A[:0], A[:0]), (A[:1], A[:1]), (A, A[:1]), (A[:1], A), (A[:0], A[:1]), (A, A[:2]), (A, A)],
    ),
    "float types in one variable": (
        """
def f(x, k):
    s = 0
    for i in range(k):
        s = s * 0.5 if i % 3 == 0 else s + x[i] if i % 3 == 1 else int(s) + 1
    return s, type(s)
""",
        [(A, 6), (A, 5), (A, 4), (A.astype("float32"), 6), (A.astype(int), 5)],
    ),
    "errstate around": (
        """
def g(x, y):
    z = x / y
    return z + np.float64(1e308) * x[0]
def f(x, y):
    r = []
    for mode in ("ignore", "warn", "raise"):
        with np.errstate(all=mode):
            try:
                r.append(g(x, y))
            except FloatingPointError as e:
                r.append(str(e))
    r.append(g(x, y))
    return r
""",
        [(A + 1, A), (A + 1, A + 1)],
    ),
    "errstate inside": (
        """
def f(x, y):
    with np.errstate(divide="ignore"):
        a = x / y
    b = x / y
    with np.errstate(divide="raise"):
        try:
            c = x / y
        except FloatingPointError:
            c = 0
    return a, b, c, np.geterr()
""",
        [(A + 1, A), (A + 1, A + 1)],
    ),
    "warnings are errors": (
        """
import warnings
def g(x, y):
    z = x * 2.0
    w = z / y
    return w + 1.0
def f(x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return g(x, y)
        except RuntimeWarning as e:
            return str(e), e.__traceback__.tb_next.tb_lineno
""",
        [(A + 1, A), (A, A + 1), (A + 1, A)],
    ),
    "warnings once": (
        """
import warnings
def f(x, n):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("default")
        for i in range(n):
            y = x / i
            z = np.log(-x - 1)
    return len(w), [(str(v.message), v.lineno) for v in w]
""",
        [(A, 3)],
    ),
    "NumPy scalars overflow": (
        """
def f(a, b):
    c = a + b
    d = a * b
    e = -a
    return c, d, e, a - b, abs(a)
""",
        [
            (np.int8(100), np.int8(100)),
            (np.uint8(200), np.uint8(100)),
            (np.int64(2**62), np.int64(2**62)),
            (np.int32(-(2**31)), np.int32(1)),
            (np.float32(3e38), np.float32(3e38)),
            (np.uint64(1), np.uint64(2)),
            (np.int8(-128), np.int8(-1)),
        ],
    ),
    "NumPy scalars divide": (
        """
def f(a, b):
    return a // b, a % b, a / b, divmod(a, b)
""",
        [
            (np.int64(7), np.int64(0)),
            (np.int64(-7), np.int64(2)),
            (np.int8(-128), np.int8(-1)),
            (np.float64(1), np.float64(0)),
            (np.float32(-7), np.float32(2)),
            (np.uint8(7), 2),
        ],
    ),
    "weak scalars": (
        """
def f(a, n):
    return a + n, a * 2.0, a == n, n - a, a < n
""",
        [
            (np.uint8(5), 3),
            (np.uint8(5), 300),
            (np.uint8(5), -1),
            (np.float32(1.5), 0.1),
            (np.int64(5), 2**63),
            (np.bool_(True), 3),
            (np.bool_(True), True),
        ],
    ),
    "bools": (
        """
def f(a, b):
    return a + b, a - b, a * b, a & b, a | b, a ^ b, a << 2, a / True, a // True, -a, +a, abs(a), a ** b, a == 1, a < b, int(a), float(b)
""",
        [(True, False), (False, True), (True, True)],
    ),
    "conversions": (
        """
def f(x):
    return int(x), round(x), bool(x), float(x), round(x, 1), divmod(x, 2)
""",
        [
            (2.5,),
            (-0.5,),
            (3.5,),
            (1e30,),
            (np.float64(2.5),),
            (np.float32(0.15),),
            (7,),
            (True,),
            (np.int8(7),),
            (0.15,),
            (1e16 + 2,),
        ],
    ),
    "conversions that fail": (
        """
def f(x):
    y = x * 1.0
    return int(y)
""",
        [(1.5,), (float("inf"),), (float("nan"),), (1e19,), (2.0**63,), (-(2.0**63),)],
    ),
    "integer division": (
        """
def f(a, b):
    return a // b, a % b, a / b, divmod(a, b)
""",
        [
            (7, 2),
            (-7, 2),
            (7, -2),
            (-(2**63), -1),
            (2**63 - 1, 2),
            (2**60, 3),
            (1, 0),
            (0, -5),
            (7.5, -2.0),
            (-0.0, 5.0),
            (5.0, float("inf")),
            (-5.0, float("inf")),
            (1.0, 0.0),
        ],
    ),
    "shifts and powers": (
        """
def f(a, b):
    r = []
    for g in (lambda: a << b, lambda: a >> b, lambda: a ** b, lambda: a * a * a):
        try:
            r.append(g())
        except Exception as e:
            r.append(repr(e))
    return r
""",
        [(1, 62), (1, 63), (-1, 63), (1, 64), (3, -1), (2, 70), (-8, 100), (2, -2), (0, 0), (10**10, 2)],
    ),
    "shifts": (
        """
def f(a, b):
    return a << b, a >> b
""",
        [(1, 62), (1, 63), (-1, 63), (1, 64), (3, -1), (0, 100), (-8, 100), (2**62, 1)],
    ),
    "floats at the edges": (
        """
def f(x, y):
    return x % y, x // y, x ** y, x - y, max(x, y), min(x, y), abs(x), -x
""",
        [
            (0.0, -1.0),
            (-0.0, 1.0),
            (0.0, -0.0 + 1e-300),
            (-1.0, 0.5),
            (float("inf"), 2.0),
            (2.0, float("inf")),
            (float("nan"), 1.0),
            (1.0, float("nan")),
            (0.0, -2.5),
            (1e200, 2.0),
        ],
    ),
    "exceptions across inlined frames": (
        """
def third(x, i):
    y = x[i] * 2
    return y // (i - 2)
def second(x, i):
    a = i + 1
    b = third(x, i)
    return a + b
def f(x, n):
    s = 0
    for i in range(n):
        s += second(x, i)
    return s
""",
        [([1, 2, 3, 4, 5], 2), ([1, 2, 3, 4, 5], 5), ([1], 2), (np.arange(5), 5), (np.arange(2), 5)],
    ),
    "exception caught in an inlined frame": (
        """
def g(x, i):
    try:
        return x[i]
    except IndexError:
        return -1
def f(x, n):
    s = 0
    for i in range(n):
        s = s * 2 + g(x, i)
    return s
""",
        [([1, 2, 3], 5), (np.arange(3), 5)],
    ),
    "finally": (
        """
def f(x, n):
    s = 0
    for i in range(n):
        try:
            if i == 2:
                continue
            if i == 5:
                break
            s += x[i]
        except IndexError:
            s -= 1
        finally:
            s += 100
    return s
""",
        [([1, 2, 3], 8), (np.arange(9), 8)],
    ),
    "with": (
        """
class C:
    def __enter__(self):
        print("enter")
        return 2
    def __exit__(self, kind, value, tb):
        print("exit", kind, tb and tb.tb_lineno)
        return kind is ZeroDivisionError
def f(a, b):
    s = 0
    with C() as k:
        s = a * k
        s = s // b
        s += 1
    return s
""",
        [(3, 2), (3, 0), (3, "x")],
    ),
    "closures share one code": (
        """
def make(k):
    def g(x):
        s = x
        for i in range(3):
            s = s * k
        return s
    return g
gs = [make(2), make(2.5), make(np.float64(3)), make(np.arange(2.0))]
def f(x):
    return [g(x) for g in gs]
""",
        [(2,), (1.5,), (2,)],
    ),
    "generators": (
        """
def g(n):
    for i in range(n):
        x = i * 2
        yield x + 1
def f(n):
    s = 0
    for v in g(n):
        s += v
    return s, sum(g(n)), [x * 2 for x in range(n)], {x: x + 1 for x in range(n)}
""",
        [(5,), (0,)],
    ),
    "globals are assigned": (
        """
count = 0
total = 0.5
def f(n):
    global count, total
    for i in range(n):
        count += i
        total *= 1.5
    return count * 2
""",
        [(5,), (0,), (3,)],
    ),
    "star": (
        """
def g(*args, **kw):
    return sum(args) + kw.get("k", 0)
def f(a, b):
    t = (a, b)
    first, *rest = t
    return g(*t), g(a, b, k=3), first, rest, [*t, a]
""",
        [(1, 2), (1.5, 2)],
    ),
    "strings": (
        """
def f(n):
    s = ""
    x = 0
    for i in range(n):
        x = x * 2 + i
        s += f"{x:>4} {i!r}"
        if "4" in s:
            s = s.replace("4", "four")
    return s, x
""",
        [(5,)],
    ),
    "dicts": (
        """
def f(x, n):
    d = {"a": x, 1: n}
    for i in range(n):
        d["a"] = d["a"] * 2 + i
        d[i] = d.get(i - 1, 0) + 1
    return d
""",
        [(3, 4), (A, 2)],
    ),
    "objects": (
        """
class P:
    scale = 2
    def __init__(self, x):
        self.x = x
    def move(self, d):
        self.x += d * self.scale
        return self
    @property
    def double(self):
        return self.x * 2
    def __add__(self, other):
        return P(self.x + other.x)
def f(a, n):
    p = P(a)
    for i in range(n):
        p = p.move(i) + p
    P.scale = 3
    return p.double, p.move(1).x
""",
        [(1, 4), (0.5, 4), (A, 3)],
    ),
    "walrus and match": (
        """
def f(a, n):
    s = 0
    while (n := n - 1) > 0:
        match (n % 3, a):
            case (0, _):
                s += a
            case (1, int(k)):
                s += k * 2
            case _:
                s -= 1
    return s
""",
        [(3, 9), (2.5, 9)],
    ),
    "int overflow in a nested loop": (
        """
def f(n):
    s = 1
    out = []
    for i in range(n):
        for j in range(3):
            s = s * 31 + j
        out.append(s % 1000)
    return s, out
""",
        [(10,), (2,)],
    ),
    "in-place operators on several types": (
        """
def f(a, b):
    c = a
    c += b
    c -= 1
    c *= b
    return a, c, a is c
""",
        [(1, 2), (1.5, 2), (A, 2), ([1], [2]), (np.float64(2), 3), ("a", "b"), (A, A)],
    ),
    "views outlive": (
        """
def f(n):
    v = None
    for i in range(n):
        x = np.arange(5.0) + i
        v = x[1:3]
    return v, v.base is not None
""",
        [(3,)],
    ),
    "array results of comparisons in conditions": (
        """
def f(x):
    if x > 0:
        return 1
    return 0
""",
        [(np.array([1.0]),), (np.array([1.0, 2.0]),), (np.array(3.0),), (2.0,)],
    ),
    "index types": (
        """
def f(x, i):
    return x[i], x[i, ...], x[i:]
""",
        [
            (A, 1),
            (A, -1),
            (A, True),
            (A, np.int8(2)),
            (A, np.uint64(2)),
            (A, 6),
            (A, -7),
            (A, 1.0),
            (A, None),
            (A, [0, 1]),
        ],
    ),
    "store conversions": (
        """
def f(x, v):
    x[0] = v
    x[1:3] = v
    x += v
    return x
""",
        [
            (A.copy(), 1.5),
            (A.astype("int64"), 1.5),
            (A.astype("uint8"), 7),
            (A.astype("uint8"), -1),
            (A.astype("uint8"), 300),
            (A.astype("float32"), 0.1),
            (A.astype(bool), 2),
            (A.astype("int32"), np.int64(2**40)),
            (A.astype("complex128"), 2),
            (A.astype("int64"), 2**63),
            (A.astype("int8"), True),
            (A.astype("float32"), 1e300),
        ],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    source, calls = PROGRAMS[name]
    check_calls(source, [call for call in calls for _ in range(2)])
