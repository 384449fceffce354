"""Texts that a loop adds to: short ones are copied natively, long ones grow in the interpreter, where CPython lets them."""

from __future__ import annotations

import pytest
from differential import check_calls, settings, subject_of

import pijit

pytestmark = pytest.mark.shared

FORMS = {
    "added": "s = s + x", "in place": "s += x", "in front": "s = x + s", "twice": "s = s + x + x", "what is kept": "kept = s\n        s += x",
    "by a function": "s = more(s, x)", "in a list": "held[0] += x\n        s = held[0]", "by itself": "s += s[:5] + x", "known": "s += 'ab'",
    "branches": "s = s + x if i % 3 else s + 'c'", "bytes": "b += b'ab'", "the other one": "x, s = s[:3], s + x",
}  # fmt: skip
SOURCE = """
def more(s, x):
    s += x
    return s
def f(s, x, n):
    held, kept, b = [s], s, b""
    for i in range(n):
        {form}
    return s, kept, b, held, len(s), hash(s)
"""
CALLS = [("", "x", 50), ("start", "", 9), ("", "ab\u00e9", 2500), ("\u20ac" * 1990, "z", 30), ("a" * 5000, "b", 40), ("", "x", 50)]


@pytest.mark.parametrize("form", FORMS)
def test_texts_that_grow(form):
    check_calls(SOURCE.format(form=FORMS[form]), CALLS, entry="f", configurations=("jit", "enabled", "numpy", "forced"))


@pytest.mark.parametrize("form", ["added", "in place"])
def test_long_ones_are_left_to_the_interpreter(form):
    source = f"def f(s, x, n):\n    for i in range(n):\n        {FORMS[form]}\n    return s\n"
    function = pijit.jit(subject_of(source, "f").make().function)
    with settings(raise_internal=True):
        for _ in range(9):
            assert function("", "x", 40) == "x" * 40
        before = pijit.stats(function)
        assert before.hits
        assert function("", "x", 30000) == "x" * 30000
    assert 0 < pijit.stats(function).exits - before.exits < 20000  # one for each round would be more; the clock may ask for a second look
