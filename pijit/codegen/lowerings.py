"""Importing this module fills the table of lowerings."""

from . import (
    assign,
    convert,
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
    trials,
    whole,
)

__all__ = [
    "assign",
    "convert",
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
    "trials",
    "whole",
]
