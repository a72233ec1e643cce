"""Project counted events into PostgreSQL until the kill, or with 0 seconds to the end: `… LOG HOST SECONDS`.

Nothing in the table keeps an event from being applied twice; only the inbox does.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import asyncpg

from tests.endurance.counted import PARTITIONS, Counted, CountedContract, CountersHandlers, die_soon
from wakuwaku import Batch, Consumer, ConsumerConfig
from wakuwaku.classify import postgres
from wakuwaku.inbox import PostgresInbox
from wakuwaku.log import SqliteLog


class Project(CountedContract):
    """Note each event, and count it."""

    max_batch = 5
    classify = postgres()

    def __init__(self, pool: asyncpg.Pool[Any], inbox: PostgresInbox) -> None:
        self.pool = pool
        self.inbox = inbox

    async def handle(self, events: Batch[Counted]) -> None:
        async with self.pool.acquire() as connection, connection.transaction():
            fresh = await self.inbox.take(connection, events)
            for event in fresh or ():
                await connection.execute("INSERT INTO applied VALUES (DEFAULT, $1, $2)", event.counter, event.number)
                await connection.execute("UPDATE counters SET n = n + 1 WHERE counter = $1", event.counter)


async def main(log_path: str, host: str, seconds: str) -> None:
    """Consume until the process is killed or all is done."""
    if float(seconds):
        die_soon(float(seconds))
    config = ConsumerConfig(
        consumer="projection",
        partitions=range(PARTITIONS),
        poll_interval=0.01,
        idle_interval=0.05,
        poll_count=20,
        retry_delays=(0.05,) * 50,
    )
    async with (
        asyncpg.create_pool(host=host, user="postgres", database="postgres", min_size=1, max_size=4) as pool,
        await SqliteLog.open(log_path, busy_timeout=60) as log,
        Consumer(log, CountersHandlers(counted=Project(pool, PostgresInbox("projection"))), config) as consumer,
    ):
        if float(seconds):
            await consumer.run_until_stopped()
        else:
            await consumer.caught_up()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
