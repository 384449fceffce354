"""Builds the C extension pijit._native; everything else about the package is in pyproject.toml."""

import glob
import os
import sys
import sysconfig

from setuptools import Extension, setup

SUPPORTED = ((3, 11), (3, 12), (3, 13))


def check_interpreter():
    name = sys.implementation.name
    free_threaded = sysconfig.get_config_var("Py_GIL_DISABLED")
    if name != "cpython" or sys.version_info[:2] not in SUPPORTED or free_threaded:
        version = ".".join(map(str, sys.version_info[:2]))
        kind = " (free-threaded)" if free_threaded else ""
        sys.exit(f"pijit needs CPython 3.11, 3.12 or 3.13 with the GIL; this is {name} {version}{kind}")


def include_dirs():
    import numpy

    python = sysconfig.get_path("include")
    # CPython's internal headers include each other relative to internal/ as well as to include/.
    return [numpy.get_include(), python, os.path.join(python, "internal")]


def extension():
    strict = os.environ.get("CI") or os.environ.get("PIJIT_WERROR")
    return Extension(
        "pijit._native",
        sources=sorted(glob.glob("csrc/*.c")),
        depends=sorted(glob.glob("csrc/*.h") + glob.glob("csrc/*.def")),
        include_dirs=include_dirs(),
        libraries=["m", "pthread"],
        extra_compile_args=[
            "-std=gnu11",  # C11 plus alloca, pthread_getattr_np and computed addresses of the platform
            "-Wall",
            "-Wextra",
            "-fvisibility=hidden",
            "-ffp-contract=off",  # NumPy and CPython round each operation
            "-Wno-cast-function-type",  # method tables hold functions of several signatures
            "-Wno-missing-field-initializers",  # CPython's type objects are filled by designated fields
        ]
        + (["-Werror"] if strict else [])
        + os.environ.get("PIJIT_CFLAGS", "").split(),
        extra_link_args=os.environ.get("PIJIT_LDFLAGS", "").split(),
    )


check_interpreter()
setup(ext_modules=[extension()])
