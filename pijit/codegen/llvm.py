"""LLVM types of graph values, memory tags, and the few shapes of code that every lowering uses."""

from __future__ import annotations

from typing import Any

from ..ir.types import BOOL, COMPLEX, FLOAT, INT, Np, Type, is_owned
from . import llvm_ir as ir

I1, I8, I32, I64 = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)
F32, F64 = ir.FloatType(), ir.DoubleType()
PTR = ir.PointerType()
C64, C128 = ir.LiteralStructType([F32, F32]), ir.LiteralStructType([F64, F64])

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1

# What a NumPy scalar is in a register. bool is one bit there and one byte in memory.
DTYPES: dict[str, Any] = {
    "bool": I1,
    "int8": I8, "int16": ir.IntType(16), "int32": I32, "int64": I64,
    "uint8": I8, "uint16": ir.IntType(16), "uint32": I32, "uint64": I64,
    "float32": F32, "float64": F64, "complex64": C64, "complex128": C128,
}  # fmt: skip
_KINDS: dict[Type, str] = {INT: "i", FLOAT: "f", BOOL: "b", COMPLEX: "c"}
_SCALARS: dict[Type, Any] = {INT: I64, FLOAT: F64, BOOL: I1, COMPLEX: C128}


def llvm_type(type: Type) -> Any:
    """What a value of the type is in a register; a pointer for arrays and objects."""
    if isinstance(type, Np):
        return DTYPES[type.name]
    return PTR if is_owned(type) else _SCALARS[type]


def kind(type: Type) -> str:
    """ "b", "i", "u", "f" or "c", as NumPy's dtype.kind."""
    return type.dtype.kind if isinstance(type, Np) else _KINDS[type]


def constant(type: Type, value: Any) -> ir.Value:
    """The LLVM constant of a scalar."""
    target = llvm_type(type)
    if kind(type) == "c":
        part = target.elements[0]
        return ir.Constant(target, [ir.Constant(part, float(value.real)), ir.Constant(part, float(value.imag))])
    return ir.Constant(target, float(value) if kind(type) == "f" else int(value))


def i64(value: int) -> ir.Value:
    """A word."""
    return ir.Constant(I64, int(value))


_MEMORY = ("words", "fields", "data", "kept")


class Tags:
    """Alias metadata: the frame's words, the fields of array objects, array data, and what is kept to be put back never overlap, nor do regions of
    array data."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        root = module.add_metadata([ir.MetaDataString(module, "pijit")])
        self.words, self.fields, self.data, self.kept = (self._tag(self._type(root, name)) for name in _MEMORY)
        self._data = self.data.operands[0]
        self._regions: dict[object, Any] = {}

    def region(self, key: object) -> Any:
        """Data of one of the sets of arrays that have no memory in common, whatever lives where in each."""
        if key not in self._regions:
            self._regions[key] = self._tag(self._type(self._data, f"region {len(self._regions)}"))
        return self._regions[key]

    def _type(self, parent: Any, name: str) -> Any:
        return self._module.add_metadata([ir.MetaDataString(self._module, name), parent, i64(0)])

    def _tag(self, type: Any) -> Any:
        return self._module.add_metadata([type, type, i64(0)])


def parts(builder: ir.IRBuilder, value: Any) -> tuple[Any, Any]:
    """Real and imaginary part."""
    return builder.extract_value(value, 0), builder.extract_value(value, 1)


def make_complex(builder: ir.IRBuilder, real: Any, imag: Any) -> Any:
    """A complex number of its parts."""
    type = C64 if real.type == F32 else C128
    return builder.insert_value(builder.insert_value(ir.Constant(type, ir.Undefined), real, 0), imag, 1)


def call(builder: ir.IRBuilder, name: str, result: Any, *args: Any) -> Any:
    """Calls the helper of that name (a symbol)."""
    module = builder.module
    function = module.globals.get(name)
    if function is None:
        function = ir.Function(module, ir.FunctionType(result, [a.type for a in args]), name)
        function.attributes.add("nounwind")
    return builder.call(function, args)


def intrinsic(builder: ir.IRBuilder, name: str, *args: Any) -> Any:
    """Calls ``llvm.<name>``, overloaded on the type of the first argument."""
    type = args[0].type
    function = builder.module.declare_intrinsic(f"llvm.{name}", [type], ir.FunctionType(type, [a.type for a in args]))
    return builder.call(function, args)


def is_nan(builder: ir.IRBuilder, value: Any) -> Any:
    """Whether a float is NaN."""
    return builder.fcmp_unordered("uno", value, value)


def is_finite(builder: ir.IRBuilder, value: Any) -> Any:
    """Whether a float is neither NaN nor infinite."""
    return builder.fcmp_ordered("<", intrinsic(builder, "fabs", value), ir.Constant(value.type, float("inf")))
