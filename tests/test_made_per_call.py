"""Functions, partials and bound methods that are made anew for each call: one fragment serves all, and keeps none of them alive."""

from __future__ import annotations

import functools
import gc
import types
import weakref

import numpy as np
import pytest
from differential import check_calls, settings

import pijit

pytestmark = pytest.mark.shared

HEAD = """
import functools
class Box:
    def __init__(self, inside):
        self.inside = inside
    def get(self, i):
        return self.inside[i] * 2.5
def pick(a, i, by=1.5):
    return a[i] * by
def named(i, *, a, by=2):
    return a[i] * by
def traced(g):
    def wrapper(*args, **named):
        return g(*args, **named) + 1
    return wrapper
"""
# What is made of a in each call, and called with an index.
MADE = {
    "closure": "def g(i):\n        return a[i] * 1.5",
    "lambda": "g = lambda i: a[i] * 1.5",
    "default": "def g(i, a=a, by=3):\n        return a[i] * by",
    "keyword default": "def g(i, *, a=a, by=3.5):\n        return a[i] * by",
    "number as default": "def g(i, k=len(a), a=a):\n        return a[i] * k",
    "function as default": "h = lambda x: x * 2 + len(a)\n    def g(i, h=h, a=a):\n        return h(a[i])",
    "decorated": "@traced\n    def g(i):\n        return a[i] * 1.5",
    "decorated twice": "@traced\n    @traced\n    def g(i, *, by=2):\n        return a[i] * by",
    "partial": "g = functools.partial(pick, a)",
    "partial with keywords": "g = functools.partial(named, a=a, by=len(a))",
    "partial of a closure": "g = functools.partial(lambda by, i: a[i] * by, 2.5)",
    "partial of a partial": "g = functools.partial(functools.partial(pick, a), by=2)",
    "bound method": "g = Box(a).get",
    "method of a closure": "box = Box(a)\n    g = lambda i: box.get(i)",
    "closure in a closure": "def outer(k):\n        return lambda i: a[i] * k\n    g = outer(len(a))",
    "generator": "def each(k):\n        for j in range(k):\n            yield a[j]\n    g = lambda i: sum(each(i + 1))",
}
# How it is called: where the callee leaves, the loop has an entry of its own, in a frame where the function is there already.
CALLED = {
    "in a loop": "    s = 0.0\n    for i in range(n):\n        s += g(i)\n    return s\n",
    "in a loop after a break": "    s = 0.0\n    print(end='')\n    for i in range(n):\n        s += g(i)\n        print(end='')\n    return s\n",
    "by another function": "    return loop(g, n)\n",
    "from a tuple": "    return loop_of((g, n))\n",
    "as what an object has": "    kept = Box(g)\n    print(end='')\n    s = 0.0\n    for i in range(n):\n        s += kept.inside(i)\n    return s\n",
}
LOOPS = """
def loop(g, n):
    s = 0.0
    for i in range(n):
        s += g(i)
    return s
def loop_of(pair):
    g, n = pair
    print(end='')
    s = 0.0
    for i in range(n):
        s += g(i)
    return s
"""


def program(made: str, called: str) -> str:
    return f"{HEAD}{LOOPS}def f(a, n):\n    {MADE[made]}\n{CALLED[called]}"


ARRAYS = [np.arange(1.0, 9.0), np.arange(2.0, 13.0), np.arange(3, 12), np.arange(5.0)]


@pytest.mark.parametrize("called", CALLED)
@pytest.mark.parametrize("made", MADE)
def test_same_as_plain(made, called):
    check_calls(program(made, called), [(a, 5) for a in ARRAYS] + [(ARRAYS[0], 9)], entry="f", configurations=("jit", "numpy"))


@pytest.mark.parametrize("called", CALLED)
@pytest.mark.parametrize("made", MADE)
def test_one_fragment_serves_all_and_keeps_none_alive(made, called):
    space: dict[str, object] = {"__name__": "subject"}
    exec(program(made, called), space)
    with settings(compile_all=True, raise_internal=True):
        for name in ("f", "loop", "loop_of"):
            space[name] = pijit.jit(space[name])
        f = space["f"]
        left, compiled = [], []
        for length in range(6, 26):
            a = np.arange(1.0, length)
            f(a, 5)
            left.append(weakref.ref(a))
            compiled.append(sum(pijit.stats(space[name]).compiles for name in ("f", "loop", "loop_of")))
    del a
    if any(ref() is not None for ref in left):
        gc.collect()  # which takes a second at the end of a long run
    assert [ref() for ref in left] == [None] * len(left)
    assert compiled[8] == compiled[-1] > 0


def test_what_is_stored_in_a_cell_is_seen():
    source = """
def f(a, n):
    k = 1.5
    def set(v):
        nonlocal k
        k = v
    g = lambda i: a[i] * k
    s = 0.0
    for i in range(n):
        s += g(i)
        print(end='')
        if i == 2:
            set(i if n > 5 else 2.5)
    return s, k
"""
    check_calls(source, [(a, n) for a in ARRAYS for n in (5, 4, 5)] + [(ARRAYS[0], 7)], entry="f")


def test_functions_of_one_code_in_one_call():
    source = """
def f(a, n):
    makers = [lambda i, k=k: a[i] * k for k in (1.5, 2.5)]
    print(end='')
    g, h = makers
    s = 0.0
    for i in range(n):
        s += g(i) - h(i)
        g, h = h, g
        if i == 2:
            g = h
    return s, g is h, g is makers[0], g is not f
"""
    check_calls(source, [(a, n) for a in ARRAYS for n in (2, 5)], entry="f")


STORED = {
    "field": """
class Box: pass
def f(a, n):
    def g(i): return a[i] * 1.5
    box, s = Box(), 0.0
    print(end='')
    box.fn = g
    for i in range(n):
        h = box.fn
        s += h(i)
        box.fn = h
        print(end='')
        s += box.fn(i)
    return s
""",
    "items": """
def f(a, n):
    fs = [None, None]
    print(end='')
    for k in range(2):
        fs[k] = lambda i: a[i] * 1.5
    s = 0.0
    for i in range(n):
        s += fs[i % 2](i)
        fs[0], fs[1] = fs[1], fs[0]
    return s
""",
}


@pytest.mark.parametrize("name", STORED)
def test_where_the_fragment_stores_it(name):
    check_calls(STORED[name], [(a, n) for a in ARRAYS for n in (5, 3)], entry="f", configurations=("jit", "numpy"))
    space: dict[str, object] = {}
    exec(STORED[name], space)
    with settings(compile_all=True, raise_internal=True):
        own, left = pijit.jit(space["f"]), []
        for length in range(6, 26):
            a = np.arange(1.0, length)
            own(a, 5)
            left.append(weakref.ref(a))
    del a
    gc.collect()
    assert [ref() for ref in left] == [None] * len(left)


def test_the_same_code_in_another_module():
    code = compile("def g(x):\n    return x * k\n", "elsewhere", "exec")
    spaces = [{"__name__": name, "k": k} for name, k in (("one", 2), ("two", 3.5))]
    for space in spaces:
        exec(code, space)

    def call(g, x):
        return g(x)

    def through(g):
        return lambda x: g(x) + 1

    with settings(compile_all=True, raise_internal=True):
        own = pijit.jit(call)
        for _ in range(3):
            assert [own(through(space["g"]), 4) for space in spaces] == [9, 15.0]
            assert [own(space["g"], 4) for space in spaces] == [8, 14.0]


def call(g, x):
    return g(x)


def helper(x, y=1.0, *, k=1, j=2):
    return x + y + k * 10 + j * 100


def changed(change):
    """The results of a jitted call before and after a change, and the plain ones."""
    with settings(compile_all=True, raise_internal=True):
        own = pijit.jit(types.FunctionType(call.__code__, globals()))
        subject = change()
        before = [own(subject, 1.0), own(subject, 1.0)]
        assert before == [call(subject, 1.0)] * 2
        for more in subject.changes:
            more()
            assert own(subject, 1.0) == call(subject, 1.0)


def test_defaults_are_read_each_time():
    def change():
        def inner(x, y=[2.0], *, k=1, j=2):  # noqa: B006
            return x + y[0] + k * 10 + j * 100

        inner.changes = (
            lambda: inner.__kwdefaults__.update(k=5),
            lambda: inner.__defaults__[0].__setitem__(0, 7.5),
            lambda: setattr(inner, "__defaults__", ([3],)),
            lambda: setattr(inner, "__kwdefaults__", {"k": 2.5, "j": 3}),
            lambda: setattr(inner, "__code__", (lambda x, y=0, *, k=0, j=0: x - y[0] + k - j).__code__),
        )
        return inner

    changed(change)


def test_defaults_of_a_global_function_are_read_each_time():
    def of_helper(x):
        return helper(x)

    with settings(compile_all=True, raise_internal=True):
        own, before = pijit.jit(of_helper), (helper.__defaults__, dict(helper.__kwdefaults__))
        try:
            assert own(1.0) == of_helper(1.0)
            helper.__kwdefaults__["k"] = 7
            assert own(1.0) == of_helper(1.0)
            helper.__defaults__ = (8.5,)
            assert own(1.0) == of_helper(1.0)
        finally:
            helper.__defaults__, helper.__kwdefaults__ = before


def test_what_a_partial_was_made_with_is_read_each_time():
    def change():
        given = functools.partial(helper, j=3)
        given.changes = (
            lambda: given.keywords.update(j=4),
            lambda: given.keywords.update(k=4),
            lambda: given.keywords.update(y=2),
            lambda: given.keywords.pop("k"),
            lambda: given.__setstate__((helper, (), {"k": 3}, None)),
            lambda: given.__setstate__((abs, (), {}, None)),
        )
        return given

    changed(change)


def test_a_store_of_a_key_in_the_keywords_of_a_partial():
    source = """
import functools
def helper(x, k=1, j=2):
    return x + k * 10 + j * 100
def f(p, d, n):
    s = 0
    for i in range(n):
        s += p(i)
        if i == 2:
            d['j'] = i + 3
        s += p(i)
    return s
def g(n):
    p = functools.partial(helper, k=3)
    return f(p, p.keywords, n), f(p, {}, n), f(functools.partial(helper, k=3.5), {}, n)
"""
    check_calls(source, [(2,), (5,), (5,)], entry="g")


def test_a_store_of_a_large_array_warns_where_it_stands():
    source = """
def f(a, n, k):
    def step(u, v):
        u[...] = v / k + u * 2.0
        return u[0]
    print(end='')
    u, s = a * 0.0, 0.0
    for i in range(n):
        s += step(u, a)
        print(end='')
    return u, s
"""
    a = np.arange(-20_000.0, 20_000.0)
    check_calls(source, [(a, 3, 2.0), (a, 3, 0.0), (a, 2, 1e-306)], entry="f", configurations=("jit",))
