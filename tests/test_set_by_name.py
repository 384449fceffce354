"""setattr, delattr and hash, as the statements and operators that they stand for; clocks, which are read once."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

ITEMS = """
class Item:
    def __init__(self, v):
        self.v = v

class Slots:
    __slots__ = ("v", "w")
    def __init__(self, v):
        self.v = v

class Told(Item):
    told = []
    def __setattr__(self, name, value):
        Told.told.append(name)
        object.__setattr__(self, name, value)

class Property:
    def __init__(self, v):
        self._v = v
    @property
    def v(self):
        return self._v
    @v.setter
    def v(self, value):
        self._v = value * 2
    @v.deleter
    def v(self):
        self._v = -1
"""
ROUNDS = ITEMS + """
def f(n):
    items = [{cls}(i) for i in range(n)]
    total = 0
    for item in items:
        setattr(item, "v", item.v * 2 + 1)
        setattr(item, "w", 0.5)
        total += item.v + item.w
    return total, [(item.v, item.w) for item in items]
"""


@pytest.mark.parametrize("cls", ["Item", "Slots"])
def test_setattr_in_a_loop(cls):
    check(ROUNDS.format(cls=cls), 20)


NATIVE = {
    "setattr": "n = 0\nfor o in items:\n    setattr(o, 'z', o.v + 1)\n    n += o.z\nreturn n",
    "hash": "n = 0\nfor t in items:\n    n ^= hash(t.name) ^ hash(len(t.name))\nreturn n",
    "clocks": "n = 0.0\nfor o in items:\n    start = time.perf_counter()\n    n += time.perf_counter() - start\nreturn n >= 0.0",
}


@pytest.mark.parametrize("what", NATIVE)
def test_they_stay_native(what):
    body = "".join(f"    {line}\n" for line in NATIVE[what].split("\n"))
    check_stays_native(f"import time\n\ndef f(items):\n{body}", [_Item(i) for i in range(30)])


class _Item:
    def __init__(self, v):
        self.v, self.name = v, f"n{v}"


@pytest.mark.parametrize("cls", ["Told", "Property"])
def test_classes_that_have_a_say(cls):
    source = ITEMS + f"""
def f(n):
    Told.told.clear()
    items = [{cls}(i) for i in range(n)]
    for item in items:
        setattr(item, "v", item.v + 1)
    return [item.v for item in items], list(Told.told)
"""
    check(source, 12)


def test_delattr():
    source = ITEMS + """
def f(n):
    found = []
    for cls in (Item, Slots, Property):
        items = [cls(i) for i in range(n)]
        for item in items:
            delattr(item, "v")
            found.append(hasattr(item, "v"))
        try:
            delattr(items[0], "none")
        except AttributeError as error:
            found.append(str(error))
    return found
"""
    check(source, 6)


def test_names_that_are_none():
    source = """
class Item:
    pass

def f(how, name):
    item = Item()
    try:
        how(item, name, *([1] if how is setattr else []))
        return vars(item)
    except (TypeError, AttributeError) as error:
        return type(error), str(error)
"""
    check_calls(source, [(how, name) for name in ("a", 1, b"a", None, "") for how in (setattr, delattr)])


@pytest.mark.parametrize("value", ["", "abc", b"abc", "\u20ac", 5, -1, 2**61 - 1, 2**80, True, 1.5, float("inf"), None, (1, "a"), [1]], ids=repr)
def test_hash(value):
    source = """
def f(value):
    try:
        return hash(value), hash(value) % 7, {value: 1}.get(value)
    except TypeError as error:
        return str(error)
"""
    check(source, value)


def test_a_hash_of_its_own():
    source = """
class Key:
    asked = 0
    def __hash__(self):
        Key.asked += 1
        return 3

def f(n):
    Key.asked = 0
    key = Key()
    return sum(hash(key) for _ in range(n)), Key.asked
"""
    check(source, 9)


@pytest.mark.parametrize("clock", ["time", "perf_counter", "monotonic", "process_time", "thread_time"])
def test_clocks(clock):
    source = f"""
import time

def f(n):
    last, late, kinds = time.{clock}(), 0, set()
    for i in range(n):
        now = time.{clock}()
        late += now < last
        last = now
        kinds.add(type(time.{clock}_ns()))
    return late, kinds, type(last)
"""
    check(source, 30)


def test_a_clock_of_the_programs():
    source = """
import time

def f(n):
    plain, told = time.perf_counter, []
    seen = []
    for i in range(n):
        if i == n // 2:
            time.perf_counter = lambda: told.append(i) or 7.0
        seen.append(time.perf_counter() == 7.0)
    time.perf_counter = plain
    return seen, told
"""
    check(source, 10)
