"""User code, checked by mypy in tests/test_typing.py: what jit gives keeps parameters and result."""

from __future__ import annotations

from typing import assert_type

import pijit


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


wrapped = pijit.jit(lambda: 3)
other = pijit.jit(fn=with_options, mode="PIJit", jit_config={"jit_level": "O1"})

assert_type(bare(1, y=2.0), float)
assert_type(with_options(1), str)
assert_type(Model().step(1.0), float)
assert_type(Model.double(1.0), float)
assert_type(wrapped(), int)
assert_type(other(1), str)
bare.stats().compiles + 1
bare.__wrapped__(1)
bare("no")  # type: ignore[arg-type]
bare(1, z=2)  # type: ignore[call-arg]
Model().step("no")  # type: ignore[arg-type]
with pijit.enabled("pkg.*", exclude=["pkg.slow"]), pijit.set_stance("eager"):
    pass
print(pijit.explain(bare, 1).to_dict(), bool(pijit.verify(bare, 1)))
