"""Functions that a program makes while it runs, and comprehensions: their variables, exits and tracebacks; the same on every version."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest
from differential import check_calls

import pijit

PROGRAMS = {
    "listcomp": (
        """
def f(n):
    b = [i*i for i in range(n)]
    return b, sum(b)
""",
        [(5,), (0,), (7,)],
    ),
    "cells": (
        """
def f(n, k):
    b = [i*k + n for i in range(n)]
    k = k + 1
    c = [i*k for i in b if i > 3]
    return b, c, k
""",
        [(5, 2), (5, 2.5), (7, 3)],
    ),
    "helper": (
        """
def g(a, k):
    return [x*k for x in a]
def f(n):
    s = 0
    for i in range(n):
        s += len(g([1,2,i], i))
        s += g([1,2,i], i)[2]
    return s
""",
        [(5,), (7,)],
    ),
    "nested": (
        """
def f(n, k):
    return [[i*j + k for j in range(i)] for i in range(n)]
""",
        [(5, 2), (4, 1.5)],
    ),
    "raises": (
        """
def f(n, k):
    a = [1,2,3]
    def g(m):
        return [a[i] // (k - i) for i in range(m)]
    return g(n)
""",
        [(2, 5), (3, 5), (5, 9), (3, 2)],
    ),
    "print": (
        """
def f(n, k):
    return [print(i, k) for i in range(n)], [i + k for i in range(n)]
""",
        [(2, 5), (3, 5)],
    ),
    "walrus": (
        """
def f(n, k):
    y = 0
    b = [y := y + i for i in range(n)]
    s = 0
    for j in range(n):
        s += sum([y := y + i*k for i in range(j)])
    return b, y, s
""",
        [(4, 5), (6, 5)],
    ),
    "arrays": (
        """
import numpy as np
def f(n):
    a = np.arange(n*1.0)
    return [x*2 for x in a], [np.sin(a[i:]).sum() for i in range(n)]
""",
        [(4,), (6,)],
    ),
    "lambda": (
        """
def f(n, k):
    g = lambda x, y=3, *, z=2: x*k + y*z
    s = 0
    for i in range(n):
        s += g(i)
        k += 1
        s += g(i, 2, z=i)
    return s, k
""",
        [(4, 2), (6, 5)],
    ),
    "inner": (
        """
def f(n, k):
    def add(v):
        nonlocal k
        k = k + v
        return k * 2
    s = 0
    for i in range(n):
        s += add(i)
    print(add)if n < 0 else None
    return s, k, add(3), k, add.__name__
""",
        [(4, 2), (6, 5), (3, 2**62)],
    ),
    "returned": (
        """
def f(n, k):
    def make(j):
        return lambda x: x + j
    g = make(k)
    h = make(n)
    return g(2) + h(3), g(1)
""",
        [(4, 2), (6, 5)],
    ),
    "self": (
        """
class C:
    def __init__(self, k):
        self.g = lambda x: x + k
def f(n, k):
    c = C(k)
    d = C(n)
    return c.g(2) + d.g(3)
""",
        [(4, 2), (6, 5)],
    ),
    "rec": (
        """
def f(n):
    def fact(m):
        return 1 if m < 2 else m * fact(m - 1)
    return fact(n)
""",
        [(4,), (25,)],
    ),
    "raises in a comprehension": (
        """
def f(a, k):
    def g(m):
        return [a[i] // (k - i) for i in range(m)]
    return g(k)
""",
        [([1, 2, 3], 3), ([1, 2, 3], 5)],
    ),
    "a tuple of functions": (
        """
def f(n, k):
    a = b = lambda x: x + k
    pair = (a, lambda x: x - k, b)
    k = k * n
    s = 0
    for i in range(n):
        for g in pair:
            s = s * 2 + g(i)
    return s, a is b, pair[0] is pair[2], pair[0] is pair[1]
""",
        [(3, 2), (4, 0.5), (3, 2**61)],
    ),
    "an exit keeps one function": (
        """
def f(n, k):
    a = lambda x: x + k
    pair = (a, a)
    print(n)
    k += 1
    return a is pair[0], pair[1](n), a.__qualname__, a.__closure__[0].cell_contents
""",
        [(3, 2), (4, 0.5)],
    ),
    "written by either side": (
        """
def f(n):
    count = total = 0
    def add(x):
        nonlocal count, total
        count += 1
        total += x
        return total
    for i in range(n):
        last = add(i)
        total = total + count
        if i % 3 == 0:
            print(count, total, last)
    return count, total
""",
        [(3,), (7,)],
    ),
    "a helper with a closure": (
        """
def h(x, k):
    def g(y):
        nonlocal k
        k = k + y
        return k
    return g(x) + g(k) + k
def f(n):
    s = 0
    for i in range(n):
        s = h(i, s)
        s = s % 1000003 if i % 2 else s
    return s
""",
        [(5,), (90,)],
    ),
    "an exit in a closure of a helper": (
        """
def h(x, k):
    def g(y):
        nonlocal k
        k = k + y
        print(k, y)
        return k // x
    return g(x) + g(k) + k
def f(n):
    s = 0
    for i in range(n):
        s += h(3 - i, s)
    return s
""",
        [(3,), (5,)],
    ),
    "defaults are of the time": (
        """
def f(n, k):
    g = lambda x, y=k, *rest, z=k + 1: x + y + z + len(rest)
    k = 100
    s = 0
    for i in range(n):
        s += g(i) + g(i, 2) + g(i, z=3) + g(i, 1, 2, 3)
    try:
        g()
    except TypeError as e:
        print(e)
    return s
""",
        [(3, 2), (4, 0.5)],
    ),
    "unbound in a closure": (
        """
def f(n):
    g = lambda x: x + late
    if n > 3:
        late = n
    return g(n)
""",
        [(5,), (2,)],
    ),
    "dict and set comprehensions": (
        """
def f(n, k):
    a = {i: i * k for i in range(n)}
    b = {i % 3 for i in range(n)}
    return a, b, [a[i] for i in b]
""",
        [(5, 2), (4, 0.5)],
    ),
    "conditions and two loops": (
        """
def f(n, k):
    return [(i, j, k) for i in range(n) if i != 2 for j in range(i) if (i + j) % 2 or k], [x for x in (1, n, k)]
""",
        [(5, 2), (4, 0)],
    ),
    "in a try": (
        """
def f(n, k):
    try:
        return [k // i for i in range(n, -1, -1)]
    except ZeroDivisionError as e:
        return str(e), [i for i in range(n)]
""",
        [(5, 2), (4, 0)],
    ),
    "a class attribute in a comprehension": (
        """
class C:
    def __init__(self, k):
        self.k = k
    def all(self, n):
        return [self.k * i for i in range(n)]
def f(n):
    c = C(n)
    total = 0
    for i in range(n):
        c.k += 1
        total += c.all(i)[-1] if i else 0
    return total, c.all(3)
""",
        [(5,), (4,)],
    ),
    "in arguments": (
        """
def g(a, b):
    return len(a) + b
def f(n):
    return g([i for i in range(n)], g([1.5 * i for i in range(2)], n))
""",
        [(5,), (4,)],
    ),
    "made after a break in its defaults": (
        """
def f(n):
    r = []
    for i in range(n):
        r.append((lambda y=(str(i), i), *, k=(str(n), i): (y, k))())
    return r
""",
        [(5,), (0,), (7,)],
    ),
    "stored outside, in a loop": (
        """
def make():
    total = 0
    def f(n):
        nonlocal total
        for i in range(n):
            total += i
        return total
    return f
f = make()
""",
        [(5,), (0,), (7,)],
    ),
    "stored outside, by each call": (
        """
def make():
    total = 0
    last = None
    def f(n):
        nonlocal total, last
        total += n
        print(last)
        last = n
        return total * 2
    return f
f = make()
""",
        [(5,), (0.5,), (7,)],
    ),
    "stored outside, unbound at first": (
        """
def make():
    def f(n):
        nonlocal late
        for i in range(n):
            late = i * 2
            if i == 3: break
        return late
    if 0: late = 1
    return f
f = make()
""",
        [(5,), (0,), (7,)],
    ),
    "stored outside, read by others": (
        """
def make():
    k = 1
    def g(x):
        return x * k
    def f(n):
        nonlocal k
        s = 0
        for i in range(n):
            k = k + i
            s += g(i)
            h = lambda: k + s
            s += h() % 7
        return s, k
    return f
f = make()
""",
        [(5,), (0,), (7,)],
    ),
    "stored outside, read by generators": (
        """
def make():
    k = 1
    def f(n):
        nonlocal k
        s = sum(k * i for i in range(n))
        k += 1
        for j in range(n):
            k += max(k + i for i in range(j + 1)) % 5
        del n
        return s, k
    return f
f = make()
""",
        [(5,), (2,), (7,)],
    ),
    "deleted outside": (
        """
def make():
    k = 1
    def f(n):
        nonlocal k
        k = k + n if n else 3
        s = k * 2
        del k
        k = s
        return k
    return f
f = make()
""",
        [(5,), (2,), (7,)],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    source, calls = PROGRAMS[name]
    check_calls(source, [call for call in calls for _ in range(2)], entry="f")


NATIVE = {
    "[i * k for i in range(n)]",
    "[[i * j + k for j in range(i)] for i in range(n)]",
    "[k := k + i for i in range(n)], k",
    "(lambda x, y=n: x * y + k)(n)",
    "g(n, k)",
    "sum([i for i in range(n) if i != k])",
}


@pytest.mark.parametrize("expression", sorted(NATIVE))
def test_nothing_is_left_to_the_interpreter(expression):
    source = f"def g(n, k):\n    return [i * k for i in range(n)][-1]\n\ndef f(n, k):\n    return {expression}\n"
    namespace: dict[str, object] = {}
    exec(source, namespace)
    report = pijit.explain(namespace["f"], 5, 2).to_dict()
    assert not report["breaks"]


ELSEWHERE = """
K = 100
def g(x):
    return x * K
def apply(function, x):
    return function(x) + K
def each(items):
    return [item(1) for item in items]
"""

HERE = """
K = 1
def g(x):
    return x + K
def inner(x):
    return apply(lambda y: g(y) + K, x)
def f(x):
    def h(y):
        return [g(y + i) + len([K]) for i in range(3)]
    return apply(lambda y: g(y) + K, x), inner(x), each([h, lambda y: sum(g(y) for _ in range(2))]), sorted([x, 3], key=lambda y: -g(y))
"""


def test_globals_are_those_of_the_maker():
    """Whoever calls a function that the program makes: here one of another module, which has the same names."""
    elsewhere: dict[str, object] = {"__name__": "elsewhere"}
    exec(ELSEWHERE, elsewhere)
    namespace: dict[str, object] = {"__name__": "here", "apply": elsewhere["apply"], "each": elsewhere["each"]}
    exec(HERE, namespace)
    for name in ("f", "inner"):
        check_calls(namespace[name], [(5,), (6,), (2.5,)])


KEPT = """
def f(n, kept):
    def g(x):
        return len(kept) + x
    pair = (g, lambda y=kept: y)
    s = 0
    for v in (g(i) + len(kept) for i in range(n)):
        s += v
        eval("0") if s > 10**9 else None
        str(s)
    return s + len(pair[1]())
"""


def test_nothing_lives_on():
    """What exits make holds no more references than in plain Python, and goes away with the function."""
    namespace: dict[str, object] = {}
    exec(KEPT, namespace)
    plain = namespace["f"]
    f = pijit.jit(plain)
    kept = [1]
    assert f(5, kept) == f(5, kept)
    before = sys.getrefcount(kept)
    for _ in range(2000):
        f(5, kept)
    assert sys.getrefcount(kept) == before
    gone = weakref.ref(f)
    namespace.clear()
    del f, plain
    gc.collect()
    assert gone() is None
