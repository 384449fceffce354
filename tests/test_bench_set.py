"""Every program that speed is measured with, at its small size, in every configuration."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from differential import CONFIGURATIONS, check

pytestmark = pytest.mark.shared

FOLDER = Path(__file__).resolve().parent.parent / "bench" / "suite"


def load(name):
    """The package, which is not installed."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)])
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAMS = load("suite").PROGRAMS


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_small(program, configuration):
    check(program.run, *program.arguments(program.sizes[0]), calls=2, configurations=[configuration])


def test_the_set_is_large_and_its_names_are_told_apart():
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) >= 30
    assert all(small < medium < large for small, medium, large in (program.sizes for program in PROGRAMS))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_arguments_are_left_as_they_are(program):
    args, again = (program.arguments(program.sizes[0]) for _ in range(2))
    program.run(*args)
    assert repr(args) == repr(again)
