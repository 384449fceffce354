"""Loops of kernels do several elements at once, with the widest vectors."""

from __future__ import annotations

import platform
import re

import llvmlite.binding as llvm
import pytest

from pijit.codegen import emit, kernels, vectors
from pijit.codegen import llvm_ir as ir
from pijit.ground.records import replace
from pijit.ir.kernel import Kernel, Operand, Step, Store

pytestmark = [pytest.mark.shared, pytest.mark.skipif(platform.machine() != "x86_64", reason="looks at the machine code")]


def define(kernel: Kernel) -> ir.Module:
    module = ir.Module("kernel")
    kernels.define(module, kernel)
    return module


def machine_code(kernel: Kernel) -> str:
    text: str = emit.object_code(str(define(kernel)), emit.LOOPS, readable=True)
    return text


@pytest.mark.parametrize("steps", [["maximum"], ["maximum", "minimum"], ["maximum", "minimum", "maximum"]])
def test_several_elements_at_once(steps):
    """However many steps of an element may be trouble."""
    f = Operand("float64", (8,))
    kernel = Kernel(1, (f, f), tuple(Step(ufunc, (number, number + 1), "float64") for number, ufunc in enumerate(steps)), (len(steps) + 1,))
    assert re.search(r"maxpd\s", machine_code(kernel))


def test_addresses():
    """Elements that lie behind each other are addressed in the form that LLVM knows, and what is stretched is not moved at all."""
    add, f = Step("add", (0, 1), "float64"), Operand("float64", (8,))
    assert not re.search(r" mul |getelementptr i8", str(define(Kernel(1, (f, f), (add,), (2,)))))
    text = str(define(Kernel(2, (Operand("float64", (None, 8)), Operand("float64", (0, 8))), (add,), (2,))))
    assert text.count(" asm ") == 1
    assert "getelementptr i8" not in text.split(" asm ")[1].split("getelementptr i8", 1)[1]


def test_constants():
    i64, i32 = ir.IntType(64), ir.IntType(32)
    assert i64(8) == i64(8)
    assert hash(i64(8)) == hash(i64(8))
    assert i64(8) != i32(8)
    assert i64(8) != i64(0)


def test_the_widest_vectors(monkeypatch):
    f = Operand("float64", (8,))
    kernel = Kernel(1, (f, f), (Step("add", (0, 1), "float64"),), (2,))
    has_them = llvm.get_host_cpu_features().get("avx512vl", False) and vectors._processor() not in vectors._SLOWED_DOWN
    assert ("zmm" in machine_code(kernel)) == has_them
    monkeypatch.setattr(vectors, "_processor", lambda: "skylake-avx512")
    assert "prefer-vector-width" not in str(define(kernel))


def strided(ufunc: str, dtype: str = "float64") -> Kernel:
    """Two operands of which nothing is known but that they are arrays."""
    f = Operand(dtype, (None,))
    return Kernel(1, (f, f), (Step(ufunc, (0, 1), dtype), Step("multiply", (2, 2), dtype)), (3,))


@pytest.mark.parametrize("ufunc", ["add", "maximum"])
def test_elements_that_turn_out_to_lie_behind_each_other(ufunc):
    text = machine_code(strided(ufunc))
    assert re.search(r"mov(up|dqu)\w*\s+-?\w*\(", text)  # read as a vector
    assert re.search(r"mulpd\s", text)


@pytest.mark.parametrize(
    ("ufunc", "dtype", "collected"),
    [("add", "float64", False), ("divide", "float64", True), ("remainder", "int32", True), ("remainder", "int16", False)],
)
def test_elements_that_lie_apart_are_collected_where_it_pays(ufunc, dtype, collected):
    assert vectors.collects(strided(ufunc, dtype)) == collected
    assert not vectors.collects(replace(strided(ufunc, dtype), outputs=(), store=Store(3, (None,))))  # LLVM does not scatter them
    text = machine_code(strided(ufunc, dtype))
    assert str(define(strided(ufunc, dtype))).count("llvm.loop.vectorize.enable") == 1
    assert not (re.search(r"gather", text) and not collected)


def interleaved(kernel: Kernel) -> bool:
    return "llvm.loop.interleave.count" not in str(define(kernel))


def test_rounds_are_not_done_beside_each_other_where_that_only_takes_time():
    """In the loops between NumPy's, and in long ones on complex numbers: a third of what LLVM takes for them."""
    f, z, m = Operand("float64", (8,)), Operand("complex128", (16,)), Operand("bool", (1,))
    assert interleaved(Kernel(1, (f, f), (Step("add", (0, 1), "float64"),), (2,)))
    assert not interleaved(Kernel(1, (f, f), (Step("add", (0, 1), "float64"), Step("exp", (2,), "float64")), (3,)))
    square, moved = Step("multiply", (1, 1), "complex128"), Step("add", (3, 2), "complex128")
    assert interleaved(Kernel(1, (m, z, z), (square, moved), (4,)))
    assert not interleaved(Kernel(1, (m, z, z), (square, moved, Step("where", (0, 4, 1), "complex128"), Step("add", (5, 2), "complex128")), (6,)))
