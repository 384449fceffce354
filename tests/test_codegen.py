"""Runs tests/codegen in a process of its own: see conftest.py."""

import subprocess
import sys
from pathlib import Path

import pytest

FILES = sorted(path.name for path in (Path(__file__).parent / "codegen").glob("test_*.py"))


@pytest.mark.many
@pytest.mark.parametrize("file", FILES)
def test_codegen(file):
    folder = Path(__file__).parent / "codegen"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(folder / file)],
        capture_output=True,
        text=True,
        cwd=folder.parent.parent,
    )
    assert run.returncode == 0, run.stdout[-10000:] + run.stderr[-2000:]
