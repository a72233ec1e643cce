"""Group commit: what waits together is committed together, and a failure takes nobody with it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.runtime.log.disk import Disk
from wakuwaku import LogError
from wakuwaku.errors import LogUnavailableError, TopicNotFoundError
from wakuwaku.headers import Record
from wakuwaku.log import Bounds, SqliteLog, sqlite_commit, sqlite_file

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from wakuwaku.log.sqlite_thread import Work

RECORD = Record(b"", b"body")


def commits_in(wal: Path) -> int:
    """Count the commits in a write-ahead log: frames of its present round that tell the size of the database.

    https://www.sqlite.org/fileformat2.html#the_write_ahead_log
    """
    data = wal.read_bytes()
    page_size = int.from_bytes(data[8:12])
    salt = data[16:24]
    frames = [data[at : at + 24] for at in range(32, len(data), 24 + page_size)]
    return sum(frame[8:16] == salt and int.from_bytes(frame[4:8]) > 0 for frame in frames)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


@pytest.fixture
async def log(path: Path) -> AsyncIterator[SqliteLog]:
    async with await SqliteLog.open(path, busy_timeout=60) as log:
        await log.create_topic("orders", 2)
        yield log


@pytest.fixture
def other(log: SqliteLog, path: Path) -> Iterator[sqlite3.Connection]:
    """A connection as another process has it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


async def test_writes_that_wait_for_the_lock_share_one_commit(
    log: SqliteLog, path: Path, other: sqlite3.Connection
) -> None:
    before = commits_in(path.with_name("events.db-wal"))
    other.execute("BEGIN IMMEDIATE")
    writes = [
        *(asyncio.create_task(log.append("orders", 0, [RECORD] * 2)) for _ in range(40)),
        *(asyncio.create_task(log.store_offset("projection", "orders", 0, number)) for number in range(10)),
        asyncio.create_task(log.create_topic("payments", 1)),
    ]
    await asyncio.sleep(0)
    other.execute("ROLLBACK")
    results = await asyncio.gather(*writes)

    assert commits_in(path.with_name("events.db-wal")) == before + 1
    assert results[:40] == list(range(0, 80, 2))
    assert await log.load_offset("projection", "orders", 0) == 9


async def test_one_append_is_one_commit_and_reading_is_none(log: SqliteLog, path: Path) -> None:
    before = commits_in(path.with_name("events.db-wal"))

    for _ in range(5):
        await log.append("orders", 0, [RECORD] * 2_500)
        await log.read("orders", 0, 0, 10)
        await log.load_offset("projection", "orders", 0)

    assert commits_in(path.with_name("events.db-wal")) == before + 5


async def test_a_refused_write_leaves_the_others_in_its_commit(
    log: SqliteLog, path: Path, other: sqlite3.Connection
) -> None:
    before = commits_in(path.with_name("events.db-wal"))
    other.execute("BEGIN IMMEDIATE")
    topics = ["orders", "refunds", "orders"]
    writes = [asyncio.create_task(log.append(topic, 0, [RECORD])) for topic in topics]
    await asyncio.sleep(0)
    other.execute("ROLLBACK")
    first, refused, second = await asyncio.gather(*writes, return_exceptions=True)

    assert commits_in(path.with_name("events.db-wal")) == before + 1
    assert (first, second) == (0, 1)
    assert isinstance(refused, TopicNotFoundError)


@pytest.mark.parametrize("action", ["ROLLBACK", "ABORT", "FAIL"])
async def test_a_write_the_database_fails_takes_no_other_with_it(
    log: SqliteLog, other: sqlite3.Connection, action: str
) -> None:
    # As a full disk: the second row of a call fails, and with ROLLBACK SQLite ends the transaction on its own.
    other.execute(
        "CREATE TRIGGER fail BEFORE INSERT ON batch WHEN new.partition = 1 AND new.base > 0"
        f" BEGIN SELECT RAISE({action}, 'failed on purpose'); END"
    )
    other.execute("BEGIN IMMEDIATE")
    writes = [asyncio.create_task(log.append("orders", number == 2, [RECORD] * 1_500)) for number in range(5)]
    await asyncio.sleep(0)
    other.execute("ROLLBACK")
    results = await asyncio.gather(*writes, return_exceptions=True)

    assert isinstance(results[2], LogError)
    assert "failed on purpose" in str(results[2])
    assert [result for result in results if isinstance(result, int)] == [0, 1_500, 3_000, 4_500]
    assert await log.bounds("orders", 1) == Bounds(0, 0)
    assert await log.append("orders", 0, [RECORD]) == 6_000


async def test_the_writer_lives_on_after_any_error(log: SqliteLog) -> None:
    for error in (MemoryError("no memory"), SystemExit(3), RecursionError(), ValueError("bug")):

        def fail(connection: sqlite3.Connection, error: BaseException = error) -> None:
            connection.execute("DELETE FROM topic")
            raise error

        with pytest.raises(type(error)):
            await log._writer.submit(fail)

    assert await log.append("orders", 0, [RECORD]) == 0


async def test_all_that_wait_are_told_when_the_lock_stays_out_of_reach(path: Path) -> None:
    async with await SqliteLog.open(path, busy_timeout=0) as log:
        await log.create_topic("orders", 1)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writes = [asyncio.create_task(log.append("orders", 0, [RECORD])) for _ in range(3)]
            results = await asyncio.gather(*writes, return_exceptions=True)
            assert len(await log.read("orders", 0, 0, 10)) == 0  # reading goes on

        assert all(isinstance(result, LogUnavailableError) for result in results)
        assert "locked by another process for longer than the busy time-out" in str(results[0])
        assert await log.append("orders", 0, [RECORD]) == 0


async def test_a_long_reader_holds_back_no_write(log: SqliteLog, other: sqlite3.Connection) -> None:
    other.execute("BEGIN")
    assert other.execute("SELECT count(*) FROM batch").fetchone() == (0,)

    await log.append("orders", 0, [RECORD])

    assert other.execute("SELECT count(*) FROM batch").fetchone() == (0,)
    assert len(await log.read("orders", 0, 0, 1)) == 1


async def test_a_long_reader_holds_back_no_write_however_much_is_written(
    log: SqliteLog, path: Path, other: sqlite3.Connection
) -> None:
    """The write-ahead log grows as long as somebody reads an old state, and is cut when he is done."""
    wal = path.with_name("events.db-wal")
    await log.append("orders", 0, [RECORD])
    other.execute("BEGIN")
    assert other.execute("SELECT count(*) FROM batch").fetchone() == (1,)

    for _ in range(100):
        await log.append("orders", 0, [Record(b"", bytes(1_000_000))])  # far beyond where a checkpoint is due

    assert wal.stat().st_size > 100_000_000
    assert other.execute("SELECT count(*) FROM batch").fetchone() == (1,)
    assert await log.bounds("orders", 0) == Bounds(0, 101)
    other.execute("COMMIT")
    for _ in range(20):
        await log.append("orders", 0, [Record(b"", bytes(1_000_000))])
    assert wal.stat().st_size <= sqlite_file.WAL_BYTES


async def test_small_publishes_of_many_tasks_share_fsyncs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted where SQLite asks for them: 1 000 publishes of 20 tasks, and not even one fsync for four of them."""
    disk = Disk(f"disk of {path}")
    disk.use(monkeypatch)
    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)
        before = disk.syncs_of("-wal")

        async def publish() -> None:
            for _ in range(50):
                await log.append("orders", 0, [RECORD])

        await asyncio.gather(*(publish() for _ in range(20)))

        shared = disk.syncs_of("-wal") - before
        assert await log.bounds("orders", 0) == Bounds(0, 1_000)
        for _ in range(10):
            await log.append("orders", 0, [RECORD])
        alone = disk.syncs_of("-wal") - before - shared

    assert 50 <= shared <= 250
    assert alone == 10  # one each, and no more


@pytest.fixture
def tables() -> Iterator[sqlite3.Connection]:
    """A table whose rows must have a parent, which SQLite checks at COMMIT."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
        connection.execute("CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)")
        yield connection


def insert(table: str, number: int) -> Work:
    def work(connection: sqlite3.Connection) -> int:
        connection.execute(f"INSERT INTO {table} VALUES ({number})")
        return number

    return work


def test_a_commit_that_fails_is_done_again_one_by_one(tables: sqlite3.Connection) -> None:
    sqlite_commit.begin(tables)

    outcomes = sqlite_commit.commit(tables, [insert("parent", 1), insert("child", 9), insert("parent", 2)])

    assert [outcome.value for outcome in outcomes] == [1, None, 2]
    assert isinstance(outcomes[1].error, sqlite3.IntegrityError)
    assert tables.execute("SELECT id FROM parent").fetchall() == [(1,), (2,)]
    assert not tables.in_transaction


def test_when_the_lock_is_lost_in_between_the_rest_fails_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with (
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as ours,
        closing(sqlite3.connect(path)) as other,
    ):
        ours.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
        tries: list[int] = []

        def taken_away(connection: sqlite3.Connection) -> None:
            tries.append(1)
            connection.execute("ROLLBACK")
            other.execute("BEGIN IMMEDIATE")
            raise sqlite3.OperationalError("gone")

        sqlite_commit.begin(ours)
        outcomes = sqlite_commit.commit(ours, [insert("parent", 1), taken_away, insert("parent", 2)])

        assert [str(outcome.error) for outcome in outcomes] == ["database is locked"] * 3
        assert tries == [1]
        assert not ours.in_transaction
