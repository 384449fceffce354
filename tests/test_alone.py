"""Runs the files of tests/codegen and tests/alone, each in a process of its own: see conftest.py."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shares import WHOLE, is_whole

HERE = Path(__file__).parent
FILES = sorted(path.relative_to(HERE).as_posix() for folder in ("alone", "codegen") for path in (HERE / folder).glob("test_*.py"))


@pytest.mark.many
@pytest.mark.parametrize("file", FILES)
def test_alone(file, pytestconfig):
    whole = {WHOLE: "1"} if is_whole(pytestconfig) else {}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(HERE / file)],
        capture_output=True,
        text=True,
        cwd=HERE.parent,
        env={**os.environ, **whole},
    )
    none = {pytest.ExitCode.NO_TESTS_COLLECTED} if whole else set()  # all are other versions' in this turn
    assert run.returncode in {pytest.ExitCode.OK, *none}, run.stdout[-10000:] + run.stderr[-2000:]
