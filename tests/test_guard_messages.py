"""What is said when a guard fails: the name or attribute that differs, in the user's words, what was done, how often, what it cost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import types

import numpy as np
import pytest

import pijit
from pijit import _native
from pijit.ground import log, reasons
from pijit.runtime import driver, failures, tiers

RATE = 2
LIMIT = None


def helper(x):
    return x + 1.0


def other_helper(x):
    return x - 1.0


def read_only(array):
    array.flags.writeable = False
    return array


U = np.arange(12.0).reshape(3, 4)
# first arguments, arguments that do not fit, what the message says of it, the reason
CASES = {
    "dtype": ((U,), (U.astype(np.float32),), "'u.dtype' expected float64, got float32", "PJ304"),
    "ndim": ((U,), (U[0].copy(),), "'u.ndim' expected 2, got 1", "PJ305"),
    "one": ((U,), (U[:1].copy(),), "'u.shape[0]' expected not 1 (1 broadcasts), got 1", "PJ306"),
    "not one": ((U[:, :1].copy(),), (U,), "'u.shape[1]' expected 1, got 4", "PJ306"),
    "order": ((U,), (np.asfortranarray(U),), "'u.strides' expected those of a C contiguous array, got (8, 24) for shape (3, 4)", "PJ307"),
    "array type": ((U,), (2.0,), "'type(u)' expected numpy.ndarray, got float", "PJ301"),
    "int": ((1,), (1.5,), "'type(u)' expected int, got float", "PJ301"),
    "bool": ((True,), (1,), "'type(u)' expected bool, got int", "PJ301"),
    "numpy scalar": ((np.float32(1),), (1,), "'type(u)' expected numpy.float32, got int", "PJ301"),
    "huge int": ((1,), (2**70,), "'u' expected an int of at most 64 bits, got one of 71 bits", "PJ311"),
}  # fmt: skip


CLOSEST = {
    "ones against two dimensions": ([U[0].copy(), U], U[0, :1].copy(), "'u.shape[0]' expected not 1 (1 broadcasts), got 1"),
    "order against one dimension": ([U, U[0].copy()], U.T, "'u.strides' expected those of a C contiguous array, got (8, 32) for shape (4, 3)"),
    "dtype against a number": ([U, 2.0], U.astype(np.int16), "'u.dtype' expected float64, got int16"),
}


@pytest.mark.parametrize("name", CLOSEST)
def test_the_fragment_that_came_closest_is_named(name, caplog):
    """Whichever was compiled last."""
    before, last, wanted = CLOSEST[name]
    jitted = pijit.jit(lambda u: u * 2)
    for argument in before:
        jitted(argument)
    pijit.set_logs("guards")
    jitted(last)
    pijit.set_logs()
    assert said(caplog)[-1].startswith(wanted)


def said(caplog, channel="guards"):
    return [r.getMessage().partition("(): ")[2] for r in caplog.records if r.name == f"pijit.{channel}"]


@pytest.mark.parametrize("name", CASES)
def test_the_attribute_that_differs_is_named(name, caplog):
    first, second, message, id = CASES[name]
    space = {}  # a function made in here would be the same code object, and share fragments, from case to case
    exec("def step(u):\n    return u * u + u * 3 - u + u * u * u\n", space)
    step = pijit.jit(space["step"])
    pijit.set_logs("guards")
    step(*first)
    step(*first)
    step(*second)
    (text,) = said(caplog)
    assert text.startswith(f"{message} -> ")
    (row,) = pijit.stats(step).failures
    assert (row.id, row.count, row.line) == (id, 1, 2)
    assert f"{row.source!r} expected {row.expected}, got {row.got}" == message
    assert row.reason == reasons.lookup(id).title


class Layer:
    def __init__(self, bias):
        self.bias = bias


class Net:
    def __init__(self):
        self.w, self.cfg, self.layers = U, {"lr": 0.5}, [Layer(1.0), Layer(2.0), Layer(3.0)]

    def step(self, x):
        return x * self.w + self.cfg["lr"] + self.layers[2].bias


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("net.w = net.w.astype('f4')", "'self.w.dtype' expected float64, got float32"),
        ("net.cfg['lr'] = 1", """'type(self.cfg["lr"])' expected float, got int"""),
        ("net.layers[2].bias = 1", "'type(self.layers[2].bias)' expected float, got int"),
        ("net.layers = tuple(net.layers)", "'type(self.layers)' expected list, got tuple"),
    ],
)
def test_attributes_and_items_in_the_words_of_the_source(change, message, caplog):
    net = Net()
    step = pijit.jit(fresh_step())
    pijit.set_logs("guards")
    step(net, U)
    exec(change, {"net": net})
    step(net, U)
    assert said(caplog)[0].startswith(f"{message} -> ")


def fresh_step():
    """The method on a code object of its own."""
    return types.FunctionType(Net.step.__code__.replace(), globals())


def test_a_builtin_hidden_by_a_global_defined_later(caplog):
    space = {}
    exec("def step(u):\n    return abs(u) + 1.0\n", space)
    step = pijit.jit(space["step"])
    pijit.set_logs("guards")
    assert step(-1.0) == 2.0
    space["abs"] = float
    assert step(-1.0) == 0.0
    del space["abs"]
    assert step(-1.0) == 2.0
    assert said(caplog)[0].startswith("'abs' expected the builtin, got a global of this name -> ")


def test_read_only_target(caplog):
    @pijit.jit
    def step(u):
        u += 1.0
        return u

    pijit.set_logs("guards")
    step(U.copy())
    with pytest.raises(ValueError, match="read-only"):
        step(read_only(U.copy()))
    assert said(caplog)[0].startswith("'u.flags.writeable' expected True, got False -> ")


def test_the_line_of_the_issue(caplog):
    """The format that the documentation shows, to the letter."""
    source = "import pijit\n" * 13 + "def step(u):\n    return u * 2.0 + 1.0\n"
    space = {}
    exec(compile(source, "heat.py", "exec"), space)
    step = pijit.jit(space["step"])
    pijit.set_logs("guards")
    step(U)
    step(U.astype(np.float32))
    (record,) = caplog.records
    assert re.fullmatch(
        r"heat\.py:15 step\(\): 'u\.dtype' expected float64, got float32 -> compiled fragment 2 of 8 \(\d+ ms\)",
        record.getMessage(),
    )
    assert record.name == "pijit.guards"


def test_globals_closures_and_defaults_by_their_names(caplog, monkeypatch):
    offset = 1

    @pijit.jit
    def step(u):
        return helper(u) * RATE + offset if LIMIT is None else u

    pijit.set_logs("guards")
    step(U)
    monkeypatch.setitem(globals(), "RATE", 2.5)
    step(U)
    offset = 1.5
    step(U)
    monkeypatch.setitem(globals(), "helper", other_helper)
    step(U)
    monkeypatch.setitem(globals(), "LIMIT", 3)
    step(U)
    texts = [text.partition(" -> ")[0] for text in said(caplog)]
    assert texts == [
        "'RATE' expected int, got float".replace("'RATE'", "'type(RATE)'"),
        "'type(offset)' expected int, got float",
        "'helper' expected helper, got other_helper",
        "'LIMIT' expected None, got 3",
    ]


def test_how_often_since_when_what_it_cost_and_what_to_do(caplog):
    @pijit.jit
    def step(u):
        return u * 2.0 + 1.0

    pijit.set_logs("guards")
    for dtype in (np.float64, np.float32, np.int64):
        step(U.astype(dtype))
    first, second = said(caplog)
    assert ";" not in first
    assert re.search(r"; failure 2 here since \d\d:\d\d:\d\d, \d+ ms of compiling\. PJ304: Convert once at the border", second)


def test_recompiles_say_why(caplog):
    @pijit.jit
    def step(u):
        return u * 2.0 + 1.0

    pijit.set_logs("recompiles")
    step(U)
    step(U[0].copy())
    (text,) = said(caplog, "recompiles")
    assert text.startswith("compiled fragment 2 of 8 (")
    assert text.endswith("because 'u.ndim' expected 2, got 1")


def test_every_guard_kind_has_words():
    """A row of csrc/guards.def without a function here would be an internal error in the middle of a program."""
    from pathlib import Path

    table = (Path(__file__).parent.parent / "csrc" / "guards.def").read_text()
    assert set(re.findall(r'^GUARD\(\w+, "(\w+)"', table, re.MULTILINE)) == set(failures.DIFFERENCES)


UNSET = object()
ROWS = [
    (("is", 0, len), "f", max, "'f' expected len, got max", "PJ303"),
    (("is", 0, "a"), "mode", "b", "'mode' expected 'a', got 'b'", "PJ302"),
    (("int_value", 0, 3), "n", 4, "'n' expected 3, got 4", "PJ302"),
    (("apart", 0, 1), "layers", [], "'layers' expected another list than one that is stored to, got the same", "PJ303"),
    (("length", 0, 3), "pair", (1, 2), "'len(pair)' expected 3, got 2", "PJ314"),
    (("no_global", "x"), "x is not defined", UNSET, "'x' expected no such variable, got one", "PJ310"),
    (("unset", 2), "y is not bound", UNSET, "'y' expected no value, got one", "PJ310"),
    (("local", 2), "y", UNSET, "'y' expected a value, got nothing", "PJ309"),
    (("unmonitored", helper.__code__), "no tool of sys.monitoring watches helper", UNSET,
     "'the events of helper' expected no tool that watches them, got one", "PJ313"),
    (("loop", 0, 0), "", UNSET, "'a loop of a ufunc' expected NumPy's own, got another", "PJ303"),
    (("globals", {"__name__": "m"}), "", UNSET, "expected the globals of m, got another module's", "PJ315"),
    (("complex", 0, 3), "z", 1.0, "'type(z)' expected complex, got float", "PJ301"),
    (("object", 0, 3, dict), "d", [], "'type(d)' expected dict, got list", "PJ301"),
    (("type", 0, tuple), "t", [], "'type(t)' expected tuple, got list", "PJ301"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "name", "got", "text", "id"), ROWS)
def test_rows_in_words(row, name, got, text, id):
    found = failures.difference(row, name, got, UNSET)
    assert (found.text(), found.id) == (text, id)
    assert found.hint == reasons.lookup(id).hint


def test_changed_defaults_and_code():
    row = ("python_function", 0, helper.__code__, globals(), 1)
    assert failures.difference(row, "helper", other_helper, UNSET).text() == (
        f"'helper.__code__' expected the code of line {helper.__code__.co_firstlineno}, got other code"
    )
    assert failures.difference(row, "helper", helper, UNSET).text() == "'helper.__defaults__' expected some, got none"
    assert failures.difference(("is", 0, (1, "a")), "helper.__defaults__", (2,), UNSET).text() == "'helper.__defaults__' expected 1, 'a', got 2"


def test_errstate(caplog):
    @pijit.jit
    def step(u):
        return u * 2.0 + 1.0

    pijit.set_logs("guards")
    step(U)
    with np.errstate(all="ignore"):
        step(U)
    (text,) = said(caplog)
    assert text.startswith("'np.geterr()' expected NumPy's error state of that time, got divide=ignore, over=ignore")


# ---- limits ----


def test_types_that_change_for_ever_do_not_compile_for_ever(caplog):
    @pijit.jit
    def step(u):
        return u + u

    pijit.set_logs("guards")
    pijit.config.max_fragments = 3
    for n in range(1, 12):
        u = np.ones((2,) * n)
        assert step(u).shape == u.shape
    stats = pijit.stats(step)
    assert stats.compiles == 3
    assert stats.gave_up == "PJ402"
    assert tiers.record_of(step.__code__).last_reason.startswith("'u.ndim' expected")
    last = said(caplog)[-1]
    assert "-> interpreter from here on: all 3 fragments are used (PJ402)" in last
    assert len(said(caplog)) == 3


def test_what_does_not_fit_what_it_was_compiled_for_is_compiled_once(caplog):
    """Whether something in no variable refers to the iterator of a loop is seen by the guard only."""

    @pijit.jit
    def total(kept):
        s = 0.0
        for x in kept[0]:
            s = s + x
        return s

    pijit.set_logs("guards")
    for _ in range(3):
        assert total([iter([1.5] * 100)]) == 150.0
    stats = pijit.stats(total)
    assert (stats.compiles, stats.hits, stats.gave_up) == (1, 0, "PJ411")
    assert [fragment.retired for fragment in stats.fragments] == ["PJ411"]
    (line,) = said(caplog)
    assert "expected an object that nothing else refers to, got a shared list_iterator" in line
    assert "-> interpreter from here on: what was compiled did not fit what it was compiled for (PJ411)" in line
    walks = _native.counters()["walks"]
    assert total([iter([1.5] * 100)]) == 150.0
    assert _native.counters()["walks"] == walks
    assert "PJ411 fragment that never fitted" in str(pijit.explain(total, [iter([1.5] * 100)]))


def test_fragments_of_a_full_entry_stay_in_use():
    @pijit.jit
    def step(u):
        return u * u + u * 2.0 - u

    pijit.config.max_fragments = 2
    arrays = [np.ones((2,) * n) for n in range(1, 5)]
    for _ in range(3):
        for u in arrays:
            step(u)
    before = pijit.stats(step).hits
    step(arrays[0])
    step(arrays[1])
    assert pijit.stats(step).hits == before + 2


def test_fragments_of_a_full_entry_that_hardly_ever_fit_go():
    """Looking for one that fits costs each call something."""

    @pijit.jit
    def step(u):
        return u * u + u * 2.0 - u

    pijit.config.max_fragments = 2
    arrays = [np.ones((2,) * n) for n in range(1, 4)]
    for u in arrays[:2]:
        step(u)
    for _ in range(9000):
        step(arrays[2])
    stats = pijit.stats(step)
    assert [fragment.retired for fragment in stats.fragments] == ["PJ402"] * 2
    walks = _native.counters()["walks"]
    for u in arrays:
        step(u)
    assert _native.counters()["walks"] == walks


def test_captures_in_vain_end():
    """Where a fragment is and others are not worth it, it is not captured again for ever."""
    source = "def f(n, items, out):\n    for i in items:\n        out.append(i)\n    return n * 1.5 + 2.0\n"
    space = {}
    exec(source, space)
    f = pijit.jit(space["f"])
    pijit.config.compile_all = False
    tried = []
    plain = driver.capture_entry
    driver.capture_entry = lambda *args: tried.append(args[1]) or plain(*args)
    try:
        for i in range(30_000):
            f(1 + i % 2, [i] * (i % 3), [])
    finally:
        driver.capture_entry = plain
    assert len(tried) < 30


def test_new_types_for_ever_in_a_loop_give_up_there():
    source = "def f(items):\n    s = 0.0\n    for i in range(len(items)):\n        s = s + items[i].sum()\n    return s\n"
    space = {}
    exec(source, space)
    f = pijit.jit(space["f"])
    items = [np.ones((1 + k % 3,) * (1 + k % 9)) for k in range(9000)]
    assert f(items) == space["f"](items)
    per_entry = len(tiers.record_of(f.__code__).plan.entries) * pijit.config.max_fragments
    assert pijit.stats(f).compiles <= per_entry


# ---- PIJIT_TRACE ----

PROGRAM = """
import numpy as np, pijit
@pijit.jit
def step(u):
    print("x")
    return u * 2.0 + 1.0
step(np.ones(3)); step(np.ones(3, 'f4'))
"""


def test_trace_file_has_everything_as_json_lines(tmp_path):
    import os

    file = tmp_path / "trace.jsonl"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, env={**os.environ, "PIJIT_TRACE": str(file)})
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert len({row["pid"] for row in rows}) == 2  # appended
    assert {row["channel"] for row in rows} >= {"guards", "breaks", "recompiles", "perf", "graph", "code"}
    (failure,) = [row for row in rows if row["channel"] == "guards" and row["pid"] == rows[0]["pid"]]
    assert failure["function"] == "step"
    assert failure["line"] == 6
    assert (failure["id"], failure["source"], failure["expected"], failure["got"]) == ("PJ304", "u.dtype", "float64", "float32")
    assert failure["failures"] == 1


def test_trace_file_that_cannot_be_written_is_one_line(tmp_path):
    import os

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env={**os.environ, "PIJIT_TRACE": str(tmp_path)}, check=True
    )
    assert done.stdout == "x\nx\n"
    (line,) = done.stderr.splitlines()
    assert line == f"pijit: PIJIT_TRACE={str(tmp_path)!r} cannot be written (Is a directory); ignored"


def test_nothing_is_put_together_when_nobody_listens(monkeypatch):
    monkeypatch.setattr(log, "admit", lambda *a: pytest.fail("a message was made"))

    @pijit.jit
    def step(u):
        print(end="")
        return u * 2.0 + 1.0

    step(U)
    step(U[0].copy())


def test_texts_that_vary_are_not_compiled_for_again_and_again():
    @pijit.jit
    def f(names, x):
        total = 0.0
        for name in names:
            label = f"{name}: {total:.1f}"
            for i in range(len(x)):
                total += x[i]
            print(label, f"{total:.2f}", np.sum(x), file=sys.stderr)
        return total

    x = np.ones(5)
    assert f([f"n{i}" for i in range(60)], x) == 300.0
    assert pijit.stats(f).compiles < 20
    assert max(len([other for other in pijit.stats(f).fragments if other.line == one.line]) for one in pijit.stats(f).fragments) < 6
