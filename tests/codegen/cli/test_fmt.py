"""`wakuwaku fmt`: files and folders, each file by a rename, and none that has an error."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from tests.codegen.conftest import RunCommand
from wakuwaku_gen.cli.fmt import fmt

HEAD = 'wakuwaku = 1\nnamespace = "shop"\n'
TIDY = f'{HEAD}doc = "x"\n'
UNTIDY = f'{HEAD}doc="x"  \n'
BROKEN = f'{HEAD}[struct.A]\nfields . x="Lost"\n'


@pytest.fixture
def schemas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tidy file and, below it, one that is not."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "schemas"
    (folder / "more").mkdir(parents=True)
    (folder / "tidy.toml").write_text(TIDY)
    (folder / "more" / "untidy.toml").write_text(UNTIDY.replace("shop", "more"))
    return folder


def test_a_folder_is_formatted(schemas: Path, run_command: RunCommand) -> None:
    """Files that change are named; the second run changes none."""
    first = run_command(fmt, "schemas")
    second = run_command(fmt, "schemas")

    assert first == (0, "formatted schemas/more/untidy.toml\n1 formatted, 1 unchanged\n", "")
    assert second == (0, "0 formatted, 2 unchanged\n", "")
    assert (schemas / "more" / "untidy.toml").read_text() == TIDY.replace("shop", "more")


def test_single_files_are_formatted(schemas: Path, run_command: RunCommand) -> None:
    """As a hook before a commit names them; once, even when they are named twice."""
    done = run_command(fmt, "schemas/more/untidy.toml", "schemas/tidy.toml", "schemas/tidy.toml")

    assert (done.code, done.out.splitlines()[-1]) == (0, "1 formatted, 1 unchanged")


def test_a_check_writes_nothing(schemas: Path, run_command: RunCommand) -> None:
    """And exits with 1."""
    checked = run_command(fmt, "--check", "schemas")

    assert checked == (1, "would format schemas/more/untidy.toml\n1 would change, 1 unchanged\n", "")
    assert (schemas / "more" / "untidy.toml").read_text() == UNTIDY.replace("shop", "more")


def test_a_diff_shows_what_would_change(schemas: Path, run_command: RunCommand) -> None:
    """And writes nothing either."""
    shown = run_command(fmt, "--diff", "schemas")

    assert shown.code == 1
    assert shown.out.startswith("--- a/schemas/more/untidy.toml\n+++ b/schemas/more/untidy.toml\n@@ -1,3 +1,3 @@\n")
    assert '-doc="x"  \n+doc = "x"\n' in shown.out
    assert (schemas / "more" / "untidy.toml").read_text() == UNTIDY.replace("shop", "more")


def test_a_file_with_an_error_is_told_and_left_alone(schemas: Path, run_command: RunCommand) -> None:
    """The others are formatted; in a folder an unknown type is an error, too."""
    (schemas / "tidy.toml").write_text(BROKEN)

    done = run_command(fmt, "schemas")

    assert done.code == 1
    assert done.out == "formatted schemas/more/untidy.toml\n1 formatted, 0 unchanged, 1 with errors\n"
    assert done.err.startswith("schemas/tidy.toml:4:13: WK102 unknown type 'Lost'\n    4 | fields . x=")
    assert (schemas / "tidy.toml").read_text() == BROKEN


def test_a_warning_is_no_reason_to_leave_a_file_alone(schemas: Path, run_command: RunCommand) -> None:
    """Nor is it told: that is what generating is for."""
    (schemas / "tidy.toml").write_text(f'{HEAD}[struct.A]\nallow={{WK150="?"}}\ndoc="x"\n')

    assert run_command(fmt, "schemas").out.splitlines()[-1] == "2 formatted, 0 unchanged"


def test_a_single_file_needs_no_other(schemas: Path, run_command: RunCommand) -> None:
    """What it refers to may be declared elsewhere."""
    (schemas / "tidy.toml").write_text(BROKEN)

    assert run_command(fmt, "schemas/tidy.toml").code == 0
    assert (schemas / "tidy.toml").read_text() == f'{HEAD}\n[struct.A]\nfields.x = "Lost"\n'


def test_a_file_keeps_its_permissions_and_its_place_behind_a_link(schemas: Path, run_command: RunCommand) -> None:
    """The link stays a link."""
    target = schemas.parent / "elsewhere.toml"
    target.write_text(UNTIDY)
    target.chmod(0o640)
    (schemas / "tidy.toml").unlink()
    (schemas / "tidy.toml").symlink_to(target)

    run_command(fmt, "schemas")

    assert (schemas / "tidy.toml").is_symlink()
    assert target.read_text() == TIDY
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_disk_that_says_no_leaves_the_file_as_it_was(
    schemas: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing beside it."""

    def full(self: Path, target: object) -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))

    monkeypatch.setattr(Path, "replace", full)

    failed = run_command(fmt, "schemas")

    assert failed.code == 2
    assert "no space left on device\nhelp: " in failed.err
    assert [path.name for path in (schemas / "more").iterdir()] == ["untidy.toml"]
    assert (schemas / "more" / "untidy.toml").read_text() == UNTIDY.replace("shop", "more")


def test_a_file_that_can_not_be_read_is_told(
    schemas: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a schema error, at its place; the others are formatted."""
    read = Path.read_bytes

    def refusing(self: Path) -> bytes:
        if self.name == "tidy.toml":
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refusing)

    failed = run_command(fmt, "schemas/tidy.toml", "schemas/more/untidy.toml")

    assert failed.code == 1
    assert failed.out.splitlines() == ["formatted schemas/more/untidy.toml", "1 formatted, 0 unchanged, 1 with errors"]
    assert failed.err.startswith("schemas/tidy.toml:1:1: WK003 the file can't be read: permission denied\n")


@pytest.mark.parametrize(("path", "rule"), [("nowhere", "WK001"), ("schemas/nothing.toml", "WK001")])
def test_a_path_that_is_not_there_is_told(path: str, rule: str, schemas: Path, run_command: RunCommand) -> None:
    """By name."""
    failed = run_command(fmt, path)

    assert failed.code == 1
    assert failed.err.startswith(f"{path}:1:1: {rule} ")


def test_without_a_path_it_is_wrong_use(run_command: RunCommand) -> None:
    """Exit code 2 and the usage."""
    assert run_command(fmt).code == 2
