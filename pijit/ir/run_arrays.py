"""The reference evaluator's operations on arrays."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .evaluate import Results, Taken, careful, demand, elementwise
from .graph import Op
from .kernel import Kernel
from .types import Array
from .ufuncs import largest_product, nothing_is_something


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
    demand(array.size > 0 or (nothing_is_something(op.result.type) and 0 not in dims))
    axis = op.attrs["axis"]
    made = getattr(np, op.attrs["ufunc"]).reduce(array, axis=None if axis < 0 else axis)
    return made if axis < 0 else _shaped(made, dims)


def _shaped(values: Any, dims: Sequence[int]) -> Any:
    """As an array of that shape with memory of its own."""
    made = np.empty(dims, values.dtype)
    made[...] = np.reshape(values, dims)
    return made


def _arg_extreme(op: Op, array: Any, *dims: int) -> Any:
    demand(array.size > 0)
    return (np.argmax if op.attrs["largest"] else np.argmin)(array, axis=-1 if dims else None)


def _accumulate(op: Op, array: Any, dim: int) -> Any:
    return getattr(np, op.attrs["ufunc"]).accumulate(array, dtype=array.dtype)


def _matmul(op: Op, a: Any, b: Any, *stack: int) -> Any:
    own, function = (*stack, *a.shape[-2:-1], *b.shape[max(b.ndim - 1, 1) :]), op.attrs["function"]
    demand(0 not in own and math.prod(own) * a.shape[-1] <= largest_product(a.dtype.name))
    if function != "matmul":
        demand(all(1 not in x.shape if x.ndim == 2 else x.strides[0] > 0 or len(x) == 1 for x in (a, b)))
    return getattr(np, function)(a, b)


def _kernel(op: Op, *args: Any) -> Any:
    kernel = op.attrs["kernel"]
    assert isinstance(kernel, Kernel)
    n = len(kernel.operands)
    values = kernel_values(kernel, args[:n])
    made = _outputs(op, values, args[n:])
    return made if kernel.fold is None else Results((*made, _sum(op, values[kernel.fold.reference], args[n:])))


def _sum(op: Op, elements: Any, dims: Sequence[int]) -> Any:
    fold, result = op.attrs["kernel"].fold, op.results[-1].type
    demand(0 not in dims or not isinstance(result, Array))
    dtype = np.dtype(op.attrs["kernel"].dtype(fold.reference))
    whole = np.empty(dims, dtype)
    whole[...] = elements
    if not isinstance(result, Array):
        return whole.sum()
    kept = (1,) * op.attrs["keep"]
    return _shaped(whole.sum(axis=fold.axis), (*dims[: fold.axis], *kept, *dims[fold.axis + 1 :]))


def _kernel_rolled(op: Op, *args: Any) -> Any:
    operands, rest = list(args[: len(op.attrs["kernel"].operands)]), args[len(op.attrs["kernel"].operands) :]
    for number, by in zip(op.attrs["rolled"], rest[op.attrs["ndim_out"] :], strict=True):
        operands[number] = np.roll(operands[number], by, axis=0)
    return _kernel(op, *operands, *rest[: op.attrs["ndim_out"]])


def kernel_values(kernel: Kernel, operands: Sequence[Any]) -> list[Any]:
    """The operands and the results of the steps, by reference."""
    values = list(operands)
    for item in kernel.steps:
        if item.fold:
            (rows,) = (values[arg] for arg in item.args)
            demand(len(rows) > 0)
            values.append(getattr(np, item.ufunc).reduce(rows, axis=0))
        elif item.ufunc == "take":
            source, index = (values[arg] for arg in item.args)
            demand(all(-len(source) <= place < len(source) for place in index))
            values.append(source.take(index))
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


def _kernel_at(op: Op, *args: Any) -> None:
    kernel, first = op.attrs["kernel"], len(op.attrs["kernel"].operands) + op.attrs["ndim_out"]
    values = kernel_values(kernel, args[: len(kernel.operands)])
    for reference, target in zip(kernel.outputs, args[first:], strict=True):
        target[...] = values[reference]


def _kernel_scattered(op: Op, *args: Any) -> Any:
    kernel, n = op.attrs["kernel"], len(op.attrs["kernel"].operands)
    values, rest, length = kernel_values(kernel, args[:n]), iter(args[n + 1 :]), args[n]
    outputs = [np.broadcast_to(np.asarray(values[reference]), length) for reference in kernel.outputs]
    made: list[Any] = []
    for name, index, source in op.attrs["sinks"]:
        given, array = next(rest), next(rest) if index < 0 else outputs[index]
        added = None if source is None else next(rest) if source < 0 else outputs[source]
        if name == "bincount":
            demand(array.min(initial=0) >= 0)
            made.append(np.bincount(array, added, given))
        else:
            demand(all(-len(given) <= place < len(given) for place in array))
            getattr(np, name).at(given, array, added)
    return Results(made)


def _join(op: Op, *args: Any) -> Any:
    n, axis, type = op.attrs["n"], op.attrs["axis"], op.result.type
    assert isinstance(type, Array)
    parts = [part if np.ndim(part) == type.ndim else np.expand_dims(part, axis) for part in args[:n]]
    return _settled(np.concatenate(parts, axis), type, args[2 * n :])


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


def _steps(array: np.ndarray[Any, Any], n: int, along: tuple[int, ...]) -> list[int]:
    """How far apart elements are along an axis of a view that is n long, of each axis that it goes along."""
    return [array.strides[axis] * (step if n else 1) if axis >= 0 else 0 for axis, step in zip(along[::2], along[1::2], strict=True)]


def _view(op: Op, array: np.ndarray[Any, Any], offset: int, *rest: int) -> np.ndarray[Any, Any]:
    type = op.result.type
    assert isinstance(type, Array)
    dims, axes = rest[: type.ndim], op.attrs["axes"]
    if not isinstance(axes, tuple):
        strides = array.strides if axes == "shape" and array.shape == dims else _new_strides(array.itemsize, dims)
    else:
        strides = tuple(sum(_steps(array, n, along)) for n, along in zip(dims, axes, strict=True))
    if not array.size and not any(array.strides):
        offset = 0
    place = array.__array_interface__["data"][0] + offset
    writable = type.writable and array.flags.writeable
    root = array if array.flags.owndata or builtins.type(array.base) is not np.ndarray else array.base
    whole = root if root.flags.c_contiguous else root.T
    if math.prod(dims) and whole.flags.c_contiguous and (root.flags.writeable or not writable):  # then its base is what NumPy makes it
        made: np.ndarray[Any, Any] = np.ndarray(dims, type.dtype, whole, place - whole.__array_interface__["data"][0], strides)
        made.flags.writeable = writable
        return made
    interface = {"version": 3, "typestr": type.dtype.str, "shape": dims, "strides": strides, "data": (place, not writable)}
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
    demand(all(-length <= place < length for place in index.flat))
    made = _new(type, dims)
    made[...] = np.moveaxis(array.take(index, lead), lead, 0)
    return made


def _search(op: Op, v: Any, a: Any, *dims: int) -> Any:
    if not op.attrs["bins"]:
        return np.searchsorted(a, v, op.attrs["side"])
    try:
        return np.digitize(v, a, op.attrs["side"] == "left")
    except ValueError:
        raise Taken from None


def _place(op: Op, array: Any, value: Any, mask: Any, count: int) -> None:
    demand(not np.may_share_memory(array, mask) and not np.may_share_memory(array, value))
    array[_at(op, mask)] = value


def _bincount(op: Op, array: Any, *rest: Any) -> Any:
    *weights, bins = rest
    demand(array.min(initial=0) >= 0)
    return np.bincount(array, weights[0] if weights else None, bins)


_EXACT = 2.0**53


def _edges(op: Op, low: float, high: float, total: int) -> Any:
    demand(not op.attrs["exact"] or (low > -_EXACT and high < _EXACT))
    return np.histogram_bin_edges(np.empty(0), total - 1, (low, high)).copy()


def _places(op: Op, array: Any, edges: Any, dim: int) -> Any:
    bins = len(edges) - 1
    inside = (array >= edges[0]) & (array <= edges[-1])
    x = np.where(inside, array, edges[0])
    found = np.minimum(((x - edges[0]) / (edges[-1] - edges[0]) * bins).astype(np.int64), bins - 1)
    found -= x < edges[found]
    found += (x >= edges[found + 1]) & (found != bins - 1)
    return np.where(inside, found, -1).astype(np.int32)


_BLOCK = 65536  # elements that np.histogram sums up before it adds them to what came before


def _histogram(op: Op, places: Any, *rest: Any) -> Any:
    *weights, bins = rest
    if not weights:
        return np.bincount(places + 1, None, bins + 1)[1:].copy()
    made = np.zeros(bins)
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        made += np.bincount(places[part] + 1, weights[0][part], bins + 1)[1:]
    return made


def _add_at(op: Op, array: Any, index: Any, value: Any) -> None:
    made = array.copy()
    getattr(np, op.attrs["ufunc"]).at(made, index, value)
    array[...] = made


def _empty(op: Op, *args: Any) -> Any:
    type = op.result.type
    assert isinstance(type, Array)
    array = _new(type, args[: type.ndim])
    if op.attrs["filled"]:
        array[...] = args[-1]
    return array


def _ramp(op: Op, length: int, first: Any, second: Any) -> Any:
    type = op.result.type
    assert isinstance(type, Array)
    array = _new(type, (length,))
    if type.name == "int64":
        array[...] = first + np.arange(length) * second
    else:
        array[...] = first + np.arange(float(length)) * (second - first)
        array[:2] = (first, second)[:length]
    return array


def _layout(array: Any) -> tuple[Any, ...]:
    return array.__array_interface__["data"][0], array.shape, array.strides


ARRAYS: dict[str, Callable[..., Any]] = {
    "disjoint": lambda op, a, b: not np.may_share_memory(a, b),
    "apart": lambda op, a, b: not np.may_share_memory(a, b) or _layout(a) == _layout(b),
    "dim": lambda op, array: array.shape[op.attrs["axis"]],
    "stride": lambda op, array: array.strides[op.attrs["axis"]],
    "load": _load,
    "store": _store,
    "slice_bounds": _slice_bounds,
    "view": _view,
    "ew": careful(_ew),
    "assign": careful(_assign),
    "empty": careful(_empty),
    "ramp": careful(_ramp),
    "mask_places": careful(lambda op, mask, count: np.flatnonzero(mask).copy()),
    "search": careful(_search),
    "interp": careful(lambda op, x, xp, fp, left, right, *dims: np.interp(x, xp, fp, left, right)),
    "mask_count": lambda op, mask: int(np.count_nonzero(mask)),
    "mask_many": lambda op, mask: Results((op.attrs["one_in"] * int(np.count_nonzero(mask)) >= mask.size, int(np.count_nonzero(mask)))),
    "many_lately": lambda op: True,  # what is done then is as good
    "mask_look": lambda op, mask: None,
    "pick": careful(_pick),
    "take": careful(_take),
    "place": careful(_place),
    "bincount": careful(_bincount),
    "edges": careful(_edges),
    "places": careful(_places),
    "histogram": careful(_histogram),
    "within": lambda op, a, n: bool(((a >= -n) & (a < n)).all()),
    "add_at": careful(_add_at),
    "roll": careful(_roll),
    "roll_into": careful(_roll_into),
    "join": careful(_join),
    "kernel": careful(_kernel),
    "kernel_into": careful(_kernel_into),
    "kernel_at": careful(_kernel_at),
    "kernel_rolled": careful(_kernel_rolled),
    "kernel_scattered": careful(_kernel_scattered),
    "arg_extreme": _arg_extreme,
    "reduce": careful(_reduce),
    "accumulate": careful(_accumulate),
    "matmul": careful(_matmul),
}
