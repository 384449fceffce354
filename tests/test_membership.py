"""`in`, `hasattr`, `getattr`: what is known at the entry is guarded, what is not is looked up."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

CONTAINERS = [
    "(2, 3, 5.0)", "(True, None, 'a', 4)",
    "[1, 2, 7]", "[n, 4]", "(x, n)", "{1, 2, 3}", "{2.0, None}", "real", "texts", "numbers", "(1.5, x)", "[]", "()",
]  # fmt: skip
ITEMS = ["i", "i * 0.5", "i > 2", "n", "x", "1", "2.5", "'a'", "None"]


@pytest.mark.parametrize("container", CONTAINERS)
def test_in(container):
    lines = "".join(f"        r.append(({item} in {container}, {item} not in {container}))\n" for item in ITEMS)
    source = f"""
real, texts, numbers = [1, 2.5, 'a', None], {{'a': 1, 2: 3}}, frozenset([1, 2.5])
def f(n, x):
    r = []
    for i in range(n):
{lines}    return r
"""
    check(source, 4, 1.5)


def test_those_run_natively():
    for container in ("(2, 3)", "[1, 2, n]", "{1, 2}", "real", "table"):
        source = f"real, table = [1, 2.5], {{1: 2}}\ndef f(n):\n    c = 0\n    for i in range(n):\n        c += i in {container}\n    return c"
        assert not check(source, 6).breaks, container


def test_nan():
    """It is in a container if it is the same object, and equal to nothing."""
    source = "def f(x, y):\n    return x in (y, 1), x in [1.5, y], x in (x, 2), y in (1.5, 2.5), math.nan in (math.nan,), x in {1.5, 2.5}"
    check_calls("import math\n" + source, [(1.5, 2.5), (math.nan, 2.0), (2.0, math.nan)])


def test_objects_with_an_equality_of_their_own():
    check("""
class Loud:
    def __eq__(self, other):
        log.append(other)
        return other == 3
    def __hash__(self):
        return 3
log, real = [], [1, Loud(), 7]
def f(n):
    r = [i in real for i in range(n)]
    return r, log
""", 5)


def test_a_failing_in():
    check("real = {1: 2}\ndef f(n):\n    x = [n]\n    try:\n        return x in real\n    except TypeError as e:\n        return str(e)", 5)
    check("def f(n):\n    return n in 'abc'", 5)


def test_keys_come_and_go():
    check("""
config = {'a': 1}
def g(n):
    return 'a' in config, 'b' in config, n
def f(n):
    r = [g(n)]
    config['b'] = 2
    r.append(g(n))
    r.append('b' in config)
    del config['a']
    r.append(('a' in config, 'b' in config))
    r.append(g(n))
    return r
""", 1)


ATTRIBUTES = """
class Base:
    shared = 2
    def method(self):
        return 3
class Thing(Base):
    pass
class Slotted:
    __slots__ = 'a', 'b'
thing, slotted = Thing(), Slotted()
thing.own = slotted.a = 1.5
"""


def test_getattr_and_hasattr():
    stats = check(ATTRIBUTES + """
def f(n):
    c = 0
    for i in range(n):
        mine = Thing()
        mine.k = i
        c += getattr(thing, 'own') + getattr(thing, 'own', 9) + getattr(thing, 'other', 5) + getattr(thing, 'shared', 7) + getattr(mine, 'k', 9)
        c += getattr(slotted, 'a', 4) + getattr(thing, 'method')() + getattr(mine, 'none', 8)
        c += hasattr(thing, 'own') + 2 * hasattr(thing, 'other') + 4 * hasattr(Thing(), 'shared') + 8 * hasattr(mine, 'k')
        c += 16 * hasattr(thing, 'method')
    return c
""", 5)
    assert not stats.breaks


def test_attributes_come_and_go():
    check(ATTRIBUTES + """
def g(n):
    return hasattr(thing, 'other'), getattr(thing, 'shared', 0), hasattr(slotted, 'b'), getattr(thing, 'own', n), hasattr(thing, 'later')
def f(n):
    r = [g(n)]
    thing.other = thing.shared = slotted.b = 7
    r.append(g(n))
    del thing.own, thing.shared, thing.other
    r.append(g(n))
    Base.later, Thing.shared = 1, 11
    r.append(g(n))
    del Base.later, Thing.shared
    r.append(g(n))
    return r, hasattr(n, 'real'), getattr(n, 'imag', 3)
""", 3)


def test_a_lock_is_no_reason_to_compile_again_and_again():
    lock = threading.Lock()

    def f(n):
        total = 0.0
        for i in range(n):
            with lock:
                total += i * 0.5
        return total

    g = pijit.jit(f)
    assert [g(40), g(40)] == [390.0, 390.0]
    assert pijit.stats(g).compiles <= 4
    assert not lock.locked()


def test_members_that_are_arrays():
    check("def f(a, b):\n    return 1 in a, 2.5 in [1, 2.5]", np.arange(3), 1)
