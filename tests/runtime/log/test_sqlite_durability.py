"""What is in the file stays there: across reopening, several processes, a kill, a full file, an exit without close."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from wakuwaku.errors import LogError
from wakuwaku.headers import Record
from wakuwaku.log import Bounds, SqliteLog, TopicInfo

if TYPE_CHECKING:
    from pathlib import Path

PROLOGUE = """
import asyncio, os, sys
from wakuwaku.errors import LogError, LogUnavailableError
from wakuwaku.headers import Record
from wakuwaku.log import SqliteLog

def batch(mark, count, size=0):
    return [Record(b"", f"{mark}:{number}:".encode() + b"x" * size) for number in range(count)]
"""


def program(text: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a Python program with a log at hand, as another process of the same machine."""
    command = [sys.executable, "-c", PROLOGUE + textwrap.dedent(text), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def output_of(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return output


async def read_all(log: SqliteLog) -> list[Record]:
    records: list[Record] = []
    while page := await log.read("orders", 0, len(records), 1_000):
        records += page.records
    return records


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


@pytest.mark.parametrize("fsync", ["full", "normal"])
async def test_everything_is_there_again_after_reopening(path: Path, fsync: str) -> None:
    records = [Record(b"", str(number).encode()) for number in range(2_500)]
    async with await SqliteLog.open(path, fsync="full" if fsync == "full" else "normal") as log:
        await log.create_topic("orders", 3)
        await log.append("orders", 0, records)
        await log.store_offset("projection", "orders", 0, 41)

    async with await SqliteLog.open(path) as log:
        assert list(await log.topics()) == [TopicInfo("orders", 3)]
        assert await read_all(log) == records
        assert await log.load_offset("projection", "orders", 0) == 41
        assert await log.append("orders", 0, records[:1]) == 2_500


async def test_closing_leaves_a_single_file(path: Path) -> None:
    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)
        await log.append("orders", 0, [Record(b"", b"")])

    assert list(path.parent.iterdir()) == [path]


async def test_a_log_never_closes_both_its_connections_in_the_same_instant(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each would see the other still there and leave -wal and -shm to it.
    closing: list[int] = []
    most = 0

    class SlowToClose(sqlite3.Connection):
        def close(self) -> None:
            nonlocal most
            closing.append(1)
            most = max(most, len(closing))
            time.sleep(0.05)
            super().close()
            closing.pop()

    def connect(place: Path, busy_timeout: float) -> sqlite3.Connection:
        return sqlite3.connect(place, timeout=busy_timeout, isolation_level=None, factory=SlowToClose)

    monkeypatch.setattr("wakuwaku.log.sqlite_file._connect", connect)
    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)

    assert most == 1
    assert list(path.parent.iterdir()) == [path]


async def test_a_reader_that_can_not_be_opened_takes_the_writer_with_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(place: Path, busy_timeout: float) -> sqlite3.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr("wakuwaku.log.sqlite.open_reader", refuse)
    before = set(threading.enumerate())
    with pytest.raises(LogError, match="unable to open"):
        await SqliteLog.open(path)

    deadline = time.monotonic() + 10
    while set(threading.enumerate()) - before:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
    assert list(path.parent.iterdir()) == [path]


async def test_processes_share_a_file_that_they_create_together(path: Path) -> None:
    writers = [
        program(
            """
            async def main(path, mark):
                async with await SqliteLog.open(path, busy_timeout=60) as log:
                    await log.create_topic("orders", 1)
                    for number in range(40):
                        print(await log.append("orders", 0, batch(f"{mark}-{number}", 3)))

            asyncio.run(main(*sys.argv[1:]))
            """,
            path,
            mark,
        )
        for mark in "abc"
    ]
    bases = {mark: list(map(int, output_of(writer).split())) for mark, writer in zip("abc", writers, strict=True)}

    async with await SqliteLog.open(path) as log:
        records = await read_all(log)
    assert len(records) == 3 * 40 * 3
    for mark in "abc":
        assert bases[mark] == sorted(bases[mark])  # a process's own appends keep their order
        for number, base in enumerate(bases[mark]):
            expected = [f"{mark}-{number}:{index}:".encode() for index in range(3)]
            assert [record.body for record in records[base : base + 3]] == expected


async def test_another_log_on_the_file_sees_an_append_as_soon_as_it_returned(path: Path) -> None:
    async with await SqliteLog.open(path) as ours, await SqliteLog.open(path) as theirs:
        await ours.create_topic("orders", 1)
        for number in range(20):
            writer, reader = (ours, theirs) if number % 2 else (theirs, ours)
            assert await writer.append("orders", 0, [Record(b"", b"%d" % number)]) == number
            assert await reader.bounds("orders", 0) == Bounds(0, number + 1)


async def test_a_killed_process_leaves_all_it_acknowledged_and_no_half_batch(path: Path) -> None:
    writer = program(
        """
        async def main(path):
            log = await SqliteLog.open(path)
            await log.create_topic("orders", 1)

            async def append_for_ever(task):
                number = 0
                while True:
                    await log.append("orders", 0, batch(f"{task}-{number}", 1_200))
                    print(f"{task}-{number}", flush=True)
                    number += 1

            await asyncio.gather(*map(append_for_ever, range(3)))

        asyncio.run(main(*sys.argv[1:]))
        """,
        path,
    )
    assert writer.stdout is not None
    acknowledged = {writer.stdout.readline().strip() for _ in range(12)}
    writer.send_signal(signal.SIGKILL)
    acknowledged |= set(writer.communicate(timeout=60)[0].split())

    async with await SqliteLog.open(path) as log:
        records = await read_all(log)
        assert await log.append("orders", 0, [Record(b"", b"next")]) == len(records)
    batches = {
        mark: list(group) for mark, group in groupby(records, lambda record: record.body.split(b":")[0].decode())
    }
    assert acknowledged <= set(batches)
    assert sum(map(len, batches.values())) == len(records)  # no batch is torn apart by another
    for mark, batch in batches.items():
        assert [record.body for record in batch] == [f"{mark}:{number}:".encode() for number in range(1_200)]


async def test_a_file_that_can_grow_no_more_fails_the_append_and_goes_on_when_there_is_room(path: Path) -> None:
    writer = program(
        """
        import resource

        async def main(path):
            async with await SqliteLog.open(path) as log:
                await log.create_topic("orders", 1)
                soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
                resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
                number = 0
                try:
                    while True:
                        await log.append("orders", 0, batch(number, 10, size=5_000))
                        number += 1
                except LogUnavailableError as error:
                    print(number)
                    print(error)
                print((await log.bounds("orders", 0)).end)
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
                print(await log.append("orders", 0, batch(number, 10, size=5_000)))

        asyncio.run(main(*sys.argv[1:]))
        """,
        path,
    )
    number, message, end, base = output_of(writer).splitlines()

    assert int(number) > 0
    assert "nothing of this call was kept; make room, try again" in message
    assert int(end) == int(base) == int(number) * 10
    async with await SqliteLog.open(path) as log:
        bodies = [record.body[:7].split(b"x")[0].decode() for record in await read_all(log)]
    assert bodies == [f"{batch}:{index}:" for batch in range(int(number) + 1) for index in range(10)]


async def test_a_program_that_forgets_to_close_ends_and_loses_nothing(path: Path) -> None:
    writer = program(
        """
        async def main(path):
            global log
            log = await SqliteLog.open(path)
            await log.create_topic("orders", 1)
            print(await log.append("orders", 0, batch("a", 5)))
            asyncio.create_task(log.append("orders", 0, batch("b", 5)))
            await asyncio.sleep(0)

        asyncio.run(main(*sys.argv[1:]))
        """,
        path,
    )

    assert output_of(writer) == "0\n"
    async with await SqliteLog.open(path) as log:
        assert len(await read_all(log)) in (5, 10)


async def test_a_log_nobody_holds_any_more_warns_and_lets_go_of_its_threads(path: Path) -> None:
    log = await SqliteLog.open(path)
    threads = [log._writer, log._reader]

    with pytest.warns(ResourceWarning, match="unclosed log <SqliteLog '.*events.db' stream='default'>"):
        del log

    for thread in threads:
        await thread.finished()
    assert list(path.parent.iterdir()) == [path]


def test_a_forked_process_is_told_to_open_the_log_again(path: Path) -> None:
    forking = program(
        """
        loop = asyncio.new_event_loop()
        log = loop.run_until_complete(SqliteLog.open(sys.argv[1]))
        child = os.fork()
        if child == 0:
            try:
                asyncio.new_event_loop().run_until_complete(log.topics())
            except LogError as error:
                print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        loop.run_until_complete(log.close())
        loop.close()
        """,
        path,
    )

    assert "opened before this process was forked; open it again" in output_of(forking)
