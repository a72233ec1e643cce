"""The inbox: everything once, whatever is handed over again, on every kind of connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from tests.runtime.database.drivers import DRIVERS, Database, database_of
from tests.runtime.orders import OrderPlaced, OrderShipped, PaymentReceived, PaymentReceivedContract
from tests.servers.postgres import PostgresServer
from wakuwaku import Batch, ConfigError, ConsumerConfig, HandlerSet, Publisher
from wakuwaku.headers import Record
from wakuwaku.inbox import PostgresInbox, SqliteInbox, settled_below
from wakuwaku.log.memory import MemoryLog

pytestmark = pytest.mark.slow  # a server, or many transactions


@pytest.fixture(params=DRIVERS)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    server = None if request.param == "sqlite3" else request.getfixturevalue("postgres_server")
    async with database_of(request.param, server, tmp_path / "inbox.db") as made:
        yield made


def payments(*cents: int, first: int = 0) -> Batch[PaymentReceived]:
    """Return payments of one order as they come folded into one."""
    events = [PaymentReceived(order_id=7, amount_cents=one) for one in cents]
    folded = PaymentReceived(order_id=7, amount_cents=sum(cents))
    offsets = range(first, first + len(events))
    return Batch([folded], topic="orders", partition=0, offsets=offsets, unfolded=events)


def amounts(batch: Batch[PaymentReceived] | None) -> list[int]:
    return [] if batch is None else [event.amount_cents for event in batch]


async def test_what_was_taken_is_not_handed_out_again(database: Database) -> None:
    """A repeat that comes folded with newer events is cut down to what is new, and folded anew."""
    async with database.transaction() as connection:
        assert amounts(await database.take(connection, payments(1, 2))) == [3]
        assert await database.take(connection, payments(1, 2)) is None
    async with database.transaction() as connection:
        again = await database.take(connection, payments(1, 2, 4, 8))

    assert amounts(again) == [12]
    assert list(again.offsets) == [2, 3]
    assert [event.amount_cents for event in again.unfolded] == [4, 8]


async def test_a_hole_is_filled_later(database: Database) -> None:
    """What was given up, and comes back after newer events were applied, is new."""
    async with database.transaction() as connection:
        await database.take(connection, payments(4, first=2))
        assert amounts(await database.take(connection, payments(1, 2, 4, 8))) == [11]


async def test_what_was_rolled_back_was_not_taken(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as connection:
            await database.take(connection, payments(1))
            raise ZeroDivisionError

    async with database.transaction() as connection:
        assert amounts(await database.take(connection, payments(1))) == [1]


async def test_a_large_batch_is_taken_whole(database: Database) -> None:
    many = payments(*range(1, 1001))
    async with database.transaction() as connection:
        assert amounts(await database.take(connection, payments(1, 2, 3))) == [6]
        assert amounts(await database.take(connection, many)) == [sum(range(1, 1001)) - 6]
        assert await database.take(connection, many) is None


async def test_consumers_topics_and_partitions_are_apart(database: Database) -> None:
    event = PaymentReceived(order_id=7, amount_cents=5)
    other = type(database.inbox)("another")
    async with database.transaction() as connection:
        for topic, partition in (("orders", 0), ("orders", 1), ("others", 0)):
            batch = Batch([event], topic=topic, partition=partition, offsets=[3])
            assert await database.take(connection, batch) is batch
        batch = Batch([event], topic="orders", partition=0, offsets=[3])
        assert await database.call(other.take(connection, batch)) is batch


async def test_an_id_is_taken_once_wherever_its_event_stands(database: Database) -> None:
    """By an id also what was published twice is applied once, in one batch and over batches."""

    def batch(*ids: str, first: int) -> Batch[OrderPlaced]:
        events = [OrderPlaced(order_id=7, customer=one) for one in ids]
        return Batch(events, topic="orders", partition=0, offsets=range(first, first + len(ids)))

    def id_of(event: OrderPlaced) -> str:
        return event.customer

    async with database.transaction() as connection:
        fresh = await database.take(connection, batch("a", "b", "a", first=0), id_of)
        assert [event.customer for event in fresh] == ["a", "b"]
        fresh = await database.take(connection, batch("b", "c", first=90), id_of)
        assert [event.customer for event in fresh] == ["c"]
        assert await database.take(connection, batch("a", first=99), id_of) is None
        assert await database.call(database.inbox.forget_ids(connection, "orders", older_than=3600)) == 0
        assert await database.call(database.inbox.forget_ids(connection, "orders", older_than=-1)) == 3
        assert await database.take(connection, batch("a", first=0), id_of) is not None


async def test_what_is_settled_is_forgotten(database: Database) -> None:
    async with database.transaction() as connection:
        await database.take(connection, payments(1, 2, 3, 4))
        assert await database.call(database.inbox.forget(connection, "orders", {0: 2, 5: 100})) == 2
        assert amounts(await database.take(connection, payments(1, 2, 3, 4))) == [3]


async def test_records_without_an_offset_are_never_taken_for_known_ones(database: Database) -> None:
    """A Rust service writes such to the retry topic; skipping one would lose it."""
    batch = Batch([PaymentReceived(order_id=7, amount_cents=5)], topic="orders", partition=0, offsets=[-1])
    async with database.transaction() as connection:
        assert await database.take(connection, batch) is batch
        assert await database.take(connection, batch) is batch


@pytest.mark.parametrize("driver", ["asyncpg", "psycopg"])
async def test_a_second_instance_waits_for_the_first(
    driver: str, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """Two that take the same event at once: one applies it, whoever commits, and nobody applies it twice."""
    async with database_of(driver, postgres_server, tmp_path) as database:
        async with database.transaction() as first:
            assert await database.take(first, payments(1)) is not None

            async def second() -> object:
                async with database.transaction() as connection:
                    return await database.take(connection, payments(1))

            waiting = asyncio.ensure_future(second())
            blocked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            while not waiting.done() and not await database.value(blocked):
                await asyncio.sleep(0)
            assert not waiting.done()

        assert await waiting is None


async def test_tables_are_made_by_many_at_once(postgres_server: PostgresServer, tmp_path: Path) -> None:
    async with database_of("asyncpg", postgres_server, tmp_path) as database:
        inbox = PostgresInbox("c", table="many_at_once")

        async def make() -> None:
            async with database.connected() as connection:
                await inbox.create_tables(connection)

        await asyncio.gather(*(make() for _ in range(10)))
        async with database.transaction() as connection:
            assert amounts(await inbox.take(connection, payments(1))) == [1]
            await database.run(connection, "DROP TABLE many_at_once, many_at_once_ids")
            await database.run(connection, inbox.tables)  # as a migration would
            await database.run(connection, "DROP TABLE many_at_once, many_at_once_ids")


async def test_sqlalchemys_connection_is_given_as_the_drivers(postgres_server: PostgresServer, tmp_path: Path) -> None:
    async with database_of("asyncpg", postgres_server, tmp_path) as database:
        for name in ("asyncpg", "psycopg"):
            engine = create_async_engine(postgres_server.url(name))
            async with engine.connect() as connection:
                await connection.begin()
                with pytest.raises(TypeError, match="with SQLAlchemy, give the driver's"):
                    await database.inbox.take(connection, payments(1))
                raw = (await connection.get_raw_connection()).driver_connection
                if name == "asyncpg":  # whose transaction SQLAlchemy begins with the first statement
                    await connection.exec_driver_sql("SELECT 1")
                assert amounts(await database.inbox.take(raw, payments(1))) == [1]
                await connection.rollback()
            await engine.dispose()


async def test_without_a_transaction_nothing_is_taken(database: Database) -> None:
    """It would be noted at once, and lost for good when what belongs to it fails."""
    async with database.connected() as connection:
        if database.driver == "sqlite3":
            connection.isolation_level = None
        with pytest.raises(RuntimeError, match="no transaction is open on this connection"):
            await database.take(connection, payments(1))
        with pytest.raises(RuntimeError, match="no transaction is open on this connection"):
            await database.take(connection, payments(1), str)
        with pytest.raises(RuntimeError, match="no transaction is open on this connection"):
            await database.add(connection, payments(1)[0])

    assert await database.value("SELECT count(*) FROM wakuwaku_inbox") == 0


async def test_drivers_that_begin_by_themselves_are_fine(postgres_server: PostgresServer, tmp_path: Path) -> None:
    async with database_of("psycopg", postgres_server, tmp_path) as database:
        async with await psycopg.AsyncConnection.connect(postgres_server.psycopg) as connection:
            assert amounts(await database.inbox.take(connection, payments(1))) == [1]
            await connection.rollback()
        assert await database.value("SELECT count(*) FROM wakuwaku_inbox") == 0
    async with database_of("sqlite3", None, tmp_path / "x.db") as database:
        async with database.connected() as plain:
            assert amounts(await database.take(plain, payments(1))) == [1]
            plain.rollback()
        assert await database.value("SELECT count(*) FROM wakuwaku_inbox") == 0


async def test_a_pool_is_no_connection(postgres_server: PostgresServer, tmp_path: Path) -> None:
    async with (
        database_of("asyncpg", postgres_server, tmp_path) as database,
        asyncpg.create_pool(**postgres_server.asyncpg, min_size=0) as pool,
    ):
        with pytest.raises(TypeError, match="Pool is a pool: take a connection of it, and begin a transaction there"):
            await database.inbox.take(pool, payments(1))


@pytest.mark.parametrize("name", ["", "a b", "a;b", "a.b.c", "1a", "ü"])
def test_a_name_that_is_no_table_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="is no name of a table"):
        PostgresInbox("c", table=name)
    with pytest.raises(ConfigError, match="needs the name of its consumer"):
        SqliteInbox("")


async def test_what_is_no_connection_is_refused() -> None:
    wrong: Any = object()

    with pytest.raises(TypeError, match="object is no connection of asyncpg or psycopg; with SQLAlchemy"):
        await PostgresInbox("c").take(wrong, payments(1))


class Adds(PaymentReceivedContract):
    """Add in one transaction with the inbox, fail where a test wants it, and crash after the commit."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.fail_after_commit = 2

    async def handle(self, events: Batch[PaymentReceived]) -> None:
        async with self.database.transaction() as connection:
            fresh = await self.database.take(connection, events)
            if fresh is not None:
                cents = sum(payment.amount_cents for payment in fresh)
                await self.database.run(connection, f"UPDATE total SET cents = cents + {cents}")
        if self.fail_after_commit:
            self.fail_after_commit -= 1
            raise OSError("the answer got lost")


async def test_a_handler_that_fails_after_its_commit_applies_once(database: Database) -> None:
    log = MemoryLog()
    await Publisher(log).publish_many([PaymentReceived(order_id=7, amount_cents=cents) for cents in (1, 2, 4, 8)])
    config = ConsumerConfig(consumer="c", partitions=(0, 1, 2, 3), poll_interval=0.001, retry_delays=(0.0,) * 3)

    consumer = await HandlerSet.new(Adds(database)).ignore(OrderPlaced).ignore(OrderShipped).start(log, config)
    await consumer.caught_up()
    await consumer.shutdown()

    assert await database.value("SELECT cents FROM total") == 15
    below = await settled_below(log, "orders", "c", range(4))
    assert sorted(below.values()) == [4]
    async with database.transaction() as connection:
        assert await database.call(database.inbox.forget(connection, "orders", below)) == 4


async def test_what_waits_for_another_attempt_is_not_settled() -> None:
    class Fails(PaymentReceivedContract):
        async def handle(self, events: Batch[PaymentReceived]) -> None:
            raise OSError

    log = MemoryLog()
    publisher = Publisher(log)
    config = ConsumerConfig(consumer="c", partitions=(0, 1, 2, 3), poll_interval=0.001, retry_delays=(3600,))
    assert await settled_below(log, "orders", "c", ()) == {}
    handlers = HandlerSet.new(Fails()).ignore(OrderPlaced).ignore(OrderShipped)
    consumer = await handlers.start(log, config)
    await publisher.publish_many([OrderShipped(order_id=7, carrier="post")] * 3)
    await publisher.publish(PaymentReceived(order_id=7, amount_cents=1))
    await publisher.publish_many([OrderShipped(order_id=7, carrier="post")] * 3)
    while not sum(one.pending_retry for one in consumer.health().partitions):
        await asyncio.sleep(0.001)
    await consumer.shutdown()  # the offset behind all seven is stored, one of them waits in the retry topic

    (partition,) = [one for one in range(4) if await log.load_offset("c", "orders", one) == 6]
    assert (await settled_below(log, "orders", "c", [partition])) == {partition: 3}
    await log.append("retry_orders_c", partition, [Record(b"", b"foreign")])
    assert (await settled_below(log, "orders", "c", [partition])) == {partition: 0}
