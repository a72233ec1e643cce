"""The code of the page on error handling, translated, against a real database: `ApplyStock` and `UnknownSku`."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import asyncpg
import pytest

from tests.servers.postgres import PostgresServer
from wakuwaku import (
    Algebra,
    Batch,
    Consumer,
    ConsumerConfig,
    DeadLetter,
    ErrorClass,
    Event,
    EventType,
    HandleError,
    Handler,
    HandlerSet,
    Key,
    KeyType,
    Ordering,
    Publisher,
)
from wakuwaku.classify import postgres
from wakuwaku.log.memory import MemoryLog

pytestmark = pytest.mark.slow  # a server, or many transactions


class SkuKey(Key, frozen=True, kw_only=True):
    """One article."""

    sku: builtins.str

    __wakuwaku__: ClassVar[KeyType] = KeyType(name="shop.SkuKey", topic="stock", layout={"sku": "str"})


class StockAdjusted(Event, frozen=True, kw_only=True):
    """Articles came in or went out."""

    sku: builtins.str
    delta: builtins.int

    __wakuwaku__: ClassVar[EventType[SkuKey]] = EventType(
        name="shop.StockAdjusted", tag=1, key=SkuKey, algebra=Algebra.COMMUTATIVE, ordering=Ordering.RELAXED
    )

    @property
    def key(self) -> SkuKey:
        """Return the key this event belongs to."""
        return SkuKey(sku=self.sku)


class UnknownSku(Exception):  # noqa: N818 - called as on the page
    """The event names a SKU that has no stock row (yet)."""

    def __str__(self) -> str:
        return f"no stock row for SKU {self.args[0]}"


class ApplyStock(Handler[StockAdjusted]):
    """Add to the stock."""

    event = StockAdjusted
    classify = postgres().otherwise(ErrorClass.UNRECOVERABLE)

    def __init__(self, pool: asyncpg.Pool[Any]) -> None:
        self.pool = pool

    async def handle(self, events: Batch[StockAdjusted]) -> None:
        for adjustment in events:
            updated = await self.pool.execute(
                "UPDATE stock_rows SET quantity = quantity + $1 WHERE sku = $2", adjustment.delta, adjustment.sku
            )
            if updated == "UPDATE 0":
                # The `ProductCreated` projection may simply not have caught up.
                raise HandleError.retryable(UnknownSku(adjustment.sku))


def config(**settings: Any) -> ConsumerConfig:
    return ConsumerConfig(
        **{"consumer": "inventory", "partitions": [0], "poll_interval": 0.001, "retry_delays": (0.0,), **settings}
    )


@pytest.fixture
async def pool(postgres_server: PostgresServer) -> AsyncIterator[asyncpg.Pool[Any]]:
    async with asyncpg.create_pool(**postgres_server.asyncpg, min_size=1, max_size=2) as pool:
        await pool.execute("DROP TABLE IF EXISTS stock_rows")
        await pool.execute("CREATE TABLE stock_rows (sku text PRIMARY KEY, quantity smallint NOT NULL)")
        await pool.execute("INSERT INTO stock_rows VALUES ('tea', 10)")
        yield pool


async def consumed(log: MemoryLog, pool: asyncpg.Pool[Any], **settings: Any) -> Consumer:
    consumer = await HandlerSet.new(ApplyStock(pool)).start(log, config(**settings))
    await consumer.caught_up()
    await consumer.shutdown()
    return consumer


async def letters(log: MemoryLog) -> list[DeadLetter]:
    return [DeadLetter.from_record(record) for record in (await log.read("dead_stock_inventory", 0, 0, 10)).records]


async def test_stock_is_adjusted(pool: asyncpg.Pool[Any]) -> None:
    log = MemoryLog()
    await Publisher(log).publish_many([StockAdjusted(sku="tea", delta=3), StockAdjusted(sku="tea", delta=-5)])

    await consumed(log, pool)

    assert await pool.fetchval("SELECT quantity FROM stock_rows") == 8


async def test_an_unknown_sku_is_tried_again_until_its_row_is_there(pool: asyncpg.Pool[Any]) -> None:
    log = MemoryLog()
    await Publisher(log).publish(StockAdjusted(sku="coffee", delta=3))
    async with Consumer(log, HandlerSet.new(ApplyStock(pool)).bundle(), config(retry_delays=[0.02] * 500)) as consumer:
        while not consumer.health().partitions[0].quarantined:
            await pool.execute("SELECT 1")
        await pool.execute("INSERT INTO stock_rows VALUES ('coffee', 1)")
        await consumer.caught_up()

    assert await pool.fetchval("SELECT quantity FROM stock_rows WHERE sku = 'coffee'") == 4
    assert await letters(log) == []


async def test_a_sku_that_stays_unknown_is_given_up(pool: asyncpg.Pool[Any]) -> None:
    log = MemoryLog()
    await Publisher(log).publish(StockAdjusted(sku="cocoa", delta=3))

    await consumed(log, pool)

    (letter,) = await letters(log)
    assert (letter.reason, letter.message) == ("gave_up", "no stock row for SKU cocoa")
    assert letter.error_type.endswith("UnknownSku")


async def test_bad_data_goes_to_the_dead_letters_at_once(pool: asyncpg.Pool[Any]) -> None:
    """The quantity leaves the range of its column, and so does an argument that the driver refuses by itself."""
    log = MemoryLog()
    await Publisher(log).publish_many(
        [
            StockAdjusted(sku="tea", delta=32767),
            StockAdjusted(sku="tea", delta=2**40),
            StockAdjusted(sku="tea", delta=1),
        ]
    )

    await consumed(log, pool)

    assert [(one.reason, one.attempts) for one in await letters(log)] == [("unrecoverable", 1)] * 2
    assert await pool.fetchval("SELECT quantity FROM stock_rows") == 11


async def test_an_outage_of_the_database_is_waited_out(
    pool: asyncpg.Pool[Any], postgres_server: PostgresServer
) -> None:
    """The consumer waits in place, says so, and loses nothing."""
    log = MemoryLog()
    await consumed(log, pool)
    postgres_server.kill()
    try:
        await Publisher(log).publish(StockAdjusted(sku="tea", delta=7))
        handlers = HandlerSet.new(ApplyStock(pool)).bundle()
        consumer = Consumer(log, handlers, config(retry_delays=(0.02,)))
        await consumer.start()
        while consumer.health().partitions[0].waiting_for is None:
            assert consumer.progress.dead == 0
            await asyncio.sleep(0.01)
    finally:
        postgres_server.start()
    assert consumer.health().partitions[0].waiting_for == "ApplyStock"
    await consumer.caught_up()
    await consumer.shutdown()

    assert await pool.fetchval("SELECT quantity FROM stock_rows") == 17
    assert await letters(log) == []
