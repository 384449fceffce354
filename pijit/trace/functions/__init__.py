"""The rows of the tables of known callables; importing this package fills them."""

from . import builtins_, containers, itertools_, math_, numbers_, numpy_, operator_, texts, whole

__all__ = ["builtins_", "containers", "itertools_", "math_", "numbers_", "numpy_", "operator_", "texts", "whole"]
