"""`match` of sequences."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check

SUBJECTS = {
    "a pair": "(i, n)", "three": "(1, i, n)", "nested": "((i, 2), [n, 3])", "a list": "[i, n]", "a real list": "pairs[i % 3]", "nothing": "()",
    "a text": "'ab'", "a number": "i", "an array": "a", "a range": "range(i)", "a dict": "{'k': i}", "None": "None", "a real tuple": "given",
    "an instance": "thing", "a record": "Point(i, n)",
}  # fmt: skip

SOURCE = """
import collections
import numpy as np
class Thing:
    pass
Point = collections.namedtuple('Point', 'x y')
thing, given, pairs = Thing(), (4, 5.5), [[0, 1], [2, 3, 4], [5]]
def f(n, a):
    r = 0
    for i in range(n):
        match SUBJECT:
            case []:
                r += 1
            case [0, x]:
                r += x * 2
            case (x, y) if x > 1000:
                r += 7
            case [(x, 2), [y, z]]:
                r += x * y - z
            case [2, x, *_]:
                r += 100
            case [x, y]:
                r += y * 3
            case [x, *rest]:
                r += len(rest) * 11
            case str() | None:
                r += 13
            case _:
                r += 17
    return r
"""


@pytest.mark.parametrize("name", SUBJECTS)
def test_match(name):
    check(SOURCE.replace("SUBJECT", SUBJECTS[name]), 4, np.arange(3))


def test_pairs_run_natively():
    source = """
def f(n):
    r = 0
    for i in range(n):
        match (i % 2, i):
            case (0, x):
                r += x
            case (1, x) if x > 5:
                r -= x
            case (a, b):
                r += a
    return r
"""
    assert not check(source, 9).breaks
