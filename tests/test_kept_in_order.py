"""Heaps made of lists, lists kept in order, sorting by several keys at once, and the first that a generator yields."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native, function_of

pytestmark = pytest.mark.shared

ITEMS = ["[]", "[3]", "[3, 1, 2]", "[2.5, nan, 1.5, nan, 0.0, -0.0]", "['b', 'a', '']", "[(1, 'b'), (1, 'a'), (0, 'z')]", "[(nan, 1), (nan, 0)]",
         "[1, 'a']", "[True, 0, 2.5]", "[None, None]", "[(1,), (1, 2)]", "[10**20, -1]", "[Odd(2), Odd(1), Odd(3)]", "[[1], [0]]"]  # fmt: skip
BEFORE = """
import bisect, heapq
nan = float("nan")
class Odd:
    def __init__(self, n):
        self.n = n
    def __lt__(self, other):
        met.append(self.n)
        return self.n < other.n
    def __repr__(self):
        return f"Odd({self.n})"
met = []
"""


@pytest.mark.parametrize("items", ITEMS)
def test_a_heap_of_a_list(items):
    body = f"""
said = []
for k in range(3):
    heap = {items}
    alias = heap
    try:
        heapq.heapify(heap)
        said.append((str(heap), alias is heap, len(heap)))
    except TypeError as error:
        said.append(str(error))
return said, met"""
    check(BEFORE + function_of("", body), configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("way", ["insort", "insort_left", "insort_right"])
@pytest.mark.parametrize("items", ITEMS)
def test_a_list_in_order(items, way):
    body = f"""
said = []
for k in range(3):
    kept = []
    for item in {items}:
        try:
            bisect.{way}(kept, item)
        except TypeError as error:
            said.append(str(error))
    same = [item is other for item in kept for other in kept]
    said.append((str(kept), same))
return said, met"""
    check(BEFORE + function_of("", body), configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("way", ["(kept, k, 1)", "(kept, k, lo=0, hi=2)", "(kept, k, key=abs)", "((1, 2), k)", "(kept)"])
def test_other_ways_to_keep_a_list_in_order(way):
    body = f"""
said, kept = [], [-3, 1, 5]
for k in range(4):
    try:
        bisect.insort{way}
    except (TypeError, AttributeError) as error:
        said.append(str(error))
return said, kept"""
    check("import bisect\n" + function_of("", body), configurations=("jit", "forced"))


KEYS = ["(t[0], -t[1])", "(t[1], t[0])", "(t[2], t[0])", "((t[0], t[1]), t[2])", "t[2]", "(t[0] * 0.5, t[2], k)", "(nan, t[0])",
        "()", "[t[0]]", "(t[0], None)", "t", "(t[0] > 1, t[2])", "t[0] > 1", "t[2] * k",
        "(nan * 1.0, t[0])", "(k, t[2]) if k else t[0]", "t[0] or 'a'"]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_sorting_by_several_keys(key):
    body = f"""
said = []
pool = [(i * 7 % 3, i * 5 % 4, "abc"[i % 3]) for i in range(12)]
for k in range(4):
    for way in (False, True):
        try:
            said.append(sorted(pool, key=lambda t: {key}, reverse=way))
        except TypeError as error:
            said.append(str(error))
return said"""
    check('nan = float("nan")\n' + function_of("", body), configurations=("jit", "numpy", "forced"))


def test_the_same_nan_is_equal_to_itself():
    body = """
said = []
for k in range(3):
    one, other = float("nan"), float("nan")
    pool = [(one, 3), (one, 1), (other, 2), (1.0, 0), (one, 0)]
    said.append([b for a, b in sorted(pool, key=lambda t: (t[0], t[1]))])
return said"""
    check(function_of("", body), configurations=("jit", "numpy", "forced"))


FIRST = ["next((x for x in xs if x > k), None)",
         "next((x for x in xs if x > k), -1)", "next((x * 2.5 for x in xs), xs)", "next(x for x in xs if x > k)",
         "next((i for i, x in enumerate(xs) if x == k), 'none')",
         "next((y for x in xs for y in (x, -x) if y < -k), 0)", "next(even(xs), None)"]  # fmt: skip


@pytest.mark.parametrize("form", FIRST)
def test_the_first_that_is_yielded(form):
    source = f"""
def even(xs):
    for x in xs:
        if x % 2 == 0:
            yield x
def f(xs, n):
    said = []
    for k in range(n):
        try:
            said.append({form})
        except StopIteration as stop:
            said.append(repr(stop))
    return said
"""
    check_calls(source, [(list(range(n)), 5) for n in (0, 3, 9)] * 2, configurations=("jit", "numpy", "forced"))


def test_the_rest_of_a_generator_is_still_there():
    body = """
said = []
for k in range(5):
    rest = (x for x in range(4) if x != k)
    said.append(next(rest, None))
    said.append(next(rest, None))
    said.append(list(rest))
return said"""
    check(function_of("", body), configurations=("jit", "numpy", "forced"))


def test_what_stays_native():
    source = """
import bisect, heapq
def f(xs, n):
    total, kept = 0, []
    for k in range(n):
        bisect.insort(kept, xs[k])
        found = next((x for x in xs if x > k), None)
        if found is not None:
            total += found
        heap = list(xs)
        heapq.heapify(heap)
        total += heap[0]
        total += sorted(xs, key=lambda x: (x % 3, -x))[0]
    return total, kept
"""
    check_stays_native(source, [5, 3, 8, 1, 9, 2], 6)
