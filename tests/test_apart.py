"""A program may have modules that are called like those that pijit and its compiler import: each side gets its own."""

from __future__ import annotations

import subprocess
import sys
from _imp import is_frozen
from pathlib import Path

import pytest

import pijit
from pijit.runtime import apart

ROOT = str(Path(__file__).parents[1])
START = "import sys; print(*(name for name in sys.modules if '.' not in name))"
PRESENT = set(subprocess.run([sys.executable, "-c", START], capture_output=True, text=True).stdout.split())
GIVEN = {*PRESENT, *sys.builtin_module_names, "importlib", "distutils"}  # the last two are in the way of what setuptools puts into every start
NAMES = sorted(n for n in sys.stdlib_module_names if n not in GIVEN and not is_frozen(n))
SOME = ["argparse", "copy", "json", "logging", "numba", "pickle", "platform", "queue", "random", "tempfile"]
OWN = "print('own', __name__)\ndef which(): return __name__ + ' of the program'\n"

WORK = """
import sys
def work(n, x):
    for i in range(n):
        x = x * 0.5 + i
    return x
print(work(1000, 1.0), work(1000, 2))
"""
IMPORT_ALL = "for name in {names}: print(__import__(name).which())\n"


def folder_of(path, names, program):
    """A folder with these modules and a program, which is given."""
    for name in names:
        (path / f"{name}.py").write_text(OWN)
    (path / "prog.py").write_text(program.replace("{names}", repr(list(names))))
    return path / "prog.py"


def outcome(*arguments, cwd):
    environment = {"PYTHONPATH": ROOT, "PIJIT_LOGS": "perf", "PIJIT_RAISE_INTERNAL": "0"}
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, env=environment)
    assert "PJ901" not in done.stderr, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout, done.stderr


def same(program, cwd, *how):
    """Plain and pijit print the same, and something was compiled."""
    plain, _ = outcome(*(how or (program,)), cwd=cwd)
    native, said = outcome("-m", "pijit", "run", "--threshold", "1", *(how or (program,)), cwd=cwd)
    assert native == plain
    assert "compiled fragment" in said, said


@pytest.mark.parametrize("before", [True, False], ids=["imported before", "imported after"])
def test_names_of_the_library(tmp_path, before):
    program = folder_of(tmp_path, [*NAMES, "numba", "llvmlite", "yaml"], IMPORT_ALL + WORK if before else WORK + IMPORT_ALL)
    same(program, Path(sys.prefix))


@pytest.mark.parametrize("how", [["prog.py"], ["-m", "prog"]], ids=["script", "module"])
def test_the_working_directory(tmp_path, how):
    program = folder_of(tmp_path, SOME, WORK + IMPORT_ALL)
    same(program, tmp_path, *how)


def test_first_on_the_path(tmp_path):
    (tmp_path / "lib").mkdir()
    folder_of(tmp_path / "lib", ["queue", "numba"], "")
    program = tmp_path / "prog.py"
    program.write_text(f"import sys; sys.path.insert(0, {str(tmp_path / 'lib')!r})\n{WORK}import numba, queue\nprint(numba.which(), queue.which())")
    same(program, tmp_path)


def test_what_is_no_module(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text("import sys; sys.modules['queue'] = None; sys.modules['uuid'] = 5; sys.modules['numba'] = sys\n" + WORK + (
        "print(sys.modules['uuid'], sys.modules['numba'] is sys)\ntry: import queue\nexcept ImportError: print('still none')\n"
    ))  # fmt: skip
    same(program, tmp_path)


def test_all_that_is_made_is_the_compilers(tmp_path):
    """The program's numba is another, and the compiler's is imported once."""
    program = folder_of(tmp_path, ["queue"], WORK + "import numba, queue\nprint(queue.which(), numba.njit(lambda x: x + 1)(2))\n" + WORK)
    native, _ = outcome("-m", "pijit", "run", "--threshold", "1", program, cwd=tmp_path)
    assert "queue of the program 3" in native


THREADS = """
import queue, sys, threading
import pijit
@pijit.jit
def work(n, x):
    for i in range(n):
        x = x * 0.5 + i
    return x
ended = threading.Event()
other = threading.Thread(target=ended.wait)
other.start()
for _ in range(300):
    work(10, 1.0)
print(pijit.stats(work).compiles, queue.which())
ended.set()
other.join()
for _ in range(300):
    work(10, 1.0)
print(pijit.stats(work).compiles, queue.which())
"""


def test_several_threads(tmp_path):
    program = folder_of(tmp_path, ["queue"], THREADS)
    shown, said = outcome(program, cwd=tmp_path)
    assert shown == "own queue\n0 queue of the program\n1 queue of the program\n"
    assert said.count("modules of its own named queue") == 1, said


def test_other_threads_import_while_modules_are_looked_at(monkeypatch):
    def another_imports(name, module):
        monkeypatch.setitem(sys.modules, f"meanwhile_{name}", sys)
        return is_programs(name, module)

    is_programs = apart._is_programs
    monkeypatch.setattr(apart, "_is_programs", another_imports)
    monkeypatch.setattr(apart, "_looked", -1)
    function = pijit.jit(lambda x: [x * i for i in range(9)])
    assert function(2) == [*range(0, 18, 2)]
    assert any(name.startswith("meanwhile_") for name in sys.modules)
