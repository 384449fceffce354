"""Guard failures in the user's words: which attribute of which name differs, what was expected, what came.

A guard row of docs/native.md says what was expected; DIFFERENCES has a function per kind of row that finds the first thing about the
actual object that does not fit it.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from pijit import _native
from pijit.ground import reasons
from pijit.ground.names import class_name, is_a, is_one_of, module_of, short
from pijit.ir.types import NATIVE
from pijit.pycode.namespaces import name_of
from pijit.trace.sources import item_name

Row = tuple[Any, ...]


class Gone(str):
    """In a row: the name of what it compared with, which is no more."""

    __slots__ = ()


class Difference(NamedTuple):
    """``reason``: a key of the registry. ``what``: a name in the user's source, or an attribute of one."""

    reason: str
    what: str
    expected: str
    got: str

    def text(self) -> str:
        return f"{self.what!r} expected {self.expected}, got {self.got}" if self.what else f"expected {self.expected}, got {self.got}"

    @property
    def id(self) -> str:
        return reasons.lookup(self.reason).id

    @property
    def hint(self) -> str:
        return reasons.lookup(self.reason).hint


def difference(row: Row, name: str, got: Any, unset: object) -> Difference:
    """Why a guard row does not hold. ``name`` names its source; ``got`` is the object that was there, ``unset`` when there was none."""
    gone = next((part for part in row if type(part) is Gone), None)
    if gone is not None and got is not unset:
        if row[0] in ("type", "object"):
            return Difference("guard_type", f"type({name})", gone, type_name(type(got)))
        if row[0] == "python_function":
            return Difference("guard_attr", f"{name}.__code__", gone, "other code")
        return Difference("guard_identity", name, gone, show(got))
    found = next(iter(DIFFERENCES[row[0]](row, name, got)), None) if got is not unset or row[0] in FRAME else None
    if found is not None:
        return found
    return Difference("guard_missing", name, "a value", "nothing")


_FAR = 2 * 64 + 8  # an array has at most 64 dimensions


def distance(row: Row, got: Any) -> int:
    """In how many ways the guard row of an array does not hold; for other rows a number larger than that."""
    if row[0] != "array" or type(got) is not np.ndarray:
        return _FAR
    return sum(1 for _ in of_array(row, "", got))


def show(value: Any) -> str:
    """An object in a few words."""
    if type(value) is Gone:
        return str(value)
    return f"a {value.dtype} array of shape {value.shape}" if type(value) is np.ndarray else short(value)


def told(operand: Any) -> str:
    """What a guard compares with, as messages name it."""
    if is_a(operand, CodeType):
        return f"the code of line {operand.co_firstlineno}"
    return type_name(operand) if is_a(operand, type) else show(operand)


def type_name(cls: type) -> str:
    return class_name(cls) if module_of(cls) in ("builtins", "__main__") else f"{module_of(cls)}.{class_name(cls)}"


def of_type(name: str, wanted: type, got: Any) -> Iterator[Difference]:
    if type(got) is not wanted:
        yield Difference("guard_type", f"type({name})", type_name(wanted), type_name(type(got)))


# ---- one function per kind of row: (row, name, got) -> what differs, the most telling first ---------------------------------


def of_array(row: Row, name: str, got: Any) -> Iterator[Difference]:
    _, _, _, typenum, ndim, need, ones, order = row
    yield from of_type(name, np.ndarray, got)
    if got.dtype != DTYPES[typenum]:
        yield Difference("guard_array_dtype", f"{name}.dtype", str(DTYPES[typenum]), str(got.dtype))
    if got.ndim != ndim:
        yield Difference("guard_array_ndim", f"{name}.ndim", str(ndim), str(got.ndim))
    for axis, length in enumerate(got.shape):
        if ones >> axis & 1 != (length == 1):
            expected = "1" if length != 1 else "not 1 (1 broadcasts)"
            yield Difference("guard_array_ones", f"{name}.shape[{axis}]", expected, str(length))
    for flag, bit in (("writeable", 0x0400), ("aligned", 0x0100)):
        if (need ^ got.flags.num) & bit:  # that number is read without a warning, whatever made the array
            yield Difference("guard_array_flags", f"{name}.flags.{flag}", str(bool(need & bit)), str(not need & bit))
    yield Difference("guard_array_order", f"{name}.strides", ORDERS[order], f"{got.strides} for shape {got.shape}")


DTYPES = {np.dtype(name).num: np.dtype(name) for name in NATIVE}
ORDERS = {
    "C": "those of a C contiguous array",
    "F": "those of a Fortran contiguous array",
    "S": "positive ones in descending order",
    "any": "any",
}


def of_int(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield from of_type(name, int, got)
    yield Difference("guard_int_range", name, "an int of at most 64 bits", f"one of {got.bit_length()} bits")


def of_kind(wanted: type) -> Callable[[Row, str, Any], Iterator[Difference]]:
    return lambda row, name, got: of_type(name, wanted, got)


def of_np(row: Row, name: str, got: Any) -> Iterator[Difference]:
    return of_type(name, DTYPES[row[3]].type, got)


def of_identity(row: Row, name: str, got: Any) -> Iterator[Difference]:
    wanted = row[2]
    known = is_a(wanted, (str, bytes, type(None)))
    tuples = type(wanted) is type(got) is tuple
    expected, came = (show_all(wanted), show_all(got)) if tuples else (show(wanted), show(got))
    if expected == came:
        came = f"another {came}"
    reason = "guard_attr" if name.endswith(_PARTS) else "guard_value" if known else "guard_identity"
    yield Difference(reason, name, expected, came)


_PARTS = (".__defaults__", ".__kwdefaults__")  # of a function


def of_value(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield from of_type(name, int, got)
    yield Difference("guard_value", name, str(row[2]), show(got))


def of_length(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_length", f"len({name})", str(row[2]), str(len(got)) if is_one_of(type(got), (tuple, list, dict)) else show(got))


def of_keys(row: Row, name: str, got: Any) -> Iterator[Difference]:
    keys = ", ".join(map(show, got)) if type(got) is dict else show(got)
    yield Difference("guard_value", f"the keys of {name}", ", ".join(map(show, row[2])), keys)


def of_function(row: Row, name: str, got: Any) -> Iterator[Difference]:
    _, _, code, globals_, has = row
    if not is_a(got, FunctionType) or got.__code__ is not code:
        yield Difference("guard_attr", f"{name}.__code__", told(code), "other code")
    for bit, part in ((1, "__defaults__"), (2, "__kwdefaults__")):
        if (getattr(got, part) is not None) != bool(has & bit):
            yield Difference("guard_attr", f"{name}.{part}", *("some", "none")[:: 1 if has & bit else -1])
    yield Difference("guard_globals", name, f"the globals of {name_of(globals_) or 'a module'}", "another module's")


def show_all(items: Sequence[Any] | None) -> str:
    return "none" if not items else ", ".join(map(show, items))


def of_present(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_present", named(row), "no such variable", "one")


def named(row: Row) -> str:
    """The name that must not be there; a slot has no name of its own here."""
    return next((part for part in row[1:] if isinstance(part, str)), "")


def of_sole(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_identity", name, "an object that nothing else refers to", f"a shared {class_name(type(got), '__name__')}")


def of_apart(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_identity", name, "another list than one that is stored to", "the same")


def of_shadow(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_present", f"{name}.{row[2]}" if row[0] != "no_item" else item_name(name, row[2]), "nothing of its own", "something")


def of_unset(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_present", name.removesuffix(" is not bound"), "no value", "one")


def of_errmask(row: Row, name: str, got: Any) -> Iterator[Difference]:
    now = ", ".join(f"{kind}={how}" for kind, how in np.geterr().items())
    yield Difference("guard_errstate", "np.geterr()", "NumPy's error state of that time", now)


def of_loop(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_identity", "a loop of a ufunc", "NumPy's own", "another")


def of_monitored(row: Row, name: str, got: Any) -> Iterator[Difference]:
    watched = name.removeprefix("no tool of sys.monitoring watches ")
    yield Difference("guard_attr", f"the events of {watched}", "no tool that watches them", "one")


def of_globals(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_globals", "", f"the globals of {name_of(row[1]) or 'a module'}", "another module's")


def of_class(row: Row, name: str, got: Any) -> Iterator[Difference]:
    cls, *said = row[1]
    bases = (is_a(cls, type) and MRO(cls)) or ()
    for member, wanted in zip(said[::2], said[1::2], strict=True):
        spaces = [NAMESPACE(base) for base in bases]
        found: Any = bases if member == "__mro__" else next((space[member] for space in spaces if member in space), _native.UNSET)
        if member == "__mro__" and [*map(id, found)] == [*map(id, wanted)]:
            continue
        if found is not wanted:
            absent = "nothing" if wanted is _native.UNSET else wanted if type(wanted) is Gone else show(wanted)
            came = "nothing" if found is _native.UNSET else show(found)
            yield Difference("guard_attr", f"{name}.{member}", absent, came if came != absent else f"another {came}")
    yield Difference("guard_attr", name, "a class as it was", "a changed one")


MRO = type.__dict__["__mro__"].__get__
NAMESPACE = type.__dict__["__dict__"].__get__


def of_builtin(row: Row, name: str, got: Any) -> Iterator[Difference]:
    if hasattr(builtins, name):
        yield Difference("guard_present", name, "the builtin", "a global of this name")


def of_nothing(row: Row, name: str, got: Any) -> Iterator[Difference]:
    yield Difference("guard_missing", name, "a value", "nothing")


DIFFERENCES: dict[str, Callable[[Row, str, Any], Iterator[Difference]]] = {
    "array": of_array,
    "int": of_int,
    "float": of_kind(float),
    "bool": of_kind(bool),
    "complex": of_kind(complex),
    "np": of_np,
    "is": of_identity,
    "int_value": of_value,
    "length": of_length,
    "keys": of_keys,
    "python_function": of_function,
    "type": lambda row, name, got: of_type(name, row[2], got),
    "object": lambda row, name, got: of_type(name, row[3], got),
    "range_iterator": of_kind(type(iter(range(0)))),
    "iterator": lambda row, name, got: of_type(name, row[3], got),
    "no_attr": of_present,
    **dict.fromkeys(("no_field", "no_item", "no_member"), of_shadow),
    "no_name": of_present,
    "no_global": of_present,
    "unset": of_unset,
    "sole": of_sole,
    "apart": of_apart,
    "errmask": of_errmask,
    "loop": of_loop,
    "unmonitored": of_monitored,
    "class": of_class,
    "globals": of_globals,
    "builtin": of_builtin,
    **dict.fromkeys(("local", "stack", "global", "name", "attr", "item", "const", "function", "globals_of", "closure", "closed", "any"), of_nothing),
    **dict.fromkeys(("tuple_item", "dict_item", "field", "member", "part", "under", "under_strict"), of_nothing),
}

# Rows that check the frame itself: C has no object to show for them.
FRAME = frozenset({"builtin", "class", "unset", "no_name", "no_global", "errmask", "loop", "globals", "no_attr", "unmonitored"})
