"""The judge of other projects' test suites: it sees what fails under pijit only, and does not see what fails plainly too or only once."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "suites"))
import compare  # the folder is added above

FAILED = re.compile(r"^FAIL: (\S+)", re.MULTILINE)

# A "file" is a program; pijit's own arguments come first when it runs under pijit. Its folder is new in each run, the cache is not.
WHERE = "import sys, os; under = 'pijit' in sys.modules; count = os.path.join(os.environ['PIJIT_CACHE_DIR'], 'count')"
FILES = {
    "passes": ("print('fine')", set()),
    "fails under pijit": ("print('FAIL: a') if under else 0; sys.exit(under)", {"a"}),
    "fails plainly too": ("print('FAIL: a'); print('FAIL: b') if under else 0; sys.exit(1)", {"b"}),
    "fails once": ("first = under and not os.path.exists(count); open(count, 'w'); print('FAIL: a') if first else 0; sys.exit(first)", set()),
    "crashes": ("os.kill(os.getpid(), 11) if under else 0", {"ended by SIGSEGV"}),
    "says nothing": ("sys.exit(3 if under else 0)", {"ended with status 3"}),
    "does not end": ("while under: pass", {"ended by SIGXCPU"}),
    "internal error": ("print('pijit: PJ901 internal error') if under else 0", {"internal error of pijit"}),
}


INTERRUPTED = """
import pathlib, re, signal, sys
sys.path.insert(0, {folder!r})
import compare
program = pathlib.Path("file.py")
program.write_text("import signal; print('ignored' if signal.getsignal(signal.SIGINT) is signal.SIG_IGN else 'FAIL: a')")
suite = compare.Suite(lambda name: [str(program.resolve())], re.compile(r"^FAIL: (\\S+)", re.MULTILINE), [])
sys.exit(compare.main(suite, list, ["file.py", "--cpu", "8"]))
"""


def test_what_runs_can_be_interrupted(tmp_path):
    """A job in the background ignores interrupts, and so would the tests that it runs."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(folder=str(Path(compare.__file__).parent))], capture_output=True, text=True, cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert "1 fail plainly too" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", FILES)
def test_judgement(name, tmp_path):
    program, expected = FILES[name]
    path = tmp_path / "file.py"
    path.write_text(f"{WHERE}\n" + "\n".join(program.split("; ")) + "\n")
    suite = compare.Suite(lambda name: [name], FAILED, [])
    found, line = compare.compare(suite, str(path), 8, str(tmp_path))
    assert found == expected, line


@pytest.mark.parametrize(("before", "after"), [(0, 0), (10, 30_000), (30_000, 10), (30_000, 90_000)])
def test_an_internal_error_is_told_and_how_it_ended(before, after):
    output = "b" * before + "PJ901 internal error" + "a" * after + "summary"
    told = compare.told(output)
    assert "PJ901 internal error" in told
    assert told.endswith("summary")
    assert len(told) < 26_000
