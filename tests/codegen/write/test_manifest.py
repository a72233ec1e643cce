"""The manifest knows what is ours, and is not believed when it makes no sense."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest

from tests.codegen.write.folders import TOOL
from wakuwaku_gen.render import FileKind
from wakuwaku_gen.write import WriteError, check_output, read_manifest
from wakuwaku_gen.write.manifest import MANIFEST, Entry, Manifest, parse_manifest


def test_a_manifest_reads_back_as_it_was_written() -> None:
    """Sorted by path, with what was pending."""
    manifest = Manifest(
        TOOL,
        {
            PurePosixPath("b.py"): Entry(FileKind.GENERATED, "schemas/shop.toml", "12", "34"),
            PurePosixPath("a/h.py"): Entry(FileKind.STUB, "schemas/shop.toml", None),
        },
    )

    data = manifest.encode()

    assert parse_manifest(data) == manifest
    assert list(json.loads(data)["files"]) == ["a/h.py", "b.py"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"wakuwaku": 1, "tool": "x"}',
        '{"wakuwaku": 1, "tool": "x", "files": {"a.py": {}}}',
        '{"wakuwaku": 1, "tool": "x", "files": {"a.py": {"kind": "odd", "source": ""}}}',
        '{"wakuwaku": 1, "tool": "x", "files": {"a.py": {"kind": "stub", "source": "", "sha256": 1}}}',
        *(
            json.dumps({"wakuwaku": 1, "tool": "x", "files": {path: {"kind": "stub", "source": ""}}})
            for path in ("/etc/passwd", "../a.py", "a/../../b.py", "", "C:\\a.py", "a\\b.py")
        ),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, text: str) -> None:
    """Also when it names files outside of the output; the way out is told."""
    (tmp_path / MANIFEST).write_text(text)

    with pytest.raises(WriteError, match="can't be read") as refused:
        read_manifest(tmp_path, TOOL)

    assert "delete it" in refused.value.help


def test_a_manifest_of_a_newer_tool_is_refused() -> None:
    """Its meaning is unknown, so nothing may be deleted by it."""
    with pytest.raises(WriteError, match="newer than this tool"):
        parse_manifest(b'{"wakuwaku": 2, "tool": "x", "files": {}}')


def test_a_linked_manifest_is_refused(tmp_path: Path) -> None:
    """Nothing is written through a link."""
    (tmp_path / MANIFEST).symlink_to(tmp_path / "other.json")

    with pytest.raises(WriteError, match="symbolic link"):
        read_manifest(tmp_path, TOOL)


def test_an_output_folder_is_one_for_the_output_alone(tmp_path: Path) -> None:
    """Not a link, a file, a repository, or a folder that holds the schemas."""
    schemas = tmp_path / "project" / "schemas"
    schemas.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "repository")
    (tmp_path / "file").touch()
    reasons = {
        "link": "is a symbolic link",
        "file": "is not a folder",
        "repository": "is a repository",
        "repository/.git/inside": "lies in a repository's own .git",
        "project": "holds the schemas",
        "project/schemas": "holds the schemas",
    }

    for name, reason in reasons.items():
        with pytest.raises(WriteError, match=reason):
            check_output(tmp_path / name, schemas)
    check_output(tmp_path / "project" / "generated", schemas)
    check_output(schemas / "generated", schemas)
