"""Opening the file of an SQLite log: what is checked first, and how its connections are set up."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Final, Literal, TypeAlias

from wakuwaku.errors import LogError
from wakuwaku.log.sqlite_mount import network_filesystem_of
from wakuwaku.log.sqlite_schema import prepare

__all__ = ["Fsync", "open_reader", "open_untouched", "open_writer"]

Fsync: TypeAlias = Literal["full", "normal"]

#: Pages the write-ahead log may hold before a commit copies them into the file (16 MiB), and what is kept of it then.
CHECKPOINT_PAGES: Final = 4_096
WAL_BYTES: Final = 64 * 1024 * 1024

_MOUNTS: Final = Path("/proc/self/mountinfo")


def open_writer(path: Path, fsync: Fsync, busy_timeout: float, *, create: bool = True) -> sqlite3.Connection:
    """Open the file for the only thread of this process that writes to it; a new file becomes a log if that is wanted.

    Raises `LogError` for a place no log can be kept at, `LogFormatError`, and `sqlite3.Error`. Nothing but the file is
    created, and SQLite's -wal and -shm beside it.
    """
    _check_place(path)
    if not create and not path.exists():
        raise LogError(f"{path}: there is no such file, so no log to look at")
    connection = _connect(path, busy_timeout)
    try:
        prepare(connection, path)
        _switch_to_wal(connection, busy_timeout)
        connection.execute(f"PRAGMA synchronous = {fsync}")
        connection.execute(f"PRAGMA fullfsync = {'ON' if fsync == 'full' else 'OFF'}")  # macOS: down to the platter
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
        # Some builds write zeros over what is deleted: that would take as much room again, just when room is short.
        connection.execute("PRAGMA secure_delete = FAST")
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path, busy_timeout: float) -> sqlite3.Connection:
    """Open a log the writer has prepared, for reading; a reader sees what is committed and holds back no writer."""
    connection = _connect(path, busy_timeout)
    connection.execute("PRAGMA query_only = ON")
    return connection


def open_untouched(path: Path, busy_timeout: float = 60.0) -> sqlite3.Connection:
    """Open a file that exists for looking at it, whatever it is; nothing in it changes.

    Raises `LogError` for a place no log can be kept at or without a file, and `sqlite3.Error`.
    """
    _check_place(path)
    if not path.exists():
        raise LogError(f"{path}: there is no such file, so no log to look at")
    return open_reader(path, busy_timeout)


def _connect(path: Path, busy_timeout: float) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=busy_timeout, isolation_level=None)


def _check_place(path: Path) -> None:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # a name that is too long, a link to itself, a folder that is closed to us
        raise LogError(f"{path}: no log can be kept there: {error}") from error
    if path.is_dir():
        raise LogError(f"{path} is a folder; name the file the log is to be kept in")
    if not path.parent.is_dir():
        raise LogError(f"{path}: there is no folder {path.parent}; create it first")
    filesystem = network_filesystem_of(path.resolve(), _MOUNTS.read_text() if _MOUNTS.exists() else "")
    if filesystem is not None:
        raise LogError(
            f"{path} is on a network file system ({filesystem}), whose locks do not keep a log whole;"
            " keep it on a local disk"
        )


def _switch_to_wal(connection: sqlite3.Connection, busy_timeout: float) -> None:
    # Done once in the life of a file. SQLite does not always wait for the lock this needs, so several processes that
    # open a new file together would fail by chance.
    deadline = time.monotonic() + busy_timeout
    while _pragma(connection, "journal_mode") != "wal":
        try:
            if _pragma(connection, "journal_mode = WAL") != "wal":
                raise LogError("SQLite can't keep a write-ahead log here; keep the log on a local disk")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(0.005)


def _pragma(connection: sqlite3.Connection, text: str) -> str:
    (value,) = connection.execute(f"PRAGMA {text}").fetchone()
    return str(value)
