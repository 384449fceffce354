"""What is asked of ranges without going through them."""

from __future__ import annotations

import pytest
from differential import check_calls, check_stays_native, function_of

pytestmark = pytest.mark.shared

RANGES = [
    "range(n)", "range(k, n)", "range(n, k)", "range(k, n, 3)", "range(n, k, -1)", "range(n, k - 20, -4)", "range(0)", "range(5, 5)",
    "range(3, 40)", "range(k, n, step)", "range(k - 2**10, n)",
]  # fmt: skip
CALLS = [(7,), (0,), (30, -3), (7,)]


@pytest.mark.parametrize("of", RANGES)
def test_what_is_in_one(of):
    body = f"""
said = []
for k in range(4):
    for x in range(-9, m, 2):
        r = {of}
        said.append((x in r, x not in r, (x > 0) in r))
    said.append((len({of}), x * 1.0 in {of}, 10**20 in {of}, "a" in {of}))
return said"""
    check_calls(function_of("n, step=2, m=13", body), CALLS, configurations=("jit", "numpy"))


@pytest.mark.parametrize("of", RANGES)
def test_an_item(of):
    body = f"""
said = []
for k in range(4):
    for x in range(-9, m, 2):
        try:
            said.append({of}[x])
        except IndexError as error:
            said.append(repr(error))
    said.append({of}[x:])
return said"""
    check_calls(function_of("n, step=2, m=13", body), CALLS, configurations=("jit", "numpy"))


@pytest.mark.parametrize("asked", ["x in range(k, n, 3)", "range(n, k, -1)[x]", "len(range(k, n, 2))"])
def test_where_native_code_leaves(asked):
    body = f"""
said = []
for k in range(2):
    for x in range(-3, 9, 3):
        try:
            said.append({asked})
        except IndexError as error:
            said.append(repr(error))
return said"""
    check_calls(function_of("n", body), [(7,), (0,)], configurations=("forced",))


def test_they_stay_native():
    body = """
s = 0
for y in range(n):
    for x in range(n):
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if x + dx in range(n) and y + dy in range(0, n, 2):
                s += range(3, 3 * n + 3, 3)[x]
return s"""
    check_stays_native(function_of("n", body), 9)


HELD = [
    range(7), range(3, 90, 7), range(9, 2, -1), range(0), range(40, -1, -9), range(5, 2**70), range(-(2**65), -(2**65) + 3), "texts", [4, 1], None,
]  # fmt: skip
USES = {
    "a loop": "for x in held:\n        s += x\n        if s > 60:\n            break",
    "reversed": "for x in reversed(held):\n        s += x\n        if s > 60:\n            break",
    "in step": "for i, x in enumerate(zip(held, range(5))):\n        s += i * x[0]",
    "its length": "s += len(held)",
    "an item": "s += held[2]",
    "membership": "s += 4 in held",
    "its numbers": "s += held.start - held.stop * held.step",
    "a list": "s += len(list(held)) if len(held) < 100 else 7",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("where", ["argument", "attribute", "item", "global"])
def test_of_ranges_that_others_have_made(use, where):
    held = {"argument": "r", "attribute": "o.r", "item": "items[k % len(items)]", "global": "R"}[where]
    body = f"""
global R
R = r
o = type("O", (), {{}})()
o.r, items, s, said = r, [r, range(4)], 0, []
for k in range(70):
    held = {held}
    try:
        {use.replace(chr(10), chr(10) + "    ")}
    except Exception as error:
        said.append(repr(error))
        break
    said.append(s)
return said, held is r"""
    check_calls(function_of("r", body), [(r,) for r in (*HELD, HELD[0])], configurations=("jit", "forced"))


def test_those_of_others_stay_native():
    body = """
s = 0
for k in range(n):
    for x in r:
        s += x
    s += len(r) + r[2] + (k in r)
return s"""
    check_stays_native(function_of("n, r", body), 500, range(9))
