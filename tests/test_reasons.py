"""The registry of reasons."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pijit
from pijit.command import reasons as command
from pijit.ground import reasons
from pijit.trace import tracer


def test_ids_and_keys_are_unique_and_well_formed():
    assert len(reasons.BY_ID) == len(reasons.BY_KEY) == len(reasons.ROWS)
    for row in reasons.ROWS:
        assert re.fullmatch(r"PJ[12349]\d\d", row.id)
        assert re.fullmatch(r"[a-z_]+", row.key)
        assert row.title
        assert not row.title.endswith(".")
        assert row.explanation.endswith(".")
        assert row.hint.endswith(".")
        compile(row.example, row.id, "exec")


def test_ids_ascend():
    assert [row.id for row in reasons.ROWS] == sorted(reasons.BY_ID)


def test_lookup_by_id_and_key():
    assert reasons.lookup("PJ101") is reasons.lookup("pj101") is reasons.lookup("opcode")
    assert reasons.lookup("int_overflow").kind == "exit"
    with pytest.raises(KeyError, match="no reason 'x'"):
        reasons.lookup("x")


# Stable for ever: what users search for and what tests and tools compare with.
PINNED = {
    "opcode": "PJ101",
    "unsupported_call": "PJ111",
    "unsupported_type": "PJ121",
    "int_overflow": "PJ201",
    "index_error": "PJ202",
    "zero_division": "PJ203",
    "guard_type": "PJ301",
    "guard_array_dtype": "PJ304",
    "too_many_versions": "PJ402",
    "internal": "PJ901",
}


@pytest.mark.parametrize("key", PINNED)
def test_pinned(key):
    assert reasons.lookup(key).id == PINNED[key]


# Where a key stands in the code: the second pattern is for the tracer's way of writing them.
USES = [
    r"\b(?:add_break|capture_error|CaptureError|unchanged|retire|lookup|Break)\([^)\[\n]*?\"([a-z_]+)\"",
    r"\breason=\"([a-z_]+)\"",
    r"\bt\.check\(.*\"([a-z_]+)\"\)$",
    r"\bexit\(\"\w+\", \"([a-z_]+)\"",
]


@pytest.mark.parametrize("pattern", USES)
def test_every_key_used_in_the_code_exists(pattern):
    for file in Path(pijit.__file__).parent.rglob("*.py"):
        for key in re.findall(pattern, file.read_text(), re.MULTILINE):
            assert key in reasons.BY_NAME, f"{file}: {key}"


def test_operations_that_leave_have_a_reason():
    ops = pytest.importorskip("pijit.ir.ops")
    # Those whose reason is always given where they are emitted.
    given = r"int_\w+|float_(div|floordiv|mod)|complex_abs|check\w*|np_op|ew|list_get"
    for name, row in ops.OPS.items():
        if row.exits == ("redo",) and not re.fullmatch(given, name):
            assert tracer.REASONS.get(name, name) in reasons.BY_NAME, name


def test_command_lists_and_describes(capsys):
    command.main([])
    assert len(capsys.readouterr().out.splitlines()) == len(reasons.ROWS)
    command.main(["PJ201", "opcode"])
    out = capsys.readouterr().out
    assert "PJ201 int_overflow: integer outgrew 64 bits (exit)" in out
    assert "PJ101" in out
    assert "    Example:\n        @pijit.jit\n        def f(x):\n            return x + x\n\n        f(2**62)\n" in out
    with pytest.raises(SystemExit, match="no reason 'nosuch'"):
        command.main(["nosuch"])


def test_the_page_in_docs_is_up_to_date():
    page = Path(__file__).parent.parent / "docs" / "reasons.md"
    assert page.read_text() == reasons.page(), "python -m pijit reasons --page > docs/reasons.md"
