"""What a module of LLVM IR is made of: constants, globals, functions, blocks, instructions and nodes of metadata, each with its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .types import INT, METADATA, POINTER, VOID, FunctionType, Type, Value


class MetaDataString(Value):
    """A name in a node."""

    __slots__ = ()

    def __init__(self, module: Module, text: str) -> None:
        super().__init__(METADATA, f'!"{text}"')


class MDValue(Value):
    """A node of metadata: a row of others."""

    __slots__ = ("operands",)

    def __init__(self, number: int, operands: Iterable[Value]) -> None:
        super().__init__(METADATA, f"!{number}")
        self.operands = tuple(operands)

    def __str__(self) -> str:
        return f"{self.ref} = !{{ {', '.join(o.ref if o.type is METADATA else o.typed for o in self.operands)} }}"


class Argument(Value):
    """What a function is given, with what it promises about it."""

    __slots__ = ("attributes",)

    def __init__(self, type: Type, ref: str) -> None:
        super().__init__(type, ref)
        self.attributes: list[str] = []

    def add_attribute(self, attribute: str) -> None:
        self.attributes.append(attribute)

    def __str__(self) -> str:
        return " ".join((self.type.text, *self.attributes, self.ref))

    @property
    def name(self) -> str:
        return self.ref[1:].strip('"')

    @name.setter
    def name(self, name: str) -> None:
        self.ref = f'%"{name}"'


class _Global(Value):
    """What the module has a name for."""

    __slots__ = ("linkage", "module", "name")

    def __init__(self, module: Module, name: str) -> None:
        super().__init__(POINTER, f'@"{name}"')
        self.module, self.name, self.linkage = module, name, ""
        if name in module.globals:
            raise ValueError(f"{name} is there already")
        module.globals[name] = self

    def ptrtoint(self, type: Type) -> Value:
        """Its address as a constant."""
        return Value(type, f"ptrtoint ({self.typed} to {type})")


class GlobalVariable(_Global):
    """Memory that the module brings along, or that is elsewhere."""

    __slots__ = ("initializer", "value_type")

    def __init__(self, module: Module, value_type: Type, name: str) -> None:
        super().__init__(module, name)
        self.value_type = value_type
        self.initializer: Value | None = None

    def __str__(self) -> str:
        linkage = self.linkage or ("" if self.initializer is not None else "external")
        held = "" if self.initializer is None else self.initializer.ref
        return " ".join(filter(None, (self.ref, "=", linkage, "global", self.value_type.text, held)))


class Function(_Global):
    """``attributes``: a set of texts. Without blocks it is declared only."""

    __slots__ = ("args", "attributes", "blocks", "counter", "function_type")

    def __init__(self, module: Module, function_type: FunctionType, name: str) -> None:
        super().__init__(module, name)
        self.function_type = function_type
        self.args = tuple(Argument(type, f"%a{i}") for i, type in enumerate(function_type.args))
        self.attributes: set[str] = set()
        self.blocks: list[Block] = []
        self.counter = 0

    def append_basic_block(self, name: str = "") -> Block:
        self.counter += 1
        block = Block(self, f"{name or 'block'}.{self.counter}")
        self.blocks.append(block)
        return block

    def __str__(self) -> str:
        attributes = "".join(f" {attribute}" for attribute in sorted(self.attributes))
        returned = self.function_type.return_type
        if not self.blocks:
            return f"declare {returned} {self.ref}({', '.join(map(str, self.function_type.args))}){attributes}"
        linkage = f"{self.linkage} " if self.linkage else ""
        head = f"define {linkage}{returned} {self.ref}({', '.join(map(str, self.args))}){attributes}"
        return "\n".join([head, "{", *(line for block in self.blocks for line in block.lines()), "}"])


class Block:
    """A basic block: its instructions, and lines of comment among them."""

    __slots__ = ("function", "instructions", "name", "ref", "terminator")

    def __init__(self, function: Function, name: str) -> None:
        self.function, self.name, self.ref = function, name, f"label %{name}"
        self.instructions: list[Any] = []
        self.terminator: Instruction | None = None

    @property
    def is_terminated(self) -> bool:
        return self.terminator is not None

    def lines(self) -> Iterator[str]:
        yield f"{self.name}:"
        yield from map(str, self.instructions)


class Instruction(Value):
    """``rest``: its text behind the name of the operation and its flags."""

    __slots__ = ("block", "flags", "metadata", "opname", "rest")

    def __init__(self, type: Type, ref: str, opname: str, rest: str, flags: Sequence[str], block: Block) -> None:
        self.type, self.ref = type, ref
        self.opname, self.rest, self.flags, self.block = opname, rest, flags, block
        self.metadata = ""

    @property
    def module(self) -> Module:
        return self.block.function.module

    def set_metadata(self, name: str, node: MDValue) -> None:
        self.metadata += f", !{name} {node.ref}"

    def set_weights(self, weights: Sequence[int]) -> None:
        """How often a branch goes each way."""
        names = MetaDataString(self.module, "branch_weights")
        self.set_metadata("prof", self.module.add_metadata([names, *(INT(weight) for weight in weights)]))

    def __str__(self) -> str:
        flags = "".join(f" {flag}" for flag in self.flags)
        return f"  {self.ref}{' = ' if self.ref else ''}{self.opname}{flags}{self.rest}{self.metadata}"


class Allocation(Instruction):
    """Memory of the stack."""

    __slots__ = ("align", "allocated_type")

    def __init__(self, type: Type, ref: str, block: Block) -> None:
        super().__init__(POINTER, ref, "alloca", f" {type.text}", (), block)
        self.allocated_type = type
        self.align: int | None = None

    def __str__(self) -> str:
        return f"{super().__str__()}{f', align {self.align}' if self.align else ''}"


class Phi(Instruction):
    """The value of the edge that was taken."""

    __slots__ = ("incomings",)

    def __init__(self, type: Type, ref: str, block: Block) -> None:
        super().__init__(type, ref, "phi", "", (), block)
        self.incomings: list[str] = []

    def add_incoming(self, value: Value, block: Block) -> None:
        self.incomings.append(f"[{value.ref}, %{block.name}]")

    def __str__(self) -> str:
        return f"  {self.ref} = phi {self.type} {', '.join(self.incomings)}{self.metadata}"


class Switch(Instruction):
    """Branches by the value of an integer."""

    __slots__ = ("cases",)

    def __init__(self, value: Value, other: Block, block: Block) -> None:
        super().__init__(VOID, "", "switch", f" {value.typed}, {other.ref}", (), block)
        self.cases: list[str] = []

    def add_case(self, value: Any, block: Block) -> None:
        self.cases.append(f"{value.typed}, {block.ref}")

    def __str__(self) -> str:
        return f"{super().__str__()} [{' '.join(self.cases)}]"


class Module:
    """``globals``: functions and variables by name."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.globals: dict[str, Any] = {}
        self.metadata: list[MDValue] = []
        self._nodes: dict[tuple[str, ...], MDValue] = {}

    def add_metadata(self, operands: Iterable[Value]) -> MDValue:
        """The node of these operands; the same ones give the same."""
        operands = tuple(operands)
        key = tuple(operand.ref if operand.type is METADATA else operand.typed for operand in operands)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = MDValue(len(self.metadata), operands)
            self.metadata.append(node)
        return node

    def get_unique_name(self, name: str) -> str:
        number = len(self.globals)
        while f"{name}.{number}" in self.globals:
            number += 1
        return f"{name}.{number}"

    def declare_intrinsic(self, name: str, types: Sequence[Type], function_type: FunctionType | None = None) -> Function:
        """``name`` overloaded on the types; without a type it takes and gives one value of the first of them."""
        full = ".".join((name, *(type.short for type in types)))
        return self.globals.get(full) or Function(self, function_type or FunctionType(types[0], types[:1]), full)

    def __str__(self) -> str:
        return "\n".join([f'; ModuleID = "{self.name}"', *map(str, self.globals.values()), *map(str, self.metadata)]) + "\n"
