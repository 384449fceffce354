"""The types of every operation: one row each."""

from __future__ import annotations

from collections.abc import Callable

from . import packed
from .called import CALLED, OF_INTS
from .draws import DRAWS
from .graph import Op, Value
from .kernel import Fold, Kernel
from .types import BOOL, COMPLEX, FLOAT, HALVES, INT, Array, Np, Obj, Scalar, Type

Signature = Callable[[Op], bool]


def _types(values: tuple[Value, ...]) -> tuple[Type, ...]:
    return tuple(value.type for value in values)


def _exact(args: tuple[Type, ...], *results: Type) -> Signature:
    return lambda op: _types(op.args) == args and _types(op.results) == results


def _ints(op: Op, start: int = 0, stop: int | None = None) -> bool:
    return all(type == INT for type in _types(op.args)[start:stop])


def _one(op: Op, kind: type[Type]) -> bool:
    return len(op.results) == 1 and isinstance(op.result.type, kind)


def _math(op: Op) -> bool:
    results = {**dict.fromkeys(("floor", "ceil", "trunc"), INT), **dict.fromkeys(("isnan", "isinf", "isfinite", "isclose"), BOOL)}
    return (
        bool(op.args)
        and set(_types(op.args)) == {FLOAT}
        and _types(op.results) == (results.get(op.attrs["name"], FLOAT),)
    )


def _int_math(op: Op) -> bool:
    row = OF_INTS.get(op.attrs["name"])
    return row is not None and _types(op.args) == (INT,) * row.arity and _types(op.results) == (INT,)


def _called(op: Op) -> bool:
    row = CALLED.get(op.attrs["name"])
    return row is not None and row.takes(_types(op.args)) and _types(op.results) == (FLOAT,)


def _cmp(op: Op) -> bool:
    same = len(op.args) == 2 and op.args[0].type == op.args[1].type
    return same and isinstance(op.args[0].type, (Scalar, Np)) and _types(op.results) == (BOOL,)


def _select(op: Op) -> bool:
    types = _types(op.args)
    return len(types) == 3 and types[0] == BOOL and types[1] == types[2] and _types(op.results) == types[1:2]


def _cast(op: Op) -> bool:
    return (
        len(op.args) == 1
        and all(isinstance(x.type, (Scalar, Np)) for x in (*op.args, *op.results))
        and len(op.results) == 1
    )


def _np_op(op: Op) -> bool:
    return bool(op.args) and all(isinstance(x.type, Np) for x in (*op.args, *op.results)) and len(op.results) == 1


def _np_part(op: Op) -> bool:
    return (_types(op.args), _types(op.results)) in [((Np(whole),), (Np(half),)) for whole, half in HALVES.items()]


def _np_try(op: Op) -> bool:
    return bool(op.args) and all(isinstance(x.type, Np) for x in (*op.args, op.results[0])) and _types(op.results[1:]) == (INT,)


def _try_index(op: Op) -> bool:
    return _types(op.args) == (INT, INT) and _types(op.results) == (INT, BOOL)


def _beyond(op: Op) -> bool:
    return len(op.args) == 1 and isinstance(op.args[0].type, Np) and op.args[0].type.dtype.kind == "i" and _types(op.results) == (INT,)


def _disjoint(op: Op) -> bool:
    return len(op.args) == 2 and all(isinstance(x.type, Array) for x in op.args) and _types(op.results) == (BOOL,)


def _apart(op: Op) -> bool:
    return _disjoint(op) and len({x.type.ndim for x in op.args if isinstance(x.type, Array)}) == 1


def _keep(op: Op) -> bool:
    return len(op.args) == 2 and _is_word(op.args[0].type) and _ints(op, 1) and not op.results


def _keep_run(op: Op) -> bool:
    array = op.args[0].type
    return isinstance(array, Array) and _is_word(array.element) and _ints(op, 1, 2 + array.ndim) and len(op.args) == 2 + array.ndim and not op.results


def _kept(op: Op) -> bool:
    return len(op.args) == 1 and _ints(op) and len(op.results) == 1 and _is_word(op.results[0].type)


def _is_word(type: Type) -> bool:
    return isinstance(type, Np) and type.dtype.kind in "iuf"


def _axis(op: Op) -> bool:
    (array,) = op.args
    return isinstance(array.type, Array) and 0 <= op.attrs["axis"] < array.type.ndim and _types(op.results) == (INT,)


def _element(skip: int) -> Signature:
    def signature(op: Op) -> bool:
        array = op.args[0].type
        if not isinstance(array, Array) or len(op.args) != skip + array.ndim or not _ints(op, skip):
            return False
        element = (
            op.results[0]
            if skip == 1 and len(op.results) == 1
            else op.args[1]
            if skip == 2 and not op.results
            else None
        )
        return element is not None and element.type == array.element

    return signature


def _view(op: Op) -> bool:
    array = op.args[0].type
    axes = op.attrs["axes"]
    if not isinstance(array, Array) or not _one(op, Array) or not _ints(op, 1) or len(op.args) != 2 + 2 * _rank(op):
        return False
    return axes in ("new", "shape") or (len(axes) == _rank(op) and all(-1 <= axis < array.ndim for along in axes for axis in along[::2]))


def _rank(op: Op) -> int:
    type = op.results[0].type if op.results else op.args[0].type
    return type.ndim if isinstance(type, Array) else 0


def _slice_bounds(op: Op) -> bool:
    return len(op.args) == 1 + sum(op.attrs["given"]) and _ints(op) and _types(op.results) == (INT, INT)


def _operands(op: Op, values: tuple[Value, ...], rank: int) -> bool:
    stretch = op.attrs["stretch"]
    return len(stretch) == len(values) and all(
        isinstance(value.type, Np) or (isinstance(value.type, Array) and value.type.ndim <= rank) for value in values
    )


def _ew(op: Op) -> bool:
    n, rank = op.attrs["n"], _rank(op)
    return _one(op, Array) and len(op.args) == n + rank and _ints(op, n) and _operands(op, op.args[:n], rank)


def _assign(op: Op) -> bool:
    if not op.args or not isinstance(op.args[0].type, Array) or op.results:
        return False
    array, value = op.args[0].type, op.args[1].type
    if not isinstance(value, (Array, Np)) or value.name != array.name or not array.writable:
        return False
    stretch = op.attrs["stretch"]
    axes = stretch if all(isinstance(axis, int) for axis in stretch) else stretch[-1]  # of the value, or as for ew
    return len(op.args) == 2 + array.ndim and _ints(op, 2) and all(0 <= axis < getattr(value, "ndim", 0) for axis in axes)


def _roll(op: Op) -> bool:
    if not op.args or not _one(op, Array) or len(op.args) != 1 + 2 * _rank(op) or not _ints(op, 1):
        return False
    return isinstance(op.args[0].type, Array) and (op.args[0].type.name, op.args[0].type.ndim) == (op.result.type.name, _rank(op))  # type: ignore[attr-defined]


def _join(op: Op) -> bool:
    n, axis, rank = op.attrs["n"], op.attrs["axis"], _rank(op)
    if not _one(op, Array) or not n or len(op.args) != 2 * n + rank or not _ints(op, n) or not 0 <= axis < rank:
        return False
    name = op.result.type.name  # type: ignore[attr-defined]
    parts = [value.type for value in op.args[:n]]
    return op.result.type == Array(name, rank, "C") and all(
        part.name == name and part.ndim in (rank - 1, rank) if isinstance(part, Array) else part == Np(name) and rank == 1 for part in parts
    )


def _roll_into(op: Op) -> bool:
    if len(op.args) < 2 or op.results:
        return False
    to, source = op.args[0].type, op.args[1].type
    if not isinstance(to, Array) or not isinstance(source, Array) or not to.writable:
        return False
    return (to.name, to.ndim) == (source.name, source.ndim) and len(op.args) == 2 + 2 * to.ndim and _ints(op, 2)


def _mask(op: Op, array: Value, mask: Value) -> int:
    """How many axes of the array the mask leaves, or -1."""
    if not isinstance(array.type, Array) or not isinstance(mask.type, Array) or mask.type.name != "bool" or not mask.type.ndim:
        return -1
    left = array.type.ndim - mask.type.ndim
    return left if 0 <= op.attrs["lead"] <= left else -1


def _is_mask(type: Type) -> bool:
    return isinstance(type, Array) and type.name == "bool"


def _pick(op: Op) -> bool:
    if len(op.args) < 3 or not _one(op, Array) or not _ints(op, 2) or op.args[0].type.name != op.result.type.name:  # type: ignore[attr-defined]
        return False
    return _mask(op, *op.args[:2]) == len(op.args) - 3 == _rank(op) - 1 and op.result.type.order == "C"  # type: ignore[attr-defined]


def _take(op: Op) -> bool:
    if len(op.args) < 3 or not _one(op, Array) or not _ints(op, 2):
        return False
    array, index, made, lead = op.args[0].type, op.args[1].type, op.result.type, op.attrs["lead"]
    if not isinstance(array, Array) or not isinstance(index, Array) or index.dtype.kind not in "iu" or not isinstance(made, Array):
        return False
    placed = index.ndim == 1 or (index.ndim > 1 and index.order == "C" and lead == 0)
    rank = array.ndim + index.ndim - 1
    return placed and 0 <= lead < array.ndim and rank == len(op.args) - 2 == made.ndim and (made.name, made.order) == (array.name, "C")


def _list_ints(op: Op) -> bool:
    return len(op.args) == 2 and _ints(op, 1) and _one(op, Array) and op.result.type == Array("int64", 1, "C")


def _place(op: Op) -> bool:
    if len(op.args) != 4 or op.results or not _ints(op, 3):
        return False
    array, value = op.args[0].type, op.args[1].type
    if not isinstance(array, Array) or not array.writable or not isinstance(value, (Array, Np)) or value.name != array.name:
        return False
    left = _mask(op, op.args[0], op.args[2])
    return left >= 0 and (isinstance(value, Np) or value.ndim == left + 1)


def _is_vector(value: Value, kinds: str) -> bool:
    return isinstance(value.type, Array) and value.type.ndim == 1 and value.type.dtype.kind in kinds


def _within(op: Op) -> bool:
    return len(op.args) == 2 and _is_vector(op.args[0], "iu") and _ints(op, 1) and _types(op.results) == (BOOL,)


def _bincount(op: Op) -> bool:
    if not 2 <= len(op.args) <= 3 or not _is_vector(op.args[0], "iu") or not _ints(op, len(op.args) - 1):
        return False
    weights = [value.type.name for value in op.args[1:-1] if isinstance(value.type, Array) and value.type.ndim == 1]
    return (weights, op.result.type) in (([], Array("int64", 1, "C")), (["float64"], Array("float64", 1, "C")))


def _edges(op: Op) -> bool:
    return len(op.args) == 3 and _types(op.args[:2]) == (FLOAT, FLOAT) and _ints(op, 2) and _types(op.results) == (Array("float64", 1, "C"),)


def _places(op: Op) -> bool:
    return len(op.args) == 3 and all(map(_is_doubles, op.args[:2])) and _ints(op, 2) and _types(op.results) == (Array("int32", 1, "C"),)


def _searches(op: Op, scalar: Np | Scalar, made: str) -> bool:
    """Whether what is looked for, the dims and the result go together."""
    looked, rank = op.args[0].type, _rank(op)
    if isinstance(looked, Array):
        name = scalar.name if isinstance(scalar, Np) else "float64"
        fits = looked.name == name and looked.ndim == rank > 0 and (rank == 1 or looked.order == "C")
    else:
        fits = looked == scalar and rank == 0
    return fits and _ints(op, len(op.args) - rank) and _types(op.results) == ((Array(made, rank, "C") if rank else Np(made)),)


def _search(op: Op) -> bool:
    a = op.args[1].type
    if not isinstance(a, Array) or a.ndim != 1 or op.attrs["side"] not in ("left", "right"):
        return False
    return len(op.args) == 2 + _rank(op) and _searches(op, a.element, "int64")


def _interp(op: Op) -> bool:
    known = len(op.args) == 5 + _rank(op) and all(_is_doubles(y) and y.type.order == "C" for y in op.args[1:3])  # type: ignore[attr-defined]
    return known and _types(op.args[3:5]) == (FLOAT, FLOAT) and _searches(op, FLOAT, "float64")


def _histogram(op: Op) -> bool:
    return _bincount(op) and op.args[0].type == Array("int32", 1, "C")


def _is_doubles(value: Value) -> bool:
    return _is_vector(value, "f") and value.type.name == "float64"  # type: ignore[attr-defined]


def _add_at(op: Op) -> bool:
    if len(op.args) != 3 or op.results or not _is_vector(op.args[0], "iuf") or not _is_vector(op.args[1], "iu"):
        return False
    target, value = op.args[0].type, op.args[2].type
    assert isinstance(target, Array)
    return target.writable and (value == target.element or (_is_vector(op.args[2], "iuf") and value.name == target.name))  # type: ignore[attr-defined]


def _empty(op: Op) -> bool:
    rank, filled = _rank(op), bool(op.attrs["filled"])
    if not _one(op, Array) or len(op.args) != rank + filled or not _ints(op, 0, rank):
        return False
    return not filled or isinstance(op.args[-1].type, Np)


def _ramp(op: Op) -> bool:
    if len(op.args) != 3 or not _ints(op, 0, 1) or not _one(op, Array):
        return False
    kind = {"int64": INT, "float64": FLOAT}.get(op.result.type.name)  # type: ignore[attr-defined]
    return _types(op.args[1:]) == (kind, kind) and op.result.type == Array(op.result.type.name, 1, "C")  # type: ignore[attr-defined]


def _stores(kernel: Kernel, into: tuple[Value, ...]) -> bool:
    """Whether the kernel stores into what it is given for that."""
    if kernel.store is None or len(into) != 1:
        return kernel.store is None and not into
    type = into[0].type
    fits = isinstance(type, Array) and type.writable and type.name == kernel.dtype(kernel.store.reference)
    return fits and len(kernel.store.strides) == kernel.ndim


def _kernel(op: Op) -> bool:
    kernel, rank = op.attrs["kernel"], op.attrs["ndim_out"]
    assert isinstance(kernel, Kernel)
    n = len(kernel.operands)
    into = op.args[n + rank :]
    if not _stores(kernel, into) or not _ints(op, n, n + rank) or len(op.results) != len(kernel.outputs) + (kernel.fold is not None):
        return False
    if kernel.fold is not None and not _folds(kernel.fold, op):
        return False
    if kernel.ndim != (1 if op.attrs["collapsed"] else rank) or op.attrs["order"] not in ("C", "F"):
        return False
    for value, operand in zip(op.args, kernel.operands, strict=False):
        if operand.strides is None:
            good = value.type == Np(operand.dtype)
        else:
            good = (
                isinstance(value.type, Array)
                and value.type.name == operand.dtype
                and len(operand.strides) == kernel.ndim
                and (not operand.rows or (value.type.order == "C" and value.type.ndim == rank + 1) or (rank == value.type.ndim == 1))
            )
        if not good:
            return False
    return all(
        isinstance(value.type, Array) and value.type.name == kernel.dtype(reference) and value.type.ndim == rank
        for value, reference in zip(op.results, kernel.outputs, strict=False)
    )


def _folds(fold: Fold, op: Op) -> bool:
    kernel, rank, type = op.attrs["kernel"], op.attrs["ndim_out"], op.results[-1].type
    name = kernel.dtype(fold.reference)
    good = kernel.store is None and op.attrs["order"] == "C" and 0 <= fold.axis < kernel.ndim
    if isinstance(type, Array):
        return good and not op.attrs["collapsed"] and type == Array(name, rank - 1 + op.attrs["keep"], "C")
    return good and kernel.ndim == 1 and type == Np(name)


def _kernel_at(op: Op) -> bool:
    """As a kernel of the same types."""
    kernel, first = op.attrs["kernel"], len(op.attrs["kernel"].operands) + op.attrs["ndim_out"]
    types = [value.type for value in op.args[first:]]
    plain = Op("kernel", op.args[:first], tuple(types), op.attrs, op.exits, op.line)
    good = kernel.fold is None and op.attrs["order"] == "C" and not op.results and len(types) == len(kernel.outputs)
    return good and all(isinstance(type, Array) and type.order == "C" and type.writable for type in types) and _kernel(plain)


def _kernel_rolled(op: Op) -> bool:
    """As a kernel of what has been rolled, which is of the result's shape."""
    kernel, rank, rolled = op.attrs["kernel"], op.attrs["ndim_out"], op.attrs["rolled"]
    first = len(kernel.operands) + rank
    plain = Op("kernel", op.args[:first], (), op.attrs, op.exits, op.line)
    plain.results = op.results
    types = [op.args[number].type for number in rolled]
    return (
        _kernel(plain)
        and op.attrs["order"] == "C"
        and len(op.args) == first + len(rolled)
        and _ints(op, first, len(op.args))
        and len(set(rolled)) == len(rolled)
        and kernel.fold is None
        and not any(step.scan for step in kernel.steps)
        and all(isinstance(type, Array) and type.order == "C" and type.ndim == rank for type in types)
    )


def _kernel_scattered(op: Op) -> bool:
    """As a kernel, and the others of what it makes."""
    kernel = op.attrs["kernel"]
    n = len(kernel.operands)
    plain = Op("kernel", op.args[: n + 1], tuple(Array(kernel.dtype(reference), 1, "C") for reference in kernel.outputs), op.attrs, op.exits, op.line)
    rest, results = list(op.args[n + 1 :]), list(op.results)
    good = op.attrs["ndim_out"] == 1 and kernel.fold is None and not any(step.scan for step in kernel.steps) and _kernel(plain)
    for name, *numbers in op.attrs["sinks"]:
        given = rest.pop(0)
        index, *values = [rest.pop(0) if number < 0 else plain.results[number] for number in numbers if number is not None]
        if name == "bincount":
            sink = Op(name, (index, *values, given), (results.pop(0).type,), {}, op.exits, op.line)
        else:
            sink = Op("add_at", (given, index, *values), (), {"ufunc": name}, op.exits, op.line)
        good = good and (_bincount if name == "bincount" else _add_at)(sink)
    return good and not rest and not results


def _reduce(op: Op) -> bool:
    axis, array = op.attrs["axis"], op.args[0].type
    if not isinstance(array, Array) or array.order != "C" or not -1 <= axis < array.ndim or len(op.results) != 1:
        return False
    if not _ints(op, 1, len(op.args)) or len(op.args) - 1 != (0 if axis < 0 else array.ndim - 1 + op.attrs["keep"]):
        return False
    return op.results[0].type == (array.element if axis < 0 else Array(array.name, array.ndim - 1 + op.attrs["keep"], "C"))


def _arg_extreme(op: Op) -> bool:
    array, rank = op.args[0].type, len(op.args) - 1
    if not isinstance(array, Array) or array.order != "C" or not _ints(op, 1, len(op.args)) or rank not in (0, array.ndim - 1):
        return False
    return _types(op.results) == (Array("int64", rank, "C") if rank else Np("int64"),)


def _accumulate(op: Op) -> bool:
    array = op.args[0].type if len(op.args) == 2 and _ints(op, 1) else None
    return isinstance(array, Array) and _types(op.results) == (Array(array.name, 1, "C"),)


def _matmul(op: Op) -> bool:
    a, b = (arg.type if isinstance(arg.type, Array) else None for arg in op.args[:2])
    if a is None or b is None or 0 in (a.ndim, b.ndim) or len(op.results) != 1:
        return False
    matrices = min(a.ndim, 2) + min(b.ndim, 2) - 2
    rank = max(a.ndim, b.ndim, 2) - 2 + matrices
    if not _ints(op, 2, len(op.args)) or len(op.args) - 2 != rank - matrices:
        return False
    fits = op.attrs["function"] == "matmul" or (rank == matrices and op.attrs["function"] == "dot" and (rank or a.dtype.kind == "f"))
    fits = fits or (op.attrs["function"] == "vdot" and not rank and a.order == b.order == "C" and a.dtype.kind == "f")
    return bool(fits) and a.name == b.name and op.results[0].type == (Array(a.name, rank, "C") if rank else a.element)


def _draw(op: Op) -> bool:
    draw = DRAWS.get(op.attrs["draw"])
    if draw is None or _types(op.args) != (Obj(draw.owner), *draw.args):
        return False
    return _types(op.results) in ((draw.result,), (FLOAT if draw.result == FLOAT else INT,))


def _list_get(op: Op) -> bool:
    return len(op.args) == 2 and isinstance(op.args[0].type, Obj) and op.args[1].type == INT and len(op.results) == 1


def _packed(op: Op, numbers: tuple[Value, ...]) -> bool:
    """An object, a place in it, and a number of its type."""
    good = len(op.args) >= 2 and isinstance(op.args[0].type, Obj) and op.args[1].type == INT
    return good and _types(numbers) == (packed.element(op.attrs["code"]),)


def _free(op: Op) -> bool:
    return True


_INT2, _INT1 = _exact((INT, INT), INT), _exact((INT,), INT)
_FLOAT2, _FLOAT1 = _exact((FLOAT, FLOAT), FLOAT), _exact((FLOAT,), FLOAT)

SIGNATURES: dict[str, Signature] = {
    **dict.fromkeys(("int_add", "int_sub", "int_mul", "int_floordiv", "int_mod", "int_pow"), _INT2),
    **dict.fromkeys(("int_lshift", "int_rshift", "int_and", "int_or", "int_xor"), _INT2),
    **dict.fromkeys(("raw_add", "raw_sub", "raw_mul", "raw_floordiv", "raw_mod", "raw_rshift", "raw_min", "raw_max"), _INT2),
    **dict.fromkeys(("wrap_add", "wrap_sub", "wrap_mul", "check_index"), _INT2),
    **dict.fromkeys(("int_neg", "int_abs", "int_invert"), _INT1),
    "try_index": _try_index,
    "int_truediv": _exact((INT, INT), FLOAT),
    **dict.fromkeys(("int_to_float", "int_exact_float"), _exact((INT,), FLOAT)),
    **dict.fromkeys(
        ("float_add", "float_sub", "float_mul", "float_div", "float_floordiv", "float_mod", "float_pow"), _FLOAT2
    ),
    **dict.fromkeys(("float_neg", "float_abs"), _FLOAT1),
    **dict.fromkeys(("float_to_int", "float_round"), _exact((FLOAT,), INT)),
    "part": _exact((COMPLEX,), FLOAT),
    "np_part": _np_part,
    "np_complex": _exact((FLOAT, FLOAT), Np("complex128")),
    "complex_abs": _FLOAT2,
    "math": _math,
    "int_bits": _INT1,
    "int_math": _int_math,
    "called": _called,
    "cmp": _cmp,
    "not": _exact((BOOL,), BOOL),
    "select": _select,
    "bool_to_int": _exact((BOOL,), INT),
    "cast": _cast,
    "np_op": _np_op,
    "np_try": _np_try,
    "beyond": _beyond,
    "disjoint": _disjoint,
    "apart": _apart,
    "keep": _keep,
    "keep_run": _keep_run,
    "kept": _kept,
    **dict.fromkeys(("dim", "stride"), _axis),
    "check": _exact((BOOL,)),
    "load": _element(1),
    "store": _element(2),
    "slice_bounds": _slice_bounds,
    "view": _view,
    "ew": _ew,
    "assign": _assign,
    "empty": _empty,
    "ramp": _ramp,
    "mask_places": lambda op: len(op.args) == 2 and _is_mask(op.args[0].type) and _ints(op, 1) and _types(op.results) == (Array("int64", 1, "C"),),
    "mask_count": lambda op: len(op.args) == 1 and _is_mask(op.args[0].type) and _one(op, Scalar),
    "mask_many": lambda op: _is_mask(op.args[0].type) and [v.type for v in op.results] == [BOOL, INT],
    "mask_look": lambda op: _is_mask(op.args[0].type) and not op.results,
    "many_lately": lambda op: not op.args and _one(op, Scalar),
    "pick": _pick,
    "take": _take,
    "place": _place,
    "within": _within,
    "bincount": _bincount,
    "edges": _edges,
    "places": _places,
    "histogram": _histogram,
    "add_at": _add_at,
    "search": _search,
    "interp": _interp,
    "roll": _roll,
    "roll_into": _roll_into,
    "join": _join,
    **dict.fromkeys(("kernel", "kernel_into"), _kernel),
    "kernel_rolled": _kernel_rolled,
    "kernel_at": _kernel_at,
    "kernel_scattered": _kernel_scattered,
    "arg_extreme": _arg_extreme,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "matmul": _matmul,
    "draw": _draw,
    **dict.fromkeys(("obj_len", "set_len"), lambda op: len(op.args) == 1 and _types(op.results) == (INT,)),
    "list_get": _list_get,
    "tuple_get": lambda op: _list_get(op) and isinstance(op.results[0].type, Obj),
    "list_ints": _list_ints,
    "packed_code": lambda op: len(op.args) == 1 and isinstance(op.args[0].type, Obj) and _types(op.results) == (INT,),
    "packed_get": lambda op: _packed(op, op.results),
    "packed_put": lambda op: _packed(op, op.args[2:]) and not op.results,
    "own_call": lambda op: all(isinstance(v.type, Obj) or v.type in (INT, FLOAT, BOOL) for v in (*op.args, *op.results)) and len(op.results) == 1,
    **dict.fromkeys(("call", "look", "make", "box", "put", "find", "do", "next", "text", "char", "same", "is_of", "recheck", "poll"), _free),
}
