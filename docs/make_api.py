"""Writes docs/api.md from the docstrings: python docs/make_api.py"""

from __future__ import annotations

import inspect
from pathlib import Path

import pijit
from pijit.api import spellings
from pijit.ground import config, log
from pijit.ground.records import fields
from pijit.reports import function, verify
from pijit.runtime import records

SIGNATURES = {
    "jit": "jit(function=None, /, *, capture_mode='bytecode', fullgraph=False, jit_level='O1', backend='numba')",
}


def entry(name: str) -> str:
    thing = getattr(pijit, name)
    doc = inspect.cleandoc(thing.__doc__ or "")
    signature = SIGNATURES.get(name) or f"{name}{inspect.signature(thing)}".replace("'", "")
    return f"## `pijit.{signature}`\n\n{doc}\n"


def rows(pairs: list[tuple[str, str]], head: str) -> str:
    return "\n".join([f"| {head} | |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in pairs)]) + "\n"


def described(cls: type, methods: tuple[str, ...] = ()) -> str:
    """A class that is given, not made: its docstring, and its fields or methods."""
    head = f"## `{cls.__name__}`\n\n{inspect.cleandoc(cls.__doc__ or '')}\n"
    if methods:
        signatures = [(f"{name}{inspect.signature(getattr(cls, name))}".replace("'", "").replace("self, *, ", "*, ").replace("self", ""),
                       inspect.cleandoc(getattr(cls, name).__doc__ or "")) for name in methods]  # fmt: skip
        return f"{head}\n{rows(signatures, 'method')}"
    return f"{head}\n{rows([(f.name, str(f.type).replace('|', 'or')) for f in fields(cls)], 'field')}"


def page() -> str:
    functions = [name for name in pijit.__all__ if name not in ("config", "CaptureError")]
    settings = [(f"{row.name} = {row.default!r}", row.metadata["help"]) for row in fields(config.Config)]
    options = [(name, ", ".join(map(repr, choices))) for name, choices in config.CHOICES.items()]
    options += [(name, "False, True") for name in spellings.FLAGS]
    return "\n".join([
        "# API reference", "", "Made from the docstrings by docs/make_api.py.", "",
        *map(entry, functions),
        "## Options of jit", "", rows(options, "option"),
        "# What the functions give", "",
        *map(described, (records.Stats, records.BreakStats, records.FailureStats, records.FragmentStats)),
        described(function.Report, ("text", "to_dict")), described(verify.Verdict),
        "# Everything else", "", "## `pijit.CaptureError`", "", inspect.cleandoc(pijit.CaptureError.__doc__ or ""), "",
        "Attributes: `reason` (id), `hint`, `where` (file, line, function), `detail`.", "",
        "## `pijit.config`", "", "Attributes, and environment variables `PIJIT_<NAME>`.", "", rows(settings, "setting"),
        "## Log channels", "", rows(list(log.CHANNELS.items()), "channel"),
    ])  # fmt: skip


if __name__ == "__main__":
    (Path(__file__).parent / "api.md").write_text(page())
