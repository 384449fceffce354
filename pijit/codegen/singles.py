"""Ufuncs of NumPy scalars that have no formula: NumPy's own inner loop on one element, where that is found to give what a call of the ufunc does.
Flags say whether NumPy would warn."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.types import Np
from . import inner, units
from . import llvm_ir as ir
from .arrays import load_element, store_element
from .llvm import I64, PTR, call, i64

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver

_FLOATS = frozenset({"float32", "float64"})
_CALLS = 120  # samples of each


@functools.cache
def usable(ufunc: str, dtypes: tuple[str, ...]) -> bool:
    """Whether the loop of these dtypes may be called so."""
    if not _FLOATS.issuperset(dtypes) or ufunc in inner.LOOKS_AT_STEPS or not inner.usable(ufunc, dtypes):
        return False
    loop = inner.find(ufunc, dtypes)
    return loop is not None and _agrees(loop, dtypes)


def _agrees(loop: inner.Loop, dtypes: tuple[str, ...]) -> bool:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = zip(*(inner.samples(name, seed)[:_CALLS] for seed, name in enumerate(dtypes[:-1])), strict=True)
        pairs = [(loop.ufunc(*operands), _one(loop, operands, dtypes[-1])) for operands in samples]
    return all(type(expected) is type(got) for expected, got in pairs) and inner.equal(*map(np.array, zip(*pairs, strict=True)))


def _one(loop: inner.Loop, operands: tuple[Any, ...], dtype: str) -> Any:
    arrays = [*(np.array([operand]) for operand in operands), np.empty(1, dtype)]
    inner.run(loop, arrays)
    return arrays[-1][0]


def emit(d: Driver, op: Op, dtypes: tuple[str, ...], args: list[Any]) -> Any:
    """The result; leaves where a flag is set that NumPy's error state does not ignore."""
    b, ufunc, watched = d.builder, op.attrs["ufunc"], d.graph.errors_at(op).watched
    unit = units.loop_unit(ufunc, dtypes)
    symbol = d.unit(unit)
    places, steps, count = d.stack(len(dtypes)), d.stack(len(dtypes)), d.stack(1)
    elements = [d.stack(1) for _ in dtypes]
    for number, (element, dtype) in enumerate(zip(elements, dtypes, strict=True)):
        b.store(element, b.gep(places, [i64(number)], inbounds=True, source_etype=I64))
        b.store(i64(Np(dtype).dtype.itemsize), b.gep(steps, [i64(number)], inbounds=True, source_etype=I64))
    b.store(i64(1), count)
    for element, value in zip(elements, args, strict=False):
        store_element(d, element, value)
    if watched:
        call(b, "pj_fp_clear", ir.VoidType())
    call(b, symbol, ir.VoidType(), places, count, steps, d.data_symbol(unit.data) if unit.data else PTR(None))
    if watched:
        d.exit_if(op, b.icmp_signed("!=", b.and_(call(b, "pj_fp_get", I64), i64(watched)), i64(0)))
    return load_element(d, elements[-1], dtypes[-1])
