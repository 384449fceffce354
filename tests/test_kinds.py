"""Loops over lists whose items are of several types."""

from __future__ import annotations

import pytest
from differential import check, check_calls, function_of, settings

import pijit

SHAPES = """
class Shape:
    def __init__(self, x):
        self.x = x
    def area(self):
        return self.x * 2.0 + 1.0

class Disc(Shape):
    def area(self):
        return None if self.x > 3.0 else self.x * self.x

class Point:
    __slots__ = ("x", "seen")
    def __init__(self, x):
        self.x, self.seen = x, 0
    def area(self):
        self.seen += 1
        return 0

class Broken(Shape):
    def area(self):
        raise ValueError(self.x)

shapes = [(Shape, Disc, Point)[i * 7 % 3 if i % 5 else 1](0.5 * (i * 37 % 11)) for i in range(40)]
mixed = [(1, 2.5, -3, 0.25, 7)[i * i % 5] for i in range(90)]
some = [None if i % 3 else Shape(0.25 * i) for i in range(40)]
"""
PROGRAMS = {
    "methods": """
def f(n):
    total = 0.0
    for s in shapes[n:]:
        a = s.area()
        if a is not None:
            total += a
    return total, [s.seen for s in shapes if type(s) is Point]
""",
    "the best stays": """
def f(n):
    best = who = None
    for s in shapes:
        t = s.area()
        if t is not None and (best is None or t < best):
            best, who = t, s
    return best, type(who).__name__, who.x, s.x, type(s).__name__
""",
    "numbers": """
def f(n):
    total, kinds = 0, []
    for x in mixed:
        total += x * n
        kinds.append(x // 2)
    return total, kinds, sum(mixed), [x * 2 for x in mixed], sum(x * x for x in mixed), any(x > 1e9 for x in mixed), max(mixed)
""",
    "numbers one by one": """
def f(n):
    low = high = mixed[0]
    for x in mixed:
        if x < low:
            low = x
        elif x > high:
            high = x
    return low, high, type(low).__name__, type(high).__name__
""",
    "or none": """
def f(n):
    total = 0.0
    for i, s in enumerate(some, n):
        if s is not None:
            total += s.x * i
    for s in reversed(some):
        total = total * 0.5 + (s.x if s else 1.0)
    return total
""",
    "with zip": """
def f(n):
    total = 0.0
    for s, x in zip(shapes, mixed):
        total += s.x * x
    for x, s in zip(mixed, shapes):
        total -= s.x * x
    for x, y in zip(mixed, mixed[1:]):
        total += x * y
    return total
""",
    "nested": """
def f(n):
    count = 0
    for a in shapes[:12]:
        for b in shapes[:12]:
            if a is not b and a.x < b.x and type(a) is type(b):
                count += 1
    return count
""",
    "stores": """
def f(n):
    for i, s in enumerate(shapes):
        s.x += i * 0.5
    return [s.x for s in shapes]
""",
    "one raises": """
shapes[11] = Broken(4.5)

def f(n):
    done = 0
    try:
        for s in shapes:
            s.area()
            done += 1
    except ValueError as error:
        return done, str(error)
""",
    "others later": """
shapes = shapes[:3] * 30 + [Broken(1.0), "text", 2.5, Shape(1.0)]

def f(n):
    count, total = 0, 0.0
    for s in shapes:
        if isinstance(s, (Shape, Point)):
            total += s.x
        else:
            count += 1
    return count, total
""",
    "another in its place": """
def f(n):
    items, total = list(shapes), 0.0
    for i, s in enumerate(items):
        total += s.x
        if i % 4 == 0 and i + 1 < len(items):
            items[i + 1] = Disc(100.0 + i) if i % 8 else Point(i)
        if i < 5:
            items.append(mixed[i])
        if i == 39:
            break
    return total, len(items)
""",
    "another class": """
def f(n):
    total = 0.0
    for i, s in enumerate(shapes):
        a = s.area()
        total += -1.0 if a is None else a
        if type(shapes[i - 1]) is Disc:
            shapes[i - 1].__class__ = Shape
        elif type(shapes[i - 1]) is Shape and i % 2:
            shapes[i - 1].__class__ = Disc
    return total, [type(s).__name__ for s in shapes]
""",
    "four types": """
kinds = [1, 2.5, None, Shape(0.5), Disc(0.25), Point(3)]
many = [kinds[i * i * 5 % 6] for i in range(60)]

def f(n):
    total = 0.0
    for s in many:
        if s is None:
            total -= 1.0
        elif isinstance(s, (int, float)):
            total += s
        else:
            total += s.x
    return total
""",
    "bools among them": """
truths = [True, 2, 0.5, False] * 10

def f(n):
    total, found = 0, []
    for x in truths:
        total += x
        found.append(x is True)
    return total, found
""",
    "generators and inner functions": """
def areas(items):
    for s in items:
        a = s.area()
        if a:
            yield a * 2.0

def f(n):
    def weigh(s):
        return s.x * n
    return sum(areas(shapes)), [weigh(s) for s in shapes], max(shapes, key=lambda s: s.x).x, list(map(weigh, shapes[:5]))
""",
    "by index": """
def f(n):
    total = 0.0
    for i in range(len(shapes)):
        a = shapes[i].area()
        total += 0.5 if a is None else a
        total -= shapes[-i].x * mixed[i] + mixed[i - n]
        mixed[i] += 1
        mixed[i + 40], mixed[i + 41] = mixed[i + 41], mixed[i + 40]
    return total, mixed, mixed[n], shapes[n].x
""",
    "by index, a quotient": """
def f(n):
    total = 0.0
    for i in range(len(shapes)):
        total -= mixed[i - n] / (1 + mixed[i + 1] ** 2)
    return total
""",
    "out of range": """
def f(n):
    total, i = 0, 80
    try:
        while True:
            total += mixed[i] * 2
            i += 1
    except IndexError as error:
        return total, i, str(error)
""",
    "fewest coins": """
def f(n):
    ways = [float("inf")] * 60
    ways[0] = 0
    for i in range(1, 60):
        for c in (n, 7, 11):
            if c <= i and ways[i - c] + 1 < ways[i]:
                ways[i] = ways[i - c] + 1
    return ways
""",
    "shortest ways": """
def f(n):
    d = [[float("inf")] * 5 for _ in range(5)]
    for i in range(5):
        d[i][i] = 0
        d[i][(i * 7 + 1) % 5] = i % 5 + 1
        d[i][(i * n + 2) % 5] = 0.5 * i
    for k in range(5):
        for i in range(5):
            for j in range(5):
                way = d[i][k] + d[k][j]
                if way < d[i][j]:
                    d[i][j] = way
    return d
""",
    "many at once": """
def f(n):
    out = []
    for i in range(2, len(mixed) - 2):
        a, b, c, d, e = mixed[i - 2], mixed[i - 1], mixed[i], mixed[i + 1], mixed[i + 2]
        s = a + b * 2 + c * 3 + d * 2 + e
        if a < b:
            s -= c
        if d > e:
            s += a if c else b
        out.append((s, a, e))
    return out, [mixed[i] if mixed[i] > mixed[-1 - i] else -mixed[-1 - i] for i in range(40)]
""",
    "in several lists": """
def f(n):
    rows = [mixed[i : i + 10] for i in range(0, 90, 10)]
    return [sum(row[j] * rows[j % 9][i] for j in range(9)) for i, row in enumerate(rows)], [max(row) for row in rows]
""",
    "holes": """
def f(n):
    table = [None] * 40
    for i in range(60):
        j = i * n % 40
        while table[j] is not None and table[j] != i:
            j = (j + 1) % 40
        if i < 30:
            table[j] = i * 7
    return table, sum(1 for x in table if x is None), [x for x in table if x]
""",
    "goes on after a break": """
def f(n):
    total = 0.0
    for s in shapes:
        total += s.x
        if s.x > 4.0:
            str(n)
        total *= 1.5
    return total
""",
}


@pytest.mark.shared
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    check(SHAPES + PROGRAMS[name], 3)


@pytest.mark.parametrize("name", ["methods", "numbers one by one", "or none", "stores"])
def test_all_types_are_native(name):
    names = {"__name__": __name__}
    exec(SHAPES + PROGRAMS[name], names)
    with settings(compile_all=False):
        fast = pijit.jit(fullgraph=True)(names["f"])
        fast(1)
        for n in (1, 2, 3):
            fast(n)
    (fragment,) = pijit.stats(fast).fragments
    assert fragment.hits == 4
    assert not fragment.retired
    assert not [line for line in str(pijit.explain(fast)).splitlines() if "PJ223" in line and "never" not in line]


MANY = """
class Animal:
    def __init__(self, x):
        self.x, self.met = x, 0
    def speak(self, other, loud):
        self.met += 1
        if other.size() > loud:
            return self.x + loud
        return other.x - loud
    def size(self):
        return self.x
""" + "".join(
    f"""
class Animal{k}(Animal):
    def speak(self, other, loud):
        self.met += {k}
        if loud < other.size():
            return self.x * {k}
        return other.x
    def size(self):
        return self.x * {k} + self.met * 0.25
"""
    for k in range(1, 10)
)
OF_MANY = {
    "one by one": """
    for one in zoo:
        total += one.speak(one, 2.0)
""",
    "in pairs": """
    for one in zoo[:12]:
        for other in zoo[:20]:
            if one is not other:
                total += one.speak(other, 2.0)
""",
    "the last ones go": """
    while len(zoo) > 3:
        other = zoo.pop()
        refs.append(weakref.ref(other))
        total += other.speak(zoo[-1], 1.0)
        if len(zoo) % 4 == 0:
            said.append([ref() is None for ref in refs])
""",
}


def of_many(name, count):
    classes = ", ".join(["Animal", *(f"Animal{k}" for k in range(1, count))])
    made = f"zoo = [({classes},)[i * 7 % {count}](0.5 * i) for i in range({6 * count})]"
    return f"import weakref\n{MANY}\ndef f(n):\n    {made}\n    refs, said, total = [], [], 0.0\n{OF_MANY[name]}    return total, said"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "count"), [("in pairs", 5), *((name, count) for name in ("one by one", "the last ones go") for count in (4, 6, 9))]
)
def test_of_many_types(name, count):
    check(of_many(name, count), 3, configurations=("jit",) if count > 4 else ("jit", "forced"))


@pytest.mark.parametrize("count", [4, 8])
def test_many_types_are_native(count):
    space = {"__name__": __name__}
    body = "total = 0.0\nfor k in range(n):\n    for one in zoo:\n        total += one.speak(one, 2.0)\nreturn total"
    exec(MANY + function_of("zoo, n", body), space)
    classes = [space["Animal"], *(space[f"Animal{k}"] for k in range(1, count))]
    fast, zoo = pijit.jit(space["f"]), [classes[i % count](0.5 * i) for i in range(70)]
    for _ in range(4):
        fast(zoo, 2)
    assert (pijit.stats(fast).compiles, pijit.stats(fast).exits) == (1, 0)


def test_what_a_call_of_several_types_leaves_behind_is_one_way():
    """Of which type the other one was makes no difference behind a call, where it is not read again."""
    space = {"__name__": __name__}
    body = "total = 0.0\nfor other in zoo:\n    total += one.speak(other, 2.0) * 0.5\n    one.met = 0\nreturn total"
    exec(MANY + function_of("one, zoo", body), space)
    classes = [space[f"Animal{k}"] for k in range(1, 7)]
    fast, zoo = pijit.jit(space["f"]), [classes[i % 6](0.5 * i) for i in range(70)]
    for _ in range(3):
        assert fast(classes[0](1.0), zoo) == space["f"](classes[0](1.0), zoo)
    assert pijit.stats(fast).compiles == 1
    graph = pijit.explain(fast).to_dict()["fragments"][0]["graph"]
    assert sum("float_mul" in line and "0.5" in line for line in graph.splitlines()) < 6


def test_lists_of_one_type_and_then_of_several():
    source = SHAPES + """
def f(items):
    total = 0.0
    for s in items:
        total += s if isinstance(s, (int, float)) else s.x
    return total
"""
    names = {"__name__": __name__}
    exec(source, names)
    check_calls(names["f"], [([1, 2, 3],), ([1, 2.5, 3],), (names["shapes"],), ([names["shapes"][0], 1, 2.5],), ([],), ([2.5],)] * 3)
