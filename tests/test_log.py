"""Channels, PIJIT_LOGS, set_logs, ordinary logging configuration, floods."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import pijit
from pijit.ground import log

CODE = test_code = (lambda: None).__code__


def run(program, **environ):
    import os

    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, **environ}
    )


EMIT = """
import pijit
from pijit.ground import log
def step(): pass
log.event("guards", step.__code__, 4, "text")
log.event("breaks", step.__code__, 4, "other")
"""


@pytest.mark.parametrize("name", log.CHANNELS)
def test_each_channel_is_a_row_that_can_be_switched(name):
    assert log.CHANNELS[name]
    assert not log.enabled(name)
    pijit.set_logs(name)
    assert [c for c in log.CHANNELS if log.enabled(c)] == [name]
    pijit.set_logs()
    assert not log.enabled(name)


@pytest.mark.parametrize(
    "spelling", [("guards,breaks",), ("guards", "breaks"), (["guards", "breaks"],), ("guards breaks",)]
)
def test_spellings(spelling):
    pijit.set_logs(*spelling)
    assert [c for c in log.CHANNELS if log.enabled(c)] == ["guards", "breaks"]


def test_all():
    pijit.set_logs("all")
    assert all(map(log.enabled, log.CHANNELS))


def test_unknown_channel_lists_those_that_exist():
    pijit.set_logs("perf")
    with pytest.raises(ValueError) as caught:
        pijit.set_logs("guards", "guardz")
    assert str(caught.value) == (
        "pijit: no log channel 'guardz'; there are: guards, breaks, recompiles, exits, graph, code, cache, perf, all"
    )
    assert log.enabled("perf")  # nothing has changed


def test_variable_switches_on_and_prints_to_stderr():
    done = run(EMIT, PIJIT_LOGS="guards")
    assert done.stderr == "pijit.guards: <string>:4 step(): text\n"
    assert done.stdout == ""


def test_nothing_is_printed_by_default():
    assert run(EMIT).stderr == ""


def test_mistake_in_the_variable_is_one_line():
    done = run("import pijit", PIJIT_LOGS="guards,nosuch")
    (line,) = done.stderr.splitlines()
    assert line.startswith("pijit: no log channel 'nosuch'; there are: guards,")


def test_mistake_in_a_setting_is_one_line():
    done = run("import pijit; print(pijit.config.max_fragments)", PIJIT_MAX_FRAGMENTS="many")
    assert done.stderr == "pijit: PIJIT_MAX_FRAGMENTS='many' is not an int; ignored\n"
    assert done.stdout == "8\n"


def test_settings_from_the_environment():
    done = run(
        "import pijit as p; print(p.config.enabled, p.config.threshold_calls)", PIJIT="0", PIJIT_THRESHOLD_CALLS="9"
    )
    assert done.stdout == "False 9\n"


def test_programs_own_logging_configuration_wins():
    setup = "import logging, sys\nlogging.basicConfig(stream=sys.stdout, format='%(name)s!%(message)s', level=0)\n"
    done = run(setup + "logging.getLogger('pijit.guards').setLevel('INFO')\n" + EMIT)
    assert (done.stdout, done.stderr) == ("pijit.guards!<string>:4 step(): text\n", "")
    assert run(setup + EMIT).stdout == ""  # level 0 at the root does not ask for our channels


def test_event_names_the_place(caplog):
    pijit.set_logs("exits")
    log.event("exits", CODE, 14, "left")
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("pijit.exits", logging.INFO)
    assert record.getMessage() == f"{log.shown_path(__file__)}:14 <lambda>(): left"


def test_paths_below_the_working_directory_are_short(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert log.shown_path(str(tmp_path / "heat.py")) == "heat.py"
    assert log.shown_path("/elsewhere/heat.py") == "/elsewhere/heat.py"


def test_floods_are_counted(caplog, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(log.clock, "monotonic", lambda: clock[0])
    monkeypatch.setattr(log, "FLOODS", {})
    pijit.set_logs("guards")
    pijit.config.log_burst = 3
    for _ in range(10):
        log.event("guards", CODE, 1, "again")
    log.event("guards", CODE, 2, "another place")
    assert len(caplog.records) == 4
    clock[0] += 2
    log.event("guards", CODE, 1, "again")
    assert [r.getMessage().split(": ")[1] for r in caplog.records[4:]] == [
        "7 more lines like this were left out",
        "again",
    ]
    for _ in range(5):
        log.event("guards", CODE, 1, "again")
    caplog.clear()
    log.report_all_dropped()
    assert ["3 more lines" in r.getMessage() for r in caplog.records] == [True]


def test_internal_errors_are_always_seen(caplog):
    log.internal("boom")
    assert "PJ901" in caplog.text
    log.INTERNAL_ERRORS.clear()  # or the test fails, as it should whenever there are any
