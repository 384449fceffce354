"""Loaded at the start of child processes of `python -m pijit run`, whose PYTHONPATH has this folder: enables there what was enabled.

It leaves no trace in sys.path and gives way to the sitecustomize that would have been loaded without it. Python's own
worker processes of multiprocessing are told by their command line; other programs are covered by --everything and PIJIT_ENABLE.
"""

import _thread
import contextlib
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = "__mp_main__"  # what multiprocessing calls the main module in a worker process


def is_main_interpreter() -> bool:
    """The one of this process that NumPy works in, and so pijit."""
    if sys.version_info >= (3, 12):
        return bool(_thread._is_main_interpreter())
    interpreters = importlib.import_module("_xxsubinterpreters")
    return bool(interpreters.get_current() == interpreters.get_main())


def main() -> None:
    """Go out of the way, then import pijit, which reads PIJIT_ENABLE."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != HERE]
    own = sys.modules.pop("sitecustomize")
    with contextlib.suppress(ImportError):
        importlib.import_module("sitecustomize")
    sys.modules.setdefault("sitecustomize", own)  # the import of this one wants to find something there
    patterns = os.environ.get("PIJIT_ENABLE", "")
    if patterns and (patterns != WORKER or "multiprocessing" in " ".join(sys.orig_argv)) and is_main_interpreter():
        with contextlib.suppress(ImportError):  # another Python, without pijit
            importlib.import_module("pijit")


main()
