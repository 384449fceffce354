"""Attributes that hold objects of several types in turn: exits tell of them, and then each type has a way of its own."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from differential import check, settings

import pijit
from pijit.runtime import tiers

pytestmark = pytest.mark.shared

OBJECTS = """
import numpy as np

class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

class Slotted:
    __slots__ = ("x", "v", "__weakref__")
    def __init__(self, x, v):
        self.x, self.v = x, v

class Bare:
    __slots__ = ("x", "next")
    def __init__(self, x, next):
        self.x, self.next = x, next

class Pairs:
    def __init__(self):
        self.kept = None
    def draw(self):
        z, self.kept = self.kept, None
        if z is None:
            z, self.kept = 1.5, 2.5
        return z

class Holder:
    x = 0
    def __init__(self, x, v):
        self.x, self.v = x, v

keys = [i * 7919 % 1009 for i in range(150)]

def tree(keys):
    if not keys:
        return None
    node, middle = Node(keys[0]), len(keys) // 3
    node.left, node.right = tree(keys[1:middle]), tree(keys[max(middle, 1):])
    return node
"""
PROGRAMS = {
    "a tree": """
def insert(root, key):
    node = root
    while True:
        if key < node.key:
            if node.left is None:
                node.left = Node(key)
                return
            node = node.left
        elif key > node.key:
            if node.right is None:
                node.right = Node(key)
                return
            node = node.right
        else:
            return

def f(n):
    root = Node(500)
    for key in keys:
        insert(root, key)
    stack, found, depth = [(root, 0)], [], 0
    while stack:
        node, depth = stack.pop()
        found.append((node.key, depth))
        if node.left is not None:
            stack.append((node.left, depth + 1))
        if node.right is not None:
            stack.append((node.right, depth + 1))
    return found
""",
    "a number or None": """
def f(n):
    pairs = Pairs()
    return sum([pairs.draw() * i for i in range(101)]), pairs.kept
""",
    "int and float": """
def f(n):
    some = [Holder(i % 3 if i % 2 else i * 0.5, 1 if i % 5 == 0 else 0.25) for i in range(60)]
    total = 0
    for p in some:
        p.x = p.x + p.v
        if p.x > 10:
            p.x = 0
        total += p.x
    return total, [(p.x, type(p.x).__name__) for p in some]
""",
    "in slots": """
def f(n):
    some = [Slotted(i if i % 3 else True, None if i % 4 else -0.0) for i in range(80)]
    total, nothing = 0, 0
    for s in some:
        s.x = s.x * 2
        if s.v is None:
            nothing += 1
            s.v = 0.5
        total += s.v
    return total, nothing, [(repr(s.x), repr(s.v)) for s in some]
""",
    "not to be referred to weakly": """
def f(n):
    first = None
    for i in range(50):
        first = Bare(i if i % 2 else i * 0.5, first)
    total, length, one = 0, 0, first
    while one is not None:
        total += one.x
        one.x = None if length % 3 else length
        length += 1
        one = one.next
    one, found = first, []
    while one is not None:
        found.append(one.x)
        one = one.next
    return total, length, found
""",
    "more types than ways": """
def f(n):
    kinds = [1, 2.5, None, True, "a", [1], (2,), Node(1), np.ones(2), 1j, 2**80]
    some = [Holder(kinds[i * i % 11], 0) for i in range(200)]
    seen = []
    for s in some:
        s.v += 1
        x = s.x
        seen.append(type(x).__name__ if x is not None else "nothing")
        s.x = x
    return seen
""",
    "arrays or None": """
class Cache:
    def __init__(self):
        self.array, self.used = None, 0
    def get(self, k):
        if self.array is None:
            self.array = np.arange(4.0) + k
        self.used += 1
        array = self.array
        if k % 3 == 0:
            self.array = None
        return array

def f(n):
    cache, total = Cache(), np.zeros(4)
    for k in range(90):
        total += cache.get(k)
    return total, cache.used, cache.array
""",
    "what the class says": """
def f(n):
    some, total = [Holder(i * 0.5, 1) for i in range(60)], 0
    for i, s in enumerate(some):
        if i % 3 == 0:
            del s.x
        elif i % 3 == 1:
            s.x = i
    for s in some:
        s.v = 2
        total += s.x
    return total, [s.__dict__ for s in some]
""",
    "another class": """
class Other(Node):
    pass

def f(n):
    some = [Holder(None if i % 3 else Node(i), Other(i) if i % 4 else Node(-i)) for i in range(90)]
    total = 0
    for i, s in enumerate(some):
        if s.x is not None:
            total += s.x.key
            s.x.__class__ = Other if i % 2 else Node
            s.x = None
        total += s.v.key * (2 if type(s.v) is Other else 1)
        s.v = Node(i)
    return total
""",
    "one is raised": """
def f(n):
    some, total, missed = [Holder(i * 0.5 if i % 7 else None, 0) for i in range(120)], 0.0, 0
    for s in some:
        try:
            total += s.x * 2.0
        except TypeError:
            missed += 1
        s.x = missed
    return total, missed
""",
    "numbers that are kept": """
def f(n):
    some = [Holder(float(i) if i % 2 else i, 0) for i in range(300, 400)]
    kept = [s.x for s in some]
    for s in some:
        s.v = s.x
        s.x = s.v
    return [s.x is k for s, k in zip(some, kept)], [s.v is k for s, k in zip(some, kept)]
""",
    "a property beside it": """
class Shown(Holder):
    @property
    def value(self):
        return self.v if self.x is None else self.x

def f(n):
    some, total = [Shown(None if i % 2 else i, i * 0.5) for i in range(90)], 0
    for s in some:
        total += s.value
        s.x = s.v if s.x is None else None
        total -= s.value if s.value is not None else 1
    return total
""",
    "messages that stations in a row pass on": """
class Station:
    def __init__(self, link, k):
        self.link, self.k, self.inbox, self.held = link, k, None, k % 3 == 0
    def post(self, m):
        if self.inbox is not None:
            m.next = self.inbox
        self.inbox = m
    def run(self):
        m = self.inbox
        self.inbox = m.next
        m.next = None
        self.k += m.x
        return self.work(m)

class Sender(Station):
    def work(self, m):
        m.x += 1
        if self.link is not None:
            self.link.post(m)
        return self.link

class Keeper(Station):
    def work(self, m):
        if m.x % 2:
            self.post(m)
            m.x += 1
            return self
        if self.link is not None:
            self.link.post(m)
        return self.link

def f(n):
    head = None
    for k in range(20):
        head = (Sender, Keeper)[k % 2](head, k)
    for r in range(10 * n):
        head.post(Bare(r, None))
        station = head
        while station is not None:
            station = station.link if station.held or station.inbox is None else station.run()
    said = []
    while head is not None:
        said.append((head.k, head.inbox is None))
        head = head.link
    return said
""",
    "a generator reads it": """
def values(some):
    for s in some:
        yield s.x
        s.x = s.v

def f(n):
    some = [Holder(i if i % 2 else i * 0.5, None if i % 3 else 1) for i in range(90)]
    return sum(values(some)), [x for x in values(some) if x is not None]
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_answer(name):
    check(OBJECTS + PROGRAMS[name], 3, entry="f", calls=4)


@pytest.mark.parametrize("name", PROGRAMS)
def test_exits_forced(name):
    check(OBJECTS + PROGRAMS[name], 3, entry="f", calls=3, configurations=("forced",))


SETTLING = {
    "a tree that grows": ("""
def insert(root, key):
    node = root
    while True:
        if key < node.key:
            if node.left is None:
                node.left = Node(key)
                return
            node = node.left
        else:
            if node.right is None:
                node.right = Node(key)
                return
            node = node.right

def f(some):
    root = Node(500)
    for key in some:
        insert(root, key)
    return root
""", "list(keys)"),
    "a tree that is gone through": ("""
def f(root):
    stack, total = [root], 0
    while stack:
        node = stack.pop()
        total += node.key
        if node.left is not None:
            stack.append(node.left)
        if node.right is not None:
            stack.append(node.right)
    return total
""", "tree(keys)"),
    "numbers of two types": ("""
def f(some):
    total = 0
    for p in some:
        p.x = p.x + p.v
        if p.x > 10:
            p.x = 0
        total += p.x
    return total
""", "[Slotted(i % 3 if i % 2 else i * 0.5, 1 if i % 5 == 0 else 0.25) for i in range(60)]"),
    "a number or None": ("""
pairs = Pairs()

def f(n):
    total = 0
    for i in range(n):
        total += pairs.draw() * i
    return total
""", "101"),
}  # fmt: skip


@pytest.mark.parametrize("name", SETTLING)
def test_it_settles(name):
    """After some calls nothing is compiled any more, and at most the way from one fragment to the next leaves in the middle."""
    space = {}
    program, argument = SETTLING[name]
    exec(OBJECTS + program, space)
    f = pijit.jit(space["f"])
    with settings(compile_all=True, raise_internal=True):
        for _ in range(100):
            f(eval(argument, space))
        record = tiers.record_of(f.__code__)
        exits, compiles = exits_taken(record), record.compiles
        for _ in range(20):
            f(eval(argument, space))
    assert exits_taken(record) <= exits + 20
    assert record.compiles == compiles < 10
    assert not record.breaks


def exits_taken(record):
    counted = [zip(fragment.exits, fragment.counts()[1], strict=True) for fragment in record.fragments]
    return sum(n for exits in counted for exit, n in exits if exit.kind not in ("return", "poll"))


def test_nothing_is_kept_alive():
    """Of an object that was met only its type is known once it is gone."""
    space = {}
    exec(OBJECTS, space)
    Node, Holder = space["Node"], space["Holder"]

    @pijit.jit
    def f(some):
        total = 0
        for s in some:
            s.v = 1
            if s.x is not None:
                total += s.x.key
        return total

    with settings(compile_all=True, raise_internal=True):
        for _ in range(5):
            nodes = [Node(i) for i in range(60)]
            some = [Holder(node if i % 2 else None, 0) for i, node in enumerate(nodes)]
            assert f(some) == sum(range(1, 60, 2))
    gone = [weakref.ref(node) for node in nodes]
    classes = weakref.ref(Node)
    del nodes, some
    assert not any(ref() for ref in gone)
    del Node, Holder, f
    space.clear()
    gc.collect()
    assert classes() is None


def test_arrays_that_are_gone_are_no_none():
    """An exit showed an array of another rank, which the program has replaced since."""

    class Filter:
        def __init__(self, x):
            self.x = x

    @pijit.jit
    def f(filters, a):
        for one in filters:
            one.x = one.x @ a

    with settings(compile_all=True, raise_internal=True):
        for shape, calls in ((3, 5), ((3, 3), 100)):
            filters = [Filter(np.ones(shape)) for _ in range(3)]
            for _ in range(calls):
                f(filters, np.eye(3))
    assert not tiers.record_of(f.__code__).breaks


SIBLINGS = """
class Node:
    def __init__(self, x, y):
        self.x, self.y = x, y

def nearest(nodes, x, y):
    return min(nodes, key=lambda n: (n.x - x) ** 2 + (n.y - y) ** 2)

def total(nodes):
    s = 0
    for n in nodes:
        if n.x is not None:
            s += n.x
    return s

def f(n):
    nodes = [Node(1, 1)] + [Node(i * 0.5, 3.0 - i) for i in range(n)]
    near = [nodes.index(nearest(nodes, i * 0.3, 1.0)) for i in range(n)]
    nodes[2].x = None
    return near, total(nodes), total(nodes[1:]), total(nodes[:1])
"""


def test_what_the_other_items_of_a_list_hold_is_known_before_any_exit():
    check(SIBLINGS, 9, entry="f")
    space = {}
    exec(SIBLINGS, space)
    fast = pijit.jit(space["total"])
    nodes = [space["Node"](1, 1), space["Node"](None, 1), *(space["Node"](i * 0.5, 1) for i in range(9))]
    with settings(compile_all=True):
        assert fast(nodes) == space["total"](nodes)
    stats = pijit.stats(fast)
    assert len(stats.fragments) == 1
    assert not stats.exits
