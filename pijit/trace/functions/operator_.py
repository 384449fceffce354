"""The functions of the operator module that are operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import dunder, operators
from ..values import Abstract, Break
from .rows import abstract, expect, index, row, scalar_kind

if TYPE_CHECKING:
    from ..tables import Handler
    from ..tracer import Tracer

_BINARY: dict[Any, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//", operator.mod: "%", operator.pow: "**",
    operator.and_: "&", operator.or_: "|", operator.xor: "^", operator.lshift: "<<", operator.rshift: ">>", operator.matmul: "@",
}  # fmt: skip
_COMPARISONS: dict[Any, str] = {
    operator.lt: "<", operator.le: "<=", operator.eq: "==", operator.ne: "!=", operator.gt: ">", operator.ge: ">=",
}  # fmt: skip
_UNARY: dict[Any, str] = {operator.neg: "-", operator.pos: "+", operator.invert: "~", operator.not_: "not"}


def _handler(name: str, symbol: str, count: int, does: Callable[..., Abstract]) -> Handler:
    def handle(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        expect(name, args, kwargs, count)
        if any(dunder.class_of(arg) is not None for arg in args):
            raise Break("call_arguments", f"{name} of objects")
        return does(t, symbol, *args)

    return handle


@row(operator.index)
def _index(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    expect("operator.index", args, kwargs, 1)
    return args[0] if scalar_kind(args[0]) == "int" else abstract(index(t, args[0], "operator.index"))


for _table, _count, _does in ((_BINARY, 2, operators.binary), (_COMPARISONS, 2, operators.compare), (_UNARY, 1, operators.unary)):
    for _function, _symbol in _table.items():
        row(_function)(_handler(f"operator.{_function.__name__}", _symbol, _count, _does))
