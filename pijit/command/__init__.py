"""The command line: one row per command.

python -m pijit run [--everything] [--threshold N] [--report] script.py args... | -m module args...
python -m pijit reasons [ID...]
python -m pijit doctor
python -m pijit cache [clear]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pijit.command import cache, doctor, reasons, run

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: dict[str, Callable[[list[str]], None]] = {
    "run": run.main,
    "reasons": reasons.main,
    "doctor": doctor.main,
    "cache": cache.main,
}


def main() -> None:
    """Run the command that sys.argv names."""
    name, *rest = [*sys.argv[1:], ""]
    if name in ("", "-h", "--help"):
        print((__doc__ or "").strip())
        return
    if name not in COMMANDS:
        sys.exit(f"pijit: no command {name!r}; there are: {', '.join(COMMANDS)}")
    COMMANDS[name](rest[:-1])
