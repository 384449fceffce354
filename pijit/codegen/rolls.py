"""np.roll: csrc/roll.c does it, into a new array or one that is there, or for a kernel alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.types import Array
from .assign import operand_steps
from .ints import ZERO
from .kernels import declared
from .llvm import I64, call, i64
from .rows import Unsupported, row
from .whole import exit_and_release, new_array

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .arrays import ArrayValue
    from .driver import Driver


@row("roll")
def _roll(d: Driver, op: Op) -> ArrayValue:
    type = op.result.type
    assert isinstance(type, Array)
    if type.order not in ("C", "F"):
        raise Unsupported(f"a new array of order {type.order}")
    source, rest = d.array(op.args[0]), [d.scalar(arg) for arg in op.args[1:]]
    made = new_array(d, op, op.result, rest[: type.ndim], [])
    exit_and_release(d, op, _failed(d, made, source, rest[type.ndim :]), [made])
    return made


@row("roll_into")
def _roll_into(d: Driver, op: Op) -> None:
    target, source = d.array(op.args[0]), d.array(op.args[1])
    places = [d.scalar(arg) for arg in op.args[2 + target.type.ndim :]]
    d.exit_if(op, _failed(d, target, source, places))


def call_kernel(d: Driver, op: Op, symbol: str, p: Any, dims: list[Any], length: Any) -> Any:
    """Calls a kernel of operands that are rolled along the first axis; gives what it returns. ``length``: of the kernel's."""
    b, kernel = d.builder, op.attrs["kernel"]
    place = {word: number for number, word in enumerate(kernel.words())}
    block: list[Any] = []
    for number, by in zip(op.attrs["rolled"], op.args[len(kernel.operands) + len(dims) :], strict=True):
        row = b.sdiv(length, dims[0]) if op.attrs["collapsed"] else i64(1)  # elements of the kernel's axis
        step = kernel.operands[number].strides[0]
        block += [
            i64(place["pointer", number, 0]),
            d.array(op.args[number]).steps[0] if step is None else i64(step),
            b.mul(d.scalar(by), row),
        ]
    described = d.dims_on_stack(block)[0]
    return call(b, "pj_kernel_rolled", I64, b.ptrtoint(declared(d.module, symbol), I64), b.ptrtoint(p, I64), described, i64(len(block) // 3))


def _failed(d: Driver, target: ArrayValue, source: ArrayValue, places: list[Any]) -> Any:
    ndim = target.type.ndim
    block = d.dims_on_stack([*target.dims, *target.steps, *operand_steps(source, ndim, frozenset()), *places])[0]
    done = call(d.builder, "pj_roll", I64, target.data, source.data, i64(target.type.dtype.itemsize), i64(ndim), block)
    return d.builder.icmp_signed("==", done, ZERO)
