"""How each opcode becomes normalised steps: one row per opcode, whatever versions it exists on."""

from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from pijit.pycode.versions import BINARY, COMPARISONS, HERE, INTRINSICS_1, INTRINSICS_2


class Micro(NamedTuple):
    """One normalised step."""

    name: str
    arg: Any = None


class Operand(NamedTuple):
    """What a row may look at: an opcode with everything that its argument may mean."""

    code: CodeType
    opname: str
    arg: int
    target: int | None
    kwnames: tuple[str, ...]


Steps = tuple[Micro, ...]
Row = Callable[[Operand], Steps]


def _plain(o: Operand) -> Steps:
    return (Micro(o.opname, o.arg),)


def _bare(name: str, arg: Any = None) -> Row:
    """A row that does not look at its operand."""
    steps = (Micro(name, arg),)
    return lambda o: steps


def _each(*names: str) -> Row:
    """Two steps with one slot each, packed into one argument as four bits each (3.13's super-instructions)."""
    return lambda o: (Micro(names[0], o.arg >> 4), Micro(names[1], o.arg & 15))


def _name(name: str, shift: int = 0) -> Row:
    return lambda o: (Micro(name, o.code.co_names[o.arg >> shift]),)


def _slot(name: str) -> Row:
    return lambda o: (Micro(name, o.arg),)


def _jump(name: str, cond: str | None = None) -> Row:
    return lambda o: (Micro(name, o.target if cond is None else (cond, o.target)),)


def _load_global(o: Operand) -> Steps:
    load, null = Micro("LOAD_GLOBAL", o.code.co_names[o.arg >> 1]), Micro("PUSH_NULL")
    if not o.arg & 1:
        return (load,)
    return (null, load) if HERE.call_order == "null_first" else (load, null)


def _load_attr(o: Operand) -> Steps:
    method = HERE.name_shift and o.arg & 1
    return (Micro("LOAD_METHOD" if method else "LOAD_ATTR", o.code.co_names[o.arg >> HERE.name_shift]),)


def _load_super_attr(o: Operand) -> Steps:
    return (Micro("LOAD_SUPER_ATTR", (o.code.co_names[o.arg >> 2], bool(o.arg & 1), bool(o.arg & 2))),)


def _compare(o: Operand) -> Steps:
    step = Micro("COMPARE_OP", COMPARISONS[o.arg >> HERE.compare_shift])
    return (step, Micro("TO_BOOL")) if o.arg & HERE.compare_bool else (step,)


def _make_function(o: Operand) -> Steps:
    """Up to 3.12 one opcode sets the attributes too, the last pushed first; 3.13 does each with its own."""
    attributes = (Micro("SET_FUNCTION_ATTRIBUTE", bit) for bit in (8, 4, 2, 1) if o.arg & bit)
    return (Micro("MAKE_FUNCTION", 0), *attributes)


def _format_value(o: Operand) -> Steps:
    """Up to 3.12 one opcode converts and formats. A format spec lies above the value that is converted."""
    convert = (Micro("CONVERT_VALUE", o.arg & 3),) if o.arg & 3 else ()
    if not o.arg & 4:
        return (*convert, Micro("FORMAT_SIMPLE"))
    swap = (Micro("SWAP", 2),) if convert else ()
    return (*swap, *convert, *swap, Micro("FORMAT_WITH_SPEC"))


_INTRINSIC_STEPS = {
    "INTRINSIC_UNARY_POSITIVE": Micro("UNARY_OP", "+"),
    "INTRINSIC_LIST_TO_TUPLE": Micro("LIST_TO_TUPLE"),
    "INTRINSIC_ASYNC_GEN_WRAP": Micro("ASYNC_GEN_WRAP"),
    "INTRINSIC_PREP_RERAISE_STAR": Micro("PREP_RERAISE_STAR"),
}


def _intrinsic(names: list[str]) -> Row:
    """Intrinsics that 3.11 has as opcodes get those names."""
    return lambda o: (_INTRINSIC_STEPS.get(names[o.arg], Micro(o.opname, names[o.arg])),)


_NO_ARGUMENT = """POP_TOP PUSH_NULL NOP BINARY_SUBSCR STORE_SUBSCR DELETE_SUBSCR GET_ITER RETURN_VALUE TO_BOOL
    LOAD_ASSERTION_ERROR FORMAT_SIMPLE FORMAT_WITH_SPEC PUSH_EXC_INFO POP_EXCEPT CHECK_EXC_MATCH CHECK_EG_MATCH
    WITH_EXCEPT_START BEFORE_WITH BEFORE_ASYNC_WITH END_FOR END_SEND END_ASYNC_FOR GET_AITER GET_ANEXT CLEANUP_THROW
    GET_YIELD_FROM_ITER GET_LEN MATCH_MAPPING MATCH_SEQUENCE MATCH_KEYS LOAD_BUILD_CLASS LOAD_LOCALS LIST_TO_TUPLE
    ASYNC_GEN_WRAP PREP_RERAISE_STAR IMPORT_STAR PRINT_EXPR SETUP_ANNOTATIONS RETURN_GENERATOR"""
_NAMED = """LOAD_NAME STORE_NAME DELETE_NAME STORE_GLOBAL DELETE_GLOBAL STORE_ATTR DELETE_ATTR IMPORT_NAME IMPORT_FROM
    LOAD_METHOD LOAD_FROM_DICT_OR_GLOBALS"""
_CONDITIONS = {"TRUE": "true", "FALSE": "false", "NONE": "none", "NOT_NONE": "not_none"}

ROWS: dict[str, Row] = {
    **{name: _bare(name) for name in _NO_ARGUMENT.split()},
    **{name: _name(name) for name in _NAMED.split()},
    **{
        f"POP_JUMP{way}_IF_{name}": _jump("POP_JUMP", condition)
        for name, condition in _CONDITIONS.items()
        for way in ("", "_FORWARD", "_BACKWARD")
    },
    **{f"JUMP_IF_{c}_OR_POP": _jump("JUMP_IF_OR_POP", _CONDITIONS[c]) for c in ("TRUE", "FALSE")},
    "JUMP_FORWARD": _jump("JUMP"),
    "JUMP_BACKWARD_NO_INTERRUPT": _jump("JUMP"),  # it polls nothing, so it is no place for a loop to be interrupted
    "JUMP_BACKWARD": _jump("JUMP_BACKWARD"),
    "FOR_ITER": _jump("FOR_ITER"),
    "SEND": _jump("SEND"),
    "RESUME": _bare("NOP"),
    "COPY_FREE_VARS": _bare("NOP"),  # frames that pijit sees have made their cells
    "LOAD_FAST": _slot(HERE.load_fast),
    "LOAD_CONST": lambda o: (Micro("LOAD_CONST", o.code.co_consts[o.arg]),),
    "RETURN_CONST": lambda o: (Micro("LOAD_CONST", o.code.co_consts[o.arg]), Micro("RETURN_VALUE")),
    "LOAD_FAST_LOAD_FAST": _each("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": _each("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": _each("STORE_FAST", "STORE_FAST"),
    "LOAD_GLOBAL": _load_global,
    "LOAD_ATTR": _load_attr,
    "LOAD_SUPER_ATTR": _load_super_attr,
    "BINARY_OP": lambda o: (Micro("BINARY_OP", BINARY[o.arg]),),
    "UNARY_POSITIVE": _bare("UNARY_OP", "+"),
    "UNARY_NEGATIVE": _bare("UNARY_OP", "-"),
    "UNARY_INVERT": _bare("UNARY_OP", "~"),
    "UNARY_NOT": _bare("UNARY_OP", "not"),
    "COMPARE_OP": _compare,
    "IS_OP": lambda o: (Micro("IS_OP", bool(o.arg)),),
    "CONTAINS_OP": lambda o: (Micro("CONTAINS_OP", bool(o.arg)),),
    # 3.12 added these for what 3.11 does in two opcodes; nothing can tell the difference
    "BINARY_SLICE": lambda o: (Micro("BUILD_SLICE", 2), Micro("BINARY_SUBSCR")),
    "STORE_SLICE": lambda o: (Micro("BUILD_SLICE", 2), Micro("STORE_SUBSCR")),
    "CALL": lambda o: (Micro("CALL", (o.arg, o.kwnames)),),
    "MAKE_FUNCTION": _make_function,
    "FORMAT_VALUE": _format_value,
    "CALL_INTRINSIC_1": _intrinsic(INTRINSICS_1),
    "CALL_INTRINSIC_2": _intrinsic(INTRINSICS_2),
}


_CONSTANTS = frozenset({"LOAD_CONST", "RETURN_CONST"})  # of which equal ones may be different: 1, 1.0 and True


def normalise(operand: Operand) -> Steps:
    """The steps of one opcode; one without a row stands for itself, with its argument."""
    steps = ROWS.get(operand.opname, _plain)(operand)
    return steps if operand.opname in _CONSTANTS else _shared(steps)


@lru_cache(maxsize=10_000)
def _shared(steps: Steps) -> Steps:
    """The same object for equal steps: what is decoded is kept for long, and most of it is the same again and again."""
    return steps
