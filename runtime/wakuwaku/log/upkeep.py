"""Upkeep of an SQLite log: what its topics keep, making the file small, and forgetting a consumer.

These are plain functions on a file, for a command line or a thread (`asyncio.to_thread`). Programs that have the log
open may go on working meanwhile; each function says what they notice.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from wakuwaku.errors import LeaseHeldError, LogUnavailableError, TopicNotFoundError
from wakuwaku.log import sqlite_commit
from wakuwaku.log.retention import Retention
from wakuwaku.log.sqlite_errors import explained
from wakuwaku.log.sqlite_file import open_writer
from wakuwaku.log.sqlite_retention import Kept, Removed, Topic, allowed_below, find_topics, remove_some
from wakuwaku.log.sqlite_retention import forget as forget_rows
from wakuwaku.log.sqlite_retention import set_retention as set_row

__all__ = ["Compaction", "Kept", "Removed", "compact", "forget", "retention_of", "set_retention", "writing"]

#: Upkeep waits longer for other programs than they wait for each other.
BUSY_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Compaction:
    """Tell what `compact` did.

    `removed` is by stream, topic and partition; `kept` tells which consumers still need records that are due to go.
    Sizes are bytes of the file with its write-ahead log. `in_use` is true when another program was just reading, so
    that the file is cut the next time.
    """

    removed: Mapping[tuple[str, str, int], Removed]
    kept: Sequence[Kept]
    size_before: int
    size_after: int
    in_use: bool


@contextmanager
def writing(path: str | os.PathLike[str]) -> Generator[sqlite3.Connection]:
    """Open the file of a log that exists, to write to it; errors of SQLite are raised as `LogError`."""
    place = Path(path).absolute()
    try:
        with closing(open_writer(place, "full", BUSY_TIMEOUT, create=False)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise explained(error, place) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Hold the write lock for a block that takes effect as a whole."""
    sqlite_commit.begin(connection)
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def retention_of(path: str | os.PathLike[str], topic: str, *, stream: str = "default") -> Retention:
    """Return what a topic is set to keep. Raises `TopicNotFoundError` and what opening a log raises."""
    with writing(path) as connection:
        return _find(connection, stream, topic).retention


def set_retention(path: str | os.PathLike[str], topic: str, retention: Retention, *, stream: str = "default") -> None:
    """Set what a topic keeps; the file remembers it, and `compact` acts on it.

    `Retention()` keeps all. Raises `TopicNotFoundError` and what opening a log raises.
    """
    with writing(path) as connection, transaction(connection):
        set_row(connection, _find(connection, stream, topic).id, retention)


def forget(path: str | os.PathLike[str], topic: str, consumer: str, *, stream: str = "default") -> bool:
    """Forget a consumer of a topic that will not come back, so that no record is kept for it.

    Its stored offsets and leases in the topic go: should it come back, it begins at the first record. Returns whether
    it was known. Raises `LeaseHeldError` when it is running, `TopicNotFoundError` and what opening a log raises.
    """
    with writing(path) as connection, transaction(connection):
        topic_id = _find(connection, stream, topic).id
        held = connection.execute(
            "SELECT holder, until_ms FROM lease WHERE topic_id = ? AND consumer = ? AND holder != '' AND until_ms > ?",
            (topic_id, consumer, time.time_ns() // 1_000_000),
        ).fetchone()
        if held is not None:
            raise LeaseHeldError(
                f"{held[0]!r} is running as consumer {consumer!r} of topic {topic!r}; stop it first",
                holder=held[0],
                until_ms=held[1],
            )
        return forget_rows(connection, topic_id, consumer) > 0


def compact(path: str | os.PathLike[str], *, vacuum: bool = True, now_ms: int | None = None) -> Compaction:
    """Remove what the topics' retention lets go of, and give the room back to the disk.

    Readers see a gap, and `bounds` a later first offset. Removing goes in small transactions, beside which others read
    and write. `vacuum` then writes the file anew: other programs read on, and wait to write until that is over; without
    it the room is used for new records. `now_ms` (Unix milliseconds, default now) is what ages are counted to.

    Raises `LogUnavailableError` when there is no room to write the file anew (what was removed stays removed), and what
    opening a log raises.
    """
    now_ms = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    place = Path(path).absolute()
    with writing(place) as connection:
        before = _size(place)
        removed: dict[tuple[str, str, int], Removed] = {}
        kept: list[Kept] = []
        for topic in find_topics(connection):
            if topic.retention != Retention():
                for partition in range(topic.partitions):
                    gone, held = _clear(connection, topic, partition, now_ms)
                    if gone.records:
                        removed[topic.stream, topic.name, partition] = gone
                    if held is not None:
                        kept.append(held)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if vacuum:
            _check_room(connection, place)
            connection.execute("VACUUM")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return Compaction(removed, kept, before, _size(place), bool(busy))


def _clear(connection: sqlite3.Connection, topic: Topic, partition: int, now_ms: int) -> tuple[Removed, Kept | None]:
    allowed = allowed_below(connection, topic, partition, now_ms)
    total = Removed(0, 0)
    while True:
        with transaction(connection):
            gone, kept = remove_some(connection, find_topics(connection), topic, partition, allowed)
        if not gone.records:
            return total, kept
        total = Removed(total.records + gone.records, total.size + gone.size)


def _check_room(connection: sqlite3.Connection, place: Path) -> None:
    # SQLite writes the new file into a temporary folder and then, through the write-ahead log, beside the old one.
    pages, free, page_size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    needed = (pages - free) * page_size
    temporary = Path(os.environ.get("SQLITE_TMPDIR") or tempfile.gettempdir())
    together = temporary.stat().st_dev == place.parent.stat().st_dev
    for folder, size in ((place.parent, needed * (2 if together else 1)), (temporary, needed)):
        room = shutil.disk_usage(folder).free
        if room < size:
            raise LogUnavailableError(
                f"{place}: writing the file anew takes {size:,} bytes for a while, and {folder} has room for {room:,};"
                " free some, name another folder by SQLITE_TMPDIR, or compact without writing anew"
            )


def _size(place: Path) -> int:
    files = (place, place.with_name(f"{place.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _find(connection: sqlite3.Connection, stream: str, name: str) -> Topic:
    for topic in find_topics(connection):
        if (topic.stream, topic.name) == (stream, name):
            return topic
    raise TopicNotFoundError(f"there is no topic {name!r} in stream {stream!r}")
