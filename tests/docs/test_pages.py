"""Every python block of README and docs/ runs, and passes mypy --strict."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.snippets import run_page, snippets_of, typed_program

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README*.md"), *ROOT.glob("docs/**/*.md")])


def name_of(page: Path) -> str:
    """Return a page's path as its readers know it."""
    return page.relative_to(ROOT).as_posix()


def module_name_of(page: Path) -> str:
    """Return a name for the module a page's blocks make together."""
    return "page_" + re.sub(r"\W", "_", name_of(page))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
async def test_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run one behind the other, in an empty folder, with the generated code at hand."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "generated")

    await run_page(page, module_name_of(page))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_block_is_left_out_for_a_reason(page: Path) -> None:
    """`<!-- no-run: -->` without a reason excuses nothing."""
    unexplained = [str(snippet) for snippet in snippets_of(page.read_text(encoding="utf-8")) if snippet.no_run == ""]

    assert unexplained == []


@pytest.mark.slow
def test_pages_pass_the_type_checker(tmp_path: Path) -> None:
    """What a reader copies from a page is clean under mypy --strict."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for page in PAGES:
        program = typed_program(page.read_text(encoding="utf-8"))
        (programs / f"{module_name_of(page)}.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary"]
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]

    environment = os.environ | {"MYPYPATH": str(ROOT / "generated")}

    result = subprocess.run(
        [*command, *config, str(programs)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert (result.stdout + result.stderr, result.returncode) == ("", 0)
