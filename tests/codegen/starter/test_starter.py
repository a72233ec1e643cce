"""`wakuwaku init`: a project that works as it comes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.codegen.conftest import RunCommand
from wakuwaku_gen.cli.init import init
from wakuwaku_gen.json_schema import json_schema

REPOSITORY = Path(__file__).parents[3]


def run_tool(folder: Path, *command: str | Path) -> str:
    tool = Path(sys.executable).with_name(str(command[0]))
    done = subprocess.run([tool, *command[1:]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def project(tmp_path: Path, run_command: RunCommand) -> Path:
    folder = tmp_path / "new" / "project"
    assert run_command(init, str(folder)).code == 0
    return folder


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_project_runs(project: Path) -> None:
    """The program publishes, consumes and shows what came of it; its test passes."""
    assert run_tool(project, "python", "-W", "error", "program.py").splitlines() == [
        "1. Write a schema: 60 minutes, done",
        "2. Fill in the handlers: 50 minutes, open",
    ]
    run_tool(project, "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "-W", "error", "test_program.py")


def test_the_project_passes_strict_mypy_and_ruff(project: Path) -> None:
    """With the settings it comes with, and in final form."""
    run_tool(project, "mypy", "--cache-dir", project / "cache", ".")
    run_tool(project, "ruff", "check", "--no-cache", "--isolated", ".")
    run_tool(project, "ruff", "format", "--no-cache", "--isolated", "--line-length", "120", "--check", ".")


def test_the_project_is_as_its_schema_makes_it(project: Path) -> None:
    """Nothing to generate, to format or to hint at."""
    arguments = ("schemas", "-o", "generated", "--check", "--fail-on", "hint")
    assert "3 events" in run_tool(project, "wakuwaku-gen", *arguments)
    assert run_tool(project, "wakuwaku", "fmt", "--check", "schemas") == "0 would change, 1 unchanged\n"


def test_editors_find_the_json_schema(project: Path) -> None:
    """The first line of the schema names the file beside it."""
    schema = project / "schemas" / "tasks.toml"
    first = schema.read_text(encoding="utf-8").splitlines()[0]
    named = schema.parent / first.removeprefix("#:schema ")
    assert json.loads(named.read_text(encoding="utf-8")) == json_schema()


def test_the_files_and_the_next_steps_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_command: RunCommand
) -> None:
    """Without an argument, the project is the current folder."""
    monkeypatch.chdir(tmp_path)

    told = run_command(init)

    assert told.out.startswith("created  board.py\n")
    assert "created  generated from the schema\n\nNext:\n  python program.py " in told.out
    assert (tmp_path / "generated" / "tasks" / "events.py").is_file()


@pytest.mark.parametrize("name", ["program.py", "generated/mine.py", "schemas/tasks.toml"])
def test_nothing_that_is_there_is_overwritten(name: str, tmp_path: Path, run_command: RunCommand) -> None:
    """The files in the way are named, and no other file is written."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")

    refused = run_command(init, str(tmp_path))

    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"error: there already: {tmp_path}/{name.removesuffix('/mine.py')}")
    assert files_below(tmp_path) == {name: b"mine"}


def test_a_second_run_changes_nothing(project: Path, run_command: RunCommand) -> None:
    """Also when the user has deleted a part of it."""
    (project / "program.py").unlink()
    before = files_below(project)

    assert run_command(init, str(project)).code == 2
    assert files_below(project) == before


def test_a_disk_that_says_no_is_told_without_a_traceback(tmp_path: Path, run_command: RunCommand) -> None:
    """Exit code 2, with the place."""
    (tmp_path / "file").write_text("")

    failed = run_command(init, str(tmp_path / "file"))

    assert failed.code == 2
    assert failed.err.startswith(f"error: {tmp_path}/file")
