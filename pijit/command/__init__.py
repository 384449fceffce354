"""The command line: one row per command.

python -m pijit run [--everything] [--threshold N] [--report] script.py args... | -m module args...
python -m pijit reasons [ID...]
python -m pijit doctor
python -m pijit cache [clear]
"""

from __future__ import annotations

import importlib
import sys

COMMANDS = ("run", "reasons", "doctor", "cache")  # a module each, whose `main` takes the arguments


def main() -> None:
    """Run the command that sys.argv names."""
    name, *rest = [*sys.argv[1:], ""]
    if name in ("", "-h", "--help"):
        print((__doc__ or "").strip())
        return
    if name not in COMMANDS:
        sys.exit(f"pijit: no command {name!r}; there are: {', '.join(COMMANDS)}")
    importlib.import_module(f"pijit.command.{name}").main(rest[:-1])
