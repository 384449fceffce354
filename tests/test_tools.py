"""Tools that look at a running program see with everything enabled what they see without: coverage.py, debugpy, faulthandler, tracemalloc.
And programs end as they do without, whatever still runs."""

from __future__ import annotations

import gc
import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

import pijit

ROOT = Path(__file__).resolve().parent.parent
RUN = ("-m", "pijit", "run", "--everything", "--threshold", "1")


def both(folder, source, *arguments, status=0, **environment):
    """What a program prints plainly and with everything enabled; ``arguments``: what runs it, after the interpreter."""
    (folder / "program.py").write_text(textwrap.dedent(source))
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    printed = []
    for run in ((), RUN):
        done = subprocess.run(
            [sys.executable, *run, *arguments, "program.py"], capture_output=True, text=True, cwd=folder, timeout=100, check=False,
            env={**os.environ, "PYTHONPATH": path, **environment},
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        assert "PJ901" not in done.stderr, done.stderr
        printed.append(done.stdout.splitlines())
    return printed


def needs(module):
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


# ---- coverage.py ------------------------------------------------------------------------------------------------------------

COVERED = """
    import coverage, sys
    class Thing:
        def __init__(self, k):
            self.k = k
        def step(self, x):
            if x > self.k:
                return x - 1
            return x + 1
    def work(n, fail):
        s = 0.0
        for i in range(n):
            if i % 7 == 3:
                s = s + i * 0.5
            elif i > 10**6:
                s = -1.0
            else:
                s = thing.step(s)
        try:
            s = [1, 2][n] + s
        except IndexError:
            s = s + 1
        while fail and n:
            n -= 1
            if n == 3:
                break
        return [x for x in range(3) if x != s]
    def generator(n):
        for i in range(n):
            yield i
    thing = Thing(5)
    for _ in range(3):
        work(300, True)
    found = coverage.Coverage(data_file=None, include=[__file__], branch=BRANCH, config_file=False)
    found.start()
    work(300, False)
    found.stop()
    work(300, True)
    found.start()
    work(20, True)
    list(generator(5))
    found.stop()
    data = found.get_data()
    print(sorted(data.lines(__file__)), sorted(data.arcs(__file__) or ()))
    """


@needs("coverage")
@pytest.mark.parametrize("core", ["ctrace", "pytrace", *(["sysmon"] if sys.version_info >= (3, 12) else [])])
def test_coverage_of_what_is_compiled(core, tmp_path):
    source = COVERED.replace("BRANCH", str(core != "sysmon"))
    plain, ours = both(tmp_path, source, COVERAGE_CORE=core)
    assert ours == plain
    assert len(plain[0]) > 50


@needs("coverage")
def test_coverage_of_a_program(tmp_path):
    source = textwrap.dedent(COVERED).replace("import coverage, sys", "import sys").partition("found =")[0]
    both(tmp_path, source, "-m", "coverage", "run", "-p", "--branch")
    reports = [
        subprocess.run(
            [sys.executable, "-m", "coverage", "report", "-m", f"--data-file={data.name}"], capture_output=True, text=True, cwd=tmp_path, check=True
        ).stdout
        for data in tmp_path.glob(".coverage.*")
    ]
    assert len(reports) == 2
    assert reports[0] == reports[1]
    assert "program.py" in reports[0]


# ---- perf -------------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not sysconfig.get_config_var("PY_HAVE_PERF_TRAMPOLINE"), reason="this Python has no trampolines for perf")
def test_perf_has_the_frames(tmp_path):
    """A process that forks begins a file of its own, if CPython still evaluates frames for perf."""
    source = """
        import os, sys
        def work(x):
            return x * 0.5 + 1.0
        print(sum(work(float(k)) for k in range(2000)), sys.is_stack_trampoline_active(), flush=True)
        def maps():
            path = f"/tmp/perf-{os.getpid()}.map"
            found = os.path.exists(path)
            if found:
                os.remove(path)
            return found
        sys.stdout.flush()
        child = os.fork()
        if not child:
            os._exit(10 * maps() + sys.is_stack_trampoline_active())
        print(maps(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    plain, ours = both(tmp_path, source, PYTHONPERFSUPPORT="1")
    assert plain == ours == ["1001500.0 True", "True 11"]


# ---- faulthandler, tracemalloc ----------------------------------------------------------------------------------------------


def test_a_dump_while_a_loop_runs_natively(tmp_path):
    """The frames of the program are there; of a callee that is compiled into its caller, the caller's."""
    source = """
        import faulthandler, sys
        def work(n):
            s = 0.0
            for i in range(n):
                s = s + i * 0.5
            return s if n else sys._getframe()  # which keeps it out of its caller
        def outer(n):
            return work(n) + 1
        for _ in range(3):
            outer(1000)
        faulthandler.dump_traceback_later(2, exit=True, file=sys.stdout)
        outer(10**12)
        """
    plain, ours = ([re.sub(r", line \d+|0x\w+", "", line) for line in lines] for lines in both(tmp_path, source, status=1))
    assert ours[: len(plain)] == plain
    assert any(line.endswith("in work") for line in plain)


def test_memory_is_traced_to_the_program(tmp_path):
    """What a function allocates counts for its file, and what is let go is gone."""
    source = """
        import tracemalloc
        import numpy as np
        def make(n):
            kept = []
            for i in range(n):
                kept.append([i, i * 0.5])
            return kept
        def arrays(n):
            a = np.zeros(n)
            return a * 2 + 1
        for _ in range(3):
            make(1000), arrays(1000)
        tracemalloc.start()
        def look():
            own = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__)])
            return round(sum(trace.size for trace in own.traces) / 2e5)
        kept, array = make(20000), arrays(100000)
        print(look(), tracemalloc.get_object_traceback(array)[0].filename == __file__)
        del array
        print(look())
        del kept
        print(look())
        """
    plain, ours = both(tmp_path, source)
    assert ours == plain


# ---- the end ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("daemons", [0, 4])
def test_the_end_of_a_program(daemons, tmp_path):
    """Daemon threads in native loops, a thread that outlives the main program, exit handlers, finalizers, an open generator."""
    source = """
        import atexit, sys, threading
        import numpy as np
        def work(n):
            s = 0.0
            for i in range(n):
                s = s + i * 0.5
            return s
        def arrays(a, n):
            for i in range(n):
                a = a * 0.5 + 1
            return float(a.sum())
        class Last:
            def __init__(self, name):
                self.name = name
            def __del__(self):
                print(self.name, work(1000), sys.is_finalizing())
        def generator(n):
            try:
                for i in range(n):
                    yield work(i)
            finally:
                print("generator", work(500))
        A = np.arange(8.0)
        for _ in range(4):
            work(1000), arrays(A, 10)
        started, ended = threading.Barrier(DAEMONS + 1), threading.Event()
        def forever(own):
            started.wait()
            while True:
                work(10000) if own else arrays(A, 100)
        def ends():
            ended.wait()
            print("thread", work(2000))
        for k in range(DAEMONS):
            threading.Thread(target=forever, args=(k % 2,), daemon=True).start()
        threading.Thread(target=ends).start()
        atexit.register(lambda: print("exit", work(3000), arrays(A, 3)))
        started.wait()
        g = generator(10)
        next(g)
        last = Last("global")
        cycle = [Last("cycle")]
        cycle.append(cycle)
        print("end", arrays(A, 5))
        ended.set()
        """
    plain, ours = both(tmp_path, source.replace("DAEMONS", str(daemons)))
    assert ours == plain
    assert len(plain) == (3 if daemons else 6)  # a thread that never ends keeps the program's globals


# ---- many functions ---------------------------------------------------------------------------------------------------------

ALIKE = """
def f(a, n):
    s = 0.0
    for i in range(n):
        s = s + i * a
    return s + k
"""


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_functions_come_and_go():
    """In a process of their own, where nothing else comes and goes."""
    subprocess.run([sys.executable, "-c", "import test_tools; test_tools.come_and_go()"], cwd=Path(__file__).parent, check=True)


def come_and_go():
    """A thousand; ten thousand are no different and take minutes."""
    from pijit.pycode import instructions
    from pijit.runtime.records import RECORDS

    def made(k):
        space = {"k": k}
        exec(ALIKE, space)
        return pijit.jit(space["f"])

    def run(first, last):
        for k in range(first, last):
            f = made(k)
            assert f(0.5, 10) == 22.5 + k
            assert k % 100 or pijit.stats(f).hits > 0
        gc.collect()  # a function and its globals refer to one another: when they go depends on what else was made

    run(0, 100)
    records, decoded, blocks, memory = len(RECORDS), len(instructions._cache), sys.getallocatedblocks(), resident()
    run(100, 1000)
    assert len(RECORDS) - records < 20
    assert len(instructions._cache) - decoded < 20
    assert sys.getallocatedblocks() - blocks < 9000  # garbage of a compilation waits for other such garbage; a leak is ten times that
    assert resident() - memory < 8 << 20
