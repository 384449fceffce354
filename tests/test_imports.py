"""Compiling imports, in whatever thread and place it is: no thread may have to wait for another because of that."""

from __future__ import annotations

import subprocess
import sys

import pytest

# A module's loader, as far as it is not defined otherwise.
DELEGATING = """
class Delegating:
    def __init__(self, loader):
        self.loader = loader
    def __getattr__(self, name):
        return getattr(self.loader, name)
    def create_module(self, spec):
        return self.loader.create_module(spec)
"""

# A thread compiles first, and is in the middle of importing llvmlite until the main thread has called a jitted function too.
PROGRAM = """
import faulthandler
import importlib.machinery
import sys
import threading

import pijit

faulthandler.dump_traceback_later(30, exit=True)
reached, called = threading.Event(), threading.Event()

class Loader(Delegating):
    def exec_module(self, module):
        reached.set()
        called.wait()
        self.loader.exec_module(module)

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "llvmlite":
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            spec.loader = Loader(spec.loader)
            return spec
        if name == "found_nowhere":
            call()

def call():
    assert second(4.0) == 9.0
    called.set()

@pijit.jit
def first(x):
    return x * 3.0

@pijit.jit
def second(x):
    return x * 2.0 + 1.0

sys.meta_path.insert(0, Finder)
thread = threading.Thread(target=first, args=(1.0,))
thread.start()
reached.wait()
if {in_a_finder}:
    try:
        import found_nowhere
    except ImportError:
        pass
else:
    call()
assert pijit.stats(second).compiles == 0
thread.join()
for _ in range(200):
    second(4.0)
print(pijit.stats(first).compiles, pijit.stats(second).compiles)
"""


@pytest.mark.parametrize("in_a_finder", [True, False])
def test_no_thread_waits_for_the_one_that_loads_the_compiler(in_a_finder):
    program = DELEGATING + PROGRAM.replace("{in_a_finder}", str(in_a_finder))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("1 1\n", 0), done.stderr


FINDER = """
import sys

import pijit

@pijit.jit
def first(x):
    return x * 3.0

@pijit.jit
def second(x):
    return x * 2.0

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        second(4.0)

first(4.0)
sys.meta_path.insert(0, Finder)
try:
    import found_nowhere
except ImportError:
    print(pijit.stats(first).compiles, pijit.stats(second).compiles)
for _ in range(200):
    second(4.0)
print(pijit.stats(second).compiles)
"""


def test_nothing_is_compiled_under_the_import_lock():
    done = subprocess.run([sys.executable, "-c", FINDER], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("1 0\n1\n", 0), done.stderr


HALF = """
import sys
from importlib.machinery import PathFinder

import pijit

@pijit.jit
def work(x):
    return x * 3.0

class Loader(Delegating):
    def exec_module(self, module):
        for _ in range(200):
            work(4.0)
        print(pijit.stats(work).compiles)
        self.loader.exec_module(module)

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "{name}":
            spec = PathFinder.find_spec(name, path)
            spec.loader = Loader(spec.loader)
            return spec

for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == "{name}"]:
    del sys.modules[loaded]
sys.meta_path.insert(0, Finder)
import {name}
for _ in range(200):
    work(4.0)
print(pijit.stats(work).compiles)
"""


@pytest.mark.parametrize("name", ["pathlib", "uuid", "numba", "llvmlite"])
def test_nothing_is_compiled_with_half_of_a_module(name):
    """In the middle of an import of something that the compiler imports, it would find an empty module."""
    done = subprocess.run([sys.executable, "-c", DELEGATING + HALF.replace("{name}", name)], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("0\n1\n", "", 0)


SCARCE = """
import builtins
import sys

import _testcapi

import pijit

PARTS = [(sys, "path"), (sys, "meta_path"), (sys, "path_hooks"), (sys, "path_importer_cache"), (builtins, "__import__")]

def made(k):
    space = {}
    exec(f"def f(x):\\n    s = {k}.5\\n    for i in range(4):\\n        s += i * x\\n    return s\\n", space)
    return pijit.jit(space["f"])

functions = [made(k) for k in range(40)]
assert functions[0](2.0) == 12.5
before = [getattr(*part) for part in PARTS]
for k, function in enumerate(functions[1:]):
    _testcapi.set_nomemory(k, k + 1)
    try:
        function(2.0)
    except MemoryError:
        pass
    finally:
        _testcapi.remove_mem_hooks()
    after = [getattr(*part, None) for part in PARTS]
    assert all(a is b for a, b in zip(before, after)), (k, after)
"""


def test_the_import_system_is_put_back_without_memory():
    pytest.importorskip("_testcapi")
    run = subprocess.run([sys.executable, "-c", SCARCE], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr[-2000:]
