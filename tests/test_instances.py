"""Operators, special methods and virtual instances of Python classes: what they give, where they leave, and what rebinding does."""

from __future__ import annotations

import functools

import call_programs
import instance_programs
import pytest
from differential import check, check_calls
from instance_programs import CLASSES
from test_objects import plain_data

import pijit

pytestmark = pytest.mark.shared

FUNCTIONS = {**instance_programs.FUNCTIONS, **call_programs.FUNCTIONS}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    source, args = FUNCTIONS[name]
    check(CLASSES + source, *args)


# Each calls a jitted function before and after something is rebound.
PROGRAMS = {
    "operator": """
@jit
def g(a, b):
    return (a + b).x
r = [g(Vec(1), Vec(2))]
Vec.__add__ = lambda self, o: Vec(100)
r.append(g(Vec(1), Vec(2)))
del Vec.__add__
try:
    g(Vec(1), Vec(2))
except AttributeError as e:
    r.append('radd is there')
except TypeError as e:
    r.append(str(e))
""",
    "reflected is added": """
@jit
def g(a, b):
    return (a - b).x
class E(Vec):
    pass
r = [g(Vec(1), E(2))]
E.__rsub__ = lambda self, o: Vec(55)
r.append(g(Vec(1), E(2)))
""",
    "init": """
@jit
def g(x):
    return Vec(x).x
r = [g(1)]
def init(self, x):
    self.x = x * 10
Vec.__init__ = init
r.append(g(1))
Plain.x = 55
Vec.__new__ = lambda cls, x: Plain()
r.append(g(1))
""",
    "field becomes property": """
@jit
def g(x):
    v = Vec(x)
    return v.x
r = [g(1)]
Vec.x = property(lambda self: 99, lambda self, v: r.append(v))
r.append(g(1))
""",
    "setattr": """
@jit
def g(x):
    v = Vec(x)
    v.y = x
    return v.y
r = [g(1)]
Vec.__setattr__ = lambda self, n, v: object.__setattr__(self, n, v + 1)
r.append(g(1))
""",
    "destructor": """
@jit
def g(x):
    v = Vec(x)
    return v.x
r = [g(1)]
Vec.__del__ = lambda self: r.append('gone')
r.append(g(1))
""",
    "comparison and truth": """
@jit
def g(x):
    return Plain() == Plain(), not Plain(), Vec(x) < Vec(2)
r = [g(1)]
Plain.__eq__ = lambda self, o: True
r.append(g(1))
Plain.__bool__ = lambda self: False
r.append(g(1))
Vec.__lt__ = lambda self, o: 'less'
r.append(g(1))
""",
    "items": """
@jit
def g(x):
    v = Vec(x)
    v[0] = 4
    return v[0], len(v), 4 in v
r = [g(1)]
Vec.__getitem__ = lambda self, i: 'item'
r.append(g(1))
Vec.__len__ = lambda self: 5
Vec.__contains__ = lambda self, v: False
Vec.__setitem__ = lambda self, i, v: r.append(v)
r.append(g(1))
""",
    "super": """
@jit
def g(x):
    return Sub(x, 1, 2).dot(Vec(1, 1))
r = [g(1)]
Vec.dot = lambda self, o: 1000
r.append(g(1))
class Between(Vec):
    def dot(self, o):
        return 7
Sub.__bases__ = (Between,)
r.append(g(1))
""",
    "default and keyword default": """
def h(x, k=2, *, m=3):
    return x * k + m
@jit
def g(x):
    return h(x, **{'k': 4}) + h(*(x,))
r = [g(1)]
h.__defaults__ = (5,)
r.append(g(1))
h.__kwdefaults__ = {'m': 50}
r.append(g(1))
""",
    "partial": """
def h(x, y, k=2):
    return x * y + k
p = functools.partial(h, 3, k=4)
@jit
def g(x):
    return p(x)
r = [g(1)]
p.keywords['k'] = 9
r.append(g(1))
p = functools.partial(h, 8)
r.append(g(1))
""",
    "manager": """
class M:
    def __enter__(self):
        return 5
    def __exit__(self, *e):
        return None
@jit
def g(x):
    with M() as m:
        x += m
    return x
r = [g(1)]
M.__enter__ = lambda self: 50
r.append(g(1))
M.__exit__ = lambda self, *e: r.append('exit')
r.append(g(1))
""",
    "stays alive": """
import weakref
refs = []
@jit
def g(x, l):
    v = Vec(x)
    l.append(v)
    return None
l = []
g(1, l)
refs = weakref.ref(l[0])
l.clear()
r = [refs() is None]
""",
}


def run(source, jit):
    space = {"jit": jit, "__name__": "subject"}
    exec(compile(CLASSES + source, "<subject>", "exec", dont_inherit=True), space)
    return space["r"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    expected = run(PROGRAMS[name], lambda f: f)
    for options in ({}, {"backend": "numpy"}):
        assert plain_data(run(PROGRAMS[name], functools.partial(pijit.jit, **options))) == plain_data(expected)


CAPTURED = ("add", "reflected", "in place", "unary", "called", "loop", "alias in a loop", "nested", "slots", "dataclass",
            "namedtuple", "super", "keywords", "keywords passed on", "dict", "dict in a loop", "star", "with", "arrays")  # fmt: skip


@pytest.mark.parametrize("name", CAPTURED)
def test_captured_as_a_whole(name):
    space = {"__name__": "subject"}
    source, args = FUNCTIONS[name]
    exec(compile(CLASSES + source, "<subject>", "exec", dont_inherit=True), space)
    report = pijit.explain(space["f"], *args).to_dict()
    assert [row["detail"] for row in report["breaks"]] == []


SUPERS = """
class Base:
    def m(self, n):
        return n + 1
class Middle(Base):
    def m(self, n):
        return super().m(n) * 2
class Top(Middle):
    def m(self, n):
        return n
    def given(self, cls, n):
        return super(cls, self).m(n)
    def own(self, n):
        return super(type(self), self).m(n)
"""


@pytest.mark.parametrize("call", ["given(Top, n)", "given(Middle, n)", "given(Base, n)", "given(int, n)", "given(n, n)", "given(None, n)", "own(n)"])
def test_super_of_a_class_that_is_given(call):
    check_calls(f"{SUPERS}def f(n):\n    return Top().{call}\n", [(3,), (4,), (2.5,)], entry="f")
