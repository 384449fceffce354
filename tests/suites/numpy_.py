"""NumPy's own installed test suite under pijit, NumPy itself enabled too: `make test-numpy`, or ARGS=--everything; see compare.

ARGS=--ci, what CI runs of it: another third of PART on each version, with NumPy and its tests enabled but not what runs them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
from compare import Suite, main

# What runs without other names: the parts of NumPy that pijit compiles or calls, and that are not minutes each.
PART = """
    _core/tests/test_errstate.py _core/tests/test_indexing.py _core/tests/test_indexerrors.py _core/tests/test_item_selection.py
    _core/tests/test_shape_base.py _core/tests/test_getlimits.py _core/tests/test_scalar_ctors.py _core/tests/test_scalar_methods.py
    _core/tests/test_numerictypes.py _core/tests/test_function_base.py _core/tests/test_nep50_promotions.py _core/tests/test_einsum.py
    _core/tests/test_abc.py _core/tests/test_array_interface.py _core/tests/test_conversion_utils.py _core/tests/test_dlpack.py
    lib/tests/test_index_tricks.py lib/tests/test_twodim_base.py lib/tests/test_ufunclike.py lib/tests/test_stride_tricks.py
    lib/tests/test_type_check.py lib/tests/test_shape_base.py lib/tests/test_arraypad.py lib/tests/test_mixins.py
    linalg/tests/test_regression.py fft/tests/test_helper.py polynomial/tests/test_polynomial.py random/tests/test_seed_sequence.py
    matrixlib/tests/test_defmatrix.py ma/tests/test_subclassing.py
"""


def everything() -> list[str]:
    """All test files of the installed NumPy, relative to its folder."""
    folder = Path(np.__file__).parent
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("**/tests/test_*.py"))


def command(names: str) -> list[str]:
    modules = ["numpy." + name.removesuffix(".py").replace("/", ".") for name in names.split()]
    return ["-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", "--pyargs", *modules]


SUITE = Suite(
    command=command,
    failed=re.compile(r"^(?:FAILED|ERROR) \S*?(::\S+|\S+\.py)", re.MULTILINE),
    names=PART.split(),
    ci=["--share", f"{sys.version_info.minor - 11}/3", "--together", "--enable", "numpy.*"],
)

if __name__ == "__main__":
    sys.exit(main(SUITE, everything, sys.argv[1:]))
