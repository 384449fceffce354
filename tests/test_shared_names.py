"""Comprehensions whose variable has the name of one that a closure shares: since 3.12 one slot is for both, and a cell only at times."""

from __future__ import annotations

import pytest
from differential import check

PROGRAMS = {
    "read": """
def f(n):
    x = 1
    g = lambda: x
    return [g() + x for x in range(n)], x, g()
""",
    "stored by the closure": """
def f(n):
    x = 1
    def g():
        nonlocal x
        x += 1
        return x
    return [g() * 10 + x for x in range(n)], x, g()
""",
    "in a loop": """
def f(n):
    x = 1
    g = lambda: x
    s = 0
    for k in range(n):
        s += sum([g() + x for x in range(k)])
        x += 1
    return s, x, g()
""",
    "a free variable": """
def f(n):
    x = 1
    def g(m):
        return [x for x in range(m)], {x: 2 for x in range(m)}, x
    return [g(k) for k in range(n)]
""",
    "captured": """
def f(n):
    made = [lambda: i for i in range(n)]
    return [g() for g in made]
""",
    "captured, with a variable of the name": """
def f(n):
    i = 7
    g = lambda: i
    s = 0
    for k in range(n):
        s += sum([h() for h in [lambda: i for i in range(k)]]) + g() * i
    return s, i, g()
""",
    "two captured": """
def f(n):
    made = [[lambda: (i, j) for j in range(2)] for i in range(n)]
    return [g() for row in made for g in row]
""",
    "unbound before": """
def f(n):
    try:
        return [i for _ in range(n)]
    except NameError as error:
        said = type(error).__name__
    i = 3
    g = lambda: i
    return said, g(), [i for i in range(n)], {i: g() for i in range(n)}, {g() for i in range(n)}, i
""",
    "raises": """
def f(n):
    x = 4
    g = lambda: x
    try:
        return [g() // (x - 2) for x in range(n)]
    except ZeroDivisionError:
        return x, g()
""",
    "arrays": """
def f(n):
    a = np.arange(3.0)
    g = lambda k: a * k
    rows = [a + g(2) for a in (np.ones(3), np.zeros(3))] * n
    for k in range(n):
        a = a + k
        rows += [g(k) for a in range(2)]
    return rows, a
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check("import numpy as np\n" + PROGRAMS[name], 5, entry="f")
