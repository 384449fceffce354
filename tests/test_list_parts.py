"""Slices of lists that are stored to or deleted, and methods of containers that were taken out of a loop."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native, function_of, settings

import pijit

pytestmark = pytest.mark.shared

BOUNDS = [":", "1:3", ":k", "k:", "-2:", "5:2", "::2", "::-1", "k::-1", "k:None:1", "True:k", "-100:100", "0:0"]


@pytest.mark.parametrize("put", ["[9, 8]", "(7,)", "p[::-1]", "p", "[]", "list(q)", "range(k)", "q.keys()", "'ab'"])
@pytest.mark.parametrize("bounds", BOUNDS)
def test_storing_to_a_part(bounds, put):
    body = f"""
said = []
for k in range(5):
    p, q = list(range(6)), {{1: 2.5, (3, 4): 'x'}}
    alias = p
    try:
        p[{bounds}] = {put}
    except ValueError as error:
        said.append(str(error))
    said.append((p, alias is p, len(p), sum(x for x in p if x.__class__ is int)))
return said"""
    check(function_of("", body), configurations=("jit", "numpy", "forced"))


FAR = ["::0", f"{10**30}:", f":{-(10**30)}", f"{2**63 - 1}::-1", f"::{-(2**63)}", "k:k + 2:k", "2.5:", "None:k"]


@pytest.mark.parametrize("bounds", [*BOUNDS, *FAR])
def test_a_part_is_a_new_list(bounds):
    body = f"""
said = []
for k in range(5):
    p = [k, 'a', 2.5, (k,), None, k + 10**20]
    try:
        q = p[{bounds}]
        p[:] = p[::-1]
        q += [k]
        said.append((p, q))
        p[{bounds}] = q[:3]
    except (ValueError, TypeError) as error:
        said.append(str(error))
    said.append(p)
return said"""
    check(function_of("", body), configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("bounds", BOUNDS)
def test_deleting_a_part(bounds):
    body = f"""
said = []
for k in range(5):
    p = [k, 'a', 2.5, (k,), None, k + 10**20]
    del p[{bounds}]
    said.append((p, len(p)))
return said"""
    check(function_of("", body))


def test_what_goes_from_the_list_may_notice():
    source = """
class Noisy:
    def __init__(self, name, log):
        self.name, self.log = name, log
    def __del__(self):
        self.log.append((self.name, len(HELD)))
HELD = []
def f(n):
    log = []
    for i in range(n):
        HELD[:] = [Noisy(i, log), i]
        HELD[1:] = (i, i + 1)
        del HELD[:1]
    HELD.clear()
    return log
"""
    check(source, 6, entry="f")


def test_parts_of_anything_else():
    source = """
class Like:
    def __init__(self):
        self.said = []
    def __setitem__(self, place, what):
        self.said.append((place, what))
    def __delitem__(self, place):
        self.said.append(place)
class Derived(list):
    pass
def f(x, n):
    for i in range(n):
        x[i:i + 2] = [i]
        del x[0:1]
    return x if isinstance(x, (list, bytearray)) else x.said
def g(kind, n):
    return f({"like": Like, "derived": lambda: Derived([1, 2, 3]), "bytes": lambda: bytearray(b"abcdef")}[kind](), n)
"""
    check_calls(source, [("like", 4), ("derived", 4), ("bytes", 4)], entry="g")


def test_a_bound_that_is_no_int():
    body = """
p = [1, 2, 3]
try:
    for i in range(4):
        p[i if i < 2 else 1.5:] = [i]
except TypeError as error:
    return p, str(error)"""
    check(function_of("", body))


def test_turning_a_front_over_stays_native():
    """As in counting the flips of permutations."""
    body = """
flips = 0
k = p[0]
while k:
    p[:k + 1] = p[k::-1]
    flips += 1
    k = p[0]
return flips"""
    source = function_of("p", body)
    check_stays_native(source, [3, 1, 4, 2, 0])
    check_calls(source, [([3, 1, 4, 2, 0],), ([0],), ([2, 0, 1],)])


TAKEN_OUT = {
    "append": ("p.append", "put(i)"),
    "pop": ("p.pop", "p.append(i); s += put(0)"),
    "insert": ("p.insert", "put(0, i)"),
    "get": ("d.get", "s += put(i % 4, 7)"),
    "add": ("h.add", "put(i % 5)"),
    "push": ("q.append", "put(i)"),
    "join": ("','.join", "s += len(put(['a', 'b']))"),
    "find": ("text.find", "s += put('c')"),
}


@pytest.mark.parametrize("name", TAKEN_OUT)
def test_a_method_that_is_taken_out_of_the_loop(name):
    """The loop alone is compiled, and the method is another object each time: so it is told by its function and its object."""
    method, use = TAKEN_OUT[name]
    source = f"""
from collections import deque
def loop(n, put, p):
    s = 0
    for i in range(n):
        {use}
    return s
def f(n):
    p, d, h, q, text = [3], {{1: 10, 2: 20}}, set(), deque(), 'abc'
    put = {method}
    again = put
    s = loop(n, put, p)
    return s, p, d, h, q, put is again
"""
    check_calls(source, [(3,), (5,), (4,), (6,)], entry="f")


def test_methods_of_several_kinds_in_one_place():
    source = """
from collections import deque
def loop(n, put):
    for i in range(n):
        put(i)
def f(n):
    p, h, q = [], set(), deque()
    class Mine(list):
        def append(self, x):
            list.append(self, -x)
    m = Mine()
    for put in (p.append, h.add, q.append, q.appendleft, m.append, p.append, print, super(Mine, m).append):
        loop(n, put)
    return p, h, q, m
"""
    check(source, 4, entry="f")


def test_a_method_that_is_taken_out_stays_native():
    source = """
def loop(n, put, get):
    s = 0
    for i in range(n):
        put(i)
        s += get(i % 3, 0)
    return s
def f(n):
    p, d = [], {0: 1, 1: 2, 2: 5}
    return loop(n, p.append, d.get)
"""
    space: dict = {}
    exec(source, space)
    fast = space["loop"] = pijit.jit(space["loop"])
    with settings(compile_all=True):
        for _ in range(3):
            space["f"](10)
        before = pijit.stats(fast)
        assert space["f"](10) == 25
        after = pijit.stats(fast)
    assert not after.breaks
    assert (after.compiles, after.exits, after.hits) == (before.compiles, before.exits, before.hits + 1)
