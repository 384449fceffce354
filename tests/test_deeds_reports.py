"""What is said of containers, functions in them, and what waits: reasons and the report."""

from __future__ import annotations

import re
from types import ModuleType, SimpleNamespace

import pijit
from pijit.ground import reasons
from pijit.ground.config import CONFIG
from pijit.reports import report


def test_a_literal_tuple_that_is_gone_through_is_no_reason():
    """Also where native code begins in the middle of the loop."""

    def f(n):
        total = 0
        for i in range(n):
            for a, b in ((1, 0), (-1, 0), (0, 1)):
                total += a * i + b
        return total

    with pijit.enabled():
        assert f(100_000) == 100_000
    assert not [row for row in pijit.stats(f).breaks if row.id == "PJ129"]


def test_a_call_that_is_not_supported_names_what_is_called():
    def f(calls, n):
        total = 0
        for i in range(n):
            total += calls[i % 8](i)
        return total

    fast = pijit.jit(f)
    calls = [abs, int, float, bool, hash, round, complex, id]  # too many to be told apart
    assert fast([*calls[:7], abs], 50) == f([*calls[:7], abs], 50)
    details = [row.detail for row in pijit.stats(fast).breaks if row.id == "PJ111"]
    assert details
    assert all("whatever stands in its place" in detail for detail in details)


def test_the_report_tells_what_waits_from_what_is_not_hot(monkeypatch):
    def hot(x):
        return x + 1

    def seldom(x):
        return x + 2

    fast, slow = pijit.jit(hot), pijit.jit(seldom)
    from pijit.runtime import tiers

    rows = [tiers.record_of(function.__code__) for function in (fast, slow)]
    monkeypatch.setattr(report, "resting", SimpleNamespace(waits=lambda row: row is rows[0]))
    said = report.text(rows)
    assert said.split("PJ410):\n")[1].splitlines()[0].endswith("hot(): often called")
    assert "1 more functions ran too rarely" in said


def test_the_report_names_the_loops_that_wait(monkeypatch):
    """A loop that the interpreter went through for long, in a program that was over too soon."""
    monkeypatch.setattr(CONFIG, "patience_ms", 1_000_000)
    module = ModuleType("waiting")
    exec("def hot(n):\n    t = 0\n    for i in range(n):\n        t = (t * 3 + i) % 1001\n    return t\ndef cold(n):\n    return n\n", vars(module))
    from pijit.runtime import tiers

    with pijit.enabled(module):
        assert module.hot(300_000) == module.hot(300_000)
        module.cold(1)
        rows = [tiers.record_of(function.__code__) for function in (module.hot, module.cold)]
        said = report.text(rows)
    listed = said.split("PJ410):\n")[1].splitlines()[0]
    assert re.fullmatch(r"  <string>:1 hot\(\): \d+\.\d\d s from line 3 on", listed), listed
    assert "1 more functions ran too rarely or too briefly" in said


def test_pj212_is_one_clear_line():
    row = reasons.lookup("PJ212")
    assert "changed while native code ran" in row.title
    assert "local variable" in row.hint
    assert "\n" not in row.explanation
