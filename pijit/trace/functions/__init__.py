"""The rows of the tables of known callables; importing this package fills them."""

from . import (
    attributes_,
    builtins_,
    clocks,
    containers,
    itertools_,
    math_,
    numbers_,
    numpy_,
    operator_,
    packed_,
    texts,
    whole,
)

__all__ = ["attributes_", "builtins_", "clocks", "containers", "itertools_", "math_", "numbers_", "numpy_", "operator_", "packed_", "texts", "whole"]
