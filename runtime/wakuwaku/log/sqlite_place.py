"""Noticing that the file of an open log is not at its place any more.

A deleted file can be written to as long as it is open: a log that did not look would go on for days and lose it all at
its end. And a program that opens a file put there instead would share -wal and -shm files with us that are not its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from wakuwaku.errors import LogError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["OpenedFile"]


@final
class OpenedFile:
    """Know which file was opened at a path, and that its write-ahead log is the one beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            real = path.resolve()  # SQLite follows a link, and keeps its other files beside the real one
        except (OSError, RuntimeError) as error:  # a link to itself
            raise LogError(f"{path}: no log can be kept there: {error}") from error
        self._wal = real.with_name(f"{real.name}-wal")
        self._opened: tuple[tuple[int, int] | None, tuple[int, int] | None] = (None, None)

    def remember(self) -> None:
        """Take the files that are there now for those that are open; to be called once they are."""
        self._opened = (_identity(self._path), _identity(self._wal))

    def check(self) -> None:
        """Look again; it takes two microseconds. Raises `LogError`."""
        file, wal = self._opened
        if file is not None and _identity(self._path) != file:
            raise LogError(
                f"{self._path} was deleted, moved or replaced while it was open; what is written now would be lost with"
                " it. Stop every program that has it open, put the right file in its place, and start again"
            )
        if wal is not None and _identity(self._wal) != wal:
            raise LogError(
                f"{self._wal} was deleted or replaced while {self._path.name} was open, and with it what was written"
                " last. Stop every program that has the log open, run `wakuwaku log check`, and start again"
            )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
