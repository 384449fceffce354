"""explain's report and verify's verdict; doctor and cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pijit
from pijit.reports.likeness import copied, unlike

ROOT = Path(__file__).parent.parent
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT)}


def heat(u, n):
    print("start")
    v = u + 1.0
    for _ in range(n):
        v[1:-1] += 0.25 * (v[2:] - v[:-2])
    return v


LINE = heat.__code__.co_firstlineno


def test_a_report_of_a_plain_function(capsys):
    report = pijit.explain(heat, np.ones(50), 20)
    assert capsys.readouterr().out == "start\n"  # it ran once
    data = report.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert {line["by"] for line in data["lines"] if line["line"] == LINE + 1} == {"break"}
    assert {line["by"] for line in data["lines"] if line["line"] == LINE + 4} == {"native"}
    (row,) = data["breaks"]
    assert (row["id"], row["line"], row["detail"]) == ("PJ115", LINE + 1, "print")
    last = data["fragments"][-1]
    assert {"source": "u", "text": "u is a float64 array of shape (n,), order C"} in last["guards"]
    assert all("multiply" in kernel["text"] or "add" in kernel["text"] for kernel in last["kernels"])
    assert all("define" in kernel["code"] for kernel in last["kernels"])
    text = str(report)
    assert f"  break  {LINE + 1:5} | " in text
    assert "^ PJ115 call with an effect outside the program's arrays (print), once." in text
    assert "  graph\n    fragment(" in text
    assert "\033[" not in text
    assert "\033[31m" in report.text(colour=True)
    assert report._repr_html_().startswith("<pre>")
    assert pijit.stats(heat).compiles == 0  # the function itself is as it was


def test_a_report_of_a_jitted_function_says_why_it_was_compiled_again():
    space = {}
    exec("def step(u):\n    return u * 2.0 + 1.0\n", space)
    step = pijit.jit(space["step"])
    step(np.ones(3))
    step(np.ones(3, np.float32))
    data = pijit.explain(step).to_dict()  # not called: it needs an argument
    assert [f["because"] for f in data["fragments"]] == ["", "'u.dtype' expected float64, got float32"]
    assert data["failures"][0]["id"] == "PJ304"
    assert "because  'u.dtype' expected float64, got float32" in str(pijit.explain(step))


def test_methods_partials_errors_and_what_is_no_function():
    class A:
        def m(self, x):
            return x / 0

    assert pijit.explain(A().m, 1).to_dict()["raised"] == "ZeroDivisionError: division by zero"
    with pytest.raises(TypeError, match="explain: <built-in function len> is not a Python function"):
        pijit.explain(len, [])
    with pytest.raises(TypeError, match="verify: <built-in function len> is not a Python function"):
        pijit.verify(len, [])


def test_verify_agrees_and_leaves_the_arguments_alone():
    def f(u):
        u += np.random.random()
        return u * u

    u = np.arange(5.0)
    verdict = pijit.verify(f, u)
    assert verdict
    assert "agree bit for bit" in str(verdict)
    assert np.array_equal(u, np.arange(5.0))
    assert pijit.verify(lambda x: x / 0, 1)  # the same exception is agreement


WRONG = """
import numpy as np, pijit
from pijit.codegen import scalars
row = scalars._FORMULAS["subtract", "float64"]
scalars._FORMULAS["subtract", "float64"] = (lambda e, d, a, b: e.builder.fsub(b, a), *row[1:])
space = {}
exec(compile("def f(u, v):\\n    w = u * v\\n    return w - v + u\\n", "prog.py", "exec"), space)
verdict = pijit.verify(space["f"], np.array([2.0, 3.0]), np.array([5.0, 7.0]))
print(bool(verdict), verdict.place, verdict.difference.where, "subtract" in verdict.operation)
"""


def test_verify_names_the_operation_and_its_line():
    environ = {**ENVIRON, "PIJIT_CACHE": "0"}
    done = subprocess.run([sys.executable, "-c", WRONG], capture_output=True, text=True, env=environ, check=True)
    assert done.stdout == "False prog.py:3 result[0] True\n"


def test_copies_share_memory_as_the_originals_do():
    base = np.arange(10.0)
    a, b, c = copied([base, base[2:5], base[::-2]])
    assert np.shares_memory(a, b)
    assert not np.shares_memory(a, base)
    assert c.strides == (-16,)
    assert unlike([base], [a], "x") is None


@pytest.mark.parametrize(
    ("plain", "native", "where"),
    [
        (1, 1.0, "type(r)"),
        ((1, 2), (1, 3), "r[1]"),
        ({"a": 0.0}, {"a": -0.0}, "r['a']"),
        (np.zeros(3), np.zeros(3, "f4"), "r.dtype"),
        (np.zeros((2, 2)), np.array([[0, 0], [0, 1.0]]), "r[1, 1]"),
        ([1], [1, 2], "len(r)"),
    ],
)
def test_differences_are_placed(plain, native, where):
    assert unlike(plain, native, "r").where == where
    assert unlike(plain, plain, "r") is None
    assert unlike(float("nan"), -float("nan"), "r") is None


def test_cache_command(tmp_path):
    def command(*arguments, **environ):
        done = subprocess.run(
            [sys.executable, "-m", "pijit", "cache", *arguments], capture_output=True, text=True, check=False,
            env={**ENVIRON, "PIJIT_CACHE_DIR": str(tmp_path), **environ},
        )  # fmt: skip
        return done.stdout + done.stderr

    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "cdef").write_bytes(b"x" * 100)
    (tmp_path / "mine.txt").write_text("not ours")
    assert command() == f"folder     {tmp_path}\ncontents   1 files, 0.0 MiB\n"
    assert command("clear").endswith("cleared\n")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    assert command(PIJIT_CACHE="0") == "cache      off (PIJIT_CACHE=0)\n"
    assert command("x") == "pijit cache: takes nothing, or `clear`\n"
