"""The outbox and its relay: what was committed comes to the log, once and in order, and nothing else does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.database.drivers import DRIVERS, Database, database_of
from tests.runtime.orders import ORDERS_CODECS, OrderPlaced, PaymentReceived
from tests.servers.postgres import PostgresServer
from wakuwaku import ConfigError, Event, Ordering, PublishError, StartError
from wakuwaku.errors import FencedError, LeaseHeldError, LogUnavailableError, TopicMismatchError
from wakuwaku.headers import Record, parse_head
from wakuwaku.log import Lease
from wakuwaku.log.memory import MemoryLog
from wakuwaku.outbox import OUTBOX_HEADER, OutboxRelay

pytestmark = pytest.mark.slow  # a server, or many transactions


@pytest.fixture(params=DRIVERS)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    server = None if request.param == "sqlite3" else request.getfixturevalue("postgres_server")
    async with database_of(request.param, server, tmp_path / "outbox.db") as made:
        yield made


def paid(cents: int, order_id: int = 7) -> PaymentReceived:
    return PaymentReceived(order_id=order_id, amount_cents=cents)


async def records(log: MemoryLog) -> list[Record]:
    info = await log.topic("orders")
    pages = [await log.read("orders", partition, 0, 10_000) for partition in range(info.partitions if info else 0)]
    return [record for page in pages for record in page.records]


async def published(log: MemoryLog) -> list[Event]:
    """Return all events of the log, partition by partition."""
    return [ORDERS_CODECS[parse_head(record).tag].decode(record.body) for record in await records(log)]


def relay_of(database: Database, log: MemoryLog, **settings: Any) -> OutboxRelay:
    return OutboxRelay(database.store(), log, **{"poll_interval": 0.001, "retry_delays": (0.001,), **settings})


async def test_what_is_committed_is_published_in_order(database: Database) -> None:
    log = MemoryLog()
    async with database.transaction() as connection:
        await database.add(connection, paid(1), paid(2))
        await database.add(connection, paid(3))
    async with database.transaction() as connection:
        await database.add(connection, *[paid(cents) for cents in range(4, 300)])

    assert await relay_of(database, log).send_all() == 299

    assert await published(log) == [paid(cents) for cents in range(1, 300)]
    assert await database.value("SELECT count(*) FROM wakuwaku_outbox") == 0


async def test_what_is_rolled_back_is_not(database: Database) -> None:
    log = MemoryLog()
    with contextlib.suppress(ZeroDivisionError):
        async with database.transaction() as connection:
            await database.add(connection, paid(1))
            raise ZeroDivisionError

    assert await relay_of(database, log).send_all() == 0
    assert await published(log) == []


async def test_an_event_its_consumer_would_refuse_is_refused_before_anything_is_written(database: Database) -> None:
    wrong: Any = PaymentReceived(order_id=7, amount_cents="1")  # type: ignore[arg-type]
    async with database.transaction() as connection:
        with pytest.raises(PublishError, match=r"event 1 \(PaymentReceived\) is not valid"):
            await database.add(connection, paid(1), wrong)

    assert await database.value("SELECT count(*) FROM wakuwaku_outbox") == 0


async def test_a_fence_goes_with_the_event(database: Database) -> None:
    log = MemoryLog()
    async with database.transaction() as connection:
        await database.call(database.outbox.add(connection, paid(1), ordering=Ordering.ACQ_REL))
    await relay_of(database, log).send_all()

    (record,) = await records(log)
    assert parse_head(record).ordering is Ordering.ACQ_REL
    assert len((record.extra or {})[OUTBOX_HEADER]) == 17


async def test_a_relay_sends_what_comes_until_it_is_left(database: Database) -> None:
    log = MemoryLog()
    async with relay_of(database, log, idle_interval=0.002) as relay:
        for cents in range(1, 6):
            async with database.transaction() as connection:
                await database.add(connection, paid(cents))
            while relay.sent < cents:
                await asyncio.sleep(0.001)
        with pytest.raises(StartError, match="was started before"):
            await relay.__aenter__()

    assert await published(log) == [paid(cents) for cents in range(1, 6)]
    assert await relay_of(database, log).send_all() == 0  # the lease was given up


class Troubled(MemoryLog):
    """Fail before or after an append, as often as asked."""

    def __init__(self) -> None:
        super().__init__()
        self.refuse = 0
        self.lose = 0

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        if self.refuse:
            self.refuse -= 1
            raise LogUnavailableError("refused")
        base = await super().append(topic, partition, records, lease=lease)
        if self.lose:
            self.lose -= 1
            raise LogUnavailableError("the answer got lost")
        return base


async def test_nothing_is_lost_or_doubled_when_the_log_refuses_or_the_answer_gets_lost(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    log = Troubled()
    log.refuse, log.lose = 2, 3
    async with database.transaction() as connection:
        await database.add(connection, *[paid(cents, order_id) for cents in range(20) for order_id in range(5)])

    async with relay_of(database, log, batch=7) as relay:
        while await database.value("SELECT count(*) FROM wakuwaku_outbox"):
            await asyncio.sleep(0.001)

    found = [
        (event.order_id, event.amount_cents) for event in await published(log) if isinstance(event, PaymentReceived)
    ]
    for order_id in range(5):
        assert [cents for other, cents in found if other == order_id] == list(range(20))
    assert relay.sent < 100  # three batches were found in the log instead
    assert "outbox: can't go on, trying again in 0.001 s: LogUnavailableError: refused" in caplog.messages


@pytest.mark.parametrize("driver", ["asyncpg", "psycopg"])
async def test_what_was_sent_is_found_behind_records_of_others_and_rows_committed_since(
    driver: str, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """A row with a lower number may be committed later, and others append to the same partition meanwhile."""
    log = Troubled()
    earlier = [paid(cents, order_id=8) for cents in range(5)]
    async with database_of(driver, postgres_server, tmp_path) as database:
        async with database.transaction() as late:
            await database.add(late, *earlier)
            async with database.transaction() as connection:
                await database.add(connection, *[paid(cents) for cents in range(10)])
            log.lose = 1
            with pytest.raises(LogUnavailableError, match="the answer got lost"):
                await relay_of(database, log, batch=3).send_all()
            ends = [(await log.bounds("orders", number)).end for number in range(4)]
            partition = ends.index(3)
            (first, *_) = (await log.read("orders", partition, 0, 1)).records
            await log.append("orders", partition, [Record(first.head, first.body)] * 1500)

        assert await relay_of(database, log, batch=3).send_all() == 12

    found = [one.amount_cents for one in await published(log) if isinstance(one, PaymentReceived) and one.order_id == 7]
    assert found == [0, 1, 2, *[0] * 1500, *range(3, 10)]
    assert [event for event in await published(log) if event.key == earlier[0].key] == earlier


async def test_numbers_of_a_restored_database_are_not_taken_for_sent(database: Database) -> None:
    """A backup hands out numbers a second time: other content means another event, and it is sent."""
    log = MemoryLog()
    async with database.transaction() as connection:
        await database.add(connection, paid(1))
    await relay_of(database, log).send_all()
    async with database.transaction() as connection:  # as it was before the relay ran, with another event since
        await database.add(connection, paid(2))
        await database.run(connection, "UPDATE wakuwaku_outbox SET id = 1") if database.driver == "sqlite3" else None
        await database.run(connection, "UPDATE wakuwaku_outbox_positions SET record_offset = 0 WHERE topic <> ''")
    await relay_of(database, log).send_all()

    assert await published(log) == [paid(1), paid(2)]


async def test_one_relay_works_and_the_next_takes_over(database: Database) -> None:
    """A relay that was thought dead, and is not, has its appends refused."""
    log = MemoryLog(clock=lambda: now)
    now = 1_000.0
    async with database.transaction() as connection:
        await database.add(connection, paid(1), paid(2))
    first, second = relay_of(database, log, batch=1), relay_of(database, log)
    sending = await first._begin()
    assert await first._send(sending) == 1
    with pytest.raises(LeaseHeldError):
        await second.send_all()

    now += 31.0
    assert await second.send_all() == 1
    async with database.transaction() as connection:
        await database.add(connection, paid(3))
    with pytest.raises(FencedError):
        await first._send(sending)

    assert await second.send_all() == 1
    assert await published(log) == [paid(1), paid(2), paid(3)]


async def test_what_no_waiting_mends_stops_the_relay(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    class Other(MemoryLog):
        async def create_topic(self, name: str, partitions: int) -> Any:
            raise TopicMismatchError(f"topic {name!r} has another shape")

    with pytest.raises(TopicMismatchError):
        await relay_of(database, Other()).run()

    assert any("outbox: stopped by TopicMismatchError" in message for message in caplog.messages)


@pytest.mark.parametrize("driver", ["asyncpg", "psycopg"])
async def test_events_of_a_key_are_numbered_in_the_order_of_commits(
    driver: str, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """Of one key the second writer waits for the first one's commit; another key does not."""
    async with database_of(driver, postgres_server, tmp_path) as database:
        log = MemoryLog()
        async with database.transaction() as first:
            await database.add(first, paid(1))

            async def second() -> None:
                async with database.transaction() as connection:
                    await database.add(connection, paid(2))

            waiting = asyncio.ensure_future(second())
            blocked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            while not waiting.done() and not await database.value(blocked):
                await asyncio.sleep(0)
            assert not waiting.done()
            async with database.transaction() as other:
                await database.add(other, paid(9, order_id=8))
            assert await relay_of(database, log).send_all() == 1
            assert not waiting.done()
        await waiting
        await relay_of(database, log).send_all()

    assert [event for event in await published(log) if event.key == paid(1).key] == [paid(1), paid(2)]


async def test_a_database_that_goes_away_is_waited_for(
    postgres_server: PostgresServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with database_of("asyncpg", postgres_server, tmp_path) as database:
        log = MemoryLog()
        async with relay_of(database, log) as relay:
            async with database.transaction() as connection:
                await database.add(connection, paid(1))
            while not relay.sent:
                await asyncio.sleep(0.001)
            postgres_server.kill()
            try:
                while not any("can't go on" in message for message in caplog.messages):
                    await asyncio.sleep(0.001)
            finally:
                postgres_server.start()
            async with database.transaction() as connection:
                await database.add(connection, paid(2))
            while len(await records(log)) < 2:
                await asyncio.sleep(0.001)

    assert await published(log) == [paid(1), paid(2)]


async def test_a_log_without_leases_works_without(database: Database) -> None:
    log = MemoryLog()
    async with database.transaction() as connection:
        await database.add(connection, paid(1), OrderPlaced(order_id=7, customer="Ada"))

    assert await relay_of(database, log, lease_seconds=None).send_all() == 2
    assert [info.name for info in await log.topics()] == ["orders"]


async def test_settings_that_can_not_be_are_refused(database: Database) -> None:
    with pytest.raises(ConfigError, match="batch is at least 1"):
        relay_of(database, MemoryLog(), batch=0)
