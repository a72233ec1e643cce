"""The code of the page on consuming events, translated: each example of it runs here."""

from __future__ import annotations

import asyncio
from typing import Self

import pytest

from tests.runtime.orders import OrderPlaced, OrderPlacedContract, OrderShipped, PaymentReceived
from tests.runtime.service.shop import (
    ApplyPayment,
    Audit,
    Mailer,
    OrderStore,
    RecordAndConfirmOrder,
    RecordOrder,
    UnknownOrder,
    paid,
    placed,
)
from wakuwaku import (
    Batch,
    ConfigError,
    Consumer,
    ConsumerConfig,
    DeliveryMode,
    ErrorClass,
    HandleError,
    HandlerSet,
    Publisher,
    ServiceBuilder,
)
from wakuwaku.log import Log
from wakuwaku.log.memory import MemoryLog

ALL = (0, 1, 2, 3)


def config(consumer: str = "order-projection") -> ConsumerConfig:
    return ConsumerConfig(consumer=consumer, partitions=ALL, poll_interval=0.001, retry_delays=(0.0,))


@pytest.fixture
async def log() -> MemoryLog:
    log = MemoryLog()
    await Publisher(log).publish_many([placed(), paid(400), paid(500), placed(8, "Grace"), paid(900, 8)])
    return log


async def test_payment_for_an_unknown_order_is_retryable() -> None:
    """A handler is a plain object: a unit test calls it without a log."""
    handler = ApplyPayment(OrderStore())

    with pytest.raises(HandleError) as failed:
        await handler.handle(Batch.of(paid(500)))

    assert failed.value.error_class is ErrorClass.RETRYABLE
    assert isinstance(failed.value.source, UnknownOrder)


async def test_a_builder_makes_handlers_of_what_was_pushed_and_starts_them(log: Log) -> None:
    store = OrderStore()

    services, consumer = await (
        ServiceBuilder(store).consumer(RecordOrder).consumer(ApplyPayment).ignore(OrderShipped).start(log, config())
    )
    await consumer.caught_up()
    await consumer.shutdown()

    assert services.provide(OrderStore) is store
    assert store.totals == {7: 900, 8: 900}
    assert store.paid == {7: 900, 8: 900}
    assert consumer.progress.handled == 4  # the two payments of an order came as one


async def test_parts_are_started_later(log: Log) -> None:
    services, orders = await (
        ServiceBuilder(OrderStore()).consumer(RecordOrder).consumer(ApplyPayment).ignore(OrderShipped).into_parts()
    )
    mailer = await services.construct(Mailer)  # the rest of the service is put together with what is there
    consumer = await orders.start(log, config())
    await consumer.caught_up()
    await consumer.shutdown()

    assert services.provide(Mailer) is mailer
    assert services.provide(OrderStore).paid == {7: 900, 8: 900}


async def test_a_handler_that_needs_several_services_is_composed(log: Log) -> None:
    store, mailer = OrderStore(), Mailer()

    async with (
        await ServiceBuilder(store)
        .push(mailer)
        .compose_consumer(
            lambda s: RecordAndConfirmOrder(store=s.provide(OrderStore), mailer=s.provide(Mailer)),
        )
        .consumer(ApplyPayment)
        .ignore(OrderShipped)
        .start(log, config()) as service
    ):
        await service.consumer.caught_up()

    assert sorted(mailer.sent) == [("Ada", 7), ("Grace", 8)]
    assert store.paid == {7: 900, 8: 900}


async def start_by_hand(log: Log, store: OrderStore) -> Consumer:
    return await HandlerSet.new(RecordOrder(store)).push(ApplyPayment(store)).ignore(OrderShipped).start(log, config())


async def test_a_handler_set_is_the_direct_way(log: Log) -> None:
    store = OrderStore()

    consumer = await start_by_hand(log, store)
    await consumer.caught_up()
    await consumer.shutdown()

    assert store.paid == {7: 900, 8: 900}


async def test_one_handler_takes_two_events(log: Log) -> None:
    audit = Audit()

    handlers = HandlerSet.new(audit, OrderPlaced).push(audit, PaymentReceived).ignore(OrderShipped)
    consumer = await handlers.start(log, config("audit"))
    await consumer.caught_up()
    await consumer.shutdown()

    assert [event for event in audit.seen if event.key == placed().key] == [placed(), paid(900)]
    assert len(audit.seen) == 4


def test_the_schedule_and_the_partitions_are_settings() -> None:
    made = ConsumerConfig(
        consumer="order-projection",
        partitions=[0],
        mode=DeliveryMode.NO_EVENT_LOSE,
        retry_delays=(1, 5, 30),
        poll_count=500,
        poll_interval=0.25,
    )

    assert (made.retry_delays, made.poll_count, made.max_pending_retry) == ((1, 5, 30), 500, 100_000)


def test_a_replica_reads_its_partitions_from_the_environment() -> None:
    made = ConsumerConfig.from_env("ORDER", {"ORDER_PARTITIONS": "0,2"}, consumer="order-projection")

    assert made.partitions == (0, 2)
    with pytest.raises(ConfigError, match=r"ORDER_PARTITIONS: '0;2' is not whole numbers with commas"):
        ConsumerConfig.from_env("ORDER", {"ORDER_PARTITIONS": "0;2"}, consumer="order-projection")


class Slow(OrderPlacedContract):
    """Never come to an end."""

    def __init__(self) -> None:
        self.called = asyncio.Event()
        self.cancelled = False

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        self.called.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise


class Pool:
    """Know whether a handler still runs when it is closed."""

    def __init__(self, slow: Slow) -> None:
        self.slow = slow
        self.closed_after_the_handler: bool | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.closed_after_the_handler = self.slow.cancelled


async def test_a_shutdown_has_a_time_out_and_tells_what_it_left(log: Log) -> None:
    slow = Slow()
    pool = Pool(slow)
    builder = ServiceBuilder(pool).compose_consumer(lambda _: slow).ignore(PaymentReceived).ignore(OrderShipped)

    async with await builder.start(log, config()) as service:
        await slow.called.wait()
        report = await service.shutdown(timeout=0.05)

    assert sum(report.unresolved.values()) > 0
    assert slow.cancelled
    assert pool.closed_after_the_handler is True


async def test_a_time_out_around_the_shutdown_aborts_the_rest(log: Log) -> None:
    """As on the page: when the time is over, what still runs is cancelled, and its events come again."""
    slow = Slow()
    pool = Pool(slow)
    builder = ServiceBuilder(pool).compose_consumer(lambda _: slow).ignore(PaymentReceived).ignore(OrderShipped)
    service = await builder.start(log, config())
    await slow.called.wait()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await service.shutdown()

    assert slow.cancelled
    assert pool.closed_after_the_handler is True
    store = OrderStore()
    consumer = await start_by_hand(log, store)
    await consumer.caught_up()
    await consumer.shutdown()
    assert store.totals == {7: 900, 8: 900}
