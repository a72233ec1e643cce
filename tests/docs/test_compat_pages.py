"""What the pages say of compatibility is true: schemas bind, commands are understood, the action and the hook run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml  # type: ignore[import-untyped]  # it has no types of its own

from tests.codegen.check.examples import bound, told
from tests.docs.test_schema_pages import ROOT, blocks
from wakuwaku_gen.cli.compat import compat
from wakuwaku_gen.cli.release import release
from wakuwaku_gen.compat.approvals import read_approvals
from wakuwaku_gen.compat.rules import BY_ID

GUIDES = ["check-compatibility", "evolve-a-schema", "read-a-finding", "approve-a-break"]
PAGES = {name: ROOT / "docs/how-to" / f"{name}.md" for name in GUIDES}
TOML = [(name, block) for name, page in PAGES.items() for block in blocks(page, "toml")]
LINES = sorted(
    {
        found[1].strip()
        for page in PAGES.values()
        for found in re.finditer(
            r"(?:^|run: |entry: |- )(wakuwaku (?:compat|release) [^`\n]*)", page.read_text("utf-8"), re.MULTILINE
        )
    }
)


@pytest.mark.parametrize(("guide", "example"), TOML, ids=[name for name, _ in TOML])
def test_a_schema_of_a_guide_is_sound(guide: str, example: str, tmp_path: Path) -> None:
    """Without an error; warnings of an example that leaves things out do not count."""
    model, diagnostics = bound(tmp_path, example)
    assert model is not None, told(diagnostics)


@pytest.mark.parametrize("line", LINES)
def test_a_command_of_a_guide_is_understood(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder without schemas it fails for that reason, and not for its flags."""
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(line.partition(" > ")[0].partition(" >> ")[0])
    commands: dict[str, Callable[..., None]] = {"compat": compat, "release": release}
    app = typer.Typer(add_completion=False)
    app.command()(commands[arguments[1]])

    with pytest.raises(SystemExit) as ended:
        app(arguments[2:], prog_name="wakuwaku")

    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert "the schema folder can't be read" in printed.out + printed.err


def test_rules_named_on_the_pages_are_rules() -> None:
    for page in PAGES.values():
        named = set(re.findall(r"\b(?:[A-Z]+_)+[A-Z]+\b", page.read_text(encoding="utf-8"))) - {"GITHUB_STEP_SUMMARY"}
        assert named <= BY_ID.keys(), page


def test_the_file_of_approvals_on_the_page_is_read(tmp_path: Path) -> None:
    (block,) = [one for one in blocks(PAGES["approve-a-break"], "text") if "[[approve]]" in one]
    path = tmp_path / "wakuwaku.approvals"
    path.write_text(block, encoding="utf-8")
    (approval,) = read_approvals(path, Path("wakuwaku.approvals"))  # type: ignore[arg-type]
    assert (approval.rule, approval.place) == ("EVENT_REMOVED", "orders/7")


def test_the_action_runs_the_command(tmp_path: Path) -> None:
    """Its script, with the inputs it declares, on the schemas of this repository."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (step,) = [one for one in action["runs"]["steps"] if "wakuwaku compat" in one["run"]]
    names = {name: re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value)[1] for name, value in step["env"].items()}  # type: ignore[index]
    inputs = {name: str(action["inputs"][of]["default"]) for name, of in names.items()}
    summary = tmp_path / "summary.md"
    tools = Path(sys.executable).parent
    environment = (
        os.environ | inputs | {"GITHUB_STEP_SUMMARY": str(summary), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    )

    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "0 errors" in done.stdout
    assert summary.read_text(encoding="utf-8").startswith("## Schema compatibility")


def test_the_hook_runs_the_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *arguments = shlex.split(hook["entry"])
    done = subprocess.run(
        [Path(sys.executable).with_name(program), *arguments], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert re.search(hook["files"], "schemas/shop.toml")
