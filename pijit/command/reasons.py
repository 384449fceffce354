"""`python -m pijit reasons [ID...]`: the registry, or some rows of it in full; `--page` prints docs/reasons.md."""

from __future__ import annotations

import sys

from pijit.ground import reasons


def main(names: list[str]) -> None:
    """Print one line per reason, or each named one in full."""
    if names == ["--page"]:
        print(reasons.page(), end="")
        return
    if not names:
        for row in reasons.ROWS:
            print(f"{row.id}  {row.kind:20}  {row.title}")
    for name in names:
        try:
            print(reasons.describe(reasons.lookup(name)))
        except KeyError:
            sys.exit(f"pijit: no reason {name!r}; `python -m pijit reasons` lists them")
