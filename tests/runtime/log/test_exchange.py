"""Export and import: what went out comes in again, offsets and all, or nothing does."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakuwaku.errors import LogError, LogFormatError, TopicMismatchError, TopicNotFoundError
from wakuwaku.headers import HEAD_LENGTH, Record
from wakuwaku.log import (
    Bounds,
    MemoryLog,
    OpenLog,
    Retention,
    SqliteLog,
    TopicInfo,
    check,
    compact,
    export_log,
    import_log,
    move_into,
    retention_of,
    set_retention,
)
from wakuwaku.log.export_format import EndLine, Line, LogLine, RecordLine, TopicLine, encode_line, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD = bytes(range(HEAD_LENGTH))


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A log with two topics in a stream, another stream, records of all kinds, and stored offsets."""
    path = tmp_path / "events.db"
    async with await SqliteLog.open(path, stream="shop") as log:
        await log.create_topic("orders", 2)
        await log.create_topic("payments", 1)
        await log.append("orders", 0, [Record(HEAD, f"{number}".encode()) for number in range(2_500)])
        for body in (b"", bytes(range(256)), b"x" * 1_500_000):
            await log.append("orders", 1, [Record(HEAD, body, {"traceparent": b"\x00\xff", "ключ": b""})])
        await log.append("payments", 0, [Record(b"", b"no headers"), Record.of({"wakuwaku-tag": b"1"}, b"")])
        await log.store_offset("projection", "orders", 0, 41)
        await log.store_offset("projection", "orders", 1, 2)
        await log.store_offset("mailer", "payments", 0, 0)
    async with await SqliteLog.open(path, stream="other") as log:
        await log.create_topic("orders", 1)
        await log.append("orders", 0, [Record(HEAD, b"of another stream")])
    return path


async def content_of(log: OpenLog) -> dict[str, Any]:
    """Return all a stream holds."""
    content: dict[str, Any] = {}
    for topic in await log.topics():
        for partition in range(topic.partitions):
            place = f"{topic.name}/{partition}"
            records: list[tuple[int, Record]] = []
            offset = 0
            while page := await log.read(topic.name, partition, offset, 1_000):
                records += zip(page.offsets, page.records, strict=True)
                offset = page.offsets[-1] + 1
            content[place] = records
            for consumer in ("projection", "mailer"):
                content[f"{consumer} {place}"] = await log.load_offset(consumer, topic.name, partition)
    return content


async def content_at(path: Path, stream: str = "shop") -> dict[str, Any]:
    async with await SqliteLog.open(path, stream=stream) as log:
        return await content_of(log)


async def test_an_import_is_the_log_that_was_exported(path: Path, tmp_path: Path) -> None:
    done = import_log(tmp_path / "copy.db", export_log(path, stream="shop"))

    assert (done.topics, done.records, done.stored) == (2, 2_505, 3)
    assert await content_at(tmp_path / "copy.db") == await content_at(path)
    assert check(tmp_path / "copy.db").problems == []


async def test_offsets_times_and_gaps_stay_what_they_were(path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE batch SET appended_at_ms = 7 + base")
        connection.execute("DELETE FROM batch WHERE base = 0 AND count = 1000")

    import_log(tmp_path / "copy.db", export_log(path, stream="shop"))

    async with await SqliteLog.open(tmp_path / "copy.db", stream="shop") as log:
        assert await log.bounds("orders", 0) == Bounds(1_000, 2_500)
        assert await log.append("orders", 0, [Record(HEAD, b"next")]) == 2_500
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        times = connection.execute("SELECT base, appended_at_ms FROM batch WHERE partition = 0 AND base > 0").fetchall()
    assert times[:2] == [(1_000, 1_007), (2_000, 2_007)]


async def test_settings_of_topics_come_along(path: Path, tmp_path: Path) -> None:
    wanted = Retention(max_age=7.5, drop_consumed=True)
    set_retention(path, "orders", wanted, stream="shop")

    import_log(tmp_path / "copy.db", export_log(path, stream="shop"))

    assert retention_of(tmp_path / "copy.db", "orders", stream="shop") == wanted
    assert retention_of(tmp_path / "copy.db", "payments", stream="shop") == Retention()


async def test_one_topic_can_go_alone_and_into_another_stream(path: Path, tmp_path: Path) -> None:
    import_log(tmp_path / "copy.db", export_log(path, stream="shop", topics=["payments"]), stream="archive")

    async with await SqliteLog.open(tmp_path / "copy.db", stream="archive") as log:
        assert list(await log.topics()) == [TopicInfo("payments", 1)]
        assert await log.load_offset("mailer", "payments", 0) == 0


def test_a_topic_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(TopicNotFoundError, match="there is no topic 'refunds' in stream 'shop'"):
        list(export_log(path, stream="shop", topics=["refunds"]))


async def test_an_export_is_the_log_as_it_was_at_its_beginning(path: Path) -> None:
    lines = export_log(path, stream="shop")
    first = next(lines)
    async with await SqliteLog.open(path, stream="shop") as log:
        await log.append("orders", 0, [Record(HEAD, b"later")])
        await log.store_offset("projection", "orders", 0, 2_500)

    exported = [json.loads(line) for line in (first, *lines)]

    assert exported[-1] == {"kind": "end", "records": 2_505}
    assert {line["offset"] for line in exported if line.get("consumer") == "projection"} == {41, 2}


def test_lines_say_what_they_are(path: Path) -> None:
    lines = [json.loads(line) for line in export_log(path, stream="shop", topics=["payments"])]

    assert lines[0].pop("exported_at_ms") > 1_700_000_000_000
    assert lines[2].pop("at_ms") == lines[3].pop("at_ms")
    assert lines == [
        {"kind": "log", "format": 1, "stream": "shop"},
        {"kind": "topic", "name": "payments", "partitions": 1},
        {
            "kind": "record",
            "topic": "payments",
            "partition": 0,
            "offset": 0,
            "headers": {},
            "body": "bm8gaGVhZGVycw==",
        },
        {
            "kind": "record",
            "topic": "payments",
            "partition": 0,
            "offset": 1,
            "headers": {"wakuwaku-tag": "MQ=="},
            "body": "",
        },
        {"kind": "stored", "consumer": "mailer", "topic": "payments", "partition": 0, "offset": 0},
        {"kind": "end", "records": 2},
    ]


async def test_a_topic_that_holds_records_is_not_imported_into(path: Path) -> None:
    before = await content_at(path)

    with pytest.raises(LogError, match="topic 'orders' of stream 'shop' holds records; import into an empty one"):
        import_log(path, list(export_log(path, stream="shop")))

    assert await content_at(path) == before


async def test_a_topic_of_another_shape_is_not_imported_into(path: Path, tmp_path: Path) -> None:
    async with await SqliteLog.open(tmp_path / "copy.db", stream="shop") as log:
        await log.create_topic("orders", 3)

    with pytest.raises(TopicMismatchError, match="'orders' exists with 3 partitions, not 2"):
        import_log(tmp_path / "copy.db", export_log(path, stream="shop"))


def changed(number: int, **members: object) -> Callable[[list[bytes]], list[bytes]]:
    """Return a change of one line of an export."""

    def change(lines: list[bytes]) -> list[bytes]:
        return [
            *lines[:number],
            json.dumps({**json.loads(lines[number]), **members}).encode(),
            *(lines[number + 1 :] if number != -1 else []),
        ]

    return change


WRONG: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "nothing": (lambda _: [], "cut short: line 0 is its last"),
    "cut off": (lambda lines: lines[:-1], "the export is cut short: line 5 is its last, and not an end line"),
    "cut within a line": (lambda lines: [*lines[:-1], lines[-1][:9]], "line 6 is not of an export: "),
    "no beginning": (lambda lines: lines[1:], "line 1: an export begins with one log line"),
    "two exports": (lambda lines: lines * 2, "line 7 comes behind the end"),
    "two beginnings": (lambda lines: [lines[0], *lines], "line 2: an export begins with one log line"),
    "a newer format": (changed(0, format=2), "line 1: the export has format 2; this version knows 1"),
    "an unknown kind": (changed(1, kind="index"), "line 2 is not of an export: "),
    "no number of partitions": (changed(1, partitions=0), "line 2: topic 'payments' comes twice, or has not 1 to 1000"),
    "a topic twice": (lambda lines: [*lines[:2], *lines[1:]], "line 3: topic 'payments' comes twice"),
    "a retention below zero": (changed(1, max_bytes=-1), "line 2: max_bytes is 0 or more"),
    "a stream without a name": (changed(0, stream="\n"), "line 1: a stream name holds printable characters only"),
    "a topic without a name": (
        lambda lines: [lines[0], changed(1, name="")(lines)[1], b'{"kind":"end","records":0}'],
        "line 2: a topic name has 1 to 255 bytes",
    ),
    "a foreign topic": (changed(2, topic="refunds"), "line 3: no topic line before says that there is refunds/0"),
    "a foreign partition": (changed(4, partition=1), "line 5: no topic line before says that there is payments/1"),
    "offsets backwards": (changed(3, offset=0), "line 4: offset 0 of payments/0 can't come behind 0"),
    "a negative offset": (changed(2, offset=-1), "line 3: offset -1 of payments/0 can't come behind -1"),
    "no base64": (changed(2, body="!"), "line 3 is not of an export: "),
    "a negative stored offset": (changed(4, offset=-1), "line 5: an offset is 0 to"),
    "records missing": (lambda lines: [*lines[:3], *lines[4:]], "line 5: 2 records were exported, 1 are here"),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_what_is_no_whole_export_is_refused_and_leaves_nothing(path: Path, tmp_path: Path, wrong: str) -> None:
    change, message = WRONG[wrong]
    lines = change(list(export_log(path, stream="shop", topics=["payments"])))

    with pytest.raises(LogFormatError) as caught:
        import_log(tmp_path / "copy.db", lines, stream=None if wrong == "a stream without a name" else "shop")

    assert message in str(caught.value)
    assert await content_at(tmp_path / "copy.db") == {}


def test_empty_lines_are_passed_over(path: Path, tmp_path: Path) -> None:
    lines = [piece for line in export_log(path, stream="shop") for piece in (line, b"\n")]

    assert import_log(tmp_path / "copy.db", lines).records == 2_505


def test_a_damaged_row_is_not_exported(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE batch SET records = x'c1' WHERE base = 2000")

    with pytest.raises(LogFormatError, match=r"of orders/0 from offset 2000 on can't be read: .* `wakuwaku log check`"):
        list(export_log(path, stream="shop"))


async def test_a_record_whose_head_is_none_is_not_exported_as_something_else(path: Path) -> None:
    async with await SqliteLog.open(path, stream="shop") as log:
        await log.append("payments", 0, [Record(b"abc", b"")])

    with pytest.raises(LogFormatError, match="the head of offset 2 is no head"):
        list(export_log(path, stream="shop"))


@given(
    st.dictionaries(st.text(max_size=9), st.binary(max_size=9), max_size=3),
    st.binary(max_size=50),
    st.integers(0, 2**63 - 2),
)
def test_any_record_survives_a_line(headers: dict[str, bytes], body: bytes, offset: int) -> None:
    line = RecordLine("t", 0, offset, 1, headers, body)

    export: list[Line] = [LogLine(1, "s", 0), TopicLine("t", 1), line, EndLine(1)]

    lines = list(read_lines(map(encode_line, export)))

    assert lines[2] == (3, line)
    assert line.record == Record.of(headers, body)


async def test_an_export_moves_into_any_log_with_offsets_of_its_own(path: Path) -> None:
    """What was removed leaves no gap there, and a consumer goes on at the same record."""
    async with await SqliteLog.open(path, stream="shop") as log:
        await log.store_offset("projection", "orders", 0, 1_041)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM batch WHERE base = 0 AND count = 1000")

    async with MemoryLog() as log:
        assert await move_into(log, export_log(path, stream="shop")) == 1_505

        assert await log.bounds("orders", 0) == Bounds(0, 1_500)
        assert await log.load_offset("projection", "orders", 0) == 41
        assert (await log.read("orders", 0, 41, 1)).records[0].body == b"1041"
        assert await log.load_offset("projection", "orders", 1) == 2
        moved = await content_of(log)
    original = await content_at(path)
    for place in ("orders/0", "orders/1", "payments/0"):
        assert [record for _, record in moved[place]] == [record for _, record in original[place]]


@pytest.mark.parametrize(("stored", "moved"), [(0, None), (9, None), (10, 0), (11, 1), (15, 1), (20, 2), (99, 3)])
async def test_a_stored_offset_becomes_that_of_the_last_record_before_it(stored: int, moved: int | None) -> None:
    records = [{"kind": "record", "topic": "t", "partition": 0, "at_ms": 0, "headers": {}, "body": ""}]
    lines: list[dict[str, object]] = [
        {"kind": "log", "format": 1, "stream": "s", "exported_at_ms": 0},
        {"kind": "topic", "name": "t", "partitions": 1},
        *({**records[0], "offset": offset} for offset in (10, 11, 20, 21)),
        {"kind": "stored", "consumer": "c", "topic": "t", "partition": 0, "offset": stored},
        {"kind": "end", "records": 4},
    ]
    async with MemoryLog() as log:
        await move_into(log, [json.dumps(line).encode() for line in lines])

        assert await log.load_offset("c", "t", 0) == moved


async def test_moving_into_a_topic_that_holds_records_is_refused(path: Path) -> None:
    async with MemoryLog() as log:
        await log.create_topic("orders", 2)
        await log.append("orders", 1, [Record(b"", b"")])

        with pytest.raises(LogError, match="partition 1 of topic 'orders' holds records; begin with an empty one"):
            await move_into(log, export_log(path, stream="shop"))


async def test_an_imported_log_keeps_what_its_consumers_need(path: Path, tmp_path: Path) -> None:
    import_log(tmp_path / "copy.db", export_log(path, stream="shop"))
    set_retention(tmp_path / "copy.db", "orders", Retention(max_age=0), stream="shop")

    compact(tmp_path / "copy.db")

    async with await SqliteLog.open(tmp_path / "copy.db", stream="shop") as log:
        assert await log.bounds("orders", 0) == Bounds(0, 2_500)
