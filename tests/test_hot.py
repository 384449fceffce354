"""Exits that are taken again and again get an entry where the interpreter goes on."""

from __future__ import annotations

import types

import numpy as np
import pytest
from differential import check, settings

import pijit
from pijit import _native
from pijit.runtime import closing
from pijit.runtime import hot as hot_exits

OFTEN = 2 * pijit.config.exit_threshold + 2  # the calls after which what follows the exit runs natively

ENDS = np.array([0.0, 3.0, 0.0, 0.0])  # one that is not zero: at capture it was thought to be several

# A call whose result is of a type that capture does not expect, at the end of an instruction, within one, in an inlined function.
PROGRAMS = {
    "a result": """
        def f(x):
            i = np.extract(x, np.arange(len(x)))
            return (x[i] + 1.0) * 2.0 - x[i]
        """,
    "a result that is not kept": """
        def f(x):
            np.extract(x, np.arange(len(x)))
            return (x + 1.0) * 2.0 - x
        """,
    "a result with others on the stack": """
        def f(x):
            return [x + 1.0, np.extract(x, np.arange(len(x))), x * 2.0 + x]
        """,
    "in a loop": """
        def f(x):
            total = np.zeros(1)
            for _ in range(3):
                total = total + x[np.extract(x, np.arange(len(x)))] * 2.0
            return total
        """,
    "in an inlined function": """
        def g(x):
            return np.extract(x, np.arange(len(x)))

        def f(x):
            i = g(x)
            return (x[i] + 1.0) * 2.0 - x[i]
        """,
    "a floating-point flag": """
        def f(x):
            y = x / x
            return (y + 1.0) * 2.0 - x
        """,
}


def source(name):
    lines = PROGRAMS[name].splitlines()[1:]
    return "\n".join(line[8:] for line in lines)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_follows_is_compiled(name):
    space = {"np": np}
    exec(source(name), space)
    fast = pijit.jit(space["f"])
    for _ in range(OFTEN):
        fast(ENDS)
    found = pijit.stats(fast)
    assert "after" in {fragment.kind for fragment in found.fragments}
    assert found.fragments[-1].hits


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_stays(name):
    check(source(name), ENDS, calls=OFTEN, entry="f", configurations=["jit", "O0", "numpy", "enabled"])


def checksum(data, table):
    crc = 0xFFFFFFFF
    for i in range(len(data)):
        crc = (crc >> 8) ^ int(table[(crc ^ int(data[i])) & 0xFF])
    return crc


def weighted(x, n):
    total = 0.0
    for i in range(n):
        for j in range(2):
            total += x[i] * j
    return total


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(checksum, lambda n: (np.arange(n, dtype=np.uint8), np.arange(256))), (weighted, lambda n: (np.ones(64), n))],
    ids=["checksum", "weighted"],
)
@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_loop_that_was_short_at_first_is_native_when_it_is_long(function, arguments, first):
    """However often: with one or no iteration it is not slower, and many make up for everything."""
    fast = pijit.jit(function)
    for _ in range(2000):
        fast(*arguments(first))
    before = pijit.stats(fast)
    assert all(not fragment.retired for fragment in before.fragments)
    assert fast(*arguments(64)) == function(*arguments(64))
    assert pijit.stats(fast).hits > before.hits


def with_item(items, k):
    return items[k] * 2.0 + items[k] / 3.0 - k * items[k] + np.float64(k) * 2.0


def test_where_most_runs_leave_early_the_clock_tells():
    """What was captured is not what the program does now: an item of another type, say."""
    fast = pijit.jit(types.FunctionType(with_item.__code__.replace(), globals()))
    items = [np.float64(1.5), 2]
    for k in (0, *[1] * 10):
        assert fast(items, k) == with_item(items, k)
    state = _native.state_of(fast.__code__)
    record, tried = state.data, []
    fragment = record.fragments[0]
    assert not fragment.doubtful
    early = next(index for index, count in enumerate(fragment.native.exits) if count == 10)
    watched = types.SimpleNamespace(try_calls=lambda: tried.append(True), set_entries=state.set_entries)
    with settings(compile_all=False):
        hot_exits.exit_is_hot(watched, record, fragment.native, early, hot_exits._TRIAL)
    assert tried or fragment.retired


def box_sums(a):
    """A loop over short tuples, which is unrolled, in one over rows and columns: found hot from the inside."""
    h, w = a.shape
    out = np.zeros_like(a)
    for i in range(h):
        for j in range(w):
            total = 0.0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if 0 <= i + di < h and 0 <= j + dj < w:
                        total += a[i + di, j + dj]
            out[i, j] = total
    return out


def normalised(x, weights):
    """What is 0.0 at first and a number of NumPy's then, in a loop that is found hot in the middle of a round of those around it."""
    out = np.zeros((len(x), len(weights)))
    for t in range(len(x)):
        for j in range(len(weights)):
            acc = 0.0
            for i in range(len(weights)):
                acc += weights[i] * x[t]
            out[t, j] = acc
        out[t] /= 2.0
    return out


def hot(function, *arguments):
    """What it is once enabled and called, and what is known of it then."""
    fast = types.FunctionType(function.__code__.replace(), globals())
    with settings(compile_all=False, patience_ms=0), pijit.enabled(__name__):
        got = fast(*arguments)
    return got, pijit.stats(fast)


def test_loops_over_short_tuples_are_native_with_those_around_them():
    a = np.arange(6400.0).reshape(80, 80)
    got, stats = hot(box_sums, a)
    assert got.tobytes() == box_sums(a).tobytes()
    assert {fragment.line - box_sums.__code__.co_firstlineno for fragment in stats.fragments} == {5}, stats
    assert stats.hits == 1
    assert not stats.exits


def test_rounds_of_a_loop_that_was_found_hot_in_the_middle_fit_what_was_captured():
    x, weights = np.arange(500.0), np.ones(3)
    got, stats = hot(normalised, x, weights)
    assert got.tobytes() == normalised(x, weights).tobytes()
    assert stats.fragments
    assert not stats.exits, stats


def with_a_loop_within(x, n):
    total = 0.0
    for k in range(n):
        for i in range(len(x)):
            total += x[i] * k
    return total


def test_what_does_not_pay_in_a_loop_leaves_the_one_around_it_alone():
    """That one is another entry, of which nothing is known yet."""
    fast = types.FunctionType(with_a_loop_within.__code__.replace(), globals())
    x = np.ones(200)
    with settings(compile_all=False, patience_ms=0), pijit.enabled(__name__):
        fast(x, 2)
        state = _native.state_of(fast.__code__)
        (fragment,) = state.data.fragments
        closing.retire(state, state.data, fragment.native, "not_worth_it")
        assert fast(x, 200) == with_a_loop_within(x, 200)
    inner, *others = pijit.stats(fast).fragments
    assert inner.retired == "PJ404"
    assert others
    assert not others[0].retired


class Bits:
    """Read bit by bit."""

    def __init__(self, data):
        self.data, self.pos = data, 0

    def next(self):
        if self.pos >= 8 * len(self.data):
            raise EOFError(f"bit {self.pos}")
        bit = self.data[self.pos >> 3] >> (self.pos & 7) & 1
        self.pos += 1
        return bit


def read(bits, n):
    for _ in range(n):
        bits.next()


def read_while(bits, n):
    while bits.pos < n:
        bits.next()


@pytest.mark.parametrize("function", [read, read_while])
def test_a_loop_that_ends_with_what_breaks_is_entered_at_each_call(function):
    """After the break the frame goes on at the jump that closes the loop: that is the header's, whatever is found there."""
    fast = types.FunctionType(function.__code__.replace(), globals())
    bits = Bits(bytes(1000))
    with settings(compile_all=False, patience_ms=0), pijit.enabled(__name__):
        for _ in range(4):
            bits.pos, before = 0, pijit.stats(fast)
            fast(bits, 800)
            assert bits.pos == 800
        assert before.breaks
        assert pijit.stats(fast).hits > before.hits
    plan = _native.state_of(fast.__code__).data.plan
    places = [row[0] for entry in plan.entries.values() for row in entry.rows]
    assert len(places) == len(set(places))
