"""What stands for the others at capture holds nothing: what is known of a container comes from others like it, and of these any may be met."""

from __future__ import annotations

from collections import deque

import pytest
from differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

NODES = """
from collections import deque, defaultdict
class Node:
    def __init__(self, value, kids=(), tags=()):
        self.value, self.kids, self.tags, self.seen = value, list(kids), dict(tags), set(kids)
        self.waiting, self.inner = deque(kids), None
    def __repr__(self):
        return f"Node({self.value})"
leaves = [Node(v) for v in range(70)]
upper = [Node(v, leaves[v:v + 3], [(k, k * 0.5) for k in range(v)]) for v in range(5)]
for node in leaves + upper:
    node.inner = Node(-node.value, node.kids)
nodes = leaves + upper
edges = [[] for _ in range(70)]
for i in range(69, 140):
    edges[i % 69 + 1].append(i % 23)
table = {i: e for i, e in enumerate(edges)}
named = {f'n{i}': e for i, e in enumerate(edges)}
pairs = [(i, e) for i, e in enumerate(edges)]
sets = [set(e) for e in edges]
"""

WAYS = {
    "a list of an attribute": "for n in nodes:\n    for kid in n.kids:\n        total += kid.value",
    "its first item": "for n in nodes:\n    if n.kids:\n        total += n.kids[0].value",
    "a dict of an attribute": "for n in nodes:\n    for k, v in n.tags.items():\n        total += k * v",
    "a key of it": "for n in nodes:\n    if 1 in n.tags:\n        total += n.tags[1]",
    "a set of an attribute": "for n in nodes:\n    for kid in n.seen:\n        total += kid.value",
    "a deque of an attribute": "for n in nodes:\n    for kid in n.waiting:\n        total += kid.value",
    "an attribute of an attribute": "for n in nodes:\n    for kid in n.inner.kids:\n        total += kid.value",
    "a list in a list": "for e in edges:\n    for v in e:\n        total += v",
    "a list in a list by index": "for i in range(len(edges)):\n    for v in edges[i]:\n        total += v",
    "a list in a dict": "for i in range(len(edges)):\n    for v in table[i]:\n        total += v",
    "lists that are values": "for e in table.values():\n    for v in e:\n        total += v",
    "lists in items": "for k, e in named.items():\n    for v in e:\n        total += v",
    "lists in pairs": "for k, e in pairs:\n    for v in e:\n        total += v + k",
    "sets in a list": "for e in sets:\n    for v in e:\n        total += v",
}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_in_the_first(way):
    body = "\n".join("    " + line for line in ["total = 0", *WAYS[way].splitlines(), "return total"])
    source = f"def f(nodes, edges, table, named, pairs, sets):\n{body}\n"
    space: dict[str, object] = {}
    exec(NODES, space)
    args = [space[name] for name in ("nodes", "edges", "table", "named", "pairs", "sets")]
    check(source, *args)
    check_stays_native(source, *args)


def test_searching_from_a_node():
    source = """
from collections import deque
def f(start):
    total, ahead = 0, deque([start])
    while ahead:
        node = ahead.popleft()
        total += node.value
        for kid in node.kids:
            ahead.append(kid)
    return total
"""
    space: dict[str, object] = {}
    exec(NODES, space)
    for node in (space["leaves"][0], space["upper"][3], space["upper"][0].inner):  # type: ignore[index]
        check(source, node)


@pytest.mark.parametrize("other", ["7", "[2.5]", "('x',)", "{4: 'x'}", "None", "[None]"])
def test_what_is_met_is_unlike_all_that_was_seen(other):
    body = f"""
    edges = [[], [1, 2], [3], {other}, []]
    said = []
    for _ in range(3):
        for e in edges:
            try:
                for v in e:
                    said.append(v + 1)
            except TypeError as error:
                said.append(str(error))
    return said"""
    check(f"def f():{body}\n", configurations=("jit", "numpy", "forced"))


LOOPS = ["for k, v in held.items()", "for k in held for v in (1,)", "for k, v in zip(held, held)", "for k, v in enumerate(held)"]
HELD = ["{}", "{3: 2.5}", "{3: 'a', 4: 1}"]


@pytest.mark.parametrize("loop", LOOPS)
def test_nothing_at_capture_and_something_later(loop):
    lines = "\n".join("    " * (n + 1) + f"for{part}:" for n, part in enumerate(loop.split("for")[1:]))
    depth = "    " * (loop.count("for ") + 1)
    source = f"""
def f(held, n):
    said = [0]
    for i in range(n):
        said[0] += i
{lines}
{depth}said.append((k, v))
    return said, sum(i * n for i in range(n)), [k for k in held], {{k: v for k, v in held.items()}}
"""
    calls = [({}, 3), ({}, 4), *[(eval(held), n) for n in range(3, 6) for held in HELD]] * 2
    check_calls(source, calls, configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("held", ["{}", "set()", "()", "deque()", "b''", "frozenset()", "{}.values()"])
def test_what_is_empty_breaks_nothing(held):
    source = """
def f(held, n):
    total = 0
    for i in range(n):
        total += i
    for k in held:
        total += k
    return total + n
"""
    check_stays_native(source, eval(held, {"deque": deque}), 5)


def test_filled_between_the_iterator_and_its_first_item():
    body = """
    said = []
    for k in range(4):
        held = {}
        try:
            for a in held if k % 2 else held.items():
                said.append(a)
            it = iter(held)
            held[k] = k
            said.append(next(it, None))
        except RuntimeError as error:
            said.append(str(error))
    return said"""
    check(f"def f():{body}\n", configurations=("jit", "numpy", "forced"))
