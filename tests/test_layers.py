"""Imports go strictly downward."""

from __future__ import annotations

import ast
from pathlib import Path

import pijit

ROOT = Path(pijit.__file__).parent
# Lowest first; what stands in one row may not import each other.
LAYERS = [["ground"], ["_native"], ["ir"], ["pycode"], ["trace", "opt", "codegen"], ["runtime"], ["explain"], ["api"]]
LAYERS += [["__init__"], ["command"], ["__main__"]]
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}


def imports(file):
    """The parts of pijit that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pijit":
            path = node.module.split(".")[1:]
            yield from [path[0]] if path else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "pijit":
                    yield [*alias.name.split("."), "__init__"][1]


def test_imports_go_down():
    wrong = []
    for file in sorted(ROOT.rglob("*.py")):
        own = file.relative_to(ROOT).parts[0].removesuffix(".py")
        for other in imports(file):
            if other != own and HEIGHT[other] >= HEIGHT[own]:
                wrong.append(f"{file.relative_to(ROOT)} imports {other}")
    assert not wrong
    assert any(True for _ in imports(ROOT / "api.py"))


def test_relative_imports_are_not_used():
    for file in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            assert not (isinstance(node, ast.ImportFrom) and node.level), file


def test_first_line_says_what_a_file_is_for():
    for file in [*ROOT.rglob("*.py"), *Path(__file__).parent.glob("*.py")]:
        assert ast.get_docstring(ast.parse(file.read_text())), file
