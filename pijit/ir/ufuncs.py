"""Facts about elementwise operations that passes and code generators share."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from .kernel import Kernel
from .types import Array, Type

# Sums, products and quotients: what jit_level="O2" may regroup and contract.
ARITHMETIC = frozenset({"add", "subtract", "multiply", "divide", "true_divide", "square", "power_2", "negative"})

# Operations that raise no floating-point flag and never need NumPy's help, whatever the dtype.
_QUIET = frozenset(
    (
        "negative", "positive", "absolute", "abs", "fabs", "sign", "conjugate", "conj", "real", "imag", "where", "copysign", "signbit",
        "floor", "ceil", "trunc", "rint", "isnan", "isinf", "isfinite",
        "take", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
        "logical_and", "logical_or", "logical_xor", "logical_not",
        "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "invert", "left_shift", "right_shift",
    )
)  # fmt: skip
_PARTS = frozenset(("absolute", "abs", "sign", "less", "less_equal", "greater", "greater_equal"))  # of complex numbers: they calculate
# And those on integers and bools.
_QUIET_INTS = frozenset(["add", "subtract", "multiply", "square", "maximum", "minimum", "fmax", "fmin"])


# What power's own loop takes for an exponent: (the ufunc that it computes, the exponent). It warns in power's name.
_POWERS = {"power_2": ("square", 2.0), "power_-1": ("reciprocal", -1.0)}


def largest_product(dtype: str) -> int:
    """Multiplications of a matrix product: a few milliseconds, no longer than a thread keeps the interpreter anyway. For more NumPy is called, which
    lets other threads run meanwhile."""
    return 1 << (25 if dtype.startswith("complex") else 27)


# Where arrays of complex numbers are multiplied otherwise than NumPy's scalars are, in bits and in what it warns of.
_OF_ARRAYS = {"array_multiply": "multiply"}


def computed(name: str) -> str:
    """The ufunc whose loop gives the values."""
    return _POWERS[name][0] if name in _POWERS else _OF_ARRAYS.get(name, name)


def function(name: str) -> Any:
    """NumPy's ufunc of this name, which is also what it warns as; that of np.clip has no public one."""
    if name in _POWERS:
        return _power(_POWERS[name][1])
    return getattr(importlib.import_module("numpy._core.umath"), "clip", None) if name == "clip" else getattr(np, computed(name), None)


def operands(name: str) -> int:
    """How many operands it takes; 0 if it is no ufunc."""
    return getattr(function(computed(name)), "nin", 0)


@functools.cache
def _power(exponent: float) -> Any:
    def power(base: Any) -> Any:
        return np.power(base, exponent)

    return power


def can_raise(ufunc: str, dtypes: tuple[str, ...]) -> bool:
    """Whether the operation may raise a floating-point flag; ``dtypes`` are those of the operands, then the result's."""
    first, result = dtypes[0], dtypes[-1]
    if ufunc == "cast":
        return not (_is_int(first) or result == "bool" or (first, result) in _WIDENING)
    if first.startswith("complex") and ufunc in _PARTS:
        return True
    return not (ufunc in _QUIET or (ufunc in _QUIET_INTS and _is_int(first)))


def raises(kernel: Kernel) -> bool:
    """Whether the kernel may raise a floating-point flag, or need NumPy's help."""
    return _adds_floats(kernel) or any(
        step.ufunc == "take" or can_raise(step.ufunc, (*map(kernel.dtype, step.args), step.dtype)) for step in kernel.steps
    )


def _adds_floats(kernel: Kernel) -> bool:
    return kernel.fold is not None and not _is_int(kernel.dtype(kernel.fold.reference))


def signals(kernel: Kernel) -> bool:
    """Whether flags that the kernel raises count: NumPy raises none where it only picks elements, and there ours mean nothing."""
    return _adds_floats(kernel) or any(
        can_raise(step.ufunc, (*map(kernel.dtype, step.args), step.dtype)) and not (step.ufunc in _PICKS and step.dtype.startswith("float"))
        for step in kernel.steps
    )


def shows_flags(kernel: Kernel) -> bool:
    """Whether a finite sum says that nothing was divided by zero or too large, and nothing invalid: what is not finite goes into it from
    every step that makes something of the kind."""
    if kernel.fold is None or _is_int(kernel.dtype(kernel.fold.reference)):
        return False
    first, shown = len(kernel.operands), {kernel.fold.reference}
    for number, step in reversed([*enumerate(kernel.steps, first)]):
        is_shown = number in shown and step.ufunc in _SHOWN and _is_real(step.dtype)
        if not is_shown and can_raise(step.ufunc, (*map(kernel.dtype, step.args), step.dtype)):
            return False
        if number in shown and step.ufunc in _KEEPING:
            shown.update(step.args)
    return True


def place_counts(kernel: Kernel) -> bool:
    """Whether bits may depend on where an element stands in the array that NumPy's loop is given: then NumPy cannot be asked for a part, except
    for the end of a single axis."""
    return any(_by_place(step.ufunc, kernel.dtype(step.args[0]), step.dtype) for step in kernel.steps)


def _by_place(ufunc: str, first: str, result: str) -> bool:
    if ufunc == "cast":
        return not _is_int(first) and _is_int(result) and result != "bool"
    return ufunc in _PICKS and not _is_int(first)


def repeatable(kernel: Kernel, operand: int) -> bool:
    """Whether nothing is lost when the operand is overwritten by the result: once more gives the same, also where NumPy has to do it. What
    was picked is picked again, and where it takes NumPy to pick the operand is as it was."""
    if len(kernel.steps) != 1:
        return False
    (step,) = kernel.steps
    return step.ufunc in _PICKS - {"clip"} and step.dtype in ("float32", "float64") and step.args[0] == operand


def names_flags(kernel: Kernel) -> int | None:
    """The step that the kernel's floating-point flags come from: the only one that raises any, and just those that NumPy's loop raises."""
    raising = [n for n, step in enumerate(kernel.steps) if can_raise(step.ufunc, (*map(kernel.dtype, step.args), step.dtype))]
    known = len(raising) == 1 and all(step.ufunc in (_PLAIN if n in raising else _BLIND) for n, step in enumerate(kernel.steps))
    return raising[0] if known and _is_real(kernel.steps[raising[0]].dtype) else None


_PICKS = frozenset(["maximum", "minimum", "fmax", "fmin", "clip"])
_PLAIN = frozenset(["add", "subtract", "multiply", "divide", "true_divide"])  # one instruction of the processor
_KEEPING = frozenset(["add", "subtract", "multiply", "square", "power_2", "negative", "positive"])  # what is not finite makes no finite number
_SHOWN = _PLAIN | {"square", "power_2", "sqrt", "reciprocal", "power_-1"}  # whatever raises a flag that counts is not finite
_BLIND = frozenset(["negative", "positive", "absolute", "abs", "fabs", "copysign", "logical_not"])  # these look at bits only
_WIDENING = frozenset(
    {("float32", "float64"), ("float32", "complex64"), ("float32", "complex128"), ("float64", "complex128")}
    | {("complex64", "complex128")}
    | {(name, name) for name in ("float32", "float64", "complex64", "complex128")}
)


def nothing_is_something(result: Type) -> bool:
    """Whether a reduction of no elements to this type gives the identity, if there is one: where the result's strides cannot depend on
    those of an array without elements."""
    return not isinstance(result, Array) or result.ndim == 1


def _is_real(dtype: str) -> bool:
    return dtype in ("float32", "float64")


def _is_int(dtype: str) -> bool:
    return "int" in dtype or dtype == "bool"
