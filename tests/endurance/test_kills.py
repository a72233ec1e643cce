"""A consumer and four publishers share one file and are killed again and again: what each mode promises holds."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.endurance.counted import CODECS, PARTITIONS
from tests.endurance.modes import MODES, NO_DOUBLE_CONSUME
from tests.endurance.publishing import COUNTERS
from wakuwaku.log import SqliteLog, check

ROOT = Path(__file__).parents[2]

#: How often processes are killed; the long form is 200.
KILLS = int(os.environ.get("WAKUWAKU_KILLS", "15"))
PUBLISHERS = 4
#: A process lives this many seconds at most.
LIFE = "0.7"


class Entry(NamedTuple):
    """A line of a diary."""

    what: str
    counter: int
    number: int


def diary(path: Path) -> list[Entry]:
    """Read a diary."""
    lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return [Entry(what, int(counter), int(number)) for what, counter, number in lines]


async def run(module: str, *arguments: object) -> int:
    """Run a program of this folder to its end, and return its exit code."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", f"tests.endurance.{module}", *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    _, errors = await asyncio.wait_for(process.communicate(), timeout=120)
    code = process.returncode
    assert code in {0, -signal.SIGKILL}, errors.decode()
    return code


async def run_until_killed_often(folder: Path, mode: str) -> None:
    """Start five programs, each again when it was killed, until there were enough kills; then consume the rest."""
    kills = 0

    async def keep_alive(module: str, *arguments: object) -> None:
        nonlocal kills
        while kills < KILLS:
            assert await run(module, *arguments, LIFE) == -signal.SIGKILL
            kills += 1

    log = folder / "events.db"
    async with await SqliteLog.open(log) as created:
        await created.create_topic("counters", PARTITIONS)
    publishers = [
        keep_alive("publishing", log, folder / f"publisher-{number}", number * COUNTERS) for number in range(PUBLISHERS)
    ]
    await asyncio.gather(*publishers, keep_alive("consuming", log, folder / "consumer", mode))
    assert await run("consuming", log, folder / "consumer", mode, "0") == 0


async def log_of(folder: Path) -> dict[int, list[int]]:
    """Return the numbers of each counter in log order."""
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    async with await SqliteLog.open(folder / "events.db") as log:
        for partition in range(PARTITIONS):
            offset = 0
            while page := await log.read("counters", partition, offset, 1_000):
                for record in page.records:
                    event = CODECS[1].decode(record.body)
                    numbers[event.counter].append(event.number)
                offset = page.offsets[-1] + 1
    return dict(numbers)


def check_order(counter: int, kept: list[int], runs: list[list[int]], *, repeats: bool) -> None:
    """Handlers saw what the log holds, from first to last; a restart may go back, a run never does, none skips."""
    place = {number: index for index, number in enumerate(kept)}
    done = -1
    for run_ in runs:
        places = [place[number] for number in run_]
        if places:
            assert all(later > earlier for earlier, later in pairwise(places)), counter
            if repeats:
                assert places[0] <= done + 1, counter
                assert places == list(range(places[0], places[-1] + 1)), counter
            else:
                assert places[0] > done, counter
            done = max(done, places[-1])
    if repeats:
        assert done == len(kept) - 1, counter


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("mode", MODES)
async def test_kills_lose_nothing_that_was_acknowledged(mode: str, tmp_path: Path) -> None:
    """At least once in NO_EVENT_LOSE, at most once in NO_DOUBLE_CONSUME; always in order per key."""
    await run_until_killed_often(tmp_path, mode)

    kept = await log_of(tmp_path)
    written = [entry for number in range(PUBLISHERS) for entry in diary(tmp_path / f"publisher-{number}")]
    tried = {(counter, number) for what, counter, number in written if what == "try"}
    acknowledged = {(counter, number) for what, counter, number in written if what == "ack"}
    in_log = {(counter, number) for counter, numbers in kept.items() for number in numbers}
    assert acknowledged
    assert acknowledged <= in_log <= tried
    assert sum(map(len, kept.values())) == len(in_log)  # no event is there twice
    assert all(numbers == sorted(numbers) for numbers in kept.values())

    runs: list[list[Entry]] = []
    for entry in diary(tmp_path / "consumer"):
        if entry.what == "start":
            runs.append([])
        else:
            runs[-1].append(entry)
    for counter, numbers in kept.items():
        handled = [[entry.number for entry in one if entry.counter == counter] for one in runs]
        check_order(counter, numbers, handled, repeats=mode != NO_DOUBLE_CONSUME)

    assert check(tmp_path / "events.db").problems == []
    print(f"{KILLS} kills, {len(runs)} runs of the consumer, {len(in_log)} events, {len(acknowledged)} acknowledged")
