"""LLVM IR as text, made as it is asked for: the part of llvmlite.ir that code generation needs, under its names.

llvmlite's own makes an object for every list of operands and every name, looks each name up twice and writes the text in a second pass: that
was half of what a compilation took. Here a value is its type and how it is referred to, and an instruction its text.
"""

from .builder import IRBuilder
from .types import (
    ArrayType,
    Constant,
    DoubleType,
    FloatType,
    FunctionType,
    IntType,
    LiteralStructType,
    MetaDataType,
    PointerType,
    Type,
    Undefined,
    Value,
    VectorType,
    VoidType,
)
from .values import Allocation, Block, Function, GlobalVariable, Instruction, MetaDataString, Module

__all__ = [
    "Allocation",
    "ArrayType", "Block", "Constant", "DoubleType", "FloatType", "Function", "FunctionType", "GlobalVariable", "IRBuilder", "Instruction", "IntType",
    "LiteralStructType", "MetaDataString", "MetaDataType", "Module", "PointerType", "Type", "Undefined", "Value", "VectorType", "VoidType",
]  # fmt: skip
