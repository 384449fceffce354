"""Elementwise array operations: fused kernels, and single ones that fusion left."""

from __future__ import annotations

from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any

from ..ir.graph import Op
from ..ir.kernel import Kernel, Operand, Step
from ..ir.types import Array, Np
from ..ir.ufuncs import raises, shows_flags, signals
from . import inner, rolls, scalars, stores, units
from . import llvm_ir as ir
from . import words as memory
from .arrays import ArrayValue, load_element, store_element
from .assign import at, operand_steps, stretched
from .kernels import TROUBLE, declared, divisible, loops, work
from .llvm import I1, I64, PTR, call, i64, is_finite, make_complex, parts
from .loops import nest
from .rows import Unsupported, row
from .whole import exit_and_release, new_array, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .driver import Driver

@contextmanager
def _watched(d: Driver, op: Op, made: list[ArrayValue], flags: bool, trouble: bool = False) -> Iterator[list[Any]]:
    """Runs a body that works on the new arrays; a floating-point flag, if it can raise any, releases them and leaves. The body may put
    what a kernel returns into the list, which may be ``trouble`` too."""
    more: list[Any] = []
    if flags and d.graph.errors_at(op).watched:
        call(d.builder, "pj_fp_clear_own" if _is_own(op) else "pj_fp_clear", ir.VoidType())
    yield more
    if flags or trouble:
        exit_and_release(d, op, raised(d, op, *more, flags=flags), made)


def raised(d: Driver, op: Op, *statuses: Any, flags: bool = True) -> Any:
    """Whether a floating-point flag is set, or in what a kernel returned, that NumPy's error state does not ignore; or trouble."""
    b, watched = d.builder, d.graph.errors_at(op).watched if flags else 0
    found: list[Any] = [b.and_(status, i64(watched | TROUBLE)) for status in statuses]
    if watched:
        found.append(b.and_(call(b, "pj_fp_get_own" if _is_own(op) else "pj_fp_get", I64), i64(watched)))
    return b.icmp_signed("!=", reduce(b.or_, found, i64(0)), i64(0))


def _is_own(op: Op) -> bool:
    """Whether all that it does is compiled here."""
    return "kernel" in op.attrs and not loops(op.attrs["kernel"])


def _results(d: Driver, op: Op, dims: list[Any]) -> list[ArrayValue]:
    """The new arrays that the operation makes."""
    made: list[ArrayValue] = []
    for result in op.results[: len(op.attrs["kernel"].outputs)] if "kernel" in op.attrs else op.results:
        assert isinstance(result.type, Array)
        if result.type.order not in ("C", "F"):
            raise Unsupported(f"a new array of order {result.type.order}")
        made.append(new_array(d, op, result, dims, made))
    return made


@contextmanager
def _unless_empty(d: Driver, total: Any) -> Iterator[None]:
    body, done = d.function.append_basic_block("some"), d.function.append_basic_block("on")
    d.builder.cbranch(d.builder.icmp_signed("!=", total, i64(0)), body, done)
    d.builder.position_at_end(body)
    yield
    d.builder.branch(done)
    d.builder.position_at_end(done)


# ---- kernels -------------------------------------------------------------------------------------------------------


@row("kernel", "kernel_into", "kernel_rolled", "kernel_at")
def _kernel(d: Driver, op: Op) -> tuple[Any, ...]:
    """The convention is in opt/fuse.py."""
    b, described = d.builder, op.attrs["kernel"]
    count = len(described.operands)
    dims = [d.scalar(a) for a in op.args[count : count + op.attrs["ndim_out"]]]
    if described.fold is not None:
        return _folded(d, op, described, dims)
    made = _results(d, op, dims)
    into = list(map(d.array, op.args[count + len(dims) :])) if op.name == "kernel_at" else made
    total = size(b, dims)
    symbol = d.unit(units.kernel_unit(described))
    d.around.begin(d, op)
    with _unless_empty(d, total):
        words = kernel_words(d, op, described, dims, total, into)
        p = stores.in_words(d, words, stores.RESULT)
        if described.store is not None:
            exit_and_release(d, op, stores.call_kernel(d, op, symbol, p), made)
            d.around.end(op)
            return tuple(made)
        with _watched(d, op, made, signals(described), op.attrs["flags"]) as statuses:
            if op.name == "kernel_rolled":
                statuses.append(rolls.call_kernel(d, op, symbol, p, dims, words[0]))
            else:
                statuses.append(_run(d, described, symbol, words[0], p, total))
    return tuple(made)


def _run(d: Driver, kernel: Kernel, symbol: str, rows: Any, p: Any, total: Any) -> Any:
    """Calls the kernel, for all of its first axis, on the threads that the graph may use."""
    b, threads = d.builder, d.graph.threads if divisible(kernel) else 1
    if threads == 1:
        return call(b, symbol, I64, i64(0), rows, p)
    return call(b, "pj_share", I64, declared(d.module, symbol), i64(0), rows, p, b.mul(total, i64(work(kernel))), i64(threads))


def _folded(d: Driver, op: Op, kernel: Kernel, dims: list[Any]) -> tuple[Any, ...]:
    """A kernel that adds up what it computes."""
    b, result = d.builder, op.results[-1]
    assert kernel.fold is not None
    total, axis, array = size(b, dims), kernel.fold.axis, isinstance(result.type, Array)
    if array:
        d.exit_if(op, b.icmp_signed("==", total, i64(0)))
    made = _results(d, op, dims)
    if array:
        kept = [i64(1)] * op.attrs["keep"]
        made.append(new_array(d, op, result, [*dims[:axis], *kept, *dims[axis + 1 :]], made))
    place = made[-1].data if array else d.stack(2)
    words = kernel_words(d, op, kernel, dims, total, made, place)
    p, symbol = stores.in_words(d, words), d.unit(units.kernel_unit(kernel))
    if not array and shows_flags(kernel):
        return (*made, _looked_at(d, op, made, kernel, lambda: _run(d, kernel, symbol, words[0], p, total), place))
    with _watched(d, op, made, signals(kernel), op.attrs["flags"]) as statuses:
        statuses.append(_run(d, kernel, symbol, words[0], p, total))
    return tuple(made) if array else (*made, load_element(d, place, kernel.dtype(kernel.fold.reference)))


def _looked_at(d: Driver, op: Op, made: list[ArrayValue], kernel: Kernel, run: Callable[[], Any], place: Any) -> Any:
    """The sum of a kernel that is run once more, for its flags, where that is not finite."""
    b = d.builder
    assert kernel.fold is not None
    status = run()
    found = load_element(d, place, kernel.dtype(kernel.fold.reference))
    trouble = b.icmp_signed("!=", b.and_(status, i64(TROUBLE)), i64(0))
    with d.rarely(b.or_(trouble, b.not_(is_finite(b, found)))), _watched(d, op, made, True, True) as statuses:
        statuses.append(run())
    return found


@row("accumulate")
def _accumulate(d: Driver, op: Op) -> ArrayValue:
    """One that was left out of every kernel, in one of its own."""
    type = op.result.type
    assert isinstance(type, Array)
    kernel = Kernel(1, (Operand(type.name, (None,)),), (Step(op.attrs["ufunc"], (0,), type.name, scan=True),), (1,))
    attrs = {"kernel": kernel, "ndim_out": 1, "collapsed": False, "order": "C", "flags": raises(kernel)}
    made: ArrayValue = _kernel(d, Op("kernel", op.args, (type,), op.attrs | attrs, op.exits, op.line))[0]
    return made


def kernel_words(
    d: Driver, op: Op, kernel: Kernel, dims: list[Any], total: Any, made: list[ArrayValue], sums: Any = None
) -> list[Any]:
    b, ndim = d.builder, op.attrs["ndim_out"]

    def result_axis(axis: int) -> int:
        return axis if op.attrs["order"] == "C" else ndim - 1 - axis

    def stride(operand: int, axis: int) -> Any:
        array = d.array(op.args[operand])
        return array.steps[result_axis(axis) - ndim + array.type.ndim]

    def scalar(operand: int, half: int) -> Any:
        value = op.args[operand]
        return memory.pack(d, value.type, d.scalar(value))[half]

    make: dict[str, Callable[[int, int], Any]] = {
        "dim": lambda axis, _: total if op.attrs["collapsed"] else dims[result_axis(axis)],
        "pointer": lambda operand, _: b.ptrtoint(d.array(op.args[operand]).data, I64),
        "stride": stride,
        "rows": lambda operand, _: d.array(op.args[operand]).dims[0],
        "row_stride": lambda operand, _: d.array(op.args[operand]).steps[0],
        "scalar": scalar,
        "output": lambda number, _: b.ptrtoint(made[number].data, I64) if made else i64(0),
        "store": lambda *_: b.ptrtoint(d.array(op.args[-1]).data, I64),
        "log": lambda *_: i64(0),
        "fold": lambda *_: b.ptrtoint(sums, I64),
        "store_stride": lambda _, axis: d.array(op.args[-1]).steps[result_axis(axis)],
    }
    return [make[what](first, second) for what, first, second in kernel.words()]


# ---- single operations ---------------------------------------------------------------------------------------------


@row("ew")
def _elementwise(d: Driver, op: Op) -> ArrayValue:
    ufunc, count = op.attrs["ufunc"], op.attrs["n"]
    operands = op.args[:count]
    dims = [d.scalar(a) for a in op.args[count:]]
    (result,) = made = _results(d, op, dims)
    stretch = stretched(op, count) or [frozenset()] * count
    dtypes = tuple(_dtype(v.type) for v in (*operands, op.result))
    sources = [_source(d, value, len(dims), axes) for value, axes in zip(operands, stretch, strict=True)]
    floats = any(name[0] in "fc" for name in dtypes)
    with _watched(d, op, made, floats):
        if scalars.supports(ufunc, dtypes) and not (op.attrs.get("loop") and inner.find(ufunc, dtypes)):
            trouble = _by_formula(d, ufunc, dtypes, sources, result)
        else:
            trouble = None
            if len(dims) > 1:
                _leave_if_flipped(d, op, sources, made)
            _by_numpy(d, ufunc, dtypes, sources, result)
    if trouble is not None:
        exit_and_release(d, op, d.builder.load(trouble, typ=I1), made)
    return result


Source = tuple[Any, list[Any], Any]  # pointer and steps of an array, or None, and the scalar


def _source(d: Driver, value: Any, ndim: int, stretch: frozenset[int]) -> Source:
    made = d.value(value)
    if isinstance(made, ArrayValue):
        return made.data, operand_steps(made, ndim, stretch), None
    return None, [i64(0)] * ndim, made


def _by_formula(d: Driver, ufunc: str, dtypes: tuple[str, ...], sources: list[Source], result: ArrayValue) -> Any:
    """Element by element; gives the flag that says whether only NumPy can do it."""
    b = d.builder
    flag = d.stack(1)
    b.store(I1(0), flag)
    with _axes(d, result, result.dims) as indices:
        values = []
        for (data, steps, value), dtype in zip(sources, dtypes, strict=False):
            element = value if data is None else load_element(d, at(d, data, steps, indices), dtype)
            values.append(parts(b, element) if dtype.startswith("complex") else element)
        trouble: list[Any] = []
        made = scalars.emit(b, ufunc, dtypes, values, trouble, scalar=False, quiet=True)
        for condition in trouble:
            b.store(b.or_(b.load(flag, typ=I1), condition), flag)
        store_element(d, result.address(d, indices), make_complex(b, *made) if isinstance(made, tuple) else made)
    return flag


def _leave_if_flipped(d: Driver, op: Op, sources: list[Source], made: list[ArrayValue]) -> None:
    """With more than one axis NumPy turns negative strides round, and its bits depend on their signs: let it do it."""
    b = d.builder
    for step in (step for _, steps, _ in sources for step in steps):
        if not isinstance(step, ir.Constant):
            exit_and_release(d, op, b.icmp_signed("<", step, i64(0)), made)


def _by_numpy(d: Driver, ufunc: str, dtypes: tuple[str, ...], sources: list[Source], result: ArrayValue) -> None:
    """NumPy's inner loop along the innermost axis, as NumPy calls it."""
    b = d.builder
    unit = units.loop_unit(ufunc, dtypes)
    symbol = d.unit(unit)
    scalars_at = [
        _in_memory(d, value, dtype) if data is None else None
        for (data, _, value), dtype in zip(sources, dtypes, strict=False)
    ]
    innermost = 0 if result.type.order == "F" else result.type.ndim - 1
    lengths = list(result.dims)
    length = lengths[innermost] if lengths else i64(1)
    operands = [
        *((place if data is None else data, steps) for (data, steps, _), place in zip(sources, scalars_at, strict=True))
    ]
    operands.append((result.data, result.steps))
    pointers, steps_of, count = d.stack(len(operands)), d.stack(len(operands)), d.stack(1)
    b.store(length, count)
    for number, (_, steps) in enumerate(operands):
        b.store(steps[innermost] if steps else i64(0), b.gep(steps_of, [i64(number)], inbounds=True, source_etype=I64))
    if lengths:
        lengths[innermost] = i64(1)
    with _axes(d, result, lengths) as indices:
        for number, (data, steps) in enumerate(operands):
            place = b.gep(pointers, [i64(number)], inbounds=True, source_etype=I64)
            b.store(at(d, data, steps, indices), place)
        data = d.data_symbol(unit.data) if unit.data else PTR(None)
        call(b, symbol, ir.VoidType(), pointers, count, steps_of, data)


@contextmanager
def _axes(d: Driver, result: ArrayValue, lengths: list[Any]) -> Iterator[list[Any]]:
    """Loops over the result in the order of its memory; gives the indices in the order of its axes."""
    reverse = -1 if result.type.order == "F" else 1
    with nest(d, lengths[::reverse]) as loops:
        yield loops[::reverse]


def _in_memory(d: Driver, value: Any, dtype: str) -> Any:
    place = d.stack(2)
    store_element(d, place, value)
    return place


def _dtype(type: Any) -> str:
    assert isinstance(type, (Np, Array))
    return type.name
