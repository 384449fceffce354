"""Built-in containers and texts in the middle of native code: iterators, lists, deques, heaps, characters, functions kept in containers."""

from __future__ import annotations

import heapq
from collections import deque

import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

MEANWHILE = {
    ("d", "d.items()", "d.values()"): ["d[9] = 1", "d.pop(2, None)", "d[2] = 5", "d.pop(0), d.setdefault(9, 1)"],
    ("s",): ["s.add(9)", "s.discard(3)", "s.discard(0), s.add(99)"],
    ("q", "enumerate(q)"): ["q.append(1)", "q.popleft()", "q.popleft(), q.append(1)"],
    ("p", "zip(p, p)"): ["p.append(3)", "p.pop()"],
}


@pytest.mark.parametrize(("over", "work"), [(over, work) for overs, works in MEANWHILE.items() for over in overs for work in works])
def test_changes_while_it_is_gone_through(work, over):
    source = f"""
from collections import deque
def f(n):
    d, s, q, p = {{i: i * 2 for i in range(n)}}, set(range(n)), deque(range(n)), list(range(n))
    found = []
    try:
        for x in {over}:
            found.append(x)
            if len(found) == 3:
                {work}
            if len(found) > 40:
                break
    except RuntimeError as error:
        found.append(str(error))
    return found, d, s, q, p
"""
    check(source, 8)


@pytest.mark.parametrize(
    "over",
    ["{1: 2, (1, 2): 'a'}", "{1: (2, 3), 4: (5, 6)}.items()", "{'a': 1.5}.values()", "{(1, 2), (3, 4)}", "'abä\\u0100'", "b'ab\\xff'",
        "deque([1, (2,), 'a'])",
     "frozenset([1, 2.5])", "bytearray(b'xy')", "(1,) * 70", "set()", "''", "{}"],
)  # fmt: skip
def test_iteration(over):
    source = f"""
from collections import deque
def go(things):
    found = []
    for r in range(4):
        for x in things:
            found.append(x)
    return found
def f():
    things = {over}
    return go(things), go(things)
"""
    check(source)


def test_iterators_that_go_on_in_the_middle():
    """What a loop has begun in the interpreter goes on natively, and back."""
    source = """
def f(d, text, n):
    found = []
    it = iter(d.items())
    next(it)
    for k, v in it:
        found.append((k, v))
        if v == n:
            print(k)
    for c in text:
        if c == 'c':
            print(c)
        found.append(c)
    both = iter(text)
    for a in both:
        for b in both:
            found.append((a, b))
            break
    return found
"""
    check(source, {(i, i): i for i in range(9)}, "abcabc", 4)


def test_items_of_other_types_are_not_lost():
    """What an iterator, a deque or a heap gave is gone from it: native code goes on with it, whatever it is."""
    source = """
import heapq
from collections import deque
def f(items, n):
    found = []
    q, p, s = deque(items), list(items), dict.fromkeys(items)
    while q:
        x = q.popleft()
        found.append(x)
    while p:
        x = p.pop()
        found.append(x)
    for x in s:
        found.append(x)
    heap = []
    for i in range(n):
        heapq.heappush(heap, i % 3 + 0.5 if i > 4 else i % 3)
    while heap:
        found.append(heapq.heappop(heap))
    return found, q, p
"""
    check(source, [1, 2, 3, 4.5, "a", (1, 2), None, 2**80, 5], 9)


def test_deques():
    def f(items, n):
        q = deque(items)
        bounded = deque(items, maxlen=3)
        empty = deque()
        found = []
        for i in range(n):
            q.append((i, i + 1))
            q.appendleft((i, -1))
            bounded.append(i)
            empty.append(i)
            x, y = q.popleft()
            a, b = q.pop()
            found.append(x + y * 10 + a * 100 + b * 1000)
            if empty:
                found.append(empty.pop())
            if len(q) > 3 and not empty:
                found.append(len(q))
        try:
            while True:
                empty.append(bounded.popleft())
        except IndexError as error:
            found.append(str(error))
        return found, q, bounded, empty

    check(f, [(1, 2), (3, 4)], 5)


class Item:
    def __init__(self, number):
        self.number = number

    def __lt__(self, other):
        return self.number > other.number


ORDERED = [[3, 1, 2, 2, 5], [(1, "b"), (1, "a"), (0, "z")], [1.5, 2, float("nan"), 0], ["b", "a", "ab"], [(1, 2), (1,), ()], [2**70, 3],
    [(1, (2, 3)), (1, (2, 1))]]
ORDERED += [[1, "a"], [(1, "a"), (1, 2)], [None, None], [(1, None), (2, None)], [Item(1), Item(2), Item(0)],
    [(1, Item(1)), (1, Item(2)), (0, Item(3))], [[2], [1]]]


@pytest.mark.shared
@pytest.mark.parametrize("items", ORDERED, ids=repr)
def test_heaps_and_sorting(items):
    source = """
import heapq
def numbers(items):
    return [getattr(x[1], 'number', x) if isinstance(x, tuple) and len(x) > 1 else getattr(x, 'number', x) for x in items]
def f(items):
    found = []
    for r in range(2):
        heap, p = [], list(items)
        try:
            for x in items:
                heapq.heappush(heap, x)
            for x in items * 2:
                heapq.heappush(heap, x)
                found.append(heapq.heappop(heap))
            while heap:
                found.append(heapq.heappop(heap))
        except TypeError as error:
            found.append(str(error))
        found.append(len(heap))
        found.extend(numbers(heap))
        for work in range(2):
            try:
                if work:
                    p.sort()
                else:
                    p = p + sorted(p)
            except TypeError as error:
                p.append(str(error))
        found.extend(numbers(p))
    return numbers(found)
"""
    check(source, items)


LISTS = (
    "p + q", "p + [i]", "[i] + p", "[i] + [j]", "p[:]", "p[1:]", "p[:i] + p[i + 1:]", "p[i:j]", "p[::-1]", "p[-2:]", "list(p)", "list(t)",
    "tuple(p)", "p * 2",
    "sorted(p)", "sorted(d)", "list(d)", "list(d.items())", "list(s)", "list(text)", "p.index(2)", "p.count(2)", "i in p", "i in t",
    "(i, j) in pairs",
    "text in words", "text[i]", "text[-i]", "text[i:j]", "text + text", "text == words[0]", "text < words[0]", "text[i] >= 'b'", "text[i] in 'abc'",
    "'b' in text", "ord(text[i])", "chr(97 + i)", "text.upper()", "text.split('b')", "text.find('c')", "text.replace('a', words[0])",
    "packed[i]", "packed[-1]",
    "packed[i:]", "grown[i]", "text.startswith('ab')", "text[i].isdigit()", "words[0] + 'x'", "len(text[i:])", "t[i:j]", "set(p)",
    "set(text)", "deque(p)", "p[i:j] == q",
)  # fmt: skip


@pytest.mark.parametrize("forms", [LISTS[first : first + 5] for first in range(0, len(LISTS), 5)], ids=str)
def test_what_makes_something_new(forms):
    lines = "".join(f"            found.append({form})\n            last = {form}\n" for form in forms)
    source = f"""
from collections import deque
def f(p, q, t, d, s, text, words, packed, grown, pairs, n):
    found = []
    for i in range(n):
        for j in range(n):
{lines}    return found, p, q, found[0] is found[5], last
"""
    args = [3, 1, 2], [4, 2], (5, 2, 1), {2: 1, 1: 5, 0: 0}, {3, 4}, "abca", ["abca", "b"], b"ab\xffc", bytearray(b"xyz"), [(1, 2), (0, 1)], 3
    check(source, *args)


CHANGES = (
    "p.insert(i, 7)", "p.extend(q)", "p.extend((i, i))", "p.extend(p)", "p.reverse()", "p.sort()", "p.remove(2)", "p.pop()", "p.pop(0)",
    "p.pop(-2)", "p.pop(i)",
    "p += q", "p.append(i)", "p[i] = 5", "p.append(p.pop(0))", "p.clear()",
)  # fmt: skip


@pytest.mark.parametrize("form", CHANGES)
def test_what_changes_a_list(form):
    source = f"""
def f(p, q, n):
    first = p[0]
    found = []
    other = p
    for i in range(n):
        found.append(len(p))
        found.append(p[0] + p[-1])
        {form}
        found.append(len(other))
        for x in p:
            found.append(x)
    return found, p, first, other is p
"""
    check(source, [3, 1, 2, 2, 5], [4, 2], 3)
    check(source, [3, 1], [4, 2], 4)
    check(source, [3.5, 1.5, 2, 0, 0, 0, 0], [4, "a"], 4)


def test_as_many_are_expected_of_a_slice_as_it_has():
    def f(items, n):
        total = 0
        for _ in range(n):
            a, b = items[:2]
            c, *rest = items[-3:]
            total += a * b + c + len([*items[1::2], *rest])
        return total

    fast = pijit.jit(f)
    items = [*range(9)]
    assert fast(items, 50) == f(items, 50)
    assert fast(items, 50) == f(items, 50)
    assert not pijit.stats(fast).breaks
    assert [fragment.exits for fragment in pijit.stats(fast).fragments] == [0] * len(pijit.stats(fast).fragments)
    check(f, items, 5)


def test_one_tuple_stays_one():
    def f(n):
        d, seen, q, p = {}, set(), deque(), []
        same = []
        for i in range(n):
            pair = (i, i + 1)
            d[pair] = pair
            seen.add(pair)
            q.append(pair)
            p.insert(0, pair)
            same.append(d[pair] is pair and q[-1] is pair and p[0] is pair)
        return same, [k is v for k, v in d.items()], [a is b for a, b in zip(q, d, strict=True)]

    check(f, 4)


def test_arrays_in_containers():
    source = """
import numpy as np
from collections import deque
def f(n):
    d, q = {}, deque()
    total = 0.0
    for i in range(n):
        a = np.arange(4.0) + i
        d[(i % 2, 0)] = a
        q.append(a)
        a += 1
        total += d[(i % 2, 0)].sum()
        b = q.popleft()
        b *= 2
        total += a[1]
    return total, d
"""
    check(source, 5)


def test_functions_in_containers():
    source = """
def double(x):
    return 2 * x
def half(x):
    return x // 2
def work(table, ops, codes, n):
    total = 0
    for i in range(n):
        total += table[codes[i % 3]](i)
        total += ops[('a', 'b')[i % 2]](total)
        for g in (double, half, abs):
            total += g(i) % 7
        for g in table:
            total += g(i) % 5
    return total
def f(n):
    table, ops = [double, half, abs], {'a': half, 'b': double}
    first = work(table, ops, [0, 1, 2], n)
    table[1] = lambda x: x + 100
    ops['a'] = len
    try:
        second = work(table, ops, [2, 1, 0], n)
    except TypeError as error:
        second = str(error)
    return first, second
"""
    check(source, 9)


def test_ranges_of_any_step():
    def f(n, steps):
        found = []
        for s in steps:
            try:
                for j in range(s * s, n, s):
                    found.append(j)
                for j in range(n, 0, -s):
                    found.append(j)
            except ValueError as error:
                found.append(str(error))
        return found

    check(f, 40, [1, 2, 3, 7, 50, 0, -3, -50, 2**62, 2**63 - 1])


def test_loops_of_scripts_are_native():
    """What users' scripts are made of leaves nothing to the interpreter."""

    def bfs(w, h, walls, start):
        seen = {start: 0}
        q = deque([start])
        while q:
            x, y = q.popleft()
            d = seen[(x, y)]
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                nx, ny = x + dx, y + dy
                if 0 <= nx < w and 0 <= ny < h and (nx, ny) not in walls and (nx, ny) not in seen:
                    seen[(nx, ny)] = d + 1
                    q.append((nx, ny))
        return seen

    def count(text):
        counts = {}
        for c in text:
            if c in counts:
                counts[c] += 1
            else:
                counts[c] = 1
        for w in text.split():
            counts[w] = counts.get(w, 0) + 1
        return counts

    def dijkstra(graph, start):
        dist, heap, done = {start: 0}, [(0, start)], set()
        while heap:
            d, u = heapq.heappop(heap)
            if u in done:
                continue
            done.add(u)
            for v, w in graph[u]:
                nd = d + w
                if v not in dist or nd < dist[v]:
                    dist[v] = nd
                    heapq.heappush(heap, (nd, v))
        return dist

    def tokens(s):
        out = []
        i, n = 0, len(s)
        while i < n:
            c = s[i]
            if c == " ":
                i += 1
            elif "0" <= c <= "9":
                v = 0
                while i < n and "0" <= s[i] <= "9":
                    v = v * 10 + ord(s[i]) - 48
                    i += 1
                out.append(v)
            else:
                out.append(c)
                i += 1
        return out

    graph = {u: [((u * 7 + k) % 50, 1 + k) for k in range(3)] for u in range(50)}
    programs = [(bfs, (9, 9, {(1, 1), (2, 3)}, (0, 0))), (count, ("the cat and the hat",)), (dijkstra, (graph, 0)), (tokens, ("12 + 345*(6 - 78)",))]
    for program, args in programs:
        check(program, *args)
        fast = pijit.jit(program)
        assert fast(*args) == program(*args)
        assert fast(*args) == program(*args)
        assert not pijit.stats(fast).breaks, program.__name__



@pytest.mark.shared
@pytest.mark.parametrize("items", [[1, 2, 3, 4, 5], [1.5, 2, None, "a", (1, 2)], [[1], [2], [3]], list(range(40)), []], ids=len)
@pytest.mark.parametrize("index", ["0", "-1", "n", "-n", "k % 3", "True", "len(xs) // 2", "7"])
def test_items_that_are_deleted(items, index):
    source = f"""
def f(xs, n):
    seen, other = [], xs
    for k in range(3):
        del xs[{index}]
        seen.append(len(xs))
        xs.append(k)
    return seen, xs, other is xs
"""
    check(source, items, 2)
    check(f"def f(xs, n):\n    k = n\n    for x in xs:\n        del xs[{index}]\n    return xs", items, 1)


def test_a_deleted_item_that_has_something_to_say():
    source = """
log = []

class Loud:
    def __init__(self, x):
        self.x = x

    def __del__(self):
        log.append(self.x)

def f(n):
    xs = [Loud(i) for i in range(5)]
    mixed = [1, [Loud(7)], 2.5, Loud(8)]
    for i in range(3):
        del xs[i - 1]
        log.append(-i)
        del mixed[0]
        log.append(len(mixed))
    return log
"""
    check(source, 3)


TUPLES = [(1, 2, 3), (0.5, -0.0, 2.5, 1.0), ("a", "b", "ab"), (True, False), (1, 2.0, "x"), (1, 2**70, 3), (), ((1, 2), (3, 4)), (1, None, 2)]


@pytest.mark.shared
@pytest.mark.parametrize("items", TUPLES, ids=repr)
@pytest.mark.parametrize("form", ["items[k]", "items[k - 4]", "items[k > 1]", "(items[k], items[0] is items[k])", "items[k] * 2", "items[k] == 2"])
def test_items_of_a_tuple(items, form):
    """At places that vary, inside and outside, also where one is of another type than the one before."""
    source = f"""
def f(items, n):
    found = []
    for k in range(n):
        try:
            found.append({form})
        except (IndexError, TypeError) as error:
            found.append(str(error))
    return found
"""
    check(source, items, 5)
    check(f"def f(items, n):\n    found = []\n    for k in range(n):\n        found.append({form})\n    return found\n", items, 5)


def test_a_tuple_of_another_type_of_items():
    source = "def f(items, k):\n    return [items[k + i] for i in range(2)]\n"
    check_calls(source, [((1, 2, 3), 0), ((1, 2.5, 3), 1), (("a", "b", "c"), 1), ((None, 1, 2), 2)])
