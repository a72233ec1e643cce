"""Export of an SQLite log as lines, and import of such lines into another one, offsets kept."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wakuwaku.errors import LogError, LogFormatError, TopicNotFoundError
from wakuwaku.headers import HEAD_LENGTH
from wakuwaku.log import sqlite_batch, sqlite_topics
from wakuwaku.log.arguments import check_name, check_offset
from wakuwaku.log.export_format import (
    FORMAT,
    EndLine,
    LogLine,
    RecordLine,
    StoredLine,
    TopicLine,
    encode_line,
    read_lines,
)
from wakuwaku.log.retention import Retention
from wakuwaku.log.sqlite_errors import explained
from wakuwaku.log.sqlite_file import open_reader, open_writer
from wakuwaku.log.sqlite_retention import Topic, find_topics, set_retention
from wakuwaku.log.upkeep import BUSY_TIMEOUT, transaction, writing

if TYPE_CHECKING:
    import os

    from wakuwaku.headers import Record

__all__ = ["Imported", "export_log", "import_log"]

PAGE_ROWS: Final = 100
_ROWS: Final = """
    SELECT base, count, appended_at_ms, records FROM batch
    WHERE topic_id = ? AND partition = ? AND base > ? AND base < ? ORDER BY base LIMIT ?
"""
_STORED: Final = (
    "SELECT consumer, partition, offset FROM consumer_offset WHERE topic_id = ? ORDER BY consumer, partition"
)


@dataclass(frozen=True, slots=True)
class Imported:
    """Tell what an import brought."""

    topics: int
    records: int
    stored: int


def export_log(
    path: str | os.PathLike[str], *, stream: str = "default", topics: Collection[str] | None = None
) -> Iterator[bytes]:
    """Export a stream, or some `topics` of it, as lines of the format `export_format` describes.

    It is the log as it is at the beginning: of what is appended or stored meanwhile nothing comes in. Other programs
    may go on working; do not compact while it runs. Raises `TopicNotFoundError`, `LogFormatError` for damage, and what
    opening a log raises.
    """
    place = Path(path).absolute()
    try:
        with writing(place):
            pass  # brings an older file up, and says what is wrong with one that is none
        with closing(open_reader(place, BUSY_TIMEOUT)) as connection:
            yield from _export(connection, stream, topics)
    except sqlite3.Error as error:
        raise explained(error, place) from error


def _export(connection: sqlite3.Connection, stream: str, names: Collection[str] | None) -> Iterator[bytes]:
    connection.execute("BEGIN")  # one view of topics, ends and stored offsets; records up to an end never change
    topics = [topic for topic in find_topics(connection) if topic.stream == stream]
    missing = sorted({*(names or ())} - {topic.name for topic in topics})
    if missing:
        raise TopicNotFoundError(f"there is no topic {missing[0]!r} in stream {stream!r}")
    topics = [topic for topic in topics if names is None or topic.name in names]
    ends = {
        (topic.id, partition): sqlite_batch.read_bounds(connection, topic.id, partition).end
        for topic in topics
        for partition in range(topic.partitions)
    }
    stored = [
        StoredLine(consumer, topic.name, partition, offset)
        for topic in topics
        for consumer, partition, offset in connection.execute(_STORED, (topic.id,))
    ]
    connection.execute("COMMIT")

    yield encode_line(LogLine(FORMAT, stream, time.time_ns() // 1_000_000))
    for topic in topics:
        kept = topic.retention
        yield encode_line(
            TopicLine(topic.name, topic.partitions, kept.max_age, kept.max_bytes, drop_consumed=kept.drop_consumed)
        )
    records = 0
    for topic in topics:
        for partition in range(topic.partitions):
            for line in _records(connection, topic, partition, ends[topic.id, partition]):
                yield encode_line(line)
                records += 1
    yield from map(encode_line, stored)
    yield encode_line(EndLine(records))


def _records(connection: sqlite3.Connection, topic: Topic, partition: int, end: int) -> Iterator[RecordLine]:
    last = -1
    while rows := connection.execute(_ROWS, (topic.id, partition, last, end, PAGE_ROWS)).fetchall():
        for base, count, at_ms, blob in rows:
            place = f"the records of {topic.name}/{partition} from offset {base} on"
            try:
                records = sqlite_batch.decoded_row(blob, count)
            except ValueError as error:
                raise LogFormatError(f"{place} can't be read: {error}; see `wakuwaku log check`") from error
            for offset, record in enumerate(records, start=base):
                if len(record.head) not in {0, HEAD_LENGTH}:
                    raise LogFormatError(f"{place} can't be exported: the head of offset {offset} is no head")
                yield RecordLine(topic.name, partition, offset, at_ms, record.headers, record.body)
            last = base


def import_log(path: str | os.PathLike[str], lines: Iterable[bytes], *, stream: str | None = None) -> Imported:
    """Import an export into the log of a file, which is created when there is none; offsets stay what they were.

    Topics are created, into `stream` or the one they come from; one that holds records already is refused, as is one of
    another shape. It is one transaction: after an error nothing of it is there, and other programs wait to write until
    it is over. Raises `LogFormatError` for lines that are no export, `TopicMismatchError`, another `LogError` for a
    topic that is not empty, and what opening a log raises.
    """
    place = Path(path).absolute()
    try:
        with closing(open_writer(place, "full", BUSY_TIMEOUT)) as connection, transaction(connection):
            return _Importer(connection, stream).run(lines)
    except sqlite3.Error as error:
        raise explained(error, place) from error


class _Importer:
    """Write the records of an export in rows, as they were appended."""

    def __init__(self, connection: sqlite3.Connection, stream: str | None) -> None:
        self._connection = connection
        self._stream = stream
        self._topics: dict[str, int] = {}
        self._pending: list[Record] = []
        self._first: RecordLine | None = None

    def run(self, lines: Iterable[bytes]) -> Imported:
        """Write all lines and tell what they were."""
        records = stored = 0
        for number, line in read_lines(lines):
            try:
                match line:
                    case RecordLine():
                        self._add(line)
                        records += 1
                    case StoredLine(consumer, topic, partition, offset):
                        check_name("consumer", consumer)
                        check_offset(offset)
                        sqlite_topics.store_offset(self._connection, consumer, self._topics[topic], partition, offset)
                        stored += 1
                    case LogLine(stream=own):
                        self._stream = self._stream or own
                        check_name("stream", self._stream)
                    case TopicLine():
                        self._create(line)
                    case EndLine():  # never yielded
                        raise AssertionError
            except (TypeError, ValueError) as error:
                raise LogFormatError(f"line {number}: {error}") from error
        self._flush()
        return Imported(len(self._topics), records, stored)

    def _create(self, line: TopicLine) -> None:
        assert self._stream is not None  # noqa: S101 - the log line came first
        check_name("topic", line.name)
        sqlite_topics.create_topic(self._connection, self._stream, line.name, line.partitions)
        id_ = sqlite_topics.topic_id(self._connection, self._stream, line.name, 0)
        if self._connection.execute("SELECT 1 FROM batch WHERE topic_id = ? LIMIT 1", (id_,)).fetchone():
            raise LogError(
                f"topic {line.name!r} of stream {self._stream!r} holds records; import into an empty one, or another"
                " stream"
            )
        if line.retention != Retention():
            set_retention(self._connection, id_, line.retention)
        self._topics[line.name] = id_

    def _add(self, line: RecordLine) -> None:
        first = self._first
        if first is None or len(self._pending) >= sqlite_batch.ROW_RECORDS or not _goes_on(first, self._pending, line):
            self._flush()
            self._first = line
        self._pending.append(line.record)

    def _flush(self) -> None:
        if self._first is not None:
            rows = sqlite_batch.rows_of(self._pending)
            place = (self._topics[self._first.topic], self._first.partition)
            sqlite_batch.insert_rows(self._connection, *place, rows, base=self._first.offset, at_ms=self._first.at_ms)
        self._first, self._pending = None, []


def _goes_on(first: RecordLine, pending: list[Record], line: RecordLine) -> bool:
    begun = (first.topic, first.partition, first.at_ms, first.offset + len(pending))
    return begun == (line.topic, line.partition, line.at_ms, line.offset)
