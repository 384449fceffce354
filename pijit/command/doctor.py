"""`python -m pijit doctor`: versions, and whether the hook goes in and out. The exit status says if all is well."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

from pijit.ground.config import CONFIG

PACKAGES = ("pijit", "numpy", "numba", "llvmlite", "bytecode")


def version(package: str) -> str:
    """The installed version."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def hook_works() -> bool:
    """Install and remove the frame hook."""
    from pijit import _native

    was = _native.installed()
    _native.install()
    works = _native.installed()
    if not was:
        _native.uninstall()
    return works


def main(arguments: list[str]) -> None:
    """Print what there is."""
    if arguments:
        sys.exit("pijit doctor: takes no arguments")
    print(f"python     {platform.python_version()} ({sys.executable})")
    print(f"machine    {platform.machine()} {platform.system()}")
    for package in PACKAGES:
        print(f"{package:10} {version(package)}")
    if not CONFIG.enabled:
        print("hook       switched off by PIJIT=0")
        return
    works = hook_works()
    print(f"hook       {'works' if works else 'does not work'}")
    sys.exit(0 if works else 1)
