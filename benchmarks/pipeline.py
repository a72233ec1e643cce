"""Publish, read and consume rates of the whole path, beside the bare loop: `python benchmarks/pipeline.py`.

Method. The events of the shop schema, one order and two payments in turn, are published in batches of 1 000, read
back page by page, and consumed by handlers that do nothing. The median of the rounds is shown, and events are counted
as they come in, before folding; "handled" is the share that is left after it. The bare loop is what a consumer is
compared with: bodies that lie in memory are decoded, and each event is given to the same handler in a batch of its
own.

Shares of consuming are measured stage by stage, after the fact, on the same records in the same round: reading;
planning (headers, queues and plan, by driving the machine alone, page by page); decoding and folding; calling
handlers. What is left is the engine. A consumer that folds more than one page at once does less of the later stages
than is measured here, so shares can add up to more than the whole. Rates on a shared machine vary; compare the ratios
of one run.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from generated.shop.codecs import ORDERS_CODECS
from generated.shop.contracts import (
    OrderPlacedContract,
    OrdersHandlers,
    OrderShippedContract,
    PaymentReceivedContract,
)
from generated.shop.events import Line, OrderPlaced, OrderShipped, PaymentReceived
from wakuwaku import Batch, Consumer, ConsumerConfig, Event, Ordering, Publisher, connect
from wakuwaku._core.commands import QueueKeys, RunKey
from wakuwaku._core.inputs import KeyFinished, KeyTaken, Polled, Started
from wakuwaku._core.partition import Partition
from wakuwaku._core.reduce import reduce
from wakuwaku._core.settings import Settings
from wakuwaku.headers import Record, parse_head
from wakuwaku.log import Log

PARTITIONS = range(4)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Placed(OrderPlacedContract):
    """Do nothing with orders."""

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        """Do nothing."""


class Paid(PaymentReceivedContract):
    """Do nothing with payments."""

    async def handle(self, events: Batch[PaymentReceived]) -> None:
        """Do nothing."""


class Shipped(OrderShippedContract):
    """Do nothing with parcels."""

    async def handle(self, events: Batch[OrderShipped]) -> None:
        """Do nothing."""


HANDLERS = OrdersHandlers(order_placed=Placed(), payment_received=Paid(), order_shipped=Shipped())
CALLS: dict[int, Callable[[Batch[Any]], Awaitable[None]]] = {1: Placed().handle, 2: Paid().handle}


@dataclass
class Round:
    """Hold the seconds of one round, and how many events were left after folding."""

    publish: float
    read: float
    consume: float
    bare: float
    plan: float
    decode: float
    call: float
    handled: int


def make_events(count: int, keys: int) -> list[Event]:
    """Return one order and two payments in turn, spread over the keys, all relaxed."""
    lines = (Line(sku="tea", quantity=2),)
    events: list[Event] = []
    for number in range(count):
        order_id = number // 3 % keys
        if number % 3 == 0:
            placed = OrderPlaced(
                order_id=order_id, customer="Ada", lines=lines, total_cents=number, placed_at=NOON, coupon=None
            )
            events.append(placed)
        else:
            events.append(PaymentReceived(order_id=order_id, amount_cents=number, last_paid_at=NOON, references=("r",)))
    return events


async def read_all(log: Log) -> list[tuple[Sequence[int], Sequence[Record]]]:
    """Return all pages of the topic."""
    pages: list[tuple[Sequence[int], Sequence[Record]]] = []
    for partition in PARTITIONS:
        offset = 0
        while page := await log.read("orders", partition, offset, 1000):
            pages.append((page.offsets, page.records))
            offset = page.offsets[-1] + 1
    return pages


def plan_all(pages: Sequence[tuple[Sequence[int], Sequence[Record]]]) -> list[RunKey]:
    """Drive the machine alone over all pages, a partition for each, and return the runs it plans."""
    algebras = {tag: codec.event.__wakuwaku__.algebra for tag, codec in ORDERS_CODECS.items()}
    runs: list[RunKey] = []
    machine = Partition(Settings(algebras=algebras, max_in_flight=10_000), stored=None)
    for offsets, records in pages:
        if offsets[0] == 0:
            machine = Partition(Settings(algebras=algebras, max_in_flight=10_000), stored=None)
            machine.step(Started(), 0.0)
        for command in machine.step(Polled(offsets, records), 0.0):
            if isinstance(command, QueueKeys):
                for key in command.keys:
                    run = machine.step(KeyTaken(key), 0.0)[0]
                    assert isinstance(run, RunKey)
                    runs.append(run)
                    machine.step(KeyFinished(key), 0.0)
    return runs


def decode_all(runs: Sequence[RunKey]) -> list[tuple[int, list[Event]]]:
    """Decode and fold the planned runs, and return the tag and events of each."""
    out: list[tuple[int, list[Event]]] = []
    for command in runs:
        for segment in command.segments:
            for run in segment.runs():
                codec = ORDERS_CODECS[run[0].tag]
                decode = codec.decode
                events = [decode(entry.record.body) for entry in run]
                reduced = reduce(codec.event.__wakuwaku__.algebra, events, lambda a, b: a.combine(b))
                out.append((run[0].tag, list(reduced.events)))
    return out


async def call_all(decoded: Sequence[tuple[int, list[Event]]]) -> None:
    """Call the handlers with batches of what was decoded."""
    for tag, events in decoded:
        call, size = CALLS[tag], (100 if tag == 1 else 1)
        for start in range(0, len(events), size):
            await call(Batch(events[start : start + size], topic="orders", partition=0, offsets=(0,)))


async def bare_loop(records: Sequence[Record]) -> None:
    """Decode each record and give its event to the handler, alone."""
    for record in records:
        tag = parse_head(record).tag
        await CALLS[tag](Batch((ORDERS_CODECS[tag].decode(record.body),), topic="orders", partition=0, offsets=(0,)))


async def one_round(url: str, events: Sequence[Event], poll_count: int) -> Round:
    """Publish, read and consume once, on a log of its own."""
    log = await connect(url, stream="bench")
    async with log:
        publisher = Publisher(log)
        await log.create_topic("orders", len(PARTITIONS))
        gc.collect()
        start = perf_counter()
        for first in range(0, len(events), 1000):
            await publisher.publish_many(events[first : first + 1000], ordering=Ordering.RELAXED)
        published = perf_counter()
        pages = await read_all(log)
        read = perf_counter()
        config = ConsumerConfig(consumer="bench", partitions=PARTITIONS, poll_count=poll_count)
        async with Consumer(log, HANDLERS, config) as consumer:
            await consumer.caught_up()
        consumed = perf_counter()
        records = [record for _, page in pages for record in page]
        await bare_loop(records)
        bare = perf_counter()
        runs = plan_all(pages)
        planned = perf_counter()
        decoded = decode_all(runs)
        decoded_at = perf_counter()
        await call_all(decoded)
        called = perf_counter()
    return Round(
        publish=published - start,
        read=read - published,
        consume=consumed - read,
        bare=bare - consumed,
        plan=planned - bare,
        decode=decoded_at - planned,
        call=called - decoded_at,
        handled=consumer.progress.handled,
    )


def show(name: str, keys: int, count: int, rounds: Sequence[Round]) -> None:
    """Print the medians of one setting."""
    median = {
        field: statistics.median(getattr(one, field) for one in rounds)
        for field in ("publish", "read", "consume", "bare", "plan", "decode", "call", "handled")
    }
    spread = [count / one.consume for one in rounds]
    stages = {stage: median[stage] / median["consume"] for stage in ("read", "plan", "decode", "call")}
    shares = "  ".join(f"{stage} {share:4.0%}" for stage, share in stages.items())
    print(
        f"{name:6} {keys:>7,}  {count / median['publish']:>9,.0f}  {count / median['read']:>9,.0f}  "
        f"{count / median['consume']:>9,.0f} ({min(spread):,.0f} to {max(spread):,.0f})  "
        f"{count / median['bare']:>9,.0f}  {median['bare'] / median['consume']:>5.2f}  "
        f"{median['handled'] / count:>7.0%}  {shares}  engine {max(0.0, 1 - sum(stages.values())):4.0%}"
    )


def main() -> None:
    """Measure every log at every number of keys."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--events", type=int, default=200_000, help="events per round")
    parser.add_argument("--keys", type=int, nargs="+", default=[10, 1_000, 100_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--poll-count", type=int, default=1000, help="records the consumer reads at a time")
    arguments = parser.parse_args()
    print(
        f"{arguments.events:,} events a round, {arguments.rounds} rounds, {arguments.poll_count:,} a poll; "
        "events a second (median)"
    )
    columns = "log       keys    publish       read    consume (min to max)       bare loop  ratio  handled"
    print(f"{columns}  share of consuming")
    for name in ("memory", "sqlite"):
        for keys in arguments.keys:
            events = make_events(arguments.events, keys)
            rounds: list[Round] = []
            for _ in range(arguments.rounds):
                with tempfile.TemporaryDirectory() as folder:
                    url = "memory://" if name == "memory" else f"sqlite:///{Path(folder) / 'events.db'}"
                    rounds.append(asyncio.run(one_round(url, events, arguments.poll_count)))
            show(name, keys, arguments.events, rounds)


if __name__ == "__main__":
    main()
