"""What compiling took in earlier runs is remembered: the next ones need not wait as long."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import pijit
from pijit.codegen import engine
from pijit.runtime import entries, prices, worth

SOURCE = "def f(xs, n):\n    s = 0.0\n    for k in range(n):\n        s += xs[k % 4] * {factor}\n    return s\n"


def code_of(text, name="program.py"):
    space = {}
    exec(compile(text, name, "exec"), space)
    return space["f"].__code__


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PIJIT_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_by_place_and_code():
    code = code_of(SOURCE.format(factor=2.5))
    assert prices.known(code, 7) == 0.0
    with prices.remembered(code, 7):
        sum(range(10_000))
    found = prices.known(code, 7)
    assert found > 0.0
    assert prices.known(code_of(SOURCE.format(factor=2.5)), 7) == found
    assert prices.known(code, 8) == 0.0
    assert prices.known(code_of(SOURCE.format(factor=2.5), "other.py"), 7) == 0.0
    assert prices.known(code_of("\n" + SOURCE.format(factor=2.5)), 7) == 0.0
    assert prices.known(code_of(SOURCE.replace("*", "+").format(factor=2.5)), 7) == 0.0


def test_not_what_failed():
    code = code_of(SOURCE.format(factor=2.5))
    with pytest.raises(KeyError), prices.remembered(code, 7):
        raise KeyError
    assert prices.known(code, 7) == 0.0


def test_a_file_that_is_something_else(folder):
    code = code_of(SOURCE.format(factor=2.5))
    with prices.remembered(code, 7):
        pass
    (file,) = [file for file in folder.rglob("*") if file.is_file()]
    file.write_bytes(b"something else")
    assert prices.known(code, 7) == 0.0


def test_without_a_cache(monkeypatch):
    monkeypatch.setenv("PIJIT_CACHE", "0")
    code = code_of(SOURCE.format(factor=2.5))
    with prices.remembered(code, 7):
        pass
    assert prices.known(code, 7) == 0.0


def test_machine_code_is_not_counted(monkeypatch):
    """It is on disk by the next time."""
    code = code_of(SOURCE.format(factor=2.5))
    monkeypatch.setattr(prices.clock, "thread_time", iter([10.0, 17.0]).__next__)
    monkeypatch.setattr(prices.engine, "generating", iter([1.0, 6.5]).__next__)
    with prices.remembered(code, 7):
        pass
    assert prices.known(code, 7) == 1.5


def test_an_entry_that_was_compiled_before_is_cheap(monkeypatch):
    """What was reckoned is not asked any more."""
    seen, real = [], entries._postponed

    def postponed(state, record, entry, *more):
        found = real(state, record, entry, *more)
        seen.append(entry.patience.price)
        return found

    monkeypatch.setattr(entries, "_postponed", postponed)
    monkeypatch.setattr(worth, "price", lambda graph: 1e6)  # more or less, as fast as this machine is
    for _ in range(2):
        space = {}
        exec(compile(SOURCE.format(factor=1.25), "priced.py", "exec"), space)
        assert pijit.jit(space["f"])([1.0, 2.0, 3.0, 4.0], 100) == 312.5
    assert seen[0] > 1000.0 > seen[-1] > 0.0


PROGRAM = """
import sys, pijit
from pijit.codegen import engine
def f(xs, n):
    s = 0.0
    for k in range(n):
        s += xs[k % 4] * 0.5
    return s
print(pijit.jit(f)([1.0, 2.0, 3.0, 4.0], 10), engine.generating() > 0.0)
"""


def test_machine_code_is_found_by_the_next_process(folder):
    env = {**os.environ, "PIJIT_CACHE_DIR": str(folder)}
    runs = [subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert runs == ["11.5 True\n", "11.5 False\n"]
    assert engine.generating() >= 0.0
