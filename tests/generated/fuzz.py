"""Long runs: python tests/generated/fuzz.py FIRST LAST [CONFIGURATION...]

One program for each seed; a child runs them, so that a crash costs one program. A failing program is made smaller and printed.
"""

from __future__ import annotations

import ast
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2]), str(Path(__file__).parent)]

SECONDS = 40


def program(seed: int):
    from programs import Program

    chooser = random.Random(seed)
    return Program(chooser.randrange, size=chooser.choice((4, 8, 14)))


def failure(source: str, calls, names) -> str:
    """What goes wrong, or "" when nothing does."""
    import warnings

    import differential

    from pijit.ground import log
    from pijit.runtime import tiers

    log.ROOT.disabled = True

    def stop(*_):
        raise TimeoutError("the program hangs")

    tiers.INTERNAL_ERRORS.clear()
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            differential.check_calls(source, calls, configurations=names)
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:1500]}"
    finally:
        signal.alarm(0)
    return ""


def smaller(tree: ast.Module):
    """Every program with one statement less, or with a compound statement replaced by its body."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            for i, item in enumerate(list(block)):
                inner = getattr(item, "body", [])
                options = [[]]
                if isinstance(inner, list) and inner and not isinstance(item, ast.FunctionDef | ast.ExceptHandler):
                    options.append(inner)
                for replacement in options:
                    before = list(block)
                    block[i : i + 1] = replacement
                    if block or field != "body":
                        yield
                    block[:] = before
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.BinOp | ast.IfExp | ast.Call | ast.UnaryOp | ast.BoolOp | ast.Compare):
                for child in ast.iter_child_nodes(value):
                    if isinstance(child, ast.expr):
                        setattr(node, field, child)
                        yield
                        setattr(node, field, value)


def reduce(source: str, calls, names, message: str) -> str:
    """A smaller program that fails in the same way."""
    kind = message.partition("\n")[0][:25]
    until = time.time() + 15
    progress = True
    while progress and time.time() < until:
        progress = False
        tree = ast.parse(source)
        for _ in smaller(tree):
            try:
                text = ast.unparse(ast.fix_missing_locations(tree))
                compile(text, "", "exec")
            except Exception:
                continue
            if len(text) < len(source) and failure(text, calls, names)[:25] == kind:
                source, progress = text, True
                break
            if time.time() > until:
                break
    return source


def child(first: int, last: int, names, shrink: bool) -> None:
    bad = 0
    for seed in range(first, last):
        print(f"@{seed}", flush=True)
        made = program(seed)
        text = failure(made.source, made.calls, names)
        if text:
            bad += 1
            only = next(([name] for name in names if failure(made.source, made.calls, [name])), names)
            source = made.source
            if shrink:
                source = reduce(source, made.calls, only, text)
                text = failure(source, made.calls, only) or text
            shown = (
                source[source.index("def subject") :]
                if " h" not in source[source.index("def subject") :] and "(h" not in source
                else source
            )
            used = [
                type(a).__name__ + (str(a.dtype) + str(a.shape) if hasattr(a, "shape") else repr(a))
                for a in made.calls[-1]
            ]
            print(f"FAILED seed {seed} {only}\n{shown}\ncalls {len(made.calls)}: {used}\n{text}\n", flush=True)


def main() -> None:
    first, last, *names = sys.argv[1:]
    start, end = int(first), int(last)
    signal.signal(signal.SIGTERM, lambda *_: (run.kill(), print("done", done), sys.exit()))
    names = names or ["jit", "O0", "numpy", "enabled", "forced", "forced numpy"]
    done = 0
    while start < end:
        run = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", __file__, "--child", str(start), str(end), *names],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for line in run.stdout:
            if line.startswith("@"):
                start = int(line[1:])
                done += 1
            else:
                print(line, end="", flush=True)
        if run.wait() == 0:
            break
        print(f"CRASHED seed {start}: {run.returncode}\n{program(start).source}\n{program(start).calls}", flush=True)
        start += 1
    print("done", done)


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:], True)
    else:
        main()
