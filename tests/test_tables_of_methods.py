"""Bound methods that are kept in dicts, lists and tuples, and called."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

MACHINE = """
class Machine:
    def __init__(self, start=0):
        self.held, self.log = start, []
        self.table = {"add": self.add, "sub": self.sub, "mul": self.mul}
        self.listed = [self.add, self.sub, self.mul]
        self.fixed = (self.add, self.sub, self.mul)
        self.many = {k: m for k, m in enumerate([self.add, self.sub, self.mul, self.a, self.b, self.c, self.d, self.e])}
        self.mixed = {"add": self.add, "sub": plain, "mul": self.mul}
        self.built = {"add": self.log.append, "sub": self.log.append, "mul": self.mul}
    def add(self, x, times=1):
        self.held += x * times
    def sub(self, x, *, times=1):
        self.held -= x * times
        return "sub"
    def mul(self, x):
        self.held = (self.held * x) & 0xFFFF
        return self.held
    def a(self, x): self.held += 1
    def b(self, x): self.held += 2
    def c(self, x): self.held += 3
    def d(self, x): self.held += 4
    def e(self, x): self.held += 5
    def fails(self, x):
        raise ValueError(self.held // x)
    @classmethod
    def of_class(cls, x):
        return cls.__name__, x
    def steps(self, x):
        yield self.held
        yield x
    def deep(self, x):
        return 0 if x == 0 else 1 + self.kept["deep"](x - 1)
class Faster(Machine):
    def add(self, x, times=2):
        Machine.add(self, x, times)
def plain(x):
    return -x
WORK = [(("add", "sub", "mul")[k * 7 % 3], k % 5) for k in range(9)]
"""
CALLS = {
    "dict": "m.table[op](x)", "list": "m.listed[x % 3](x)", "tuple": "m.fixed[x % 3](x)", "get": "(m.table.get(op) or m.mul)(x)",
    "in a variable": "(f := m.table[op])(x)", "keywords": "m.table['add' if k else 'sub'](x, times=k)", "many": "m.many[x + k % 4](x)",
    "with a function": "m.mixed[op](x)", "with built-in ones": "m.built[op](x)", "none": "m.table.get(op + '?', print)(end='')",
    "the same": "[f is g for f, g in zip(m.table.values(), m.listed)] + [f == g for f, g in zip(m.table.values(), m.listed)]",
    "of others": "others[x % 3].table[op](x)", "of a class": "{'add': Machine.of_class, 'sub': Faster.of_class, 'mul': m.mul}[op](x)",
    "fails": "{'add': m.add, 'sub': m.fails, 'mul': m.mul}[op](x)", "kept and fails": "failing[op](x)", "generator": "list(stepping[op](x))",
    "itself": "m.kept['deep'](x)", "name": "m.table[op].__name__, m.table[op].__self__ is m",
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_call(call):
    source = f"""{MACHINE}
def f(n=3):
    m, said = Machine(3), []
    m.kept = {{"deep": m.deep}}
    others = [m, Machine(1), Faster(2)]
    failing = {{"add": m.add, "sub": m.fails, "mul": m.mul}}
    stepping = {{"add": m.steps, "sub": m.steps, "mul": m.steps}}
    for k in range(n):
        for op, x in WORK:
            try:
                said.append({call})
            except (ValueError, ZeroDivisionError, TypeError) as error:
                said.append((repr(error), error.__traceback__.tb_next is not None and error.__traceback__.tb_next.tb_lineno))
    return said, m.held, m.log, [other.held for other in others]
"""
    check(source, configurations=("jit", "numpy", "forced"))


def test_the_table_changes():
    source = f"""{MACHINE}
m = Machine(1)
def f(how):
    said = []
    for k in range(3):
        for op, x in WORK:
            said.append(m.table[op](x))
            if how == k:
                m.table["add"] = [m.mul, Machine(4).add, plain, Faster(1).add, m.sub][x]
            elif how == 7 and k == 1:
                Machine.sub = lambda self, x: x * 2
                m.table["sub"] = m.sub
    return said, m.held
"""
    check_calls(source, [(9,), (9,), (0,), (9,), (1,), (9,), (7,), (9,)], configurations=("jit", "numpy"))


@pytest.mark.parametrize("call", ["m.table[op](x)", "m.listed[x % 3](x)", "m.fixed[x % 3](x)"])
def test_it_stays_native(call):
    source = f"""{MACHINE}
m = Machine(3)
def f(n):
    for k in range(n):
        for op, x in WORK:
            {call}
    return m.held
"""
    check_stays_native(source, 3)
