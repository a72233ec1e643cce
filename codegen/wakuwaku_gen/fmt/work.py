"""Format files and folders: all that can be, each file by a rename, and none that has an error."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wakuwaku_gen.check import bind
from wakuwaku_gen.diagnostics import Diagnostic, Diagnostics, Severity, Span
from wakuwaku_gen.fmt.text import format_schema
from wakuwaku_gen.load import load_folder
from wakuwaku_gen.load.folder import shown_path

__all__ = ["Formatted", "Formatting", "format_paths"]


@dataclass(frozen=True, slots=True)
class Formatted:
    """Hold a schema file that is not in the one form: its path as shown, and its text before and after."""

    path: PurePosixPath
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Formatting:
    """Tell what formatting found: which files change, how many are fine already, and what is wrong with others."""

    changed: Sequence[Formatted]
    unchanged: int
    diagnostics: Sequence[Diagnostic]


def format_paths(paths: Sequence[Path], *, write: bool = True) -> Formatting:
    """Format schema files, and all of those below folders; a file with an error stays as it is.

    A folder is a whole schema, of which every error counts. Of a single file those count that it can have alone.
    Raises `OSError` when a file can't be written.
    """
    diagnostics = Diagnostics()
    changed: list[Formatted] = []
    unchanged = 0
    files = dict.fromkeys(file for path in paths for file in _sound_files(path, diagnostics))
    for file in files:
        formatted = _format(file, diagnostics)
        if formatted is None:
            continue
        if formatted.before == formatted.after:
            unchanged += 1
            continue
        changed.append(formatted)
        if write:
            _replace(file, formatted.after.encode())
    return Formatting(changed, unchanged, diagnostics.sorted())


def _sound_files(path: Path, diagnostics: Diagnostics) -> Iterator[Path]:
    """Return the files at or below a path that have no error, and report those of the others."""
    if path.is_file():
        yield path.absolute()
        return
    documents = load_folder(path, Diagnostics()).documents
    _, found = bind(path, out_parent=path.absolute().parent)
    errors = [item for item in found.items if item.severity is Severity.ERROR]
    diagnostics.items += errors
    broken = {item.span.file for item in errors}
    yield from (one.path for one in documents if shown_path(one.path, Path.cwd()) not in broken)


def _format(path: Path, diagnostics: Diagnostics) -> Formatted | None:
    shown = shown_path(path, Path.cwd())
    found = Diagnostics()
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        diagnostics.error("WK003", Span(shown), f"the file can't be read: {reason}")
        return None
    text = format_schema(data, shown, found)
    diagnostics.items += found.items
    return None if text is None else Formatted(shown, data.decode(), text)


def _replace(path: Path, data: bytes) -> None:
    """Put bytes in place of a file at once, with its permissions; behind a link, of the file it leads to."""
    path = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        shutil.copymode(path, unfinished)
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
