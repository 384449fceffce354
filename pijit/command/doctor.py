"""`python -m pijit doctor`: versions, processor, hook, cache folder, and whether this machine's code gives NumPy's bits.

The exit status is 0 when all is well. The self-test compiles every loop once, which takes some 20 s; later the cache has it.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from pijit.ground.config import CONFIG

PACKAGES = ("pijit", "numpy", "numba", "llvmlite", "bytecode")


def version(package: str) -> str:
    """The installed version."""
    if package == "pijit":  # which may run from a checkout
        return str(importlib.import_module("pijit").__version__)
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def processor() -> str:
    """Its name, and how many of it this process may use."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            name = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), name)
    except OSError:
        pass
    return f"{name}, {len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} usable"


# ---- checks: each gives (well, what is said) -------------------------------------------------------------------------


def packages() -> tuple[bool, str]:
    """All are there."""
    missing = [name for name in PACKAGES[1:] if version(name) == "not installed"]
    return not missing, f"missing: {', '.join(missing)}" if missing else "complete"


def hook() -> tuple[bool, str]:
    """Install and remove the frame hook."""
    from pijit import _native

    was = _native.installed()
    _native.install()
    works = _native.installed()
    if not was:
        _native.uninstall()
    return works, "works" if works else "does not work: another tool owns frame evaluation"


def compilation() -> tuple[bool, str]:
    """A loop, compiled and run."""
    import pijit

    def triangle(n: int) -> int:
        s = 0
        for i in range(n):
            s += i
        return s

    fast = pijit.jit(triangle)
    right = fast(1000) == triangle(1000)
    ran = pijit.stats(fast).hits > 0
    pijit.disable()
    return right and ran, "works" if right and ran else "wrong result" if not right else "nothing ran natively"


def cache() -> tuple[bool, str]:
    """A folder that can be written."""
    from pijit.codegen.cache import folder

    place = folder()
    if place is None:
        return True, "off (PIJIT_CACHE=0)"
    existing = next((p for p in (place, *place.parents) if p.exists()), Path("/"))
    writable = os.access(existing, os.W_OK)
    return writable, f"{place}" + ("" if writable else ", cannot be written: everything is compiled in every process")


def verdict(count: int, wrong: list[str], what: str) -> tuple[bool, str]:
    """How a comparison went."""
    shown = ", ".join(wrong[:8]) + (f" and {len(wrong) - 8} more" if len(wrong) > 8 else "")
    return not wrong, f"{count} {what}, all equal bit for bit" if not wrong else f"{len(wrong)} of {count} {what} differ: {shown}"


def loops() -> tuple[bool, str]:
    """Scalar loops of the code generator against NumPy's inner loops."""
    from pijit.codegen import selftest

    return verdict(*selftest.loops(), "loops against NumPy's")


def libm() -> tuple[bool, str]:
    """Helpers against `math`."""
    from pijit.codegen import selftest

    return verdict(*selftest.libm(), "functions against math's")


CHECKS: dict[str, Callable[[], tuple[bool, str]]] = {
    "packages": packages,
    "cache": cache,
    "hook": hook,
    "compile": compilation,
    "loops": loops,
    "libm": libm,
}


def facts() -> Iterator[tuple[str, str]]:
    """What there is."""
    yield "python", f"{platform.python_version()} ({sys.executable})"
    yield "machine", f"{platform.machine()} {platform.system()}"
    yield "processor", processor()
    yield from ((package, version(package)) for package in PACKAGES)


def main(arguments: list[str]) -> None:
    """Print what there is, and check it."""
    if arguments:
        sys.exit("pijit doctor: takes no arguments")
    for name, text in facts():
        print(f"{name:10} {text}")
    if not CONFIG.enabled:
        print("hook       switched off by PIJIT=0")
        return
    well = True
    for name, check in CHECKS.items():
        try:
            good, text = check()
        except Exception as error:  # whatever is wrong with the machine is what this command is to tell
            good, text = False, f"{type(error).__name__}: {error}"
        well &= good
        print(f"{name:10} {'' if good else 'NOT WELL: '}{text}", flush=True)
    print("all is well" if well else "not all is well")
    sys.exit(0 if well else 1)
