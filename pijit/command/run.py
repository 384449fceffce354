"""`python -m pijit run script.py args...`: what `python script.py args...` does, with the script's module enabled.

1. The program sees what it would see: `__main__`, sys.argv, sys.path[0], `__file__`, exit status.
2. Child processes are enabled too: see `export` and startup/sitecustomize.py.
3. An exception is reported through sys.excepthook, as always, but without pijit's own frames; SystemExit and
   KeyboardInterrupt leave through the interpreter's own door, which knows the exit statuses.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import importlib.machinery
import importlib.util
import io
import os
import pkgutil
import runpy
import sys
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from pijit import _native
from pijit.ground import places
from pijit.ground.config import CONFIG
from pijit.runtime import apart, entries, records, tiers  # noqa: F401  # entries: while what it imports is found

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import TracebackType


STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")
WORKER = "__mp_main__"  # what multiprocessing calls the main module in a worker process


class Program(NamedTuple):
    """What to run, and how it is to look from inside."""

    code: CodeType
    argv0: str
    path0: str | None  # None: leave sys.path[0]
    file: str | None
    spec: ModuleSpec | None
    loader: Any
    package: str | None
    cached: str | None


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our options come first; from the script's name on everything is the program's."""
    parser = argparse.ArgumentParser(prog="python -m pijit run", allow_abbrev=False)
    parser.add_argument("--everything", action="store_true", help="enable all modules, not only the script")
    parser.add_argument("--threshold", type=int, metavar="N", help="calls and iterations before code is compiled")
    parser.add_argument("--report", action="store_true", help="say at the end what was compiled and what was not")
    parser.add_argument("-m", action="store_true", dest="module", help="the program is a module")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="script.py | -m module")
    options = parser.parse_args(arguments)
    if not options.program:
        parser.error("a script or -m module is expected")
    return options, options.program


def script(name: str) -> Program:
    """A file, or a directory or archive with a __main__ in it."""
    # As the interpreter does it: joined to the working directory, not normalised.
    file = os.path.join(os.getcwd(), name)
    if pkgutil.get_importer(file) is not None:
        return packed(name, file)
    try:
        with io.open_code(file) as stream:
            source = stream.read()
    except OSError as error:
        message = f"can't open file {file!r}: [Errno {error.errno}] {error.strerror}"
        print(f"{sys.orig_argv[0]}: {message}", file=sys.stderr)
        sys.exit(2)
    loader: Any = importlib.machinery.SourceFileLoader("__main__", file)
    if source.startswith(importlib.util.MAGIC_NUMBER):
        loader = importlib.machinery.SourcelessFileLoader("__main__", file)
        code = loader.get_code("__main__")
    else:
        code = compile(source, file, "exec", dont_inherit=True)
    return Program(code, name, os.path.dirname(os.path.realpath(file)), file, None, loader, None, None)


def packed(name: str, path: str) -> Program:
    """`python directory` or `python archive.zip`."""
    finder = pkgutil.get_importer(path)
    spec = finder.find_spec("__main__") if finder is not None else None
    code = spec.loader.get_code("__main__") if spec is not None and spec.loader is not None else None  # type: ignore[attr-defined]
    if spec is None or code is None:
        print(f"{sys.orig_argv[0]}: can't find '__main__' module in {path!r}", file=sys.stderr)
        sys.exit(1)
    return Program(code, name, path, spec.origin, spec, spec.loader, spec.parent, spec.cached)


def module(name: str) -> Program:
    """`python -m name`. runpy's own search, because its messages are the ones that people know."""
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd()
    apart.hide("site")
    sys.argv[0] = "-m"
    try:
        _, spec, code = runpy._get_module_details(name, runpy._Error)  # type: ignore[attr-defined]
    except runpy._Error as error:  # type: ignore[attr-defined]
        sys.exit(f"{sys.executable}: {error}")
    return Program(code, spec.origin, None, spec.origin, spec, spec.loader, spec.parent, spec.cached)


def main_module(program: Program) -> ModuleType:
    """The module that the program will know as __main__."""
    main = ModuleType("__main__")
    main.__dict__.update(
        __annotations__={},
        __builtins__=sys.modules["builtins"],
        __cached__=program.cached,
        __file__=program.file,
        __loader__=program.loader,
        __package__=program.package,
        __spec__=program.spec,
    )
    return main


def execute(program: Program) -> None:
    """Run it as __main__."""
    gc.freeze()  # the program's collections need not look at what pijit and NumPy are made of
    main = main_module(program)
    sys.modules["__main__"] = main
    tiers.enable_namespace(vars(main))
    tiers.enable_code(program.code, tiers.DEFAULT)
    if program.spec is None:
        _native.run_at_bottom(program.code, vars(main))
    else:
        exec(program.code, vars(main))  # with frames beneath it, as in Python, where they are runpy's


def without_our_frames() -> None:
    """Let sys.excepthook see the traceback from the program's first frame on. Nothing keeps it: what frames have goes before __main__ is cleared."""
    hook = sys.excepthook

    def excepthook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        sys.excepthook = hook
        while trace is not None and trace.tb_frame.f_code is not main.__code__:
            trace = trace.tb_next
        for _ in range(2):  # main, and what compiles or executes
            trace = trace.tb_next if trace is not None else None
        sys.last_traceback = trace
        hook(kind, value.with_traceback(trace), trace)

    sys.excepthook = excepthook


def main(arguments: list[str]) -> None:
    """Run a program."""
    options, (name, *rest) = parse(arguments)
    if options.threshold is not None:
        CONFIG.threshold_calls = CONFIG.threshold_loops = options.threshold
        CONFIG.patience_ms = 0
    if options.everything:
        tiers.enable_pattern("*")
    export(options)
    if options.report:
        records.keep = []
        atexit.register(print_report)
    sys.argv[:] = [name, *rest]
    places.end()
    try:
        program = module(name) if options.module else script(name)
        sys.argv[0] = program.argv0
        if program.path0 is not None and not sys.flags.safe_path:
            sys.path[0] = program.path0
        if not options.module:
            apart.hide("site")
        execute(program)
    except BaseException:
        without_our_frames()
        raise


def export(options: argparse.Namespace) -> None:
    """Child processes are enabled as this one is: the environment tells them."""
    given = os.environ.get("PIJIT_ENABLE")
    os.environ["PIJIT_ENABLE"] = ",".join(filter(None, [given, "*" if options.everything else WORKER]))
    if options.threshold is not None:
        os.environ["PIJIT_THRESHOLD"] = str(options.threshold)
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != STARTUP]
    os.environ["PYTHONPATH"] = os.pathsep.join([STARTUP, *paths])


def print_report() -> None:
    """What was compiled and what was not, on stderr: stdout is the program's."""
    with apart.ours():
        from pijit.reports import report

        text = report.text()
    print(text, file=sys.stderr)
