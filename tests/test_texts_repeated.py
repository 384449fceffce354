"""A text, or bytes, times a number."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

FORMS = (
    "s * n", "n * s", "(s + x) * n", "s[:2] * n + x", "s * (n > 2)", "'-' * n", "n * b'ab'", "x.encode() * n", "'ab' * 3 + 4 * 'c'", "'' * n",
    "s * -n", "[s * i for i in range(4)]", "str(n) * n", "f'{n}' * 2 == s",
)  # fmt: skip
CALLS = [("ab", "x", 3), ("\u00e9", "\u0100", 0), ("", "\U0001f600", 5), ("a long text", "y", -2), ("ab", "x", True), ("ab", "x", 3)]


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    check_calls(f"def f(s, x, n):\n    return {form}\n", CALLS)


def test_in_place():
    source = """
def f(s, b, n):
    kept = s, b
    for i in range(n):
        s *= 2
        b *= i % 3
        b += b"c"
    n *= s[:2]
    return s, b, n, kept
"""
    check(source, "ab", b"\x00\xff", 5)


def test_the_same_object():
    source = "def f(s, b):\n    t, c = s * 1, 1 * b\n    return t is s, c is b, s * 0 is s * 0, t, c\n"
    check(source, "a text", b"some bytes")


@pytest.mark.parametrize("count", [2**62, 2**63 - 1, -(2**63), 2**70, -(2**70), 2.0, "2", None])
@pytest.mark.parametrize("text", ["ab", b"a", ""], ids=repr)
def test_other_counts(text, count):
    source = """
def f(s, n):
    try:
        return s * n
    except (MemoryError, OverflowError, TypeError) as error:
        return type(error), str(error)
"""
    check(source, text, count)
    check("def f(s, n):\n    return n * s\n", text, count)


def test_own_texts_are_asked():
    source = """
told = []

class Text(str):
    def __mul__(self, n):
        told.append(n)
        return "own"

def f(s, n):
    return s * n, s[:1] * n, n * s, told

def g(n):
    return f(Text("ab"), n)
"""
    check(source, 3, entry="g")


def test_natively():
    check_stays_native("def f(n):\n    return ['.' * i + 'Q' + (n - i - 1) * '.' for i in range(n)]\n", 8)
