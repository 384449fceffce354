"""Runs test files of other projects under pijit, with everything enabled and compiled at the first chance, and judges by plain Python.

1. One process per file, or one for all (--together), in which what runs the tests is compiled once.
   What a file's tests and their processes may take is CPU time, which does not depend on what else the machine does; a file that hangs
   without taking any ends by the clock.
2. A file that is clean under pijit is fine. Else it runs plainly: what fails there too is none of ours.
3. What is left must fail once more, in a second run under pijit, before it counts: such suites have tests of time and of the network.
4. An internal error of pijit, a crash and a file that does not end are failures like any other.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PIJIT = ("-m", "pijit", "run", "--threshold", "1")
INTERNAL = "PJ901"
IDLE = 8  # seconds by the clock per second of CPU time that a file may take


class Suite(NamedTuple):
    """``command``: what runs a file, or several with spaces between, after the interpreter. ``failed``: matches the name of each failed test in
    the output. ``ci``: what --ci stands for. ``enabled``: the modules, as PIJIT_ENABLE has them; everything without any."""

    command: Callable[[str], Sequence[str]]
    failed: re.Pattern[str]
    names: Sequence[str]
    ci: Sequence[str] = ()
    enabled: str = ""


class Outcome(NamedTuple):
    failures: frozenset[str]
    seconds: float
    output: str


def judge(output: str, status: int, failed: re.Pattern[str]) -> frozenset[str]:
    """What went wrong in a run: the names of tests, or what happened to the process."""
    found = {match[1].strip() for match in failed.finditer(output)}
    if INTERNAL in output:
        found.add("internal error of pijit")
    if status < 0:
        found.add(f"ended by {signal.Signals(-status).name}")
    elif status and not found:
        found.add(f"ended with status {status}")
    return frozenset(found)


def run(suite: Suite, name: str, jitted: bool, cpu: int, cache: str) -> Outcome:
    """One file in one process, in a folder of its own."""
    under = [*PIJIT, *([] if suite.enabled else ["--everything"])] if jitted else []
    command = [sys.executable, "-X", "faulthandler", *under, *suite.command(name)]
    enabled = {"PIJIT_ENABLE": suite.enabled} if jitted and suite.enabled else {}
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, "PYTHONPATH": path, "PIJIT_CACHE_DIR": cache, "TMPDIR": folder, **enabled},
        )  # fmt: skip
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (cpu, cpu + 5))
        try:
            status = process.wait(IDLE * cpu)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
        log.seek(0)
        output = log.read().decode(errors="replace")
    return Outcome(judge(output, status, suite.failed), time.monotonic() - start, output)


def compare(suite: Suite, name: str, cpu: int, cache: str) -> tuple[frozenset[str], str]:
    """What fails under pijit and not plainly, and a line that says how it went."""
    first = run(suite, name, True, cpu, cache)
    if not first.failures:
        return frozenset(), f"{name}: passed ({first.seconds:.0f} s)"
    plain = run(suite, name, False, cpu, cache)
    ours = first.failures - plain.failures
    if not ours:
        return frozenset(), f"{name}: {len(first.failures)} fail plainly too"
    second = run(suite, name, True, cpu, cache)
    ours &= second.failures
    if not ours:
        return frozenset(), f"{name}: passed at the second time ({', '.join(sorted(first.failures - plain.failures))})"
    return ours, f"{name}: FAILED {', '.join(sorted(ours))}\n{told(second.output)}"


def told(output: str) -> str:
    """The end, where the suite sums up, and before it the first internal error."""
    end = max(0, len(output) - 20_000)
    error = output.find(INTERNAL)
    return (output[error : min(error + 5_000, end)] + "\n...\n" if 0 <= error < end else "") + output[end:]


def main(suite: Suite, everything: Callable[[], list[str]], arguments: list[str]) -> int:
    """The command line. Gives the exit status."""
    parser = argparse.ArgumentParser(description="Compares a test suite under pijit with the same suite under plain Python.")
    parser.add_argument("names", nargs="*", help="files; without any, the part that CI runs")
    parser.add_argument("--everything", action="store_true", help="all files there are")
    parser.add_argument("--share", default="0/1", metavar="I/N", help="of N equal shares the one at I")
    parser.add_argument("--together", action="store_true", help="all files in one process")
    parser.add_argument("--enable", default=suite.enabled, metavar="MODULES", help="what is enabled, as in PIJIT_ENABLE; without it everything")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="files at a time")
    parser.add_argument("--cpu", type=int, default=240, metavar="S", help="CPU seconds that a file may take")
    options = parser.parse_args([part for given in arguments for part in (suite.ci if given == "--ci" else [given])])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it, and what it starts would too
    there = everything()
    names = options.names or (there if options.everything else [name for name in suite.names if name in there])
    index, count = map(int, options.share.split("/"))
    suite = suite._replace(enabled=options.enable)
    bad: dict[str, frozenset[str]] = {}
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(options.jobs) as pool:
        chosen, cpu = names[index::count], options.cpu
        if options.together and chosen:
            chosen, cpu = [" ".join(chosen)], cpu * len(chosen)
        for name, (ours, line) in zip(chosen, pool.map(lambda name: compare(suite, name, cpu, cache), chosen), strict=True):
            print(line, flush=True)
            if ours:
                bad[name] = ours
    print(f"{len(chosen)} files, {len(bad)} with failures that plain Python does not give")
    for name, ours in bad.items():
        print(f"  {name}: {', '.join(sorted(ours))}")
    return 1 if bad or not chosen else 0
