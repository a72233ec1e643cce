"""Records as rows of the `batch` table: splitting and encoding on the way in, finding and decoding on the way out."""

from __future__ import annotations

import itertools
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from wakuwaku.errors import LogFormatError
from wakuwaku.headers import Record
from wakuwaku.log.protocol import Bounds, Page

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

__all__ = [
    "MAX_RECORD_BYTES",
    "ROW_RECORDS",
    "Row",
    "append_rows",
    "decoded_row",
    "insert_rows",
    "read_bounds",
    "read_page",
    "rows_of",
]

#: A row is read and decoded whole, so these bound what reading a single record costs.
ROW_RECORDS: Final = 1_000
ROW_BYTES: Final = 1024 * 1024

#: A page stops growing here, so a large `count` of large records does not fill the memory.
PAGE_BYTES: Final = 16 * ROW_BYTES

#: The largest record, headers included; Apache Iggy has the same bound.
MAX_RECORD_BYTES: Final = 64_000_000

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(list[Record])

_INSERT: Final = (
    "INSERT INTO batch (topic_id, partition, base, count, appended_at_ms, records) VALUES (?, ?, ?, ?, ?, ?)"
)
_FIRST: Final = "SELECT base FROM batch WHERE topic_id = ? AND partition = ? ORDER BY base LIMIT 1"
_END: Final = "SELECT base + count FROM batch WHERE topic_id = ? AND partition = ? ORDER BY base DESC LIMIT 1"
_PAGE: Final = """
    SELECT base, count, records FROM batch
    WHERE topic_id = :topic AND partition = :partition AND base >= ifnull(
        (SELECT max(base) FROM batch WHERE topic_id = :topic AND partition = :partition AND base <= :offset), 0
    )
    ORDER BY base
"""


class Row(NamedTuple):
    """Hold the records of one row, encoded, and how many they are."""

    held: int
    blob: bytes


def rows_of(records: Sequence[Record]) -> list[Row]:
    """Encode records as rows of bounded size, in order.

    Raises `ValueError` for a record that is too large, `TypeError` for one whose fields have the wrong type: a row that
    can't be read again would bar the partition.
    """
    rows: list[Row] = []
    for start in range(0, len(records), ROW_RECORDS):
        _split(records[start : start + ROW_RECORDS], rows)
    return rows


def _split(records: Sequence[Record], rows: list[Row]) -> None:
    try:
        blob = _ENCODER.encode(records)
        _DECODER.decode(blob)
    except (msgspec.MsgspecError, TypeError, UnicodeError) as error:
        raise TypeError(f"not a record of bytes and headers of text to bytes: {error}") from error
    if len(blob) <= ROW_BYTES:
        rows.append(Row(len(records), blob))
    elif len(records) > 1:
        pieces = min(len(records), -(-len(blob) // ROW_BYTES))
        size = -(-len(records) // pieces)
        for start in range(0, len(records), size):
            _split(records[start : start + size], rows)
    elif len(blob) <= MAX_RECORD_BYTES:
        rows.append(Row(1, blob))
    else:
        raise ValueError(f"a record has at most {MAX_RECORD_BYTES} bytes, not {len(blob)}")


def append_rows(connection: sqlite3.Connection, topic: int, partition: int, rows: Sequence[Row]) -> int:
    """Insert rows behind the last one of a partition and return the first offset; needs the write lock."""
    base = _end(connection, topic, partition)
    insert_rows(connection, topic, partition, rows, base=base, at_ms=time.time_ns() // 1_000_000)
    return base


def insert_rows(
    connection: sqlite3.Connection, topic: int, partition: int, rows: Sequence[Row], *, base: int, at_ms: int
) -> None:
    """Insert rows from the offset `base` on, where there are none yet; needs the write lock."""
    for held, blob in rows:
        connection.execute(_INSERT, (topic, partition, base, held, at_ms, blob))
        base += held


def read_bounds(connection: sqlite3.Connection, topic: int, partition: int) -> Bounds:
    """Return which offsets a partition holds."""
    # The first row before the last: rows that come in between make the bounds wider, never inside out.
    first = connection.execute(_FIRST, (topic, partition)).fetchone()
    return Bounds(0 if first is None else first[0], _end(connection, topic, partition))


def read_page(connection: sqlite3.Connection, topic: int, partition: int, offset: int, count: int) -> Page:
    """Return up to `count` records from `offset` on, fewer when they are large.

    One statement, however the records are spread over rows; it is over before anything is decoded, so that a slow
    reader does not keep the write-ahead log from being reset. Raises `LogFormatError` for a row that does not decode.
    """
    rows: list[tuple[int, int, bytes]] = []
    missing, size = count, 0
    with closing(connection.cursor()) as cursor:
        if missing:
            cursor.execute(_PAGE, {"topic": topic, "partition": partition, "offset": offset})
            for base, held, blob in cursor:
                if base + held <= offset:
                    continue  # the last row in front of an offset behind the end
                rows.append((base, held, blob))
                missing -= base + held - max(base, offset)
                size += len(blob)
                if missing <= 0 or size >= PAGE_BYTES:
                    break

    records: list[Record] = []
    stretches: list[range] = []
    for base, held, blob in rows:
        try:
            decoded = decoded_row(blob, held)
        except ValueError as error:
            raise LogFormatError(
                f"the log is damaged: the records of partition {partition} from offset {base} on can't be read: {error}"
            ) from error
        first = max(base, offset)
        stretch = range(first, min(base + len(decoded), first + count - len(records)))
        records += decoded if len(stretch) == len(decoded) else decoded[first - base : stretch.stop - base]
        stretches.append(stretch)
    return Page(_joined(stretches), records)


def decoded_row(blob: bytes, held: int) -> list[Record]:
    """Decode the records of a row that says it holds `held`. Raises `ValueError` for damage."""
    records = _DECODER.decode(blob)
    if len(records) != held:
        raise ValueError(f"a row holds {len(records)} records and says {held}")
    return records


def _joined(stretches: Sequence[range]) -> Sequence[int]:
    if not stretches:
        return range(0)
    whole = range(stretches[0].start, stretches[-1].stop)
    if len(whole) == sum(map(len, stretches)):
        return whole
    return list(itertools.chain.from_iterable(stretches))


def _end(connection: sqlite3.Connection, topic: int, partition: int) -> int:
    row = connection.execute(_END, (topic, partition)).fetchone()
    return 0 if row is None else int(row[0])
