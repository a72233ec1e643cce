"""A projection with an inbox, and an outbox with its relays, while everything that takes part is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from tests.endurance.counted import CODECS, PARTITIONS, Counted
from tests.endurance.counting import COUNTERS
from tests.endurance.test_kills import run
from tests.servers.postgres import PostgresServer
from wakuwaku import Publisher
from wakuwaku.inbox import PostgresInbox
from wakuwaku.log import SqliteLog, check
from wakuwaku.outbox import PostgresOutbox

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL"),
]

#: How often is killed; the long form is 100.
KILLS = int(os.environ.get("WAKUWAKU_KILLS", "8"))
#: A process lives this many seconds at most.
LIFE = "0.7"


@pytest.fixture
async def server() -> AsyncIterator[PostgresServer]:
    """A server of the test's own, with the tables of all programs."""
    server = PostgresServer()
    server.start()
    try:
        connection = await asyncpg.connect(**server.asyncpg)
        await connection.execute("CREATE TABLE counters (counter bigint PRIMARY KEY, n bigint NOT NULL)")
        await connection.execute("INSERT INTO counters SELECT number, 0 FROM generate_series(0, 19) AS number")
        await connection.execute(
            "CREATE TABLE applied (id bigint GENERATED ALWAYS AS IDENTITY, counter bigint, number bigint)"
        )
        await PostgresInbox("projection").create_tables(connection)
        await PostgresOutbox().create_tables(connection)
        await connection.close()
        yield server
    finally:
        server.stop()


async def query(server: PostgresServer, text: str) -> list[tuple[int, int]]:
    connection = await asyncpg.connect(**server.asyncpg)
    try:
        return [tuple(row) for row in await connection.fetch(text)]
    finally:
        await connection.close()


async def log_of(path: Path) -> dict[int, list[int]]:
    """Return the numbers of each counter in log order."""
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    async with await SqliteLog.open(path) as log:
        for partition in range(PARTITIONS):
            offset = 0
            while page := await log.read("counters", partition, offset, 1_000):
                for record in page.records:
                    event = CODECS[1].decode(record.body)
                    numbers[event.counter].append(event.number)
                offset = page.offsets[-1] + 1
    return dict(numbers)


async def test_a_projection_applies_every_event_once(server: PostgresServer, tmp_path: Path) -> None:
    """The consumer is killed at any moment, again and again, while events come in."""
    path = tmp_path / "events.db"
    kills = 0

    async def publish() -> None:
        async with await SqliteLog.open(path, busy_timeout=60) as log:
            publisher = Publisher(log)
            number = 0
            while kills < KILLS:
                number += 1
                await publisher.publish_many([Counted(counter=counter, number=number) for counter in range(20)])
                await asyncio.sleep(0.1)

    async with await SqliteLog.open(path) as created:
        await created.create_topic("counters", PARTITIONS)
    publishing = asyncio.create_task(publish())
    while kills < KILLS:
        assert await run("projecting", path, server.host, LIFE) == -signal.SIGKILL
        kills += 1
    await publishing
    applied_before_the_end = len(await query(server, "SELECT counter, number FROM applied"))
    assert await run("projecting", path, server.host, "0") == 0

    kept = await log_of(path)
    applied: defaultdict[int, list[int]] = defaultdict(list)
    for counter, number in await query(server, "SELECT counter, number FROM applied ORDER BY id"):
        applied[counter].append(number)
    assert dict(applied) == kept  # each once, and in the order of the log
    assert dict(await query(server, "SELECT counter, n FROM counters")) == {
        counter: len(numbers) for counter, numbers in kept.items()
    }
    assert applied_before_the_end > 0
    print(f"{kills} kills, {sum(map(len, kept.values()))} events, {applied_before_the_end} applied between the kills")


async def test_an_outbox_loses_and_reorders_nothing(server: PostgresServer, tmp_path: Path) -> None:
    """Two writers, two relays and the database are killed; what was committed is in the log, once and in order."""
    path = tmp_path / "events.db"
    killed: defaultdict[str, int] = defaultdict(int)

    async def keep_alive(module: str, *arguments: object) -> None:
        while sum(killed.values()) < KILLS:
            assert await run(module, *arguments, LIFE) == -signal.SIGKILL
            killed[module] += 1

    async def kill_the_database() -> None:
        while sum(killed.values()) < KILLS:
            await asyncio.sleep(0.7)
            server.kill()
            killed["database"] += 1
            await asyncio.to_thread(server.start)

    async with await SqliteLog.open(path) as created:
        await created.create_topic("counters", PARTITIONS)
    await asyncio.gather(
        keep_alive("counting", server.host),
        keep_alive("counting", server.host),
        keep_alive("relaying", path, server.host),
        keep_alive("relaying", path, server.host),
        kill_the_database(),
    )
    left = await query(server, "SELECT count(*), 0 FROM wakuwaku_outbox")
    assert await run("relaying", path, server.host, "0") == 0

    committed = dict(await query(server, f"SELECT counter, n FROM counters WHERE counter < {COUNTERS} AND n > 0"))
    assert committed
    assert await log_of(path) == {counter: list(range(1, n + 1)) for counter, n in committed.items()}
    assert await query(server, "SELECT count(*), 0 FROM wakuwaku_outbox") == [(0, 0)]
    assert check(path).problems == []
    print(f"kills: {dict(killed)}; {sum(committed.values())} events, {left[0][0]} of them sent after the last kill")
