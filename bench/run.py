"""make bench: every figure that the project promises, with its target.

python bench/run.py [subject...]
"""

from __future__ import annotations

import importlib
import platform
import sys
import traceback
from importlib.metadata import version

SUBJECTS = (
    *("start", "small_calls", "loops", "programs", "breaks", "never_slower", "growth", "diagnostics"),
    *("page", "compiling", "ratios", "objects"),
)


def main(names: list[str]) -> int:
    for name in names:
        if name not in SUBJECTS:
            sys.exit(f"no subject {name!r}; there are: {', '.join(SUBJECTS)}")
    print(
        f"python {platform.python_version()}", *(f"{p} {version(p)}" for p in ("numpy", "numba")), sep=", ", flush=True
    )
    missed, failed = 0, 0
    for name in names or SUBJECTS:
        print(f"\n{name}", flush=True)
        try:
            for figure in importlib.import_module(name).figures():
                print("  " + figure.line(), flush=True)
                missed += not figure.met
        except Exception:
            traceback.print_exc()
            failed += 1
    print(f"\n{missed} figures missed their target, {failed} subjects failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
