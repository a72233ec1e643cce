"""A server of Iggy is killed again and again while events are published and consumed: nothing acknowledged is lost."""

from __future__ import annotations

import asyncio
import os
import random
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from tests.iggy_server import Server, needs_server
from tests.runtime.orders import OrderPlaced, OrderPlacedContract, OrdersHandlers
from wakuwaku import Batch, Consumer, ConsumerConfig, Ignore, Publisher, RetryableError
from wakuwaku.errors import LogUnavailableError
from wakuwaku.log.iggy import IggyLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [*needs_server, pytest.mark.slow]

#: How often the server is killed; the long form is 10 or more.
KILLS = int(os.environ.get("WAKUWAKU_KILLS", "2"))
PARTITIONS = range(4)
PUBLISHERS = 8
KEYS_EACH = 5


class Record(OrderPlacedContract):
    """Keep what was handled, and fail now and then."""

    def __init__(self, handled: dict[int, list[int]], chance: random.Random) -> None:
        self.handled = handled
        self.chance = chance
        self.failures = 0

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        if self.chance.random() < 0.01:
            self.failures += 1
            raise RetryableError("now and then")
        for event in events:
            self.handled[event.order_id].append(event.total_cents)


async def publish(log: IggyLog, keys: range, acknowledged: dict[int, int], stop: asyncio.Event) -> int:
    """Publish numbers for some keys until told to stop, each again until it is acknowledged; return the repeats."""
    publisher, repeats, number = Publisher(log), 0, 0
    while not stop.is_set():
        events = [
            OrderPlaced(order_id=key, customer="Ada", total_cents=number + step) for step in range(3) for key in keys
        ]
        while True:
            try:
                await publisher.publish_many(events)
                break
            except LogUnavailableError:
                repeats += 1
                await asyncio.sleep(0.05)
        number += 3
        for key in keys:
            acknowledged[key] = number
        await asyncio.sleep(0.01)
    return repeats


def first_seen(numbers: list[int]) -> Iterator[int]:
    """Return each number where it came up first."""
    seen: set[int] = set()
    for number in numbers:
        if number not in seen:
            seen.add(number)
            yield number


async def test_what_was_acknowledged_is_handled_in_order_over_kills_of_the_server(tmp_path: Path) -> None:
    """No partition ends, no acknowledged event is missing, and each key's events come up first in their order."""
    chance = random.Random(KILLS)
    handled: dict[int, list[int]] = defaultdict(list)
    acknowledged: dict[int, int] = {}
    recorder = Record(handled, chance)
    handlers = OrdersHandlers(order_placed=recorder, payment_received=Ignore(), order_shipped=Ignore())
    config = ConsumerConfig(
        consumer="c", partitions=PARTITIONS, retry_delays=(0.05,) * 20, poll_interval=0.01, idle_interval=0.05
    )
    server, stop = Server(tmp_path), asyncio.Event()
    await server.start()
    try:
        async with (
            await IggyLog.open(server.address) as publishing,
            await IggyLog.open(server.address) as consuming,
            Consumer(consuming, handlers, config) as consumer,
        ):
            publishers = [
                asyncio.create_task(publish(publishing, range(first, first + KEYS_EACH), acknowledged, stop))
                for first in range(0, PUBLISHERS * KEYS_EACH, KEYS_EACH)
            ]
            for _ in range(KILLS):
                before = sum(map(len, handled.values()))
                async with asyncio.timeout(120):
                    while sum(map(len, handled.values())) < before + 500:
                        await asyncio.sleep(0.05)
                        assert consumer.health().alive, "a partition stopped by itself"
                        for publisher in publishers:
                            if publisher.done():
                                publisher.result()
                await asyncio.sleep(chance.random())
                await server.kill()
                await asyncio.sleep(chance.random())
                await server.start()
            stop.set()
            repeats = sum(await asyncio.gather(*publishers))
            async with asyncio.timeout(240):
                await consumer.caught_up()
            assert consumer.health().alive
    finally:
        await server.kill()

    print(
        f"{KILLS} kills, {sum(acknowledged.values())} acknowledged, {repeats} sent again, {recorder.failures} failures"
    )
    assert repeats, "no kill hit a publisher: this test tried nothing"
    assert recorder.failures, "no handler failed: the retry topic was not tried"
    for key, count in acknowledged.items():
        order = list(first_seen(handled[key]))
        assert order[:count] == list(range(count))
