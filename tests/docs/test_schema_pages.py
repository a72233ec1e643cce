"""What the pages say of schemas and commands is true: TOML binds, JSON validates, the reference is up to date."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import textwrap
import typing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from jsonschema import Draft4Validator

from tests.codegen.check.examples import bound, told
from wakuwaku_gen.app import Outcome, Status
from wakuwaku_gen.cli import app
from wakuwaku_gen.cli.fmt import fmt
from wakuwaku_gen.cli.schema import schema
from wakuwaku_gen.diagnostics import Diagnostic, Note, Severity, Span
from wakuwaku_gen.render import FileKind
from wakuwaku_gen.report import print_outcome
from wakuwaku_gen.write import Action, Why

ROOT = Path(__file__).parents[2]
GUIDES = [
    *("add-an-event", "rename-safely", "pick-an-algebra", "choose-an-ordering", "generate-in-ci"),
    "set-up-the-editor",
]
COMMANDS = {"wakuwaku-gen": app, "wakuwaku fmt": fmt, "wakuwaku schema": schema}


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for _, block in found]


TOML = [(name, block) for name in GUIDES for block in blocks(ROOT / "docs" / "how-to" / f"{name}.md", "toml")]


@pytest.mark.parametrize(("guide", "example"), TOML, ids=[name for name, _ in TOML])
def test_a_schema_of_a_guide_is_sound(guide: str, example: str, tmp_path: Path) -> None:
    """Without an error or a warning; the head and the key `OrderKey` may be left out."""
    model, diagnostics = bound(tmp_path, example)
    assert told(diagnostics) == []
    assert model is not None


COMMAND_LINES = sorted(
    {
        line.strip().removeprefix("- run: ").partition(" > ")[0]
        for name in GUIDES
        for line in (ROOT / "docs" / "how-to" / f"{name}.md").read_text(encoding="utf-8").splitlines()
        if line.strip().removeprefix("- run: ").startswith(("wakuwaku-gen schemas/", "wakuwaku fmt", "wakuwaku schema"))
    }
)


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_a_command_of_a_guide_is_understood(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder without schemas it fails for that reason, and not for its flags."""
    monkeypatch.chdir(tmp_path)
    name = next(name for name in COMMANDS if line.startswith(name))
    command: Any = COMMANDS[name]
    if not isinstance(command, typer.Typer):
        command = typer.Typer(add_completion=False)
        command.command()(COMMANDS[name])
    arguments = [one for one in shlex.split(line.removeprefix(name)) if one != "--watch"]

    with pytest.raises(SystemExit) as ended:
        command(arguments, prog_name=name)

    assert ended.value.code == (0 if name == "wakuwaku schema" else 1)


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The script that writes the reference pages."""
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "make_reference", module)  # dataclasses look it up there
        spec.loader.exec_module(module)
    return module


PAGES = ["rules.md", "compat-rules.md", "schema-language.md", "command-line.md", "configuration.md", "classifiers.md"]


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_what_the_program_says(name: str, reference: ModuleType) -> None:
    """`make reference` writes it anew."""
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == reference.text_of(name)


def test_every_reference_page_is_checked_here(reference: ModuleType) -> None:
    """So that a new one is."""
    assert set(reference.PAGES) == set(PAGES)


def json_description() -> dict[str, Any]:
    (block,) = blocks(ROOT / "docs" / "reference" / "output-formats.md", "json")
    described: dict[str, Any] = json.loads(block)
    Draft4Validator.check_schema(described)
    return described


def test_the_json_format_is_as_described() -> None:
    """All that an outcome can hold."""
    place = Span(Path("schemas/a.toml"))  # type: ignore[arg-type]
    found = Diagnostic(place, "WK102", "wrong", None, (Note(place, "see here"),), Severity.HINT)
    for outcome in (Outcome(Status.DONE), Outcome(Status.INVALID, [found])):
        Draft4Validator(json_description()).validate(json.loads(print_outcome(outcome, "json", lambda _: None).out))


def test_the_json_golden_cases_are_as_described() -> None:
    """What the command printed."""
    cases = [path for path in ROOT.glob("tests/cases/*/case.toml") if '"json"' in path.read_text(encoding="utf-8")]
    assert cases
    for case in cases:
        printed = json.loads((case.parent / "stdout.txt").read_text(encoding="utf-8"))
        Draft4Validator(json_description()).validate(printed)


def test_the_described_words_are_all_there_are() -> None:
    """A new status, action or reason gets its place on the page."""
    described = json_description()["properties"]
    files = described["files"]["items"]["properties"]
    found: list[tuple[list[str], type[Any]]] = [
        (described["status"]["enum"], Status),
        (described["diagnostics"]["items"]["properties"]["severity"]["enum"], Severity),
        (files["kind"]["enum"], FileKind),
        (files["action"]["enum"], Action),
        (files["why"]["enum"], Why),
    ]
    for words, kind in found:
        assert words == [one.value for one in typing.cast("Any", kind)]
