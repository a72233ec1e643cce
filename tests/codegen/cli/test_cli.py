"""The command `wakuwaku-gen`, as a user runs it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.codegen.building import KEY
from wakuwaku_gen import app as use_cases
from wakuwaku_gen.cli import app, main

SHOP = f'wakuwaku = 1\nnamespace = "shop"\ndoc = "A shop."\n{KEY}'
SOLD = '[event.Sold]\ntag = 1\nkey = "BoxKey"\ndoc = "Sold."\n'
PACKED = '[event.Packed]\ntag = 2\nkey = "BoxKey"\ndoc = "Packed."\n'
ARGUMENTS = ("schemas", "-o", "out")


class Result(NamedTuple):
    code: object
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Result:
        with pytest.raises(SystemExit) as ended:
            app(list(arguments), prog_name="wakuwaku-gen")
        printed = capsys.readouterr()
        return Result(ended.value.code, printed.out, printed.err)

    return run


@pytest.fixture
def schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A schema with two events, in the current directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "schemas" / "shop.toml"
    path.parent.mkdir()
    path.write_text(SHOP + SOLD + PACKED, encoding="utf-8")
    return path


@pytest.mark.usefixtures("schema")
def test_a_run_tells_what_it_did(run: Run) -> None:
    """Files by name, then a summary; the second run has nothing to do."""
    first = run(*ARGUMENTS)
    second = run(*ARGUMENTS)

    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("created  out/shop/__init__.py\n")
    created = first.out.count("created  ")
    assert f"\n1 namespace, 2 events: {created} created in " in first.out
    assert second.out.startswith(f"1 namespace, 2 events: {created} unchanged in ")


def test_a_removed_event_takes_its_output_along(run: Run, schema: Path) -> None:
    """Its exports go, its handler stays and is mentioned; a check lists both kinds of change first."""
    run(*ARGUMENTS)
    schema.write_text(SHOP + SOLD, encoding="utf-8")

    checked = run(*ARGUMENTS, "--check")
    done = run(*ARGUMENTS)

    assert checked.code == 1
    assert "changed  out/shop/events.py\n" in checked.out
    assert "not as the schema makes them (last written by wakuwaku-gen " in checked.out
    assert done.code == 0
    assert "updated  out/shop/events.py\n" in done.out
    assert done.err == (
        "out/shop/handlers/packed.py: nothing in the schema needs this handler any more\n"
        "help: move what you still need, then delete the file\n"
    )
    assert "Packed" not in (schema.parents[1] / "out" / "shop" / "__init__.py").read_text()


def test_a_renamed_namespace_moves_its_package(run: Run, schema: Path) -> None:
    """The old package goes but for the handlers, which belong to the user."""
    run(*ARGUMENTS)
    schema.write_text((SHOP + SOLD).replace('"shop"', '"store"'), encoding="utf-8")

    done = run(*ARGUMENTS)

    out = schema.parents[1] / "out"
    assert "deleted  out/shop/events.py\n" in done.out
    assert sorted(path.name for path in (out / "shop").iterdir()) == ["handlers"]
    assert (out / "store" / "handlers" / "sold.py").exists()


def test_a_check_names_every_difference_with_its_kind(run: Run, schema: Path) -> None:
    """Missing, edited and stale files; nothing is written."""
    run(*ARGUMENTS)
    out = schema.parents[1] / "out" / "shop"
    (out / "codecs.py").unlink()
    (out / "contracts.py").write_text("edited")
    (out / "handlers" / "sold.py").write_text("filled in")

    checked = run(*ARGUMENTS, "--check")

    assert checked.code == 1
    assert checked.out.splitlines()[:2] == ["missing  out/shop/codecs.py", "edited   out/shop/contracts.py"]
    assert "2 files not as the schema makes them" in checked.out
    assert checked.err.startswith("out/shop/contracts.py: it was edited by hand\n")
    assert not (out / "codecs.py").exists()


def test_a_check_of_a_clean_output_passes(run: Run, schema: Path) -> None:
    """Also when the user has filled in one handler and deleted another."""
    run(*ARGUMENTS)
    handlers = schema.parents[1] / "out" / "shop" / "handlers"
    (handlers / "sold.py").write_text("filled in")
    (handlers / "packed.py").unlink()

    assert run(*ARGUMENTS, "--check").code == 0


def test_an_edited_file_stops_the_run_until_it_is_given_up(run: Run, schema: Path) -> None:
    """The file is named, with the way out, and nothing is written."""
    run(*ARGUMENTS)
    edited = schema.parents[1] / "out" / "shop" / "events.py"
    edited.write_text("edited")

    refused = run(*ARGUMENTS)
    forced = run(*ARGUMENTS, "--force")

    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "out/shop/events.py: it was edited by hand\n"
        "help: undo the edit, or give it up with --force\n"
        "1 file in the way; nothing was written\n"
    )
    assert forced.code == 0
    assert edited.read_text() != "edited"


def test_an_edited_file_that_is_not_needed_any_more_is_named_as_such(run: Run, schema: Path) -> None:
    """The user learns that the file would be deleted."""
    run(*ARGUMENTS)
    (schema.parents[1] / "out" / "shop" / "events.py").write_text("edited")
    schema.write_text((SHOP + SOLD).replace('"shop"', '"store"'), encoding="utf-8")

    assert "it was edited by hand, and nothing in the schema makes it any more\n" in run(*ARGUMENTS).err


def test_what_is_in_the_way_is_named(run: Run, schema: Path) -> None:
    """A link is never followed."""
    out = schema.parents[1] / "out" / "shop"
    out.mkdir(parents=True)
    (out / "events.py").symlink_to(schema)

    assert "out/shop/events.py: it is a symbolic link\nhelp: move it elsewhere" in run(*ARGUMENTS).err


def test_a_deleted_handler_is_written_again_on_request(run: Run, schema: Path) -> None:
    """Only with --recreate."""
    run(*ARGUMENTS)
    handler = schema.parents[1] / "out" / "shop" / "handlers" / "sold.py"
    handler.unlink()

    run(*ARGUMENTS)
    assert not handler.exists()
    run(*ARGUMENTS, "--recreate")
    assert handler.exists()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (SHOP + SOLD + '[event.Sold.fields]\nat = "datetme"\n', ["15:7", "unknown type 'datetme'", "'datetime'"]),
        (SHOP + SOLD + PACKED.replace("2", "1"), ["15:7", "tag 1", "the next free tag is 2"]),
        (SHOP + SOLD.replace('key = "BoxKey"\n', ""), ["10:1", "needs the key 'key'", "help: "]),
        (SHOP + "[event.Sold\n", ["10:12", "not valid TOML"]),
    ],
)
def test_a_schema_error_has_its_place_reason_and_way_out(run: Run, schema: Path, text: str, parts: list[str]) -> None:
    """Exit code 1, and not even the output folder is made."""
    schema.write_text(text, encoding="utf-8")

    failed = run(*ARGUMENTS)

    assert (failed.code, failed.out) == (1, "")
    assert failed.err.startswith(f"schemas/shop.toml:{parts[0]}: WK")
    assert [part for part in parts if part not in failed.err] == []
    assert failed.err.endswith("1 error; nothing was written\n")
    assert not (schema.parents[1] / "out").exists()


def test_a_schema_file_that_is_no_text_is_a_schema_error(run: Run, schema: Path) -> None:
    """There is no source line to show, so only the place is."""
    schema.write_bytes(b"\xff\xfe\x00")

    failed = run(*ARGUMENTS)

    assert failed.code == 1
    assert failed.err.startswith("schemas/shop.toml:1:1: WK")
    assert " | " not in failed.err


def test_a_missing_schema_folder_is_told(run: Run, schema: Path) -> None:
    """By name."""
    failed = run("nowhere", "-o", "out")

    assert failed.code == 1
    assert failed.err.startswith("nowhere:1:1: WK")


def test_an_output_that_holds_the_schemas_is_wrong_use(run: Run, schema: Path) -> None:
    """Exit code 2, with the way out."""
    failed = run("schemas", "-o", ".")

    assert (failed.code, failed.out) == (2, "")
    assert failed.err == (
        "error: the output folder . holds the schemas\nhelp: name a folder for the output alone, with -o\n"
    )


@pytest.mark.parametrize("arguments", [(), ("schemas",), ("schemas", "-o", "out", "--format", "xml"), ("--odd",)])
def test_wrong_flags_are_wrong_use(run: Run, arguments: tuple[str, ...]) -> None:
    """Exit code 2 and the usage."""
    failed = run(*arguments)

    assert failed.code == 2
    assert "Usage: wakuwaku-gen" in failed.err


def test_a_disk_that_says_no_is_told_without_a_traceback(
    run: Run, schema: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, the file and the reason."""

    def full(self: Path, target: object) -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))

    monkeypatch.setattr(Path, "replace", full)

    failed = run(*ARGUMENTS)

    assert failed.code == 2
    assert failed.err.startswith("error: out/.wakuwaku-unfinished: no space left on device\nhelp: ")


def test_an_error_without_a_file_is_told_too(run: Run, schema: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the system says."""

    def broken(*_: object, **__: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(use_cases, "survey", broken)

    assert run(*ARGUMENTS).err.startswith("error: the disk is gone\n")


def test_an_interrupted_run_says_how_to_go_on(run: Run, schema: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 130, as shells have it."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(use_cases, "survey", interrupted)

    assert run(*ARGUMENTS) == (130, "", "interrupted; run the command again to finish\n")


def test_the_version_is_printed(run: Run) -> None:
    """And nothing else is asked for."""
    assert run("--version").out.startswith("wakuwaku-gen ")


def test_github_annotations_name_the_files(run: Run, schema: Path) -> None:
    """Differences, refusals and orphans stand at their files."""
    run(*ARGUMENTS)
    schema.write_text(SHOP + SOLD, encoding="utf-8")
    (schema.parents[1] / "out" / "shop" / "codecs.py").write_text("edited")

    lines = run(*ARGUMENTS, "--check", "--format", "github").out.splitlines()

    assert "::error file=out/shop/events.py,title=changed::this file is not what the schema makes; " in "\n".join(lines)
    assert "::error file=out/shop/codecs.py,title=edited::it was edited by hand%0Ahelp: undo" in "\n".join(lines)
    assert "::warning file=out/shop/handlers/packed.py,title=orphaned::nothing in the schema" in "\n".join(lines)
    assert lines[-1].startswith("1 namespace, 1 event: ")


def test_github_annotations_tell_failures_and_notes(run: Run, schema: Path) -> None:
    """With their help, on one line each."""
    failed = run("schemas", "-o", ".", "--format", "github")
    schema.write_text(SHOP + SOLD + PACKED.replace("2", "1"), encoding="utf-8")
    twice = run(*ARGUMENTS, "--format", "github")

    assert failed.out.startswith("::error title=wakuwaku-gen::the output folder . holds the schemas%0Ahelp: ")
    assert "%0Ahelp: the next free tag is 2%0Anote: schemas/shop.toml:11:7: " in twice.out
    assert "title=WK201" in twice.out


def test_json_lists_every_file(run: Run, schema: Path) -> None:
    """For tools: what was done to each file, and why."""
    out = run(*ARGUMENTS, "--format", "json").out

    assert '"status": "done"' in out
    assert '"path": "out/shop/handlers/sold.py",\n      "kind": "stub",\n      "action": "create",' in out


def test_json_tells_failures(run: Run, schema: Path) -> None:
    """Message and help."""
    assert '"message": "the output folder . holds the schemas"' in run("schemas", "-o", ".", "--format", "json").out


def test_the_module_runs_as_the_command() -> None:
    """`python -m wakuwaku_gen` is `wakuwaku-gen`, and help needs none of the generator."""
    probe = (
        "import sys, runpy; sys.argv = ['x', '--help']\n"
        "try: runpy.run_module('wakuwaku_gen', run_name='__main__')\n"
        "except SystemExit as ended: print(ended.code, {'jinja2', 'tree_sitter', 'rich'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("Usage: wakuwaku-gen")
    assert done.stdout.endswith("0 set()\n")


def test_main_runs_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As the script does that packaging installs."""
    monkeypatch.setattr(sys, "argv", ["wakuwaku-gen", "--version"])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("wakuwaku-gen ")
