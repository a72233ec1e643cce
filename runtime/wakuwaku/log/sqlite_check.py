"""`check`: read an SQLite log from end to end and tell all that is wrong with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wakuwaku.log.sqlite_batch import decoded_row
from wakuwaku.log.sqlite_errors import explained
from wakuwaku.log.sqlite_file import open_untouched
from wakuwaku.log.sqlite_schema import format_of

if TYPE_CHECKING:
    import os

__all__ = ["Check", "Gap", "check"]

#: Rows read at a time, so that a long check does not keep the write-ahead log from being reset.
PAGE_ROWS: Final = 100

_TOPICS: Final = "SELECT id, stream, name, partitions FROM topic ORDER BY stream, name"
_ROWS: Final = """
    SELECT base, count, records FROM batch WHERE topic_id = ? AND partition = ? AND base > ? ORDER BY base LIMIT ?
"""
_OFFSETS: Final = "SELECT consumer, partition, offset FROM consumer_offset WHERE topic_id = ?"
_ORPHANS: Final = """
    SELECT 'batch', topic_id, count(*) FROM batch WHERE topic_id NOT IN (SELECT id FROM topic) GROUP BY topic_id
    UNION ALL SELECT 'consumer_offset', topic_id, count(*) FROM consumer_offset
        WHERE topic_id NOT IN (SELECT id FROM topic) GROUP BY topic_id
"""


@dataclass(frozen=True, slots=True)
class Gap:
    """Tell which offsets a partition has no records at, between others: from `start` up to, not including, `stop`."""

    place: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Check:
    """Tell what a check read and found.

    `problems` are sentences, empty for a sound log. A gap is none: removing old records or importing others leaves
    them, and every reader sees them by the offsets.
    """

    format: int
    topics: int
    records: int
    size: int
    gaps: Sequence[Gap]
    problems: Sequence[str]


def check(path: str | os.PathLike[str]) -> Check:
    """Read all of a log, without changing it, and tell what is wrong.

    SQLite's own check of the file comes first; then every record is decoded, offsets are followed from first to last,
    and what consumers stored is compared with what there is. Other programs may go on working meanwhile.

    Raises `LogFormatError` for a file that is no log or a newer one, another `LogError` for one that can't be opened;
    damage behind that is told, not raised.
    """
    place = Path(path).absolute()
    counted = _Counted()
    problems: list[str] = []
    version = 0
    try:
        with closing(open_untouched(place)) as connection:
            version = format_of(connection, place)
            problems += _integrity(connection)
            problems += counted.read(connection)
    except sqlite3.Error as error:
        told = explained(error, place)
        if not version and error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise told from error
        problems.append(str(told))
    return Check(version, counted.topics, counted.records, counted.size, counted.gaps, problems)


def _integrity(connection: sqlite3.Connection) -> list[str]:
    return [f"SQLite: {line}" for (text,) in connection.execute("PRAGMA integrity_check") for line in _lines(str(text))]


def _lines(text: str) -> list[str]:
    return [] if text == "ok" else text.splitlines()


class _Counted:
    """Read all rows and count what they hold."""

    def __init__(self) -> None:
        self.topics = 0
        self.records = 0
        self.size = 0
        self.gaps: list[Gap] = []

    def read(self, connection: sqlite3.Connection) -> Iterator[str]:
        """Yield what is wrong with the rows."""
        for table, topic, rows in connection.execute(_ORPHANS):
            yield f"{rows} rows of table {table} belong to a topic that is not there (row id {topic})"
        for topic, stream, name, partitions in connection.execute(_TOPICS).fetchall():
            self.topics += 1
            found = connection.execute("SELECT DISTINCT partition FROM batch WHERE topic_id = ?", (topic,)).fetchall()
            for partition in sorted({*range(partitions), *(number for (number,) in found)}):
                place = f"{stream}/{name}/{partition}"
                if partition not in range(partitions):
                    yield f"{place}: there are records, but the topic has the partitions 0 to {partitions - 1}"
                yield from self._partition(connection, topic, partition, place)

    def _partition(self, connection: sqlite3.Connection, topic: int, partition: int, place: str) -> Iterator[str]:
        last_base, end = -1, None
        while rows := connection.execute(_ROWS, (topic, partition, last_base, PAGE_ROWS)).fetchall():
            for base, count, blob in rows:
                try:
                    self.records += len(decoded_row(blob, count))
                except ValueError as error:
                    yield f"{place}: the records from offset {base} on can't be read: {error}"
                self.size += len(blob)
                if end is not None and base < end:
                    yield f"{place}: offsets {base} to {end - 1} are there twice"
                elif end is not None and base > end:
                    self.gaps.append(Gap(place, end, base))
                last_base, end = base, base + count
        for consumer, where, offset in connection.execute(_OFFSETS, (topic,)).fetchall():
            # Read after the rows: what was appended since is no reason to complain.
            if where == partition and offset >= _end(connection, topic, partition):
                yield (
                    f"{place}: consumer {consumer!r} stored offset {offset}, but the records end before"
                    f" {_end(connection, topic, partition)}: some were lost"
                )


def _end(connection: sqlite3.Connection, topic: int, partition: int) -> int:
    row = connection.execute(
        "SELECT base + count FROM batch WHERE topic_id = ? AND partition = ? ORDER BY base DESC LIMIT 1",
        (topic, partition),
    ).fetchone()
    return 0 if row is None else int(row[0])
