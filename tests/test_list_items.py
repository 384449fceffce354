"""Items of lists: where any integer leads to, and lists that are repeated."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

INDICES = {
    "int64": np.arange(6) % 3, "uint8": np.array([0, 2, 1, 1], np.uint8), "negative": np.array([-1, -3, 0], np.int16), "outside": np.array([0, 1, 3]),
    "far": np.array([1, 2**64 - 1], np.uint64), "bools": np.array([True, False]), "floats": np.array([1.0, 0.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", INDICES)
def test_a_number_of_numpy_leads_to_an_item(name):
    """Where it is no integer, or leads to none, it is Python's error."""

    def f(places, items):
        s = 0.0
        for place in places:
            items[place] += 1.5
            s += items[place] * 2.0
        return s, items

    check(f, INDICES[name], [1.0, 2.0, 3.0])


def test_no_break_is_left_where_numpy_counts_in_a_list():
    def f(places, k):
        counts = [0] * k
        for place in places:
            counts[place] += 1
        return counts

    fast = pijit.jit(f)
    assert fast(np.arange(90) % 3, 3) == f(np.arange(90) % 3, 3)
    assert not pijit.stats(fast).breaks


REPEATED = (
    "[0] * n", "n * [0.5]", "[x, 1] * n", "[True] * n", "items * n", "[x] * True", "[None] * n", "[[0] * n for _ in range(3)]", "[items] * n",
    "[[x]] * n", "[np.float64(x)] * n", "[x] * 2.0", "[0] * 4",
)  # fmt: skip


@pytest.mark.parametrize("form", REPEATED)
def test_lists_that_are_repeated(form):
    source = f"""
import numpy as np

def f(x, n, items):
    made = {form}
    for i in range(len(made)):
        made[i] = made[i]
    made2 = made
    return made, len(made), made is items, made2 is made, len(made) > 1 and made[0] is made[1]
"""
    check_calls(source, [(1.5, n, [2.0, 3.0]) for n in (3, 4, 1, 0, -2)], entry="f")


def test_what_a_repeated_list_takes_changes():
    def f(n):
        best = [[0] * (n + 1) for _ in range(n)]
        for i in range(1, n):
            for j in range(n + 1):
                best[i][j] = best[i - 1][j] + i * j
        row = best[-1] * 2
        row[0] = -1
        return best, row

    check(f, 9)
