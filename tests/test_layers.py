"""Imports go strictly downward."""

from __future__ import annotations

import ast
from pathlib import Path

import pijit

ROOT = Path(pijit.__file__).parent
# Lowest first; what stands in one row may not import each other.
LAYERS = [["ground"], ["_native"], ["ir"], ["pycode"], ["trace", "opt", "codegen"], ["runtime"], ["reports"], ["api"]]
LAYERS += [["__init__"], ["command"], ["__main__"]]
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}


def imports(file):
    """The parts of pijit that a file imports, anywhere in it."""
    package = ["pijit", *file.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            path = [*above, *(node.module or "").split(".")] if node.module else above
            paths = [path] if len(path) > 1 else [[*path, alias.name] for alias in node.names]
        elif isinstance(node, ast.Import):
            paths = [[*alias.name.split("."), "__init__"] for alias in node.names]
        else:
            continue
        yield from (path[1] for path in paths if path[0] == "pijit")


def test_imports_go_down():
    wrong = []
    for file in sorted(ROOT.rglob("*.py")):
        own = file.relative_to(ROOT).parts[0].removesuffix(".py")
        for other in imports(file):
            if other != own and HEIGHT[other] >= HEIGHT[own]:
                wrong.append(f"{file.relative_to(ROOT)} imports {other}")
    assert not wrong


def test_imports_are_found(tmp_path):
    assert set(imports(ROOT / "api" / "look.py")) == {"ground", "runtime", "reports"}
    assert set(imports(ROOT / "__main__.py")) == {"command"}


def test_versions_differ_in_one_place():
    sources = Path(__file__).parent.parent.glob("csrc/*.[ch]")
    assert {file.name for file in sources if "PY_VERSION_HEX" in file.read_text()} == {"compat.h", "compat_interpreter.h", "compat_objects.h"}


def test_first_line_says_what_a_file_is_for():
    for file in [*ROOT.rglob("*.py"), *Path(__file__).parent.glob("*.py")]:
        assert ast.get_docstring(ast.parse(file.read_text())), file
