"""The programs that speed is judged by: ordinary NumPy, each at three sizes, many with the same algorithm written for numba."""

from . import linear, networks, physics, signals, stencils
from .program import ARRAY, ELEMENTARY, LOOPS, Program

__all__ = ["ARRAY", "ELEMENTARY", "LOOPS", "PROGRAMS", "Program"]

PROGRAMS = [program for family in (stencils, linear, physics, networks, signals) for program in family.PROGRAMS]
