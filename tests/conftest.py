"""Around every test: nothing stays enabled, no setting stays changed, an internal error is a failure, nothing hangs.

Machine code that the tests make is kept in a folder of this run, or in the one that PIJIT_TESTS_CACHE_DIR names for several runs.
tests/codegen calls machine code with stand-ins for the helpers of the C extension, which must never meet the real ones, and tests/alone looks
at the whole process: their files run in processes of their own (test_alone.py), or when nothing else is asked for.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from pathlib import Path

import deadlines
import pytest
from shares import is_of_this_version, is_whole

os.environ["PIJIT_CACHE_DIR"] = os.environ.get("PIJIT_TESTS_CACHE_DIR") or tempfile.mkdtemp(prefix="pijit-tests-")

os.environ["PIJIT_PATIENCE_MS"] = "0"  # tests count

import pijit
from pijit.ground.records import asdict
from pijit.runtime import tiers
from pijit.runtime.budget import BUDGET

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with interrupts ignored: tests of them would wait for ever

ALONE = [Path(__file__).parent / name for name in ("codegen", "alone")]


def pytest_ignore_collect(collection_path, config):
    """Says "ignore" for the folders whose tests run alone, unless only one of them was asked for."""
    if collection_path not in ALONE:
        return None
    asked = [Path(config.invocation_params.dir, arg.partition("::")[0]).resolve() for arg in config.args]
    return True if not all(collection_path in (path, *path.parents) for path in asked) else None


def pytest_collection_modifyitems(config, items):
    """Folders that are named beside others are not ignored. Of tests that are shared a run of the whole suite has this version's."""
    if len({next((folder for folder in ALONE if folder in item.path.parents), None) for item in items}) > 1:
        raise pytest.UsageError("tests/codegen and tests/alone run in processes of their own: name one of them, and nothing else")
    if is_whole(config):
        others = [item for item in items if item.get_closest_marker("shared") and not is_of_this_version(item.nodeid)]
        config.hook.pytest_deselected(items=others)
        gone = set(others)
        items[:] = [item for item in items if item not in gone]


def pytest_unconfigure():
    if not os.environ.get("PIJIT_TESTS_CACHE_DIR"):
        shutil.rmtree(os.environ["PIJIT_CACHE_DIR"], ignore_errors=True)


SECONDS = int(os.environ.get("PIJIT_TEST_SECONDS", "120"))  # of one test; five times that for many tests in one


def pytest_configure():
    deadlines.keep_stderr()


@pytest.fixture(autouse=True, scope="module")
def young():
    """What other files left is nothing that the collections of this one look at: hundreds of thousands of objects, each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def levels_found(monkeypatch):
    """How hard LLVM is to try, by what is compiled from here on."""
    from pijit.codegen import build, levels

    found = []
    monkeypatch.setattr(build, "level", lambda graph: found.append(levels.level(graph)) or found[-1])
    return found


@pytest.fixture(autouse=True)
def clean(request):
    before = asdict(pijit.config)
    tiers.INTERNAL_ERRORS.clear()
    for account in BUDGET.accounts:
        account.spent, account.fined, account.in_vain = 0.0, 0.0, 0  # what other tests have compiled is not this one's
    seconds = 5 * SECONDS if request.node.get_closest_marker("many") else SECONDS
    try:
        with deadlines.deadline(seconds):
            yield
    finally:
        pijit.disable()
        pijit.set_logs()
        for name, value in before.items():
            setattr(pijit.config, name, value)
    assert not tiers.INTERNAL_ERRORS
