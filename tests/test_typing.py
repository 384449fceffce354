"""The sample of user code passes type checkers. What it marks as wrong must be wrong: unused ignores are errors."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SAMPLE = HERE / "typing" / "sample.py"


def test_mypy():
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", str(SAMPLE)],
        capture_output=True, text=True, check=False, cwd=HERE.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright():
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed")
    done = subprocess.run(["pyright", "--pythonpath", sys.executable, str(SAMPLE)], capture_output=True, text=True, check=False, cwd=HERE.parent)
    assert done.returncode == 0, done.stdout
