"""The Python in README.md and docs/ runs, and what they say exists does."""

from __future__ import annotations

import importlib.util
import linecache
import re
import sys
from pathlib import Path

import pytest

import pijit

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", *sorted(f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python(?: (\w+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
README = (ROOT / "README.md").read_text()
BLOCKS = [(page, match[1] or "") for page in PAGES for match in BLOCK.finditer((ROOT / page).read_text())]


def run(page, needs):
    """The blocks of a page that need a package (or none), one after another in one namespace."""
    space = {"__name__": "page"}
    for number, match in enumerate(BLOCK.finditer((ROOT / page).read_text())):
        if (match[1] or "") == needs:
            file = f"<{page} block {number}>"
            linecache.cache[file] = (len(match[2]), None, match[2].splitlines(keepends=True), file)
            exec(compile(match[2], file, "exec"), space)
    return space


@pytest.mark.parametrize(("page", "needs"), sorted(set(BLOCKS)))
def test_code_blocks_run_one_after_another(page, needs):
    if needs:
        pytest.importorskip(needs)
    run(page, needs)


def test_every_page_with_code_was_found():
    pages = {page for page, _ in BLOCKS}
    assert pages >= {"README.md", *(f"docs/{name}.md" for name in ("captured", "coming-from", "how-it-works", "logs", "promises"))}


def test_stats_of_the_readme(capsys):
    space = run("README.md", "")
    assert space["stats"].hits <= space["relax"].stats().hits
    assert "relax(): " in capsys.readouterr().out


def test_options_and_channels_are_those_that_exist():
    from pijit.api.spellings import EXISTING
    from pijit.ground.log import CHANNELS

    rows = re.findall(r"^\| (`.*?) \|", README, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {*EXISTING, *CHANNELS}


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text()):
            assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"


def test_the_api_page_is_up_to_date():
    if sys.version_info[:2] != (3, 11):
        pytest.skip("signatures print otherwise on other versions")
    spec = importlib.util.spec_from_file_location("make_api", ROOT / "docs" / "make_api.py")
    make_api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_api)
    assert (ROOT / "docs" / "api.md").read_text() == make_api.page(), "python docs/make_api.py"
    assert all(f"pijit.{name}" in make_api.page() for name in pijit.__all__)
