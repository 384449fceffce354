"""Programs of the grammars, on each version others and always the same ones: plainly and under pijit. `fuzz.py` runs as many others as there is time for."""

from __future__ import annotations

import random
import warnings

import pytest
from differential import check_calls
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from object_programs import ObjectProgram
from programs import Program
from sameness_programs import SamenessProgram
from shares import share

GRAMMARS = pytest.mark.parametrize("grammar", [Program, ObjectProgram, SamenessProgram])


def run(program: Program | ObjectProgram | SamenessProgram, *configurations: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_calls(program.source, program.calls, configurations=configurations)


@GRAMMARS
@pytest.mark.parametrize("part", share(range(6)))
def test_reference(part, grammar):
    """The graph is right, and so is what each exit rebuilds."""
    for seed in range(part * 8, part * 8 + 8):
        run(grammar(random.Random(seed).randrange), "numpy", "forced numpy")


@GRAMMARS
@pytest.mark.parametrize("part", share(range(6)))
def test_native(part, grammar):
    for seed in range(1000 + part * 3, 1000 + part * 3 + 3):
        run(grammar(random.Random(seed).randrange), "jit", "O0", "enabled", "forced")


@GRAMMARS
@settings(max_examples=12, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_small_programs(data, grammar):
    """Hypothesis makes a failing program smaller by itself."""
    run(grammar(lambda n: data.draw(st.integers(0, n - 1)), size=3), "jit", "numpy")
