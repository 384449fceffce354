"""How many versions of a loop a graph has: one where nothing differs between the ways to it, however its body branches."""

import types

import numpy as np
import pytest
from harness import LIMITS, trace

from pijit.ground.records import replace
from pijit.trace.limits import Steps, TooLong


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


def branches_in_rounds(xs, ys, flags):
    s = 0.0
    for x, y, flag in zip(xs, ys, flags):  # noqa: B905 (as programs write it)
        if x[0] > y[0]:
            s += x[0]
        if flag is None:
            s -= y[0]
        if x[1] > s:
            s = s * 0.5
    return s


def counted_rounds(xs):
    s = 0.0
    for i, x in enumerate(xs):
        if x[0] > s:
            s += x[0]
        s += i
    return s


def nested_rounds(xs, ys):
    s = 0.0
    for x in xs:
        for y in ys:
            if x[0] > y[0]:
                s += x[0] - y[0]
    return s


def rounds(number):
    return [np.array([0.5 * k, k % 3]) for k in range(number)]


UNROLLED = [
    (branches_in_rounds, lambda n: (rounds(n), rounds(n)[::-1], [None, "a"] * (n // 2)), (10, 20, 40)),
    (counted_rounds, lambda n: (rounds(n),), (10, 20, 40)),
    (nested_rounds, lambda n: (rounds(n), rounds(4)), (4, 8, 16)),
]


@pytest.mark.parametrize(("function", "args", "sizes"), UNROLLED, ids=[row[0].__name__ for row in UNROLLED])
def test_a_graph_grows_with_the_rounds_of_an_unrolled_loop_and_no_faster(function, args, sizes):
    graphs = [trace(function, *args(size)).graph for size in sizes]
    for measure in (_operations, _parameters):
        small, middle, large = map(measure, graphs)
        assert large - middle <= 2 * (middle - small) + 8


def _operations(graph):
    return sum(len(block.ops) for block in graph.blocks)


def _parameters(graph):
    return sum(len(block.params) for block in graph.blocks)


def test_the_count_of_an_unrolled_enumerate_is_known_in_each_round():
    graph = trace(counted_rounds, rounds(6)).graph
    counts = [op for block in graph.blocks for op in block.ops if op.name == "raw_add"]
    assert not counts


def test_a_loop_whose_rounds_become_too_many_operations_stays_a_loop():
    def large(xs, ys):
        s = 0.0
        for x in xs:
            for y in ys:
                for k in (1, 2, 3):
                    s += x[0] * y[0] - x[1] * y[1] * k
        return s

    capture = trace(large, rounds(40), rounds(40))
    assert capture.loops
    assert _operations(capture.graph) < 400

def test_steps_of_captures_that_begin_again_count():
    def f(o, n):
        for i in range(n):
            if o.x > i:
                o.x = o.x - 1.0
        return o.x

    steps = Steps(10_000)
    trace(f, types.SimpleNamespace(x=5.0), 3, limits=replace(LIMITS, steps=steps))
    used = 10_000 - steps.left
    with pytest.raises(TooLong):
        trace(f, types.SimpleNamespace(x=5.0), 3, limits=replace(LIMITS, steps=Steps(used - 1)))


def test_what_is_large_is_not_inlined():
    """Its callers would be larger still, and it is worth a fragment of its own."""
    def step(x):
        return x * 0.5 + 1.0

    def f(x, n):
        for _ in range(n):
            x = step(x)
        return x

    assert not trace(f, 1.0, 10).breaks
    capture = trace(f, 1.0, 10, limits=replace(LIMITS, large=lambda code: code is step.__code__))
    assert {found.reason for found in capture.breaks} == {"inline_limit"}


def test_ways_by_type_are_versions():
    """A loop over items of two types has one header where nothing of them is left, and more where something is."""
    class Thing:
        def __init__(self, x):
            self.x = x

    class Other(Thing):
        pass

    def f(items):
        total = 0.0
        for item in items:
            total += item.x
        return total

    def last(items):
        found = None
        for item in items:
            if item.x > 0.5:
                found = item
        return found

    things = [Thing(0.5 * i) if i % 2 else Other(0.5 * i) for i in range(200)]
    for function, headers in ((f, 1), (last, 3)):
        capture = trace(function, things)
        assert not capture.breaks
        assert sum(block.is_header for block in capture.graph.blocks) == headers
        assert "is_of" in [op.name for block in capture.graph.blocks for op in block.ops]


def test_columns_that_are_unpacked_together_are_not_multiplied():
    """A few of them are told apart, else there is a way for each row of types."""
    def f(records):
        n = 0
        for a, b, c, d, e, g, h, i in records:
            n += (a or 0) + (b or 0) * (c or 1) - (d or 2) + (e or 0) * (g or 1) - (h or i or 1)
        return n

    records = [tuple(None if (7 * i + c) % 3 == 0 else i * c if (i + c) % 2 else 0.5 * i for c in range(8)) for i in range(60)]
    assert _operations(trace(f, records).graph) < 250
