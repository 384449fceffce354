"""Sets, dicts, lists and tuples as a whole: operators, comparisons, copies, methods that are given another one; deques with a maxlen."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native, settings

import pijit

ITEMS = (
    [0, 1, -1, -2, 2**61 - 1, 2**61, -(2**61), 2**62, 2**63 - 1, 2**70, *range(3, 40)],
    [0, True, 1.0, 2.0, 2, -0.0, 0.5, 1e300, float("inf"), 3, 4.0],
    ["a", "b", "ab", "", "ä", "\u0100", "a" * 40, "1", "\0", *"cdefghijkl"],
    [(0, 1), (0, True), (0.0, 1), (), (1,), ((1, 2), 3), (1, None), ("a", 1), None, b"a", "a", 1j, ...],
)
OPERATORS = ["|", "&", "-", "^"]
COMPARISONS = ["<=", "<", ">=", ">", "==", "!="]


@pytest.mark.shared
@pytest.mark.parametrize("items", ITEMS, ids=["ints", "numbers", "texts", "others"])
@pytest.mark.parametrize("kinds", [("set", "set"), ("frozenset", "set"), ("set", "frozenset")], ids=str)
def test_operators_of_sets(items, kinds):
    lines = [f"one {op} other" for op in (*OPERATORS, *COMPARISONS)]
    methods = ("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint")
    lines += [f"one.{name}(other)" for name in methods]
    lines += ["one.union(left)", "frozenset(other)", "frozenset(left)", "one is one | one"]
    changes = [f"        made {op}= other" for op in OPERATORS]
    if kinds[0] == "set":
        names = ("update", "intersection_update", "difference_update", "symmetric_difference_update")
        changes += [f"        made.{name}(other)" for name in names]
        changes += ["        made.update(left)", "        made.update([k, 7])", "        lines.append(same is made)", "        made = made.copy()"]
    changes = [f"{line}\n        steps.append(list(made))\n        same = made" for line in changes]
    source = f"""
def f(items, n):
    lines, steps = [], []
    for k in range(n):
        left, right = items[k % 4 :: 2], items[k % 3 : 2 * k + 3]
        one, other = {kinds[0]}(left), {kinds[1]}(right)
        before = list(one)
        lines.append([{", ".join(lines)}])
        lines.append([list(x) for x in (one | other, one & other, one - other, one ^ other)])
        made = same = {kinds[0]}(left)
{chr(10).join(changes)}
        lines.append((before == list(one), made))
    return lines, steps
"""
    check(source, items, 9, configurations=("jit", "O0", "numpy", "forced"))


@pytest.mark.parametrize("small", [1, 4])
def test_sets_of_different_sizes(small):
    """CPython goes through the smaller one, or copies the larger."""
    source = f"""
def f(a, b):
    out = []
    for x in range(0, 300, 25):
        few, many = set(range(x, x + {small})), set(range(200))
        out.append((few & many, many & few, list(few - many), list(many - few), few <= many, many >= few, few == many, few.isdisjoint(many)))
        many -= few
        few -= many
        few ^= many
        many &= few
        out.append((list(few), list(many)))
    return out
"""
    check(source, 1, 2)


ASKED = """
log = []
class Key:
    def __init__(self, x):
        self.x = x
    def __hash__(self):
        log.append(("hash", self.x))
        return hash(self.x)
    def __eq__(self, other):
        log.append(("eq", self.x))
        return self.x == (other.x if isinstance(other, Key) else other)
    def __lt__(self, other):
        log.append(("lt", self.x))
        return True
    def __repr__(self):
        return f"Key({self.x})"
class Plain:
    pass
class Own(set):
    def __or__(self, other):
        log.append("or")
        return 5
class Named(dict):
    def __or__(self, other):
        log.append("or")
        return 6
    def update(self, *others):
        log.append("update")
"""


@pytest.mark.parametrize("form", [
    *(f"len(a {op} b)" for op in OPERATORS), *(f"a {op} b" for op in COMPARISONS), "a.union(b), a.isdisjoint(b), a.issubset(b)", "frozenset(p)",
    "len(c.copy()), len(c.copy() | b)",
    "c.update(b), len(c)", "c.difference_update(b), len(c)", "c.symmetric_difference_update(b), len(c)", "c.intersection_update(b), len(c)",
    "c.update(p), len(c)", "d | e", "dict(d)", "d.copy()", "d.update(e), d", "dict(zip(p, q))", "dict(p)", "p == q, p != q", "p < q",
    "[p, q] == [q, p]", "tuple(p) == tuple(q)", "(*p, 1) <= (*q, 2)",
])  # fmt: skip
@pytest.mark.shared
def test_what_is_the_programs_to_compare(form):
    """Also among others, which the capture has not seen."""
    source = ASKED + f"""
def f(pairs):
    out = []
    for p, q in pairs:
        a, b, c = set(p), set(q), set(p)
        d, e = {{}}, {{}}
        for x in p:
            d[x] = 1
        for x in q:
            e[x] = 2
        try:
            out.append(repr({form}))
        except (TypeError, ValueError) as error:
            out.append(type(error))
    return out, log
def g(n):
    return f([([1, 2, 3], [2, 3, 4]), ([1, 2], [3, 1]), ([1, 2, 3], [Key(2), 3, 4]), ([Key(1), 2, Key(2 ** 61)], [1, 2, 3]),
              ([Key(i) for i in range(n)], [1, Key(3)]), ([1, 2], [2, 1]), ([1, 2, Key(7), Key(7 + 2 ** 61 - 1)], [5, 7]), ([1], [Plain])])
"""
    check(source, 5, entry="g")


def test_subclasses():
    source = ASKED + """
def f(things, others):
    out = []
    for a, b in zip(things, others):
        out.append((a | b, a == b))
        a.update(b)
        out.append((a, b))
    return out, log
def g(n):
    return f([{1}, Own([1]), {2}, Own([3])], [{2}, {3}, Own([1]), Own([2])]), f([{1: 2}, Named(), {3: 4}], [Named(), {1: 2}, {5: 6}])
"""
    check(source, 1, entry="g")


def test_what_is_let_go_of():
    """At once, where it was the last reference: a set or dict lets several of them go."""
    source = """
log = []
class Thing:
    def __init__(self, x):
        self.x = x
    def __del__(self):
        log.append(self.x)
def f(n):
    for k in range(n):
        thing = Thing(k)
        s, d, q = {(thing, 1), (thing, 2), k}, {1: thing, 2: thing, 3: k}, deque([thing, k], 2)
        other = {(thing, 1), (thing, 2)}
        del thing
        log.append("a")
        q.append(1)
        q.append(2)
        log.append("b")
        s -= other
        s &= {1}
        other = other & {1}
        log.append("c")
        d.update({1: 0, 2: 0})
        log.append("d")
    return log, s, d, q
from collections import deque
"""
    check(source, 5, entry="f")
    check(source.replace("(thing, 1), (thing, 2)", "thing, (thing,)").replace("deque([thing, k], 2)", "deque((), 2)"), 5, entry="f")
    check(source.replace("{(thing, 1), (thing, 2), k}, {1: thing, 2: thing, 3: k}", "set(), {}"), 5, entry="f")


def test_what_is_cleared():
    source = """
log = []
class Thing:
    def __init__(self, x):
        self.x = x
    def __del__(self):
        log.append(self.x)
def told(n):
    log.append("closed")
def steps(x):
    try:
        yield x
    finally:
        log.append(x)
def f(lists, dicts):
    for items in lists:
        items.clear()
        log.append("list")
    for d in dicts:
        d.clear()
        log.append("dict")
    return len(lists) + len(dicts), log
def g(n):
    step = steps(n)
    next(step)
    lists = [[1, "a", (2, None)], [(lambda o=Thing(5): o)], [1, lambda: 1], [(1, Thing(6))], [step], [2]]
    dicts = [{1: 2}, {"a": (lambda o=Thing(7): o)}, {lambda o=Thing(8): o: 1}, {"a": 1, 2: "b"}, {}, {"__name__": 3}]
    del step
    return f(lists, dicts)
"""
    check(source, 5, entry="g")


def test_a_dict_of_any_keys_is_cleared_natively():
    def f(d):
        d.clear()
        return len(d)

    f = pijit.jit(f)
    with settings(compile_all=True):
        for d in ({1: 2}, {"a": 3, 2: 1}, {"b": 1}, {1: 2}):
            assert f(d) == 0
    stats = pijit.stats(f)
    assert (stats.hits, stats.exits, stats.breaks) == (4, 0, ())


@pytest.mark.parametrize("keys", ITEMS, ids=["ints", "numbers", "texts", "others"])
def test_dicts(keys):
    source = """
def f(keys, n):
    out = []
    for k in range(n):
        left, right = keys[k % 4 :: 2], keys[k % 3 : 2 * k + 3]
        d, e = dict(zip(left, range(50))), dict(zip(right, right))
        both = d | e
        out.append((both, list(both), d, e, dict(d), d.copy(), dict(enumerate(right)), dict([(k, left), [3, 4]])))
        out.append((dict(list(e.items())), dict(d) is d))
        same = d
        d |= e
        out.append((list(d.items()), same is d))
        d.update({k: 5, 1: 6})
        d.update(a=k, b=2)
        d.update(zip(right, left))
        d.update([(k, k)])
        e.update(d)
        e.update(e)
        out.append((list(d.items()), list(e.items())))
        out.append(({**d}, list({**d, "x": k, k: d}), {"a": 5, **d, "x": 3, **e}, {**{"u": 1}, **{k: 2}}))
        e["a"] += 1
        names = {"x": k, "y": 2}
        more = dict(names)
        more.update(d)
        names.update(z=3)
        names.update(more, **names) if k > 90 else names.update(more)
        out.append((list(names.items()), list(more), [a is b for a, b in zip(d, e)]))
    return out
"""
    check(source, keys, 8, configurations=("jit", "O0", "numpy", "forced"))


def test_wrong_pairs():
    source = """
def f(lists, d):
    out = []
    for pairs in lists:
        for make in (0, 1):
            try:
                if make:
                    out.append(dict(pairs))
                else:
                    d.update(pairs)
            except (TypeError, ValueError) as error:
                out.append(str(error))
            out.append(dict(d))
    return out
"""
    good = [(1, 2), (3, 4)]
    check(source, [good, [[1, 2], (5, 6)], [(1, 2), (7, 8, 9)], [(1, 2), 5], ["ab", "cd"], [([1], 2)], [], {"a": 1}, good], {})


def test_names_of_a_module():
    """What native code knows of a namespace is no longer so."""
    source = """
import types
module = types.ModuleType("others")
module.scale = 2
class Thing:
    pass
thing = Thing()
thing.scale = 3
scale = 4
def f(spaces, given):
    found = []
    for d in spaces:
        for k in range(3):
            d.update(given)
            d |= {"scale": k}
            found.append((module.scale, thing.scale, scale, d["scale"]))
            module.scale, thing.scale = k * 10, k * 20
    return found
def g(n):
    spaces = [{}, {"scale": 5}, {1: 2}, vars(module), vars(thing), globals(), {"__name__": 3}, {}]
    return f(spaces[n:], {"scale": 7, "other": 8}), module.scale, thing.scale, scale
"""
    check_calls(source, [(n,) for n in (0, 0, 1, 3, 4, 5, 6, 0)], entry="g")


def test_comparisons_of_lists_and_tuples():
    forms = [f"a {op} b" for op in COMPARISONS] + [f"tuple(a) {op} tuple(b)" for op in COMPARISONS]
    forms += [f"[k, x] {op} a" for op in COMPARISONS] + ["[a, b] == [b, a]", "[a] < [b]", "a == tuple(b)", "(a, 1) == (b, 1)"]
    tries = "\n".join(
        f"            try:\n                out.append({form})\n            except TypeError as error:\n                out.append(str(error))"
        for form in forms
    )
    source = f"""
nan = float("nan")
def f(lists, x):
    out = []
    for a in lists:
        for k, b in enumerate(lists):
{tries}
    return out
"""
    rows = ([[], [1], [1, 2], [1, 2, 3], [2], [1, 3], [1.0, 2], [True, 2]], [["a", "b"], ["a", "c"], ["a"], ["b", "\u0100"]])
    rows += ([[[1, 2], [3]], [[1, 2], [4]], [[1, 2]], [[1], 2]], [[1, "a"], [1, None], [1, (2, 3)], [1, (2, 4)], [b"a", 1], [1j, 2], [2**70]])
    nan = float("nan")
    for lists in (*rows, [[nan, 1], [nan, 2], [float("nan"), 1], [0.0, 1]], [list(range(100)), list(range(101)), [*range(99), 100]]):
        check(source, lists, nan, configurations=("jit",))
    for name in ("O0", "numpy", "forced"):
        check(source, [[1, 2], [2, 2.0], ["a"], [[1], 2], [nan]], 2.0, configurations=(name,))


def test_tuples_that_grow():
    source = """
def f(n, start):
    path, out = start, []
    for k in range(n):
        path = path + (k, "a")
        path += (0.5,) if k % 2 else ()
        other = () + path
        out.append((other is path, path + () is path, path[0], path[k], len(path), start + path == path))
        if len(path) > 7:
            path = path[2:]
    return path, out
"""
    check(source, 12, ())
    check(source, 12, (1, 2, 3))
    check(source, 12, ("x",) * 20)


def test_deques_with_a_maxlen():
    source = """
from collections import deque
def f(n, most, items):
    try:
        d, e, g = deque(maxlen=most), deque(items, most), deque(items, maxlen=most)
    except (TypeError, ValueError) as error:
        return str(error)
    out = []
    for k in range(n):
        d.append(k)
        e.appendleft(k * 0.5)
        g.append("a")
        out.append((len(d), len(e), sum(d)))
        try:
            out.append((d[0], d[-1], e[k % 3], g[0]))
        except IndexError as error:
            out.append(str(error))
    return d, e, g, d.maxlen, out
"""
    check_calls(source, [(8, most, [0.5, 1.5, 2.5, 3.5]) for most in (3, 3, 1, 0, None, 100, -1, 2, 2**70)], entry="f")


def test_they_stay_native():
    source = """
from collections import deque
def f(n):
    total, seen, d, last, path = 0, set(), {}, deque(maxlen=4), ()
    want = {1, 3, 5}
    row = [0, 1]
    for k in range(n):
        both = want | {k}
        seen |= both
        seen -= {k}
        d.update({k: k})
        d = {**(d | {k % 3: 1}), "k": k}
        last.append(k)
        path = path + (k,)
        total += len(both & want) + len(want - both) + (both == want) + (want <= both) + last[0] + len(dict(zip(path, path)))
        if len(path) > 5:
            path = path[1:]
        if [k % 2, 1] == row and seen.isdisjoint(both):
            total += 1
    return total, len(d), len(seen)
"""
    check_stays_native(source, 20)
