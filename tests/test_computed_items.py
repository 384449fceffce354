"""Items of tuples and lists at a place that is computed, or counted from an end that moves."""

from __future__ import annotations

import pytest

from tests.differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

OF_TUPLES = {
    "directions": """
TURNS = ((0, 1), (1, 0), (0, -1), (-1, 0))
def f(n):
    x = y = 0
    out = []
    for i in range(n):
        dx, dy = TURNS[i * i % 4]
        x += dx
        y += dy
        turn = [(1, 1), (-1, 1), (1, -1), (-1, -1)][i & 3]
        x += turn[0] * 2 + turn[1]
        out.append(TURNS[-1 - i % 4])
    return x, y, [item is TURNS[0] for item in out]
""",
    "floats": """
def f(n):
    out, total = [], 0.0
    for i in range(n):
        w = (0.5, 1.5, 2.5)[i % 3]
        total += w * [1.0, 2.0, 4.0][-(i % 3) - 1]
        out.append(w)
    return total, [(a is b) for a in out for b in out]
""",
    "texts": """
def f(n):
    out = []
    for i in range(n):
        out.append(("a", "bc", "d")[i % 3] + "x")
    return out
""",
    "large ints": """
def f(n):
    out = []
    for i in range(n):
        out.append((1, 10**20, 2**62, -5)[i % 4])
    return out
""",
    "functions": """
import math
def g(x):
    return x + 1
def h(x):
    return x * 2
def f(n):
    out = []
    for i in range(n):
        out.append((g, h)[i & 1](i))
        out.append((math.sin, math.cos, math.tan)[i % 3](i))
    return out
""",
    "of other types": """
def f(n):
    out = []
    for i in range(n):
        out.append((True, False)[i % 2])
        out.append((1, 2.5, "x", None)[i % 4])
        out.append((None, None)[i % 2])
    return out
""",
    "made at run time": """
def f(n):
    out = []
    t, u = tuple(range(7)), tuple([str(k), k] for k in range(5))
    for i in range(n):
        try:
            out.append(t[i])
            u[i % 5][1] += 1
        except IndexError as error:
            out.append(str(error))
            break
    return out, u
""",
    "outside": """
def f(n):
    out = []
    for i in range(n):
        out.append((1, 2, 3)[i])
    return out
""",
    "outside a list": """
def f(n):
    out = []
    for i in range(n):
        out.append([1.5, 2.5, 3.5][-i])
    return out
""",
}


@pytest.mark.parametrize("name", OF_TUPLES)
def test_one_of_some_items(name):
    check(OF_TUPLES[name], 12, entry="f")


@pytest.mark.parametrize("name", ["directions", "floats", "texts"])
def test_one_of_some_items_natively(name):
    check_stays_native(OF_TUPLES[name].partition("    return")[0] + "    return out\n", 12)


FROM_THE_END = {
    "a stack": """
def f(a):
    stack = [0]
    for x in a:
        if stack[-1] < x:
            stack.append(x)
        elif len(stack) > 1:
            stack.pop()
    return stack, stack[-1]
""",
    "of an argument": """
def f(a):
    a.append(a[-1] + a[-2])
    a[-1] += 1
    return a[-1], a[0], a
""",
    "rows": """
def f(a):
    rows = [[x] for x in a]
    for row in rows:
        row.append(row[-1] * 2)
    rows[-1][-1] = 7.5
    return rows, rows[-1][-1], rows[-2][-1], rows[-1] is rows[len(rows) - 1]
""",
    "of several types": """
def f(a):
    m = [a[0], 2.5, "x", None]
    out = []
    for i in range(5):
        out.append((m[-1], m[-2], m[-3], m[-4]))
        m.append(i)
    return out
""",
    "until it is empty": """
def f(a):
    out = []
    try:
        while True:
            out.append(a[-1])
            a.pop()
    except IndexError as error:
        out.append(str(error))
    return out
""",
    "of an attribute": """
class Walk:
    def __init__(self):
        self.path = [(0, 0)]
    def go(self, dx):
        x, y = self.path[-1]
        self.path.append((x + dx, y - dx))
def f(a):
    walk = Walk()
    for x in a:
        walk.go(x)
    return walk.path
""",
    "edit distance": """
def f(a):
    b = a[::2]
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        now = [i]
        for j, y in enumerate(b, 1):
            now.append(min(before[j] + 1, now[-1] + 1, before[j - 1] + (x != y)))
        before = now
    return before[-1]
""",
}


@pytest.mark.parametrize("name", FROM_THE_END)
def test_counted_from_the_end(name):
    check_calls(FROM_THE_END[name], [(list(range(1, n)),) for n in (9, 9, 5, 12, 3)], entry="f")


def test_counted_from_the_end_natively():
    for name in ("a stack", "edit distance"):
        check_stays_native(FROM_THE_END[name], list(range(1, 30)))


def test_one_fragment_for_lists_of_all_lengths():
    import pijit

    space = {}
    exec("def f(a):\n    return a[-1] * 2 + a[-2]", space)
    fast = pijit.jit(space["f"])
    for n in range(3, 20):
        a = [float(i) for i in range(n)]
        assert fast(a) == a[-1] * 2 + a[-2]
    assert len(pijit.stats(fast).fragments) == 1
