"""Loops that native code takes over in the middle: after a break in their body, or when they have gone round often enough."""

from __future__ import annotations

import textwrap
import types

import numpy as np
import pytest
from differential import check_calls, settings

import pijit

LOOPS = {
    "list": "for x in xs:",
    "two lists": "for x, y in zip(xs, ys):",
    "counted": "for i, x in enumerate(xs):",
    "counted from": "for i, x in enumerate(xs, -3):",
    "counted far": "for i, x in enumerate(xs, 2**62):",
    "counted from too far": "for i, x in enumerate(xs, 2**70):",
    "counted from a number": "for i, x in enumerate(xs, len(ys) + i):",
    "counted from a bool": "for i, x in enumerate(xs, len(ys) > 3):",
    "counted from a large number": "for i, x in enumerate(xs, (1 << 58 + len(ys) % 8) - 1):",
    "nested": "for i, (x, y) in enumerate(zip(xs, ys)):",
    "nested the other way": "for (i, x), y in zip(enumerate(xs), ys):",
    "with a range": "for x, i in zip(xs, range(5, -90, -2)):",
    "strict": "for x, y in zip(xs, ys, strict=True):",
    "strict, counted": "for i, (x, y) in enumerate(zip(xs, ys, strict=True)):",
    "strict, of three": "for x, y, i in zip(xs, ys, range(len(xs)), strict=True):",
    "strict, the first is shorter": "for x, y in zip(xs[1:], xs, strict=True):",
    "strict, two that are known": "for x, y in zip((1, 2, 3.5), (1, 2), strict=True):",
    "strict, reversed": "for x, y in zip(reversed(xs), xs, strict=True):",
    "strict, of one": "for (x,) in zip(xs, strict=True):",
    "strict, held": "it = zip(xs, ys, strict=bool(i < 5))\nfor x, y in it:",
    "strict, or not": "for x, y in zip(xs, ys, strict=xs[:1] == [0]):",
    "tuple": "for x in tuple(xs):",
    "dict": "for i, x in dict(enumerate(xs)).items():",
    "reversed": "for x in reversed(xs):",
    "reversed, two": "for x, y in zip(reversed(xs), reversed(ys)):",
    "reversed, counted": "for i, x in enumerate(reversed(xs)):",
    "reversed, and what grows it": "for x, y in zip(reversed(xs), grown(xs)):",
    "reversed, held": "it = reversed(xs)\ngrown(xs)\nfor x in it:",
    "reversed, and what is left": "it = reversed(xs)\nfor x in it:\n    if i > 3:\n        break\n    i += 1\nfor x in it:",
    "reversed, those that": "for x in (z * 2 for z in reversed(xs) if z != 3):",
    "reversed, inside": "for y in xs[:4]:\n  for x in reversed(xs):",
    "reversed, of it": "for x in reversed(list(reversed(xs))):",
    "pairs": "for x, y in zip(*[iter(xs)] * 2):",
    "of a held one": "it = iter(xs)\nfor x in it:",
    "counted of a held one": "it = iter(xs)\nfor i, x in enumerate(it):",
    "held elsewhere": "held = [iter(xs)]\nfor x in held[0]:",
    "zip of one held elsewhere": "held = [iter(xs)]\nfor x, y in zip(held[0], ys):",
    "map": "for x in map(float, xs):",
    "nothing": "for x in zip():",
    "nothing, counted": "for i, x in enumerate(zip(*[])):",
    "nothing beside it": "for x, y in zip(xs, zip()):",
}

BODIES = {
    "break": "s = s + x * 2 + y\nlog(i)\ns = s - x",
    "branches": "if i % 3 == 1:\n    log(s)\n    continue\ns += x\nif s > 90:\n    break",
    "a loop inside": "for k in range(4):\n    s += x * k\n    log(k)\ni += 1",
    "a list inside": "for k, z in enumerate(xs[:3]):\n    s += x * z\n    log(k)\n    s += y",
    "an exception": "try:\n    log(x)\n    s += 1 / (x - 3)\nexcept ZeroDivisionError:\n    s -= 1",
    "it grows": "log(x)\nif len(xs) < 40 and isinstance(xs, list):\n    xs.append(x + 1)\ns += x",
    "it shrinks": "log(x)\nif isinstance(xs, list):\n    xs.pop()\ns += x",
    "it shrinks and grows": "log(x)\nif isinstance(xs, list) and i < 6:\n    kept = xs[:]\n    xs.clear()\n    s += x * 2 + len(kept)\n"
    "    log(s)\n    s -= y\n    xs.extend(kept)\ni += 1\ns += x",
    "stores": "log(x)\nxs[0] = s\ns += x",
}

SOURCE = """
told = []

def grown(what):
    if isinstance(what, list):
        what.append(1.5)
    return what

def log(what):
    told.append(what if len(told) < 9 else 0)
    exec("")  # runs in the interpreter

def f(xs, ys):
    s, i, y = 0, 0, 1
    {loop}
{body}
    return s, i, y, xs, [len(told), *told[:12]]
"""

LISTS = (
    [[float(k % 7) for k in range(23)], [2.0 * k for k in range(23)]], [list(range(30)), list(range(9))], [[1, 2.5] * 6, list(range(12))], [[], []],
)  # fmt: skip
ARRAYS = [np.arange(20.0), np.arange(20)], [np.arange(12), list(range(20))], [np.arange(24.0)[::-2], np.ones(11)]
ROWS = ([np.arange(12.0).reshape(4, 3), np.ones((4, 3), "f4")],)


def source(loop, body):
    return SOURCE.format(loop=textwrap.indent(LOOPS[loop], "    ").strip(), body=textwrap.indent(BODIES[body], " " * 8))


CHOSEN = (LOOPS, ("break", "a loop inside")), (("list", "nested", "reversed", "strict", "strict, or not"), BODIES)
PAIRS = {(loop, body): None for loops, bodies in CHOSEN for loop in loops for body in bodies}


@pytest.mark.shared
@pytest.mark.parametrize(("loop", "body"), PAIRS, ids=lambda text: text)
def test_a_loop_is_taken_over(loop, body):
    check_calls(source(loop, body), [args for args in LISTS for _ in range(2)], entry="f", configurations=("enabled", "jit", "forced numpy"))


@pytest.mark.shared
@pytest.mark.parametrize("loop", ["list", "two lists", "counted", "nested", *(name for name in LOOPS if name.startswith(("reversed", "strict")))])
def test_over_arrays(loop):
    calls = [args for args in ARRAYS for _ in range(2)]
    for body in ("break", "a loop inside", "stores"):
        check_calls(source(loop, body), calls, entry="f", configurations=("enabled", "forced"))


def test_over_rows():
    body = "log(i)\ns = s + x.sum() + y"
    text = SOURCE.format(loop=LOOPS["counted"], body=textwrap.indent(body, " " * 8))
    check_calls(text, [args for args in ROWS for _ in range(3)], entry="f", configurations=("enabled", "forced"))


TEXT_LOOPS = {
    **{name: LOOPS[name] for name in ("list", "two lists", "counted", "counted from", "nested", "nested the other way", "with a range", "strict")},
    **{name: LOOPS[name] for name in ("reversed", "reversed, two", "reversed, counted", "reversed, and what is left")},
    **{name: LOOPS[name] for name in ("pairs", "counted of a held one", "zip of one held elsewhere")},
    "with a list": "for x, y in zip(xs, list(ys)):",
    "counted, what is known": "for i, x in enumerate('known \u0100'):",
    "what is known": "for x, y in zip(b'known', xs):",
}
TEXT_BODIES = {
    "break": "s = s * 31 + (x if type(x) is int else ord(x))\nlog(x)\nif x == y:\n    i += 2\nlog(i)",
    "a loop inside": "for k, z in enumerate(ys, 2):\n    s += k * (z == x)\nlog(s)",
    "an exception": "try:\n    log(x)\n    s += 1 / (len(told) % 3)\nexcept ZeroDivisionError:\n    s -= 1",
}
TEXTS = (
    ["kitten, sitting " * 2, "sitting, kitten, sat"], ["\u0100bc\U0001f600" * 5, "\xe9\u0100" * 9], [b"abc" * 9, b"bca" * 7], ["", "a"],
    ["x" * 24, b"x" * 24], [b"\0\xff" * 9, "\xff" * 5],
)  # fmt: skip


@pytest.mark.shared
@pytest.mark.parametrize("body", TEXT_BODIES)
@pytest.mark.parametrize("loop", TEXT_LOOPS)
def test_over_texts(loop, body):
    text = SOURCE.format(loop=textwrap.indent(TEXT_LOOPS[loop], "    ").strip(), body=textwrap.indent(TEXT_BODIES[body], " " * 8))
    check_calls(text, [args for args in TEXTS for _ in range(2)], entry="f", configurations=("enabled", "jit", "forced numpy"))


def distance(a, b):
    before = [*range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        now = [i]
        for j, y in enumerate(b, 1):
            now.append(min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (x != y)))
        before = now
    return before[-1]


@pytest.mark.parametrize("texts", [("kitten" * 9, "sitting" * 9), ("\u0100b" * 30, "b\u0100" * 30), (b"kitten" * 9, b"sitting" * 9)])
def test_loops_over_texts_are_native_from_their_middle_on(texts):
    fast = types.FunctionType(distance.__code__.replace(), globals())
    with settings(compile_all=False, patience_ms=0), pijit.enabled(__name__):
        for _ in range(4):
            assert fast(*texts) == distance(*texts)
    assert pijit.stats(fast).hits
    assert "PJ129" not in {found.id for found in pijit.stats(fast).breaks}


@pytest.mark.parametrize("loop", ["list", "two lists", "counted", "nested", "with a range"])
def test_the_rest_of_a_loop_is_compiled(loop):
    """Also behind what the interpreter does in the body."""
    space: dict[str, object] = {}
    exec(source(loop, "break").replace("s = s - x", "for k in range(200):\n            s = s * 0.5 + k"), space)
    fast = pijit.jit(space["f"])
    fast([1.0] * 60, [2.0] * 60)
    stats = pijit.stats(fast)
    assert stats.hits > 40
    assert "PJ129" not in {found.id for found in stats.breaks}


@pytest.mark.parametrize("items", [
    [np.int8(k) for k in range(20)], [np.float64(k) for k in range(20)], [complex(k, 1) for k in range(20)],
    [k + 0.5 for k in range(20)], [k + 300 for k in range(20)],
], ids=lambda items: type(items[0]).__name__)  # fmt: skip
def test_items_stay_the_objects_that_they_are(items):
    def f(items):
        out = []
        for v in items:
            out.append(v)
            print(end="")
            v += v
        return out

    fast = pijit.jit(f)
    for _ in range(3):
        assert all(made is item for made, item in zip(fast(items), items, strict=True))
    assert pijit.stats(fast).hits


@pytest.mark.parametrize("around", [zip, enumerate])
def test_iterators_within_iterators_however_many(around):
    @pijit.jit
    def count(iterator):
        n = 0
        for _ in iterator:
            n += 1
        return n

    iterator = iter([1.5] * 100)
    for _ in range(2000):
        iterator = around(iterator)
    assert count(iterator) == 100  # without an internal error


def horner(numbers, x):
    total = 0.0
    for number in reversed(numbers):
        total = total * x + number
    return total


@pytest.mark.parametrize("numbers", [[0.5 * k for k in range(90)], np.arange(90.0), np.arange(180)[::2]], ids=["list", "array", "strided"])
def test_backwards_loops_are_native(numbers):
    for configuration in ({"compile_all": True}, {"compile_all": False, "patience_ms": 0}):
        fast = types.FunctionType(horner.__code__.replace(), globals())
        with settings(**configuration), pijit.enabled(__name__):
            for _ in range(9):
                assert fast(numbers, 0.75) == horner(numbers, 0.75)
        assert pijit.stats(fast).hits
        assert not pijit.stats(fast).breaks


@pytest.mark.parametrize("form", ["list(reversed(xs))", "sorted(reversed(xs))", "sum(reversed(xs))", "[*reversed(xs)]", "tuple(reversed(xs))",
    "next(reversed(xs))", "max(reversed(xs))", "dict(zip(reversed(xs), xs))", "3 in reversed(xs)", "(r := reversed(xs)), next(r), list(r)",
    "[list(r) for r in (reversed(xs), reversed(xs[1:]))]", "type(reversed(xs)).__name__", "list(map(abs, reversed(xs)))",
    "list(zip(reversed(xs), reversed(xs)))", "any(z == 3 for z in reversed(xs))", "bool(reversed(xs))", "reversed(xs).__length_hint__()",
])  # fmt: skip
def test_what_else_goes_through_it(form):
    text = f"def f(xs):\n    it = {form}\n    return it[1:] if type(it) is tuple else it\n"
    calls = [(xs,) for xs in ([3.5 * k for k in range(40)], np.arange(30.0), "some longer text of characters " * 3, [1, 2], tuple(range(50)))]
    calls = [call for call in calls if not (type(call[0]) is str and ("sum" in form or "abs" in form or "3 in" in form))]
    check_calls(text, [call for call in calls for _ in range(2)], entry="f", configurations=("jit", "forced numpy"))
