"""How many versions of a loop a graph has: one where nothing differs between the ways to it, however its body branches."""

import numpy as np
import pytest
from harness import trace


def inputs_first_seen_inside(t, a, b, gap):
    for i in range(1, len(t)):
        for j in range(1, len(t)):
            score = 2 if a[i] == b[j] else -1
            best = score + t[j - 1]
            other = t[j] - gap
            if other > best:
                best = other
            t[j] = best if best > 0 else 0


def branches_before_an_input(x, y, k):
    n = 0
    for i in range(len(x)):
        if x[i] > 0.5:
            n += 1
        elif x[i] < 0.25:
            n -= 1
        y[i] = n * k
    return n


def conditional_input(x, k):
    s = x[0]
    for i in range(len(x)):
        if i % 3 == 0:
            s += k
        s += x[i]
    return s


def first_value_of_another_type(x):
    s = 0
    for i in range(len(x)):
        s += x[i]
    return s


ROWS = [
    (inputs_first_seen_inside, (np.zeros(5, np.int64), np.arange(5), np.arange(5), 1), 2),
    (branches_before_an_input, (np.linspace(0, 1, 9), np.zeros(9), 2.0), 1),
    (conditional_input, (np.linspace(0, 1, 9), 2.0), 1),
    (first_value_of_another_type, (np.linspace(0, 1, 9),), 2),
]


@pytest.mark.parametrize(("function", "args", "count"), ROWS)
def test_versions_of_loops(function, args, count):
    assert sum(block.is_header for block in trace(function, *args).graph.blocks) == count


def two_numbers(t, a, b):
    for i in range(1, len(t)):
        cost = 0 if a[i] == b[i] else 1
        t[i] = min(t[i - 1] + cost, a[i])


def numbers_that_choose_an_axis(x, y):
    for i in range(len(y)):
        axis = 0 if y[i] > 0 else 1
        y[i] = np.sum(x, axis=axis)[0]


def numbers_of_two_ways_out(x):
    for i in range(len(x)):
        step = 1 if x[i] > 0 else 2
        if x[i] == step:
            return step
    return 0


ENDS = [(two_numbers, (np.arange(5), np.arange(5), np.arange(5)), 1), (numbers_that_choose_an_axis, (np.ones((3, 3)), np.ones(3)), 1)]


@pytest.mark.parametrize(("function", "args", "count"), ENDS, ids=[row[0].__name__ for row in ENDS])
def test_numbers_that_differ_between_paths(function, args, count):
    assert sum(op.name == "store" for block in trace(function, *args).graph.blocks for op in block.ops) == count


def test_numbers_that_a_return_gives_stay_known():
    capture = trace(numbers_of_two_ways_out, np.ones(3))
    assert not capture.breaks
    assert capture.returns
