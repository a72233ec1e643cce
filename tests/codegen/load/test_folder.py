"""Reading a folder finds every schema file, and tells what it can't read."""

import os
from pathlib import Path

import pytest

from wakuwaku_gen.diagnostics import Diagnostics
from wakuwaku_gen.load import Folder, load_folder

HEAD = 'wakuwaku = 1\nnamespace = "shop"\n'


def load(root: Path, shown_from: Path) -> tuple[Folder, list[str]]:
    diagnostics = Diagnostics()
    folder = load_folder(root, diagnostics, shown_from=shown_from)
    return folder, [f"{item.span} {item.rule} {item.message}" for item in diagnostics.sorted()]


def test_files_come_in_sorted_posix_order_from_all_levels(tmp_path: Path) -> None:
    for name in ("b.toml", "a/z.toml", "a.toml", "a/b/c.toml", "a-b.toml", "notes.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD)
    folder, told = load(tmp_path, tmp_path)
    assert [str(document.name) for document in folder.documents] == [
        *("a-b.toml", "a.toml", "a/b/c.toml", "a/z.toml", "b.toml")
    ]
    assert (folder.complete, told) == (True, [])


def test_paths_are_shown_as_the_user_finds_them(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "schemas/shop.toml").write_text("broken")
    _, below = load(tmp_path / "schemas", tmp_path)
    _, outside = load(tmp_path / "schemas", tmp_path / "elsewhere")
    assert below[0].startswith("schemas/shop.toml:1:1 WK006")
    assert outside[0].startswith(f"{(tmp_path / 'schemas/shop.toml').as_posix()}:1:1 WK006")


def test_a_relative_folder_is_shown_from_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/shop.toml").write_text("broken")
    monkeypatch.chdir(tmp_path)
    diagnostics = Diagnostics()
    load_folder(Path("schemas"), diagnostics)
    assert str(diagnostics.items[0].span) == "schemas/shop.toml:1:1"


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    folder, told = load(tmp_path / "schemas", tmp_path)
    assert told == ["schemas:1:1 WK001 the schema folder can't be read: no such file or directory"]
    assert not folder.complete


def test_a_file_in_the_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(HEAD)
    _, told = load(tmp_path / "shop.toml", tmp_path)
    assert told == ["shop.toml:1:1 WK001 this is a file, not a folder"]


def test_a_folder_without_schemas_is_reported(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/shop.yaml").write_text("")
    folder, told = load(tmp_path / "schemas", tmp_path)
    assert told == ["schemas:1:1 WK002 there is no `*.toml` file in this folder"]
    assert folder.documents == ()


def test_links_are_followed_but_not_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "schemas/deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/more.toml").write_text(HEAD)
    (tmp_path / "schemas/linked").symlink_to(tmp_path / "other")
    (tmp_path / "schemas/deep/again").symlink_to(tmp_path / "schemas")
    (tmp_path / "schemas/self.toml").symlink_to(tmp_path / "schemas/self.toml")
    (tmp_path / "schemas/dangling.toml").symlink_to(tmp_path / "nowhere.toml")
    folder, told = load(tmp_path / "schemas", tmp_path)
    assert [str(document.name) for document in folder.documents] == ["linked/more.toml"]
    assert told == [
        "schemas/dangling.toml:1:1 WK003 the file can't be read: no such file or directory",
        "schemas/deep/again:1:1 WK003 this link leads back to a folder above it",
        "schemas/self.toml:1:1 WK003 the file can't be read: too many levels of symbolic links",
    ]
    assert not folder.complete


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "shop.toml")
    _, told = load(tmp_path, tmp_path)
    assert told == ["shop.toml:1:1 WK003 the file can't be read: not a regular file"]


def test_a_file_one_may_not_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    (tmp_path / "shop.toml").write_text(HEAD)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    _, told = load(tmp_path, tmp_path)
    assert told == ["shop.toml:1:1 WK003 the file can't be read: permission denied"]


def test_file_names_that_windows_can_not_have_are_reported(tmp_path: Path) -> None:
    for name in ("con.toml", "Orders.toml", "orders.toml", "Nul.d/a.toml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD)
    if len(list(tmp_path.iterdir())) < 4:
        pytest.skip("the file system does not tell letter case apart")
    _, told = load(tmp_path, tmp_path)
    assert told == [
        "Nul.d/a.toml:1:1 WK009 'Nul.d' is the name of a device on Windows",
        "con.toml:1:1 WK009 'con.toml' is the name of a device on Windows",
        "orders.toml:1:1 WK009 two files whose names differ only in letter case",
    ]


def test_one_broken_file_does_not_hide_the_mistakes_of_another(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("broken")
    (tmp_path / "b.toml").write_text(HEAD + "dok = 'x'\n")
    folder, told = load(tmp_path, tmp_path)
    assert [line.split(" ")[1] for line in told] == ["WK006", "WK010"]
    assert not folder.complete


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    folder, told = load(tmp_path, tmp_path)
    assert told == ["pipe.toml:1:1 WK003 the file can't be read: not a regular file"]
    assert not folder.complete


def test_a_file_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/sh\xffop.toml"
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - a path of bytes
        file.write(HEAD)
    _, told = load(tmp_path, tmp_path)
    assert told == ["sh\\udcffop.toml:1:1 WK003 the name of the file is no plain text"]
