"""The code generator's best is for loops of scalar work: others hold what takes so much longer that compiling them so would not pay."""

from __future__ import annotations

import types

import numpy as np
import pytest
from differential import check_calls

import pijit
from pijit.codegen import emit, levels
from pijit.ir.graph import Block


def kernels_in_inner_loop(a, w):
    out = np.zeros(len(a) - 4)
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            out += w[i, j] * a[i + j : len(a) - 4 + i + j]
    return out


def kernel_in_outer_loop(a, w):
    out = np.zeros(len(a))
    for i in range(w.shape[0]):
        s = 0.0
        for j in range(w.shape[1]):
            s += w[i, j] * j
        out += a * s
    return out


def scalars(a, w):
    s = 0.0
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            s += w[i, j] * a[i]
    return s


def one_kernel(a, w):
    return a * w[0, 0]


@pytest.mark.parametrize(("function", "tight"), [(kernels_in_inner_loop, False), (kernel_in_outer_loop, True), (scalars, True), (one_kernel, False)])
def test_what_is_compiled_quickly(function, tight, levels_found):
    a, w = np.arange(20.0), np.arange(6.0).reshape(2, 3)
    assert np.array_equal(pijit.jit(function)(a, w), function(a, w))
    assert [level == emit.BEST for level in levels_found] == [tight]


@pytest.mark.parametrize(("others", "best"), [(3, True), (900, False)])
def test_a_small_part_of_a_large_graph_does_not_decide(others, best, monkeypatch):
    """All the rest would have to be gone through, too."""
    names = ["cmp", "poll", "raw_add"], ["list_get", "look"] * others
    blocks = [Block() for _ in names]
    for block, some in zip(blocks, names, strict=True):
        block.ops = [types.SimpleNamespace(name=name) for name in some]
    loops = {block: [block] for block in blocks}
    monkeypatch.setattr(levels, "loops_by_header", lambda graph: loops)
    monkeypatch.setattr(levels, "natural_loops", lambda graph: loops.items())
    assert (levels.level(types.SimpleNamespace(blocks=blocks)) == emit.BEST) is best


OF_OBJECTS = {
    "numbers": ("for i in range(len(x)):\n        s += i * 0.5", emit.BEST),
    "a list of numbers": ("for v in x:\n        s += v", emit.PLAIN),
    "a dict that is written to": ("for v in x:\n        d[v] = d.get(v, 0) + 1", emit.QUICK),
    "around one with a dict": ("for i in range(3):\n        s += i\n        for v in x:\n            d[v] = d.get(v, 0) + 1", emit.QUICK),
    "numbers, beside one with a dict": ("for v in x:\n        d[v] = 1\n    for i in range(len(x)):\n        s += i * 0.5", emit.BEST),
}


@pytest.mark.parametrize(("loop", "expected"), OF_OBJECTS.values(), ids=list(OF_OBJECTS))
def test_loops_of_objects_are_compiled_as_well_as_pays(loop, expected, levels_found):
    source = f"def f(x, d):\n    s = 0.0\n    {loop}\n    return s, d\n"
    check_calls(source, [([1.5, 2.5, 1.5], {}) for _ in range(3)], configurations=("jit",))
    assert levels_found[0] == expected
