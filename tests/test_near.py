"""Stencils: views of one array that lie a known number of bytes apart share a pointer, and give what they give with one each."""

from __future__ import annotations

import re

import numpy as np
import pytest
from differential import check_calls, subject_of

import pijit
from pijit.codegen import repeats
from pijit.opt import near, pipeline

pytestmark = pytest.mark.shared

ONE = ("a[1:-1] + b[:-2] * a[2:] - a[:-2]", "1:-1")
TWO = ("a[1:-1, 1:-1] / b[1:-1, 2:] - a[1:-1, :-2] * a[2:, 1:-1] + a[1:-1, 2:] - b[1:-1, :-2]", "1:-1, 1:-1")
THREE = ("a[:-1, 1:-1, 1:] - a[1:, 1:-1, :-1] * a[1:, 2:, 1:] + a[1:, :-2, 1:] / b[1:, :-2, :-1]", "1:, 1:-1, 1:")
STENCILS = {
    1: (ONE, ("a[:-2] - a[1:-1] + b[2:] / b[:-2]", "2:"), ("a[-3:1:-1] * a[-4:0:-1]", "3:-1"), ("a[:-2:2] + a[1:-1:2] * a[2::2]", ":a[1:-1:2].size")),
    2: (TWO, ("np.maximum(a[:, 1:], a[:, :-1]) * b[:, 1:]", ":, :-1"), ("a[::2, 2:] + a[::2, 1:-1] + a[1::2, 2:]", "::2, 2:"), (ONE[0], ONE[1])),
    3: (THREE, ("a[..., 1:] - a[..., :-1]", "..., 1:"), ("a[1:, :, 2:] - a[1:, :, 1:-1] + a[1:, :, :-2] * b[0, :, 2:]", "1:, :, 1:-1")),
}
FORMS = {
    "new": "    out = {value}\n",
    "stored": "    out = np.zeros_like(a)\n    out[{part}] = {value}\n",
    "into itself": "    out = a\n    for i in range(k):\n        a[{part}] = {value}\n",
    "added": "    out = np.ones(a.shape, a.dtype)\n    for i in range(k):\n        out[{part}] += {value}\n",
    "to itself": "    out = a\n    for i in range(k):\n        a[{part}] -= {value}\n",
    "in turn": "    out = a\n    c = a.copy()\n    for i in range(k):\n        c[{part}] = {value}\n        a, c = c, a\n",
    "summed": "    out = ({value}).sum(), ({value}).sum(axis=0), ({value}).mean(axis=-1)\n",
    "two results": "    c = {value}\n    out = c, c * 2.0 + 1.0, np.exp(c)\n",
}
SHAPES = {1: ((3,), (4,), (41,), (600,), (9000,)), 2: ((4, 4), (6, 41), (60, 58), (200, 102)), 3: ((2, 4, 3), (6, 8, 34), (10, 40, 12))}
LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "part of more": lambda a: np.repeat(a, 3, -1)[..., ::3],
    "every other row": lambda a: np.repeat(a, 2, 0)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "odd rows": lambda a: np.concatenate([a, a[..., :1]], -1)[..., :-1],
}


def arrays(shape, layout, dtype="float64", zeros=False, k=3):
    rng = np.random.default_rng(shape[-1])
    a, b = (rng.standard_normal(shape) * 3 + shift for shift in (0, 9))
    if zeros:
        b[rng.random(shape) < 0.05] = 0.0
    return (*(LAYOUTS[layout](each.astype(dtype)) for each in (a, b)), k)


def source_of(form, value, part, state=""):
    body = FORMS[form].format(value=value, part=part)
    return f"noted = print\ndef g(a, b, k):\n{body}    return out\ndef f(a, b, k):\n    with np.errstate({state}):\n        return g(a, b, k)\n"


@pytest.mark.parametrize("rank", STENCILS)
@pytest.mark.parametrize("form", FORMS)
def test_stencils(form, rank):
    for value, part in STENCILS[rank]:
        calls = [arrays(shape, layout, zeros=zeros) for shape in SHAPES[rank] for layout in ("C", "odd rows") for zeros in (False, True)]
        check_calls(source_of(form, value, part), calls, entry="f", configurations=("jit", "numpy"))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("form", FORMS)
def test_layouts(form, layout):
    for rank, stencils in STENCILS.items():
        calls = [arrays(shape, layout) for shape in SHAPES[rank][1:3] for _ in "twice"]
        check_calls(source_of(form, *stencils[0]), calls, entry="f", configurations=("jit",))


@pytest.mark.parametrize("dtype", ["float32", "int64", "int16", "uint8", "complex64", "complex128", "bool"])
@pytest.mark.parametrize("form", ["new", "stored", "into itself", "summed"])
def test_types(form, dtype):
    value, part = "a[1:-1, :-2] * a[1:-1, 2:] + a[2:, 1:-1] * b[1:-1, 1:-1]", "1:-1, 1:-1"
    calls = [arrays(shape, layout, dtype) for shape in SHAPES[2] for layout in ("C", "odd rows")]
    check_calls(source_of(form, value, part), calls, entry="f", configurations=("jit", "numpy"))


@pytest.mark.parametrize("state", ["all='raise'", "all='call', call=noted", "all='ignore'"])
@pytest.mark.parametrize("form", FORMS)
def test_flags_and_exits(form, state):
    for rank in (1, 2):
        calls = [arrays(shape, "odd rows", zeros=zeros) for shape in SHAPES[rank] for zeros in (False, True)]
        check_calls(source_of(form, *STENCILS[rank][0], state=state), calls, entry="f", configurations=("jit", "enabled", "forced"))


def test_flags_that_were_there_before():
    """A short store reads the flags once; those of arithmetic that came before it are not its own, and nothing is left for them."""
    source = (
        "def f(a, x, k):\n    with np.errstate(all='raise', under='ignore'):\n        total = 0.0\n        for i in range(k):\n"
        "            total += (x + i) - x\n            a[1:-1] = a[2:] * 0.5 + a[:-2]\n            a[:4] += a[1:5]\n        return a, total\n"
    )
    calls = [(np.arange(n) + 0.5, x, 5) for x in (float("inf"), 1.0, float("-inf")) for n in (8, 40, 300, 3000)]
    check_calls(source, calls, configurations=("jit", "enabled"))
    function = pijit.jit(subject_of(source, None).make().function)
    for call in calls[:2]:
        function(*call)
    exits = [row for fragment in pijit.explain(function, *calls[0]).to_dict()["fragments"] for row in fragment["exits"]]
    assert exits
    assert not any(row["count"] for row in exits if row["id"] == "PJ206")


def test_in_every_round(monkeypatch):
    """What waits for itself and is done several times at once."""
    seen = []
    again = repeats._again

    def noted(operand, time, place):
        made = again(operand, time, place)
        seen.append((operand.near, made.near))
        return made

    monkeypatch.setattr(repeats, "_again", noted)
    source = (
        "def f(a, b, k):\n    n, out = a.shape[0] - 9, np.zeros((a.shape[0] - 9, a.shape[1] - 1))\n    for i in range(9):\n"
        "        out += b[i, 0] * a[i : i + n, 1:] - a[i : i + n, :-1]\n    return out\n"
    )
    check_calls(source, [arrays(shape, "C") for shape in ((200, 102), (60, 58), (300, 300)) for _ in "twice"], configurations=("jit", "numpy"))
    assert any(before is not None and before[0] != after[0] for before, after in seen)


def described(source, *args):
    """The kernels as they are compiled."""
    function = pijit.jit(subject_of(source, None).make().function)
    for _ in range(2):
        function(*args)
    return [kernel["text"] for fragment in pijit.explain(function, *args).to_dict()["fragments"] for kernel in fragment["kernels"]]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (TWO[0], [" a0-8", " a0+8", " a1-16"]),
        ("a[1:-1] - a[:-2]", []),  # rows apart
        ("a[:, 1::2] - a[:, :-1:2]", []),  # elements that do not lie behind each other
        ("a[:, 1:] - b[:, :-1]", []),
        ("a[:, 1:] - a[:, :-1]", [" a0-8"]),
        ("a[:, k:] - a[:, :-k]", []),
        ("a[k:, 1:] - a[k:, :-1]", [" a0-8"]),
        ("a.real[:, 2:] + a[:, :-2].imag", []),
    ],
)
def test_what_is_near(value, found):
    a, b, k = arrays((40, 41), "C")
    texts = described(f"def f(a, b, k):\n    return {value}\n", a, b, k)
    assert [place for text in texts for place in re.findall(r" a\d[-+]\d+", text)] == found


def test_it_is_the_last_pass():
    """Nothing after it changes the operands of kernels."""
    assert pipeline.PASSES[-1][0] == near.near.__name__
