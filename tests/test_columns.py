"""Records in lists, as rows of a table are: an item at one place in them is of one type here and of another one there."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native, function_of

pytestmark = pytest.mark.shared

TUPLES = [(i, None if i % 3 else 2 * i, 0.5 * i if i % 2 else i, f"n{i}") for i in range(40)]
LISTS = [list(record) for record in TUPLES]
DICTS = [{"id": i, "name": f"n{i}", "score": None if i % 5 == 0 else 0.5 * i, "tags": ["a", "b"][: i % 3]} for i in range(40)]
STEPS = [("push", i) if i % 3 else ("pop",) for i in range(40)]

PROGRAMS = {
    "unpacked tuples": (
        "n = 0\nfor a, b, c, d in records:\n    if b is not None:\n        n += b\n    n += a * c + len(d)\nreturn n", TUPLES),
    "tuples by index": (
        "n = 0\nfor r in records:\n    n += r[0] + r[2]\n    if r[1] is not None and r[3] != 'n3':\n        n += r[1]\nreturn n", TUPLES),
    "lists by index": (
        "n = 0\nfor r in records:\n    n += r[2] * 2\n    if r[1] is None:\n        r[1] = 1\n    n += r[1]\nreturn n, records", LISTS),
    "unpacked lists": ("n = 0.0\nfor a, b, c, d in records:\n    n += (b or 1) + (c or 2)\nreturn n", LISTS),
    "dicts": (
        "n, seen = 0.0, 0\nfor r in records:\n    if r['score'] is not None and r['name'] != 'n7':\n        n += r['score']\n"
        "    seen += len(r['tags'])\nreturn n, seen", DICTS),
    "dict.get": ("n = 0.0\nfor r in records:\n    n += r.get('score') or 1.5\n    n += r.get('none', 2)\nreturn n", DICTS),
    "records of two lengths": (
        "n, kept = 0, []\nfor r in records:\n    if r[0] == 'push':\n        kept.append(r[1])\n    elif kept:\n"
        "        n += kept.pop()\nreturn n", STEPS),
    "lists of two lengths": (
        "n, kept = 0, []\nfor r in records:\n    if r[0] == 'push':\n        kept.append(r[1])\n    elif kept:\n"
        "        n += kept.pop()\nreturn n", [list(step) for step in STEPS]),
    "lists of two lengths and types": (
        "n = 0\nfor r in records:\n    if len(r) > 1:\n        n += r[1] or 2\nreturn n", [[1], [1, None], [1, 2], [1, 0.5], [1], [2, 3]] * 9),
    "the name of a step": (
        "n = 0\nfor name, *rest in records:\n    if name == 'push':\n        n += rest[0]\n    elif name == 'pop':\n        n -= 1\nreturn n", STEPS),
    "grouped": (
        "d = {}\nfor r in records:\n    d.setdefault(r['name'][:2], []).append(r['score'] or 0.0)\n"
        "return {k: sum(v) for k, v in d.items()}", DICTS),
    "kept": ("found = []\nfor a, b, c, d in records:\n    found.append((d, b))\nreturn found", TUPLES),
    "enumerated and zipped": (
        "n = 0\nfor i, (r, q) in enumerate(zip(records, records[1:])):\n    n += i * (r[2] + q[2])\n"
        "    n += (r[1] or 0) - (q[1] or 1)\nreturn n", TUPLES),
}  # fmt: skip


@pytest.mark.parametrize("what", PROGRAMS)
def test_records(what):
    body, records = PROGRAMS[what]
    check(function_of("records", body), records)


@pytest.mark.parametrize("what", ["unpacked tuples", "tuples by index", "unpacked lists", "dicts", "dict.get", "records of two lengths", "kept"])
def test_every_type_has_a_way(what):
    body, records = PROGRAMS[what]
    check_stays_native(function_of("records", body), records)


def test_a_type_that_comes_later():
    body, _ = PROGRAMS["unpacked tuples"]
    more = [(1, 2, 3, "x")] * 80 + [(1, 2.5, 3 + 2j, "y"), (2, True, False, ""), (3, None, 2**80, "z")] * 3
    check_calls(function_of("records", body), [(TUPLES,), (more,), (TUPLES,), (more,)])


def test_items_that_are_not_there():
    texts = {
        "n = 0\nfor r in records:\n    n += r[1]\nreturn n": [(1, 2), (3, 4), (5,), (6, 7)],
        "n = 0\nfor r in records:\n    a, b = r\n    n += a * b\nreturn n": [(1, 2), (3, 4.5), (5, 6, 7)],
        "n = 0\nfor r in records:\n    n += r['b']\nreturn n": [{"a": 1, "b": 2}, {"b": 2.5}, {"a": 3}],
        "n = 0\nfor r in records:\n    n += r.get('b', -1)\nreturn n": [{"a": 1}, {"a": 1, "b": 2}, {"b": 2.5}, {"b": None}],
    }
    for body, records in texts.items():
        check_calls(function_of("records", body), [(records[:2] * 20,), (records * 9,), (records[::-1],)])


def test_keys_that_have_an_eq_of_their_own():
    """They are asked by the program, and by nobody else."""
    text = """
asked = []

class Key(str):
    def __hash__(self):
        return hash("b")
    def __eq__(self, other):
        asked.append(other)
        return str.__eq__(self, other)

class Number(int):
    def __index__(self):
        asked.append("index")
        return 1

def f(n):
    del asked[:]
    records = [{"a": 1, "b": i} for i in range(n)] + [{Key("b"): 0.5, "a": 2}, {"b": None, "a": 3}]
    total = 0
    for r in records:
        total += r["b"] or 0
        total += (5, 7)[Number(1)]
    return total, asked
"""
    check(text, 20)


def test_texts_are_others_each_time():
    """What the first record holds is no constant: native code does not leave for each of the others."""
    text = "def f(records):\n    n = 0\n    for r in records:\n        n += len(r[0]) if r[1] == 'x' else 1\n    return n\n"
    stats = check(text, [(f"name {i}", "xyz"[i % 3]) for i in range(50)], configurations=("jit",))
    assert not stats.exits
    text = "def f(records):\n    n = 0\n    for r in records:\n        n += len(r['name']) if r['kind'] == b'x' else 1\n    return n\n"
    stats = check(text, [{"name": f"name {i}", "kind": b"xyz"[i % 3 : i % 3 + 1]} for i in range(50)], configurations=("jit",))
    assert not stats.exits
