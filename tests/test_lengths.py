"""Lengths and truth of built-in containers are looked at where the objects hold them, each time."""

from __future__ import annotations

import pytest
from differential import check, check_calls

pytestmark = pytest.mark.shared

EMPTY_AND_MADE = {
    "list": "[1, 'a'][:n]", "tuple": "tuple([1, 'a'][:n])", "dict": "dict.fromkeys(range(n))", "set": "set(range(n))",
    "frozenset": "frozenset(range(n))", "str": "'ab'[:n]", "bytes": "b'ab'[:n]", "bytearray": "bytearray(n)", "deque": "deque(range(n))",
    "defaultdict": "defaultdict(int, dict.fromkeys(range(n)))",
}  # fmt: skip
ASKED = """
    r = []
    for i in range(3):
        r.append((len(x), bool(x), not x, 1 if x else 2, 3 if not x else 4))
    return r
"""


@pytest.mark.parametrize("made", EMPTY_AND_MADE.values(), ids=EMPTY_AND_MADE)
def test_length_and_truth(made):
    source = f"from collections import defaultdict, deque\nmade = [{made} for n in range(3)]\ndef f(x):" + ASKED
    namespace: dict = {}
    exec(source, namespace)
    assert not check_calls(source, [(x,) for x in namespace["made"]]).breaks
    check_calls("def f(x):\n    return x and 5, x or 7", [(x,) for x in namespace["made"]])


@pytest.mark.parametrize("made", EMPTY_AND_MADE.values(), ids=EMPTY_AND_MADE)
def test_subclasses_have_their_own(made):
    cls = made.partition("(")[0] if made[0].isalpha() and "(" in made and not made.startswith(("dict.", "b'")) else None
    if cls is None:
        cls = {"[": "list", "d": "dict", "'": "str", "b": "bytes"}[made[0]]
    check(f"""
from collections import defaultdict, deque
class Own({cls}):
    def __len__(self):
        log.append('len')
        return 3
class Plain({cls}): pass
log, own, plain = [], Own(), Plain()
def f():
    return [(1 if x else 2, len(x)) for x in (own, plain) for i in range(3)], log
""")


def test_what_changes_meanwhile():
    """In the loop itself, in a function that it calls, and by a method."""
    ways = (("append(i)", "[]"), ("add(i)", "set()"), ("update({i: i})", "{}"), ("appendleft(i)", "deque()"), ("extend(b'x')", "bytearray()"))
    for grow, container in ways:
        check(f"""
from collections import deque
x = {container}
def other(i):
    x.{grow}
def f(n):
    r = []
    for i in range(n):
        r.append((len(x), not x))
        x.{grow}
        if i > 2:
            x.clear()
            other(i)
        r.append((len(x), bool(x)))
    while x:
        x.pop{'item' if container == '{}' else ''}()
        r.append(len(x))
    return r
""", 6)
