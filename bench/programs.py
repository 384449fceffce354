"""Whole programs: the examples, against plain Python and NumPy on one core."""

from __future__ import annotations

import contextlib
import importlib.util
import io
from pathlib import Path

import numpy as np
from measure import interleaved, ratio

import pijit

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def example(name):
    """One of the examples, as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def figures():
    main = example("lattice_boltzmann").main
    with contextlib.redirect_stdout(io.StringIO()):
        best = interleaved({"numpy": main, "pijit": pijit.jit(main)}, "f(400, 100, 60, 0.6, 20)", repeats=7)
    yield ratio("lattice Boltzmann, 400 x 100", best, "numpy", 1.5, least=True)
    distance = example("edit_distance").edit_distance
    a, b = (np.random.default_rng(n).integers(0, 4, 300) for n in (1, 2))
    best = interleaved({"python": distance, "pijit": pijit.jit(distance)}, "f(a, b)", repeats=5, a=a, b=b)
    yield ratio("edit distance, 300 letters", best, "python", 50, least=True)
