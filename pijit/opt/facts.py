"""What is known of ints at a place of the graph: ranges of values, and bounds on differences of two values."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.graph import Const, Op, Value
from ..ir.types import INT

MIN, MAX = -(2**63), 2**63 - 1
LENGTH = (0, 2**62 - 1)  # of anything in memory
FULL = (MIN, MAX)

Range = tuple[int, int]


def owner(array: Value) -> Value:
    """The array that a view is a view of."""
    while isinstance(array.op, Op) and array.op.name == "view":
        array = array.op.args[0]
    return array


def split(value: Value) -> tuple[Value, int]:
    """The value as another one plus a constant. Exact: sums that would overflow have left by an exit."""
    offset = 0
    while isinstance(value.op, Op) and not isinstance(value, Const):
        op = value.op
        if op.name in ("int_add", "raw_add") and isinstance(op.args[1], Const):
            value, offset = op.args[0], offset + op.args[1].value
        elif op.name in ("int_add", "raw_add") and isinstance(op.args[0], Const):
            value, offset = op.args[1], offset + op.args[0].value
        elif op.name in ("int_sub", "raw_sub") and isinstance(op.args[1], Const):
            value, offset = op.args[0], offset - op.args[1].value
        else:
            break
    return value, offset


def split_chosen(value: Value) -> tuple[Value, int]:
    """The same for a value that a select chooses: where it does, what wraps round elsewhere is exact."""
    op = value.op
    if isinstance(value, Const) or not isinstance(op, Op) or op.name not in _WRAPPING or not isinstance(op.args[1], Const):
        return split(value)
    root, offset = split_chosen(op.args[0])
    return root, offset + _WRAPPING[op.name] * op.args[1].value


_WRAPPING = {"wrap_add": 1, "wrap_sub": -1}


class Facts:
    """``ranges``: inclusive. ``less``: a: {b: k} says a - b <= k. ``truths``: bools that are known."""

    def __init__(self) -> None:
        self.ranges: dict[Value, Range] = {}
        self.less: dict[Value, dict[Value, int]] = {}
        self.truths: dict[Value, bool] = {}

    def copy(self) -> Facts:
        """For a block below."""
        new = Facts()
        new.ranges = dict(self.ranges)
        new.less = {a: dict(bounds) for a, bounds in self.less.items()}
        new.truths = dict(self.truths)
        return new

    def range(self, value: Value) -> Range:
        """Between what the value lies."""
        if isinstance(value, Const):
            return (value.value, value.value) if value.type == INT else FULL
        root, offset = split(value)
        low, high = self.ranges.get(value, FULL)
        if offset and not isinstance(root, Const):
            first, last = self.ranges.get(root, FULL)
            low, high = max(low, first + offset), min(high, last + offset)
        return low, high

    def estimate(self, value: Value) -> Range:
        """The same for a value of a block that has not been looked at: a remainder is in range whatever it is the remainder of."""
        low, high = self.range(value)
        if isinstance(value.op, Op) and value.op.name in TRANSFER and not isinstance(value, Const):
            first, last = TRANSFER[value.op.name](*map(self.range, value.op.args))
            low, high = max(low, first), min(high, last)
        return low, high

    def narrow(self, value: Value, low: int = MIN, high: int = MAX) -> None:
        """The value, and what it is a sum of, lies between low and high."""
        if isinstance(value, Const):
            return
        root, offset = split(value)
        for part, shift in ((value, 0), (root, offset)):
            if not isinstance(part, Const):
                first, last = self.ranges.get(part, FULL)
                self.ranges[part] = max(first, low - shift), min(last, high - shift)

    def at_most(self, a: Value, b: Value, k: int) -> None:
        """a - b <= k."""
        self.narrow(a, high=self.range(b)[1] + k)
        self.narrow(b, low=self.range(a)[0] - k)
        (left, i), (right, j) = split(a), split(b)
        if not isinstance(left, Const) and not isinstance(right, Const):
            bounds = self.less.setdefault(left, {})
            bounds[right] = min(bounds.get(right, MAX), k - i + j)

    def is_at_most(self, a: Value, b: Value, k: int) -> bool:
        """Whether a - b <= k is known."""
        if self.range(a)[1] - self.range(b)[0] <= k:
            return True
        (left, i), (right, j) = split(a), split(b)
        bound = self._bound(left, right, 3)
        return bound is not None and bound + i - j <= k

    def _bound(self, a: Value, b: Value, hops: int) -> int | None:
        if a is b:
            return 0
        if hops == 0:
            return None
        found: int | None = None
        for middle, k in self.less.get(a, {}).items():
            rest = self._bound(middle, b, hops - 1)
            if rest is not None and (found is None or k + rest < found):
                found = k + rest
        return found

    def _chosen(self, condition: Value, yes: Value, no: Value) -> Range:
        """Between what the result of a select lies: each of the two is chosen only where the condition says so."""
        found = []
        for value, holds in ((yes, True), (no, False)):
            there = Facts()
            there.ranges = dict(self.ranges)
            there.assume(condition, holds)
            found.append(there.range(value))
        return min(low for low, _ in found), max(high for _, high in found)

    def assume(self, condition: Value, holds: bool) -> None:
        """The bool is known to be true or false."""
        op = condition.op
        if not isinstance(condition, Const):
            self.truths[condition] = holds
        if not isinstance(op, Op):
            return
        if op.name == "not":
            self.assume(op.args[0], not holds)
        elif op.name == "select" and holds and isinstance(op.args[2], Const) and not op.args[2].value:  # both of two
            self.assume(op.args[0], True)
            self.assume(op.args[1], True)
        elif op.name == "cmp" and op.args[0].type == INT:
            a, b = op.args
            for left, right, k in _MEANING[op.attrs["symbol"], holds](a, b):
                self.at_most(left, right, k)

    def decide(self, symbol: str, a: Value, b: Value) -> bool | None:
        """The outcome of a comparison of ints, if it is known."""
        for holds in (True, False):
            bounds = _MEANING[symbol, holds](a, b)
            if bounds and all(self.is_at_most(*bound) for bound in bounds):
                return holds
        return None

    def defined(self, op: Op) -> None:
        """What follows from an operation having been done."""
        transfer = TRANSFER.get(op.name)
        if transfer and op.results[0].type == INT:
            low, high = transfer(*map(self.range, op.args))
            self.narrow(op.results[0], max(low, MIN), min(high, MAX))
        if op.name == "select" and op.result.type == INT:
            self.narrow(op.result, *self._chosen(*op.args))
        elif op.name == "check_index":
            index, length = op.args
            self.narrow(length, low=1)
            self.narrow(index, low=-self.range(length)[1])
            for value in (op.result, index):
                self.at_most(value, length, -1)
        elif op.name == "int_mod" and self.range(op.args[1])[0] > 0:
            self.at_most(op.result, op.args[1], -1)
        elif op.name == "raw_min":
            for arg in op.args:
                self.at_most(op.result, arg, 0)
                root, offset = split(arg)
                for other, k in [*self.less.get(root, {}).items()]:  # else a chain of them would be too long to follow
                    self.at_most(op.result, other, k + offset)
        elif op.name == "raw_max":
            for arg in op.args:
                self.at_most(arg, op.result, 0)
        elif op.name == "check":
            self.assume(op.args[0], True)
        elif op.name == "slice_bounds":
            self.narrow(op.results[0], -1, LENGTH[1])
            self.narrow(op.results[1], *LENGTH)


Bounds = list[tuple[Value, Value, int]]


def _less(a: Value, b: Value) -> Bounds:
    return [(a, b, -1)]


def _less_equal(a: Value, b: Value) -> Bounds:
    return [(a, b, 0)]


def _greater(a: Value, b: Value) -> Bounds:
    return [(b, a, -1)]


def _greater_equal(a: Value, b: Value) -> Bounds:
    return [(b, a, 0)]


def _equal(a: Value, b: Value) -> Bounds:
    return [(a, b, 0), (b, a, 0)]


def _nothing(a: Value, b: Value) -> Bounds:
    return []


_MEANING: dict[tuple[str, bool], Callable[[Value, Value], Bounds]] = {
    ("<", True): _less, ("<", False): _greater_equal,
    ("<=", True): _less_equal, ("<=", False): _greater,
    (">", True): _greater, (">", False): _less_equal,
    (">=", True): _greater_equal, (">=", False): _less,
    ("==", True): _equal, ("==", False): _nothing,
    ("!=", True): _nothing, ("!=", False): _equal,
}  # fmt: skip


# ---- ranges of results -------------------------------------------------------------------------------------------------


def _add(a: Range, b: Range) -> Range:
    return a[0] + b[0], a[1] + b[1]


def _sub(a: Range, b: Range) -> Range:
    return a[0] - b[1], a[1] - b[0]


def _mul(a: Range, b: Range) -> Range:
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _neg(a: Range) -> Range:
    return -a[1], -a[0]


def _abs(a: Range) -> Range:
    return (0 if a[0] <= 0 <= a[1] else min(map(abs, a))), max(map(abs, a))


def _and(a: Range, b: Range) -> Range:
    highs = [x[1] for x in (a, b) if x[0] >= 0]
    return (0, min(highs)) if highs else FULL


def _mod(a: Range, b: Range) -> Range:
    return (0, b[1] - 1) if b[0] > 0 else FULL


def _floordiv(a: Range, b: Range) -> Range:
    return (min(a[0], 0), max(a[1], 0)) if b[0] > 0 else FULL


def _rshift(a: Range, b: Range) -> Range:
    return min(a[0], 0), max(a[1], 0)


TRANSFER: dict[str, Callable[..., Range]] = {
    "int_add": _add,
    "raw_add": _add,
    "int_sub": _sub,
    "raw_sub": _sub,
    "int_mul": _mul,
    "raw_mul": _mul,
    "int_neg": _neg,
    "int_abs": _abs,
    "int_and": _and,
    "int_mod": _mod,
    "int_floordiv": _floordiv,
    "int_rshift": _rshift,
    "raw_mod": _mod,
    "raw_floordiv": _floordiv,
    "raw_rshift": _rshift,
    "raw_min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "raw_max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "select": lambda c, a, b: (min(a[0], b[0]), max(a[1], b[1])),
    "bool_to_int": lambda a: (0, 1),
    "dim": lambda a: LENGTH,
    "obj_len": lambda a: LENGTH,
    "set_len": lambda a: LENGTH,
    "check_index": lambda i, n: (0, max(n[1] - 1, 0)),
}
