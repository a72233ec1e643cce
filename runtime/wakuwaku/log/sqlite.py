"""`SqliteLog`: the embedded log, a single file that several processes of one machine may use at once."""

from __future__ import annotations

import math
import os
import sqlite3
import time
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar, final

from wakuwaku.errors import LogClosedError
from wakuwaku.log import sqlite_batch, sqlite_commit, sqlite_lease, sqlite_topics
from wakuwaku.log.arguments import check_count, check_lease_seconds, check_name, check_offset, check_partitions
from wakuwaku.log.lease import Grant, lease_of, this_machine
from wakuwaku.log.open_log import OpenLog
from wakuwaku.log.protocol import Bounds, Lease, Page, TopicInfo
from wakuwaku.log.sqlite_errors import explained
from wakuwaku.log.sqlite_file import Fsync, open_reader, open_writer
from wakuwaku.log.sqlite_place import OpenedFile
from wakuwaku.log.sqlite_thread import ConnectionThread, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wakuwaku.headers import Record
    from wakuwaku.log.sqlite_thread import Work

__all__ = ["SqliteLog"]

T = TypeVar("T")

#: Bytes that share one commit at most, so that the first caller of a large group does not wait for ever.
GROUP_BYTES: Final = 8 * 1024 * 1024
#: What a write without records counts for.
SMALL_BYTES: Final = 64


@final
class SqliteLog(OpenLog):
    """Keep records in an SQLite file: offsets from 0 without gaps, durable when `append` returns.

    Open one with `await SqliteLog.open(path)`. The streams of a file are apart: a log sees the topics of its own only.
    Writes go through one thread, where all that wait when a transaction starts share one commit; reads have a thread
    and connection of their own and never hold back a write. A call whose caller is cancelled is done whole or not at
    all. Use one object from one event loop, and open it again after a fork. When the file is deleted, moved or replaced
    while the log is open, every call fails with a `LogError` that says so.
    """

    def __init__(
        self,
        path: Path,
        stream: str,
        writer: ConnectionThread,
        reader: ConnectionThread,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._clock = clock
        self._stream = stream
        self._writer = writer
        self._reader = reader
        self._closed = False

    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str],
        *,
        stream: str = "default",
        fsync: Fsync = "full",
        busy_timeout: float = 5.0,
        create: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open a log; when there is no file it is created, or with `create` false refused. The folder must exist.

        `fsync` "full" returns from a write when it is on the disk, at one fsync a commit. "normal" survives the crash
        of a process, but a power cut may take the last commits; what is left is whole. `busy_timeout` is how many
        seconds a write waits for another process's. `clock` returns Unix seconds; leases go by it.

        Raises `LogFormatError` for a file that is not a log, is damaged or is newer, `LogUnavailableError` for one that
        stays locked, another `LogError` for a place no log can be kept at, and `ValueError` for a bad stream name.
        """
        check_name("stream", stream)
        place = Path(path).absolute()  # noqa: ASYNC240 - asks for the working folder, not for the disk
        opened = OpenedFile(place)

        def connect() -> sqlite3.Connection:
            connection = open_writer(place, fsync, busy_timeout, create=create)
            connection.execute("PRAGMA schema_version").fetchone()  # reading is what makes SQLite open its other files
            opened.remember()
            return connection

        def begin(connection: sqlite3.Connection) -> None:
            opened.check()
            sqlite_commit.begin(connection)

        def commit(connection: sqlite3.Connection, works: Sequence[Work]) -> list[Outcome]:
            outcomes = sqlite_commit.commit(connection, works)
            opened.check()  # nothing is told to be durable that went into a deleted file
            return outcomes

        writer = ConnectionThread(
            "wakuwaku-log-writer", connect=connect, begin=begin, run=commit, round_size=GROUP_BYTES
        )
        reader = ConnectionThread(
            "wakuwaku-log-reader",
            connect=partial(open_reader, place, busy_timeout),
            begin=lambda _: opened.check(),
            run=_run_each,
            round_size=0,  # one read a round: no page waits for the next
        )
        try:
            await writer.start()
            await reader.start()
        except BaseException as error:
            _stop(reader, writer)
            if isinstance(error, sqlite3.Error):
                raise explained(error, place) from error
            raise
        return cls(place, stream, writer, reader, clock)

    def __repr__(self) -> str:
        state = " closed" if self._closed else ""
        return f"<SqliteLog {str(self._path)!r} stream={self._stream!r}{state}>"

    def __del__(self, _warn: Callable[..., None] = warnings.warn) -> None:
        if not self._closed:
            _warn(f"unclosed log {self!r}", ResourceWarning, source=self)
            _stop(self._reader, self._writer)

    async def topics(self) -> Sequence[TopicInfo]:
        """Return all topics of the stream, sorted by name."""
        return await self._read(partial(sqlite_topics.all_topics, stream=self._stream))

    async def topic(self, name: str) -> TopicInfo | None:
        """Return a topic, or None when it does not exist."""
        return await self._read(partial(sqlite_topics.find_topic, stream=self._stream, name=name))

    async def create_topic(self, name: str, partitions: int) -> TopicInfo:
        """Create a topic, or return it when it exists with the same number of partitions.

        Raises `TopicMismatchError` when it exists with another number.
        """
        self._check_open()
        check_name("topic", name)
        check_partitions(partitions)
        work = partial(sqlite_topics.create_topic, stream=self._stream, name=name, partitions=partitions)
        return await self._write(work, SMALL_BYTES)

    async def bounds(self, topic: str, partition: int) -> Bounds:
        """Return which offsets a partition holds now. Raises `TopicNotFoundError`."""

        def work(connection: sqlite3.Connection) -> Bounds:
            return sqlite_batch.read_bounds(connection, self._topic_id(connection, topic, partition), partition)

        return await self._read(work)

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        """Append records behind one another, all or none, and return the first one's offset once they are durable.

        An empty sequence appends nothing and returns None. Raises `TopicNotFoundError`, `FencedError` for a `lease`
        that was lost, `ValueError` for a record of more than 64 MB, and `TypeError` for one that could not be read
        again.
        """
        self._check_open()
        rows = sqlite_batch.rows_of(records)

        def work(connection: sqlite3.Connection) -> int | None:
            topic_id = self._topic_id(connection, topic, partition)
            self._check_fence(connection, lease)
            return sqlite_batch.append_rows(connection, topic_id, partition, rows)

        if not rows:
            await self._read(work)
            return None
        return await self._write(work, sum(len(row.blob) for row in rows))

    async def read(self, topic: str, partition: int, offset: int, count: int) -> Page:
        """Return up to `count` records from `offset` on, fewer when they add up to more than 16 MiB.

        An offset behind the end gives an empty page; only that, or a `count` of 0, does. Raises `TopicNotFoundError`.
        """
        self._check_open()
        check_offset(offset)
        check_count(count)

        def work(connection: sqlite3.Connection) -> Page:
            topic_id = self._topic_id(connection, topic, partition)
            return sqlite_batch.read_page(connection, topic_id, partition, offset, count)

        return await self._read(work)

    async def load_offset(self, consumer: str, topic: str, partition: int) -> int | None:
        """Return the offset the consumer stored last, or None. Raises `TopicNotFoundError`."""

        def work(connection: sqlite3.Connection) -> int | None:
            topic_id = self._topic_id(connection, topic, partition)
            return sqlite_topics.load_offset(connection, consumer, topic_id, partition)

        return await self._read(work)

    async def store_offset(
        self, consumer: str, topic: str, partition: int, offset: int, *, lease: Lease | None = None
    ) -> None:
        """Store the last offset that is done, durably; a lower one than before is taken too.

        Raises `TopicNotFoundError`, and `FencedError` for a `lease` that was lost.
        """
        self._check_open()
        check_name("consumer", consumer)
        check_offset(offset)

        def work(connection: sqlite3.Connection) -> None:
            topic_id = self._topic_id(connection, topic, partition)
            self._check_fence(connection, lease)
            sqlite_topics.store_offset(connection, consumer, topic_id, partition, offset)

        await self._write(work, SMALL_BYTES)

    async def lease(self, consumer: str, topic: str, partition: int, *, holder: str, seconds: float) -> Lease:
        """Take the lease of a consumer on a partition, renew the one `holder` has, or with 0 seconds give it up.

        Raises `LeaseHeldError` when somebody else holds it, and `TopicNotFoundError`.
        """
        self._check_open()
        check_name("consumer", consumer)
        check_name("holder", holder)
        check_lease_seconds(seconds)
        length_ms, machine = math.ceil(seconds * 1_000), this_machine()

        def work(connection: sqlite3.Connection) -> Grant:
            place = (consumer, self._topic_id(connection, topic, partition), partition)
            now_ms = int(self._clock() * 1_000)
            return sqlite_lease.ask(
                connection, place, holder=holder, machine=machine, length_ms=length_ms, now_ms=now_ms
            )

        grant = await self._write(work, SMALL_BYTES)
        return lease_of(grant, (consumer, topic, partition), holder, machine, length_ms)

    async def close(self) -> None:
        """Finish what was accepted and let go of the file. Closing twice is fine."""
        if not self._closed:
            self._closed = True
            _stop(self._reader, self._writer)
        await self._reader.finished()
        await self._writer.finished()

    def _check_open(self) -> None:
        if self._closed:
            raise LogClosedError(f"the log {self._path} is closed")

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._submit(self._reader, work, 0)

    async def _write(self, work: Callable[[sqlite3.Connection], T], size: int) -> T:
        return await self._submit(self._writer, work, size)

    async def _submit(self, thread: ConnectionThread, work: Callable[[sqlite3.Connection], T], size: int) -> T:
        self._check_open()
        try:
            result: T = await thread.submit(work, size)
        except sqlite3.Error as error:
            raise explained(error, self._path) from error
        return result

    def _check_fence(self, connection: sqlite3.Connection, lease: Lease | None) -> None:
        if lease is not None:
            sqlite_lease.check(connection, self._stream, lease)

    def _topic_id(self, connection: sqlite3.Connection, topic: str, partition: int) -> int:
        return sqlite_topics.topic_id(connection, self._stream, topic, partition)


def _run_each(connection: sqlite3.Connection, works: Sequence[Work]) -> list[Outcome]:
    return [Outcome(work(connection)) for work in works]


def _stop(reader: ConnectionThread, writer: ConnectionThread) -> None:
    # One behind the other: the last connection of a file takes -wal and -shm away, and of two that close in the same
    # instant each sees the other and neither does.
    reader.stop(then=writer.stop)
