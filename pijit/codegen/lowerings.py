"""Importing this module fills the table of lowerings."""

from . import (
    assign,
    convert,
    draws,
    elements,
    elementwise,
    floats,
    ints,
    masks,
    npscalars,
    objects,
    products,
    reductions,
    rolls,
    takes,
    trials,
    whole,
)

__all__ = [
    "assign",
    "convert",
    "draws",
    "elements",
    "elementwise",
    "floats",
    "ints",
    "masks",
    "npscalars",
    "objects",
    "products",
    "reductions",
    "rolls",
    "takes",
    "trials",
    "whole",
]
