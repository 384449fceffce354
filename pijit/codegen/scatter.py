"""np.bincount, np.add.at and np.subtract.at: csrc/scatter.c does them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.types import Array
from .arrays import ArrayValue, array_of_object, store_element
from .ints import ZERO
from .llvm import I64, PTR, call, i64
from .rows import row
from .takes import ints_words

if TYPE_CHECKING:
    from ..ir.graph import Op
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
    target, index, source = d.array(op.args[0]), d.array(op.args[1]), d.value(op.args[2])
    if isinstance(source, ArrayValue):
        data, step = source.data, source.steps[0]
    else:
        data, step = d.stack(2), ZERO
        store_element(d, data, source)
    words = [i64(_TYPES[target.type.name]), i64(op.attrs["ufunc"] == "subtract"), *target.dims, *target.steps, *ints_words(d, index)]
    block = d.dims_on_stack([*words, step, i64(d.graph.errors_at(op).watched)])[0]
    done = call(d.builder, "pj_add_at", I64, target.data, index.data, data, block)
    d.exit_if(op, d.builder.icmp_signed("==", done, ZERO))
