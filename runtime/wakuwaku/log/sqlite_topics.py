"""Topics and the offsets consumers stored, as rows of an SQLite log; what writes needs the write lock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from wakuwaku.log.arguments import check_partition, check_same_partitions
from wakuwaku.log.protocol import TopicInfo

if TYPE_CHECKING:
    import sqlite3

__all__ = ["all_topics", "create_topic", "find_topic", "load_offset", "store_offset", "topic_id"]

_ONE: Final = "SELECT id, partitions FROM topic WHERE stream = ? AND name = ?"
_ALL: Final = "SELECT name, partitions FROM topic WHERE stream = ? ORDER BY name"
_CREATE: Final = "INSERT INTO topic (stream, name, partitions, created_at_ms) VALUES (?, ?, ?, ?)"
_LOAD: Final = "SELECT offset FROM consumer_offset WHERE consumer = ? AND topic_id = ? AND partition = ?"
_STORE: Final = """
    INSERT OR REPLACE INTO consumer_offset (consumer, topic_id, partition, offset, stored_at_ms) VALUES (?, ?, ?, ?, ?)
"""


def all_topics(connection: sqlite3.Connection, stream: str) -> list[TopicInfo]:
    """Return the topics of a stream by name."""
    return [TopicInfo(name, partitions) for name, partitions in connection.execute(_ALL, (stream,))]


def find_topic(connection: sqlite3.Connection, stream: str, name: str) -> TopicInfo | None:
    """Return a topic, or None when there is none."""
    row = connection.execute(_ONE, (stream, name)).fetchone()
    return None if row is None else TopicInfo(name, row[1])


def create_topic(connection: sqlite3.Connection, stream: str, name: str, partitions: int) -> TopicInfo:
    """Create a topic or return the one there is. Raises `TopicMismatchError`."""
    existing = find_topic(connection, stream, name)
    if existing is None:
        connection.execute(_CREATE, (stream, name, partitions, _now_ms()))
    else:
        check_same_partitions(name, partitions, existing.partitions)
    return TopicInfo(name, partitions)


def topic_id(connection: sqlite3.Connection, stream: str, name: str, partition: int) -> int:
    """Return the row id of a topic that has the partition. Raises `TopicNotFoundError`."""
    found, partitions = connection.execute(_ONE, (stream, name)).fetchone() or (0, None)
    check_partition(name, partition, partitions)
    return int(found)


def load_offset(connection: sqlite3.Connection, consumer: str, topic: int, partition: int) -> int | None:
    """Return the offset a consumer stored last, or None."""
    row = connection.execute(_LOAD, (consumer, topic, partition)).fetchone()
    return None if row is None else int(row[0])


def store_offset(connection: sqlite3.Connection, consumer: str, topic: int, partition: int, offset: int) -> None:
    """Store a consumer's offset in place of the one before."""
    connection.execute(_STORE, (consumer, topic, partition, offset, _now_ms()))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
