"""The operations that `fuse` makes one kernel of, and what it asks of an operation."""

from __future__ import annotations

from typing import Any

from pijit.ground.records import dataclass, field

from ..ir.graph import Op, Value
from ..ir.types import Array, Np
from .shapes import Same, length

LIMIT = 40  # steps of a kernel: LLVM's time grows faster than the kernel
PLACES = (-1,)  # instead of the stretched axes: the operand is looked up at places
_TAKEN = frozenset(f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (32, 64)) | {"bool", "int8", "uint8", "int16", "uint16"}


@dataclass(eq=False)
class Group:
    """``first`` and ``last``: places of its operations in the block. ``reach``: of the last whose exits begin at the first, if behind those."""

    first: int
    last: int
    ops: list[Op] = field(default_factory=list)
    store: Op | None = None  # the assign of one of the results
    fold: Op | None = None  # the reduction of one of the results
    attrs: dict[str, Any] = field(default_factory=dict)  # and what is said of its place in the program
    spent: bool = False  # nobody needs what was in the target, not even where the group fails
    reach: int = -1
    by_elements: bool = False  # what is read from the target is not needed any more when that element is stored

    @property
    def until(self) -> int:
        """The last place whose exits begin at the first one."""
        return max(self.last, self.reach)

    def makes(self, values: tuple[Value, ...]) -> bool:
        return any(value.op is op for value in values for op in self.ops)

    def shares(self, op: Op) -> bool:
        arrays = {value for value in operands_of(op) if isinstance(value.type, Array)}
        return any(value in arrays for other in self.ops for value in operands_of(other))


def operands_of(op: Op) -> tuple[Value, ...]:
    return op.args[: _count(op)]


def dims_of(op: Op) -> tuple[Value, ...]:
    return op.args[_count(op) :]


def _count(op: Op) -> int:
    return 2 if takes(op) else op.attrs.get("n", 1)


def stretch_of(op: Op) -> tuple[tuple[int, ...], ...]:
    return (PLACES, ()) if takes(op) else tuple(op.attrs.get("stretch", ((),)))


def key_of(op: Op, same: Same) -> tuple[object, ...]:
    """What operations of one group have in common, as far as it is known: a check may make two of them equal."""
    return order_of(op), tuple(length(same, dim) for dim in dims_of(op))


def order_of(op: Op) -> str:
    assert isinstance(op.result.type, Array)
    return op.result.type.order


def folds(op: Op) -> bool:
    return op.name == "reduce"


def scans(op: Op) -> bool:
    return op.name == "accumulate"


def takes(op: Op) -> bool:
    """Whether it looks up elements of a vector, each for itself."""
    type = op.result.type if op.name == "take" else None
    return isinstance(type, Array) and type.ndim == 1 and type.name in _TAKEN


def dtypes_of(op: Op) -> tuple[str, ...]:
    return tuple(map(dtype_name, (*operands_of(op), op.result)))


def dtype_name(value: Value) -> str:
    assert isinstance(value.type, (Array, Np))
    return value.type.name


def flat(ops: list[Op]) -> bool:
    """Whether one loop goes over all elements of all operands."""
    rank = len(dims_of(ops[-1]))
    return rank == 1 or all(
        is_flat(value, stretch, rank, order_of(op)) for op in ops for value, stretch in zip(operands_of(op), stretch_of(op), strict=True)
    )


def is_flat(value: Value, stretch: tuple[int, ...], ndim: int, order: object) -> bool:
    """Whether one loop over all elements of the result walks the operand with one constant stride."""
    type = value.type
    if stretch == PLACES:
        return True
    if not isinstance(type, Array) or len(stretch) == type.ndim:
        return True
    return type.ndim in (ndim, ndim + 1) and type.order == order and not stretch  # one more: what is folded
