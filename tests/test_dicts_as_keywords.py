"""f(**opts) where opts is a dict that came in: configuration, or what a decorator passes on."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from differential import check, check_calls, check_stays_native, settings

import pijit

pytestmark = pytest.mark.shared

SOLVER = """
def solver(x, tol=1.0, *, most=3, **others):
    return x * tol + most, list(others.items()), others
"""

OPTIONS = [
    {},
    {"most": 2},
    {"tol": 0.5, "most": 2},
    {"most": 2, "tol": 0.5},
    {"b": 1, "a": 2},
    {"a": 2, "b": 1},
    {"a": 2.5, "b": None, "tol": 2.0},
    {"most": "x"},
    {"x": 1.0},
    {"tol": [1]},
    {1: 2},
    {f"k{i}": i for i in range(40)},
]


def test_options_in_turn():
    source = f"""{SOLVER}
def f(opts, n):
    said = []
    for i in range(n):
        try:
            said.append(solver(i + 0.5, **opts))
        except TypeError as error:
            said.append(str(error))
    return said
"""
    check_calls(source, [(opts, n) for n in (3, 4) for opts in OPTIONS], configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("opts", OPTIONS[:7])
def test_one_dict_stays_native(opts):
    source = """
def solver(x, tol=1.0, most=3, a=0, b=0):
    return x * tol + most
def f(opts, n):
    total = 0.0
    for i in range(n):
        total += solver(i + 0.5, **opts)
    return total
"""
    check_stays_native(source, opts, 7)


def test_what_a_decorator_passes_on():
    source = f"""{SOLVER}
import functools
def timed(function):
    calls = [0]
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        calls[0] += 1
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            return str(error), calls[0]
    return wrapper
timed_solver = timed(solver)
def f(n, opts):
    return [timed_solver(float(i), **opts) for i in range(n)] + [timed_solver(1.0), timed_solver(2.0, 3.0, most=n), timed_solver(1.0, most=2, z=n)]
"""
    check_calls(source, [(n, opts) for n in (2, 5) for opts in OPTIONS], configurations=("jit", "numpy", "forced"))


def test_the_dict_changes_meanwhile():
    source = f"""{SOLVER}
def f(n):
    opts, said = {{"most": 1}}, []
    for i in range(n):
        found = solver(i, **opts)
        opts["most"] = i
        if i % 3 == 0:
            opts["tol"] = i * 0.5
        if i % 4 == 0:
            opts.pop("tol", None)
        found[2]["own"] = i
        said.append((found, dict(opts)))
    return said
"""
    check(source, 9, configurations=("jit", "numpy", "forced"))


def test_keys_with_code_of_their_own():
    source = f"""{SOLVER}
class Text(str):
    def __hash__(self):
        return 7
    def __eq__(self, other):
        return str(self) == other
def f(n):
    said = []
    for key in ("most", Text("most"), Text("tol"), Text("z")):
        opts = {{key: 2}}
        for i in range(n):
            said.append(solver(i, **opts)[:2])
    return said
"""
    check(source, 3, configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("callee", ["g", "Model", "model.step", "model", "inner", "kw", "print_", "functools.partial(g, 1.0)"])
def test_the_same_keys_in_another_order(callee):
    source = f"""
import functools
def g(x=0, a=1, b=2):
    return x, a * 2, b
def kw(x=0, **others):
    return x, list(others)
def print_(*, b, a, **others):
    return a, b, others
class Model:
    def __init__(self, a, b=3):
        self.a, self.b = a, b
    def step(self, *, a, b):
        return self.a, a, b
    def __call__(self, b, a):
        return b, a
    def __repr__(self):
        return f"Model({{self.a}}, {{self.b}})"
model = Model(7)
def f(opts, n):
    def inner(a, b):
        return a, b, n
    said = []
    for i in range(n):
        try:
            said.append(str({callee}(**opts)))
        except TypeError as error:
            said.append(str(error))
    return said
"""
    names = ("ab", "ba", "abcd", "dcba", "ca", "ac")
    orders = [{name: n for n, name in enumerate(some)} for some in names]
    check_calls(source, [(opts, 3) for opts in orders] * 2, configurations=("jit", "numpy", "forced"))


def test_the_called_function_gets_another_code():
    source = """
def g(a, b):
    return a - b
def h(**others):
    return list(others)
def f(opts, n):
    said = [g(**opts) for _ in range(n)]
    g.__code__ = h.__code__
    said.append(g(**opts))
    g.__code__ = (lambda a, b: a + b).__code__
    return said
"""
    check_calls(source, [({"a": 1, "b": 2}, 3), ({"b": 1, "a": 2}, 3), ({"b": 1, "a": 2.5}, 3)] * 2, configurations=("jit", "numpy", "forced"))


def test_a_partial_with_the_same_keys_in_another_order():
    source = f"""{SOLVER}
import functools
orders = [dict(a=1, b=2), dict(b=2, a=1), dict(b=1, a=2), dict(tol=0.5, most=2), dict(most=2, tol=0.5)]
def f(which, n):
    p = functools.partial(solver, **orders[which])
    return again(p, n)
def again(p, n):
    return [p(i) for i in range(n)]
"""
    check_calls(source, [(which, 3) for which in range(5)] * 3, configurations=("jit", "numpy", "forced"))


def test_partials_that_come_in_turn():
    space: dict[str, Any] = {}
    exec(f"{SOLVER}\ndef again(p, n):\n    said = []\n    for i in range(n):\n        said.append(p(i))\n    return said\n", space)
    fast = pijit.jit(space["again"])
    with settings(compile_all=True):
        for options in OPTIONS[1:7] * 2:
            given = functools.partial(space["solver"], **options)
            assert repr(fast(given, 3)) == repr(space["again"](given, 3))
