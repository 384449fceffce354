"""Numbers out of Python's objects, by generated code itself: what an object must be is checked first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arrays import field
from .llvm import F64, I32, I64, PTR, call, i64
from .looks import NUMBERS, layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ir.graph import Op
    from .driver import Driver

    Must = Callable[[Any], None]  # goes on where the condition holds only

TYPE, FLOAT_VALUE = 8, 16  # byte offsets in CPython's objects
_SIZE, _DIGIT = 16, 24  # of an int of one digit


def float_of(d: Driver, o: Any, must: Must) -> Any:
    """The double in an exact float."""
    must(d.builder.icmp_unsigned("==", field(d, o, TYPE, PTR), d.data_symbol("PyFloat_Type")))
    return field(d, o, FLOAT_VALUE, F64)


def int_of(d: Driver, o: Any, must: Must) -> Any:
    """The number in an exact int of one digit. 3.12: two bits below the number of digits say its sign, 0 of positive ones, 2 of negative ones."""
    b = d.builder
    must(b.icmp_unsigned("==", field(d, o, TYPE, PTR), d.data_symbol("PyLong_Type")))
    size, digit = field(d, o, _SIZE, I64), b.zext(field(d, o, _DIGIT, I32), I64)
    if layout()["tagged_ints"]:
        must(b.icmp_unsigned("<", size, i64(16)))
        return b.mul(b.sub(i64(1), b.and_(size, i64(3))), digit)
    must(b.icmp_unsigned("<", b.add(size, i64(1)), i64(3)))
    return b.mul(size, digit)


def any_int_of(d: Driver, o: Any, must: Must) -> Any:
    """The number in an exact int of up to 64 bits."""
    b, function = d.builder, d.function
    large, after = function.append_basic_block("large"), function.append_basic_block("on")
    usual, place = int_of(d, o, lambda holds: d.leave_if(b.not_(holds), large)), d.stack(1)
    first = b.block
    b.branch(after)
    b.position_at_end(large)
    must(b.icmp_signed("==", call(b, "pj_unbox_int", I64, o, place), i64(0)))
    rare, second = b.load(place, typ=I64), b.block
    b.branch(after)
    b.position_at_end(after)
    phi = b.phi(I64)
    phi.add_incoming(usual, first)
    phi.add_incoming(rare, second)
    return phi


def whole(d: Driver, op: Op, o: Any) -> Any:
    """The same; the operation's exit where it is none."""
    return any_int_of(d, o, lambda holds: d.exit_if(op, d.builder.not_(holds)))


def bool_of(d: Driver, o: Any, must: Must) -> Any:
    """Which of the two bools it is."""
    b = d.builder
    true = b.icmp_unsigned("==", o, d.data_symbol("_Py_TrueStruct"))
    must(b.or_(true, b.icmp_unsigned("==", o, d.data_symbol("_Py_FalseStruct"))))
    return true


UNBOX = dict(zip(NUMBERS, (float_of, int_of, bool_of), strict=True))
