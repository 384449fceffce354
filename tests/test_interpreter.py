"""Loading on interpreters that are not supported, and how light `import pijit` is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pijit.ground import interpreter


@pytest.mark.parametrize("version", interpreter.SUPPORTED)
def test_supported(version):
    assert interpreter.objection("cpython", version, False) is None


@pytest.mark.parametrize(
    ("found", "end"),
    [
        (("cpython", (3, 10), False), "; this is cpython 3.10"),
        (("cpython", (3, 14), False), "; this is cpython 3.14"),
        (("pypy", (3, 11), False), "; this is pypy 3.11"),
        (("cpython", (3, 13), True), " with the GIL; this is a free-threaded cpython 3.13"),
    ],
)
def test_not_supported(found, end):
    assert interpreter.objection(*found) == "pijit supports CPython 3.11, 3.12, 3.13" + end


def test_import_error():
    program = (
        "import sys; sys.implementation.name = 'pypy'\ntry:\n    import pijit\nexcept ImportError as e:\n    print(e)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("pijit supports CPython 3.11, 3.12, 3.13; this is pypy 3.")


def test_import_does_not_load_the_compiler():
    program = "import pijit, sys; pijit.enable(); pijit.jit(lambda: 1); print({'numba', 'llvmlite'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
