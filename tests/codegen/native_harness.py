"""Runs compiled graphs without frames: stand-ins for the helpers that need one, guards by hand, exits decoded to objects."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pijit.codegen import emit, symbols
from pijit.codegen.build import Native, compile_graph
from pijit.ir.graph import Block, Box, Exit, Frame, Graph, Jump, Leave, Op, Value
from pijit.ir.ops import OPS
from pijit.ir.types import BOOL, FLOAT, INT, Np, is_owned

I64, P, F64 = ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
incref, decref = ctypes.pythonapi.Py_IncRef, ctypes.pythonapi.Py_DecRef
incref.argtypes = decref.argtypes = [ctypes.py_object]


def from_pointer(pointer: int) -> Any:
    return ctypes.cast(pointer, ctypes.py_object).value


def given_away(value: Any) -> int:
    incref(value)
    return id(value)


# ---- stand-ins -----------------------------------------------------------------------------------------------------


@dataclass
class World:
    """What the helpers see and record."""

    call: Any = None  # (words, site) -> status
    recheck: int = 0
    made: list[str] = field(default_factory=list)
    no_memory: bool = False


world = World()


def _list(pointer: int, n: int) -> list[int]:
    return list((I64 * n).from_address(pointer)) if n else []


def pj_empty(typenum, ndim, dims, order):
    if world.no_memory:
        return None
    world.made.append("empty")
    dtype = next(np.dtype(c) for c in np.typecodes["All"] if np.dtype(c).num == typenum)
    return given_away(np.empty(_list(dims, ndim), dtype, order="CF"[order]))


def pj_view(base, data, typenum, ndim, dims, strides, writable):
    world.made.append("view")
    base = from_pointer(base)
    start = data - base.__array_interface__["data"][0]
    low, high = np.lib.array_utils.byte_bounds(base)
    root = base
    while isinstance(root.base, np.ndarray):
        root = root.base
    offset = data - root.__array_interface__["data"][0]
    assert low <= data <= high, start
    return given_away(np.ndarray(_list(dims, ndim), base.dtype, root, offset, _list(strides, ndim)))


_STAND_INS = {
    "pj_empty": (pj_empty, P, I64, I64, P, I64),
    "pj_view": (pj_view, P, P, P, I64, I64, P, P, I64),
    "pj_call": (lambda w, site: world.call(w, site), I64, P, I64),
    "pj_recheck": (lambda w: world.recheck, I64, P),
}
# PyDLL: the callbacks run with the interpreter lock, as the helpers do.
_callbacks = {name: ctypes.PYFUNCTYPE(result, *args)(f) for name, (f, result, *args) in _STAND_INS.items()}
emit.ready()  # registers the real helpers, the other ones stay
symbols.register({name: ctypes.cast(f, P).value or 0 for name, f in _callbacks.items()})


# ---- running -------------------------------------------------------------------------------------------------------


@dataclass
class Left:
    """How a run ended: the exit and its objects."""

    exit: Exit
    result: Any
    locals: list[dict[int, Any]]
    stacks: list[list[Any]]
    native: Native


_STRUCTS = {"int": I64, "float": F64, "object": P}


def read_word(words: Any, recipe: tuple[Any, ...]) -> Any:
    kind, word = recipe[0], recipe[-1]
    address = ctypes.addressof(words) + 8 * word
    if kind == "np":
        dtype = next(np.dtype(c) for c in np.typecodes["All"] if np.dtype(c).num == recipe[1])
        return np.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype)[0]
    if kind == "bool":
        return bool(words[word])
    value = _STRUCTS[kind].from_address(address).value
    return from_pointer(value) if kind == "object" else value


def rebuild(words: Any, recipe: tuple[Any, ...]) -> Any:
    match recipe:
        case ("const", value):
            return value
        case ("tuple", items):
            return tuple(rebuild(words, i) for i in items)
        case ("list", items):
            return [rebuild(words, i) for i in items]
        case ("slice", items):
            return slice(*(rebuild(words, i) for i in items))
        case ("range", *places):
            return range(*(words[p] for p in places))
        case (("keep" | "unset" | "null") as name,):
            return name
    return read_word(words, recipe)


def write_input(words: Any, word: int, value: Value, given: Any) -> None:
    address = ctypes.addressof(words) + 8 * word
    if is_owned(value.type):
        words[word] = id(given)
    elif value.type == FLOAT:
        F64.from_address(address).value = given
    elif isinstance(value.type, Np):
        data = (
            np.int64(given)
            if value.type.dtype.kind in "bi"
            else np.uint64(given)
            if value.type.dtype.kind == "u"
            else given
        )
        ctypes.memmove(address, data.tobytes(), data.nbytes)
    else:
        words[word] = int(given)


def execute(graph: Graph, inputs: list[Any], *, poll: int = 0, native: Native | None = None, **options: Any) -> Left:
    native = native or compile_graph(graph, **options)
    words_ = (I64 * native.nwords)()
    byte = ctypes.c_uint8(poll)
    words_[0] = ctypes.addressof(byte)
    for value, given in zip(graph.inputs, inputs, strict=True):
        write_input(words_, native.word[value], value, given)
    index = ctypes.PYFUNCTYPE(I64, P)(native.address)(ctypes.addressof(words_))
    exit = next(e for e in graph.exits() if e.index == index)
    _, frames, _, result, shared = native.exits[index]
    for recipe, word in shared:
        words_[word] = given_away(rebuild(words_, recipe))
    left = Left(
        exit,
        None if result is None else rebuild(words_, result),
        [{slot: rebuild(words_, r) for slot, r in f[2].items()} for f in frames],
        [[rebuild(words_, r) for r in f[3]] for f in frames],
        native,
    )
    for word in range(native.roots_start, native.roots_start + native.nroots):
        if words_[word]:
            decref(from_pointer(words_[word]))
    return left


# ---- building ------------------------------------------------------------------------------------------------------


def leaving(kind: str, *values: Value, result: Value | None = None) -> Exit:
    """An exit with these values in locals 0, 1, ..."""
    frame = Frame(None, None, 0, {i: Box(v) for i, v in enumerate(values)}, ())
    return Exit(kind, "test", (frame,), (), None if result is None else Box(result))


def add(block: Block, op_name: str, args: Any, /, *types: Any, keep: Any = (), **attrs: Any) -> Any:
    """Appends an operation; its exits hold the values ``keep``."""
    exits = {
        e: leaving({"raise": "raise", "type": "continue", "poll": "poll"}.get(e, "redo"), *keep)
        for e in OPS[op_name].exits
    }
    op = Op(op_name, tuple(args), types, attrs, exits, 1)
    block.ops.append(op)
    return op.results[0] if len(types) == 1 else op.results


def straight(input_types: Any, body: Any) -> Graph:
    """A graph of one block: body(block, *inputs) gives the value to return."""
    inputs = [Value(t) for t in input_types]
    block = Block(1)
    result = body(block, *inputs)
    block.end = Leave(leaving("return", result=result))
    graph = Graph(inputs, block)
    graph.arrange()
    return graph


def apply(name: str, args: list[Any], types: list[Any], result: Any, /, **attrs: Any) -> Any:
    """Runs one operation: its result, or the name of the exit that it took."""
    graph = straight(types, lambda block, *inputs: add(block, name, inputs, result, keep=inputs, **attrs))
    left = execute(graph, args, use_cache=False)
    return left.result if left.exit.kind == "return" else left.exit.kind


def loop(inputs: Any, start: Any, body: Any) -> Graph:
    """for i in range(inputs[0]): state = body(block, i, *state); returns the first of the state. body gives (block,
    state)."""
    entry, header, done = Block(1), Block(1), Block(3)
    header.is_header = True
    first = start(entry)
    i, *state = header.param(INT), *(header.param(v.type) for v in first)
    from pijit.ir.graph import Branch, const

    entry.end = Jump(header, (const(0), *first))
    add(header, "poll", (), keep=(i, *state))
    block = Block(2)
    header.end = Branch(add(header, "cmp", (i, inputs[0]), BOOL, symbol="<"), Jump(block), Jump(done))
    last, after = body(block, i, *state)
    last.end = Jump(header, (add(last, "raw_add", (i, const(1)), INT), *after))
    done.end = Leave(leaving("return", result=state[0]))
    graph = Graph(list(inputs), entry)
    graph.arrange()
    return graph
