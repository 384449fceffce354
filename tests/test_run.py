"""`python -m pijit run X` is `python X`: output, status, tracebacks, what the program sees of itself."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
PIJIT = [sys.executable, "-m", "pijit", "run"]


@pytest.fixture
def both(tmp_path):
    """Runs a program both ways in a folder of its own, asserts that it is the same, gives what it was."""

    def run(*arguments, source=None, name="script.py", flags=(), options=()):
        if source is not None:
            (tmp_path / name).write_text(source)
        seen = []
        for launcher in ([sys.executable, *flags], [sys.executable, *flags, "-m", "pijit", "run", *options]):
            done = subprocess.run(
                [*launcher, *arguments],
                capture_output=True,
                text=True,
                check=False,
                cwd=tmp_path,
                env=ENVIRON,
                input="in",
            )
            seen.append((done.returncode, re.sub(r"0x[0-9a-f]+", "0x", done.stdout), done.stderr))
        assert seen[0] == seen[1]
        return seen[0]

    return run


SELF = """
import sys
x: int = 1
print(sorted((name, repr(value)) for name, value in globals().items() if name != "__annotate__"))
print(sys.argv, sys.path[0], sys.path[1:] and sys.path[1], sys.modules["__main__"].__dict__ is globals())
print(type(__builtins__), __file__, __name__, sys._getframe().f_code.co_filename, sys._getframe().f_back)
"""


@pytest.mark.parametrize("spelling", ["script.py", "./script.py", "sub/../script.py"])
def test_what_the_program_sees(both, tmp_path, spelling):
    (tmp_path / "sub").mkdir()
    status, out, err = both(spelling, "-x", "--report", "a b", source=SELF.replace(", sys._getframe().f_back", ""))
    assert (status, err) == (0, "")
    assert "'-x', '--report', 'a b'" in out


def test_symbolic_link(both, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "helper.py").write_text("print('helped')")
    (tmp_path / "real" / "prog.py").write_text("import helper, sys; print(sys.path[0], __file__)")
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "prog.py")
    assert both("link.py")[1].startswith("helped")


def test_safe_path(both):
    both("script.py", source="import sys; print(sys.path[:2])", flags=["-P"])


# What the frames of an exception that ends the program have goes while there are its globals.
LAST_WORDS = """
import sys
class A:
    def __del__(self): print('deleted', A)
def f():
    a = A()
    %s
f()
"""


@pytest.mark.parametrize(
    "source",
    [
        "import sys; sys.exit()",
        "import sys; sys.exit(3)",
        "import sys; sys.exit('a message')",
        "import sys; sys.exit((1, 2))",
        "raise SystemExit(True)",
        "raise SystemExit",
        "import os; os._exit(4)",
        "import atexit; atexit.register(print, 'bye'); 1 / 0",
        "def f(x):\n    return g(x)\n\ndef g(x):\n    raise ValueError('no')\n\nf(1)\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    undefined\n",
        "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
        "def f(:\n",
        "x = 1\n  y = 2\n",
        "raise KeyboardInterrupt",
        "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__, a[2].tb_lineno)\n1 / 0",
        "import warnings; warnings.warn('careful')",
        "import sys; print(sys.stdin.read())",
        "class A:\n    def __del__(self): print('deleted')\na = A()\n",
        *(LAST_WORDS % how for how in ("1 / 0", "sys.exit(3)", "raise KeyboardInterrupt")),
        "import sys; sys.setrecursionlimit(200)\ndef f(): f()\ntry:\n    f()\nexcept RecursionError as e: print(e)",
        "# -*- coding: latin-1 -*-\nprint('\\xe9'.encode())",
        "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
        "if __name__ == '__main__':\n    for i in range(3000):\n        if i % 1000 == 0: print(i)\n",
        "",
    ],
)
def test_same_status_and_output(both, source):
    both("script.py", source=source)


# What a program can see of the frames beneath its own: there are none.
BELOW = """
import sys, traceback, warnings, inspect, logging
print(sys._getframe().f_back); traceback.print_stack(); print(len(inspect.stack()))
warnings.warn("old", UserWarning, stacklevel=2)
warnings.warn("old3", UserWarning, stacklevel=3)
def h(): warnings.warn("in h", stacklevel=3)
h()
d=0
def g(n):
    global d; d=n; g(n+1)
try: g(1)
except RecursionError as e: print(d, e)
try: sys._getframe(1)
except ValueError as e: print(e)
logging.warning("x", stack_info=True)
sys.setrecursionlimit(300)
try: g(1)
except RecursionError as e: print(d)
import threading
t=threading.Thread(target=lambda: print(sys._getframe().f_back is not None)); t.start(); t.join()
def gen():
    yield sys._getframe().f_back
print([f.f_lineno for f in gen()])
print(repr(sys.exc_info()))
def r(n): return r(n+1)
r(0)
"""
# Deep recursion of Python functions, some calls of which are timed in the interpreter, or are the last that pijit sees: they are no calls of C.
DEEP = """
import sys
sys.setrecursionlimit(200000)
def depths(n):
    seen, low = {}, {}
    def go(v):
        seen[v] = low[v] = 1
        for w in (v + 1,):
            if w not in seen and w < n:
                go(w)
                low[v] = min(low[v], low[w])
    for v in range(n):
        if v not in seen:
            go(v)
    return len(seen)
print([depths(i * 300) for i in range(20)])
"""
# A name of the module that is stored to as an item of its dict, in the loop that is running.
NAMED = """
a = 0
names = globals()
for i in range(20000):
    a += i
    if i == 5000: names["a"] = 1.5
    if i == 9000:
        del names["a"]
        a = 2**62
print(a)
"""


@pytest.mark.parametrize("source", [BELOW, DEEP, NAMED], ids=["below", "deep", "named"])
@pytest.mark.parametrize("options", [(), ("--threshold", "1")], ids=["as it is", "at the first chance"])
def test_frames_and_names(both, source, options):
    both("script.py", source=source, options=options)


@pytest.mark.parametrize("name", ["nosuch.py", "empty", "no/such/folder.py"])
def test_what_cannot_be_opened(both, tmp_path, name):
    (tmp_path / "empty").mkdir()
    status, out, err = both(name)
    assert status in (1, 2)
    assert out == ""
    assert "can't" in err


def test_folder_and_archive(both, tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text(
        "import sys; print(__name__, __package__, sys.argv, sys.path[0], __spec__.name)"
    )
    assert both("app", "x")[0] == 0
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.write(tmp_path / "app" / "__main__.py", "__main__.py")
    assert both("app.zip")[0] == 0


def test_modules(both, tmp_path):
    (tmp_path / "pack").mkdir()
    for name in ("__init__", "part", "__main__"):
        (tmp_path / "pack" / f"{name}.py").write_text(
            "import sys; print(__name__, sys.argv, __package__, sys.path[0])\n"
        )
    (tmp_path / "space").mkdir()
    assert both("-m", "pack.part", "-m", "x")[0] == 0
    assert both("-m", "pack", "--flag")[0] == 0
    for missing in ("nosuch", "pack.nosuch", "space", "pack.part.deeper"):
        assert both("-m", missing)[0] == 1


def test_interrupt_has_pythons_status(tmp_path):
    script = tmp_path / "loop.py"
    script.write_text("print('ready', flush=True)\nwhile True:\n    pass\n")
    for launcher in ([sys.executable], PIJIT):
        # a shell's background job ignores the signal, and hands that down
        process = subprocess.Popen(
            [*launcher, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRON,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
        finally:
            process.kill()
        assert process.returncode == -signal.SIGINT
        assert err.splitlines()[-1] == "KeyboardInterrupt"
        assert len(re.findall(r"^  File", err, re.MULTILINE)) == 1


def run(*arguments, cwd=None):
    return subprocess.run([*PIJIT[:-1], *arguments], capture_output=True, text=True, check=False, cwd=cwd, env=ENVIRON)


def test_report_goes_to_stderr(tmp_path):
    (tmp_path / "script.py").write_text("print('out')\n")
    done = run("run", "--report", "script.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "out\n")
    assert done.stderr.startswith("pijit report\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "a script or -m module is expected"),
        (["run", "--threshold", "x", "s.py"], "invalid int value: 'x'"),
        (["run", "--nosuch", "s.py"], "unrecognized arguments: --nosuch"),
        (["nosuch"], "pijit: no command 'nosuch'; there are: run, reasons, doctor, cache"),
        (["doctor", "x"], "pijit doctor: takes no arguments"),
    ],
)
def test_misuse_is_one_clear_line(arguments, message):
    done = run(*arguments)
    assert done.returncode != 0
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_doctor():
    done = run("doctor")
    assert done.returncode == 0
    assert "hook       works" in done.stdout


def test_help():
    assert "run [--everything]" in run().stdout
    assert run("--help").stdout == run().stdout
