"""Retention in an SQLite log: what a topic's settings let go of, what consumers still need, and removing the rest.

Rows go whole, so up to 1 000 records stay longer than the settings ask for. All of this needs the write lock: what a
consumer needs can't change between looking and removing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wakuwaku.log.arguments import MAX_OFFSET
from wakuwaku.log.retention import Retention

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

__all__ = ["Kept", "Removed", "Topic", "allowed_below", "find_topics", "forget", "remove_some", "set_retention"]

#: Rows removed in one transaction, so that no publisher waits long for the lock.
SLICE_ROWS: Final = 200

_TOPICS: Final = """
    SELECT id, stream, name, partitions, retain_seconds, retain_bytes, drop_consumed FROM topic ORDER BY stream, name
"""
_SET: Final = "UPDATE topic SET retain_seconds = ?, retain_bytes = ?, drop_consumed = ? WHERE id = ?"
_CONSUMERS: Final = """
    SELECT consumer FROM consumer_offset WHERE topic_id = :topic
    UNION SELECT consumer FROM lease WHERE topic_id = :topic
"""
_STORED: Final = "SELECT consumer, offset FROM consumer_offset WHERE topic_id = ? AND partition = ?"
_PLACE: Final = "topic_id = :topic AND partition = :partition"
_LAST: Final = f"SELECT max(base) FROM batch WHERE {_PLACE}"  # noqa: S608 - from constants, here and below
_FIRST_YOUNG: Final = f"SELECT base FROM batch WHERE {_PLACE} AND appended_at_ms >= :oldest ORDER BY base LIMIT 1"  # noqa: S608
_SIZES: Final = f"SELECT base + count, length(records) FROM batch WHERE {_PLACE} ORDER BY base DESC"  # noqa: S608
_DOOMED: Final = (
    f"SELECT id, count, length(records) FROM batch WHERE {_PLACE} AND base + count <= :below ORDER BY base LIMIT :rows"  # noqa: S608
)


class Topic(NamedTuple):
    """Hold a topic's row."""

    id: int
    stream: str
    name: str
    partitions: int
    retention: Retention


class Removed(NamedTuple):
    """Tell how much was removed."""

    records: int
    size: int


class Kept(NamedTuple):
    """Tell why records stay that the settings would let go: `consumer` needs them from offset `needs` on."""

    stream: str
    topic: str
    partition: int
    consumer: str
    needs: int


def find_topics(connection: sqlite3.Connection) -> list[Topic]:
    """Return the topics of all streams with their retention."""
    return [
        Topic(id_, stream, name, partitions, Retention(max_age=age, max_bytes=size, drop_consumed=bool(consumed)))
        for id_, stream, name, partitions, age, size, consumed in connection.execute(_TOPICS)
    ]


def set_retention(connection: sqlite3.Connection, topic: int, retention: Retention) -> None:
    """Keep a topic's retention in the file."""
    connection.execute(_SET, (retention.max_age, retention.max_bytes, retention.drop_consumed, topic))


def forget(connection: sqlite3.Connection, topic: int, consumer: str) -> int:
    """Remove what the log knows of a consumer of a topic: offsets and leases. Returns how many rows that were."""
    removed = 0
    for table in ("consumer_offset", "lease"):
        cursor = connection.execute(f"DELETE FROM {table} WHERE topic_id = ? AND consumer = ?", (topic, consumer))  # noqa: S608
        removed += cursor.rowcount
    return removed


def allowed_below(connection: sqlite3.Connection, topic: Topic, partition: int, now_ms: int) -> int:
    """Return the offset below which age or size let the records of a partition go."""
    place: dict[str, object] = {"topic": topic.id, "partition": partition}
    allowed = 0
    if topic.retention.max_age is not None:
        oldest = now_ms - int(topic.retention.max_age * 1_000)
        young = connection.execute(_FIRST_YOUNG, {**place, "oldest": oldest}).fetchone()
        allowed = MAX_OFFSET if young is None else int(young[0])
    if topic.retention.max_bytes is not None:
        total = 0
        for end, size in connection.execute(_SIZES, place):
            total += size
            if total > topic.retention.max_bytes:
                return max(allowed, int(end))
    return allowed


def remove_some(
    connection: sqlite3.Connection, topics: Sequence[Topic], topic: Topic, partition: int, allowed: int
) -> tuple[Removed, Kept | None]:
    """Remove the oldest records of a partition that may go, a slice at a time; the last slice is empty.

    `topics` are all of the file; records below the offset `allowed` may go, if no consumer needs them, and those that
    all are done with if the topic drops them. Also tells which consumer keeps records from going, if one does.
    """
    needs = _needs(connection, topics, topic, partition)
    if topic.retention.drop_consumed and needs:
        allowed = max(allowed, min(needs.values()))
    first_needed, consumer = min(((offset, name) for name, offset in needs.items()), default=(MAX_OFFSET, ""))
    (last,) = connection.execute(_LAST, {"topic": topic.id, "partition": partition}).fetchone()
    wanted = min(allowed, last or 0)
    place = {"topic": topic.id, "partition": partition, "below": min(wanted, first_needed), "rows": SLICE_ROWS}
    rows = connection.execute(_DOOMED, place).fetchall()
    connection.executemany("DELETE FROM batch WHERE id = ?", [(id_,) for id_, _, _ in rows])
    removed = Removed(sum(count for _, count, _ in rows), sum(size for _, _, size in rows))
    kept = Kept(topic.stream, topic.name, partition, consumer, first_needed) if first_needed < wanted else None
    return removed, kept


def _needs(connection: sqlite3.Connection, topics: Sequence[Topic], topic: Topic, partition: int) -> Mapping[str, int]:
    """Return from which offset on each consumer of a topic needs a partition.

    A consumer of the topic that stored nothing in this partition has all of it to read.
    """
    needs = {consumer: 0 for (consumer,) in connection.execute(_CONSUMERS, {"topic": topic.id})}
    if not needs:
        # What waits in a retry topic is needed before its consumer stores an offset there for the first time.
        prefixes = [f"retry_{other.name}_" for other in topics if other.stream == topic.stream]
        needs = {topic.name.removeprefix(prefix): 0 for prefix in prefixes if topic.name.startswith(prefix)}
    for consumer, offset in connection.execute(_STORED, (topic.id, partition)):
        needs[consumer] = offset + 1
    return needs
