"""Long runs: python tests/generated/fuzz.py [--objects | --sameness] FIRST LAST [CONFIGURATION...]

One program for each seed; a child runs them, so that a crash costs one program. A failing program is made smaller and printed.
With --objects programs are those of object_programs.py, for which there is one configuration more: `script`, a file that `pijit run`
has to run as Python does. With --sameness they are those of sameness_programs.py.
"""

from __future__ import annotations

import ast
import difflib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2]), str(Path(__file__).parent)]

SECONDS, REDUCING = 40, 40
PIJIT = ("-m", "pijit", "run", "--everything", "--threshold", "1")


def program(seed: int, grammar: str):
    from object_programs import ObjectProgram
    from programs import Program
    from sameness_programs import SamenessProgram

    made, sizes = {
        "--arrays": (Program, (4, 8, 14)),
        "--objects": (ObjectProgram, (2, 4, 8)),
        "--sameness": (SamenessProgram, (2, 4, 6)),
    }[grammar]
    chooser = random.Random(seed)
    return made(chooser.randrange, size=chooser.choice(sizes))


def script_failure(text: str) -> str:
    """How the outputs and exit statuses differ, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(text)
        plain, native = (
            subprocess.run(
                [sys.executable, *how, file], capture_output=True, text=True, timeout=SECONDS, env={**os.environ, "PYTHONHASHSEED": "0"}
            )
            for how in ((), PIJIT)
        )
    for what in ("stdout", "stderr", "returncode"):
        a, b = getattr(plain, what), getattr(native, what)
        if a != b:
            lines = difflib.unified_diff(str(a).splitlines(), str(b).splitlines(), "plain", "pijit", n=0, lineterm="")
            return f"{what} differs\n" + "\n".join(line[:600] for line in lines)[:1500]
    return ""


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


def reduce(source: str, prelude: str, calls, names, message: str) -> str:
    """A smaller program that fails in the same way; its prelude stays as it is."""
    kind = message.partition("\n")[0][:25]
    until = time.time() + REDUCING
    source = source.removeprefix(prelude)
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
            if len(text) < len(source) and failure(prelude + text, calls, names)[:25] == kind:
                source, progress = text, True
                break
            if time.time() > until:
                break
    return prelude + source


def child(grammar: str, first: int, last: int, names, shrink: bool) -> None:
    bad = 0
    for seed in range(first, last):
        print(f"@@seed {seed}", flush=True)
        made = program(seed, grammar)
        here = [name for name in names if name != "script"]
        text = failure(made.source, made.calls, here) if here else ""
        if "script" in names and (difference := script_failure(made.script)):
            bad += 1
            print(f"FAILED seed {seed} script\n{made.script.removeprefix(made.prelude)}\n{difference}\n", flush=True)
        if text:
            bad += 1
            only = next(([name] for name in here if failure(made.source, made.calls, [name])), here)
            source = made.source
            if shrink:
                source = reduce(source, made.prelude, made.calls, only, text)
                text = failure(source, made.calls, only) or text
            source = source.removeprefix(made.prelude)
            subject = source[source.index("def subject") :]
            helpers = not made.prelude and (" h" in subject or "(h" in subject)
            shown = source if helpers else subject
            used = [
                type(a).__name__ + (str(a.dtype) + str(a.shape) if hasattr(a, "shape") else repr(a))
                for a in made.calls[-1]
            ]
            print(f"FAILED seed {seed} {only}\n{shown}\ncalls {len(made.calls)}: {used}\n{text}\n", flush=True)


def main() -> None:
    grammar, first, last, *names = sys.argv[1:] if sys.argv[1].startswith("--") else ["--arrays", *sys.argv[1:]]
    start, end = int(first), int(last)
    signal.signal(signal.SIGTERM, lambda *_: (run.kill(), print("done", done), sys.exit()))
    names = names or ["jit", "O0", "numpy", "enabled", "forced", "forced numpy"]
    done = 0
    while start < end:
        run = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", __file__, "--child", grammar, str(start), str(end), *names],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for line in run.stdout:
            if line.startswith("@@seed "):
                start = int(line[7:])
                done += 1
            else:
                print(line, end="", flush=True)
        if run.wait() == 0:
            break
        print(f"CRASHED seed {start}: {run.returncode}\n{program(start, grammar).source}\n{program(start, grammar).calls}", flush=True)
        start += 1
    print("done", done)


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:], True)
    else:
        main()
