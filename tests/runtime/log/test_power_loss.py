"""The power goes at any moment: the file opens clean, and under fsync="full" all that was acknowledged is there."""

from __future__ import annotations

import asyncio
import os
import random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.runtime.log.disk import Disk
from wakuwaku.headers import Record
from wakuwaku.log import SqliteLog, check, sqlite_file

if TYPE_CHECKING:
    from pathlib import Path

#: Power losses tried for each setting.
LOSSES = int(os.environ.get("WAKUWAKU_POWER_LOSSES", "60"))


class Appended(NamedTuple):
    """An append that was acknowledged."""

    base: int
    call: int


class Stored(NamedTuple):
    """A stored offset that was acknowledged."""

    offset: int


def records_of(call: int) -> list[Record]:
    """The records of the nth append: a few of some hundred bytes, and at times many, or one of many pages."""
    count, size = {5: (1_500, 10), 9: (2, 40_000)}.get(call % 12, (1 + call % 4, 300))
    return [Record(b"", f"{call}:{number}:".encode() + bytes(size)) for number in range(count)]


async def work(path: Path, disk: Disk, fsync: str) -> None:
    """Append alone and side by side, store offsets, close and open again, with checkpoints in between."""

    async def append(log: SqliteLog, call: int) -> None:
        base = await log.append("orders", 0, records_of(call))
        assert base is not None
        disk.mark(Appended(base, call))

    for opening in range(3):
        async with await SqliteLog.open(path, fsync="full" if fsync == "full" else "normal") as log:
            await log.create_topic("orders", 1)
            for call in range(opening * 20, opening * 20 + 14):
                await append(log, call)
                await log.store_offset("projection", "orders", 0, call)
                disk.mark(Stored(call))
            await asyncio.gather(*(append(log, opening * 20 + 14 + number) for number in range(6)))


@pytest.fixture(params=["full", "normal"])
def fsync(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def disk(fsync: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    """A disk on which a log has worked."""
    disk = Disk(f"disk of {tmp_path}")
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_file, "CHECKPOINT_PAGES", 30)
        disk.use(patch)
        (tmp_path / "worked").mkdir()
        await work(tmp_path / "worked" / "events.db", disk, fsync)
    return disk


async def what_is_left(folder: Path, files: dict[str, bytes]) -> tuple[list[Record], int | None]:
    """Open what a power loss left, check it, and return its records and the stored offset."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    path = folder / "events.db"
    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)
        records: list[Record] = []
        while page := await log.read("orders", 0, len(records), 1_000):
            assert page.offsets == range(len(records), len(records) + len(page))
            records += page.records
        stored = await log.load_offset("projection", "orders", 0)
        assert await log.append("orders", 0, [Record(b"", b"goes on")]) == len(records)
    assert check(path).problems == []
    return records, stored


def check_whole(records: list[Record]) -> None:
    """Each call is there whole, once, or not at all."""
    place, seen = 0, set[int]()
    while place < len(records):
        call = int(records[place].body.split(b":")[0])
        expected = records_of(call)
        assert records[place : place + len(expected)] == expected
        assert call not in seen
        seen.add(call)
        place += len(expected)


def lost(disk: Disk, moment: int, records: list[Record], stored: int | None) -> list[object]:
    """Return what was acknowledged before a moment and is not there."""
    acknowledged = [op.mark for op in disk.ops[:moment] if op.kind == "mark"]
    offsets = [mark.offset for mark in acknowledged if isinstance(mark, Stored)]
    missing: list[object] = [f"offset {offsets[-1]}"] if offsets and (stored is None or stored < offsets[-1]) else []
    for mark in acknowledged:
        if isinstance(mark, Appended):
            expected = records_of(mark.call)
            if records[mark.base : mark.base + len(expected)] != expected:
                missing.append(mark)
    return missing


@pytest.mark.slow
async def test_what_was_acknowledged_outlives_the_power_if_fsync_is_full(
    disk: Disk, fsync: str, tmp_path: Path
) -> None:
    """If it is "normal" the last commits may go, and do: the disk of this test really forgets."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # shown when the test fails
    chance = random.Random(seed)
    losses: list[object] = []
    for number in range(LOSSES):
        moment = chance.randrange(len(disk.ops) + 1)
        files = disk.after_power_loss(moment, chance, share=(0.0, 0.5, 0.95)[number % 3])
        records, stored = await what_is_left(tmp_path / str(number), files)
        check_whole(records)
        losses += lost(disk, moment, records, stored)

    if fsync == "full":
        assert losses == []
    else:
        assert losses != []


async def test_a_log_that_was_closed_needs_no_more_luck(disk: Disk, tmp_path: Path) -> None:
    """Closing syncs the file, whatever the setting: nothing of it can get lost any more."""
    files = disk.after_power_loss(len(disk.ops), random.Random(1), share=0.0)

    records, stored = await what_is_left(tmp_path / "left", files)

    assert lost(disk, len(disk.ops), records, stored) == []
    assert stored == 53
