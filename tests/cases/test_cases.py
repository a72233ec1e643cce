"""Run every folder beside this file as a golden case.

A case is `input/` (the working directory), `case.toml` (arguments and exit code), and what must come out: `expected/`
(the output folder without its manifest), `stdout.txt` and `stderr.txt`. `make golden` writes those three anew.
With `command = "fmt"` it is `wakuwaku fmt` that runs, and `output` names the folder that `expected/` is compared with.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from wakuwaku_gen.cli import app
from wakuwaku_gen.cli.asyncapi import asyncapi
from wakuwaku_gen.cli.docs import docs
from wakuwaku_gen.cli.explain import explain
from wakuwaku_gen.cli.fmt import fmt
from wakuwaku_gen.cli.init import init
from wakuwaku_gen.cli.terminal import version

CASES = Path(__file__).parent
REPOSITORY = CASES.parents[1]
NAMES = sorted(path.parent.name for path in CASES.glob("*/case.toml"))
MANIFEST = ".wakuwaku-manifest.json"
COMMANDS: dict[str, Callable[..., None]] = {
    "asyncapi": asyncapi,
    "docs": docs,
    "explain": explain,
    "fmt": fmt,
    "init": init,
}
DURATION = re.compile(r"in \d+\.\d s$", re.MULTILINE)


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def rewrite(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def program(command: str | None) -> typer.Typer:
    if command is None:
        return app
    one = typer.Typer(add_completion=False, rich_markup_mode=None)
    one.command()(COMMANDS[command])
    return one


@pytest.mark.parametrize("name", NAMES)
def test_a_case_gives_the_expected_files_and_messages(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    """The command, run in a copy of the input, prints, exits and writes as the case says."""
    case = CASES / name
    arguments = tomllib.loads((case / "case.toml").read_text(encoding="utf-8"))
    shutil.copytree(case / "input", tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")

    with pytest.raises(SystemExit) as ended:
        program(arguments.get("command"))(arguments["args"], prog_name="wakuwaku-gen")

    printed = capsys.readouterr()
    out, err = DURATION.sub("in 0.0 s", printed.out).replace(f'"{version()}"', '"VERSION"'), printed.err
    written = files_below(tmp_path / "work" / arguments.get("output", "generated"))
    assert ended.value.code == arguments["exit"], printed.err
    if request.config.getoption("--update", default=False):
        rewrite(case / "expected", written)
        (case / "stdout.txt").write_text(out, encoding="utf-8")
        (case / "stderr.txt").write_text(err, encoding="utf-8")
    assert out == (case / "stdout.txt").read_text(encoding="utf-8")
    assert err == (case / "stderr.txt").read_text(encoding="utf-8")
    assert written == files_below(case / "expected")
