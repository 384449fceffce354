"""What a program puts in the places of the library's functions, as tests do with mocks, is not asked by pijit: clocks, files, chance; and where it
takes the modules away, nothing is compiled until they are back."""

from __future__ import annotations

import builtins
import io
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import types

import numpy as np
import pytest

import pijit

SOURCE = """
def f(a, x):
    s = 0.0
    for i in range(9):
        s += i * x
    return s, np.exp(a) * {number} + a.sum(axis=0)
"""
PURE = {"fspath", "fsencode", "fsdecode"}  # of names only
OWNERS = [time, os, tempfile, random, shutil, io, pathlib.Path, random.Random]
NAMES = [
    (owner, name)
    for owner in OWNERS
    for name, value in vars(owner).items()
    if type(value) in (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType) and not name.startswith("__") and name not in PURE
]


PLAIN = "def f(x):\n    for i in range(9):\n        x = x * 0.5 + i\n    return x\n"  # NumPy imports in the middle of its work


def jitted(source, number=0):
    space = {"np": np}
    exec(source.format(number=number), space)
    return pijit.jit(space["f"])


def compiles(function, number):
    s, a = function(np.zeros(3), 0.5)
    assert (s, a.tolist()) == (18.0, [float(number)] * 3)
    return pijit.stats(function).compiles


def test_the_programs_clocks_and_files_are_not_asked(tmp_path, monkeypatch):
    assert compiles(jitted(SOURCE, 2), 2) == 1  # the compiler is there
    monkeypatch.setenv("PIJIT_CACHE_DIR", str(tmp_path / "new" / "folder"))
    function, asked = jitted(SOURCE, 3), []

    def replaced(name):
        return lambda *args, **kwargs: asked.append(name)

    with monkeypatch.context() as patch:
        for owner, name in NAMES:
            patch.setattr(owner, name, replaced(name), raising=False)
        patch.setattr(random.Random, "random", replaced("Random.random"))
        patch.setattr(builtins, "open", replaced("open"))
        compiled = compiles(function, 3)
    assert (asked, compiled) == ([], 1)
    assert list((tmp_path / "new" / "folder").rglob("??/*"))


def empty():
    """sys.modules without anything, as some tests leave it for a moment."""
    before = sys.modules.copy()
    sys.modules.clear()
    return before, lambda: sys.modules.update(before)


def another():
    before = sys.modules
    sys.modules = {}

    def back():
        sys.modules = before

    return before, back


def no_numpy():
    before = sys.modules.copy()
    sys.modules["numpy"] = None
    return before, lambda: sys.modules.update(before)


@pytest.mark.parametrize("take", [empty, another, no_numpy])
def test_without_modules_nothing_is_compiled(take):
    function = jitted(PLAIN)
    before, back = take()
    try:
        results = [function(3.0) for _ in range(5)]
        left = set(sys.modules)
    finally:
        back()
    assert left == (set(before) if take is no_numpy else set())
    assert pijit.stats(function).compiles == 0
    results += [function(3.0) for _ in range(100)]
    assert set(results) == {function.__wrapped__(3.0)}
    assert pijit.stats(function).compiles > 0


def test_it_is_said(monkeypatch):
    function, real = jitted(PLAIN), len
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "len", lambda x: real(x))
        function(3.0)
        assert "not compiled: built-ins or modules that compiling needs are replaced" in str(pijit.explain(function))
