"""set_stance, enable with exclude=, what disable leaves, and what child processes inherit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pijit
from pijit import _native
from pijit.runtime import tiers

ROOT = Path(__file__).parent.parent
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT)}


def fresh(source, name="f", **space):
    exec(source, space)
    return space[name]


LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def test_eager_runs_nothing_natively_and_goes_back():
    f = pijit.jit(fresh(LOOP))
    with pijit.set_stance("eager"):
        assert not _native.installed()
        assert f(1000) == 499500
        g = pijit.jit(fresh(LOOP))
        assert g(1000) == 499500
        assert not _native.installed()
    assert pijit.stats(f).hits == pijit.stats(g).hits == 0
    assert f(1000) == 499500
    assert pijit.stats(f).hits > 0
    assert pijit.config.stance == "compile"


def test_fail_on_break():
    f = pijit.jit(fresh("def f(x):\n    print(x)\n    return x\n"))
    with pijit.set_stance("fail_on_break"), pytest.raises(pijit.CaptureError) as caught:
        f(1)
    assert caught.value.reason == "PJ115"


def test_fail_on_recompile():
    f = pijit.jit(fresh("def f(u):\n    return u * 2.0 + 1.0\n"))
    f(np.ones(3))
    with pijit.set_stance("fail_on_recompile"):
        f(np.ones(5))
        with pytest.raises(pijit.CaptureError) as caught:
            f(np.ones(3, np.float32))
    assert caught.value.reason == "PJ401"
    assert "'u.dtype' expected float64, got float32" in str(caught.value)
    assert f(np.ones(3, np.float32)).dtype == np.float32


def test_an_unknown_stance_lists_what_exists():
    with pytest.raises(ValueError) as caught:
        pijit.set_stance("lazy")
    assert str(caught.value) == (
        "set_stance: 'lazy' does not exist; there are: 'eager', 'compile', 'fail_on_break', 'fail_on_recompile'"
    )


def test_exclude():
    import json.decoder
    import json.scanner

    pijit.enable("json.*", exclude="json.scan*")
    assert id(vars(json.decoder)) in tiers.NAMESPACES
    assert id(vars(json.scanner)) not in tiers.NAMESPACES
    assert tiers.matches("json.later")
    assert not tiers.matches("json.scanner2")
    with pytest.raises(TypeError, match="exclude= takes names of modules, not 3"):
        pijit.enable("json", exclude=[3])


def test_everything_leaves_the_compiler_itself_alone():
    pijit.enable("*")
    assert id(globals()) in tiers.NAMESPACES
    assert id(vars(tiers)) not in tiers.NAMESPACES
    assert not tiers.matches("numba.core")


def test_disable_leaves_nothing_installed():
    pijit.enable("*")
    f = pijit.jit(fresh(LOOP))
    f(1000)
    pijit.disable()
    assert not _native.installed()
    assert (tiers.NAMESPACES, tiers.PATTERNS) == ({}, {})
    hits = pijit.stats(f).hits
    assert f(1000) == 499500
    assert pijit.stats(f).hits == hits


def run(*arguments, cwd, **environ):
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, env={**ENVIRON, **environ}, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


LIBRARY = "def work(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
REPORT = "import pijit, {0}\nfor _ in range(5): {0}.work(500)\nprint(pijit.stats({0}.work).compiles > 0)\n"


def test_the_environment_enables_modules_that_are_imported_later(tmp_path):
    for name in ("library", "slow"):
        (tmp_path / f"{name}.py").write_text(LIBRARY)
    environ = {"PIJIT_ENABLE": "lib*,slow*,!slow"}
    assert run("-c", REPORT.format("library"), cwd=tmp_path, **environ) == "True\n"
    assert run("-c", REPORT.format("slow"), cwd=tmp_path, **environ) == "False\n"
    assert run("-c", REPORT.format("library"), cwd=tmp_path, PIJIT_THRESHOLD="100000", **environ) == "False\n"


def test_threshold_sets_both_and_mistakes_are_one_line(tmp_path):
    show = "import pijit; print(pijit.config.threshold_calls, pijit.config.threshold_loops)"
    assert run("-c", show, cwd=tmp_path, PIJIT_THRESHOLD="7") == "7 7\n"
    assert run("-c", show, cwd=tmp_path, PIJIT_THRESHOLD="7", PIJIT_THRESHOLD_LOOPS="9") == "7 9\n"
    done = subprocess.run([sys.executable, "-c", "import pijit"], capture_output=True, text=True, check=True, env={**ENVIRON, "PIJIT_THRESHOLD": "x"})
    assert set(done.stderr.splitlines()) == {"pijit: PIJIT_THRESHOLD='x' is not an int; ignored"}


ENABLED = {"PYTHONPATH": f"{ROOT / 'pijit' / 'command' / 'startup'}{os.pathsep}{ROOT}", "PIJIT_ENABLE": "*", "PIJIT_THRESHOLD": "1"}
# What __main__ holds goes at the end of the program, and so does the interpreter that is left: CPython 3.12 dies where it does not.
LEFT = LIBRARY + """
import sys
class Held:
    def __del__(self): print("gone", self, sys)
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
Held.__repr__ = lambda self: "held"
held, other = Held(), interpreters.create()
interpreters.run_string(other, "import sys; print([name for name in sys.modules if name.partition('.')[0] in ('pijit', 'numpy')], flush=True)")
for _ in range(5): work(500)
print("pijit" in sys.modules)
"""


def test_what_the_program_leaves_goes_at_its_end(tmp_path):
    """Interpreters beside the main one have nothing of pijit in them: NumPy cannot be there."""
    pytest.importorskip("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    (tmp_path / "program.py").write_text(LEFT)
    (tmp_path / "own.py").write_text("import pijit; pijit.enable()\n" + LEFT)
    said = "[]\n%s\ngone held <module 'sys' (built-in)>\n"
    assert run("program.py", cwd=tmp_path) == said % False
    assert run("program.py", cwd=tmp_path, **ENABLED) == said % True
    assert run("own.py", cwd=tmp_path, PIJIT_THRESHOLD="1") == said % True
    assert run("-m", "pijit", "run", "--threshold", "1", "program.py", cwd=tmp_path) == said % True


WORKERS = LIBRARY + """
def task(n):
    import sys
    work(n)
    work(n)
    pijit = sys.modules.get("pijit")
    return pijit is not None and pijit.stats(task).compiles + pijit.stats(work).compiles > 0

if __name__ == "__main__":
    import multiprocessing, sys
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(task, [1000]))
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_of_a_program_that_is_run_are_enabled(tmp_path, method):
    (tmp_path / "program.py").write_text(WORKERS)
    assert run("program.py", method, cwd=tmp_path) == "[False]\n"
    assert run("-m", "pijit", "run", "--threshold", "1", "program.py", method, cwd=tmp_path) == "[True]\n"


def test_children_of_a_module_that_is_run_are_enabled(tmp_path):
    """As the workers of `-m test -j2`: child processes with command lines of their own, which run another module of the package."""
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "__main__.py").write_text(
        "import subprocess, sys\nfor _ in range(2):\n"
        "    subprocess.run([sys.executable, '-u', '-X', 'faulthandler', '-m', 'suite.worker'], check=True)\n"
    )
    (tmp_path / "suite" / "worker.py").write_text(
        LIBRARY + "import sys\nfor _ in range(5): work(500)\n"
        "pijit = sys.modules.get('pijit')\nprint(pijit is not None and pijit.stats(work).hits > 0)\n"
    )
    assert run("-m", "suite", cwd=tmp_path) == "False\n" * 2
    assert run("-m", "pijit", "run", "--everything", "--threshold", "2", "-m", "suite", cwd=tmp_path) == "True\n" * 2


def test_other_child_processes_see_a_clean_path(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.own = True")
    show = "import sys; print(getattr(sys, 'own', False), [p for p in sys.path if 'startup' in p], 'pijit' in sys.modules)"
    (tmp_path / "parent.py").write_text(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {show!r}])\n")
    environ = {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    assert run("-m", "pijit", "run", "parent.py", cwd=tmp_path, **environ) == "True [] False\n"
    assert run("-m", "pijit", "run", "--everything", "parent.py", cwd=tmp_path, **environ) == "True [] True\n"
    done = subprocess.run(
        [sys.executable, "-m", "pijit", "run", "parent.py"], capture_output=True, text=True, cwd=tmp_path, env=ENVIRON, check=True
    )
    assert done.stderr == ""
