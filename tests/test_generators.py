"""Generators consumed where they are made: what they give, where they stop, what an exit makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

import pijit

A = np.array([0.5, -1.25, 3.0, 1e16, 1.0, -1e16, 0.1])

# expressions of the arguments n (an int), k (a number), a (an array)
CONSUMERS = (
    "sum(x * k for x in range(n))",
    "sum(x * 0.1 + k for x in range(n))",
    "sum((0.1 * i * (-1) ** i for i in range(n)), k)",
    "sum((float(x) for x in a), start=0.5)",
    "sum(float(x) if i % 2 else i for i, x in enumerate(a))",
    "sum(x * x for x in a)",
    "sum(k for _ in range(0))",
    "sum(x > 1 for x in a)",
    "any(x > k for x in a), any(i > 10 ** 6 for i in range(n))",
    "all(x < 10 for x in a), all(i < 10 ** 6 for i in range(n)), all(i for i in range(n))",
    "min(abs(x - k) for x in a), max(x + i for i, x in enumerate(a))",
    "max((i for i in range(n) if i > 2), default=k), min((1.5 * i for i in range(n)), default=None)",
    "max(i * k if i % 2 else i for i in range(1, n + 2))",
    "list(i * k for i in range(n)), tuple(x + 1 for x in a)",
    "sorted(i * 7 % 5 + k for i in range(n)), sorted(-float(x) for x in a)",
    "sum(max(i, j) for i in range(n) for j in range(i) if (i + j) % 3)",
    "sum(sum(j * k for j in range(i)) for i in range(n))",
    "sum(y + 1 for y in (x * k for x in range(n)))",
    "sum(1 // (n - i) for i in range(n + 2))",
    "max(1 // (3 - i) for i in range(n))",
    "list(a[i] for i in range(n + 4))",
    "sum(2 ** 61 + i for i in range(n))",
    "sum(i for i in range(n) if print(i) is None)",
    "max(i for i in range(0))",
    "min(a), max(x for x in ()) if n > 50 else 0",
    "tuple(i for i in range(n))[1:], *(i for i in range(3))",
    "'-'.join(str(i) for i in range(n)), set(i % 3 for i in range(n)), dict((i, k) for i in range(n))",
    "sum(np.sin(x) for x in a), sum(math.sqrt(i) for i in range(n))",
    "sum(math.sqrt(3 - i) for i in range(n))",
    "next(i for i in range(n) if i > 2)",
)


@pytest.mark.parametrize("expression", CONSUMERS)
def test_consumer(expression):
    source = f"import math\n\ndef f(n, k, a):\n    b = n + 1\n    return {expression}, b\n"
    check_calls(source, [(5, 2, A), (5, 2, A), (7, 0.5, A[::-1]), (4, 3, A[:1]), (5, 2, A)], entry="f")


# name: (source, calls)
PROGRAMS = {
    "a loop": (
        """
def gen(n, k):
    for i in range(n):
        yield i * k
def f(n, k):
    total = 0
    for y in gen(n, k):
        total += y
    return total
""",
        [(5, 2), (4, 0.5), (0, 1)],
    ),
    "state of its own": (
        """
def fib(n):
    a, b = 0, 1
    while a < n:
        yield a
        a, b = b, a + b
def f(n):
    s = last = 0
    for x in fib(n):
        s += x * 2 - last
        last = x
        if s > 10**6:
            break
    return s, last
""",
        [(50,), (10**9,), (0,), (2**70,)],
    ),
    "several yields": (
        """
def gen(n):
    yield n
    for i in range(n):
        if i % 2:
            yield i
        else:
            yield i + 0.5
    yield -1
def f(n):
    out = []
    for x in gen(n):
        out.append(x * 2)
    return out
""",
        [(5,), (0,)],
    ),
    "an exit in the body": (
        """
def gen(n, k):
    s = k
    for i in range(n):
        s += i
        yield s, i
def f(n, k):
    total = 0
    for s, i in gen(n, k):
        total += s
        print(total, i)
        total += i
    return total
""",
        [(5, 2), (4, 0.5)],
    ),
    "an exit in the generator": (
        """
def gen(n, k):
    s = 0
    for i in range(n):
        s += 10 // (k - i)
        yield s
def f(n, k):
    total = 0
    try:
        for s in gen(n, k):
            total += s
    except ZeroDivisionError as e:
        print(e, total, e.__traceback__.tb_next.tb_frame.f_code.co_name, e.__traceback__.tb_next.tb_lineno)
    return total
def g(n, k):
    for s in gen(n, k):
        n += s
    return n
""",
        [(5, 9), (5, 3), (5, 9)],
    ),
    "an effect in the generator": (
        """
def gen(a, n):
    for i in range(n):
        a[i] += 1
        yield a[i]
def f(a):
    s = 0.0
    for x in gen(a, len(a)):
        s += x
        a[0] = 100
    return s, a
""",
        [(np.arange(4.0),), (np.arange(3.0),)],
    ),
    "a break leaves it": (
        """
def gen(n):
    try:
        for i in range(n):
            yield i
    finally:
        print("closed", n)
def f(n):
    s = 0
    for i in gen(n):
        s += i
        if i == 3:
            break
    return s
""",
        [(3,), (6,)],
    ),
    "two at once": (
        """
def gen(n, k):
    for i in range(n):
        yield i * k
def f(n):
    s = 0
    for x in gen(n, 2):
        for y in gen(x, 3):
            s += x * y
            if y > 8:
                break
    return s
""",
        [(5,), (2,)],
    ),
    "in a helper": (
        """
def gen(n):
    for i in range(n):
        yield i
def total(n, k):
    s = 0
    for x in gen(n):
        s += k // (4 - x)
    return s
def f(n):
    s = 0
    for i in range(n):
        s += total(i, 10)
    return s
""",
        [(4,), (5,), (6,)],
    ),
    "__iter__": (
        """
class Path:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        for i in range(self.n):
            yield i * self.n
def f(n):
    s = 0
    p = Path(n)
    for x in p:
        s += x
    return s
""",
        [(5,), (0,)],
    ),
    "arrays": (
        """
def rows(a):
    for row in a:
        yield row * 2
def f(a):
    s = np.zeros(a.shape[1])
    for r in rows(a):
        s += r
        s = s + 1
    return s
""",
        [(np.arange(6.0).reshape(2, 3),), (np.arange(6.0).reshape(3, 2),)],
    ),
    "its arguments are bound as a call's": (
        """
def gen(n, *more, k=2, **rest):
    for i in range(n):
        yield i * k + len(more) + rest.get("z", 0)
def f(n):
    s = 0
    for x in gen(n, 1, 2, z=n):
        s += x
    for x in gen(n, k=3):
        s += x
    try:
        for x in gen():
            pass
    except TypeError as e:
        print(e)
    return s
""",
        [(5,), (0,)],
    ),
    "held and asked": (
        """
def gen(n):
    for i in range(n):
        yield i
def f(n):
    g = gen(n)
    h = (x * x for x in range(n))
    a = next(g)
    return a, sum(g), list(h), list(h), next(g, None)
""",
        [(5,), (3,)],
    ),
    "rebound": (
        """
k = 2
def gen(n):
    for i in range(n):
        yield i * k
def f(n):
    global k
    s = 0
    for x in gen(n):
        s += x
        k = k + 1
    return s, sum(k for _ in range(n))
""",
        [(5,), (3,)],
    ),
    "closures": (
        """
def f(n):
    total = 0
    def gen(m):
        nonlocal total
        for i in range(m):
            total += i
            yield total
    s = 0
    for x in gen(n):
        s += x
        total += 1
    return s, total, sum(total * i for i in range(n))
""",
        [(5,), (3,)],
    ),
    "an instance": (
        """
class Point:
    def __init__(self, x):
        self.x = x
def f(n):
    p = Point(n)
    s = sum(p.x * i for i in range(n))
    for q in (Point(i) for i in range(n)):
        s += q.x + p.x
        p.x += 1
    return s, p.x
""",
        [(5,), (3,)],
    ),
    "a walrus": (
        """
def f(n):
    y = 0
    s = sum((y := y + i) for i in range(n))
    return s, y
""",
        [(5,), (3,)],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    source, calls = PROGRAMS[name]
    check_calls(source, [call for call in calls for _ in range(2)], entry="f")


NATIVE = (
    "sum(x * k for x in range(n))",
    "sum(x * 0.5 for x in range(n))",
    "any(i * k > 1000 for i in range(n))",
    "all(i < k for i in range(n))",
    "max(i * k for i in range(n))",
    "list(i * k for i in range(n))",
    "tuple(i * k for i in range(n))",
    "sorted(-i * k for i in range(n))",
    "sum(sum(j for j in range(i)) for i in range(n))",
    "loop(n, k)",
)


@pytest.mark.parametrize("expression", NATIVE)
def test_nothing_is_left_to_the_interpreter(expression):
    source = (
        "def gen(n, k):\n    for i in range(n):\n        yield i * k\n\n"
        "def loop(n, k):\n    s = 0\n    for x in gen(n, k):\n        s += x\n    return s\n\n"
        f"def f(n, k):\n    return {expression}\n"
    )
    namespace: dict[str, object] = {}
    exec(source, namespace)
    report = pijit.explain(namespace["f"], 5, 2).to_dict()
    assert not report["breaks"]


@pytest.mark.parametrize("over", ["steps(log, a)", "enumerate(steps(log, a))", "zip(a, steps(log, a))", "map(abs, steps(log, a))"])
def test_end_of_a_generator_that_is_left(over):
    """Its `finally` runs where the loop that holds it is left, not when the function returns."""
    source = f"""
def steps(log, a):
    try:
        for v in a:
            yield v
    finally:
        log.append("end")
def f(log, a, n):
    s = 0
    for k in range(n):
        for v in {over}:
            s += k
            if s % 5 == 3:
                break
        log.append(s)
    for v in {over}:
        s += 1
        break
    log.append("left")
    return s
"""
    check_calls(source, [([], [1.5, 2.5, 3.5], 9), ([], [2], 70)], entry="f")
