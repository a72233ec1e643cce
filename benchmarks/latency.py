"""How close a consumer comes to the ideal when handlers are slow, and what it costs when they are not.

`python benchmarks/latency.py`. Method, in one run:

- *Skewed latency.* 100 keys, each call of the handler sleeps for an exponential time of 5 ms on average (one fixed
  seed), one event a call, concurrency 100. The ideal is the key with the most work: no key can be faster than the
  sum of its own calls. Beside it the batch barrier: the same calls, but the next 1 000 records are read only when
  all keys of the last 1 000 are done. Shown is the share of the ideal (ideal time / time taken).
- *Overhead.* The same events through a consumer with a handler that does nothing, and through the bare loop
  `for body in bodies: await handle(decode(body))`, at 1 000 keys. Shown is the difference a record, in CPU time, since
  the machine may be busy with other things.
- *Poison keys.* 10 % of the keys fail always. Shown is the rate of the healthy keys, with and without the others.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

from generated.shop.codecs import ORDERS_CODECS
from generated.shop.contracts import OrderPlacedContract, OrdersHandlers
from generated.shop.events import OrderPlaced
from wakuwaku import Batch, Consumer, ConsumerConfig, GiveUp, HandleError, Ignore, Ordering, Publisher, UnknownEvents
from wakuwaku.log.memory import MemoryLog

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
KEYS = 100


class Placed(OrderPlacedContract):
    """Do what the measurement wants."""

    def __init__(self, do: Callable[[Batch[OrderPlaced]], Awaitable[None]], max_batch: int = 1) -> None:
        self.do = do
        self.max_batch = max_batch

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        """Do it."""
        await self.do(events)


def order(order_id: int, number: int) -> OrderPlaced:
    """Return an order that differs from every other."""
    return OrderPlaced(order_id=order_id, customer="Ada", lines=(), total_cents=number, placed_at=NOON)


async def consume(
    events: Sequence[OrderPlaced],
    do: Callable[[Batch[OrderPlaced]], Awaitable[None]],
    *,
    max_batch: int = 1,
    clock: Callable[[], float] = perf_counter,
) -> float:
    """Publish events to a log in memory, consume them, and return the seconds consuming took."""
    log = MemoryLog()
    await log.create_topic("orders", 1)
    await Publisher(log).publish_many(events, ordering=Ordering.RELAXED)
    handlers = OrdersHandlers(order_placed=Placed(do, max_batch), payment_received=Ignore(), order_shipped=Ignore())
    config = ConsumerConfig(
        consumer="bench", partitions=[0], concurrency=KEYS, on_give_up=GiveUp.PARK, unknown_events=UnknownEvents.SKIP
    )
    start = clock()
    async with Consumer(log, handlers, config) as consumer:
        await consumer.caught_up()
        return clock() - start


async def barrier(events: Sequence[OrderPlaced], do: Callable[[OrderPlaced], Awaitable[None]]) -> float:
    """Run each 1 000 events by key, and wait for all of them before the next 1 000."""

    async def key_of(events: Sequence[OrderPlaced]) -> None:
        for event in events:
            await do(event)

    start = perf_counter()
    for first in range(0, len(events), 1000):
        keys: defaultdict[int, list[OrderPlaced]] = defaultdict(list)
        for event in events[first : first + 1000]:
            keys[event.order_id].append(event)
        await asyncio.gather(*map(key_of, keys.values()))
    return perf_counter() - start


async def skewed_latency(count: int) -> None:
    """Print the share of the ideal of the consumer and of the barrier."""
    dice = random.Random(5)
    events = [order(dice.randrange(KEYS), number) for number in range(count)]
    latency = [dice.expovariate(1 / 0.005) for _ in events]
    work: defaultdict[int, float] = defaultdict(float)
    for event in events:
        work[event.order_id] += latency[event.total_cents]
    ideal = max(work.values())

    async def sleep_one(event: OrderPlaced) -> None:
        await asyncio.sleep(latency[event.total_cents])

    async def sleep_all(batch: Batch[OrderPlaced]) -> None:
        for event in batch:
            await sleep_one(event)

    ours, theirs = await consume(events, sleep_all), await barrier(events, sleep_one)
    print(f"skewed latency, {count:,} events: ideal {ideal:.2f} s")
    print(f"  consumer {ours:.2f} s, {ideal / ours:.0%} of the ideal")
    print(f"  barrier  {theirs:.2f} s, {ideal / theirs:.0%} of the ideal")


async def overhead(count: int, rounds: int) -> None:
    """Print what a consumer costs a record more than the bare loop."""
    events = [order(number % 1000, number) for number in range(count)]
    codec = ORDERS_CODECS[1]
    bodies = [codec.encode(event) for event in events]

    async def nothing(batch: Batch[OrderPlaced]) -> None:
        del batch

    async def bare() -> float:
        start = process_time()
        for body in bodies:
            await nothing(Batch((codec.decode(body),), topic="orders", partition=0, offsets=(0,)))
        return process_time() - start

    for name, max_batch in (("one event a call", 1), ("up to 100 events a call", 100)):
        differences: list[float] = []
        for _ in range(rounds):
            taken = await consume(events, nothing, max_batch=max_batch, clock=process_time)
            loop = await bare()
            differences.append((taken - loop) / count * 1e6)
        differences.sort()
        print(
            f"overhead, 1 000 keys, {name}: {differences[rounds // 2]:.2f} µs a record over the bare loop "
            f"({differences[0]:.2f} to {differences[-1]:.2f})"
        )


async def poison(count: int) -> None:
    """Print the rate of healthy keys beside keys that always fail."""
    healthy = [order(number % 90, number) for number in range(count)]
    sick = [order(90 + number % 10, count + number) for number in range(count // 9)]

    async def work(batch: Batch[OrderPlaced]) -> None:
        if batch[0].order_id >= 90:
            raise HandleError.retryable("always")
        await asyncio.sleep(0.001)

    alone = await consume(healthy, work)
    mixed = [*healthy, *sick]
    random.Random(7).shuffle(mixed)
    log = MemoryLog()
    await log.create_topic("orders", 1)
    await Publisher(log).publish_many(mixed, ordering=Ordering.RELAXED)
    done = asyncio.Event()
    left = count

    async def count_healthy(batch: Batch[OrderPlaced]) -> None:
        nonlocal left
        await work(batch)
        left -= len(batch)
        if not left:
            done.set()

    handlers = OrdersHandlers(order_placed=Placed(count_healthy), payment_received=Ignore(), order_shipped=Ignore())
    config = ConsumerConfig(consumer="bench", partitions=[0], concurrency=KEYS, retry_delays=(0.05,) * 1000)
    start = perf_counter()
    async with Consumer(log, handlers, config):
        await done.wait()
        beside = perf_counter() - start
    print(
        f"poison keys, 10 %: healthy keys keep {alone / beside:.0%} of their rate ({count / alone:,.0f} a second alone)"
    )


def main() -> None:
    """Measure."""
    import logging  # noqa: PLC0415 - the poison keys would fill the screen

    logging.getLogger("wakuwaku").setLevel(logging.CRITICAL)
    asyncio.run(skewed_latency(20_000))
    asyncio.run(overhead(100_000, 5))
    asyncio.run(poison(9_000))


if __name__ == "__main__":
    main()
