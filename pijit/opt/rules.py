"""Laws that hold exactly. A rule gets an operation and what is known, and gives the value that its result equals, the same operation
in a cheaper form, or None."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.evaluate import Taken
from ..ir.graph import Const, Op, Value, const
from ..ir.ops import OPS
from ..ir.run import EVALUATORS
from ..ir.types import BOOL, FLOAT, INT, SAME_SCALAR, Array, Np, Obj, Type
from .facts import MAX, MIN, TRANSFER, Facts

Rule = Callable[[Op, Facts], Value | Op | None]


def simpler(op: Op, facts: Facts) -> Value | Op | None:
    """What the first rule that applies gives."""
    for rule in (fold, *RULES.get(op.name, ())):
        found = rule(op, facts)
        if found is not None:
            return found
    return None


def another(op: Op, name: str, *args: Value, type: Type = INT) -> Op:
    """An operation without exits or attributes in the place of this one."""
    return Op(name, args, (type,), {}, {}, op.line)


def is_int(value: Value, number: int) -> bool:
    """Whether the value is this constant int."""
    return isinstance(value, Const) and value.type == INT and value.value == number


# ---- constants ---------------------------------------------------------------------------------------------------------


def fold(op: Op, facts: Facts) -> Value | None:
    """An operation on constants."""
    row = OPS[op.name]
    if row.effect or row.fresh or len(op.results) != 1 or not op.args:
        return None
    values: list[object] = []
    for arg in op.args:
        if not isinstance(arg, Const) or isinstance(arg.type, (Obj, Array)):
            return None
        values.append(arg.value)
    try:
        made = const(EVALUATORS[op.name](op, *values))
    except Taken:
        return None
    return made if made.type == op.result.type else None


# ---- laws --------------------------------------------------------------------------------------------------------------


def _right(number: int) -> Rule:
    """a op number = a"""
    return lambda op, facts: op.args[0] if is_int(op.args[1], number) else None


def _left(number: int) -> Rule:
    """number op a = a"""
    return lambda op, facts: op.args[1] if is_int(op.args[0], number) else None


def mul_zero(op: Op, facts: Facts) -> Value | None:
    """a * 0 = 0"""
    return const(0) if any(is_int(arg, 0) for arg in op.args) else None


def sub_self(op: Op, facts: Facts) -> Value | None:
    """a - a = 0"""
    return const(0) if op.args[0] is op.args[1] else None


def same_arguments(op: Op, facts: Facts) -> Value | None:
    """min(a, a) = a, and likewise"""
    return op.args[0] if op.args[-1] is op.args[-2] and len(op.args) == 2 else None


def raw_min_known(op: Op, facts: Facts) -> Value | None:
    """min(a, b) = a when a <= b"""
    a, b = op.args
    return a if facts.is_at_most(a, b, 0) else b if facts.is_at_most(b, a, 0) else None


def raw_max_known(op: Op, facts: Facts) -> Value | None:
    """max(a, b) = a when a >= b"""
    a, b = op.args
    return b if facts.is_at_most(a, b, 0) else a if facts.is_at_most(b, a, 0) else None


def add_constants(op: Op, facts: Facts) -> Op | None:
    """(a + 1) + 2 = a + 3 on addresses"""
    inner, last = op.args[0].op, op.args[1]
    if (
        not isinstance(last, Const)
        or not isinstance(inner, Op)
        or inner.name != "raw_add"
        or not isinstance(inner.args[1], Const)
    ):
        return None
    return another(op, "raw_add", inner.args[0], const(inner.args[1].value + last.value))


def _float(number: float, place: int = 1) -> Rule:
    """a op number = a, bit for bit"""

    def rule(op: Op, facts: Facts) -> Value | None:
        arg = op.args[place]
        return op.args[1 - place] if isinstance(arg, Const) and repr(arg.value) == repr(number) else None

    return rule


def not_not(op: Op, facts: Facts) -> Value | None:
    """not not a = a"""
    inner = op.args[0].op
    return (
        inner.args[0] if isinstance(inner, Op) and inner.name == "not" and not isinstance(op.args[0], Const) else None
    )


def select_known(op: Op, facts: Facts) -> Value | None:
    """b if True else c = b, and True if a else False = a"""
    condition, yes, no = op.args
    if isinstance(condition, Const):
        return yes if condition.value else no
    if yes is no:
        return yes
    chosen = [arg.value for arg in (yes, no) if isinstance(arg, Const) and arg.type == BOOL]
    return condition if chosen == [True, False] else None


def cmp_known(op: Op, facts: Facts) -> Value | None:
    """A comparison of ints that the ranges decide"""
    if op.args[0].type != INT:
        return None
    outcome = facts.decide(op.attrs["symbol"], *op.args)
    return None if outcome is None else const(outcome)


def cast_nothing(op: Op, facts: Facts) -> Value | None:
    """The cast of a value to its own type"""
    return op.args[0] if op.args[0].type == op.result.type else None


def cast_back(op: Op, facts: Facts) -> Value | None:
    """A Python scalar made a NumPy scalar that holds all of them, and back"""
    inner = op.args[0].op
    if isinstance(op.args[0], Const) or not isinstance(inner, Op) or inner.name != "cast" or inner.args[0].type != op.result.type:
        return None
    return inner.args[0] if op.args[0].type == SAME_SCALAR.get(op.result.type) else None


def np_neutral(op: Op, facts: Facts) -> Value | None:
    """a + 0 = a and a * 1 = a on ints of NumPy"""
    neutral = _NEUTRAL.get(op.attrs["ufunc"])
    if neutral is None or not isinstance(op.result.type, Np) or op.result.type.dtype.kind not in "iu":
        return None
    left, right = op.args
    if isinstance(right, Const) and right.value == neutral:
        return left
    return right if isinstance(left, Const) and left.value == neutral and op.attrs["ufunc"] != "subtract" else None


_NEUTRAL = {"add": 0, "subtract": 0, "multiply": 1}


# ---- exits that cannot be taken --------------------------------------------------------------------------------------------


def no_overflow(op: Op, facts: Facts) -> Op | None:
    """int_add is raw_add when the result cannot leave 64 bits"""
    low, high = TRANSFER[op.name](*map(facts.range, op.args))
    if low < MIN or high > MAX:
        return None
    return another(op, "raw_" + op.name[4:], *op.args)


def neg_no_overflow(op: Op, facts: Facts) -> Op | None:
    """-a = 0 - a when a is not the least int"""
    return another(op, "raw_sub", const(0), op.args[0]) if facts.range(op.args[0])[0] > MIN else None


def abs_nonnegative(op: Op, facts: Facts) -> Value | None:
    """abs(a) = a when a >= 0"""
    return op.args[0] if facts.range(op.args[0])[0] >= 0 else None


def exact_float(op: Op, facts: Facts) -> Op | None:
    """Ints up to 2**53 are floats"""
    low, high = facts.range(op.args[0])
    if low >= -(2**53) and high <= 2**53:
        return another(op, "int_to_float", op.args[0], type=FLOAT)
    return None


def index_inside(op: Op, facts: Facts) -> Value | Op | None:
    """An index that is known to be inside"""
    index, length = op.args
    low, high = facts.range(index)
    if low >= 0 and facts.is_at_most(index, length, -1):
        return index
    if high < 0 and facts.range(length)[0] >= -low:
        return another(op, "raw_add", index, length)
    return None


# ---- arrays ------------------------------------------------------------------------------------------------------------


def dim_of_result(op: Op, facts: Facts) -> Value | None:
    """The dims of a new array are arguments of what made it"""
    made, axis = op.args[0].op, op.attrs["axis"]
    if not isinstance(made, Op) or made.name not in _DIMS_AT:
        return None
    return made.args[_DIMS_AT[made.name](made) + int(axis)]


def stride_of_view(op: Op, facts: Facts) -> Value | None:
    """The strides of a view are arguments of what made it"""
    made, axis = op.args[0].op, op.attrs["axis"]
    if not isinstance(made, Op) or made.name != "view" or op.attrs.get("shown"):
        return None
    type = made.result.type
    assert isinstance(type, Array)
    return made.args[2 + type.ndim + int(axis)]


_DIMS_AT: dict[str, Callable[[Op], int]] = {
    "ew": lambda op: int(op.attrs["n"]),
    "view": lambda op: 2,
    "empty": lambda op: 0,
    "ramp": lambda op: 0,
    "roll": lambda op: 1,
    "accumulate": lambda op: 1,
    "pick": lambda op: 2,
    "join": lambda op: 2 * int(op.attrs["n"]),
    "take": lambda op: 2,
    **dict.fromkeys(("list_ints", "mask_places"), lambda op: 1),
    "search": lambda op: 2,
    "interp": lambda op: 5,
    **dict.fromkeys(("edges", "places", "histogram"), lambda op: len(op.args) - 1),
}

_ADD = (_right(0), _left(0), no_overflow)

RULES: dict[str, tuple[Rule, ...]] = {
    "int_add": _ADD,
    "int_sub": (_right(0), sub_self, no_overflow),
    "int_mul": (_right(1), _left(1), mul_zero, no_overflow),
    "int_neg": (neg_no_overflow,),
    "int_abs": (abs_nonnegative,),
    "int_floordiv": (_right(1),),
    "int_pow": (_right(1),),
    "int_and": (same_arguments,),
    "int_or": (same_arguments, _right(0), _left(0)),
    "int_xor": (_right(0), _left(0), sub_self),
    "int_lshift": (_right(0),),
    "int_rshift": (_right(0),),
    "int_exact_float": (exact_float,),
    "raw_add": (_right(0), _left(0), add_constants),
    "raw_sub": (_right(0), sub_self),
    "raw_mul": (_right(1), _left(1), mul_zero),
    "raw_min": (same_arguments, raw_min_known),
    "raw_max": (same_arguments, raw_max_known),
    "float_add": (_float(-0.0), _float(-0.0, 0)),
    "float_sub": (_float(0.0),),
    "float_mul": (_float(1.0), _float(1.0, 0)),
    "float_div": (_float(1.0),),
    "not": (not_not,),
    "select": (select_known,),
    "cmp": (cmp_known,),
    "cast": (cast_nothing, cast_back),
    "np_op": (np_neutral,),
    "check_index": (index_inside,),
    "dim": (dim_of_result,),
    "stride": (stride_of_view,),
}
