"""Built-in containers in the middle of native code: dicts by any key, sets, whose keys they are, what is let go of."""

from __future__ import annotations

import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

# Keys of which several are equal, have equal hashes, or are at the edges of what native code computes with.
KEYS = (
    [0, 1, -1, -2, True, 1.0, -1.0, 2**61 - 1, 2**61, -(2**61), 2**62, 2**63 - 1, -(2**63), 2**53 + 1, float(2**53), 2**63, 2**70, 0.5, -0.0, 1e300],
    [(0, 1), (0, True), (0.0, 1), (1, 0), (), (1,), ((1, 2), 3), (1, (2, 3)), (-1, -2), (-2, -1), (2**61 - 1, 0), (0, 0), (1, None), ("a", 1)],
    ["a", "b", "ab", "", "ä", "\u0100", "\U0001f600", "a" * 40, "1", "\0", b"a".decode()],
    [None, b"a", "a", ("a",), 1, 1j, False, 0, 0.0, (), frozenset()],
)  # fmt: skip


@pytest.mark.parametrize("keys", KEYS)
def test_keys_of_dicts(keys):
    source = """
def f(d, keys):
    found = []
    for k in keys:
        found.append((d.get(k), d.get(k, 5), k in d, k not in d))
        try:
            found.append(d[k])
        except KeyError as error:
            found.append(str(error))
        found.append((d.pop(k, None), d.setdefault(k, 9)))
    return found, d
"""
    held = {key: number for number, key in enumerate(keys) if number % 2}
    check(source, held, keys)
    check(source, dict.fromkeys(keys, 7), keys)


@pytest.mark.parametrize("keys", KEYS)
def test_stores_into_dicts(keys):
    def f(d, keys):
        made = {}
        for k in keys:
            d[k] = k
            made[k] = made.get(k, 0) + 1
            if k in d and len(made) > 2:
                made[k] += 10
        for k in keys:
            if made.get(k, 0) > 10:
                del made[k]
        return d, list(d.items()), made, [a is b for a, b in zip(d, keys, strict=False)]

    check(f, {}, keys)
    check(f, {1: 2, "a": 4}, keys)


@pytest.mark.parametrize("keys", KEYS)
def test_sets(keys):
    def f(s, keys):
        found = []
        made = set()
        for k in keys:
            found.append(k in s)
            s.add(k)
            made.add(k)
            made.discard(3)
            if len(made) > 3:
                made.remove(k)
        return found, s, list(s), made, len(s)

    check(f, set(), keys)
    check(f, set(keys[::2]), keys)


def test_tuples_that_are_computed():
    def f(d, seen, n):
        total = 0
        for i in range(-n, n):
            for j in range(3):
                if (i, j) not in seen:
                    seen.add((i, j))
                    total += d.get((i // 2, j), -1)
                d[i, j] = total
                d[(i, (j, "x"))] = 1.5
        return total, d, seen

    check(f, {(1, 2): 3, (0, 0): 5}, {(0, 1), (2, 2)}, 6)


KEYS_OF_PROGRAMS = """
asked = []
class Key:
    def __init__(self, number):
        self.number = number
    def __hash__(self):
        asked.append('hash')
        return hash(self.number)
    def __eq__(self, other):
        asked.append('eq')
        return self.number == getattr(other, 'number', other)
class Plain:
    pass
class Wrong:
    def __hash__(self):
        return 5
    def __eq__(self, other):
        raise ValueError('no')
"""


@pytest.mark.parametrize("what", ["d[k]", "d.get(k, 0)", "k in d", "d.__setitem__(k, 1)", "s.add(k)", "k in s", "p.index(k)", "k in p", "p.count(k)"])
def test_keys_of_a_class_of_the_programs(what):
    source = f"""{KEYS_OF_PROGRAMS}
def work(d, s, p, keys):
    found = []
    for k in keys:
        found.append({what})
    return found
def f(n):
    keys = [1, 2, 3, 5]
    plain = Plain()
    own = [Key(1), Key(7), plain]
    results = []
    for these in (keys * n, own, [(k,) for k in keys], [plain]):
        for held in ([1, 2, 3, 5, plain], [Key(1), Key(2), Key(3), Key(5), plain, (1,), (2,), (3,), (5,)], [Wrong()], [1, Key(2), 3, 5, (1, 2)]):
            d, s, p = dict.fromkeys(held, 4), set(held), list(held)
            try:
                results.append(work(d, s, p, these) and len(d))
            except (KeyError, ValueError) as error:
                results.append(type(error).__name__)
    return results, len(asked), asked[:50]
"""
    check(source, 3)


def test_a_nan_is_its_own_key():
    def f(keys, d):
        found = []
        for k in keys:
            found.append((k in d, d.get(k, 0)))
            d[k] = 2
        return found, len(d)

    nan = float("nan")
    check(f, [nan, nan, 1.0, float("nan")], {nan: 1, 1.0: 3})


def test_what_is_missing_raises_in_its_line():
    def f(d, keys):
        total = 0
        for k in keys:
            total += d[k]
        return total

    check_calls(f, [({(1, 2): 3, 4: 5}, [(1, 2), 4]), ({(1, 2): 3}, [(1, 2), (1, 3)]), ({1: 2}, [1, 2]), ({1: 2}, [1, [1]]), ({1: 2.5}, [1])])


def test_other_types_in_the_same_dict():
    def f(d, keys):
        total = 0
        for k in keys:
            total = total + d[k]
        return total

    calls = [({1: 2, 2: 3}, [1, 2]), ({1: 2, 2: 0.5, 3: True, 4: 2**70}, [1, 2, 3, 4]), ({1: "a"}, [1]), ({}, [1]), ({1: [1]}, [1])]
    check_calls(f, calls)


@pytest.mark.parametrize("made", ["Missing()", "defaultdict(int)", "defaultdict(list)", "Counter()", "Own()", "OrderedDict()"])
def test_subclasses_of_dict(made):
    source = f"""
from collections import Counter, OrderedDict, defaultdict
class Missing(dict):
    def __missing__(self, key):
        return 100
class Own(dict):
    def __getitem__(self, key):
        return 7
    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value + 1)
    def __contains__(self, key):
        return False
def f(n):
    d = {made}
    found = []
    for i in range(n):
        k = (i % 3, i % 2)
        if k in d:
            found.append(k)
        try:
            d[k] = i
            d[i % 4] += 1
            found.append(d[k])
            found.append(d.get((i, 9), 3))
            found.append(d[(i, 8)])
        except (KeyError, TypeError) as error:
            found.append(str(error))
    return found, list(d.items()), type(d).__name__
"""
    check(source, 7)


def test_a_dict_that_is_a_namespace():
    """A text that is computed may be the name of a global, of an attribute, or of something that native code knows."""
    source = """
class Thing:
    pass
scale = 3
def f(keys, n):
    thing = Thing()
    thing.x = 1
    thing.y = 2
    spaces = [globals(), vars(thing), {'x': 5}]
    found = []
    for i in range(n):
        for space in spaces:
            for k in keys:
                space[k] = i * 10
                found.append((scale, thing.x, thing.y, space.get(k), k in space))
    thing.__dict__ = spaces[2]
    for k in keys:
        spaces[2][k] = 77
        found.append((thing.x, scale))
    globals().pop('x'), globals().pop('y')
    return found
"""
    check(source, ["x", "scale", "y"], 3)


def test_names_of_a_module_that_are_stored_later():
    source = """
space = globals()
keys = ['a', 'b', 'a']
a = b = 0
found = []
for i in range(5):
    for k in keys:
        a = i
        b = a + 1
        found.append(space[k])
        space[k] = 50
        found.append((a, b, k in space))
def f():
    return found, a, b
"""
    check(source)


def test_fields_and_a_dict_of_texts():
    source = """
class Counts:
    def __init__(self):
        self.counts = {}
        self.total = 0
    def add(self, words):
        for w in words:
            self.counts[w] = self.counts.get(w, 0) + 1
            self.total += len(w)
def f(words):
    c = Counts()
    d = Counts()
    d.__dict__ = d.counts
    d.counts, d.total = d.__dict__, 0
    c.add(words)
    d.add(words)
    return c.counts, c.total, sorted(map(str, d.__dict__.items()))[1:]
"""
    check(source, ["a", "b", "total", "a", "total", "x"])


DELETES = """
log = []
class Watched:
    def __init__(self, name):
        self.name = name
    def __del__(self):
        log.append(self.name)
"""


@pytest.mark.parametrize(
    "work",
    [
        "d[k] = 1", "del d[k]", "d.pop(k)", "d.pop(k, 0)", "d.setdefault(k, 3)", "q.popleft()", "q.pop()", "p.pop()", "p.pop(0)",
        "h.append(k); h.pop()",
        "m.append(k)", "m.appendleft(k)", "s.discard(k)", "s.remove(k)", "p.insert(0, k)", "p.extend([k])", "x = p.pop()",
        "x = q.popleft()", "p.remove(k)",
    ],
)  # fmt: skip
def test_what_is_let_go_of(work):
    """The end of an object runs code, at its place in the order of things."""
    source = f"""{DELETES}
from collections import deque
def f(n):
    log.clear()
    d = {{i: Watched(('d', i)) for i in range(n)}}
    q = deque(Watched(('q', i)) for i in range(n))
    p = [Watched(('p', i)) for i in range(n)]
    m = deque([Watched(('m', i)) for i in range(n)], maxlen=n)
    found = work(d, q, p, m, [], set(range(n)), n)
    return found, len(d), len(q), len(p), len(m)
def work(d, q, p, m, h, s, n):
    x = None
    for k in range(n):
        log.append(k)
        try:
            {work}
        except ValueError:
            log.append('error')
        log.append(len(d))
    log.append('end')
    return list(log)
"""
    check(source, 4)


KNOWN_CONTAINERS = ["{}", "{'a': 1}", "{'a': 1, 2: 3}", "[]", "[4, 5]", "set()", "{'a', 2}", "()", "(1, 2)", "'ab'", "b'ab'"]
USES = ["d[k]", "d.get(k, 3)", "k in d", "len(d)", "[x for x in d]", "d.setdefault(k, 4)", "d.pop(k)", "d.append(k)", "d.add(k)", "bool(d)", "{**d}"]


@pytest.mark.shared
@pytest.mark.parametrize("container", KNOWN_CONTAINERS)
def test_containers_that_are_known_as_they_are(container):
    """Attributes of NumPy's own classes, which capture takes for constants: their contents are none."""
    uses = "".join(
        f"""
    for k in ("a", "zz", 0):
        try:
            found.append({use.replace("k", key)})
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            found.append(str(error))
"""
        for use in USES
        for key in ("k", "'zz'", "'a'")
    )
    source = f"""
import collections

class Like:
    __module__ = "numpy.like"
    held = {container}

def f(n):
    found = []
    d = Like.held
{uses}
    if isinstance(d, dict):
        d["b"] = d.get("b", 0) + n
    return found, sorted(d, key=str)
"""
    check(source, 1)


@pytest.mark.parametrize("keys", [list(range(-3, 9)), [0.5, 2.0, -1.0, 7.25], [2**40, -(2**50), 300]])
@pytest.mark.parametrize(
    "what",
    ["n += d.get(k, 0)", "n += k in d", "d[k] = d.get(k, 0) + 1", "s.add(k)", "s.discard(k)", "n += k in s", "n += (k, n) in s", "d[k, k] = 1"],
)
def test_numbers_of_a_list_as_keys_stay_native(what, keys):
    """What is looked up says which object of the list it is, as it may be kept: that does not make it another key."""
    space = {}
    exec(f"def f(d, s, keys):\n    n = 0\n    for k in keys:\n        {what}\n    return n, d, s", space)
    some = keys[::2]
    check(space["f"], dict.fromkeys(some, 2), set(some), keys)
    f = pijit.jit(space["f"])
    for _ in range(3):
        f(dict.fromkeys(some, 2), set(some), keys)
    before = pijit.stats(f).exits
    f(dict.fromkeys(some, 2), set(some), keys)
    assert pijit.stats(f).exits == before


MADE = ["{1, 2, 3}", "{1.5, 'a', (1, 2)}", "{*xs}", "{*xs, n}", "{*xs, *'ab', 7}", "{n, *xs, 7}", "{*xs, *()}", "{*{1: 2}, *range(n)}"]


@pytest.mark.parametrize("made", MADE)
def test_displays_of_sets(made):
    source = f"""
def f(xs, n):
    found = []
    for i in range(n):
        held = {made}
        found.append((i in held, len(held), 1.5 in held))
        held.add(i + 50)
    return found, sorted(map(str, held))
"""
    check_calls(source, [([1, 2, 1], 4), ([1, 2, 1], 9), (["a", 2.5], 5), ([[1]], 3), ([], 4), ((1, 2), 4), ({3: 4}, 3)])


def test_items_of_lists_that_are_made_there():
    """At constant places, also where what is like the list is shorter."""

    def f(n):
        total = 0
        for i in range(n):
            counts, joined = [0] * 5, [1, 2] + [i]  # noqa: RUF005
            counts[i % 5] = i
            total += counts[3] + joined[2] + joined[-1] * counts[-2]
            if i == 7:
                total += (joined * 2)[5]
            counts[1] = 0.5
            total += counts[1] + counts[2]
        return total

    check(f, 12)
    check_calls("def f(n, k):\n    xs = [n] * k\n    return xs[2] + xs[-1]\n", [(2, 5), (3, 5), (2, 3), (2, 2), (0.5, 4), (2, 9), (2, 0)])


def test_pops_of_a_dict_that_is_made_there():
    def f(n):
        held = {i: i * 2 for i in range(n)}
        total = 0
        for i in range(n):
            total += held.pop(i) + held.pop(-i, 5)
        return total, held

    check(f, 30)
