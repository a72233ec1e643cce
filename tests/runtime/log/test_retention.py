"""Retention: what may go goes, what a consumer needs stays, and nobody loses his place."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from wakuwaku.errors import LeaseHeldError, LogError, LogUnavailableError, TopicNotFoundError
from wakuwaku.headers import Record
from wakuwaku.log import (
    Bounds,
    Retention,
    SqliteLog,
    check,
    compact,
    forget,
    retention_of,
    set_retention,
    sqlite_retention,
    upkeep,
)

if TYPE_CHECKING:
    from pathlib import Path

HOUR_MS = 3_600_000
#: When the nth row of a log of these tests was appended: one an hour, the last one now.
NOW_MS = 100 * HOUR_MS


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A log of ten rows of ten records in each of two partitions; row n was appended 9 - n hours ago."""
    path = tmp_path / "events.db"
    async with await SqliteLog.open(path, fsync="normal") as log:
        await log.create_topic("orders", 2)
        for row, partition in itertools.product(range(10), range(2)):
            await log.append("orders", partition, [Record(b"", f"{row}:{n}".encode()) for n in range(10)])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"UPDATE batch SET appended_at_ms = {NOW_MS} - (9 - base / 10) * {HOUR_MS}")
    return path


async def bounds(path: Path, partition: int = 0, topic: str = "orders") -> Bounds:
    async with await SqliteLog.open(path) as log:
        return await log.bounds(topic, partition)


async def store(path: Path, consumer: str, offset: int, partition: int = 0, topic: str = "orders") -> None:
    async with await SqliteLog.open(path) as log:
        await log.store_offset(consumer, topic, partition, offset)


async def test_without_retention_everything_stays(path: Path) -> None:
    done = compact(path, now_ms=NOW_MS)

    assert (done.removed, done.kept) == ({}, [])
    assert await bounds(path) == Bounds(0, 100)


async def test_records_older_than_the_age_go(path: Path) -> None:
    set_retention(path, "orders", Retention(max_age=3 * 3_600))

    done = compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(60, 100)
    assert done.removed["default", "orders", 0].records == 60
    assert done.removed.keys() == {("default", "orders", 0), ("default", "orders", 1)}


async def test_the_oldest_go_until_the_partition_is_small_enough(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        (row,) = connection.execute("SELECT length(records) FROM batch LIMIT 1").fetchone()
    set_retention(path, "orders", Retention(max_bytes=3 * row + row // 2))

    compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(70, 100)
    assert await bounds(path, 1) == Bounds(70, 100)


async def test_either_reason_is_enough(path: Path) -> None:
    set_retention(path, "orders", Retention(max_age=8 * 3_600, max_bytes=0))

    compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(90, 100)


async def test_what_all_consumers_are_done_with_goes(path: Path) -> None:
    for partition in range(2):
        await store(path, "fast", 95, partition)
        await store(path, "slow", 42, partition)
    set_retention(path, "orders", Retention(drop_consumed=True))

    done = compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(40, 100)  # the row with offset 43 stays whole
    assert done.kept == []


async def test_dropping_what_is_consumed_drops_nothing_before_there_is_a_consumer(path: Path) -> None:
    set_retention(path, "orders", Retention(drop_consumed=True))

    compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(0, 100)


async def test_what_a_consumer_has_yet_to_read_stays_however_old_it_is(path: Path) -> None:
    for partition in range(2):
        await store(path, "projection", 29, partition)
    set_retention(path, "orders", Retention(max_age=0, max_bytes=0))

    done = compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(30, 100)
    assert [(kept.consumer, kept.partition, kept.needs) for kept in done.kept] == [
        ("projection", 0, 30),
        ("projection", 1, 30),
    ]


async def test_a_consumer_of_the_topic_needs_all_of_a_partition_where_it_stored_nothing(path: Path) -> None:
    await store(path, "projection", 99, 0)
    set_retention(path, "orders", Retention(max_age=0))

    compact(path, now_ms=NOW_MS)

    assert await bounds(path, 0) == Bounds(90, 100)
    assert await bounds(path, 1) == Bounds(0, 100)


async def test_a_lease_makes_a_consumer_known_before_it_stored_anything(path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        await log.lease("projection", "orders", 0, holder="a", seconds=1)
        await log.lease("projection", "orders", 0, holder="a", seconds=0)
    set_retention(path, "orders", Retention(max_age=0))

    compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(0, 100)


@pytest.mark.parametrize(("stored", "first"), [(None, 0), (54, 50)])
async def test_what_waits_in_a_retry_topic_stays(path: Path, stored: int | None, first: int) -> None:
    """Also before the consumer stored an offset there: what it has to try again lies behind its start."""
    async with await SqliteLog.open(path) as log:
        await log.create_topic("retry_orders_projection", 1)
        for _ in range(10):
            await log.append("retry_orders_projection", 0, [Record(b"", b"again")] * 10)
        if stored is not None:
            await log.store_offset("projection", "retry_orders_projection", 0, stored)
    set_retention(path, "retry_orders_projection", Retention(max_bytes=0))

    compact(path, now_ms=NOW_MS)

    assert await bounds(path, 0, "retry_orders_projection") == Bounds(first, 100)


async def test_the_last_records_stay_so_that_offsets_go_on(path: Path) -> None:
    set_retention(path, "orders", Retention(max_age=0, max_bytes=0))

    for _ in range(2):
        compact(path, now_ms=NOW_MS + 1_000 * HOUR_MS)

    assert await bounds(path) == Bounds(90, 100)
    async with await SqliteLog.open(path) as log:
        assert await log.append("orders", 0, [Record(b"", b"next")]) == 100


async def test_readers_see_what_was_removed_by_the_offsets(path: Path) -> None:
    set_retention(path, "orders", Retention(max_age=3 * 3_600))
    async with await SqliteLog.open(path) as log:  # it works on while others compact
        compact(path, now_ms=NOW_MS)

        page = await log.read("orders", 0, 0, 5)
        assert page.offsets == range(60, 65)
        assert [record.body for record in page.records] == [f"6:{n}".encode() for n in range(5)]
    assert check(path).problems == []


async def test_one_young_record_keeps_all_behind_it(path: Path) -> None:
    """A clock that was wrong for a while must not tear a hole: records go from the oldest offset on only."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"UPDATE batch SET appended_at_ms = {NOW_MS} WHERE base = 20")
    set_retention(path, "orders", Retention(max_age=3_600))

    compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(20, 100)


async def test_removing_goes_on_in_slices_until_all_is_gone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_retention, "SLICE_ROWS", 2)
    set_retention(path, "orders", Retention(max_age=0))

    done = compact(path, now_ms=NOW_MS + 1)

    assert done.removed["default", "orders", 0].records == 90
    assert await bounds(path) == Bounds(90, 100)


async def test_settings_are_kept_in_the_file_and_apply_to_their_topic_only(path: Path) -> None:
    async with await SqliteLog.open(path, stream="other") as log:
        await log.create_topic("orders", 1)
    wanted = Retention(max_age=1.5, max_bytes=7, drop_consumed=True)
    set_retention(path, "orders", wanted)

    assert retention_of(path, "orders") == wanted
    assert retention_of(path, "orders", stream="other") == Retention()
    set_retention(path, "orders", Retention())
    assert retention_of(path, "orders") == Retention()


async def test_compacting_makes_the_file_smaller(path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        for _ in range(20):
            await log.append("orders", 0, [Record(b"", bytes(50_000))] * 10)
    set_retention(path, "orders", Retention(max_bytes=0))

    kept = compact(path, vacuum=False, now_ms=NOW_MS)
    cut = compact(path, now_ms=NOW_MS)

    assert kept.size_after >= 10_000_000
    assert cut.size_after < 1_500_000
    assert path.stat().st_size == cut.size_after
    assert not cut.in_use
    assert check(path).problems == []


async def test_compacting_without_room_says_how_much_is_missing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(path.parent)._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    set_retention(path, "orders", Retention(max_age=3_600 * 3))

    with pytest.raises(LogUnavailableError, match=r"takes [\d,]+ bytes for a while, and .* has room for 10; free some"):
        compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(60, 100)  # what was removed stays removed
    compact(path, vacuum=False, now_ms=NOW_MS)


async def test_a_reader_keeps_the_file_from_being_cut_and_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "BUSY_TIMEOUT", 0.0)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM batch").fetchone()
        set_retention(path, "orders", Retention(max_age=0))

        assert compact(path, now_ms=NOW_MS + 1).in_use
        assert reader.execute("SELECT count(*) FROM batch").fetchone() == (20,)


async def test_a_consumer_that_is_gone_can_be_forgotten(path: Path) -> None:
    for partition in range(2):
        await store(path, "gone", 9, partition)
        await store(path, "projection", 99, partition)
    set_retention(path, "orders", Retention(drop_consumed=True))

    assert forget(path, "orders", "gone")
    assert not forget(path, "orders", "gone")
    compact(path, now_ms=NOW_MS)

    assert await bounds(path) == Bounds(90, 100)
    async with await SqliteLog.open(path) as log:
        assert await log.load_offset("gone", "orders", 0) is None
        assert await log.load_offset("projection", "orders", 0) == 99


async def test_a_consumer_that_runs_is_not_forgotten(path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        await log.lease("projection", "orders", 0, holder="host:1", seconds=3_600)

    with pytest.raises(LeaseHeldError, match="'host:1' is running as consumer 'projection' of topic 'orders'; stop it"):
        forget(path, "orders", "projection")


async def test_a_topic_that_is_not_there_is_named(path: Path) -> None:
    for call in (
        lambda: set_retention(path, "refunds", Retention()),
        lambda: retention_of(path, "orders", stream="other"),
        lambda: forget(path, "refunds", "projection"),
    ):
        with pytest.raises(TopicNotFoundError, match=r"there is no topic '.*' in stream '"):
            call()


async def test_upkeep_makes_no_new_file(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="there is no such file"):
        compact(tmp_path / "events.db")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [{"max_age": -1}, {"max_age": float("nan")}, {"max_bytes": -1}])
def test_a_retention_below_zero_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        Retention(**wrong)  # type: ignore[arg-type]
