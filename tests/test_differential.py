"""The helper itself: what it copies, and that it notices each kind of difference."""

from __future__ import annotations

import math
import random
import sys
import warnings

import differential
import numpy as np
import pytest
from differential import array_bits, check, check_calls, clone, compare, describe, observe, sharing


def test_clone_keeps_overlap_strides_and_flags():
    base = np.arange(24.0).reshape(4, 6)
    views = [base, base[::-1, ::2], base[1:3].T, np.asfortranarray(base)]
    views[1].flags.writeable = False
    copies = clone(views)
    assert [describe(v)[1:5] for v in copies] == [describe(v)[1:5] for v in views]
    assert sharing(copies) == sharing(views) == [(0, 1, False), (0, 2, False), (1, 2, False)]
    assert not np.shares_memory(copies[0], base)


def test_clone_reaches_into_objects():
    class Box:
        pass

    box = Box()
    box.a = np.arange(3)
    copy, same = clone((box, box.a))
    assert copy.a is same
    assert same is not box.a


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, True),
        (1, 1.0),
        (1.0, np.float64(1.0)),
        (np.float64(1.0), np.float32(1.0)),
        (0.0, -0.0),
        (np.zeros(3), -np.zeros(3)),
        (np.zeros((2, 3)), np.zeros((2, 3), order="F")),
        (np.zeros(3), np.zeros(6)[::2]),
        (np.zeros(1), np.zeros(())),
        ((1, 2), [1, 2]),
        (np.array([1, None]), np.array([1, 0], dtype=object)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (iter(range(3)), iter(range(2))),
    ],
)
def test_descriptions_differ(a, b):
    assert describe(a) == describe(a)
    assert describe(a) != describe(b)


def test_every_nan_is_the_same():
    other = np.array([np.nan]).view(np.uint64) ^ np.uint64(1 << 63)
    assert describe(math.nan) == describe(float(other.view(np.float64)[0]))
    assert array_bits(np.array([np.nan])) == array_bits(other.view(np.float64))
    assert describe(complex(math.nan, 1)) != describe(complex(1, math.nan))


def effects():
    return {
        "result": (lambda a: 1, lambda a: 1.0),
        "exception": (lambda a: 1 // 0, lambda a: 1 % 0),
        "arguments": (lambda a: a.fill(1), lambda a: a.fill(2)),
        "sharing": (lambda a: a[:], lambda a: np.ndarray(a.shape, a.dtype, np.zeros(6)[:3])),
        "warnings": (lambda a: warnings.warn("x", stacklevel=1), lambda a: warnings.warn("y", stacklevel=1)),
        "stdout": (lambda a: print(1), lambda a: None),
        "numpy_random": (lambda a: np.random.rand(1) * 0, lambda a: np.zeros(1)),
        "python_random": (lambda a: random.random() * 0, lambda a: 0.0),
    }


@pytest.mark.parametrize("what", effects())
def test_each_effect_is_noticed(what):
    outcomes = [observe(f, clone((np.zeros(3),)), {}, None) for f in effects()[what]]
    with pytest.raises(AssertionError, match=f"call 1: {what} differs"):
        compare("x", outcomes[:1], outcomes[1:])


def test_traceback_lines_are_noticed():
    def first(x):
        if x:
            raise ValueError("no")

    def second(x):
        if x:
            pass
        raise ValueError("no")

    outcomes = [observe(f, (1,), {}, None) for f in (first, second)]
    outcomes[1].exception = (*outcomes[1].exception[:2], [("first", 1)], *outcomes[1].exception[3:])
    with pytest.raises(AssertionError, match="exception differs"):
        compare("x", outcomes[:1], outcomes[1:])


def test_globals_of_source_are_fresh():
    check("count = 0\n\ndef f(n):\n    global count\n    count += n\n    return count\n", 3)


def test_closure_cells_are_fresh():
    total = 0

    def add(n):
        nonlocal total
        total += n
        return total

    check(add, 3)
    assert total == 0


def test_a_wrong_compiler_is_caught(monkeypatch):
    def wrong(function, **options):
        return lambda *args: function(*args) + 1

    monkeypatch.setattr(differential.pijit, "jit", wrong)
    with pytest.raises(AssertionError, match="result differs"):
        check(lambda x: x, 1, configurations=["jit"])


def test_calls_with_keywords():
    stats = check_calls(lambda x, y=1: x + y, [(1,), ((1,), {"y": 2}), (1, 2.0)])
    assert stats.compile_seconds >= 0


def test_plain_exceptions_have_no_frames_of_the_helper():
    outcome = observe(lambda: [][0], (), {}, None)
    kind, text, frames, *_ = outcome.exception
    assert (kind, text) == (IndexError, "list index out of range")
    assert frames == [("<lambda>", sys._getframe().f_lineno - 3)]


def test_identity_of_other_objects_is_noticed():
    outcomes = [observe(f, ([1],), {}, None) for f in (lambda a: a, lambda a: [1])]
    with pytest.raises(AssertionError, match="identity differs"):
        compare("x", outcomes[:1], outcomes[1:])


def test_an_exit_of_one_side_is_forced_where_that_side_runs():
    """Short branches become straight code: both sides are computed, and the exit of one counts for that one only."""
    check_calls("""
def f(c, d):
    t = 0
    for i in range(3):
        if c > 0:
            t += 1
        if not c > 0:
            t += 10
        if d:
            if c > 1:
                t -= 5
    return t
""", [(3, True), (0, False), (0, True), (1, True)])  # fmt: skip
