"""Generator expressions over dicts, sets, tuples and texts, which have iterators in C: one that has moved cannot be moved back, so what an exit
does again has another one than native code."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native, function_of, settings

import pijit

pytestmark = pytest.mark.shared

WORDS = {f"w{i}": i for i in range(100)}
NUMBERS = {i: 0.5 * i for i in range(100)}
SETS = {i: {i, i + 1, i % 7} for i in range(30)}
MIXED = {i: i if i % 17 else 0.5 * i for i in range(100)}
LATE = {i: i if i < 90 else "text" for i in range(100)}

PROGRAMS = {
    "values": ("return sum(v * 2 for v in d.values())", WORDS),
    "keys": ("return [sum(k % 3 for k in d) for _ in range(3)]", NUMBERS),
    "items": ("return sum(k * v for k, v in d.items() if k % 2)", NUMBERS),
    "any and all": ("return any(v > 40 for v in d.values()), all(v < 40 for v in d.values()), any(v > 1e9 for v in d.values())", NUMBERS),
    "min and max": ("return min(v - 3 for v in d.values()), max((-v, k) for k, v in d.items())[1]", NUMBERS),
    "list and tuple": ("return list(v + 1 for v in d.values()), tuple(k for k in d if k != 5)", NUMBERS),
    "sorted": ("return sorted(-v for v in d.values())", NUMBERS),
    "sorted tuples": ("return sorted((v % 3, str(k)) for k, v in d.items()), [sorted((k[::-1], 1) for k in 'abc')]", NUMBERS),
    "sorted texts": ("return sorted(k[::-1] for k in d)", WORDS),
    "sorted, of two types": ("try:\n    return sorted(x for k in d for x in (k, 1))\nexcept TypeError as e:\n    return str(e)", WORDS),
    "sorted, of their own": (
        "class A:\n    def __init__(self, v):\n        self.v = v\n    def __lt__(self, o):\n        return self.v < o.v\n"
        "return [a.v for a in sorted(A(k[1:]) for k in d)]", WORDS),
    "sorted, of a class that could be asked": (
        "asked = []\nclass Meta(type):\n    __hash__ = type.__hash__\n    def __eq__(self, other):\n        asked.append(other)\n"
        "        return self is other\n"
        "class A(metaclass=Meta):\n    def __init__(self, v):\n        self.v = v\n    def __lt__(self, o):\n        return self.v < o.v\n"
        "found = [A(v) for v in d.values()]\nfor _ in range(9):\n    last = sorted(a for a in found)[-1].v\nreturn last, asked", NUMBERS),
    "join": ("return ','.join(k + 'x' for k in d)", WORDS),
    "nested": ("return sum(x * k for k, s in d.items() for x in s)", SETS),
    "in turn": ("return sum(sum(x for x in s) for s in d.values())", SETS),
    "of a set": ("s = set(d)\nreturn sum(x * x for x in s)", NUMBERS),
    "of a tuple": ("s = tuple(d)\nreturn sum(x * x for x in s)", NUMBERS),
    "a dict and a set": ("return {k: v + 1 for k, v in d.items()}, {v % 5 for v in d.values()}", NUMBERS),
    "another type": ("return sum(v for v in d.values())", MIXED),
    "another type, with work": ("return sum(v * 2 + k for k, v in d.items())", MIXED),
    "raises": ("n = 0\ntry:\n    n = sum(v + 1 for v in d.values())\nexcept TypeError as e:\n    return str(e)\nreturn n", LATE),
    "raises to the caller": ("return sum(v + 1 for v in d.values())", LATE),
    "in a loop": ("n = 0.0\nfor i in range(20):\n    n += sum(v / (i + 1) for v in d.values())\nreturn n", NUMBERS),
    "in a loop that goes on": ("n = []\nfor k, v in d.items():\n    n.append(sum(1 for w in d.values() if w > v))\nreturn n", NUMBERS),
    "for": ("n = 0\nfor x in (v * 2 for v in d.values()):\n    n += x\nreturn n", NUMBERS),
    "for, nested": ("n = 0\nfor x in (v * y for v in d.values() for y in d):\n    n += x\nreturn n", {1: 2, 3: 4, 5: 6}),
    "for, in turn": ("n = 0\nfor x in (sum(y for y in s) for s in d.values()):\n    n += x\nreturn n", SETS),
    "a function": (
        "def g(m):\n    for v in m.values():\n        if v > 3:\n            yield v\nreturn sum(g(d)), max(g(d))", NUMBERS),
    "kept and changed": (
        "g = (v for v in d.values())\nd = dict(d)\nh = (v for v in d.values())\nd[-1] = 2.0\nfound = sum(g)\n"
        "try:\n    sum(h)\nexcept RuntimeError as e:\n    return found, str(e)", NUMBERS),
    "changed meanwhile": (
        "d = dict(d)\ntry:\n    return sum((v for v in d.values()), d.pop(3))\nexcept RuntimeError as e:\n    return str(e)", NUMBERS),
    "changed by itself": (
        "d = dict(d)\ntry:\n    return sum(d.pop(k) for k in d)\nexcept RuntimeError as e:\n    return str(e), len(d)", NUMBERS),
    "consumed in part": ("g = (v for v in d.values())\nreturn any(v > 3 for v in g), list(g)[:3], list(g)", NUMBERS),
    "held and gone on": ("g = (v for v in d.values())\na = next(g)\nb = sum(g)\nreturn a, b, list(g)", NUMBERS),
    "iterators out of it": ("return [next(i) for i in [iter(s) for s in d.values()]], [list(i) for i in (iter(s) for s in d.values())]", SETS),
    "strange keys": ("return sum(v for k, v in d.items() if k == 3)", {(1, 2): 3, "a": 4, 3: 5, 4.5: 6, None: 7}),
    "none": ("return sum(v for v in d.values()), list(k for k in d)", {}),
}  # fmt: skip


@pytest.mark.parametrize("what", PROGRAMS)
def test_same_as_plain(what):
    body, container = PROGRAMS[what]
    check(function_of("d", body), container)


@pytest.mark.parametrize("what", ["values", "keys", "items", "any and all", "sorted texts", "nested", "in turn", "of a set", "in a loop"])
def test_stays_native(what):
    body, container = PROGRAMS[what]
    check_stays_native(function_of("d", body), container)


COUNTS = [{"a": 1, "b": 2, "c": 3}, {"a": 4, "b": 5}, {"b": 1, "a": 7}, {}, {"x": 9}] * 40
VARIED = {
    "values": "return [sum((v / 3) ** 2 for v in d.values()) for d in ds]",
    "items": "n = 0\nfor d in ds:\n    for k, v in d.items():\n        n += v * len(k)\nreturn n",
    "keys": "n = ''\nfor d in ds:\n    for k in d:\n        n += k\nreturn n",
    "in a callee": "def g(d):\n    return max((v for v in d.values()), default=0)\nreturn [g(d) for d in ds]",
}


@pytest.mark.parametrize("what", VARIED)
def test_dicts_with_other_keys(what):
    text = function_of("ds", VARIED[what])
    check_calls(text, [(COUNTS[:1] * 9,), (COUNTS,), (COUNTS[1:],), (COUNTS,)], entry="f")


def test_other_keys_are_learned():
    """Native code that takes the keys of a dict for constants is made anew when they are others again and again."""
    space = {}
    exec(function_of("ds", VARIED["values"]), space)
    with settings(compile_all=True):
        f = pijit.jit(space["f"])
        for dicts in (COUNTS[:1] * 9, COUNTS, COUNTS, COUNTS):
            assert f(dicts) == space["f"](dicts)
        before = pijit.stats(f).exits
        f(COUNTS)
        assert pijit.stats(f).exits - before < 2
