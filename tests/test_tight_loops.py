"""The code generator's best is for loops of scalar work: others hold what takes so much longer that compiling them so would not pay."""

from __future__ import annotations

import types

import numpy as np
import pytest

import pijit
from pijit.codegen import build, emit


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
def test_what_is_compiled_quickly(function, tight, monkeypatch):
    found = []
    plain = build._level
    monkeypatch.setattr(build, "_level", lambda graph: found.append(plain(graph)) or found[-1])
    a, w = np.arange(20.0), np.arange(6.0).reshape(2, 3)
    assert np.array_equal(pijit.jit(function)(a, w), function(a, w))
    assert [level == emit.BEST for level in found] == [tight]


@pytest.mark.parametrize(("others", "best"), [(3, True), (900, False)])
def test_a_small_part_of_a_large_graph_does_not_decide(others, best, monkeypatch):
    """All the rest would have to be gone through, too."""
    names = ["cmp", "poll", "raw_add"], ["list_get", "look"] * others
    blocks = [types.SimpleNamespace(ops=[types.SimpleNamespace(name=name) for name in some]) for some in names]
    monkeypatch.setattr(build, "natural_loops", lambda graph: [(block, [block]) for block in graph.blocks])
    assert (build._level(types.SimpleNamespace(blocks=blocks)) == emit.BEST) is best
