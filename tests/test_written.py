"""np.array of numbers, of arrays and of an array: dtypes as NumPy finds them, shapes, and what is left to NumPy."""

from __future__ import annotations

import numpy as np
from differential import check, check_calls

import pijit

ARGUMENTS = (3, 2.5, np.float32(1.1), np.int8(-3), True, np.arange(4.0), np.arange(6).reshape(2, 3))
FORMS = """
    np.array([np.int16(1), np.uint16(2), y]) | np.array([[k, np.uint8(1)], [y, k]]) |
    np.array([1.0, 2.0, 3.0]) | np.array([i, x, 0]) | np.array((i, i)) | np.array([y, x]) | np.array([y, y]) | np.array([i, t]) |
    np.array([t, t]) | np.array([[i, x], [x, i]]) | np.array([[[i]]]) | np.array(((x, i, 1), [2, 3, 4])) | np.array([k, k]) |
    np.array([k, t]) | np.array([k, i]) | np.array([k, y]) | np.array([y, i]) | np.array([np.uint64(3), i]) | np.array([np.uint64(3), k]) |
    np.array([v[0], v[1] * x]) | np.array([x, i], dtype=np.float32) | np.array([x, i], float) | np.array([i, t], dtype=int) |
    np.array([t], dtype='f4') | np.array([v, v * 2]) | np.array([v, v.astype('f4')]) | np.array((m, m)) | np.array(v) | np.array(v[::-1]) |
    np.array(m.T) | np.array(m, dtype=np.int64) | np.array([-0.0, x - x]) | np.array([x / 3, float('inf')])
"""
NUMPYS = """
    np.array([]) | np.array(3.0) | np.array([2**70]) | np.array([2**63]) | np.array([2**63, i]) | np.array([[1, 2], [3]]) |
    np.array([v, 1.0]) | np.array([v, v.tolist()]) | np.array([v, v[1:]]) | np.array([x, None]) | np.array('abc') | np.array(['a', 'b']) |
    np.array([x + i * 1j]) | np.array([1, 2], dtype=complex) | np.array([x, 1], dtype=int) | np.array([300], dtype=np.int8) |
    np.array([x], dtype=np.float16) | np.array(v, copy=False) | np.array(v, ndmin=2) | np.array([x], order='F') | np.array(v, 'f4') |
    np.array([v], dtype='f4') | np.array([x], dtype='nothing') | np.array() | np.array([m, v]) | np.array(range(3)) | np.array({1: 2}) |
    np.array([[], []]) | np.array([(), ()]) | np.array([v[:0], v[:0]]) | np.array(object=[i, x]) | np.array([[i, x], v[:2]]) |
    np.array([np.float64(2), '3']) | np.array(list(range(100)))
"""


def sources(forms):
    return [f"def f(i, x, y, k, t, v, m):\n    return {form.strip()}\n" for form in forms.split("|")]


def test_as_numpy_makes_them():
    for source in sources(FORMS):
        stats = check(source, *ARGUMENTS, configurations=("jit", "numpy"))
        assert not stats.breaks
        assert not stats.exits
        fast = pijit.jit(eval("lambda i, x, y, k, t, v, m:" + source.partition("return")[2]))
        fast(*ARGUMENTS)
        assert "= call" not in str(pijit.explain(fast)), source
    check(sources(FORMS)[7], *ARGUMENTS, configurations=("forced",))


def test_what_is_left_to_numpy():
    for source in sources(NUMPYS):
        check(source, *ARGUMENTS, configurations=("jit",))


def test_numbers_of_another_kind():
    """The same line with ints that fit nowhere, and with what is no number."""
    source = "def f(a, b):\n    return np.array([a, b]), np.array([[a], [b]], dtype=float)\n"
    calls = [(1, 2.0), (2**62, 1), (2**64, 1), (1.5, True), (np.float32(1), 1.0), (1, 2.0), ([1], [2]), (np.ones(2), np.zeros(2)), ("1", "2")]
    check_calls(source, calls, configurations=("jit", "numpy"))


def test_in_a_loop():
    source = """
def f(n):
    p, total = np.array([1.0, 0.0]), np.zeros(2)
    for k in range(n):
        c, s = math.cos(k), math.sin(k)
        p = np.array([[c, -s], [s, c]]) @ p
        total += p * np.array([k, 2.0])
    return p, total
"""
    stats = check(source, 30)
    assert not stats.breaks
    assert not stats.exits
