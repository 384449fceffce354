"""Settings: one row each, for the process (`CONFIG`) and for one jitted function (`Options`).

Every row of CONFIG can be set by an environment variable, PIJIT_<NAME>, before pijit is imported, and by plain
assignment afterwards (`pijit.config.max_fragments = 4`). PIJIT=0 switches everything off.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass, field, fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OFF_WORDS = frozenset({"0", "no", "off", "false", ""})


def setting(default: Any, help: str) -> Any:
    """One row: its default and the sentence that the documentation shows."""
    return field(default=default, metadata={"help": help})


@dataclass(slots=True)
class Config:
    """Settings of the process."""

    enabled: bool = setting(True, "false: pijit does nothing at all (the environment spells it PIJIT=0)")
    threshold_calls: int = setting(2, "calls of an enabled function before it is compiled; jit compiles at the first")
    threshold_loops: int = setting(64, "iterations of an enabled loop before it is compiled")
    patience_ms: int = setting(
        40, "milliseconds that what is hot goes on in the interpreter before it is compiled, the first in a process five times as long"
    )
    max_fragments: int = setting(8, "fragments per entry before pijit stops compiling new ones there")
    max_block_versions: int = setting(3, "versions of one block, told apart by the types that arrive there")
    max_blocks: int = setting(2000, "blocks in one graph")
    max_inline_depth: int = setting(8, "calls inlined into one another")
    max_unroll: int = setting(64, "items of a short tuple or list that a loop over it is unrolled for")
    threads: int = setting(
        0, "threads that large kernels may use; 0: one, or with jit_level=\"O2\" as many as the process has cores when it compiles"
    )
    exit_threshold: int = setting(16, "times that an exit is taken before it is dealt with as a hot one")
    long_loop: int = setting(
        1 << 16, "rounds after which a loop that may be faster in the interpreter is tried there; 0: never; 1 (tests): at once, with compile_all too"
    )
    log_burst: int = setting(20, "lines that one place may log in a second before the rest is counted only")
    compile_all: bool = setting(False, "true (tests): what cannot pay is compiled too, and what does not pay is kept")
    stance: str = setting("compile", "see set_stance: eager, compile, fail_on_break or fail_on_recompile")
    raise_internal: bool = setting(False, "true (tests): an internal error is raised where it is found, not logged")

    def __setattr__(self, name: str, value: Any) -> None:
        """TypeError or ValueError where the value is not of the setting's kind."""
        kinds = {row.name: type(row.default) for row in fields(self)}
        if name not in kinds:
            raise AttributeError(f"pijit.config has no {name!r}; there are: {', '.join(kinds)}")
        if type(value) is not kinds[name]:
            raise TypeError(f"pijit.config.{name} is {KINDS[kinds[name]]}, not {value!r}")
        if type(value) is int and value < 0:
            raise ValueError(f"pijit.config.{name} is never negative, as {value} is")
        if type(value) is str and value not in STANCES:
            raise ValueError(f"pijit.config.{name} is {KINDS[str]}, not {value!r}")
        object.__setattr__(self, name, value)


def parse_int(text: str) -> int:
    """A number of something."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def parse_bool(text: str) -> bool:
    """Any word but an off word is on."""
    return text.strip().lower() not in OFF_WORDS


def parse_word(text: str) -> str:
    """A stance that exists; there is no other setting that is a word."""
    if text not in STANCES:
        raise ValueError(text)
    return text


STANCES = ("eager", "compile", "fail_on_break", "fail_on_recompile")
PARSE: dict[type, Callable[[str], Any]] = {bool: parse_bool, int: parse_int, str: parse_word}
KINDS = {bool: "a bool", int: "an int", str: f"one of {', '.join(STANCES)}"}


def variable(name: str) -> str:
    """The environment variable that overrides a setting."""
    return "PIJIT" if name == "enabled" else f"PIJIT_{name.upper()}"


# One variable for several settings; the settings' own variables come first.
SHORT = {"threshold_calls": "PIJIT_THRESHOLD", "threshold_loops": "PIJIT_THRESHOLD"}


def from_environment(environ: Mapping[str, str], complain: Callable[[str], None]) -> Config:
    """Defaults, with whatever the environment overrides; a value that makes no sense is one complaint and ignored."""
    config = Config()
    if "PIJIT_THRESHOLD" in environ:
        config.patience_ms = 0  # whoever counts wants to know when
    for row in fields(Config):
        text = environ.get(variable(row.name), environ.get(SHORT.get(row.name, "")))
        if text is None:
            continue
        kind = type(row.default)
        try:
            setattr(config, row.name, PARSE[kind](text))
        except ValueError:
            name = variable(row.name) if variable(row.name) in environ else SHORT[row.name]
            complain(f"pijit: {name}={text!r} is not {KINDS[kind]}; ignored")
    return config


def to_stderr(line: str) -> None:
    """Where complaints about the environment go: nothing can be raised while pijit is being imported."""
    import sys

    print(line, file=sys.stderr)


CONFIG = from_environment(os.environ, to_stderr)


@dataclass(frozen=True, slots=True)
class Options:
    """How one function was jitted, or how everything in an enabled namespace is compiled."""

    capture_mode: str = "bytecode"
    fullgraph: bool = False
    jit_level: str = "O1"
    backend: str = "numba"
    eager: bool = False
    """True for jit: compile at the first call instead of waiting until the code is hot."""


# What exists, by option. Later front-ends and back-ends are new words here.
CHOICES: dict[str, tuple[str, ...]] = {
    "capture_mode": ("bytecode",),
    "jit_level": ("O0", "O1", "O2"),
    "backend": ("numba", "numpy"),
}
