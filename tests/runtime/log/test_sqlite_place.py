"""A file that is deleted, moved or replaced while it is open is noticed at the next call, whatever that is."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from wakuwaku.errors import LogError, LogUnavailableError
from wakuwaku.headers import Record
from wakuwaku.log import Bounds, SqliteLog, sqlite_commit

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from wakuwaku.log.sqlite_thread import Outcome, Work

RECORD = Record(b"", b"body")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let go of an open file")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


@pytest.fixture
async def log(path: Path) -> AsyncIterator[SqliteLog]:
    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)
        await log.append("orders", 0, [RECORD])
        yield log


def delete(path: Path) -> None:
    path.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def replace(path: Path) -> None:
    copy = path.with_name("copy.db")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


@pytest.mark.parametrize("change", [delete, move, replace])
async def test_every_call_says_that_the_file_is_gone(
    log: SqliteLog, path: Path, change: Callable[[Path], None]
) -> None:
    change(path)

    for call in (
        log.append("orders", 0, [RECORD]),
        log.store_offset("projection", "orders", 0, 0),
        log.read("orders", 0, 0, 1),
        log.topics(),
    ):
        with pytest.raises(LogError, match=r"events.db was deleted, moved or replaced while it was open") as caught:
            await call
        assert not isinstance(caught.value, LogUnavailableError)  # trying again will not help


async def test_a_deleted_write_ahead_log_is_noticed_too(log: SqliteLog, path: Path) -> None:
    path.with_name("events.db-wal").unlink()

    with pytest.raises(LogError, match=r"events.db-wal was deleted or replaced .* run `wakuwaku log check`"):
        await log.append("orders", 0, [RECORD])


async def test_what_went_into_a_file_that_is_deleted_meanwhile_is_not_acknowledged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = sqlite_commit.commit

    def delete_after(connection: sqlite3.Connection, works: Sequence[Work]) -> list[Outcome]:
        outcomes = commit(connection, works)
        path.unlink()
        return outcomes

    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)
        monkeypatch.setattr(sqlite_commit, "commit", delete_after)

        results = await asyncio.gather(*(log.append("orders", 0, [RECORD]) for _ in range(3)), return_exceptions=True)

    assert all("was deleted" in str(result) for result in results)


async def test_a_file_that_is_replaced_is_left_alone_when_the_log_is_closed(log: SqliteLog, path: Path) -> None:
    path.unlink()
    async with await SqliteLog.open(path) as new:
        await new.create_topic("orders", 1)
        await new.append("orders", 0, [RECORD] * 3)
        await log.close()

        await new.append("orders", 0, [RECORD])
        assert await new.bounds("orders", 0) == Bounds(0, 4)

    async with await SqliteLog.open(path) as new:
        assert await new.bounds("orders", 0) == Bounds(0, 4)


async def test_a_log_behind_a_link_is_the_file_itself(path: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    path.symlink_to(tmp_path / "data" / "events.db")
    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)
        assert await log.append("orders", 0, [RECORD]) == 0
        assert (tmp_path / "data" / "events.db-wal").exists()

        (tmp_path / "data" / "events.db").unlink()

        with pytest.raises(LogError, match="was deleted"):
            await log.append("orders", 0, [RECORD])
