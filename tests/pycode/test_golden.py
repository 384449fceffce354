"""The same source gives the same normalised steps on every version; `python -m tests.pycode.test_golden` writes the texts.

Left out of the texts is what versions must do differently: where NULL goes on the stack, 3.13's TO_BOOL before a jump,
and whether a load is checked. CALL_KW is written as the CALL it stands for.
"""

from pathlib import Path
from types import CodeType

import pytest

from pijit.pycode.flow import control_flow
from pijit.pycode.instructions import Micro, decode

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
RULE = "=" * 20 + "\n"
LEFT_OUT = {"NOP", "PUSH_NULL", "TO_BOOL"}
SLOT_STEPS = {
    "LOAD_FAST",
    "STORE_FAST",
    "DELETE_FAST",
    "LOAD_DEREF",
    "STORE_DEREF",
    "LOAD_CLOSURE",
    "LOAD_FAST_AND_CLEAR",
}
JUMPS = {"JUMP", "JUMP_BACKWARD", "FOR_ITER", "POP_JUMP"}


def text(code: CodeType) -> str:
    """The steps of a function that can be reached, with names for slots and labels for targets."""
    bytecode = decode(code)
    flow = control_flow(bytecode)
    reached = [i for i in bytecode.instructions if flow.stack_depth(i.pc) is not None and i.pc >= bytecode.start]
    targets = {i.target for i in reached} | {h.pc for i in reached if (h := flow.handler(i.pc))}
    labels = {pc: f"L{n}" for n, pc in enumerate(sorted(pc for pc in targets if pc is not None))}
    lines: list[str] = []
    for i in reached:
        if i.pc in labels:
            lines.append(f"{labels[i.pc]}:")
        for step in i.micros:
            _add(lines, step, bytecode.slots, labels)
    return "\n".join(lines) + "\n"


def _add(lines: list[str], step: Micro, slots: tuple[str, ...], labels: dict[int, str]) -> None:
    name, arg = step.name.removesuffix("_CHECK"), step.arg
    if name in LEFT_OUT:
        return
    if name in SLOT_STEPS:
        arg = slots[arg]
    elif name in JUMPS:
        arg = (arg[0], labels[arg[1]]) if isinstance(arg, tuple) else labels[arg]
    elif name == "CALL_KW":
        names = lines.pop().split(" ", 3)[3]
        name, arg = "CALL", f"({arg}, {names})"
    elif isinstance(arg, CodeType):
        arg = f"<code {arg.co_name}>"
    elif name == "LOAD_CONST":
        arg = repr(arg)
    lines.append(f"  {name}" + ("" if arg is None else f" {arg}"))


def written(source: str) -> str:
    module = compile(source, "case", "exec")
    return text(next(const for const in module.co_consts if isinstance(const, CodeType)))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_same_steps_on_every_version(path: Path) -> None:
    source, expected = path.read_text().split(RULE)
    assert written(source) == expected


if __name__ == "__main__":
    for case in CASES:
        program = case.read_text().split(RULE)[0]
        case.write_text(program + RULE + written(program))
