"""A disk that remembers every write, and what of it would be left if the power went at any moment.

SQLite runs on it through a VFS of apsw, beneath the real `SqliteLog`: the same statements in the same threads. Writes
reach the real files too, so the program notices nothing.

What is promised to SQLite here is what file systems promise: a write that was synced stays; each other one, and each
512 bytes of it, stays or not by chance, in any combination; a new file is there after its first sync, and a deleted
one may come back until the folder is synced with the next new file.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import apsw

from wakuwaku.log import sqlite_file

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    import pytest

__all__ = ["Disk", "Op"]

SECTOR: Final = 512


class Op(NamedTuple):
    """One thing done to a file, or with the kind "mark" a remark of the test's own."""

    kind: str
    file: str = ""
    offset: int = 0
    data: bytes = b""
    mark: object = None


class Disk:
    """Record what SQLite does to files; `connect` opens a database on this disk."""

    def __init__(self, name: str) -> None:
        self.ops: list[Op] = []
        self._name = name
        self._vfs = _Vfs(name, self)

    def use(self, patch: pytest.MonkeyPatch) -> None:
        """Let every log that is opened from now on keep its files here."""
        patch.setattr(sqlite_file, "_connect", self.connect)

    def connect(self, path: Path, busy_timeout: float) -> sqlite3.Connection:
        """Open a database."""
        connection = apsw.Connection(str(path), vfs=self._name)
        connection.set_busy_timeout(int(busy_timeout * 1_000))
        return cast("sqlite3.Connection", connection)  # as far as the log uses it

    def mark(self, mark: object) -> None:
        """Remember that something happened between two things done to files."""
        self.ops.append(Op("mark", mark=mark))

    def syncs_of(self, suffix: str) -> int:
        """Count the fsyncs of files whose name ends so."""
        return sum(op.kind == "sync" and op.file.endswith(suffix) for op in self.ops)

    def after_power_loss(self, moment: int, chance: random.Random, share: float) -> dict[str, bytes]:
        """Return the files as they are when the power goes before operation `moment`.

        `share` is how likely a sector that was written and not synced is there.
        """
        files: dict[str, _File] = {}
        doomed: set[str] = set()
        for op in self.ops[:moment]:
            if op.kind == "delete":
                doomed.add(op.file)
            elif op.kind != "mark":
                if op.file in doomed:  # made anew, under the same name
                    doomed.discard(op.file)
                    files.pop(op.file, None)
                file = files.setdefault(op.file, _File())
                if op.kind == "sync" and not file.there:
                    for name in doomed:  # the folder is synced
                        files.pop(name, None)
                    doomed.clear()
                file.take(op)
        for name in sorted(doomed):
            if chance.random() < share:
                files.pop(name, None)
        return {name: bytes(file.left(chance, share)) for name, file in files.items() if file.there}


class _File:
    """What is on the disk of a file, and what waits for a sync."""

    def __init__(self) -> None:
        self.there = False
        self.synced = bytearray()
        self.waiting: list[Op] = []

    def take(self, op: Op) -> None:
        if op.kind == "sync":
            for waiting in self.waiting:
                _apply(self.synced, waiting)
            self.waiting = []
            self.there = True
        else:
            self.waiting.append(op)

    def left(self, chance: random.Random, share: float) -> bytearray:
        left = bytearray(self.synced)
        for op in self.waiting:
            for piece in _sectors(op):
                if chance.random() < share:
                    _apply(left, piece)
        return left


def _sectors(op: Op) -> Iterator[Op]:
    """Cut a write where sectors begin."""
    if op.kind != "write":
        yield op
        return
    start = 0
    while start < len(op.data):
        stop = min(len(op.data), start + SECTOR - (op.offset + start) % SECTOR)
        yield op._replace(offset=op.offset + start, data=op.data[start:stop])
        start = stop


def _apply(content: bytearray, op: Op) -> None:
    if op.kind == "truncate":
        del content[op.offset :]
        return
    content.extend(bytes(max(0, op.offset + len(op.data) - len(content))))
    content[op.offset : op.offset + len(op.data)] = op.data


class _Vfs(apsw.VFS):
    def __init__(self, name: str, disk: Disk) -> None:
        super().__init__(name, "")
        self._disk = disk

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> _VfsFile:  # noqa: N802 - SQLite's names
        return _VfsFile(self._disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self._disk.ops.append(Op("delete", Path(filename).name))
        super().xDelete(filename, syncdir)


class _VfsFile(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or "temporary"
        self._disk, self._name = disk, Path(path).name

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.ops.append(Op("write", self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.ops.append(Op("truncate", self._name, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._disk.ops.append(Op("sync", self._name))
