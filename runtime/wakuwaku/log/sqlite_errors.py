"""What went wrong in SQLite, in the words and classes of this package."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from wakuwaku.errors import LogError, LogFormatError, LogUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["explained"]

_MEANINGS: Final[Mapping[int, tuple[type[LogError], str]]] = {
    sqlite3.SQLITE_BUSY: (
        LogUnavailableError,
        "it is locked by another process for longer than the busy time-out; try again, or raise busy_timeout",
    ),
    sqlite3.SQLITE_PROTOCOL: (LogUnavailableError, "too many processes are opening it at once; try again"),
    sqlite3.SQLITE_FULL: (
        LogUnavailableError,
        "the disk is full, and nothing of this call was kept; free some space and try again",
    ),
    sqlite3.SQLITE_IOERR: (
        LogUnavailableError,
        "the disk fails, or a limit of size or quota is reached; nothing of this call was kept; make room, try again",
    ),
    sqlite3.SQLITE_READONLY: (
        LogError,
        "the file or its folder is read-only; a log writes the file, and -wal and -shm files beside it",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        LogError,
        "it can't be opened; a log needs the right to read and write the file, and to create files in its folder",
    ),
    sqlite3.SQLITE_CORRUPT: (
        LogFormatError,
        "the file is damaged; restore a copy, or save what can be read with `sqlite3 FILE .recover`",
    ),
    sqlite3.SQLITE_NOTADB: (
        LogFormatError,
        "the file is not an SQLite database, and so not a log, or its beginning is damaged",
    ),
}


def explained(error: sqlite3.Error, path: Path) -> LogError:
    """Return the error of this package that says what an SQLite error on the log at `path` means."""
    # Errors of the sqlite3 module itself carry no code; the low byte is the kind, the others are details of it.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_ERROR and str(error).startswith("no such"):
        return LogFormatError(f"{path}: the file calls itself a log but is incomplete ({error}); restore a copy")
    kind, meaning = _MEANINGS.get(code, (LogError, "SQLite refused the call"))
    return kind(f"{path}: {meaning} ({error})")
