"""New arrays of one value, and copies, of which a kernel stores a part right afterwards: only what lies around that is filled.

It is filled where the kernel begins. Exits before it has run, its own included, fill all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Op
from ..ir.ops import OPS
from . import llvm_ir as ir
from .llvm import call, i64

if TYPE_CHECKING:
    from ..ir.graph import Block, Graph, Value
    from .arrays import ArrayValue
    from .driver import Driver
    from .owners import Owners

_MOST = 8  # axes
_BETWEEN = frozenset({"view", "empty", "kernel", "kernel_into"})  # beside what has no effect: no code of the program's runs in any of them


class Around:
    """``pending``: what is not filled yet where code is made now, by the kernel that stores a part of it."""

    def __init__(self, graph: Graph, owners: Owners, filled: dict[Op, Value]) -> None:
        """``filled``: the operations that fill a new array, and which."""
        self._kernel: dict[Op, Op] = {}
        for block in graph.blocks:
            for op in block.ops:
                kernel = _stored_next(block, op, filled[op], owners) if op in filled else None
                if kernel is not None and (op.name == "empty" or _is_there(op.args[1], block, kernel, owners)):
                    self._kernel[op] = kernel
        self.pending: dict[Op, tuple[ArrayValue, Any, list[Any]]] = {}

    def puts_off(self, op: Op, array: ArrayValue, source: Any, steps: list[Any]) -> bool:
        """Whether the array need not be filled yet from the source, along which the steps are so many bytes."""
        kernel = self._kernel.get(op)
        if kernel is not None:
            self.pending[kernel] = array, source, steps
        return kernel is not None

    def begin(self, d: Driver, kernel: Op) -> None:
        """Before the kernel runs: fills what lies around the part that it stores."""
        if kernel in self.pending:
            array, source, steps = self.pending[kernel]
            part = d.array(kernel.args[-1])
            block = d.dims_on_stack([*array.dims, *array.steps, *steps, *part.dims, *part.steps])[0]
            size, ndim = i64(array.type.dtype.itemsize), i64(array.type.ndim)
            call(d.builder, "pj_assign_around", ir.VoidType(), array.data, source, size, ndim, block, part.data)

    def end(self, kernel: Op) -> None:
        """The kernel has run."""
        self.pending.pop(kernel, None)

    def leave(self, d: Driver) -> None:
        """At an exit."""
        from .assign import copy

        for array, source, steps in self.pending.values():
            copy(d, array, source, steps)


def _stored_next(block: Block, filling: Op, array: Value, owners: Owners) -> Op | None:
    """The kernel that stores a part of the array before anything else needs an element of it, or could change what it is filled from."""
    copied = filling.name == "assign"
    if array.type.ndim > _MOST:  # type: ignore[attr-defined]
        return None
    for op in block.ops[block.ops.index(filling) + 1 :]:
        mine = [value for value in op.args if owners.base(value) is array]
        if op.name == "kernel_into" and mine == [op.args[-1]] and op.args[-1].type.ndim == array.type.ndim:  # type: ignore[attr-defined]
            store = op.attrs["kernel"].store
            return op if store is not None and store.operand is None and not store.spent else None
        if op.name == "kernel_into" and copied:
            return None
        if mine and not (op.name in ("dim", "stride") or (op.name == "view" and owners.is_virtual(op.result))):
            return None
        if OPS[op.name].effect is not None and op.name not in _BETWEEN:
            return None
    return None


def _is_there(source: Value, block: Block, kernel: Op, owners: Owners) -> bool:
    """Whether what is copied is still there when the kernel begins."""
    carrier = owners.carrier(source)
    return carrier is None or carrier in owners.after_ops(block)[block.ops.index(kernel)]
