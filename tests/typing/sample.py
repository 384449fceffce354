"""User code, checked by mypy and pyright in tests/test_typing.py: what jit gives keeps parameters and result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar, assert_type

import numpy as np
import numpy.typing as npt

import pijit

T = TypeVar("T")


@pijit.jit
def bare(x: int, *, y: float = 2.0) -> float:
    return x + y


@pijit.jit(jit_level="O0", fullgraph=True)
def with_options(x: int) -> str:
    return str(x)


class Model:
    rate = 2.0

    @pijit.jit
    def step(self, x: float) -> float:
        return x * self.rate

    @staticmethod
    @pijit.jit
    def double(x: float) -> float:
        return 2 * x

    @classmethod
    @pijit.jit
    def made(cls, x: float) -> float:
        return cls.rate * x

    @pijit.jit
    @classmethod
    def made_too(cls, x: float) -> float:
        return cls.rate * x

    def __call__(self, x: float) -> float:
        return x


@pijit.jit
def relax(u: npt.NDArray[np.float64], steps: int = 1) -> npt.NDArray[np.float64]:
    return u


@pijit.skip
def left_alone(x: int) -> int:
    return x


def apply(f: Callable[[float], T], x: float) -> T:
    return f(x)


@pijit.jit
def first(items: Sequence[float]) -> float:
    return items[0]


wrapped = pijit.jit(lambda: 3)
other = pijit.jit(fn=with_options, mode="PIJit", jit_config={"jit_level": "O1"})

assert_type(bare(1, y=2.0), float)
assert_type(with_options(1), str)
assert_type(Model().step(1.0), float)
assert_type(Model.double(1.0), float)
assert_type(Model.step(Model(), 1.0), float)
assert_type(Model.made(1.0), float)
assert_type(Model.made_too(1.0), float)
assert_type(Model().made(1.0), float)
assert_type(Model().made_too(1.0), float)
assert_type(pijit.jit(Model())(1.0), float)
assert_type(pijit.jit(Model().step)(1.0), float)
assert_type(pijit.jit(functools.partial(with_options, 1))(), str)
assert_type(relax(np.ones(3), steps=2), npt.NDArray[np.float64])
assert_type(left_alone(1), int)
assert_type(apply(Model().step, 1.0), float)
assert_type(first([1.0]), float)
assert_type(wrapped(), int)
assert_type(other(1), str)
count: int = bare.stats().compiles + 1
bare.__wrapped__(1)
bare("no")  # type: ignore[arg-type]
bare(1, z=2)  # type: ignore[call-arg]
Model().step("no")  # type: ignore[arg-type]
relax(3)  # type: ignore[arg-type]
with pijit.enabled("pkg.*", exclude=["pkg.slow"]), pijit.set_stance("eager"):
    pass
print(pijit.explain(bare, 1).to_dict(), bool(pijit.verify(bare, 1)))
