"""Rates of the embedded log, beside SQLite itself doing the same inserts: `python benchmarks/log.py`.

Method. The process is held on one core where the system can do that. Records of 15 bytes of headers and `--body` bytes
are appended in batches of 1 000, one call awaited before the next, and read back in pages of 1 000. Each rate is the
median of ten equal parts of the log, with the slowest and the fastest. Whether a long log is slower than a short one is
told by the median batch of the first half (without the first part, which warms up) and of the second half, each as a
multiple of what SQLite alone took in that half, since a machine is not equally fast all the time. "memory" is the
growth of the process's peak from the second part to the last.

"raw, same rows" is the sqlite3 module alone on a file of the same tables: the same pragmas, one transaction for each
batch, the same row with the same blob, which was encoded before; reading is the same SELECT without decoding. "raw, a
row each" is the table a service would make for itself: one row a record, `executemany` in one transaction a batch.
Ratios are of the log's rate to the raw one. Both settings of fsync are measured: with "full" the disk takes the most
part of the time, with "normal" the work of the log is seen. All are measured in turn, batch by batch, so that a slow
moment of the machine meets them all.

"tasks at once" appends the same batches from several tasks, so that one fsync makes more than one of them durable.

"small publishes" are 1 000 appends of one record from 20 tasks; commits are counted in the write-ahead log, each is one
fsync. "idle" is the share of a core that a consumer of four partitions takes while nothing is in the log to read.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from generated.shop.contracts import OrdersHandlers
from wakuwaku import Consumer, ConsumerConfig, Ignore
from wakuwaku.headers import Record
from wakuwaku.log import SqliteLog
from wakuwaku.log.sqlite_file import open_reader, open_writer

BATCH = 1_000
PARTS = 10
TASKS = 4
HEAD = bytes(15)

Fsync = Literal["full", "normal"]


def peak_mib() -> float:
    """Return the most memory this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def make_batch(number: int, body: int) -> list[Record]:
    """Return records with bodies that differ."""
    mark = number.to_bytes(8)
    return [Record(HEAD, mark + index.to_bytes(2) + bytes(body - 10)) for index in range(BATCH)]


class Raw:
    """Insert with the sqlite3 module alone."""

    def __init__(self, path: Path, fsync: Fsync) -> None:
        self.connection = open_writer(path, fsync, 5.0)
        self.connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, head BLOB, body BLOB)")
        self.offset = 0

    def same_row(self, blob: bytes) -> None:
        """Insert the row the log makes of a batch."""
        run = self.connection.execute
        run("BEGIN IMMEDIATE")
        run(
            "INSERT INTO batch (topic_id, partition, base, count, appended_at_ms, records) VALUES (1, 0, ?, ?, 0, ?)",
            (self.offset, BATCH, blob),
        )
        run("COMMIT")
        self.offset += BATCH

    def row_each(self, records: Sequence[tuple[bytes, bytes]]) -> None:
        """Insert a row for each record."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT INTO event (head, body) VALUES (?, ?)", records)
        self.connection.execute("COMMIT")


class Meter:
    """Measure parts of a log: the rate of each, what each batch of it takes, and the process's peak."""

    def __init__(self) -> None:
        self.rates: list[float] = []
        self.batches: list[list[float]] = [[]]
        self.peaks: list[float] = []

    @contextmanager
    def timed(self) -> Generator[None]:
        """Add the batch that the block works on."""
        start = perf_counter()
        yield
        self.batches[-1].append(perf_counter() - start)

    def end_part(self) -> None:
        """Close a part."""
        self.rates.append(BATCH * len(self.batches[-1]) / sum(self.batches[-1]))
        self.peaks.append(peak_mib())
        self.batches.append([])

    @property
    def median(self) -> float:
        """Return the median rate of the parts."""
        return statistics.median(self.rates)

    def halves(self) -> tuple[float, float]:
        """Return what a batch takes in the first half, without the first part, which warms up, and in the second."""
        first, second = self.batches[1 : PARTS // 2], self.batches[PARTS // 2 : PARTS]
        return statistics.median(chain.from_iterable(first)), statistics.median(chain.from_iterable(second))

    def show(self, name: str, raw: Meter | None = None) -> None:
        """Print the rates, and if there is something to compare with, how they change as the log grows."""
        low, high = min(self.rates), max(self.rates)
        line = f"{name:34} {self.median:>11,.0f} {low:>11,.0f} {high:>11,.0f}"
        if raw is None:
            print(line)
            return
        first, second = (own / other for own, other in zip(self.halves(), raw.halves(), strict=True))
        grown = self.peaks[-1] - self.peaks[1]
        memory = f"memory +{grown:.1f} MiB of {self.peaks[-1]:.0f}" if grown > 0 else "memory flat"
        print(
            f"{line} {self.median / raw.median:7.2f}  a batch takes {first:.2f} of raw, then {second:.2f}"
            f" ({second / first - 1:+.1%}), {memory}"
        )


async def measure(folder: Path, fsync: Fsync, events: int, body: int) -> None:
    """Append and read with one setting of fsync, part by part, beside SQLite."""
    raw = Raw(folder / f"raw-{fsync}.db", fsync)
    encode = msgspec.msgpack.Encoder().encode
    ours, same, each = Meter(), Meter(), Meter()
    path = folder / f"{fsync}.db"
    batches = events // BATCH // PARTS
    every = max(1, batches // 100)  # a hundred raw batches a part are enough, and keep the disk small
    async with await SqliteLog.open(path, fsync=fsync) as log:
        await log.create_topic("orders", 1)
        for part in range(PARTS):
            for number in range(batches):
                records = make_batch(part * batches + number, body)
                with ours.timed():
                    await log.append("orders", 0, records)
                if number % every == 0:
                    blob = encode(records)
                    pairs = [(record.head, record.body) for record in records]
                    with same.timed():
                        raw.same_row(blob)
                    with each.timed():
                        raw.row_each(pairs)
            for meter in (ours, same, each):
                meter.end_part()
        print(f"\nfsync {fsync}")
        same.show("raw append, same rows")
        each.show("raw append, a row each")
        ours.show("log append", same)
        await measure_reads(log, path)
    raw.connection.close()


async def several_in_flight(folder: Path, events: int, body: int) -> None:
    """Append batches from several tasks at once, each awaiting its own, with every append durable."""
    meter = Meter()
    each = events // BATCH // PARTS // TASKS
    batches = [make_batch(number, body) for number in range(100)]
    async with await SqliteLog.open(folder / "shared.db", fsync="full") as log:
        await log.create_topic("orders", 1)

        async def append() -> None:
            for number in range(each):
                await log.append("orders", 0, batches[number % len(batches)])

        for _ in range(PARTS):
            start = perf_counter()
            await asyncio.gather(*(append() for _ in range(TASKS)))
            meter.rates.append(BATCH * TASKS * each / (perf_counter() - start))
    print("\nfsync full, shared")
    meter.show(f"log append, {TASKS} tasks at once")


async def measure_reads(log: SqliteLog, path: Path) -> None:
    """Read the log from end to end, beside SQLite."""
    end = (await log.bounds("orders", 0)).end
    ours, raw = Meter(), Meter()
    query = "SELECT base, count, records FROM batch WHERE topic_id = 1 AND partition = 0 AND base = ?"
    with closing(open_reader(path, 5.0)) as connection:
        for part in range(PARTS):
            for base in range(part * end // PARTS, (part + 1) * end // PARTS, BATCH):
                with ours.timed():
                    await log.read("orders", 0, base, BATCH)
                with raw.timed():
                    connection.execute(query, (base,)).fetchall()
            ours.end_part()
            raw.end_part()
    raw.show("raw read, same rows, not decoded")
    ours.show("log read", raw)


def commits_in(wal: Path) -> int:
    """Count the commits in a write-ahead log (see the SQLite file format)."""
    data = wal.read_bytes()
    frame = 24 + int.from_bytes(data[8:12])
    heads = (data[at : at + 24] for at in range(32, len(data), frame))
    return sum(head[8:16] == data[16:24] and head[4:8] != bytes(4) for head in heads)


async def small_publishes(folder: Path) -> None:
    """Publish single records from many tasks."""
    path = folder / "small.db"
    async with await SqliteLog.open(path) as log:
        await log.create_topic("orders", 1)

        async def publish() -> None:
            for _ in range(50):
                await log.append("orders", 0, [Record(HEAD, bytes(100))])

        wal = path.with_name("small.db-wal")
        before, start = commits_in(wal), perf_counter()
        await asyncio.gather(*(publish() for _ in range(20)))
        spent, commits = perf_counter() - start, commits_in(wal) - before
        start = perf_counter()
        for _ in range(50):
            await log.append("orders", 0, [Record(HEAD, bytes(100))])
        alone = (perf_counter() - start) / 50
    print(
        f"\nsmall publishes: 1,000 from 20 tasks in {spent:.2f} s, {commits} commits;"
        f" one alone takes {alone * 1e3:.2f} ms"
    )


async def idle(folder: Path, seconds: float) -> None:
    """Leave a consumer without work."""
    handlers = OrdersHandlers(order_placed=Ignore(), payment_received=Ignore(), order_shipped=Ignore())
    async with await SqliteLog.open(folder / "idle.db") as log:
        await log.create_topic("orders", 4)
        async with Consumer(log, handlers, ConsumerConfig(consumer="idle", partitions=range(4))):
            await asyncio.sleep(5)  # by then it looks once a second
            before = time.process_time()
            await asyncio.sleep(seconds)
            used = time.process_time() - before
    print(f"idle: a consumer of 4 partitions takes {used / seconds:.2%} of a core, over {seconds:g} s")


def main() -> None:
    """Measure all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--events", type=int, default=1_000_000, help="events in each log; 10 000 at least")
    parser.add_argument("--body", type=int, default=100, help="bytes of a body; 10 at least")
    parser.add_argument("--idle", type=float, default=20.0, help="seconds to watch the idle consumer")
    parser.add_argument("--folder", help="where to write; default: the temporary folder")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{arguments.events:,} events of {arguments.body} bytes, SQLite {sqlite3.sqlite_version}, one core")
    print(f"{'events a second':34} {'median':>11} {'slowest':>11} {'fastest':>11} {'to raw':>7}")
    settings: tuple[Fsync, ...] = ("full", "normal")
    steps: list[Callable[[Path], Coroutine[Any, Any, None]]] = [
        *(partial(measure, fsync=fsync, events=arguments.events, body=arguments.body) for fsync in settings),
        partial(several_in_flight, events=arguments.events, body=arguments.body),
        small_publishes,
        partial(idle, seconds=arguments.idle),
    ]
    for step in steps:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            asyncio.run(step(Path(folder)))


if __name__ == "__main__":
    main()
