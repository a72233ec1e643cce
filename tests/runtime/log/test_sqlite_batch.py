"""Records as rows: any records split anyhow come back, and what a later format may do to rows is read right."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakuwaku.errors import LogFormatError
from wakuwaku.headers import HEAD_LENGTH, Record
from wakuwaku.log import Bounds, sqlite_batch
from wakuwaku.log.sqlite_batch import append_rows, read_bounds, read_page, rows_of
from wakuwaku.log.sqlite_schema import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = bytes(HEAD_LENGTH)

RECORDS = st.builds(
    Record,
    st.sampled_from([b"", HEAD]),
    st.binary(max_size=20) | st.sampled_from([b"x" * 500, b"y" * 2_000]),
    st.none() | st.dictionaries(st.text(max_size=5), st.binary(max_size=5), min_size=1, max_size=2),
)


def new_log() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    prepare(connection, Path("events.db"))
    return connection


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(new_log()) as connection:
        yield connection


def numbered(start: int, count: int) -> list[Record]:
    return [Record(HEAD, str(number).encode()) for number in range(start, start + count)]


@given(
    appends=st.lists(st.lists(RECORDS, min_size=1, max_size=12), max_size=6),
    row_records=st.integers(1, 5),
    row_bytes=st.integers(1, 3_000),
    page_bytes=st.integers(1, 5_000),
)
def test_every_page_is_a_stretch_of_what_was_appended(
    appends: list[list[Record]], row_records: int, row_bytes: int, page_bytes: int
) -> None:
    kept: list[Record] = []
    with pytest.MonkeyPatch.context() as patch, closing(new_log()) as connection:
        patch.setattr(sqlite_batch, "ROW_RECORDS", row_records)
        patch.setattr(sqlite_batch, "ROW_BYTES", row_bytes)
        patch.setattr(sqlite_batch, "PAGE_BYTES", page_bytes)
        for records in appends:
            rows = rows_of(records)
            assert all(row.held == 1 or len(row.blob) <= row_bytes for row in rows)
            assert all(1 <= row.held <= row_records for row in rows)
            assert append_rows(connection, 1, 0, rows) == len(kept)
            kept += records

        assert read_bounds(connection, 1, 0) == Bounds(0, len(kept))
        for offset in range(len(kept) + 1):
            for count in (0, 1, 3, 100):
                page = read_page(connection, 1, 0, offset, count)
                whole = kept[offset : offset + count]
                assert page.records == whole[: len(page)]
                assert page.offsets == range(offset, offset + len(page)) or not page
                assert bool(page) == bool(whole)


def test_a_page_of_large_records_is_cut_short(connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_batch, "ROW_BYTES", 100)
    monkeypatch.setattr(sqlite_batch, "PAGE_BYTES", 1_000)
    append_rows(connection, 1, 0, rows_of([Record(HEAD, b"x" * 300)] * 10))

    assert len(read_page(connection, 1, 0, 0, 10)) == 4


def test_reading_goes_on_behind_records_that_were_removed_at_the_start(connection: sqlite3.Connection) -> None:
    for start in (0, 3, 6):
        append_rows(connection, 1, 0, rows_of(numbered(start, 3)))
    connection.execute("DELETE FROM batch WHERE base < 6")

    page = read_page(connection, 1, 0, 0, 10)

    assert read_bounds(connection, 1, 0) == Bounds(6, 9)
    assert page.offsets == range(6, 9)
    assert page.records == numbered(6, 3)


def test_a_gap_in_the_middle_shows_in_the_offsets(connection: sqlite3.Connection) -> None:
    for start in (0, 3, 6):
        append_rows(connection, 1, 0, rows_of(numbered(start, 3)))
    connection.execute("DELETE FROM batch WHERE base = 3")

    page = read_page(connection, 1, 0, 1, 4)

    assert page.offsets == [1, 2, 6, 7]
    assert page.records == [*numbered(1, 2), *numbered(6, 2)]
    assert read_page(connection, 1, 0, 4, 1).offsets == range(6, 7)


@pytest.mark.parametrize("blob", [b"", b"\x91\x01", b"\xc1", b"\x91\x93\xa1x\xc4\x00\xc0"])
def test_a_damaged_row_is_named(connection: sqlite3.Connection, blob: bytes) -> None:
    append_rows(connection, 1, 4, rows_of(numbered(0, 1)))
    append_rows(connection, 1, 4, rows_of(numbered(1, 1)))
    connection.execute("UPDATE batch SET records = ? WHERE base = 1", (blob,))

    assert read_page(connection, 1, 4, 0, 1).records == numbered(0, 1)
    with pytest.raises(LogFormatError, match="damaged: the records of partition 4 from offset 1 on can't be read"):
        read_page(connection, 1, 4, 0, 2)


def test_a_row_that_holds_another_number_of_records_than_it_says_is_named(connection: sqlite3.Connection) -> None:
    append_rows(connection, 1, 0, rows_of(numbered(0, 3)))
    connection.execute("UPDATE batch SET count = 4")

    with pytest.raises(LogFormatError, match=r"from offset 0 on .* holds 3 records and says 4"):
        read_page(connection, 1, 0, 0, 10)


@pytest.mark.parametrize(
    "record",
    [
        Record("text", b""),  # type: ignore[arg-type]
        Record(HEAD, 1),  # type: ignore[arg-type]
        Record(HEAD, b"", {"a": "text"}),  # type: ignore[dict-item]
        Record(HEAD, b"", {b"a": b""}),  # type: ignore[dict-item]
        Record(HEAD, b"", {"\ud800": b""}),
        Record(HEAD, object()),  # type: ignore[arg-type]
        b"not a record",
    ],
)
def test_what_could_not_be_read_again_is_not_written(record: Record) -> None:
    with pytest.raises(TypeError, match="not a record of bytes and headers of text to bytes"):
        rows_of([*numbered(0, 2), record])


def test_a_record_larger_than_any_log_takes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_batch, "ROW_BYTES", 1_000)
    monkeypatch.setattr(sqlite_batch, "MAX_RECORD_BYTES", 5_000)

    with pytest.raises(ValueError, match="a record has at most 5000 bytes, not 50"):
        rows_of([Record(HEAD, b"x" * 5_000)])
