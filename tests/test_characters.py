"""Loops and generators over the characters of a text, or the numbers in bytes: they go by position."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

TEXTS = ["a7b", "", "0123456789", "\u00e9\u00ff7", "\u0100\u20ac7", "\U0001f600x\U0001f601", "\ud800\udfff", "x" * 300, "aaa7" * 50]
FORMS = (
    "any(c == '7' for c in s)", "all(c < '5' for c in s)", "sum(1 for c in s if c.isdigit())", "sum(ord(c) for c in s)",
    "max((c for c in s), default='')", "''.join(c for c in s if c != '7')", "''.join(c + c for c in reversed(s))", "[c for c in s]",
    "{c: s.count(c) for c in s}", "tuple(ord(c) for c in s)",
    "sorted(ord(c) for c in s)", "next((c for c in s if c > '5'), None)", "[c for c in s for d in s[:3] if c == d]", "list(map(ord, s))",
    "[(i, c) for i, c in enumerate(s) if c == '7']", "[c + d for c, d in zip(s, s[1:])]", "any(c in t for t in (s, s[::-1]) for c in t)",
    "set(c for c in s) == set(s)",
)  # fmt: skip
NATIVE = [form for form in FORMS[:8] if "max" not in form]


@pytest.mark.parametrize("form", FORMS)
def test_of_texts(form):
    check_calls(f"def f(s):\n    return {form}\n", [(text,) for text in TEXTS])


OF_BYTES = ("any(c == 7 for c in s)", "sum(s)", "sum(c for c in s)", "[c for c in s if c > 60]", "max((c for c in s), default=-1)")


@pytest.mark.parametrize("form", OF_BYTES)
def test_of_bytes(form):
    check_calls(f"def f(s):\n    return {form}\n", [(text.encode("utf-8", "surrogatepass"),) for text in TEXTS])


@pytest.mark.parametrize("form", NATIVE)
def test_they_stay_native(form):
    source = f"def f(lines):\n    found = []\n    for s in lines:\n        found.append({form})\n    return found\n"
    check_stays_native(source, [f"k{i},{i * 0.5}" for i in range(30)])


def test_left_in_the_middle():
    source = """
def f(s, n):
    total, where = 0, []
    for c in s:
        try:
            total += int(c)
        except ValueError:
            where.append(c)
            if len(where) > n:
                break
            continue
        for d in s[:3]:
            if d == c:
                total += 10
                break
        else:
            total *= 2
    return total, where
"""
    check_calls(source, [(text, n) for text in TEXTS for n in (0, 2, 1000)])


def test_the_text_is_bound_anew_meanwhile():
    source = """
def f(s):
    found = []
    for c in s:
        s = s + c
        found.append((c, len(s)))
    return found
"""
    check_calls(source, [(text[:20],) for text in TEXTS])


def test_an_iterator_that_is_kept():
    source = """
def f(s):
    it = iter(s)
    first = next(it, None)
    rest = [c for c in it]
    pairs = list(zip(s, iter(s)))
    return first, rest, pairs, list(it)
"""
    check_calls(source, [(text,) for text in TEXTS])


def test_texts_of_a_class_of_their_own():
    source = """
class Text(str):
    def __iter__(self):
        return iter("own")

def f(s):
    return [c for c in s], any(c == "o" for c in s), sum(1 for c in s)
"""
    check_calls(source + "\n\ndef g(n):\n    return [f(Text('abc')) if i % 2 else f('abc') for i in range(n)]\n", [(6,)], entry="g")


def test_a_generator_that_stands_still():
    source = """
def letters(s):
    for c in s:
        if c.isalpha():
            yield c.upper()

def f(s):
    return "".join(letters(s)), sum(1 for _ in letters(s)), [c for c in letters(s) if c != "X"]
"""
    check(source, "a1b2x3\u00e9")
