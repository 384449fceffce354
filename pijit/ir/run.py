"""The reference evaluator: what every operation means, in plain Python and NumPy. It is the oracle of the tests and the back-end "numpy"."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, ItemsView, KeysView, Sequence, ValuesView
from typing import Any

import numpy as np

from ..ground.names import class_name, is_writable
from .draws import DRAWS
from .graph import Box, Branch, Build, Const, Exit, Graph, Jump, Known, Leave, Op, Recipe, Unset, Value
from .kernel import Kernel
from .types import BOOL, COMPLEX, FLOAT, INT, Array, Np, Obj, Scalar, Type
from .ufuncs import LARGEST_PRODUCT, function, nothing_is_something


class Env(dict[Value, Any]):
    """The objects of the values that were computed; ``error``: what a call raised, for a "raise" exit."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.kept: dict[tuple[int, int], Any] = {}  # by store and place

    error: BaseException | None = None
    force_exit: int | None = None

    def of(self, value: Value) -> Any:
        """The object of a value."""
        return value.value if isinstance(value, Const) else self[value]


class Taken(Exception):
    """An operation takes its exit of this name."""

    def __init__(self, name: str = "redo") -> None:
        super().__init__(name)
        self.name = name


def run(graph: Graph, inputs: Sequence[Any], force_exit: int | None = None) -> tuple[Exit, Env]:
    """Runs the graph on Python objects, one per input, until it leaves by an exit. ``force_exit``: tests: the exit of that index is taken
    whenever it is reached, if it is one that a run-time value decides on."""
    env = Env(zip(graph.inputs, inputs, strict=True))
    env.force_exit = force_exit
    block = graph.entry
    while True:
        for op in block.ops:
            try:
                results = step(op, env)
            except Taken as taken:
                return op.exits[taken.name], env
            env.update(zip(op.results, results, strict=True))
        match block.end:
            case Leave(exit):
                return exit, env
            case Jump() as jump:
                pass
            case Branch(condition, yes, no):
                jump = yes if env.of(condition) else no
            case None:
                raise AssertionError("a block without terminator")
        arguments = [env.of(arg) for arg in jump.args]
        block = jump.target
        env.update(zip(block.params, arguments, strict=True))


def step(op: Op, env: Env) -> tuple[Any, ...]:
    """The results of one operation; raises Taken."""
    if "redo" in op.exits and op.exits["redo"].index == env.force_exit:
        raise Taken
    if op.name in ("call", "look", "make", "put", "keep", "kept"):
        return EVALUATORS[op.name](op, env)  # type: ignore[no-any-return]
    result = EVALUATORS[op.name](op, *(env.of(arg) for arg in op.args))
    if not op.results:
        return ()
    return result if len(op.results) > 1 or isinstance(result, Results) else (result,)


def rebuild(recipe: Recipe, env: Env) -> Any:
    """The object that a recipe describes (not for Keep, Unset and Null, which describe slots)."""
    match recipe:
        case Known(value):
            return value
        case Box(value):
            return env.of(value)
        case Build(kind, items):
            return BUILDERS[kind](*(rebuild(item, env) for item in items))
    raise TypeError(f"{recipe!r} describes no object")


def _iterator_at(sequence: Any, index: int) -> Any:
    iterator = iter(sequence)
    if isinstance(sequence, KeysView | ValuesView | ItemsView):
        for _ in range(index):
            next(iterator)
        return iterator
    iterator.__setstate__(index)
    return iterator


def _instance(head: tuple[Any, ...], *values: Any) -> Any:
    made = object.__new__(head[0])
    for name, value in zip(head[1:], values, strict=True):
        object.__setattr__(made, name, value)
    return made


BUILDERS: dict[str, Callable[..., Any]] = {
    "tuple": lambda *items: items,
    "list": lambda *items: list(items),
    "slice": slice,
    "complex": complex,
    "bound_method": lambda function, owner: function.__get__(owner, type(owner)),
    "iterator": iter,
    "enumerate": enumerate,
    "zip": zip,
    "reversed": reversed,
    "record": tuple.__new__,
    "super": super,
    "dict_keys": dict.keys,
    "dict_values": dict.values,
    "dict_items": dict.items,
    "instance": _instance,
    "dict": lambda *parts: dict(zip(parts[::2], parts[1::2], strict=True)),
    "range": range,
    "range_iterator": lambda start, stop, step: iter(range(start, stop, step)),
    "iterator_at": _iterator_at,
}


class Results(tuple[Any, ...]):
    """The results of an operation that may have one or several."""

    __slots__ = ()


# ---- what fits a type ------------------------------------------------------------------------------------------------------


def fits(value: Any, type: Type) -> bool:
    """Whether an object is of a graph type."""
    return _FITS[type.__class__](value, type)


def _fits_array(value: Any, type: Array) -> bool:
    if value.__class__ is not np.ndarray or value.dtype != type.dtype or value.ndim != type.ndim:
        return False
    flags = value.flags
    orders = {
        "C": flags.c_contiguous,
        "F": flags.f_contiguous and not flags.c_contiguous,
        "A": True,
        "S": _sorted(value.strides),
    }
    return orders[type.order] and (is_writable(value) or not type.writable)


def _sorted(strides: tuple[int, ...]) -> bool:
    return all(stride > 0 for stride in strides) and list(strides) == sorted(strides, reverse=True)


_PYTHON = {INT: int, FLOAT: float, BOOL: bool, COMPLEX: complex}

_FITS: dict[type[Type], Callable[[Any, Any], bool]] = {
    Scalar: lambda value, type: value.__class__ is _PYTHON[type] and (type != INT or _in_64(value)),
    Np: lambda value, type: value.__class__ is type.dtype.type,
    Array: _fits_array,
    Obj: lambda value, wanted: wanted.name in ("object", class_name(type(value))),
}


def _in_64(value: Any) -> bool:
    return bool(-(2**63) <= value < 2**63)


# ---- operations on Python scalars -------------------------------------------------------------------------------------------

# What an operation raises or warns where the interpreter must do it.
_TROUBLE = (ArithmeticError, ValueError, TypeError, MemoryError, Warning)


def _python(function: Callable[..., Any], *, type: Scalar) -> Callable[..., Any]:
    """Python's own operation; anything but a result of the type is an exit."""

    def evaluate(op: Op, *args: Any) -> Any:
        try:
            result = function(*args)
        except _TROUBLE:
            raise Taken from None
        if not fits(result, type):
            raise Taken
        return result

    return evaluate


def _demand(condition: bool) -> None:
    if not condition:
        raise Taken


def _wrapped(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def _int_truediv(op: Op, a: int, b: int) -> float:
    _demand(b != 0 and max(abs(a), abs(b)) <= 2**53)
    return a / b


def _int_lshift(op: Op, a: int, b: int) -> int:
    _demand(b >= 0 and (a == 0 or b < 64) and _in_64(a << min(b, 64)))
    return a << min(b, 64)


def _int_exact_float(op: Op, a: int) -> float:
    _demand(abs(a) <= 2**53)
    return float(a)


def _float_to_int(op: Op, a: float) -> int:
    _demand(abs(a) < 2.0**63)
    return int(a)


def _float_round(op: Op, a: float) -> int:
    _demand(abs(a) < 2.0**62)
    return round(a)


def _math(op: Op, *args: float) -> Any:
    try:
        result = getattr(math, op.attrs["name"])(*args)
    except _TROUBLE:
        raise Taken from None
    _demand(fits(result, op.result.type))
    return result


_SYMBOLS = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}


def _complex_abs(op: Op, real: float, imag: float) -> float:
    _demand(math.isfinite(real) and math.isfinite(imag))
    try:
        return abs(complex(real, imag))
    except OverflowError:
        raise Taken from None


def _cmp(op: Op, a: Any, b: Any) -> bool:
    with np.errstate(all="ignore"):
        return bool(_SYMBOLS[op.attrs["symbol"]](a, b))


def _careful(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turns floating-point flags, warnings and errors into the redo exit."""

    def evaluate(op: Op, *args: Any) -> Any:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                return function(op, *args)
            except _TROUBLE:
                raise Taken from None

    return evaluate


def _cast(op: Op, a: Any) -> Any:
    new = op.result.type
    if isinstance(new, Np):
        return a.astype(new.dtype) if isinstance(a, np.generic) else new.dtype.type(a)
    result = _PYTHON[new](a)  # type: ignore[index]
    _demand(fits(result, new))
    return result


# Where a scalar integer that wraps would warn: the same in Python's integers.
_EXACT: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "negative": operator.neg,
    "absolute": abs,
    "abs": abs,
    "square": lambda a: a * a,
    "power": lambda a, b: a**b if b >= 0 else 0,
    "floor_divide": operator.floordiv,
}


def _np_op(op: Op, *args: Any) -> Any:
    name = op.attrs["ufunc"]
    result = elementwise(name, args, op.result.type.name)[()]  # type: ignore[attr-defined]
    _demand(fits(result, op.result.type))
    if name in _EXACT and args[0].dtype.kind in "iu":
        _demand(int(result) == _EXACT[name](*(int(arg) for arg in args)))
    return result


def _np_try(op: Op, *args: Any) -> tuple[Any, int]:
    type = op.results[0].type
    assert isinstance(type, Np)
    plain = Op("np_op", op.args, (type,), op.attrs, {}, op.line)
    is_float = type.dtype.kind == "f"
    try:
        result = EVALUATORS["np_op"](plain, *args)
    except Taken:
        return type.dtype.type(np.nan if is_float else 0), 1
    return result, int(is_float and not np.isfinite(result))


# ---- arrays ------------------------------------------------------------------------------------------------------------------


def elementwise(ufunc: str, args: Sequence[Any], dtype: str) -> Any:
    """One NumPy operation; ``cast`` and ``where`` are no ufuncs."""
    if ufunc == "cast":
        return np.asarray(args[0]).astype(dtype)
    if ufunc == "where":
        return np.where(*args)
    return function(ufunc)(*args)


def _new(type: Array, dims: Sequence[int]) -> np.ndarray[Any, Any]:
    return np.empty(dims, type.dtype, order="F" if type.order == "F" else "C")


def _settled(result: Any, type: Array, dims: Sequence[int]) -> np.ndarray[Any, Any]:
    """The result as a new array with the shape and strides that it must have."""
    array = _new(type, dims)
    same = result.__class__ is np.ndarray and result.shape == array.shape
    if same and (type.order not in ("C", "F") or result.strides == array.strides):
        return result  # type: ignore[no-any-return]
    array[...] = result
    return array


def _ew(op: Op, *args: Any) -> Any:
    n, type = op.attrs["n"], op.result.type
    assert isinstance(type, Array)
    return _settled(elementwise(op.attrs["ufunc"], args[:n], type.name), type, args[n:])


def _reduce(op: Op, array: Any, *dims: int) -> Any:
    _demand(array.size > 0 or (nothing_is_something(op.result.type) and 0 not in dims))
    axis = op.attrs["axis"]
    return getattr(np, op.attrs["ufunc"]).reduce(array, axis=None if axis < 0 else axis, keepdims=op.attrs["keep"])


def _accumulate(op: Op, array: Any, dim: int) -> Any:
    return getattr(np, op.attrs["ufunc"]).accumulate(array, dtype=array.dtype)


def _matmul(op: Op, a: Any, b: Any) -> Any:
    own = (*a.shape[:-1], *b.shape[1:])
    _demand(0 not in own and math.prod(own) * a.shape[-1] <= LARGEST_PRODUCT)
    return a @ b


def _kernel(op: Op, *args: Any) -> Any:
    kernel = op.attrs["kernel"]
    assert isinstance(kernel, Kernel)
    n = len(kernel.operands)
    return _outputs(op, kernel_values(kernel, args[:n]), args[n:])


def kernel_values(kernel: Kernel, operands: Sequence[Any]) -> list[Any]:
    """The operands and the results of the steps, by reference."""
    values = list(operands)
    for item in kernel.steps:
        if item.fold:
            (rows,) = (values[arg] for arg in item.args)
            _demand(len(rows) > 0)
            values.append(getattr(np, item.ufunc).reduce(rows, axis=0))
        elif item.scan:
            (vector,) = (values[arg] for arg in item.args)
            values.append(getattr(np, item.ufunc).accumulate(vector, dtype=item.dtype))
        else:
            values.append(elementwise(item.ufunc, [values[arg] for arg in item.args], item.dtype))
    return values


def _outputs(op: Op, values: Sequence[Any], dims: Sequence[int]) -> Any:
    return Results(
        _settled(values[reference], result.type, dims)  # type: ignore[arg-type]
        for reference, result in zip(op.attrs["kernel"].outputs, op.results, strict=True)
    )


def _kernel_into(op: Op, *args: Any) -> Any:
    kernel = op.attrs["kernel"]
    assert isinstance(kernel, Kernel)
    assert kernel.store is not None
    *args, target = args  # type: ignore[assignment]
    values = kernel_values(kernel, args[: len(kernel.operands)])
    results = _outputs(op, values, args[len(kernel.operands) :])
    target[...] = np.array(values[kernel.store.reference])
    return results


def _check_index(op: Op, index: int, n: int) -> int:
    _demand(-n <= index < n)
    return index + n if index < 0 else index


def _slice_bounds(op: Op, *args: int) -> tuple[int, int]:
    rest = list(args)
    start, stop = (rest.pop(0) if given else None for given in op.attrs["given"])
    bounds = slice(start, stop, op.attrs["step"]).indices(rest[0])
    count = len(range(*bounds))
    return bounds[0] if count else 0, count


def _load(op: Op, array: Any, *indices: int) -> Any:
    return array[indices]


def _store(op: Op, array: Any, value: Any, *indices: int) -> None:
    array[indices] = value


class _Memory:
    """A description of memory that keeps its owner alive."""

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        self.owner, self.__array_interface__ = owner, interface


def _new_strides(step: int, dims: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous array in a new shape."""
    steps = []
    for dim in reversed(dims):
        steps.append(step)
        step *= dim or 1
    return tuple(reversed(steps))


def _view(op: Op, array: np.ndarray[Any, Any], offset: int, *rest: int) -> np.ndarray[Any, Any]:
    type = op.result.type
    assert isinstance(type, Array)
    dims, axes = rest[: type.ndim], op.attrs["axes"]
    if not isinstance(axes, tuple):
        strides = array.strides if axes == "shape" and array.shape == dims else _new_strides(array.itemsize, dims)
    else:
        strides = tuple(array.strides[axis] * (step if n else 1) if axis >= 0 else 0 for n, (axis, step) in zip(dims, axes, strict=True))
    if not array.size and not any(array.strides):
        offset = 0
    interface = {
        "version": 3,
        "typestr": type.dtype.str,
        "shape": dims,
        "strides": strides,
        "data": (array.__array_interface__["data"][0] + offset, not (type.writable and array.flags.writeable)),
    }
    return np.asarray(_Memory(array, interface))


def _assign(op: Op, array: Any, value: Any, *dims: int) -> None:
    array[...] = value


def _roll(op: Op, array: Any, *rest: int) -> Any:
    type = op.result.type
    assert isinstance(type, Array)
    return _settled(_rolled(array, rest), type, rest[: type.ndim])


def _roll_into(op: Op, array: Any, value: Any, *rest: int) -> None:
    array[...] = _rolled(value, rest)


def _rolled(array: Any, rest: Sequence[int]) -> Any:
    return np.roll(array, rest[array.ndim :], tuple(range(array.ndim)))


def _at(op: Op, mask: Any) -> Any:
    return (slice(None),) * op.attrs["lead"] + (mask,)


def _pick(op: Op, array: Any, mask: Any, *dims: int) -> Any:
    type = op.result.type
    assert isinstance(type, Array)
    made = _new(type, dims)
    made[...] = np.moveaxis(array[_at(op, mask)], op.attrs["lead"], 0)
    return made


def _take(op: Op, array: Any, index: Any, *dims: int) -> Any:
    type, lead = op.result.type, op.attrs["lead"]
    assert isinstance(type, Array)
    length = array.shape[lead]
    _demand(all(-length <= place < length for place in index))
    made = _new(type, dims)
    made[...] = np.moveaxis(array.take(index, lead), lead, 0)
    return made


def _place(op: Op, array: Any, value: Any, mask: Any, count: int) -> None:
    _demand(not np.may_share_memory(array, mask) and not np.may_share_memory(array, value))
    array[_at(op, mask)] = value


def _empty(op: Op, *args: Any) -> Any:
    type = op.result.type
    assert isinstance(type, Array)
    array = _new(type, args[: type.ndim])
    if op.attrs["filled"]:
        array[...] = args[-1]
    return array


def _draw(op: Op, generator: Any, *args: Any) -> Any:
    draw = DRAWS[op.attrs["draw"]]
    _demand(draw.fits(*args))
    lock = generator.bit_generator.lock
    _demand(lock.acquire(blocking=False))
    lock.release()
    result = draw.of(generator, *args)
    return int(result) if op.result.type == INT else result


def _list_get(op: Op, items: list[Any], index: int) -> Any:
    value = items[index]
    _demand(fits(value, op.result.type))
    return value


def _list_ints(op: Op, items: list[Any], length: int) -> Any:
    _demand(len(items) == length and all(fits(item, INT) for item in items))
    return np.array(items, dtype=np.int64)


# ---- calls -------------------------------------------------------------------------------------------------------------------


def _call(op: Op, env: Env) -> tuple[Any, ...]:
    attrs = op.attrs
    arguments = [rebuild(recipe, env) for recipe in attrs["arguments"]]
    names = attrs["keywords"]
    split = len(arguments) - len(names)
    function = rebuild(attrs["callable"], env)
    code = op.exits["raise"].frames[-1].code
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*arguments[:split], **dict(zip(names, arguments[split:], strict=True)))
        for warning in caught:  # as if the frame had called
            file, line = (code.co_filename, op.line) if warning.filename == __file__ else (warning.filename, warning.lineno)
            warnings.warn_explicit(warning.message, warning.category, file, line)
    except BaseException as error:
        assert error.__traceback__ is not None
        env.error = error.with_traceback(error.__traceback__.tb_next)
        raise Taken("raise") from None
    results = _expected(op, result)
    if results is None or (attrs["result_guard"] and op.exits["type"].index == env.force_exit):
        if attrs["boxed"] is not None:
            env[attrs["boxed"]] = result
        raise Taken("type")
    return results


def _expected(op: Op, result: Any) -> tuple[Any, ...] | None:
    """The results in an object that passes the rows of the result guard, else None. Register 0 is the object, "item" rows load more."""
    registers = [result]
    found: dict[Value, Any] = {}
    for row in op.attrs["result_guard"] or ():
        value = registers[row[1]]
        if row[0] in _LOADS:
            try:
                registers.append(_LOADS[row[0]](value, row[2]))
            except (LookupError, AttributeError):
                return None
        elif not _GUARDS.get(row[0], _any)(value, row):
            return None
        elif len(row) > 2 and isinstance(row[2], Value):
            found[row[2]] = value
    results = tuple(found.get(value, result) for value in op.results)
    return results if all(fits(x, value.type) for x, value in zip(results, op.results, strict=True)) else None


def _any(value: Any, row: tuple[Any, ...]) -> bool:
    return True


def _look(op: Op, env: Env) -> tuple[Any, ...]:
    results = _expected(op, rebuild(op.attrs["arguments"][0], env))
    if results is None:
        raise Taken
    return results


def _make(op: Op, env: Env) -> tuple[Any, ...]:
    return (rebuild(op.attrs["arguments"][0], env),)


def _keep(op: Op, env: Env) -> tuple[Any, ...]:
    value, place = map(env.of, op.args)
    env.kept[op.attrs["slot"], place] = value
    return ()


def _kept(op: Op, env: Env) -> tuple[Any, ...]:
    return (env.kept[op.attrs["slot"], env.of(op.args[0])],)


def _put(op: Op, env: Env) -> tuple[Any, ...]:
    if isinstance(op.attrs["arguments"][1], Unset):
        return _remove(rebuild(op.attrs["arguments"][0], env), *op.attrs["place"])
    owner, value, *index = (rebuild(recipe, env) for recipe in op.attrs["arguments"])
    match op.attrs["place"]:
        case ("field", name):
            _demand(owner.__class__.__setattr__ is object.__setattr__)
            object.__setattr__(owner, name, value)
        case ("dict_item", name):
            owner[name] = value
        case ("append",):
            owner.append(value)
        case _:
            owner[index[0]] = value
    return ()


def _remove(owner: Any, kind: str, name: str) -> tuple[Any, ...]:
    if kind == "field":
        _demand(owner.__class__.__delattr__ is object.__delattr__ and hasattr(owner, name))
        object.__delattr__(owner, name)
    else:
        _demand(name in owner)
        del owner[name]
    return ()


# Rows that load: the object and the operand of the row.
_LOADS: dict[str, Callable[[Any, Any], Any]] = {
    "item": lambda value, index: value[index],
    "tuple_item": lambda value, index: tuple.__getitem__(value, index),
    "field": lambda value, name: object.__getattribute__(value, name),
    "dict_item": lambda value, name: value[name],
}

# Rows that say more than the type of the result does.
_GUARDS: dict[str, Callable[[Any, tuple[Any, ...]], bool]] = {
    "is": lambda value, row: value is row[2],
    "length": lambda value, row: len(value) == row[2],
    "type": lambda value, row: value.__class__ is row[2],
    "int_value": lambda value, row: value.__class__ is int and value == row[2],
    "object": lambda value, row: value.__class__ is row[3],
    "no_field": lambda value, row: row[2] not in getattr(value, "__dict__", ()),
    "no_item": lambda value, row: row[2] not in value,
    "array": lambda value, row: all((value.shape[d] == 1) == bool(row[6] >> d & 1) for d in range(value.ndim)),
}


def _nothing(op: Op, *args: Any) -> None:
    return None


EVALUATORS: dict[str, Callable[..., Any]] = {
    "int_add": _python(operator.add, type=INT),
    "int_sub": _python(operator.sub, type=INT),
    "int_mul": _python(operator.mul, type=INT),
    "int_neg": _python(operator.neg, type=INT),
    "int_abs": _python(abs, type=INT),
    "int_floordiv": _python(operator.floordiv, type=INT),
    "int_mod": _python(operator.mod, type=INT),
    "int_truediv": _int_truediv,
    "int_pow": _python(operator.pow, type=INT),
    "int_lshift": _int_lshift,
    "int_rshift": _python(operator.rshift, type=INT),
    "int_and": lambda op, a, b: a & b,
    "int_or": lambda op, a, b: a | b,
    "int_xor": lambda op, a, b: a ^ b,
    "int_invert": lambda op, a: ~a,
    "int_to_float": lambda op, a: float(a),
    "int_exact_float": _int_exact_float,
    "raw_add": lambda op, a, b: a + b,
    "raw_sub": lambda op, a, b: a - b,
    "raw_mul": lambda op, a, b: a * b,
    "raw_floordiv": lambda op, a, b: a // b,
    "raw_mod": lambda op, a, b: a % b,
    "raw_rshift": lambda op, a, b: a >> b,
    "wrap_add": lambda op, a, b: _wrapped(a + b),
    "wrap_sub": lambda op, a, b: _wrapped(a - b),
    "wrap_mul": lambda op, a, b: _wrapped(a * b),
    "raw_min": lambda op, a, b: min(a, b),
    "raw_max": lambda op, a, b: max(a, b),
    "float_add": lambda op, a, b: a + b,
    "float_sub": lambda op, a, b: a - b,
    "float_mul": lambda op, a, b: a * b,
    "float_div": _python(operator.truediv, type=FLOAT),
    "float_floordiv": _python(operator.floordiv, type=FLOAT),
    "float_mod": _python(operator.mod, type=FLOAT),
    "float_pow": _python(operator.pow, type=FLOAT),
    "float_neg": lambda op, a: -a,
    "float_abs": lambda op, a: abs(a),
    "float_to_int": _float_to_int,
    "float_round": _float_round,
    "math": _math,
    "part": lambda op, a: a.imag if op.attrs["which"] else a.real,
    "complex_abs": _complex_abs,
    "cmp": _cmp,
    "not": lambda op, a: not a,
    "select": lambda op, a, b, c: b if a else c,
    "bool_to_int": lambda op, a: int(a),
    "cast": _careful(_cast),
    "np_op": _careful(_np_op),
    "np_try": _np_try,
    "beyond": lambda op, a: int(not -op.attrs["limit"] <= int(a) < op.attrs["limit"]),
    "disjoint": lambda op, a, b: not np.may_share_memory(a, b),
    "dim": lambda op, array: array.shape[op.attrs["axis"]],
    "stride": lambda op, array: array.strides[op.attrs["axis"]],
    "check_index": _check_index,
    "check": lambda op, a: _demand(a),
    "load": _load,
    "store": _store,
    "slice_bounds": _slice_bounds,
    "view": _view,
    "ew": _careful(_ew),
    "assign": _careful(_assign),
    "empty": _careful(_empty),
    "mask_count": lambda op, mask: int(np.count_nonzero(mask)),
    "pick": _careful(_pick),
    "take": _careful(_take),
    "place": _careful(_place),
    "roll": _careful(_roll),
    "roll_into": _careful(_roll_into),
    "kernel": _careful(_kernel),
    "kernel_into": _careful(_kernel_into),
    "reduce": _careful(_reduce),
    "accumulate": _careful(_accumulate),
    "matmul": _careful(_matmul),
    "draw": _draw,
    "list_len": lambda op, items: len(items),
    "list_get": _list_get,
    "list_ints": _careful(_list_ints),
    "call": _call,
    "look": _look,
    "make": _make,
    "put": _put,
    "keep": _keep,
    "kept": _kept,
    "recheck": _nothing,
    "poll": _nothing,
}
