"""Case files: Python in; fragments (guards and optimised graph) and breaks out, the same on every version. Each case is also run differentially.

    python tests/test_cases.py --rewrite [name...]      writes what comes out now into the files; look at the difference before you commit it

A file is a title, the source, a line `call: arguments` for each call (none: the source is a module), and what comes out.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from differential import check_calls, describe, settings, subject_of

from pijit.runtime import tiers

FILES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
RULE = "-" * 40


@dataclass
class Case:
    title: str
    source: str
    calls: list[tuple[Any, ...]]
    head: str  # everything before what comes out
    expected: str


def read(file: Path) -> Case:
    head, _, expected = file.read_text().partition(RULE + "\n")
    lines = head.splitlines()
    calls = [eval(f"({line.removeprefix('call:')},)", {"np": np}) for line in lines if line.startswith("call:")]
    source = "\n".join(line for line in lines[1:] if not line.startswith("call:")).strip() + "\n"
    return Case(lines[0], source, calls, head, expected)


def run_function(case: Case) -> Any:
    subject = subject_of(case.source, None)
    instance = subject.make()
    instance.jit({})
    instance.run([(call, {}) for call in case.calls])
    return instance.function.__code__


def run_module(source: str, native: bool) -> tuple[Any, dict[str, Any]]:
    code = compile(source, "<case>", "exec", dont_inherit=True)
    namespace: dict[str, Any] = {"np": np}
    if native:
        tiers.enable_namespace(namespace)
    try:
        exec(code, namespace)
    finally:
        tiers.disable_namespace(namespace)
    return code, {name: describe(value) for name, value in namespace.items() if not name.startswith("__")}


def outcome(case: Case) -> str:
    """What comes out: fragments in the order of their lines, then breaks."""
    with settings(compile_all=True, threshold_calls=1, threshold_loops=1, patience_ms=0):
        code = run_function(case) if case.calls else run_module(case.source, native=True)[0]
    record = tiers.record_of(code)
    assert record is not None
    parts = []
    for fragment in sorted(record.fragments, key=lambda f: (f.line, f.kind, f.texts["graph"])):
        guards = "".join(f"  {text}\n" for text in fragment.guards if not text.endswith(" exists"))
        parts.append(f"{fragment.kind}, line {fragment.line}\n{guards}{fragment.texts['graph']}")
    breaks = sorted({(b.line, b.reason, b.detail) for b in record.breaks})
    parts += [f"break, line {line}: {reason} {detail}\n" for line, reason, detail in breaks]
    return "\n".join(parts)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_text(file):
    case = read(file)
    assert outcome(case) == case.expected, "tests/README.md says how to rewrite case files"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_differential(file):
    case = read(file)
    if case.calls:
        check_calls(case.source, [call for call in case.calls for _ in range(2)])
    else:
        with settings(compile_all=True, threshold_loops=1):
            assert run_module(case.source, native=True)[1] == run_module(case.source, native=False)[1]


def rewrite(names: list[str]) -> None:
    for file in FILES:
        if not names or file.stem in names:
            case = read(file)
            file.write_text(case.head + RULE + "\n" + outcome(case))


if __name__ == "__main__" and sys.argv[1:2] == ["--rewrite"]:
    rewrite(sys.argv[2:])
