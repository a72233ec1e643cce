"""A consumer end to end on a log in memory: what handlers see, what is stored, what is kept of failures."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from tests.runtime.orders import (
    ORDERS_CODECS,
    OrderPlaced,
    OrderPlacedContract,
    OrdersHandlers,
    OrderShipped,
    OrderShippedContract,
    PaymentReceived,
    PaymentReceivedContract,
    Recorder,
    handlers_into,
)
from wakuwaku import (
    Batch,
    ConfigError,
    Consumer,
    ConsumerConfig,
    ConsumerStoppedError,
    DeadLetter,
    HandleError,
    Ignore,
    Ordering,
    Publisher,
    StartError,
    UnknownEvents,
    stub,
)
from wakuwaku.errors import LogUnavailableError, OffsetOutOfRangeError, TopicNotFoundError
from wakuwaku.headers import Record, encode_head
from wakuwaku.log import Bounds, Lease, Page
from wakuwaku.log.memory import MemoryLog

ALL = (0, 1, 2, 3)
QUICK: dict[str, Any] = {"consumer": "c", "partitions": ALL, "retry_delays": (0.0,), "poll_interval": 0.001}


def placed(order_id: int = 7, customer: str = "Ada") -> OrderPlaced:
    return OrderPlaced(order_id=order_id, customer=customer)


def paid(order_id: int = 7, amount_cents: int = 1) -> PaymentReceived:
    return PaymentReceived(order_id=order_id, amount_cents=amount_cents)


def shipped(order_id: int = 7) -> OrderShipped:
    return OrderShipped(order_id=order_id, carrier="post")


class Placed(OrderPlacedContract):
    """Do whatever the test wants with orders."""

    def __init__(self, do: Callable[[Batch[OrderPlaced]], Awaitable[None]]) -> None:
        self.do = do

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        await self.do(events)


def only_placed(do: Callable[[Batch[OrderPlaced]], Awaitable[None]]) -> OrdersHandlers:
    return OrdersHandlers(order_placed=Placed(do), payment_received=Ignore(), order_shipped=Ignore())


async def consume(log: MemoryLog, handlers: OrdersHandlers, **settings: Any) -> Consumer:
    """Handle all that is in the log, and stop."""
    async with Consumer(log, handlers, ConsumerConfig(**{**QUICK, **settings})) as consumer:
        await consumer.caught_up()
    return consumer


async def dead_letters(log: MemoryLog) -> list[DeadLetter]:
    pages = [await log.read("dead_orders_c", partition, 0, 1000) for partition in ALL]
    return [DeadLetter.from_record(record) for page in pages for record in page.records]


async def stored_offsets(log: MemoryLog) -> int:
    """Return how many records the consumer is done with, over all partitions."""
    offsets = [await log.load_offset("c", "orders", partition) for partition in ALL]
    return sum(offset + 1 for offset in offsets if offset is not None)


async def test_handlers_see_a_key_s_events_as_the_fences_and_algebras_say() -> None:
    log, recorder = MemoryLog(), Recorder()
    await Publisher(log).publish_many([placed(), paid(amount_cents=2), paid(amount_cents=3), shipped(), shipped()])
    consumer = await consume(log, handlers_into(recorder))
    assert recorder.events == [placed(), paid(amount_cents=5), shipped(), shipped()]
    assert [list(batch.offsets) for batch in recorder] == [[0], [1, 2], [3], [4]]
    assert (consumer.progress.events, consumer.progress.dead) == (5, 0)
    assert await stored_offsets(log) == 5


async def test_a_second_run_goes_on_behind_the_first() -> None:
    log, recorder = MemoryLog(), Recorder()
    publisher = Publisher(log)
    await publisher.publish(placed(1))
    await consume(log, handlers_into(recorder))
    await publisher.publish(placed(2))
    await consume(log, handlers_into(recorder))
    assert recorder.events == [placed(1), placed(2)]


async def test_a_batch_tells_where_it_comes_from() -> None:
    log, recorder = MemoryLog(), Recorder()
    await Publisher(log).publish(paid())
    await consume(log, handlers_into(recorder))
    (batch,) = recorder
    assert (batch.topic, list(batch.offsets), batch.attempt, batch.source) == ("orders", [0], 1, "main")
    assert batch.key == paid().key


async def test_a_published_ordering_wins_over_the_type_s() -> None:
    log, recorder = MemoryLog(), Recorder()
    publisher = Publisher(log)
    await publisher.publish_many([placed(customer=name) for name in "abc"], ordering=Ordering.RELAXED)
    await consume(log, handlers_into(recorder))
    assert [len(batch) for batch in recorder] == [3]


async def test_a_run_is_handed_over_in_chunks_of_max_batch() -> None:
    log, sizes = MemoryLog(), []

    async def note(events: Batch[OrderPlaced]) -> None:
        sizes.append(len(events))

    handlers = only_placed(note)
    handlers.order_placed.max_batch = 2  # type: ignore[union-attr]
    await Publisher(log).publish_many([placed(customer=name) for name in "abcde"], ordering=Ordering.RELAXED)
    await consume(log, handlers)
    assert sizes == [2, 2, 1]


async def test_two_keys_of_one_hash_never_meet_in_a_batch() -> None:
    log, batches = MemoryLog(), []

    async def note(events: Batch[OrderPlaced]) -> None:
        batches.append([event.order_id for event in events])

    await log.create_topic("orders", 4)
    bodies = [placed(order_id, customer) for order_id, customer in ((1, "a"), (1, "b"), (2, "c"), (1, "d"))]
    head = OrderPlaced.__wakuwaku__.head(99, Ordering.RELAXED)
    codec = OrdersHandlers.__wakuwaku__.codecs[1]
    await log.append("orders", 0, [Record(head, codec.encode(event)) for event in bodies])
    await consume(log, only_placed(note))
    assert batches == [[1, 1], [2], [1]]


async def test_a_slow_key_does_not_hold_back_another() -> None:
    log, release, seen = MemoryLog(), asyncio.Event(), []

    async def slow_for_one(events: Batch[OrderPlaced]) -> None:
        if events[0].order_id == 1:
            await release.wait()
        seen.append(events[0].order_id)

    await Publisher(log).publish_many([placed(1), *(placed(n) for n in range(2, 50))])
    async with Consumer(log, only_placed(slow_for_one), ConsumerConfig(**QUICK)) as consumer:
        while len(seen) < 48:
            await asyncio.sleep(0)
        assert 1 not in seen
        release.set()
        await consumer.caught_up()
    assert seen[-1] == 1


async def test_body_runs_of_a_segment_go_side_by_side() -> None:
    log, paying, shipping = MemoryLog(), asyncio.Event(), asyncio.Event()

    class Pay(PaymentReceivedContract):
        async def handle(self, events: Batch[PaymentReceived]) -> None:
            paying.set()
            await shipping.wait()

    class Ship(OrderShippedContract):
        async def handle(self, events: Batch[OrderShipped]) -> None:
            shipping.set()
            await paying.wait()

    publisher = Publisher(log)
    await publisher.publish_many([paid(), shipped()], ordering=Ordering.RELAXED)
    handlers = OrdersHandlers(order_placed=Ignore(), payment_received=Pay(), order_shipped=Ship())
    consumer = await consume(log, handlers)
    assert consumer.progress.calls == 2


async def test_siblings_of_a_failed_body_run_finish() -> None:
    log, recorder = MemoryLog(), Recorder()

    class Pay(PaymentReceivedContract):
        async def handle(self, events: Batch[PaymentReceived]) -> None:
            raise HandleError.unrecoverable("no")

    handlers = handlers_into(recorder)
    handlers = OrdersHandlers(
        order_placed=handlers.order_placed, payment_received=Pay(), order_shipped=handlers.order_shipped
    )
    await Publisher(log).publish_many([paid(), shipped(), placed()], ordering=Ordering.RELAXED)
    await consume(log, handlers)
    assert {type(event) for event in recorder.events} == {OrderShipped, OrderPlaced}
    assert [letter.reason for letter in await dead_letters(log)] == ["unrecoverable"]


async def test_a_transient_failure_is_called_again_with_the_same_chunk() -> None:
    log, attempts = MemoryLog(), []

    async def down_twice(events: Batch[OrderPlaced]) -> None:
        attempts.append((events.attempt, list(events)))
        if len(attempts) < 3:
            raise HandleError.transient("database is down")

    await Publisher(log).publish(placed())
    consumer = await consume(log, only_placed(down_twice))
    assert attempts == [(1, [placed()]), (2, [placed()]), (3, [placed()])]
    assert consumer.progress.dead == 0
    assert await stored_offsets(log) == 1


async def test_a_transient_failure_is_logged_once_with_its_end(caplog: pytest.LogCaptureFixture) -> None:
    log, calls = MemoryLog(), []

    async def down_thrice(events: Batch[OrderPlaced]) -> None:
        calls.append(1)
        if len(calls) < 4:
            raise HandleError.transient("database is down")

    await Publisher(log).publish(placed())
    with caplog.at_level(logging.WARNING, "wakuwaku"):
        await consume(log, only_placed(down_thrice))
    first, last = (record.getMessage() for record in caplog.records)
    assert "Placed says nothing would succeed right now; reading pauses" in first
    assert "Placed went through after" in last


@pytest.mark.parametrize(
    ("error", "reason", "error_type"),
    [
        (HandleError.unrecoverable(ValueError("bad")), "unrecoverable", "ValueError"),
        (HandleError.retryable("locked"), "gave_up", "wakuwaku.errors.RetryableError"),
        (KeyError("bug"), "gave_up", "KeyError"),
        (ExceptionGroup("two", [ValueError("a"), TypeError("b")]), "gave_up", "ExceptionGroup"),
        (RecursionError("deep"), "gave_up", "RecursionError"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_failed_chunk_is_kept_in_the_dead_letter_topic(error: Exception, reason: str, error_type: str) -> None:
    log = MemoryLog()

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise error

    await Publisher(log).publish(placed())
    await consume(log, only_placed(fail))
    (letter,) = await dead_letters(log)
    calls = 1 if reason == "unrecoverable" else 2
    assert (letter.reason, letter.error_type, letter.attempts, letter.handler) == (reason, error_type, calls, "Placed")
    assert (letter.topic, letter.offset, letter.consumer) == ("orders", 0, "c")
    assert "in fail" in letter.traceback
    original = (await log.read("orders", letter.partition, letter.offset, 1)).records[0]
    assert (letter.headers, letter.body) == (original.headers, original.body)
    assert await stored_offsets(log) == 1


async def test_an_unrecoverable_chunk_is_dropped_and_the_run_goes_on() -> None:
    log, handled = MemoryLog(), []

    async def refuse_b(events: Batch[OrderPlaced]) -> None:
        if events[0].customer == "b":
            raise HandleError.unrecoverable("b")
        handled.append(events[0].customer)

    handlers = only_placed(refuse_b)
    handlers.order_placed.max_batch = 1  # type: ignore[union-attr]
    await Publisher(log).publish_many([placed(customer=name) for name in "abc"], ordering=Ordering.RELAXED)
    await consume(log, handlers)
    assert handled == ["a", "c"]


async def test_a_given_up_run_takes_its_later_chunks_along_and_the_key_goes_on() -> None:
    log, handled = MemoryLog(), []

    async def refuse_b(events: Batch[OrderPlaced]) -> None:
        if events[0].customer == "b":
            raise HandleError.retryable("b")
        handled.append(events[0].customer)

    handlers = only_placed(refuse_b)
    handlers.order_placed.max_batch = 1  # type: ignore[union-attr]
    publisher = Publisher(log)
    await publisher.publish_many([placed(customer=name) for name in "abc"], ordering=Ordering.RELAXED)
    await publisher.publish(placed(customer="d"))
    await consume(log, handlers)
    assert handled == ["a", "d"]
    assert [letter.offset for letter in await dead_letters(log)] == [1, 2]


async def test_all_records_of_a_folded_event_are_kept_when_it_fails() -> None:
    log = MemoryLog()

    class Pay(PaymentReceivedContract):
        async def handle(self, events: Batch[PaymentReceived]) -> None:
            raise HandleError.unrecoverable("no account")

    await Publisher(log).publish_many([paid(amount_cents=2), paid(amount_cents=3)])
    await consume(log, OrdersHandlers(order_placed=Ignore(), payment_received=Pay(), order_shipped=Ignore()))
    assert [letter.offset for letter in await dead_letters(log)] == [0, 1]


@pytest.mark.parametrize("where", [0, 1, 2])
async def test_an_undecodable_body_is_kept_and_the_rest_of_the_run_is_handled(where: int) -> None:
    log, recorder = MemoryLog(), Recorder()
    head = OrderPlaced.__wakuwaku__.head(5, Ordering.RELAXED)
    codec = OrdersHandlers.__wakuwaku__.codecs[1]
    records = [Record(head, codec.encode(placed(customer=name))) for name in "ab"]
    records.insert(where, Record(head, b"\x81\xa8order_id\xa1x"))
    await log.create_topic("orders", 4)
    await log.append("orders", 0, records)
    await consume(log, handlers_into(recorder))
    assert recorder.events == [placed(customer="a"), placed(customer="b")]
    (letter,) = await dead_letters(log)
    assert (letter.reason, letter.offset, letter.attempts) == ("undecodable_body", where, 0)
    assert "shop.OrderPlaced" in letter.message


async def test_a_run_that_does_not_decode_at_all_calls_no_handler() -> None:
    log, recorder = MemoryLog(), Recorder()
    await log.create_topic("orders", 4)
    await log.append("orders", 0, [Record(OrderPlaced.__wakuwaku__.head(5), b"\xc1")])
    consumer = await consume(log, handlers_into(recorder))
    assert (recorder.events, consumer.progress.calls) == ([], 0)


async def test_bad_headers_and_unknown_tags_are_kept_with_all_their_headers(caplog: pytest.LogCaptureFixture) -> None:
    log, recorder = MemoryLog(), Recorder()
    await log.create_topic("orders", 4)
    placed_type = OrderPlaced.__wakuwaku__
    stray = Record(encode_head(77, 5, Ordering.RELAXED, placed_type.algebra), b"\x80", {"trace": b"1"})
    foreign = Record.of({"content-type": b"text/plain"}, b"hello")
    await log.append("orders", 0, [stray, foreign])
    with caplog.at_level(logging.ERROR, "wakuwaku"):
        await consume(log, handlers_into(recorder))
    letters = await dead_letters(log)
    assert [(letter.reason, letter.headers) for letter in letters] == [
        ("unknown_tag", stray.headers),
        ("bad_header", {"content-type": b"text/plain"}),
    ]
    assert "no handler knows tag 77" in caplog.records[0].getMessage()
    assert "'wakuwaku-tag' is missing" in caplog.records[1].getMessage()


async def test_unknown_tags_are_passed_over_where_that_is_asked_for() -> None:
    log = MemoryLog()
    await log.create_topic("orders", 4)
    await log.append("orders", 0, [Record(encode_head(77, 5, Ordering.RELAXED, OrderPlaced.__wakuwaku__.algebra), b"")])
    await consume(log, handlers_into(Recorder()), unknown_events=UnknownEvents.SKIP)
    assert await dead_letters(log) == []
    assert await stored_offsets(log) == 1


async def test_an_error_whose_text_can_t_be_made_is_survived() -> None:
    log = MemoryLog()

    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise MuteError

    await Publisher(log).publish(placed())
    await consume(log, only_placed(fail))
    (letter,) = await dead_letters(log)
    assert letter.message == "<MuteError: its text can't be made, RuntimeError>"


async def test_a_long_error_is_cut() -> None:
    log = MemoryLog()

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise ValueError("x" * 10_000_000)

    await Publisher(log).publish(placed())
    await consume(log, only_placed(fail))
    (letter,) = await dead_letters(log)
    assert letter.message.endswith("… (10000000 characters)")
    assert len(letter.message) < 2_100


@pytest.mark.parametrize(
    "error",
    [
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        MemoryError(),
        asyncio.CancelledError(),
        BaseExceptionGroup("both", [SystemExit(1), ValueError("x")]),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_error_without_an_outcome_stops_the_consumer_with_offsets_untouched(error: BaseException) -> None:
    log = MemoryLog()

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise error

    await Publisher(log).publish(placed())
    with pytest.raises(ConsumerStoppedError, match=r"partition [0-3] of 'orders' stopped") as stopped:
        await consume(log, only_placed(fail))
    causes = [stopped.value.__cause__, stopped.value.__cause__ and stopped.value.__cause__.__cause__]
    assert any(isinstance(cause, type(error)) for cause in causes)
    assert await stored_offsets(log) == 0
    assert await dead_letters(log) == []


async def test_a_plain_function_runs_in_a_thread_and_its_failures_count() -> None:
    log = MemoryLog()

    class Ship(OrderShippedContract):
        def handle(self, events: Batch[OrderShipped]) -> None:
            raise HandleError.unrecoverable("no such carrier")

    await Publisher(log).publish(shipped())
    await consume(log, OrdersHandlers(order_placed=Ignore(), payment_received=Ignore(), order_shipped=Ship()))
    assert [letter.message for letter in await dead_letters(log)] == ["no such carrier"]


async def test_a_plain_function_around_a_coroutine_function_is_awaited() -> None:
    log, seen = MemoryLog(), []

    async def inner(events: Batch[OrderShipped]) -> None:
        seen.append(events[0])

    class Ship(OrderShippedContract):
        def handle(self, events: Batch[OrderShipped]) -> Any:
            return inner(events)

    await Publisher(log).publish(shipped())
    await consume(log, OrdersHandlers(order_placed=Ignore(), payment_received=Ignore(), order_shipped=Ship()))
    assert seen == [shipped()]


# -- stopping ---------------------------------------------------------------------------------------------------------


class Gate:
    """Let a handler start and then wait for the test."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.opened = asyncio.Event()
        self.calls = 0

    async def wait(self, events: Batch[OrderPlaced]) -> None:
        self.calls += 1
        self.started.set()
        await self.opened.wait()


async def test_a_shutdown_waits_for_what_runs_and_stores_it() -> None:
    log, gate = MemoryLog(), Gate()
    await Publisher(log).publish(placed())
    consumer = Consumer(log, only_placed(gate.wait), ConsumerConfig(**QUICK))
    await consumer.start()
    await gate.started.wait()
    stopping = asyncio.create_task(consumer.shutdown())
    await asyncio.sleep(0)
    gate.opened.set()
    assert (await stopping).unresolved == {}
    assert await stored_offsets(log) == 1


async def test_a_shutdown_that_times_out_cancels_without_an_outcome() -> None:
    log, gate = MemoryLog(), Gate()
    await Publisher(log).publish(placed())
    consumer = Consumer(log, only_placed(gate.wait), ConsumerConfig(**QUICK))
    await consumer.start()
    await gate.started.wait()
    report = await consumer.shutdown(timeout=0)
    assert list(report.unresolved.values()) == [1]
    assert (await stored_offsets(log), await dead_letters(log)) == (0, [])
    again = Recorder()
    await consume(log, handlers_into(again))
    assert again.events == [placed()]


async def test_a_failure_during_the_drain_counts() -> None:
    log, gate = MemoryLog(), Gate()

    async def fail(events: Batch[OrderPlaced]) -> None:
        await gate.wait(events)
        raise HandleError.retryable("late")

    await Publisher(log).publish(placed())
    consumer = Consumer(log, only_placed(fail), ConsumerConfig(**QUICK))
    await consumer.start()
    await gate.started.wait()
    stopping = asyncio.create_task(consumer.shutdown())
    await asyncio.sleep(0)
    gate.opened.set()
    await stopping
    pages = [await log.read("retry_orders_c", partition, 0, 10) for partition in ALL]
    assert [record.body for page in pages for record in page.records] == [ORDERS_CODECS[1].encode(placed())]
    assert await stored_offsets(log) == 1


async def test_a_shutdown_does_not_sit_out_a_transient_delay() -> None:
    log, failed = MemoryLog(), asyncio.Event()

    async def fail(events: Batch[OrderPlaced]) -> None:
        failed.set()
        raise HandleError.transient("down")

    await Publisher(log).publish(placed())
    consumer = Consumer(log, only_placed(fail), ConsumerConfig(**{**QUICK, "retry_delays": (3600.0,)}))
    await consumer.start()
    await failed.wait()
    report = await consumer.shutdown()
    assert list(report.unresolved.values()) == [1]
    assert await stored_offsets(log) == 0


async def test_stopping_twice_is_fine() -> None:
    consumer = Consumer(MemoryLog(), handlers_into(Recorder()), ConsumerConfig(**QUICK))
    await consumer.start()
    assert await consumer.shutdown() == await consumer.shutdown() == await consumer.abort()


async def test_leaving_on_an_error_aborts_and_the_error_goes_on() -> None:
    log, gate = MemoryLog(), Gate()
    await Publisher(log).publish(placed())
    with pytest.raises(ZeroDivisionError):
        async with Consumer(log, only_placed(gate.wait), ConsumerConfig(**QUICK)):
            await gate.started.wait()
            raise ZeroDivisionError
    assert await stored_offsets(log) == 0


async def test_a_signal_drains_and_a_second_one_aborts() -> None:
    log, gate = MemoryLog(), Gate()
    await Publisher(log).publish(placed())
    async with Consumer(log, only_placed(gate.wait), ConsumerConfig(**QUICK)) as consumer:
        running = asyncio.create_task(consumer.run_until_stopped())
        await gate.started.wait()
        signal.raise_signal(signal.SIGINT)
        for _ in range(10):
            await asyncio.sleep(0)
        assert not running.done()
        signal.raise_signal(signal.SIGTERM)
        report = await running
    assert list(report.unresolved.values()) == [1]


# -- the log ----------------------------------------------------------------------------------------------------------


class Flaky(MemoryLog):
    """A log whose named methods fail until told otherwise."""

    def __init__(self, error: Exception, *methods: str, times: int = 2) -> None:
        super().__init__()
        self.error = error
        self.left = dict.fromkeys(methods, times)

    def _maybe_fail(self, method: str) -> None:
        if self.left.get(method, 0):
            self.left[method] -= 1
            raise self.error

    async def bounds(self, topic: str, partition: int) -> Bounds:
        self._maybe_fail("bounds")
        return await super().bounds(topic, partition)

    async def read(self, topic: str, partition: int, offset: int, count: int) -> Page:
        self._maybe_fail("read")
        return await super().read(topic, partition, offset, count)

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        self._maybe_fail(f"append to {topic}")
        return await super().append(topic, partition, records, lease=lease)

    async def store_offset(
        self, consumer: str, topic: str, partition: int, offset: int, *, lease: Lease | None = None
    ) -> None:
        self._maybe_fail("store_offset")
        await super().store_offset(consumer, topic, partition, offset, lease=lease)


async def test_a_passing_failure_of_the_log_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    log = Flaky(LogUnavailableError("busy"), "read", "append to dead_orders_c", "store_offset")

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise HandleError.unrecoverable("no")

    await Publisher(log).publish(placed())
    with caplog.at_level(logging.WARNING, "wakuwaku"):
        await consume(log, only_placed(fail))
    assert len(await dead_letters(log)) == 1
    assert await stored_offsets(log) == 1
    messages = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    for doing in ("reading the retry topic", "writing dead letters", "storing the offset"):
        assert sum(f"{doing} failed, next try in 0 s: busy" in message for message in messages) == 2


@pytest.mark.parametrize("method", ["read", "append to dead_orders_c", "store_offset"])
async def test_a_permanent_failure_of_the_log_stops_the_consumer_loudly(method: str) -> None:
    log = Flaky(TopicNotFoundError("topic was deleted"), method, times=100)

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise HandleError.unrecoverable("no")

    await Publisher(log).publish(placed())
    with pytest.raises(ConsumerStoppedError, match="topic was deleted"):
        await consume(log, only_placed(fail))
    assert await stored_offsets(log) == 0


async def test_a_stored_offset_beyond_the_end_of_the_log_stops_loudly() -> None:
    log = MemoryLog()
    await log.create_topic("orders", 4)
    await log.store_offset("c", "orders", 2, 41)
    with pytest.raises(ConsumerStoppedError, match="offset 41 is stored, but the log ends before offset 0") as stopped:
        await consume(log, handlers_into(Recorder()))
    assert isinstance(stopped.value.__cause__, OffsetOutOfRangeError)
    assert stopped.value.partition == 2


async def test_a_partition_that_ends_on_its_own_ends_run_until_stopped() -> None:
    log = Flaky(TopicNotFoundError("gone"), "read", times=100)
    await log.create_topic("orders", 4)
    async with Consumer(log, handlers_into(Recorder()), ConsumerConfig(**QUICK)) as consumer:
        with pytest.raises(ConsumerStoppedError, match="gone"):
            await consumer.run_until_stopped()
        with pytest.raises(ConsumerStoppedError, match="gone"):
            await consumer.caught_up()
        consumer._failure = None  # told above; leaving the block would tell it once more


async def test_a_log_that_is_down_at_the_start_is_waited_for() -> None:
    log, recorder = Flaky(LogUnavailableError("starting up"), "bounds"), Recorder()
    await Publisher(log).publish(placed())
    async with Consumer(log, handlers_into(recorder), ConsumerConfig(**QUICK)):
        while not recorder:
            await asyncio.sleep(0)
    assert recorder.events == [placed()]


# -- starting ---------------------------------------------------------------------------------------------------------


async def test_a_consumer_creates_its_topic_as_the_key_type_declares() -> None:
    log = MemoryLog()
    await consume(log, handlers_into(Recorder()))
    assert [(info.name, info.partitions) for info in await log.topics()] == [
        ("dead_orders_c", 4),
        ("orders", 4),
        ("retry_orders_c", 4),
    ]


async def test_a_stub_keeps_the_consumer_from_starting_and_names_the_file() -> None:
    class Unfilled(OrderPlacedContract):
        @stub
        async def handle(self, events: Batch[OrderPlaced]) -> None:
            raise NotImplementedError

    handlers = OrdersHandlers(order_placed=Unfilled(), payment_received=Ignore(), order_shipped=Ignore())
    with pytest.raises(StartError, match=r"Unfilled in .*test_consumer\.py is still a stub: fill in `handle`"):
        await consume(MemoryLog(), handlers)


async def test_a_partition_the_topic_does_not_have_is_told_at_start() -> None:
    with pytest.raises(StartError, match=r"has partitions 0 to 3; \[4, 9\] of `partitions` do not exist"):
        await consume(MemoryLog(), handlers_into(Recorder()), partitions=[0, 4, 9])


async def test_a_handler_in_the_wrong_place_is_told_at_start() -> None:
    wrong: Any = handlers_into(Recorder()).order_shipped
    handlers = OrdersHandlers(order_placed=wrong, payment_received=Ignore(), order_shipped=Ignore())
    with pytest.raises(StartError, match="RecordShipped handles OrderShipped, the bundle wants OrderPlaced there"):
        await consume(MemoryLog(), handlers)


async def test_a_max_batch_of_nothing_is_told_at_start() -> None:
    async def nothing(events: Batch[OrderPlaced]) -> None:
        raise AssertionError

    handlers = only_placed(nothing)
    handlers.order_placed.max_batch = 0  # type: ignore[union-attr]
    with pytest.raises(StartError, match="max_batch is 0; at least 1 is needed"):
        await consume(MemoryLog(), handlers)


async def test_a_consumer_starts_once() -> None:
    consumer = Consumer(MemoryLog(), handlers_into(Recorder()), ConsumerConfig(**QUICK))
    async with consumer:
        with pytest.raises(StartError, match="started before"):
            await consumer.start()


def test_a_configuration_tells_all_that_is_wrong_at_once() -> None:
    with pytest.raises(ConfigError) as wrong:
        ConsumerConfig(
            consumer="a/b", partitions=[], retry_delays=(), poll_count=0, concurrency=True, poll_interval=float("nan")
        )
    text = str(wrong.value)
    for name in ("consumer", "partitions", "retry_delays", "poll_count", "concurrency", "poll_interval"):
        assert f"{name}: " in text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"partitions": [0, 0]}, "names one twice"),
        ({"partitions": [-1]}, "ids are whole numbers from 0"),
        ({"retry_delays": (1.0, -1.0)}, "retry_delays: -1.0 is not a duration"),
    ],
)
def test_a_wrong_value_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        ConsumerConfig(**{"consumer": "c", "partitions": [0], **settings})
