"""Handlers that fail, and what a consumer makes of it: attempts, restarts, time-outs, and handlers that misbehave."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from tests.runtime.orders import (
    OrderPlaced,
    OrderPlacedContract,
    OrdersHandlers,
    OrderShipped,
    OrderShippedContract,
)
from wakuwaku import (
    Batch,
    Consumer,
    ConsumerConfig,
    ConsumerStoppedError,
    DeadLetter,
    DeliveryMode,
    GiveUp,
    HandleError,
    Ignore,
    Ordering,
    Publisher,
    StartError,
    UnknownEvents,
)
from wakuwaku.errors import LogUnavailableError
from wakuwaku.headers import Record, encode_head
from wakuwaku.log import Lease
from wakuwaku.log.memory import MemoryLog

ALL = (0, 1, 2, 3)
QUICK: dict[str, Any] = {"consumer": "c", "partitions": ALL, "retry_delays": (0.0,), "poll_interval": 0.001}


def placed(order_id: int = 7, customer: str = "Ada") -> OrderPlaced:
    return OrderPlaced(order_id=order_id, customer=customer)


class Placed(OrderPlacedContract):
    """Do whatever the test wants with orders."""

    max_batch = 1

    def __init__(self, do: Callable[[Batch[OrderPlaced]], Awaitable[None]]) -> None:
        self.do = do

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        await self.do(events)


def only_placed(do: Callable[[Batch[OrderPlaced]], Awaitable[None]]) -> OrdersHandlers:
    return OrdersHandlers(order_placed=Placed(do), payment_received=Ignore(), order_shipped=Ignore())


def config(**settings: Any) -> ConsumerConfig:
    return ConsumerConfig(**{**QUICK, **settings})


async def consume(log: MemoryLog, handlers: OrdersHandlers, **settings: Any) -> Consumer:
    """Handle all that is in the log, attempts included, and stop."""
    async with Consumer(log, handlers, config(**settings)) as consumer:
        await consumer.caught_up()
    return consumer


async def dead_letters(log: MemoryLog) -> list[DeadLetter]:
    pages = [await log.read("dead_orders_c", partition, 0, 1000) for partition in ALL]
    return [DeadLetter.from_record(record) for page in pages for record in page.records]


# -- attempts ---------------------------------------------------------------------------------------------------------


async def test_a_retryable_key_is_tried_again_and_keeps_its_order() -> None:
    log, seen = MemoryLog(), []
    failing = True

    async def fail_first(events: Batch[OrderPlaced]) -> None:
        nonlocal failing
        seen.append((events[0].customer, events.source, events.attempt))
        if failing:
            failing = False
            raise HandleError.retryable("locked")

    await Publisher(log).publish_many([placed(customer=name) for name in "abc"])
    await consume(log, only_placed(fail_first), retry_delays=(0.0, 0.0))
    assert seen == [("a", "main", 1), ("a", "retry", 1), ("b", "retry", 1), ("c", "retry", 1)]
    assert await dead_letters(log) == []


async def test_what_was_handled_of_a_failed_run_is_not_handled_again() -> None:
    log, seen = MemoryLog(), []

    async def fail_b_once(events: Batch[OrderPlaced]) -> None:
        seen.append(events[0].customer)
        if seen.count("b") == 1 and events[0].customer == "b":
            raise HandleError.retryable("locked")

    await Publisher(log).publish_many([placed(customer=name) for name in "abc"], ordering=Ordering.RELAXED)
    await consume(log, only_placed(fail_b_once))
    assert seen == ["a", "b", "b", "c"]


async def test_a_healthy_key_does_not_wait_for_a_failing_one() -> None:
    log, healthy = MemoryLog(), asyncio.Event()

    async def fail_one_until_the_other_is_done(events: Batch[OrderPlaced]) -> None:
        if events[0].order_id == 2:
            healthy.set()
        elif not healthy.is_set():
            raise HandleError.retryable("not yet")

    await Publisher(log).publish_many([placed(1), placed(2)])
    await consume(log, only_placed(fail_one_until_the_other_is_done), retry_delays=(0.0,) * 9)
    assert await dead_letters(log) == []


async def test_pending_records_and_their_attempts_survive_a_restart() -> None:
    log, attempts = MemoryLog(), []

    async def fail(events: Batch[OrderPlaced]) -> None:
        attempts.append((events.source, events.attempt))
        raise HandleError.retryable("locked")

    await Publisher(log).publish(placed())
    for _ in range(3):
        async with Consumer(log, only_placed(fail), config(retry_delays=(0.0, 0.001, 3600.0))) as consumer:
            while len(attempts) < 3:
                await asyncio.sleep(0)
        assert sum((await consumer.shutdown()).pending_retry.values()) == 1
    assert attempts == [("main", 1), ("retry", 1), ("retry", 2)]


async def test_a_restart_never_runs_an_older_event_of_a_key_after_a_newer_one() -> None:
    """Key 1 is stuck and pins the offset; key 2 was retried, resolved, and has newer events behind it."""
    log, seen = MemoryLog(), []
    await log.create_topic("orders", 1)
    failed = set()

    async def handler(events: Batch[OrderPlaced]) -> None:
        event = events[0]
        if event.order_id == 1:
            raise HandleError.retryable("stuck")
        if event.customer == "old" and event.order_id not in failed:
            failed.add(event.order_id)
            raise HandleError.retryable("once")
        seen.append(event.customer)

    settings = {"partitions": [0], "retry_delays": (0.001, 3600.0)}
    publisher = Publisher(log)
    await publisher.publish_many([placed(1, "stuck"), placed(2, "old")])
    async with Consumer(log, only_placed(handler), config(**settings)):
        while seen != ["old"]:
            await asyncio.sleep(0)
        await publisher.publish(placed(2, "new"))
        while seen != ["old", "new"]:
            await asyncio.sleep(0.001)
        for _ in range(20):  # let what follows from the last call become durable
            await asyncio.sleep(0)
    async with Consumer(log, only_placed(handler), config(**settings)):
        await publisher.publish(placed(2, "newest"))
        while "newest" not in seen:
            await asyncio.sleep(0.001)
    assert seen == ["old", "new", "newest"]


async def test_in_no_double_consume_quarantined_events_survive_a_restart_and_run_once() -> None:
    log, seen = MemoryLog(), []
    failing = True

    async def handler(events: Batch[OrderPlaced]) -> None:
        if failing:
            raise HandleError.retryable("down")
        seen.append(events[0].customer)

    settings = {"mode": DeliveryMode.NO_DOUBLE_CONSUME, "retry_delays": (0.0,)}
    await Publisher(log).publish_many([placed(customer=name) for name in "abc"])
    slow = {**settings, "retry_delays": (3600.0,)}
    async with Consumer(log, only_placed(handler), config(**slow)) as consumer:
        while not any(one.pending_retry for one in consumer.health().partitions):
            await asyncio.sleep(0)
    failing = False
    for _ in range(2):
        await consume(log, only_placed(handler), **settings)
    assert seen == ["a", "b", "c"]


async def test_a_parked_key_waits_and_the_others_go_on() -> None:
    log, seen = MemoryLog(), []

    async def handler(events: Batch[OrderPlaced]) -> None:
        if events[0].order_id == 1:
            raise HandleError.retryable("never")
        seen.append(events[0].order_id)

    await Publisher(log).publish_many([placed(1), placed(2), placed(1)])
    consumer = await consume(log, only_placed(handler), on_give_up=GiveUp.PARK)
    assert seen == [2]
    assert sum((await consumer.shutdown()).pending_retry.values()) == 2
    assert await dead_letters(log) == []


async def test_a_partition_stops_when_a_key_is_given_up_and_that_is_asked_for() -> None:
    log = MemoryLog()

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise HandleError.retryable("never")

    await Publisher(log).publish(placed())
    with pytest.raises(ConsumerStoppedError, match="a key was given up after 1 attempts"):
        await consume(log, only_placed(fail), on_give_up=GiveUp.STOP)


async def test_a_consumer_stops_when_key_after_key_fails_for_good() -> None:
    log = MemoryLog()
    await log.create_topic("orders", 1)

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise HandleError.unrecoverable("bad deployment")

    await Publisher(log).publish_many([placed(n) for n in range(20)])
    with pytest.raises(ConsumerStoppedError, match="3 keys in a row failed for good"):
        await consume(log, only_placed(fail), partitions=[0], failures_in_a_row=3, concurrency=1)


async def test_a_consumer_stops_at_an_unknown_event_where_that_is_asked_for() -> None:
    log = MemoryLog()
    await log.create_topic("orders", 4)
    await log.append("orders", 2, [Record(encode_head(77, 5, Ordering.RELAXED, OrderPlaced.__wakuwaku__.algebra), b"")])

    async def nothing(events: Batch[OrderPlaced]) -> None:
        raise AssertionError

    with pytest.raises(ConsumerStoppedError, match="no handler knows tag 77, at offset 0"):
        await consume(log, only_placed(nothing), unknown_events=UnknownEvents.STOP)
    assert await log.load_offset("c", "orders", 2) is None


class LosesReplies(MemoryLog):
    """A log that does what it is told and then says that it failed, a few times."""

    left = 3

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        base = await super().append(topic, partition, records, lease=lease)
        if not topic.startswith("orders") and self.left:
            self.left -= 1
            raise LogUnavailableError("no answer")
        return base


async def test_a_lost_reply_of_the_retry_topic_leaves_no_second_copy() -> None:
    log, attempts = LosesReplies(), []

    async def fail(events: Batch[OrderPlaced]) -> None:
        attempts.append(events.attempt)
        raise HandleError.retryable("locked")

    await Publisher(log).publish(placed())
    await consume(log, only_placed(fail), retry_delays=(0.0, 0.0))
    assert attempts == [1, 1, 2]
    assert log.left == 0
    assert len(await dead_letters(log)) == 1


# -- handlers that misbehave ------------------------------------------------------------------------------------------


async def test_a_call_that_takes_too_long_is_cancelled_and_counts_as_failed() -> None:
    log, calls = MemoryLog(), []

    async def hang(events: Batch[OrderPlaced]) -> None:
        calls.append(events.source)
        await asyncio.Event().wait()

    await Publisher(log).publish(placed())
    await consume(log, only_placed(hang), handler_timeout=0.001)
    assert calls == ["main", "retry"]
    assert [letter.error_type for letter in await dead_letters(log)] == ["TimeoutError"]


async def test_at_most_as_many_calls_run_at_a_time_as_a_handler_allows() -> None:
    log, running, most = MemoryLog(), 0, 0

    async def count(events: Batch[OrderPlaced]) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    handlers = only_placed(count)
    handlers.order_placed.concurrency = 2  # type: ignore[union-attr]
    await Publisher(log).publish_many([placed(n) for n in range(40)])
    await consume(log, handlers)
    assert most == 2


async def test_a_concurrency_of_nothing_is_told_at_start() -> None:
    async def nothing(events: Batch[OrderPlaced]) -> None:
        raise AssertionError

    handlers = only_placed(nothing)
    handlers.order_placed.concurrency = 0  # type: ignore[union-attr]
    with pytest.raises(StartError, match=r"Placed\.concurrency is 0"):
        await consume(MemoryLog(), handlers)


async def test_what_a_handler_returns_is_not_looked_at() -> None:
    log = MemoryLog()

    async def odd(events: Batch[OrderPlaced]) -> Any:
        return False

    await Publisher(log).publish(placed())
    consumer = await consume(log, only_placed(odd))
    assert (consumer.progress.handled, consumer.progress.dead) == (1, 0)


async def test_a_handler_that_swallows_its_cancellation_has_no_outcome() -> None:
    log, started = MemoryLog(), asyncio.Event()

    async def swallow(events: Batch[OrderPlaced]) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return

    await Publisher(log).publish(placed())
    consumer = Consumer(log, only_placed(swallow), config())
    await consumer.start()
    await started.wait()
    report = await consumer.shutdown(timeout=0)
    assert sum(report.unresolved.values()) == 1
    assert report.stuck == ()


async def test_a_handler_that_goes_on_after_its_cancellation_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakuwaku._engine.partition._CANCEL_GRACE", 0.01)
    monkeypatch.setattr("wakuwaku.consumer.LAST_WORDS", 0.01)
    log, started, release = MemoryLog(), asyncio.Event(), asyncio.Event()

    async def refuse_to_end(events: Batch[OrderPlaced]) -> None:
        started.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    await Publisher(log).publish(placed())
    consumer = Consumer(log, only_placed(refuse_to_end), config())
    await consumer.start()
    await started.wait()
    report = await consumer.shutdown(timeout=0)
    release.set()
    assert report.stuck == ("Placed.handle",)
    assert sum(report.unresolved.values()) == 1
    await asyncio.sleep(0)


async def test_a_handler_that_blocks_the_event_loop_is_named_while_it_does(caplog: pytest.LogCaptureFixture) -> None:
    log, told = MemoryLog(), threading.Event()

    class Tell(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if ", in Placed: let it await" in record.getMessage():
                told.set()

    async def block(events: Batch[OrderPlaced]) -> None:
        assert told.wait(30), "nobody noticed"

    listener = Tell()
    logging.getLogger("wakuwaku").addHandler(listener)
    try:
        await Publisher(log).publish(placed())
        with caplog.at_level(logging.WARNING, "wakuwaku"):
            await consume(log, only_placed(block), lag_warning=0.02)
    finally:
        logging.getLogger("wakuwaku").removeHandler(listener)
    assert "the event loop has stood still for" in caplog.records[-1].getMessage()


async def test_a_plain_function_may_block_without_holding_back_anything() -> None:
    log, seen = MemoryLog(), threading.Event()

    class Ship(OrderShippedContract):
        def handle(self, events: Batch[OrderShipped]) -> None:
            assert seen.wait(30)

    async def note(events: Batch[OrderPlaced]) -> None:
        seen.set()

    handlers = OrdersHandlers(order_placed=Placed(note), payment_received=Ignore(), order_shipped=Ship())
    await Publisher(log).publish_many([OrderShipped(order_id=1, carrier="post"), placed(2)])
    consumer = await consume(log, handlers)
    assert consumer.progress.calls == 2


# -- health -----------------------------------------------------------------------------------------------------------


async def test_health_tells_apart_idle_waiting_in_place_and_stopped() -> None:
    log, down = MemoryLog(), asyncio.Event()

    async def handler(events: Batch[OrderPlaced]) -> None:
        down.set()
        raise HandleError.transient("database is down")

    consumer = Consumer(log, only_placed(handler), config(retry_delays=(3600.0,)))
    assert not consumer.health().alive
    await consumer.start()
    await consumer.caught_up()
    idle = consumer.health()
    assert (idle.alive, idle.ready) == (True, True)
    assert [one.partition for one in idle.partitions] == list(ALL)
    await Publisher(log).publish(placed())
    await down.wait()
    await asyncio.sleep(0)
    waiting = consumer.health()
    assert (waiting.alive, waiting.ready) == (True, False)
    (one,) = (one for one in waiting.partitions if one.waiting_for is not None)
    assert one.waiting_for == "Placed"
    assert one.waiting_since is not None
    assert one.in_flight == 1
    assert one.heartbeat_age < 60
    await consumer.shutdown()
    assert not consumer.health().alive
