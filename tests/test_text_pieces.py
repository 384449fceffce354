"""Texts taken apart, as programs that read lines do: the pieces are other ones in each round, and how many there are is what is unpacked."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

ROUNDS = """
def f(lines):
    found, count = 0.0, 0
    for line in lines:
        {body}
    return found, count
"""
NUMBERED = [f"k{i} {i * i} x {i % 3} y" for i in range(40)]
BODIES = {
    "unpacked": "key, a, b, c, d = line.split()\n        found += int(a) * len(key)\n        count += int(c)",
    "by index": "parts = line.split(' ')\n        found += float(parts[1])\n        count += int(parts[-2])",
    "partition": "head, mark, rest = line.partition(' x ')\n        found += len(head) * len(rest)\n        count += mark == ' x '",
    "rpartition": "head = line.rpartition(' ')[0]\n        found += len(head)\n        count += head[-1] == '2'",
    "part of a text": "a, b = line[-3:].split(' ')\n        found += int(a)\n        count += b == 'y'",
    "split twice": "a, b = line.split(' x ')\n        key, number = a.split()\n        found += int(number)\n        count += key in b",
    "pieces go round": "parts = line.split()\n        for part in parts:\n            count += len(part)",
    "bytes": "a, b = line.encode().split(b' x ')\n        count += len(a) - len(b)\n        found += len(b.decode())",
    "met again": "parts = line.split(' ') if count % 2 else line.split()\n        count += len(parts[0])\n        found += int(parts[1])",
}


@pytest.mark.parametrize("what", BODIES)
def test_rounds(what):
    source = ROUNDS.format(body=BODIES[what])
    check(source, NUMBERED)
    check_stays_native(source, NUMBERED)


@pytest.mark.parametrize("what", BODIES)
def test_they_are_compiled_once(what):
    """The first text says nothing of the next ones: native code is not left to be made anew."""
    stats = check(ROUNDS.format(body=BODIES[what]), NUMBERED, configurations=("jit",))
    assert not stats.exits


@pytest.mark.parametrize("line", ["", "a", "a b", "a b c", "a  b", " a b ", "a\tb", "1 2", "\u00e9 \U0001f600"])
def test_as_many_as_there_are(line):
    source = """
def f(line, mark):
    try:
        a, b = line.split(mark)
        return a, b, a + b, int(a) if a.isdigit() else b
    except ValueError as error:
        return str(error)
"""
    for mark in (None, " "):
        check_calls(source, [("p q", mark), (line, mark), (line, mark), ("1 2", mark), (line, mark)])


def test_other_lengths_in_turn():
    source = """
def f(lines):
    found = []
    for line in lines:
        parts = line.split(",")
        if len(parts) == 2:
            a, b = parts
            found.append(a + b)
        elif len(parts) > 2:
            found.append(parts[2])
            parts.append("x")
            found.append(parts[-1] + str(len(parts)))
        else:
            found.append(parts)
    return found
"""
    lines = ["a,b", "c", "d,e,f", "", "g,h", ",", "i,j,k,l"] * 3
    check(source, lines)


def test_pieces_are_objects_of_their_own():
    source = """
def f(text):
    a, b = text.split("-")
    c, d = text.split("-")
    whole = text.split("+")
    return a == c, a is c, whole[0] is text, whole == [text], text.partition("+")[0] == text, b is d
"""
    check_calls(source, [("ab-cd",), ("ef-gh",), ("ab-cd",)])


def test_stars():
    source = "def f(line):\n    first, *rest = line.split()\n    *most, last = line.split()\n    return first, rest, most, last\n"
    check_calls(source, [("a b c",), ("a b",), ("x y z w",), ("a",)])


@pytest.mark.parametrize("text", ["", "abc", "\u00e9\u20ac\U0001f600", "\ud800", "a" * 5000])
def test_utf8(text):
    source = """
def f(text, data, *more):
    try:
        return text.encode(*more), text.encode(), (text + "x").encode()[-1:], data.decode(*more), (data[:-1] + b"x").decode()
    except UnicodeError as error:
        return type(error), str(error)
"""
    data = text.encode("utf-8", "surrogatepass")
    check_calls(source, [("ab", b"cd"), (text, data), (text, data[:-1]), (text, data)])
    check_calls(source, [("ab", b"cd", "latin-1"), (text, data, "latin-1"), (text, data, "utf-16", "replace"), (text, data, "none such")][:3])
