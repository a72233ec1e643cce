"""Consume counted events until the kill, or with 0 seconds to the end of the log: `… LOG DIARY MODE SECONDS`.

The diary gets "start 0 0" and then "handled COUNTER NUMBER" for each event a handler was given.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from tests.endurance.counted import PARTITIONS, Counted, CountedContract, CountersHandlers, Diary, die_soon
from tests.endurance.modes import settings_of
from wakuwaku import Batch, Consumer, ConsumerConfig
from wakuwaku.log import SqliteLog


async def main(log_path: str, diary_path: str, mode: str, seconds: str) -> None:
    """Consume until the process is killed or all is done."""
    if float(seconds):
        die_soon(float(seconds))
    diary = Diary(Path(diary_path))
    diary.write("start", 0, 0)

    class Write(CountedContract):
        async def handle(self, events: Batch[Counted]) -> None:
            for event in events:
                diary.write("handled", event.counter, event.number)
                await asyncio.sleep(0)

    settings: dict[str, Any] = {"poll_interval": 0.01, "idle_interval": 0.05, "poll_count": 50, **settings_of(mode)}
    config = ConsumerConfig(consumer="endurance", partitions=range(PARTITIONS), **settings)
    async with (
        await SqliteLog.open(log_path, busy_timeout=60) as log,
        Consumer(log, CountersHandlers(counted=Write()), config) as consumer,
    ):
        if float(seconds):
            await consumer.run_until_stopped()
        else:
            await consumer.caught_up()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
