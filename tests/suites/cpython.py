"""CPython's own test suite under pijit: `make test-cpython ARGS="test_grammar test_scope"`, or ARGS=--everything; see compare.

Without any it runs the language; ARGS=--ci, what CI runs of it: other files on each version, two or three minutes of one core.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

from compare import Suite, main

LANGUAGE = """
    test_grammar test_scope test_generators test_exceptions test_call test_dataclasses test_dict test_list test_int test_float test_complex
    test_listcomps test_genexps test_patma test_sys test_inspect test_traceback test_threading test_weakref test_gc test_contextlib
    test_functools test_itertools test_descr test_class test_with test_decorators test_unpack test_unpack_ex test_extcall
    test_keywordonlyarg test_augassign test_bool test_iter test_range test_slice test_tuple test_set test_string test_named_expressions
    test_raise test_sys_settrace test_sys_setprofile test_monitoring test_pdb test_profile test_cprofile test_trace test_bdb test_frame
    test_code test_except_star test_exception_group test_global test_super test_property test_funcattrs test_enum test_types
    test_operator test_builtin test_coroutines test_asyncgen test_yield_from test_collections test_copy test_long test_math test_signal
    test_threadsignals test_faulthandler test_tracemalloc test_dis test_compile test_warnings
"""

CI = {
    (3, 11): "test_frame test_sys_setprofile test_exceptions test_dataclasses test_itertools",
    (3, 12): "test_code test_monitoring test_scope test_class test_funcattrs test_generators",
    (3, 13): "test_sys_settrace test_weakref test_coroutines test_call",
}


def everything() -> list[str]:
    """The names of all test files and packages of this interpreter."""
    import test

    folder = Path(test.__path__[0])
    return sorted({path.stem for path in folder.glob("test_*") if path.suffix == ".py" or (path / "__init__.py").exists()})


SUITE = Suite(
    command=lambda names: ["-m", "test", "-v", *names.split()],
    failed=re.compile(r"^(?:FAIL|ERROR): ([^()\n]*(?:\([^()\n]*\))?)", re.MULTILINE),
    names=LANGUAGE.split(),
    ci=["--together", *CI[sys.version_info[:2]].split()],
)


if __name__ == "__main__":
    if importlib.util.find_spec("test") is None or importlib.util.find_spec("test.support") is None:
        print("this Python comes without its test suite: nothing to compare")
        sys.exit("--ci" not in sys.argv)
    sys.exit(main(SUITE, everything, sys.argv[1:]))
