"""Ten virtual minutes with keys that always fail, on a consumer as a service would run it."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from wakuwaku import Batch, Consumer, ConsumerConfig, GiveUp, HandleError
from wakuwaku.testing import MemoryLog, VirtualLoop
from wakuwaku.testing.scenario import fact_of
from wakuwaku.testing.topic import TOPIC, Scripted

KEYS = 100
SICK = frozenset({7, 42})  # 2 % of the keys
MINUTES = 10


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """Failing keys write a line each time; nobody reads them here."""
    logger = logging.getLogger("wakuwaku")
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(logging.NOTSET)


class Service:
    """A consumer of 100 keys, two of which always fail, and a publisher that gives each an event in five seconds."""

    def __init__(self, **settings: Any) -> None:
        self.log = MemoryLog()
        self.published = 0
        self.latest: dict[int, float] = {}  # by offset, when it was published
        self.handled: Counter[int] = Counter()  # by minute
        self.slowest = 0.0
        self.held: list[int] = []
        self.consumer = Consumer(
            self.log,
            Scripted(self.handle, max_batch=100),
            ConsumerConfig(
                consumer="c", partitions=(0,), concurrency=10, lag_warning=None, lease_seconds=None, **settings
            ),
        )

    async def handle(self, _: int, batch: Batch[Any]) -> None:
        await asyncio.sleep(0.01)
        if batch[0].subject in SICK:
            raise HandleError.retryable("always")
        now = asyncio.get_running_loop().time()
        self.handled[self.minute] += len(batch)
        self.slowest = max(self.slowest, *(now - self.latest[offset] for offset in batch.offsets))

    async def run(self, minutes: int) -> None:
        loop = asyncio.get_running_loop()
        await self.log.create_topic(TOPIC, 1)
        await self.consumer.start()
        for self.minute in range(minutes):
            for _ in range(60):
                facts = [fact_of(self.published + at, key=(self.published + at) % KEYS) for at in range(20)]
                self.latest.update((fact.offset, loop.time()) for fact in facts)
                self.published += len(facts)
                await self.log.append(TOPIC, 0, [fact.record for fact in facts])
                await asyncio.sleep(1.0)
            (health,) = self.consumer.health().partitions
            self.held.append(health.in_flight + health.pending_retry)

    async def dead(self) -> int:
        return (await self.log.bounds("dead_facts_c", 0)).end


def test_keys_that_always_fail_cost_the_others_nothing() -> None:
    service = Service(retry_delays=(0.05, 2.0))

    async def ten_minutes() -> None:
        await service.run(MINUTES)
        await service.consumer.shutdown()

    loop = VirtualLoop()
    loop.run_until_complete(ten_minutes())
    loop.close()
    healthy = 60 * 20 * (KEYS - len(SICK)) // KEYS
    assert list(service.handled.values()) == [healthy] * MINUTES
    assert service.slowest < 1.2  # the longest pause between two reads of an idle topic, and a call
    assert max(service.held) < 20


def test_a_full_backlog_pauses_the_reading_and_drops_nothing() -> None:
    """Two parked keys fill a backlog of 50: what nobody has read waits in the log, and no event is dead."""
    service = Service(retry_delays=(0.5,), on_give_up=GiveUp.PARK, max_pending_retry=50)
    left: dict[str, int] = {}

    async def ten_minutes() -> None:
        await service.run(MINUTES)
        (health,) = service.consumer.health().partitions
        report = await service.consumer.shutdown()
        stored = await service.log.load_offset("c", TOPIC, 0)
        assert stored is not None
        left.update(unread=service.published - stored - 1, waiting=health.pending_retry, dead=await service.dead())
        assert report.unresolved == {}

    loop = VirtualLoop()
    loop.run_until_complete(ten_minutes())
    loop.close()
    assert left["dead"] == 0
    assert left["waiting"] <= 50
    assert sum(service.handled.values()) + left["waiting"] + left["unread"] == service.published
    assert left["unread"] > service.published // 2
