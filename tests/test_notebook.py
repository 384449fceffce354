"""Cells of a notebook: code compiled under a file name that is no file, run one after another in one namespace, some again and again."""

from __future__ import annotations

import ast
import html
import linecache
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import pijit
from pijit.ground import log


class Notebook:
    """What a kernel does with a cell: statements in the user's namespace, the value of the last expression is shown."""

    def __init__(self):
        self.space = {"__name__": "__main__"}
        self.number = 0
        self.files = {}

    def run(self, source):
        self.number += 1
        file = f"<ipython-input-{self.number}-{hash(source) & 0xFFFF:x}>"
        self.files[file] = f"In[{self.number}]"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        *statements, last = ast.parse(source, file).body
        if not isinstance(last, ast.Expr):
            exec(compile(ast.Module([*statements, last], []), file, "exec"), self.space)
            return None
        for statement in statements:  # each on its own, as ast_node_interactivity has it
            exec(compile(ast.Module([statement], []), file, "exec"), self.space)
        return eval(compile(ast.Expression(last.value), file, "eval"), self.space)


@pytest.fixture
def notebook():
    return Notebook()


RELAX = """@pijit.jit
def relax(u, n):
    for _ in range(n):
        u[1:-1] += 0.25 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u
"""


def test_functions_of_cells_are_compiled_and_reported_with_their_source(notebook):
    notebook.run("import numpy as np, pijit")
    notebook.run(RELAX)
    plain = notebook.run("relax.__wrapped__(np.linspace(0, 1, 100) ** 2, 20)")
    assert np.array_equal(notebook.run("relax(np.linspace(0, 1, 100) ** 2, 20)"), plain)
    report = notebook.run("pijit.explain(relax, np.linspace(0, 1, 100) ** 2, 20)")
    assert repr(report) == str(report)  # what a terminal shows
    page = report._repr_html_()  # what a notebook shows
    assert page.startswith("<pre>")
    assert html.escape("native     4 |         u[1:-1] += 0.25 * (u[2:] - 2.0 * u[1:-1] + u[:-2])") in page
    assert "native     5 |     return u" in page


def test_a_cell_that_is_run_again_defines_another_function(notebook):
    notebook.run("import pijit")
    for k in (2.0, 3.0, 3.0, 2.0):
        notebook.run(f"@pijit.jit\ndef f(x):\n    return x * {k}\n")
        assert notebook.run("f(1.5)") == 1.5 * k
        assert notebook.run("f.stats().compiles") == 1


def test_loops_of_cells_are_enabled_like_modules(notebook):
    notebook.run("import pijit\npijit.enable()")
    for _ in range(3):  # as with %%timeit, or the same cell run again
        assert notebook.run("s = 0\nfor i in range(5000):\n    s += i * 2\ns") == 24995000
    notebook.run("def f(n):\n    s = 0.0\n    for i in range(n):\n        s += i * 0.5\n    return s\n")
    assert notebook.run("[f(500) for _ in range(9)][-1]") == 62375.0
    assert notebook.run("pijit.stats(f).hits") > 0


def test_tracebacks_point_into_cells(notebook):
    notebook.run("import numpy as np, pijit")
    notebook.run("@pijit.jit\ndef f(u):\n    v = u * 2\n    return v[10]\n")
    with pytest.raises(IndexError) as caught:
        notebook.run("f(np.ones(3))")
    entry = caught.traceback[-1]
    assert (entry.name, entry.lineno + 1) == ("f", 4)
    assert str(entry.path).startswith("<ipython-input-2-")
    with pytest.raises(pijit.CaptureError, match=r">    3 \|     print\(x\)"):
        notebook.run("@pijit.jit(fullgraph=True)\ndef g(x):\n    print(x)\n\ng(1)")


def test_messages_name_the_cell(notebook, monkeypatch, caplog):
    def format_code_name(file):
        return ("Cell", notebook.files[file]) if file in notebook.files else None

    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=format_code_name))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    pijit.set_logs("guards")
    notebook.run("import numpy as np, pijit")
    notebook.run("@pijit.jit\ndef f(u):\n    return u * 2.0\n")
    notebook.run("f(np.ones(3)); f(np.ones(3, 'f4'))")
    assert caplog.messages[0].startswith("Cell In[2]:3 f(): 'u.dtype' expected float64, got float32 -> ")
    assert log.shown_path("/elsewhere/heat.py") == "/elsewhere/heat.py"
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert log.shown_path("/elsewhere/heat.py") == "/elsewhere/heat.py"


def test_a_real_kernel_if_there_is_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(pijit.__file__).parent.parent))
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = ["import numpy as np, pijit\npijit.set_logs('guards')", RELAX, "%%time\nr = relax(np.ones(100), 5)",
             "pijit.explain(relax, np.ones(9), 5)",
             "r = relax(np.ones(100, 'f4'), 5)", "relax.stats().hits"]  # fmt: skip
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=100, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    assert "native" in book.cells[3].outputs[0].data["text/html"]
    assert book.cells[4].outputs[0].text.startswith("pijit.guards: Cell In[2]:3 relax(): 'u.dtype' expected")
    assert book.cells[5].outputs[0].data["text/plain"] == "3"
