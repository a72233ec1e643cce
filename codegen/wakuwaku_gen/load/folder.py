"""Read every schema file below a folder."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from wakuwaku_gen.diagnostics import Diagnostics, Note, Span
from wakuwaku_gen.load.conform import conform
from wakuwaku_gen.load.toml import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wakuwaku_gen.load.nodes import Table

__all__ = ["DEVICES", "Document", "Folder", "load_folder", "shown_path"]

_ALLOW: Final = "let your user read it, or move it out of the schema folder"

#: Names no file can have on Windows, whatever its suffix.
DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))}
)


@dataclass(frozen=True, slots=True)
class Document:
    """Hold a schema file: where it is, how it is called relative to the schema folder, and its raw schema."""

    path: Path
    name: PurePosixPath
    root: Table


@dataclass(frozen=True, slots=True)
class Folder:
    """Hold the schema files of a folder, sorted by name.

    `complete` is False when a file could not be read or parsed: then what it declares is missing, and looking for
    unknown names makes no sense.
    """

    documents: tuple[Document, ...]
    complete: bool


def load_folder(root: Path, diagnostics: Diagnostics, *, shown_from: Path | None = None) -> Folder:
    """Read every `*.toml` below a folder, in sorted posix order, and check it against the table of keys.

    Diagnostics show paths relative to `shown_from` (default: the current directory) when they lie below it. Links to
    folders are followed; one that leads back to a folder above it is reported.
    """
    reader = _Reader(root, shown_from or Path.cwd(), diagnostics)
    if not reader.is_folder():
        return Folder((), complete=False)
    found = sorted(reader.find(), key=lambda path: path.relative_to(root).as_posix())
    if not found and not diagnostics.failed:
        help_ = "write a schema such as `schemas/shop.toml` first"
        diagnostics.error("WK002", Span(reader.shown(root)), "there is no `*.toml` file in this folder", help_)
    _check_names(reader, root, found, diagnostics)
    documents = [document for path in found if (document := reader.read(path)) is not None]
    return Folder(tuple(documents), complete=not reader.lost)


def shown_path(path: Path, shown_from: Path) -> PurePosixPath:
    """Return a path as diagnostics show it: relative to a folder when it lies below that, else absolute."""
    absolute = path.absolute()
    below = absolute.is_relative_to(shown_from)
    return PurePosixPath((absolute.relative_to(shown_from) if below else absolute).as_posix())


class _Reader:
    """Read files, and remember whether something was lost."""

    def __init__(self, root: Path, shown_from: Path, diagnostics: Diagnostics) -> None:
        self._root = root
        self._shown_from = shown_from.absolute()
        self._diagnostics = diagnostics
        self.lost = False

    def shown(self, path: Path) -> PurePosixPath:
        """Return a path as the user would find it."""
        return shown_path(path, self._shown_from)

    def is_folder(self) -> bool:
        """Tell whether the schema folder is one; report it otherwise."""
        try:
            mode = self._root.stat().st_mode
        except OSError as error:
            return self._lose("WK001", self._root, f"the schema folder can't be read: {_reason(error)}")
        if not stat.S_ISDIR(mode):
            message = "this is a file, not a folder"
            return self._lose("WK001", self._root, message, "name the folder that holds the schema files")
        return True

    def find(self) -> Iterator[Path]:
        """Find the schema files, in no order."""
        pending = [(self._root, frozenset({self._root.resolve()}))]
        while pending:
            folder, above = pending.pop()
            try:
                entries = list(os.scandir(folder))
            except OSError as error:
                self._lose("WK003", folder, f"the folder can't be read: {_reason(error)}", _ALLOW)
                continue
            for entry in entries:
                path = folder / entry.name
                if _is_folder(entry):
                    real = path.resolve()
                    if real in above:
                        self._lose("WK003", path, "this link leads back to a folder above it", "remove the link")
                    else:
                        pending.append((path, above | {real}))
                elif entry.name.endswith(".toml"):
                    if entry.name.isprintable():
                        yield path
                    else:
                        named = path.with_name(entry.name.encode("utf-8", "backslashreplace").decode())
                        self._lose("WK003", named, "the name of the file is no plain text", "give it another name")

    def read(self, path: Path) -> Document | None:
        """Read one file, or report why that fails."""
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                self._lose(
                    "WK003", path, "the file can't be read: not a regular file", "remove it, or give it another name"
                )
                return None
            data = path.read_bytes()
        except OSError as error:
            self._lose("WK003", path, f"the file can't be read: {_reason(error)}", _ALLOW)
            return None
        root = parse(data, self.shown(path), self._diagnostics)
        if root is None or not conform(root, self._diagnostics):
            self.lost = True
            return None
        return Document(path.absolute(), PurePosixPath(path.relative_to(self._root).as_posix()), root)

    def _lose(self, rule: str, path: Path, message: str, help_: str | None = None) -> bool:
        self._diagnostics.error(rule, Span(self.shown(path)), message, help_)
        self.lost = True
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself; reading it says so
        return False


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _check_names(reader: _Reader, root: Path, paths: list[Path], diagnostics: Diagnostics) -> None:
    """Report file names that some file systems can't keep apart, or can't have at all."""
    seen: dict[str, Path] = {}
    for path in paths:
        name = path.relative_to(root)
        for part in name.parts:
            if part.partition(".")[0].lower() in DEVICES:
                message = f"{part!r} is the name of a device on Windows"
                diagnostics.error("WK009", Span(reader.shown(path)), message, "rename the file")
        first = seen.setdefault(name.as_posix().casefold(), path)
        if first is not path:
            note = Note(Span(reader.shown(first)), "the other file")
            message = "two files whose names differ only in letter case"
            diagnostics.error("WK009", Span(reader.shown(path)), message, "rename one of them", notes=[note])
