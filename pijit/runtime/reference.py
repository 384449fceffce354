"""The back-end "numpy": a graph is run by the reference evaluator instead of machine code. The oracle of the tests.

The native side is one C function (`pj_reference`) that calls the Python object that the fragment keeps, with the address of W. Inputs are
read from the words that guards wrote; what an exit needs is written to words as machine code would.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from pijit import _native
from pijit.codegen.build import Native
from pijit.codegen.layout import FIRST_INPUT, exit_tuple, recipe_tuple, shared_recipes
from pijit.ground import clock
from pijit.ir.evaluate import Env
from pijit.ir.graph import Box, Build, Const, Exit, Graph, Known, Null, Value
from pijit.ir.run import run
from pijit.ir.text import text
from pijit.ir.types import BOOL, COMPLEX, FLOAT, INT, Np, Type, is_owned, words

_python = ctypes.pythonapi
_python.Py_IncRef.argtypes = [ctypes.c_void_p]  # py_object would ask the object for its __class__


# A function that the root frame makes.
_ROOT = Build("function", (Known((lambda: None).__code__), Null(), Null(), Null(), Null()))


def evaluate_graph(graph: Graph, *, force_exit: int | None = None) -> Native:
    """A Native whose code is the evaluator."""
    start = clock.perf_counter()
    layout = _Layout(graph)
    evaluator = _Evaluator(graph, layout, force_exit)
    return Native(
        address=_native.symbols()["pj_reference"],
        nwords=layout.nwords,
        roots_start=layout.roots_start,
        nroots=layout.nroots,
        word=layout.inputs,
        exits=layout.exits,
        sites=[("look", recipe_tuple(recipe, layout.inputs.__getitem__), []) for recipe in (Build("tuple", tuple(map(Box, layout.inputs))), _ROOT)],
        keep=evaluator,
        code=text(graph),
        seconds=clock.perf_counter() - start,
        cached=False,
    )


class _Layout:
    """Words of inputs, then of what exits hand over: numbers first, owned objects in the roots."""

    def __init__(self, graph: Graph) -> None:
        self.inputs: dict[Value, int] = {}
        word = FIRST_INPUT
        for value in graph.inputs:
            self.inputs[value] = word
            word += words(value.type)
        exits = sorted(graph.exits(), key=lambda exit: exit.index)
        self.numbers: list[dict[Value, int]] = []
        self.objects: list[dict[Value, int]] = []
        self.constants: list[list[tuple[Const, int]]] = []
        start, widest, roots = word, 0, 0
        kept = [exit.values() for exit in exits]
        # words for constants that the contract wants in a word come after the values
        for exit, values in zip(exits, kept, strict=True):
            numbers: dict[Value, int] = {}
            word = start
            for value in values:
                if value in self.inputs and not is_owned(value.type):
                    numbers[value] = self.inputs[value]  # the object that it came from
                elif not is_owned(value.type):
                    numbers[value] = word
                    word += words(value.type)
            self.numbers.append(numbers)
            widest = max(widest, word + 64 - start)
            roots = max(roots, sum(is_owned(v.type) for v in values) + len(shared_recipes(exit)))
        self.roots_start, self.nroots = start + widest, roots
        self.nwords = self.roots_start + roots
        self.exits: list[tuple[Any, ...]] = []
        for exit, values, numbers in zip(exits, kept, self.numbers, strict=True):
            owned = [v for v in values if is_owned(v.type)]
            self.objects.append({v: self.roots_start + i for i, v in enumerate(owned)})
            self.constants.append([])
            first = self.roots_start + len(owned)
            place = self._place(numbers, self.objects[-1], self.constants[-1], start)
            self.exits.append(exit_tuple(exit, place, lambda n, first=first: first + n))  # type: ignore[misc]

    @staticmethod
    def _place(numbers: dict[Value, int], objects: dict[Value, int], constants: list[tuple[Const, int]], start: int) -> Any:
        free = max(start, *(word + 2 for word in numbers.values()), 0)

        def place(value: Value) -> int:
            if isinstance(value, Const):
                constants.append((value, free + len(constants)))
                return constants[-1][1]
            return objects[value] if value in objects else numbers[value]

        return place


class _Evaluator:
    """Called by C with the address of W; gives the index of the exit and the exception of a "raise" exit."""

    def __init__(self, graph: Graph, layout: _Layout, force_exit: int | None) -> None:
        self.graph, self.layout, self.force_exit = graph, layout, force_exit
        self.make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int64)(_native.symbols()["pj_make"])

    def __call__(self, address: int) -> tuple[int, BaseException | None]:
        memory = (ctypes.c_int64 * self.layout.nwords).from_address(address)
        exit, env = run(self.graph, self.make(address, 0), self.force_exit, lambda: self.make(address, 1))
        self._hand_over(memory, exit, env)
        return exit.index, env.error

    def _hand_over(self, memory: Any, exit: Exit, env: Env) -> None:
        for value, word in self.layout.numbers[exit.index].items():
            _write(memory, word, value.type, env.of(value))
        for constant, word in self.layout.constants[exit.index]:
            _write(memory, word, constant.type, constant.value)
        for value, word in self.layout.objects[exit.index].items():
            made = env.of(value)
            _python.Py_IncRef(id(made))
            memory[word] = id(made)


def _write(memory: Any, word: int, type: Type, value: Any) -> None:
    for i, part in enumerate(_encoded(type, value)):
        memory[word + i] = part


def _encoded(type: Type, value: Any) -> Sequence[int]:
    if type in (INT, BOOL):
        return (int(value),)
    if type == FLOAT:
        return struct.unpack("q", struct.pack("d", value))
    if type == COMPLEX:
        return struct.unpack("2q", struct.pack("2d", value.real, value.imag))
    assert isinstance(type, Np)
    kind = type.dtype.kind
    if kind in "biu":
        wide = np.uint64(value) if kind == "u" else np.int64(value)
        return (int(wide.view(np.int64)),)
    data = np.asarray(value, type.dtype).tobytes()
    return struct.unpack(f"{words(type)}q", data.ljust(8 * words(type), b"\0"))
