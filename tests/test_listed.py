"""Lists, and what extends them, of whatever built-ins go through: one native call, with the items and the errors of plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls, settings, subject_of

import pijit

pytestmark = pytest.mark.shared

# of a list xs, a tuple ys of which some calls have another length, an array v, a text s, a dict d and an int n
THROUGH = {
    "range": "range(n)", "range with a start": "range(2, n + 5)", "range backwards": "range(n, -2, -1)", "steps": "range(0, 50, n + 1)",
    "range of bools": "range(n > 3, True + n)", "zip": "zip(xs, ys)", "zip of one": "zip(xs)", "zip of none": "zip()",
    "strict": "zip(xs, ys[: len(xs)], strict=True)",
    "unequal": "zip(xs, range(n), ys[2:])",
    "enumerate": "enumerate(xs)", "enumerate from": "enumerate(ys, n)", "enumerate from a bool": "enumerate(xs, True)",
    "enumerate from far": "enumerate(xs, 2**70)", "reversed": "reversed(xs)", "reversed tuple": "reversed(ys)",
    "reversed range": "reversed(range(n))",
    "texts": "zip(s, s[::-1], b'abcdefg')", "views": "zip(d, d.values(), d.items())", "arrays": "zip(v, v[::-1], xs)",
    "rows": "zip(v.reshape(2, -1), xs)",
    "array": "v", "nested": "enumerate(zip(xs, enumerate(reversed(xs)), zip(ys, xs)))", "set": "{*xs}", "deque": "deque(ys)", "list": "xs",
    "tuple": "ys",
    "display": "zip([n, 1, 2.5], (xs, n, s), xs)", "keys": "d", "generator": "(x for x in zip(xs, ys) if x)", "map": "map(str, xs)",
    "iterator": "zip(it := iter(xs), it)", "own class": "Mine(xs)", "zip of own class": "zip(Mine(xs), xs)", "kept": "(z := zip(xs, ys))",
}  # fmt: skip
FORMS = (
    "list({0})", "[*{0}]", "[n, *{0}, xs]", "[*{0}, *{0}]", "extended([], {0})", "extended([n], {0})", "sorted({0}, key=str)",
    "deque({0})", "(*{0}, n)",
    "len(list({0}))", "[y for y in list({0})]", "sum(len(str(y)) for y in list({0}))", "list({0})[-1:]", "(list({0}), list({0}))",
)  # fmt: skip
SOURCE = """
from collections import deque
class Mine:
    def __init__(self, items):
        self.items = items
    def __iter__(self):
        return iter(self.items)
def extended(into, what):
    into.extend(what)
    return into
def f(xs, ys, v, s, d, n):
    found = {form}
    if type(found) is list and len(found) > 1:
        found += [found[0]]
    return found
"""


def arguments(n):
    xs = [3 * k - n if n % 2 else k * 0.5 for k in range(n)]
    return xs, tuple(range(n + n % 3)), np.arange(2.0 * n), "some text" * n, {str(k): k for k in range(n)}, n


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("through", THROUGH)
def test_forms(through, form):
    if ":=" in THROUGH[through] and " for " in form:
        return  # no Python
    calls = [arguments(n) for n in (20, 20, 31, 4, 0, 25, 1)]
    check_calls(SOURCE.format(form=form.format(THROUGH[through])), calls, entry="f", configurations=("jit",))


@pytest.mark.parametrize("through", THROUGH)
def test_exits(through):
    source = SOURCE.format(form="[n, *{0}, xs]; found = (found, extended(list({0}), {0}), n // (n - 4))".format(THROUGH[through]))
    check_calls(source, [arguments(n) for n in (20, 31, 4)], entry="f", configurations=("numpy", "forced", "forced numpy"))


ADDED = ("ys", "[n, 1.5]", "range(n)", "zip(xs, ys)", "xs", "s", "d", "v", "Mine(xs[:])", "(n,) * 3", "n", "np.float64(n)", "reversed(xs)")


@pytest.mark.parametrize("what", ADDED)
def test_added_in_place(what):
    source = SOURCE[: SOURCE.index("def f")] + (
        f"def g(xs, ys, v, s, d, n):\n    other = xs\n    for k in range(3):\n        xs += {what}\n"
        "        if len(xs) > 99:\n            del xs[50:]\n    return other is xs, other, xs\n"
        "def f(*args):\n    try:\n        return g(*args)\n    except TypeError as error:\n        return str(error), args[0]\n"
    )
    check_calls(source, [arguments(n) for n in (20, 20, 4, 31)], entry="f", configurations=("jit", "numpy", "forced"))


SELF = ("zip(xs, ys)", "reversed(xs)", "range(len(xs))", "enumerate(xs[:3])", "zip(reversed(xs), xs[:5])", "xs", "zip(xs[:2], xs)")


@pytest.mark.parametrize("what", SELF)
def test_lists_that_are_extended_by_themselves(what):
    source = (
        f"def f(xs, ys):\n    for k in range(3):\n        xs.extend({what})\n"
        "        if len(xs) > 99:\n            del xs[50:]\n    return xs, xs[-1]\n"
    )
    check_calls(source, [(list(range(n)), list(range(7))) for n in (20, 20, 9, 30)], configurations=("jit", "numpy", "forced"))


ODD = (
    "range(n, n, n - n)", "range(1.5)", "zip(xs, n)", "enumerate(xs, 1.5)", "reversed(n)", "range(10**30)", "enumerate(xs, n, n)",
    "zip(xs, ys, strict=True)", "zip(xs, ys + (1,), strict=True)",
    "zip(xs, strict=n)", "reversed({*xs})", "range(np.int64(n))", "range(True)", "enumerate(xs, start=n)", "zip(v[0], xs)",
    "zip(v[:, None], xs)",
)  # fmt: skip


@pytest.mark.parametrize("form", ["list({0})", "[n, *{0}]", "extended([], {0})"])
def test_errors(form):
    for what in ODD:
        source = SOURCE.format(form=form.format(what)).replace("    found =", "    try:\n        found =", 1)
        source = source.replace("    if type(found)", "    except Exception as error:\n        return type(error), str(error)\n    if type(found)")
        check_calls(source, [arguments(n) for n in (20, 20, 3)], entry="f", configurations=("jit", "enabled"))


NATIVE = ("range", "zip", "strict", "unequal", "enumerate", "enumerate from", "reversed", "texts", "arrays", "views", "nested", "display")


@pytest.mark.parametrize("through", NATIVE)
def test_they_are_native(through):
    what = THROUGH[through]
    source = (
        f"def f(xs, ys, v, s, d, n):\n    a, b, c = list({what}), [*{what}], [n]\n    c.extend({what})\n    c += {what}\n"
        f"    return a, b, c, [n, *{what}]\n"
    )
    function = pijit.jit(subject_of(source, "f").make().function)
    with settings(raise_internal=True):
        for _ in range(5):
            function(*arguments(20))
    assert not pijit.stats(function).breaks
    assert pijit.stats(function).hits


def test_a_deque_of_a_range():
    source = "def f(n):\n    from collections import deque\n    q = deque(range(n))\n    q.append(n)\n    return q, q.popleft()\n"
    check_calls(source, [(n,) for n in (3, 3, 9)])
