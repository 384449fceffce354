"""NumPy's scalar types as callables, and the attributes and methods of NumPy and Python scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ground.names import is_a, is_one_of
from ....ir.types import BOOL, FLOAT, INT, NATIVE, NUMBERS, Np
from ... import opaque
from ...operators import as_int, cast, numpy_scalars
from ...tables import ATTRIBUTES, PURE
from ...values import Abstract, Break, Container, Known
from ..rows import abstract, half, row, scalar_kind, value

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]


def _scalar_type(cls: type[np.generic], name: str) -> None:
    @row(cls)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        if kwargs or len(args) != 1 or scalar_kind(args[0]) in ("", "c") or name.startswith("complex"):
            return opaque.call_pure(t, cls, args, kwargs)
        return abstract(cast(t, value(args[0], name), Np(name)))


for _name in sorted(NATIVE):
    _scalar_type(np.dtype(_name).type, _name)


def _constant(cls: Any) -> None:
    @row(cls)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        known = [a.value for a in args if isinstance(a, Known)]
        if (
            kwargs
            or len(known) != len(args)
            or not all(type(k) is str or is_a(k, np.dtype) or type(k) in NUMBERS or k is None or is_one_of(k, _CLASSES) for k in known)
        ):
            raise Break("call_arguments", cls.__name__)
        try:
            return Known(cls(*known))
        except (TypeError, ValueError):
            raise Break("always_raises", cls.__name__) from None


_CLASSES = (bool, int, float, complex, *(np.dtype(name).type for name in NATIVE))
for _constant_class in (np.dtype, np.finfo, np.iinfo):
    _constant(_constant_class)


@row(np.generic.item)
def item(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    kind = scalar_kind(args[0])
    if len(args) == 1 and not kwargs and kind in ("b", "i", "u", "f"):
        return abstract(cast(t, value(args[0], "item"), {"b": BOOL, "f": FLOAT}.get(kind, INT)))
    return opaque.call_pure(t, np.generic.item, args, kwargs)


def _conjugate(method: Any) -> None:
    @row(method)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        kind = scalar_kind(args[0]) if len(args) == 1 and not kwargs else ""
        if kind == "b":
            return args[0]  # np.conjugate makes an int8 of it
        if kind and kind in "iufc":
            return numpy_scalars(t, "conjugate", method, args[0])
        return opaque.call_pure(t, method, args, kwargs)


_conjugate(np.generic.conjugate)
_conjugate(np.generic.conj)


# ---- attributes -------------------------------------------------------------------------------------------------------------------


def _np_attribute(name: str, function: Callable[[Any], Any]) -> None:
    """An attribute that depends on the dtype only."""

    def handler(t: Tracer, owner: Abstract) -> Abstract:
        return Known(function(np.dtype(value(owner, name).type.name)))  # type: ignore[attr-defined]

    ATTRIBUTES["np", name] = handler


_np_attribute("dtype", lambda dtype: dtype)
_np_attribute("itemsize", lambda dtype: dtype.itemsize)
_np_attribute("nbytes", lambda dtype: dtype.itemsize)
_np_attribute("ndim", lambda dtype: 0)
_np_attribute("size", lambda dtype: 1)


def _shape(t: Tracer, owner: Abstract) -> Abstract:
    return Container("tuple", ())


def _np_real(t: Tracer, owner: Abstract) -> Abstract:
    return owner if scalar_kind(owner) != "c" else abstract(half(t, owner, 0))


def _np_imag(t: Tracer, owner: Abstract) -> Abstract:
    if scalar_kind(owner) == "c":
        return abstract(half(t, owner, 1))
    name = value(owner, "imag").type.name  # type: ignore[attr-defined]
    return Known(np.dtype(name).type(0))


ATTRIBUTES |= {("np", "shape"): _shape, ("np", "strides"): _shape, ("np", "real"): _np_real, ("np", "imag"): _np_imag}
ATTRIBUTES["np", "T"] = lambda t, owner: owner


def _as_int(t: Tracer, owner: Abstract) -> Abstract:
    return abstract(as_int(t, value(owner, "real")))


for _kind in ("int", "bool"):
    ATTRIBUTES |= {
        (_kind, "real"): _as_int, (_kind, "numerator"): _as_int,
        (_kind, "imag"): lambda t, owner: Known(0), (_kind, "denominator"): lambda t, owner: Known(1),
    }  # fmt: skip
ATTRIBUTES |= {("float", "real"): lambda t, owner: owner, ("float", "imag"): lambda t, owner: Known(0.0)}

# ---- methods ------------------------------------------------------------------------------------------------------------------------

# No method of an immutable object has an effect, but for those that write files or fail in any case.
LEFT = frozenset(
    [
        "dump",
        "tofile",
        "setflags",
        "setfield",
        "put",
        "fill",
        "resize",
        "sort",
        "byteswap",
        "to_device",
        "newbyteorder",
        "getfield",
    ]
)
CLASSES: tuple[type, ...] = (
    np.generic,
    np.number,
    np.integer,
    np.floating,
    np.inexact,
    np.complexfloating,
    *(np.dtype(name).type for name in sorted(NATIVE)),
    int,
    float,
    tuple,
)
for _cls in CLASSES:
    for _name, _method in vars(_cls).items():
        if type(_method) is type(str.join) and not _name.startswith("_") and _name not in (*LEFT, "item"):
            PURE[_method] = f"{_cls.__name__}.{_name}"
