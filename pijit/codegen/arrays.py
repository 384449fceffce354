"""Arrays inside native code: an object that keeps the memory alive, a pointer, lengths and strides."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass

from . import llvm_ir as ir
from .llvm import DTYPES, I1, I8, I64, PTR, call, i64, make_complex, parts

if TYPE_CHECKING:
    from ..ir.types import Array
    from .driver import Driver

# Byte offsets in PyArrayObject_fields (NumPy 2, 64-bit): public ABI.
DATA, DIMENSIONS, STRIDES = 16, 32, 40


@dataclass(slots=True)
class ArrayValue:
    """``owner`` is the array object itself, what csrc/scratch.c gives where it is ``scratch``, or for a virtual view that of the array it looks into.
    ``strides`` are what NumPy says, ``steps`` what addresses are made of: the same where it matters, with constants and products of dims where the
    order is known. ``base``, ``axes``: of a virtual view, as its operation says."""

    type: Array
    owner: Any
    data: Any
    dims: list[Any]
    strides: list[Any]
    steps: list[Any]
    base: ArrayValue | None = None
    axes: tuple[tuple[int, ...], ...] | str = ()
    scratch: bool = False

    def fields(self) -> list[Any]:
        """Everything that identifies it, in one order."""
        return [self.owner, self.data, *self.dims, *self.strides]

    def add_incoming(self, other: ArrayValue | None, block: Any) -> None:
        """For phis."""
        values = [phi.type(None) for phi in self.fields()] if other is None else other.fields()
        for phi, value in zip(self.fields(), values, strict=True):
            phi.add_incoming(value, block)

    def find_steps(self, b: Any) -> None:
        """Fills `steps`, once the phis of the block are there."""
        self.steps = steps(b, self.type, self.dims, self.strides)

    def address(self, d: Driver, indices: list[Any]) -> Any:
        """A pointer to an element."""
        b = d.builder
        offset = None
        for index, step in zip(indices, self.steps, strict=True):
            term = b.mul(index, step, flags=["nsw"])
            offset = term if offset is None else b.add(offset, term, flags=["nsw"])
        return self.data if offset is None else b.gep(self.data, [offset], inbounds=True, source_etype=I8)

    def shown(self, b: Any) -> list[Any]:
        """The strides that NumPy shows, also of axes that are never stepped along."""
        if self.base is None:
            return self.strides
        above = self.base.shown(b)
        if isinstance(self.axes, str):
            return self._reshaped(b, above)
        return [reduce(b.add, _steps(b, above, dim, along)) for dim, along in zip(self.dims, self.axes, strict=True)]

    def _reshaped(self, b: Any, above: list[Any]) -> list[Any]:
        assert self.base is not None
        made: list[Any] = []
        step = i64(self.type.dtype.itemsize)
        for dim in self.dims[::-1]:
            made.insert(0, step)
            step = b.mul(step, b.select(_is_zero(b, dim), i64(1), dim))
        if self.axes == "new" or len(above) != len(made):
            return made
        same = reduce(b.and_, (b.icmp_signed("==", *pair) for pair in zip(self.dims, self.base.dims, strict=True)), I1(1))
        return [b.select(same, old, new) for old, new in zip(above, made, strict=True)]

    def make_object(self, d: Driver) -> Any:
        """A new array object for a view; NULL when there is no memory, for which an exit or a call raises MemoryError."""
        type = self.type
        dims, strides = d.dims_on_stack(self.dims, self.shown(d.builder))
        return call(
            d.builder,
            "pj_view",
            PTR,
            self.owner,
            self.data,
            i64(type.dtype.num),
            i64(type.ndim),
            dims,
            strides,
            i64(type.writable),
        )

    def keep(self, d: Driver) -> Any:
        """An array object of what is scratch; NULL when there is no memory."""
        type = self.type
        dims = d.dims_on_stack(self.dims)[0]
        return call(d.builder, "pj_kept", PTR, self.owner, i64(type.dtype.num), i64(type.ndim), dims, i64(type.order == "F"))

    def release(self, d: Driver) -> None:
        """Gives back what was made."""
        call(d.builder, "pj_discard" if self.scratch else "pj_release", ir.VoidType(), self.owner)


def _steps(b: Any, above: list[Any], dim: Any, along: tuple[int, ...]) -> list[Any]:
    """The strides of an axis of a view, of each axis that it goes along."""
    return [
        i64(0) if axis < 0 else above[axis] if step == 1 else b.mul(above[axis], b.select(_is_zero(b, dim), i64(1), i64(step)))
        for axis, step in zip(along[::2], along[1::2], strict=True)
    ]


def _is_zero(b: Any, dim: Any) -> Any:
    return b.icmp_signed("==", dim, i64(0))


def steps(b: Any, type: Array, dims: list[Any], strides: list[Any]) -> list[Any]:
    """Strides for addresses: known from the dims when the order is."""
    if type.order not in ("C", "F") or not type.ndim:
        return list(strides)
    made: list[Any] = [i64(type.dtype.itemsize)]
    for dim in dims[:0:-1] if type.order == "C" else dims[:-1]:
        made.append(b.mul(made[-1], dim, flags=["nsw"]))
    return made[::-1] if type.order == "C" else made


def array_value(b: Any, type: Array, owner: Any, data: Any, dims: list[Any], strides: list[Any]) -> ArrayValue:
    """An array of its parts."""
    return ArrayValue(type, owner, data, dims, strides, steps(b, type, dims, strides))


def scratch_array(b: Any, type: Array, owner: Any, data: Any, dims: list[Any]) -> ArrayValue:
    """A new array without an object: nobody asks for its strides."""
    made = array_value(b, type, owner, data, dims, [])
    made.scratch = True
    return made


def phi_of_array(b: Any, type: Array, scratch: bool = False) -> ArrayValue:
    """All phis come first in a block, so `find_steps` waits until they are there."""
    fields = [b.phi(PTR), b.phi(PTR), *(b.phi(I64) for _ in range(type.ndim if scratch else 2 * type.ndim))]
    dims, strides = fields[2 : 2 + type.ndim], fields[2 + type.ndim :]
    return ArrayValue(type, fields[0], fields[1], dims, strides, [], scratch=scratch)


def array_of_object(d: Driver, owner: Any, type: Array, dims: list[Any] | None = None) -> ArrayValue:
    """Reads the fields of an array object."""
    if dims is None:
        dims = _vector(d, owner, DIMENSIONS, type.ndim)
    return array_value(d.builder, type, owner, field(d, owner, DATA, PTR), dims, _vector(d, owner, STRIDES, type.ndim))


def field(d: Driver, pointer: Any, offset: int, type: Any) -> Any:
    """A field of an object: it does not alias array data."""
    where = d.builder.gep(pointer, [i64(offset)], inbounds=True, source_etype=I8)
    value = d.builder.load(where, typ=type, align=8)
    value.set_metadata("tbaa", d.tags.fields)
    return value


def _vector(d: Driver, owner: Any, offset: int, length: int) -> list[Any]:
    if not length:
        return []
    start = field(d, owner, offset, PTR)
    return [field(d, start, 8 * i, I64) for i in range(length)]


def load_element(d: Driver, pointer: Any, dtype: str, tag: Any = None) -> Any:
    """Reads an element. ``tag``: of its region, if that is known."""
    b = d.builder
    type = DTYPES[dtype]
    if dtype.startswith("complex"):
        part = type.elements[0]
        places = (pointer, b.gep(pointer, [i64(1)], inbounds=True, source_etype=part))
        return make_complex(b, *(_tagged(d, b.load(place, typ=part), tag) for place in places))
    if type == I1:
        return b.icmp_unsigned("!=", _tagged(d, b.load(pointer, typ=I8), tag), I8(0))
    return _tagged(d, b.load(pointer, typ=type), tag)


def store_element(d: Driver, pointer: Any, value: Any, tag: Any = None) -> None:
    """Writes an element. ``tag``: of its region, if that is known."""
    b = d.builder
    if value.type == I1:
        value = b.zext(value, I8)
    if hasattr(value.type, "elements"):
        for i, half in enumerate(parts(b, value)):
            _tagged(d, b.store(half, b.gep(pointer, [i64(i)], inbounds=True, source_etype=half.type)), tag)
    else:
        _tagged(d, b.store(value, pointer), tag)


def _tagged(d: Driver, instruction: Any, tag: Any) -> Any:
    instruction.set_metadata("tbaa", tag or d.tags.data)
    return instruction
