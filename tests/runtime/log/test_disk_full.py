"""A disk that is really full: the publisher is told, nothing half-written is there, and it goes on when there is room.

Making a small disk needs root; `test_sqlite_durability` does the same with a limit on the file's size for everybody.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from wakuwaku.errors import LogUnavailableError
from wakuwaku.headers import Record
from wakuwaku.log import Bounds, Retention, SqliteLog, check, compact, set_retention, sqlite_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounting a small disk needs root")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("this root may not mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def batch(number: int) -> list[Record]:
    return [Record(b"", f"{number}:{index}:".encode() + bytes(2_000)) for index in range(10)]


async def fill(log: SqliteLog) -> int:
    """Append until the disk is full, and return how many appends there were."""
    number = 0
    with pytest.raises(LogUnavailableError, match=r"the disk is full, and nothing of this call was kept|make room"):
        while True:
            await log.append("orders", 0, batch(number))
            number += 1
    return number


async def read_all(log: SqliteLog) -> list[Record]:
    records: list[Record] = []
    while page := await log.read("orders", 0, len(records), 1_000):
        records += page.records
    return records


async def test_a_full_disk_is_told_and_work_goes_on_when_there_is_room(disk: Path) -> None:
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(1_500_000))
    async with await SqliteLog.open(disk / "events.db") as log:
        await log.create_topic("orders", 1)
        number = await fill(log)
        with pytest.raises(LogUnavailableError):
            await log.append("orders", 0, batch(number) * 20)
        assert await log.bounds("orders", 0) == Bounds(0, number * 10)  # reading works all the time

        ballast.unlink()
        assert await log.append("orders", 0, batch(number)) == number * 10

        assert await read_all(log) == [record for done in range(number + 1) for record in batch(done)]
    assert check(disk / "events.db").problems == []


async def test_a_log_that_is_closed_on_a_full_disk_is_whole_when_it_is_opened_again(disk: Path) -> None:
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(1_500_000))
    async with await SqliteLog.open(disk / "events.db") as log:
        await log.create_topic("orders", 1)
        number = await fill(log)

    async with await SqliteLog.open(disk / "events.db") as log:
        assert await read_all(log) == [record for done in range(number) for record in batch(done)]
        ballast.unlink()
        assert await log.append("orders", 0, batch(number)) == number * 10


async def test_retention_makes_room_on_a_full_disk(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs as much room as the write-ahead log has, which is small beside the file."""
    monkeypatch.setattr(sqlite_file, "CHECKPOINT_PAGES", 50)
    set_up = await SqliteLog.open(disk / "events.db")
    async with set_up as log:
        await log.create_topic("orders", 1)
    set_retention(disk / "events.db", "orders", Retention(max_bytes=100_000))
    (disk / "ballast").write_bytes(bytes(1_500_000))
    async with await SqliteLog.open(disk / "events.db") as log:
        number = await fill(log)
        (disk / "ballast").unlink()

        compact(disk / "events.db", vacuum=False)

        assert await log.append("orders", 0, batch(number)) == number * 10
    assert check(disk / "events.db").problems == []
