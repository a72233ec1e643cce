"""What once broke a consumer, or misled its user, and must not again."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Self

import pytest

from tests.runtime.orders import (
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
    Algebra,
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
    PublishError,
    StartError,
    connect,
)
from wakuwaku._core.reduce import reduce
from wakuwaku.errors import LogError
from wakuwaku.event import combined
from wakuwaku.headers import Record
from wakuwaku.log.memory import MemoryLog
from wakuwaku.publisher import MAX_BODY

CONFIG: dict[str, Any] = {"consumer": "c", "partitions": (0,), "retry_delays": (0.0,), "poll_interval": 0.001}


def placed(order_id: int = 7, customer: str = "Ada") -> OrderPlaced:
    return OrderPlaced(order_id=order_id, customer=customer)


def paid(amount_cents: int = 1) -> PaymentReceived:
    return PaymentReceived(order_id=7, amount_cents=amount_cents)


class Placed(OrderPlacedContract):
    def __init__(self, do: Callable[[Batch[OrderPlaced]], Awaitable[None]]) -> None:
        self.do = do

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        await self.do(events)


def only_placed(do: Callable[[Batch[OrderPlaced]], Awaitable[None]]) -> OrdersHandlers:
    return OrdersHandlers(order_placed=Placed(do), payment_received=Ignore(), order_shipped=Ignore())


async def topic_with(*events: Any, ordering: Ordering | None = None) -> MemoryLog:
    log = MemoryLog()
    await log.create_topic("orders", 1)
    await Publisher(log).publish_many(events, ordering=ordering)
    return log


async def consume(log: MemoryLog, handlers: OrdersHandlers, **settings: Any) -> Consumer:
    async with Consumer(log, handlers, ConsumerConfig(**{**CONFIG, **settings})) as consumer:
        await consumer.caught_up()
    return consumer


async def dead_letters(log: MemoryLog) -> list[DeadLetter]:
    return [DeadLetter.from_record(record) for record in (await log.read("dead_orders_c", 0, 0, 1000)).records]


def test_the_offset_up_to_which_a_handler_has_applied_events_is_right_for_every_algebra() -> None:
    """Of ``a b a`` the a stands behind the b, where its last offset is: nothing lies before an offset that is noted."""
    events = [placed(customer=name) for name in "aba"]
    reduced = reduce(Algebra.IDEMPOTENT_COMMUTATIVE, events, combined)
    seen: list[OrderPlaced] = []
    noted: int | None = None
    for event, sources in zip(reduced.events, reduced.sources, strict=True):
        batch = Batch([event], topic="orders", partition=0, offsets=sources, unfolded=[events[at] for at in sources])
        fresh = batch.after(noted)
        if fresh is not None:
            seen += fresh
            noted = fresh.offsets[-1]
    assert {event.customer for event in seen} == {"a", "b"}
    assert noted == 2


async def test_two_types_of_a_key_may_wait_in_place_at_once() -> None:
    log = await topic_with(placed(), paid(), ordering=Ordering.RELAXED)
    calls: dict[str, int] = {"placed": 0, "paid": 0}
    both = asyncio.Event()

    async def down_at_first(name: str) -> None:
        calls[name] += 1
        if all(calls.values()):
            both.set()
        await both.wait()
        if calls[name] < 3:
            raise HandleError.transient("database is down")

    class Pay(PaymentReceivedContract):
        async def handle(self, events: Batch[PaymentReceived]) -> None:
            await down_at_first("paid")

    async def place(events: Batch[OrderPlaced]) -> None:
        await down_at_first("placed")

    consumer = await consume(
        log, OrdersHandlers(order_placed=Placed(place), payment_received=Pay(), order_shipped=Ignore())
    )
    assert consumer.progress.handled == 2


class Bounded(PaymentReceived, frozen=True, kw_only=True):
    """A payment whose sums may not exceed a hundred."""

    def __post_init__(self) -> None:
        if self.amount_cents > 100:
            raise ValueError("more than 100")

    def combine(self, later: Any) -> Self:
        return type(self)(order_id=self.order_id, amount_cents=self.amount_cents + later.amount_cents)


def test_events_whose_combination_can_t_be_made_stay_apart() -> None:
    events = [Bounded(order_id=7, amount_cents=cents) for cents in (60, 30, 60, 40)]
    reduced = reduce(Algebra.ASSOCIATIVE, events, combined)
    assert [event.amount_cents for event in reduced.events] == [90, 100]


async def test_a_plain_function_that_raises_stop_iteration_has_failed() -> None:
    log = await topic_with(OrderShipped(order_id=7, carrier="post"))

    class Ship(OrderShippedContract):
        def handle(self, events: Batch[OrderShipped]) -> None:
            next(iter(()))

    await consume(log, OrdersHandlers(order_placed=Ignore(), payment_received=Ignore(), order_shipped=Ship()))
    assert [letter.error_type for letter in await dead_letters(log)] == ["RuntimeError"]


async def test_an_error_with_text_no_encoder_takes_is_kept() -> None:
    log = await topic_with(placed())

    async def fail(events: Batch[OrderPlaced]) -> None:
        raise ValueError("bad name \udcff")

    await consume(log, only_placed(fail))
    assert [letter.message for letter in await dead_letters(log)] == ["bad name \\udcff"]


async def test_a_signal_stops_every_consumer_of_the_process() -> None:
    first = Consumer(await topic_with(), handlers_into(Recorder()), ConsumerConfig(**CONFIG))
    second = Consumer(await topic_with(), handlers_into(Recorder()), ConsumerConfig(**CONFIG))
    async with first, second:
        running = [asyncio.create_task(one.run_until_stopped()) for one in (first, second)]
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGTERM)
        await asyncio.gather(*running)


async def test_no_log_line_quotes_a_record(caplog: pytest.LogCaptureFixture) -> None:
    log = MemoryLog()
    await log.create_topic("orders", 1)
    head = OrderPlaced.__wakuwaku__.head(5)
    await log.append("orders", 0, [Record(head, b"\x81\xa8order_id\xa6SECRET")])
    await Publisher(log).publish(placed(customer="SECRET"))

    async def quote(events: Batch[OrderPlaced]) -> None:
        raise ValueError(f"what is {events[0].customer}?")

    with caplog.at_level(logging.INFO, "wakuwaku"):
        await consume(log, only_placed(quote))
    assert len(caplog.records) >= 3
    assert "SECRET" not in caplog.text
    assert any("SECRET" in letter.message for letter in await dead_letters(log))


async def test_caught_up_never_claims_what_is_not_so() -> None:
    log = await topic_with(placed())
    hang = asyncio.Event()

    async def wait(events: Batch[OrderPlaced]) -> None:
        await hang.wait()

    consumer = Consumer(log, only_placed(wait), ConsumerConfig(**CONFIG))
    with pytest.raises(StartError, match="not started"):
        await consumer.caught_up()
    await consumer.start()
    waiting = asyncio.create_task(consumer.caught_up())
    await asyncio.sleep(0.001)
    await consumer.abort()
    with pytest.raises(ConsumerStoppedError, match="before it had caught up"):
        await waiting


async def test_a_plain_function_that_outlives_the_stop_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakuwaku._engine.partition._CANCEL_GRACE", 0.01)
    monkeypatch.setattr("wakuwaku.consumer.LAST_WORDS", 0.01)
    log = await topic_with(OrderShipped(order_id=7, carrier="post"))
    started, release = threading.Event(), threading.Event()

    class Ship(OrderShippedContract):
        def handle(self, events: Batch[OrderShipped]) -> None:
            started.set()
            release.wait(60)

    consumer = Consumer(
        log,
        OrdersHandlers(order_placed=Ignore(), payment_received=Ignore(), order_shipped=Ship()),
        ConsumerConfig(**CONFIG),
    )
    await consumer.start()
    await asyncio.to_thread(started.wait, 60)
    report = await consumer.shutdown(timeout=0)
    release.set()
    assert [name.rpartition(".")[0].rpartition(".")[2] for name in report.stuck] == ["Ship"]
    assert sum(report.unresolved.values()) == 1
    for _ in range(100):
        await asyncio.sleep(0.001)


class Yields(OrderPlacedContract):
    async def handle(self, events: Batch[OrderPlaced]) -> Any:
        yield events


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        (Yields(), r"Yields\.handle in .*test_hardening\.py has a `yield` in it"),
        (Placed, "the handler of OrderPlaced is <class .*>; give an instance"),
        (None, "the handler of OrderPlaced is None; give an instance"),
    ],
)
async def test_a_handler_that_can_t_work_is_told_at_start(handler: Any, message: str) -> None:
    handlers = OrdersHandlers(order_placed=handler, payment_received=Ignore(), order_shipped=Ignore())
    with pytest.raises(StartError, match=message):
        await consume(await topic_with(), handlers)


async def test_a_max_batch_of_another_kind_is_told_at_start() -> None:
    handlers = handlers_into(Recorder())
    handlers.order_placed.max_batch = "5"  # type: ignore[union-attr]
    with pytest.raises(StartError, match="max_batch is '5'"):
        await consume(await topic_with(), handlers)


async def test_names_that_are_too_long_together_are_told_before_anything_is_created(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = MemoryLog()
    monkeypatch.setattr(OrdersHandlers.__wakuwaku__, "name", "o" * 200)
    with pytest.raises(StartError, match="together are too long"):
        await consume(log, handlers_into(Recorder()), consumer="c" * 60)
    assert await log.topics() == []


@pytest.mark.parametrize(
    ("errors", "reason", "calls"),
    [
        ([HandleError.transient("a"), HandleError.transient("b")], None, 2),
        ([HandleError.unrecoverable("a")], "unrecoverable", 1),
        ([HandleError.transient("a"), ValueError("b")], "gave_up", 2),
    ],
)
async def test_a_group_of_errors_has_the_class_they_agree_on(
    errors: list[Exception], reason: str | None, calls: int
) -> None:
    log, made = await topic_with(placed()), 0

    async def fail(events: Batch[OrderPlaced]) -> None:
        nonlocal made
        made += 1
        if reason is not None or made == 1:
            raise ExceptionGroup("tasks", errors)

    await consume(log, only_placed(fail))
    assert [letter.reason for letter in await dead_letters(log)] == ([] if reason is None else [reason])
    assert made == calls


async def test_a_group_that_holds_a_memory_error_stops_the_consumer() -> None:
    async def fail(events: Batch[OrderPlaced]) -> None:
        raise ExceptionGroup("tasks", [MemoryError()])

    with pytest.raises(ConsumerStoppedError):
        await consume(await topic_with(placed()), only_placed(fail))


async def test_what_is_no_event_or_too_large_is_refused_when_it_is_published() -> None:
    publisher = Publisher(await topic_with())
    with pytest.raises(PublishError, match="event 0 is no event but str"):
        await publisher.publish("hello")  # type: ignore[arg-type]
    with pytest.raises(PublishError, match="33,554,432 at most"):
        await publisher.publish(placed(customer="x" * MAX_BODY))


async def test_a_place_no_log_can_be_kept_at_is_told_in_words(tmp_path: Path) -> None:
    loop = tmp_path / "loop.db"
    loop.symlink_to(loop)
    for place in (loop, tmp_path / ("a" * 300)):
        with pytest.raises(LogError, match="no log can be kept there"):
            await connect(f"sqlite:///{place}")


@pytest.mark.parametrize(
    "wrong",
    [{"consumer": 1}, {"partitions": None}, {"partitions": "01"}, {"retry_delays": 5}, {"unknown_events": "skip"}],
    ids=str,
)
def test_a_setting_of_a_wrong_kind_is_told_by_name(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ConfigError, match=f"{name}: .* is not "):
        ConsumerConfig(**{**CONFIG, **wrong})


async def test_a_stop_tells_the_type_of_an_error_without_words() -> None:
    async def fail(events: Batch[OrderPlaced]) -> None:
        raise MemoryError

    with pytest.raises(ConsumerStoppedError, match="stopped: MemoryError"):
        await consume(await topic_with(placed()), only_placed(fail))
