"""Publish counted events until the kill: `python -m tests.endurance.publishing LOG DIARY FIRST_COUNTER SECONDS`.

The diary gets "try COUNTER NUMBER" before and "ack COUNTER NUMBER" after an event was published. A number is tried
once: the next start goes on behind the last one tried.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

from tests.endurance.counted import Counted, Diary, die_soon
from wakuwaku import Publisher
from wakuwaku.log import SqliteLog

COUNTERS = 5


async def main(log_path: str, diary_path: str, first_counter: str, seconds: str) -> None:
    """Publish until the process is killed."""
    die_soon(float(seconds))
    diary_file = Path(diary_path)
    numbers = dict.fromkeys(range(int(first_counter), int(first_counter) + COUNTERS), 0)
    for line in diary_file.read_text().splitlines() if diary_file.exists() else []:
        _, known, number = line.split()
        numbers[int(known)] = max(numbers[int(known)], int(number))
    diary = Diary(diary_file)
    async with await SqliteLog.open(log_path, busy_timeout=60) as log:
        publisher = Publisher(log)
        while True:
            events: list[Counted] = []
            for _ in range(random.randint(1, 8)):
                counter = random.choice(list(numbers))
                numbers[counter] += 1
                events.append(Counted(counter=counter, number=numbers[counter]))
                diary.write("try", counter, numbers[counter])
            await publisher.publish_many(events)
            for event in events:
                diary.write("ack", event.counter, event.number)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
