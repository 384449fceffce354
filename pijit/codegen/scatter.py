"""np.bincount, np.add.at and np.subtract.at, and kernels that are for them alone: csrc/scatter.c and scattered.c do them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.types import Array
from ..ir.ufuncs import signals
from . import units
from .arrays import ArrayValue, array_of_object, store_element
from .elementwise import kernel_words
from .ints import ZERO
from .kernels import declared
from .llvm import I64, PTR, call, i64
from .rows import row
from .stores import in_words
from .takes import ints_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ir.graph import Op, Value
    from .driver import Driver

_TYPES = {"float64": 0, "float32": 1} | {f"{sign}int{8 << n}": 2 + n for n in range(4) for sign in ("", "u")}


@row("within")
def _within(d: Driver, op: Op) -> Any:
    a, n = d.array(op.args[0]), d.scalar(op.args[1])
    return d.builder.icmp_signed("!=", call(d.builder, "pj_within", I64, a.data, *ints_words(d, a), n), ZERO)


@row("bincount")
def _bincount(d: Driver, op: Op) -> ArrayValue:
    type = op.result.type
    assert isinstance(type, Array)
    a, weights, least = d.array(op.args[0]), [d.array(arg) for arg in op.args[1:-1]], d.scalar(op.args[-1])
    data, steps = (weights[0].data, weights[0].steps) if weights else (PTR(None), [ZERO])
    block = d.dims_on_stack([*ints_words(d, a), *steps])[0]
    made = call(d.builder, "pj_bincount", PTR, least, a.data, data, block)
    d.exit_if(op, d.builder.icmp_unsigned("==", made, PTR(None)))
    return array_of_object(d, made, type)


@row("add_at")
def _add_at(d: Driver, op: Op) -> None:
    target, index, (data, step) = d.array(op.args[0]), d.array(op.args[1]), _added(d, op.args[2])
    words = [i64(_TYPES[target.type.name]), i64(op.attrs["ufunc"] == "subtract"), *target.dims, *target.steps, *ints_words(d, index)]
    block = d.dims_on_stack([*words, step, i64(d.graph.errors_at(op).watched)])[0]
    done = call(d.builder, "pj_add_at", I64, target.data, index.data, data, block)
    d.exit_if(op, d.builder.icmp_signed("==", done, ZERO))


def _added(d: Driver, value: Value) -> tuple[Any, Any]:
    """Where what is added begins, and its step."""
    source = d.value(value)
    if isinstance(source, ArrayValue):
        return source.data, source.steps[0]
    data = d.stack(2)
    store_element(d, data, source)
    return data, ZERO


@row("kernel_scattered")
def _scattered(d: Driver, op: Op) -> tuple[ArrayValue, ...]:
    b, kernel = d.builder, op.attrs["kernel"]
    n = len(kernel.operands)
    length, given = d.scalar(op.args[n]), iter(op.args[n + 1 :])
    dtypes = [np.dtype(kernel.dtype(reference)) for reference in kernel.outputs]
    outputs = next(number for number, word in enumerate(kernel.words()) if word[0] == "output")
    errors = d.graph.errors_at(op).watched
    watched = errors if op.attrs["flags"] and signals(kernel) else 0
    sizes = [i64(dtype.itemsize) for dtype in dtypes]
    head = [length, i64(outputs), i64(len(sizes)), *sizes, i64(watched), i64(errors), i64(len(op.attrs["sinks"]))]
    sinks = [_sink(d, sink, dtypes, given) for sink in op.attrs["sinks"]]
    plan = in_words(d, sum(sinks, head))
    p = in_words(d, kernel_words(d, op, kernel, [length], length, []))
    symbol = declared(d.module, d.unit(units.kernel_unit(kernel)))
    d.exit_if(op, b.icmp_signed("==", call(b, "pj_scattered", I64, symbol, p, plan), ZERO))
    places = (len(head) + _DATA + number * len(sinks[0]) for number, sink in enumerate(op.attrs["sinks"]) if sink[0] == "bincount")
    made = [b.load(b.gep(plan, [i64(place)], inbounds=True, source_etype=I64), typ=PTR, align=8) for place in places]
    return tuple(array_of_object(d, owner, _counted(result.type)) for owner, result in zip(made, op.results, strict=True))


def _counted(type: Any) -> Array:
    return Array(type.name, 1, "C")


_DATA = 2  # the place in a sink of what it makes


def _sink(d: Driver, sink: tuple[str, int, int | None], dtypes: list[np.dtype[Any]], given: Iterator[Value]) -> list[Any]:
    """The words of csrc/scattered.c's Sink."""
    b, (name, index, values), first = d.builder, sink, next(given)
    if name == "bincount":
        words = [ZERO, ZERO, ZERO, d.scalar(first), ZERO]
    else:
        target = d.array(first)
        way = 1 + (name == "subtract")
        words = [i64(way), i64(_TYPES[target.type.name]), b.ptrtoint(target.data, I64), *target.dims, *target.steps]
    if index < 0:
        array = d.array(next(given))
        words += [i64(-1), b.ptrtoint(array.data, I64), *ints_words(d, array)[:2]]
    else:
        size = dtypes[index].itemsize
        words += [i64(index), ZERO, i64(-size if dtypes[index].kind == "i" else size), i64(size)]
    if values is None:
        return [*words, i64(-2), ZERO, ZERO]
    if values >= 0:
        return [*words, i64(values), ZERO, i64(dtypes[values].itemsize)]
    data, step = _added(d, next(given))
    return [*words, i64(-1), b.ptrtoint(data, I64), step]
