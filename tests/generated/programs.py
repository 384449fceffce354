"""A small grammar of programs within the scope of the project, and arguments for them.

    Program(choose).source, Program(choose).calls

`choose(n)` gives a number below n: from hypothesis in the test suite, from a seeded generator in the long runs. Names tell kinds:
s0, s1... are numbers of any type, v0, v1... one-dimensional arrays, m0, m1... two-dimensional ones. Most programs run to
their end; some raise, and then the exception is the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from choices import Choices

INTS = (0, 1, 2, 3, 5, 7, -1, -2, -7, 10, 255, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 2**63, -(2**64))
FLOATS = (0.0, -0.0, 0.5, 1.0, 1.5, -2.0, 3.0, 1e300, 1e-310, 2.0**53, math.inf, -math.inf, math.nan)
SCALAR_TYPES = (np.float64, np.float32, np.int64, np.int32, np.uint8, np.int8, np.uint64, np.bool_, np.complex128)
ARRAY_TYPES = ("float64", "float64", "float64", "int64", "int64", "float32", "int32", "uint8", "bool", "complex128")
ARITHMETIC = ("+", "-", "*", "+", "-", "*", "/", "//", "%")
POWERS = (
    "({} ** 2)",
    "({} ** 0.5)",
    "({} ** -1)",
    "(2.0 ** {})",
    "({} ** -0.5)",
    "(({} % 7) ** 3)",
    "(2 ** ({} & 63))",
    "({} * {})",
)
BITWISE = ("&", "|", "^", "<<", ">>")
COMPARE = ("<", "<=", "==", "!=", ">", ">=")
ERRORS = ("ZeroDivisionError", "IndexError", "ValueError", "(TypeError, ValueError)", "ArithmeticError", "Exception")
UNARY_UFUNCS = (
    "sqrt",
    "exp",
    "sin",
    "abs",
    "negative",
    "floor",
    "isnan",
    "log",
    "square",
    "sign",
    "logical_not",
    "tanh",
)
BINARY_UFUNCS = (
    "add",
    "multiply",
    "maximum",
    "minimum",
    "hypot",
    "arctan2",
    "less",
    "logical_and",
    "power",
    "fmax",
    "copysign",
)
REDUCTIONS = ("sum", "max", "min", "mean", "prod", "any", "all", "argmax", "std")
MATH = ("sqrt", "sin", "floor", "ceil", "exp", "isnan", "fabs", "log")

HELPERS = (
    "def h0(p, q):\n    return p * 2 + q\n",
    "def h1(p, q):\n    if p < q:\n        return p\n    return q - p\n",
    "def h2(p, q):\n    t = p\n    for k in range(3):\n        t = t + q\n    return t, p\n",
    "def h3(p, q=4):\n    t = p // q\n    return t % 7\n",
    "def h4(p, q):\n    try:\n        return p / q\n    except ZeroDivisionError:\n        return 0\n",
    "def h5(p, *q, r=2):\n    n = 0\n    while n < 2:\n        n += 1\n        p = p + q[0] * r\n    return p\n",
    "def h6(p, q):\n    return h0(q, p) - G0\n",
    "def h8(p, q):\n    t = p\n    for k in range(3):\n        t = t - q * k\n        yield t\n",
    "def h7(p, q):\n    a, b = p, q\n    c = (a, b)\n    d = c\n    return c if c is d else None\n",
)
CONSUMED = (
    "sum(i * {} + {} for i in range(3))",
    "[i + {} for i in range(2) if i < {}].__len__()",
    "any(i > {} for i in range(3)) + {}",
    "all({} != i for i in (1, s1, 3)) * {}",
    "max({} if i % 2 else {} for i in range(1, 4))",
    "sorted({} - i * {} for i in range(3))[0]",
    "(lambda i, j={}: i * j - s0)({})",
    "sum(h8({}, {}))",
    "list(h8({}, {}))[-1]",
    "sum(x * {} for x in h8({}, 2) if x)",
)
CALLS = (
    "h0({}, {})",
    "h1({}, {})",
    "h2({}, {})[0]",
    "h3({}, {})",
    "h3({})",
    "h4({}, {})",
    "h5({}, {})",
    "h6({}, q={})",
    "h7({}, {})[1]",
    "inner({})",
)


class Program(Choices):
    """One program. ``calls``: arguments of the calls to make."""

    prelude = ""

    def __init__(self, choose: Callable[[int], int], size: int = 12) -> None:
        super().__init__(choose)
        self.budget = size
        self.scalars = ["s0", "s1", "s2"]
        self.vectors = ["v0", "v1"]
        self.matrices = ["m0"]
        self.loops = 0
        self.fresh = 0
        body = (
            [f"    {line}" for line in ("inner = lambda z: z + s1", "out = []")[choose(2) ^ 1 :]]
            if choose(3)
            else ["    out = []"]
        )
        self.has_inner = "inner" in body[0]
        if not any("out = []" in line for line in body):
            body.append("    out = []")
        body += self.block(1)
        while self.budget > 0:
            body += self.block(1)
        names = [*self.scalars, *self.vectors, *self.matrices]
        body.append(f"    return out, {', '.join(names[:8])}")
        globals_ = f"G0 = {self.pick((3, 0.5, -1, 2**62))}\nG1 = np.arange(4.0)\n"
        self.source = globals_ + "".join(HELPERS) + "def subject(s0, s1, s2, v0, v1, m0):\n" + "\n".join(body) + "\n"
        first = self.arguments()
        others = [self.arguments(), first] if self.one_in(2) else [first]
        self.calls = [first, first, *others]

    # ---- arguments -------------------------------------------------------------------------------------------------

    def scalar_argument(self) -> Any:
        kind = self.choose(7)
        if kind <= 2:
            return self.pick(INTS[:10]) if self.one_in(2) else self.pick(INTS)
        if kind <= 4:
            return self.pick(FLOATS)
        if kind == 5:
            return bool(self.choose(2))
        return self.pick(SCALAR_TYPES)(self.choose(3))

    def array_argument(self, shape: tuple[int, ...]) -> np.ndarray:
        dtype = self.pick(ARRAY_TYPES)
        n = math.prod(shape)
        array = (np.arange(n) % 5 - (1 if dtype != "uint8" else 0)).astype(dtype).reshape(shape)
        if array.dtype.kind == "f" and n and self.one_in(4):
            array.flat[self.choose(n)] = self.pick((math.nan, math.inf, -0.0, 1e30))
        layout = self.choose(6)
        if layout == 1:
            array = np.asfortranarray(array)
        elif layout == 2:
            array = array[..., ::-1]
        elif layout == 3:
            array = np.repeat(array, 2, axis=-1)[..., ::2]
        elif layout == 4 and self.one_in(3):
            array.flags.writeable = False
        return array

    def arguments(self) -> tuple[Any, ...]:
        n = self.pick((4, 4, 4, 5, 1, 0, 9))
        v0 = self.array_argument((n,))
        choice = self.choose(5)
        v1 = v0 if choice == 0 else v0[::-1] if choice == 1 else self.array_argument((n,))
        m0 = self.array_argument((self.pick((3, 3, n, 1, 2)), n))
        return (self.scalar_argument(), self.scalar_argument(), self.scalar_argument(), v0, v1, m0)

    # ---- expressions -----------------------------------------------------------------------------------------------

    def scalar(self, depth: int = 2) -> str:
        kind = self.choose(16) if depth else self.choose(4)
        if kind <= 2:
            return self.pick(self.scalars)
        if kind == 3:
            return (
                repr(self.pick(INTS[:11]))
                if self.one_in(2)
                else self.pick(("0.5", "1.5", "-0.0", "2**62", "True", "G0", "2.0", "1e308", "7"))
            )
        one = self.scalar(depth - 1)
        if kind <= 7:
            return f"({one} {self.pick(ARITHMETIC)} {self.scalar(depth - 1)})"
        if kind == 8:
            return self.pick(
                (
                    "-{}",
                    "abs({})",
                    "int({})",
                    "float({})",
                    "round({})",
                    "bool({})",
                    "(not {})",
                    "~{}",
                    "np.float64({})",
                    "round({}, 1)",
                    "+{}",
                    "np.int64({})",
                )
            ).format(f"({one})")
        if kind == 9:
            return self.pick(
                ("min({}, {})", "max({}, {})", "divmod({}, {})[0]", "(({}) ** 2 if abs({}) < 99 else 1)", *CONSUMED)
            ).format(one, self.scalar(depth - 1))
        if kind == 10:
            return f"({one} if {self.condition(depth - 1)} else {self.scalar(depth - 1)})"
        if kind == 11:
            vector = self.pick(self.vectors)
            return self.pick(
                (
                    f"{vector}[{self.index()}]",
                    f"{self.pick(self.matrices)}[{self.index()}, {self.index()}]",
                    f"len({vector})",
                    f"{vector}.shape[0]",
                    f"{vector}.size",
                    f"G1[{self.index()}]",
                    f"{self.pick(self.matrices)}.shape[{self.choose(2)}]",
                )
            )
        if kind == 12:
            name = self.pick(REDUCTIONS)
            return self.pick((f"np.{name}({self.vector(1)})", f"{self.pick(self.vectors)}.{name}()"))
        if kind == 13:
            call = self.pick(CALLS)
            if "inner" in call and not self.has_inner:
                call = CALLS[0]
            return call.format(one, self.scalar(depth - 1)) if call.count("{}") == 2 else call.format(one)
        if kind == 14:
            return str(self.pick(POWERS)).format(one, one)
        if self.one_in(2):
            return f"math.{self.pick(MATH)}({one})"
        return self.pick(
            (
                f"({one} & 7)",
                f"({one} >> 1)",
                f"({one} << {self.choose(4)})",
                f"({one} ^ {self.scalar(0)})",
                f"({one} | 1)",
            )
        )

    def condition(self, depth: int = 1) -> str:
        kind = self.choose(8) if depth else self.choose(3)
        a, b = self.scalar(min(depth, 1)), self.scalar(min(depth, 1))
        if kind <= 2:
            return f"{a} {self.pick(COMPARE)} {b}"
        if kind == 3:
            return f"{a} < {b} <= {self.scalar(0)}"
        if kind == 4:
            return f"not {a}"
        if kind == 5:
            return f"({self.condition(depth - 1)} {self.pick(('and', 'or'))} {self.condition(depth - 1)})"
        if kind == 6:
            return a
        return self.pick(
            (
                f"{a} is None",
                f"{self.pick(self.vectors)} is {self.pick(self.vectors)}",
                f"{self.pick(self.vectors)}.any()",
                f"len({self.pick(self.vectors)}) > 2",
            )
        )

    def index(self) -> str:
        kind = self.choose(8)
        if kind <= 4:
            return str(self.pick((0, 1, 2, -1, -2)))
        if kind == 5:
            return self.pick(self.scalars)
        return self.pick(("5", "-9", "int(abs(s0)) % 4", "len(v0) - 1", "s1"))

    def slice(self) -> str:
        return self.pick(("1:", ":-1", "::2", "::-1", "1:3", ":", "s0:", "-2:", "2:2", "7:", ":2", "1:-1", "3:0:-1"))

    def vector(self, depth: int = 2) -> str:
        kind = self.choose(13) if depth else 0
        if kind <= 1:
            return self.pick(self.vectors)
        one = self.vector(depth - 1)
        if kind <= 4:
            return f"({one} {self.pick(ARITHMETIC)} {self.vector(depth - 1)})"
        if kind <= 6:
            a, b = one, self.scalar(depth - 1)
            if self.one_in(2):
                a, b = b, a
            return f"({a} {self.pick(ARITHMETIC)} {b})"
        if kind == 7:
            return f"np.{self.pick(UNARY_UFUNCS)}({one})"
        if kind == 8:
            return f"np.{self.pick(BINARY_UFUNCS)}({one}, {self.pick((self.vector, self.scalar))(depth - 1)})"
        if kind == 9:
            return f"{one}[{self.slice()}]"
        if kind == 10:
            return f"np.where({one} {self.pick(COMPARE)} {self.scalar(0)}, {one}, {self.vector(depth - 1)})"
        if kind == 11:
            matrix = self.pick(self.matrices)
            return self.pick(
                (
                    f"np.roll({one}, {self.pick(('1', '-1', '2', 's0'))})",
                    f"{matrix}[{self.index()}]",
                    f"{matrix}[:, {self.index()}]",
                    f"{matrix}.sum(axis={self.choose(2)})",
                    f"np.cumsum({one})",
                    f"np.concatenate([{one}, {self.vector(depth - 1)}])",
                    f"np.bincount(np.arange(len({one})) % 3, {one})",
                    f"np.hstack(({one}, {self.scalar(0)}))",
                    f"np.stack([{one}, {one}], axis={self.choose(2)})[{self.index()}]",
                )
            )
        return self.pick(
            (
                f"np.zeros(len({one}))",
                f"np.ones_like({one})",
                f"np.arange(len({one}))",
                f"{one}.copy()",
                f"{one}.astype(np.float32)",
                f"np.zeros_like({one})",
                f"np.full({one}.shape, {self.scalar(0)})",
                f"(-{one})",
            )
        )

    def matrix(self, depth: int = 1) -> str:
        one = self.pick(self.matrices)
        return self.pick(
            (
                one,
                f"({one} {self.pick(ARITHMETIC)} {self.scalar(1)})",
                f"({one} {self.pick(ARITHMETIC)} {self.vector(1)})",
                f"({one} {self.pick(ARITHMETIC)} {self.pick(self.matrices)})",
                f"np.roll({one}, 1, axis={self.choose(2)})",
                f"np.concatenate([{one}, {self.pick(self.matrices)} {self.pick(ARITHMETIC)} {self.scalar(0)}], axis={self.choose(2)})",
                f"np.vstack([{self.vector(0)}, {one}])",
                f"{one}.T",
                f"{one}[{self.slice()}, {self.slice()}]",
                f"np.{self.pick(UNARY_UFUNCS)}({one})",
                f"np.zeros_like({one})",
                f"{one}.copy()",
            )
        )

    # ---- statements ------------------------------------------------------------------------------------------------

    def block(self, level: int) -> list[str]:
        lines: list[str] = []
        for _ in range(1 + self.choose(3)):
            lines += self.statement(level)
        return lines

    def bound(self, names: list[str], prefix: str) -> str:
        """A name to assign to: an old one, or at times a new one."""
        if self.one_in(4) and len(names) < 6:
            self.fresh += 1
            return f"{prefix}{len(names)}"
        return str(self.pick(names))

    def statement(self, level: int) -> list[str]:
        self.budget -= 1
        pad = "    " * level
        simple = self.budget <= 0 or level >= 4
        kind = self.choose(16 if simple else 26)
        if kind <= 4:
            target, value = self.bound(self.scalars, "s"), self.scalar()
            self.learn(self.scalars, target, level)
            return [f"{pad}{target} = {value}"]
        if kind <= 6:
            return [f"{pad}{self.pick(self.scalars)} {self.pick(ARITHMETIC)}= {self.scalar(1)}"]
        if kind <= 8:
            target, value = self.bound(self.vectors, "v"), self.vector()
            self.learn(self.vectors, target, level)
            return [f"{pad}{target} = {value}"]
        if kind == 9:
            return [
                f"{pad}{self.pick(self.vectors)}{self.pick(('', f'[{self.slice()}]'))} {self.pick(ARITHMETIC)}= {self.pick((self.vector, self.scalar))(1)}"
            ]
        if kind == 10:
            return [
                f"{pad}{self.pick(self.vectors)}[{self.index()}] {self.pick(('', '+', '-', '*'))}= {self.scalar(1)}"
            ]
        if kind == 11:
            return [f"{pad}{self.pick(self.vectors)}[{self.slice()}] = {self.pick((self.vector, self.scalar))(1)}"]
        if kind == 12:
            target, value = self.bound(self.matrices, "m"), self.matrix()
            self.learn(self.matrices, target, level)
            return [f"{pad}{target} = {value}"]
        if kind == 13:
            one = self.pick(self.matrices)
            return [
                pad
                + self.pick(
                    (
                        f"{one}[{self.index()}, {self.index()}] = {self.scalar(1)}",
                        f"{one}[{self.index()}] = {self.vector(1)}",
                        f"{one}[1:, :-1] += {one}[:-1, 1:]",
                        f"{one}[:, {self.index()}] {self.pick(('', '+', '*'))}= {self.scalar(1)}",
                        f"{one}[{one} > 1] = {self.scalar(0)}",
                        f"{one} += {self.scalar(1)}",
                        f"{one} *= {self.pick(self.vectors)}",
                    )
                )
            ]
        if kind == 14:
            names = [self.pick(self.scalars), self.pick(self.scalars)]
            if self.one_in(3):
                return [f"{pad}{names[0]}, {names[1]} = h2({self.scalar(1)}, {self.scalar(1)})"]
            if self.one_in(3):
                return [
                    f"{pad}t = ({self.scalar(1)}, {self.pick(self.vectors)})",
                    f"{pad}u = t",
                    f"{pad}out.append((t, u, t is u))",
                ]
            return [f"{pad}{names[0]}, {names[1]} = {self.scalar(1)}, {self.scalar(1)}"]
        if kind == 15:
            return [
                pad
                + self.pick(
                    (
                        f"out.append({self.scalar(1)})",
                        f"print({self.scalar(1)})",
                        f"out.append(str({self.scalar(0)}))",
                        f"out.append({self.vector(1)})",
                        "pass",
                        f"out.append([{self.scalar(0)}, {self.scalar(0)}])",
                        f"del {self.pick(self.scalars)}" if self.one_in(6) else "pass",
                    )
                )
            ]
        if kind <= 18:
            lines = [f"{pad}if {self.condition()}:", *self.block(level + 1)]
            if self.one_in(3):
                lines += [f"{pad}elif {self.condition()}:", *self.block(level + 1)]
            if self.one_in(2):
                lines += [f"{pad}else:", *self.block(level + 1)]
            return lines
        if kind <= 22:
            return self.loop(level, pad)
        if kind <= 24:
            lines = [
                f"{pad}try:",
                *self.block(level + 1),
                f"{pad}except {self.pick(ERRORS)}{self.pick(('', ' as e'))}:",
            ]
            if " as e" in lines[-1] and self.one_in(2):
                lines.append(f"{pad}    out.append(str(e))")
            lines += self.block(level + 1)
            if self.one_in(4):
                lines += [f"{pad}else:", *self.block(level + 1)]
            if self.one_in(4):
                lines += [f"{pad}finally:", *self.block(level + 1)]
            return lines
        return [f"{pad}if {self.condition()}:", f"{pad}    return {self.pick((self.scalar, self.vector))(1)}"]

    def learn(self, names: list[str], target: str, level: int) -> None:
        """A new name is used from now on, at times although it may be unbound."""
        if target not in names and (level == 1 or self.one_in(5)):
            names.append(target)

    def loop(self, level: int, pad: str) -> list[str]:
        self.loops += 1
        n = self.loops
        start = [
            f"{pad}n{n} = 0",
            f"{pad}while n{n} < {self.choose(5)}{self.pick(('', '', f' and {self.condition()}'))}:",
            f"{pad}    n{n} += 1",
        ]
        kind = self.choose(7)
        if kind <= 2:
            bounds = self.pick(
                (
                    "3",
                    "0",
                    "1, 4",
                    "5, 0, -2",
                    "len(v0)",
                    "v0.shape[0] - 1",
                    "4",
                    "10, 0, -3",
                    "2**62, 2**62 + 3",
                    "2**63 - 2, 2**63 + 1",
                    "int(abs(s0)) % 5",
                )
            )
            start = [f"{pad}for i{n} in range({bounds}):"]
            self.scalars.append(f"i{n}")
        elif kind == 3:
            start = [f"{pad}for i{n} in {self.pick(self.vectors)}:"]
            self.scalars.append(f"i{n}")
        elif kind == 4:
            start = [
                pad
                + self.pick(
                    (
                        f"for i{n} in (1, 2.5, True):",
                        f"for i{n} in [3, s0]:",
                        f"for k, i{n} in enumerate({self.pick(self.vectors)}):",
                        f"for i{n}, k in zip({self.pick(self.vectors)}, {self.pick(self.vectors)}):",
                    )
                )
            ]
            self.scalars.append(f"i{n}")
        lines = start + self.block(level + 1)
        if self.one_in(3):
            lines += [
                f"{pad}    if {self.condition()}:",
                f"{pad}        {self.pick(('break', 'continue'))}",
                *self.block(level + 1),
            ]
        if self.one_in(4):
            lines += [f"{pad}else:", *self.block(level + 1)]
        return lines
