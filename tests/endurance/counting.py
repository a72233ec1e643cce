"""Count in PostgreSQL and publish each number through the outbox, until the kill: `… HOST SECONDS`.

Every third transaction is rolled back. Several of these programs share the counters.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys

import asyncpg

from tests.endurance.counted import Counted, die_soon
from wakuwaku.outbox import PostgresOutbox

COUNTERS = 6


class RolledBack(Exception):  # noqa: N818 - it is asked for
    """End a transaction."""


async def main(host: str, seconds: str) -> None:
    """Count until the process is killed; a database that is away is tried again."""
    die_soon(float(seconds))
    outbox = PostgresOutbox()
    while True:
        with contextlib.suppress(Exception):  # drivers raise many kinds of things when a server dies
            connection = await asyncpg.connect(host=host, user="postgres", database="postgres")
            while True:
                with contextlib.suppress(RolledBack):
                    async with connection.transaction():
                        counter = random.randrange(COUNTERS)
                        for _ in range(random.randint(1, 3)):
                            number = await connection.fetchval(
                                "UPDATE counters SET n = n + 1 WHERE counter = $1 RETURNING n", counter
                            )
                            await outbox.add(connection, Counted(counter=counter, number=number))
                        if random.random() < 1 / 3:
                            raise RolledBack
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
