"""Relay an outbox of PostgreSQL to a log until the kill, or with 0 seconds until it is empty: `… LOG HOST SECONDS`."""

from __future__ import annotations

import asyncio
import sys

import asyncpg

from tests.endurance.counted import die_soon
from wakuwaku.log import SqliteLog
from wakuwaku.outbox import OutboxRelay, PostgresOutbox


async def main(log_path: str, host: str, seconds: str) -> None:
    """Relay; the database goes away now and then."""
    if float(seconds):
        die_soon(float(seconds))
    async with await SqliteLog.open(log_path, busy_timeout=60) as log:
        pool = asyncpg.create_pool(host=host, user="postgres", database="postgres", min_size=0, max_size=2)
        async with pool:
            relay = OutboxRelay(
                PostgresOutbox().store(pool.acquire),
                log,
                batch=20,
                poll_interval=0.005,
                idle_interval=0.02,
                retry_delays=(0.05,),
                lease_seconds=5.0,
            )
            await (relay.run() if float(seconds) else relay.send_all())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
