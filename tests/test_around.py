"""New arrays of which a kernel stores a part right after they are filled or copied: what lies around it, and all where an exit comes between."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls, subject_of

import pijit
from pijit.codegen.around import Around

pytestmark = pytest.mark.shared

NEW = {
    "zeros": "np.zeros_like(a)", "zeros of a shape": "np.zeros(a.shape)", "ones": "np.ones_like(a)", "full": "np.full(a.shape, -0.25)",
    "full of a variable": "np.full_like(a, a.flat[0])", "copy": "a.copy()", "copy of a view": "a[::-1].copy()", "array": "np.array(a)",
    "copy of what is gone": "(a * 2.0)[::-1].copy()", "copy of what is not needed any more": "(a - 1.0).copy()",
    "broadcast": "np.broadcast_to(a[:1], a.shape).copy()", "empty": "np.empty_like(a); new[...] = 3.0",
}  # fmt: skip
# of two axes; what is stored there, and that b is divided by, are the same parts of a and b
PARTS = (
    "1:-1, 1:-1", "1:, :", ":-1, :", ":, 1:-1", ":, 2:", ":", "::2, :", ":, ::2", "::-1, 1:", "3:4, 5:6",
    "2:2, :", "1:-1", "-3:, :-4", "..., 1:", "0", "k, 1:", "5:k",
)  # fmt: skip
SHAPES = ((6, 7), (60, 59), (1, 9), (9, 1), (0, 4), (300, 200))
STATES = ("", "all='ignore'", "divide='raise'", "all='call', call=noted")
SOURCE = """
noted = print
def g(a, b, k):
    new = {new}
    try:
        new[{part}] = a[{part}] / b[{part}] - 0.5 * a[{part}]
    except FloatingPointError:
        k = -k
    return new, k
def f(a, b, k):
    with np.errstate({state}):
        return g(a, b, k)
"""


def arrays(shape, zeros=False, k=4):
    rng = np.random.default_rng(shape[0])
    a, b = rng.standard_normal(shape), rng.standard_normal(shape) + 9
    if zeros and b.size:
        b[rng.random(shape) < 0.1] = 0.0
    return a, b, k


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("new", NEW)
def test_parts(new, part):
    source = SOURCE.format(new=NEW[new], part=part, state="")
    calls = [arrays(shape, zeros) for zeros in (False, True) for shape in SHAPES if not (0 in shape and part in ("0", "k, 1:"))]
    check_calls(source, [call for call in calls for _ in "twice"], entry="f", configurations=("jit", "numpy"))


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("part", ["1:-1, 1:-1", "1:, :", ":, 2:"])
@pytest.mark.parametrize("new", ["zeros", "full of a variable", "copy"])
def test_flags_and_exits(new, part, state):
    source = SOURCE.format(new=NEW[new], part=part, state=state)
    calls = [arrays(shape, zeros) for shape in SHAPES for zeros in (False, True)]
    check_calls(source, calls, entry="f", configurations=("jit", "enabled", "forced"))


BETWEEN = (
    "c = np.zeros(k)", "c = a.shape[0] // k", "c = a * 2", "c = np.sqrt(a - 5)", "c = new[0, 0]", "c = new.copy()", "c = [new]",
    "c = new[1:]; c[...] = a[1:]",
    "a += 1", "a[1:-1] = b[1:-1] * 2", "c = a[k, k]", "c = {'new': new}; del new; new = c['new']", "print(new)",
    "c = new.sum()", "new[0] = 7", "c = np.ones_like(a); c[:, 1:] = b[:, 1:] * k",
)  # fmt: skip


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("new", ["zeros", "copy"])
def test_what_comes_between(new, between):
    source = (
        f"def f(a, b, k):\n    a = a.copy()\n    for i in range(3):\n        new = {NEW[new]}\n        {between}\n"
        "        new[1:-1, :] = a[1:-1, :] * b[1:-1, :] + i\n        a = new * 0.5 + a\n    return a, new\n"
    )
    calls = [arrays((n, m)) for n, m in ((6, 7), (60, 59))] + [arrays((6, 7), k=0), arrays((6, 7), k=9), arrays((300, 200))]
    check_calls(source, calls, configurations=("jit", "numpy", "forced"))


def test_other_ranks():
    for part, ranks in (("1:-1", (1, 2, 3)), ("..., 2:", (1, 2, 3, 4)), ("1:, 1:-1, 2:", (3, 4)), (":, :, :-1", (3,)), ("1:, 1:, 1:, 1:", (4,))):
        source = SOURCE.format(new="{}", part=part, state="")
        for new in ("np.zeros_like(a)", "a.copy()"):
            calls = [arrays((5, 4, 6, 7)[:rank]) for rank in ranks]
            check_calls(source.replace("{}", new), calls, entry="f", configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize(
    ("new", "between", "put_off"),
    [
        ("a.copy()", "", True),
        ("a.copy()", "c = np.zeros_like(a)", True),
        ("a.copy()", "c = a * b", True),
        ("a.copy()", "c = new[0, 0]", False),
        ("a.copy()", "a[0] = b[0] * 2.0", False),
        ("np.zeros_like(a)", "a[0] = b[0] * 2.0", True),
        ("(a * 2.0)[::-1].copy()", "", False),  # of what is let go
    ],
)
def test_what_is_put_off(monkeypatch, new, between, put_off):
    answers = []
    ask = Around.puts_off

    def puts_off(self, *args):
        answers.append(ask(self, *args))
        return answers[-1]

    monkeypatch.setattr(Around, "puts_off", puts_off)
    source = f"def f(a, b):\n    new, c = {new}, 0\n    {between}\n    new[1:-1] = a[1:-1] * b[1:-1]\n    return new, c\n"
    function = pijit.jit(subject_of(source, None).make().function)
    for _ in range(3):
        function(*arrays((20, 30))[:2])
    assert any(answers) == put_off
