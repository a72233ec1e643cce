"""Two instances of one consumer: the second is kept out, and one that lost its lease writes nothing more."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.runtime.orders import OrderPlaced, OrderPlacedContract, OrdersHandlers, Recorder, handlers_into
from wakuwaku import Batch, Consumer, ConsumerConfig, ConsumerStoppedError, HandleError, Ignore, Publisher
from wakuwaku._engine.tenure import holder_name, is_gone
from wakuwaku.errors import FencedError, LeaseHeldError, LogUnavailableError, NoLeasesError
from wakuwaku.headers import RETRY_HEADER, Record, encode_retry
from wakuwaku.log import Lease
from wakuwaku.log.memory import MemoryLog

CONFIG: dict[str, Any] = {"consumer": "c", "partitions": (0,), "retry_delays": (0.001,), "poll_interval": 0.001}


async def one_order() -> MemoryLog:
    log = MemoryLog()
    await log.create_topic("orders", 1)
    await Publisher(log).publish(OrderPlaced(order_id=7, customer="Ada"))
    return log


async def test_a_second_instance_waits_until_the_first_has_left(caplog: pytest.LogCaptureFixture) -> None:
    log, first, second = await one_order(), Recorder(), Recorder()
    with caplog.at_level(logging.WARNING, "wakuwaku"):
        async with Consumer(log, handlers_into(first), ConsumerConfig(**CONFIG)) as consumer:
            await consumer.caught_up()
            waiting = Consumer(log, handlers_into(second), ConsumerConfig(**CONFIG))
            await waiting.start()
            while not caplog.records:
                await asyncio.sleep(0)
            await Publisher(log).publish(OrderPlaced(order_id=7, customer="Grace"))
            await consumer.caught_up()
        assert second.events == []
        await Publisher(log).publish(OrderPlaced(order_id=7, customer="Mary"))
        await waiting.caught_up()
        await waiting.shutdown()
    assert "taking the lease failed, next try in" in caplog.records[0].getMessage()
    assert "holds the lease of consumer 'c' on partition 0" in caplog.records[0].getMessage()
    assert [event.customer for event in first.events if isinstance(event, OrderPlaced)] == ["Ada", "Grace"]
    assert [event.customer for event in second.events if isinstance(event, OrderPlaced)] == ["Mary"]


async def test_an_instance_that_waits_for_the_lease_stops_at_once() -> None:
    log = await one_order()
    await log.lease("c", "orders", 0, holder="somebody", seconds=3600)
    consumer = Consumer(log, handlers_into(Recorder()), ConsumerConfig(**{**CONFIG, "retry_delays": (3600.0,)}))
    await consumer.start()
    await asyncio.sleep(0)
    assert (await consumer.shutdown()).unresolved == {}


async def test_an_instance_that_lost_its_lease_stops_loudly_and_stores_nothing() -> None:
    now = 1_000_000.0
    log = MemoryLog(clock=lambda: now)
    await log.create_topic("orders", 1)
    consumer = Consumer(log, handlers_into(Recorder()), ConsumerConfig(**CONFIG))
    await consumer.start()
    await consumer.caught_up()
    now += 3600.0
    await log.lease("c", "orders", 0, holder="somebody else", seconds=3600)
    await Publisher(log).publish(OrderPlaced(order_id=7, customer="Ada"))
    with pytest.raises(ConsumerStoppedError, match="lost the lease of consumer 'c' on partition 0") as stopped:
        await consumer.run_until_stopped()
    assert isinstance(stopped.value.__cause__, FencedError)
    assert await log.load_offset("c", "orders", 0) is None
    with pytest.raises(LeaseHeldError):
        await log.lease("c", "orders", 0, holder="a third", seconds=1)


async def test_a_lease_of_a_process_of_this_machine_that_has_ended_is_not_waited_for() -> None:
    program = "from wakuwaku._engine.tenure import holder_name; print(holder_name())"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    log, recorder = await one_order(), Recorder()
    await log.lease("c", "orders", 0, holder=ended, seconds=3600)
    async with Consumer(log, handlers_into(recorder), ConsumerConfig(**CONFIG)) as consumer:
        await consumer.caught_up()
    assert len(recorder.events) == 1


async def test_a_consumer_works_without_a_lease_where_that_is_asked_for() -> None:
    log, recorder = await one_order(), Recorder()
    await log.lease("c", "orders", 0, holder="somebody", seconds=3600)
    async with Consumer(log, handlers_into(recorder), ConsumerConfig(**CONFIG, lease_seconds=None)) as consumer:
        await consumer.caught_up()
    assert len(recorder.events) == 1


class Unguarded(MemoryLog):
    """A log that keeps no leases, as a server of Iggy does."""

    async def lease(self, consumer: str, topic: str, partition: int, *, holder: str, seconds: float) -> Lease:
        raise NoLeasesError("none here")


async def unguarded(*orders: OrderPlaced) -> Unguarded:
    log = Unguarded()
    await log.create_topic("orders", 1)
    await Publisher(log).publish_many(orders)
    return log


async def test_where_a_log_keeps_no_leases_a_consumer_works_without_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log, recorder = await unguarded(OrderPlaced(order_id=7, customer="Ada")), Recorder()
    with caplog.at_level(logging.INFO, "wakuwaku"):
        async with Consumer(log, handlers_into(recorder), ConsumerConfig(**CONFIG)) as consumer:
            await consumer.caught_up()
    assert [event.customer for event in recorder.events if isinstance(event, OrderPlaced)] == ["Ada"]
    assert await log.load_offset("c", "orders", 0) == 0
    assert "keeps no leases, so this partition must be given to no other instance" in caplog.text


async def test_without_leases_an_offset_of_somebody_else_stops_the_partition_and_stays() -> None:
    log = await unguarded(*(OrderPlaced(order_id=number, customer="Ada") for number in range(5)))
    consumer = Consumer(log, handlers_into(Recorder()), ConsumerConfig(**CONFIG))
    await consumer.start()
    await consumer.caught_up()
    while await log.load_offset("c", "orders", 0) != 4:
        await asyncio.sleep(0)
    await log.store_offset("c", "orders", 0, 2)
    await Publisher(log).publish(OrderPlaced(order_id=7, customer="Grace"))

    with pytest.raises(ConsumerStoppedError, match="somebody else stored offset 2, here it was 4: another instance of"):
        await consumer.run_until_stopped()
    assert await log.load_offset("c", "orders", 0) == 2


async def test_without_leases_a_store_whose_reply_was_lost_is_made_again() -> None:
    """What is stored may be the value before, or the one that was tried; both are this consumer's own."""

    class LosesReplies(Unguarded):
        lost = 0

        async def store_offset(
            self, consumer: str, topic: str, partition: int, offset: int, *, lease: Lease | None = None
        ) -> None:
            await super().store_offset(consumer, topic, partition, offset, lease=lease)
            if self.lost < 3:
                self.lost += 1
                raise LogUnavailableError("no reply")

    log = LosesReplies()
    await log.create_topic("orders", 1)
    await Publisher(log).publish(OrderPlaced(order_id=7, customer="Ada"))
    async with Consumer(log, handlers_into(Recorder()), ConsumerConfig(**CONFIG)) as consumer:
        await consumer.caught_up()
    assert (log.lost, await log.load_offset("c", "orders", 0)) == (3, 0)


async def test_a_shared_retry_topic_has_the_rust_system_s_name_and_takes_over_what_it_left() -> None:
    """Records that Rust wrote carry no source offset; they are handled first, before what came later in the topic."""
    log, recorder = MemoryLog(), Recorder()
    await log.create_topic("orders", 1)
    waiting, later = OrderPlaced(order_id=7, customer="Ada"), OrderPlaced(order_id=7, customer="Grace")
    await Publisher(log).publish_many([waiting, later])
    (record, _) = (await log.read("orders", 0, 0, 2)).records
    await log.create_topic("retry_orders", 1)
    await log.append("retry_orders", 0, [Record(record.head, record.body, {RETRY_HEADER: encode_retry(0)})])
    await log.store_offset("c", "orders", 0, 0)

    config = ConsumerConfig(**CONFIG, share_retry_topic=True)
    async with Consumer(log, handlers_into(recorder), config) as consumer:
        await consumer.caught_up()

    assert recorder.events == [waiting, later]
    assert [info.name for info in await log.topics()] == ["dead_orders_c", "orders", "retry_orders"]


async def test_others_may_write_to_a_shared_retry_topic_and_not_to_one_s_own() -> None:
    """Rust services under other names put there what failed for them; a private topic shows a second instance by it."""
    foreign = Record(b"", b"\x80", {"wakuwaku-tag": b"of somebody else"})
    for shared in (True, False):
        log, failed = MemoryLog(), asyncio.Event()

        class Fail(OrderPlacedContract):
            async def handle(self, events: Batch[OrderPlaced], failed: asyncio.Event = failed) -> None:
                failed.set()
                raise HandleError.retryable("for a while")

        handlers = OrdersHandlers(order_placed=Fail(), payment_received=Ignore(), order_shipped=Ignore())
        config = ConsumerConfig(**{**CONFIG, "retry_delays": (0.001, 3600.0)}, share_retry_topic=shared)
        await log.create_topic("orders", 1)
        consumer = Consumer(log, handlers, config)
        await consumer.start()
        while consumer._runners[0].machine is None:  # it has not read the retry topic
            await asyncio.sleep(0)
        await log.append("retry_orders" if shared else "retry_orders_c", 0, [foreign])
        await Publisher(log).publish(OrderPlaced(order_id=7, customer="Ada"))
        await failed.wait()
        if shared:
            while consumer.health().partitions[0].pending_retry != 1:
                await asyncio.sleep(0)
            assert (await consumer.shutdown()).pending_retry == {0: 1}
        else:
            with pytest.raises(ConsumerStoppedError, match="somebody else wrote: another instance of this consumer"):
                await consumer.run_until_stopped()


def test_this_process_is_not_gone() -> None:
    assert not is_gone(holder_name())


@pytest.mark.parametrize("holder", ["", "somebody", "other-host/1/x/y", f"{os.uname().nodename}/x/y/z"])
def test_a_holder_of_which_nothing_is_known_is_not_gone(holder: str) -> None:
    assert not is_gone(holder)
