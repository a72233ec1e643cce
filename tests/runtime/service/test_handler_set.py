"""Handlers registered directly: what a set refuses, and how a handler is shared between events."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.endurance.counted import Counted
from tests.runtime.orders import (
    OrderPlaced,
    OrderPlacedContract,
    OrderShipped,
    PaymentReceived,
)
from tests.runtime.service.shop import ApplyPayment, Audit, OrderStore, RecordOrder, paid, placed
from wakuwaku import (
    Algebra,
    Batch,
    ConsumerConfig,
    DeadLetter,
    Event,
    EventType,
    HandleError,
    HandlerSet,
    Key,
    KeyType,
    Ordering,
    Publisher,
    StartError,
    stub,
)
from wakuwaku.log.memory import MemoryLog

QUICK = ConsumerConfig(consumer="c", partitions=(0, 1, 2, 3), poll_interval=0.001)
anything: Any = object()
anything_with_handle: Any = Audit()
a_class: Any = RecordOrder
for_payments: Any = ApplyPayment(OrderStore())


def complete() -> HandlerSet:
    store = OrderStore()
    return HandlerSet.new(RecordOrder(store)).push(ApplyPayment(store)).ignore(OrderShipped)


async def consume(handlers: HandlerSet, *events: Event) -> MemoryLog:
    log = MemoryLog()
    await Publisher(log).publish_many(events)
    consumer = await handlers.start(log, QUICK)
    await consumer.caught_up()
    await consumer.shutdown()
    return log


def refused(handlers: HandlerSet) -> str:
    with pytest.raises(StartError) as error:
        handlers.bundle()
    return str(error.value)


def test_an_event_nobody_handles_is_told_with_the_way_out() -> None:
    told = refused(HandlerSet.new(RecordOrder(OrderStore())).ignore(PaymentReceived))

    assert told == (
        "nobody handles OrderShipped (tag 3 of topic 'orders'): push a handler, or say so with ignore(OrderShipped)"
    )


def test_two_topics_in_one_set_are_refused() -> None:
    told = refused(complete().push(anything_with_handle, Counted))

    assert "one consumer reads one topic, and these are of 2: 'orders' has OrderPlaced, PaymentReceived, " in told
    assert "'counters' has Counted; start a consumer for each topic" in told


def test_two_handlers_of_one_event_are_refused() -> None:
    told = refused(complete().push(Audit(), OrderPlaced))

    assert told == "OrderPlaced has two handlers, RecordOrder and Audit: leave one out"


def test_one_tag_for_two_events_is_refused() -> None:
    class ShelfKey(Key, frozen=True, kw_only=True):
        __wakuwaku__ = KeyType(name="other.ShelfKey", topic="shelves", layout={})

    def filled(name: str) -> Any:
        return EventType(name=name, tag=1, key=ShelfKey, algebra=Algebra.IDEMPOTENT, ordering=Ordering.RELAXED)

    class Filled(Event, frozen=True, kw_only=True):
        __wakuwaku__ = filled("other.Filled")

    class Copied(Event, frozen=True, kw_only=True):
        __wakuwaku__ = filled("other.Copied")

    told = refused(HandlerSet().ignore(Filled).ignore(Copied))

    assert told == "tag 1 of topic 'shelves' belongs to Filled and Copied: give one of them another in the schema"


@pytest.mark.parametrize(
    ("handlers", "told"),
    [
        (HandlerSet(), "no handler is registered, so there is nothing to consume"),
        (HandlerSet.new(anything), "object does not say which event it takes: name it, push(handler, Event)"),
        (HandlerSet.new(anything, OrderPlaced), "object has no method `handle`, so it can't take OrderPlaced"),
        (HandlerSet.new(a_class, OrderPlaced), "RecordOrder is a class: give an instance"),
        (HandlerSet.new(anything, anything), "which is no generated event"),
        (
            HandlerSet.new(for_payments, OrderPlaced),
            "ApplyPayment is written for PaymentReceived, and registered for OrderPlaced",
        ),
    ],
)
def test_what_is_no_handler_is_refused(handlers: HandlerSet, told: str) -> None:
    assert told in refused(handlers)


def test_all_that_is_wrong_is_told_at_once() -> None:
    told = refused(HandlerSet.new(anything).push(RecordOrder(OrderStore())).push(RecordOrder(OrderStore())))

    assert "does not say which event" in told
    assert "OrderPlaced has two handlers" in told
    assert "nobody handles PaymentReceived" in told
    assert "nobody handles OrderShipped" in told


async def test_a_stub_is_named_with_its_file() -> None:
    class NotYet(OrderPlacedContract):
        @stub
        async def handle(self, events: Batch[OrderPlaced]) -> None:
            raise NotImplementedError

    class SharedStub:
        @stub
        async def handle(self, events: Batch[Any]) -> None:
            raise NotImplementedError

    shared = SharedStub()
    handlers = HandlerSet.new(NotYet()).push(shared, PaymentReceived).push(shared, OrderShipped)

    with pytest.raises(StartError) as error:
        await handlers.start(MemoryLog(), QUICK)

    assert str(error.value).count("test_handler_set.py is still a stub: fill in `handle` and remove `@stub`") == 3
    assert "SharedStub" in str(error.value)


@pytest.mark.parametrize("blocking", [False, True])
async def test_a_shared_handler_has_one_bound_for_all_its_events(*, blocking: bool) -> None:
    """`concurrency` holds for a handler, however many events it takes."""
    running, most = 0, 0
    lock = threading.Lock()

    def note(change: int) -> None:
        nonlocal running, most
        with lock:
            running += change
            most = max(most, running)

    class Awaits:
        concurrency = 1

        async def handle(self, events: Batch[Any]) -> None:
            note(1)
            for _ in range(3):
                await asyncio.sleep(0)
            note(-1)

    gate = threading.Event()

    class Blocks:
        concurrency = 1

        def handle(self, events: Batch[Any]) -> None:
            note(1)
            gate.wait(0.001)
            note(-1)

    shared: Any = Blocks() if blocking else Awaits()
    handlers = HandlerSet.new(shared, OrderPlaced).push(shared, PaymentReceived).ignore(OrderShipped)
    await consume(handlers, *[one for key in range(20) for one in (placed(key), paid(1, key))])

    assert most == 1


async def test_a_shared_handler_keeps_its_settings_and_its_name() -> None:
    class Picky:
        max_batch = 2

        def __init__(self) -> None:
            self.sizes: list[int] = []

        def classify(self, error: Exception) -> Any:
            return HandleError.unrecoverable().error_class if isinstance(error, LookupError) else None

        async def handle(self, events: Batch[Any]) -> None:
            self.sizes.append(len(events))
            if events.key == paid(1, 8).key:
                raise LookupError

    picky = Picky()
    handlers = HandlerSet.new(picky, OrderPlaced).push(picky, PaymentReceived).ignore(OrderShipped)
    log = await consume(handlers, placed(customer="a"), placed(customer="b"), placed(customer="c"), paid(1, 8))

    assert max(picky.sizes) <= 2
    pages = [await log.read("dead_orders_c", partition, 0, 10) for partition in range(4)]
    (letter,) = [DeadLetter.from_record(record) for page in pages for record in page.records]
    assert letter.handler.endswith("Picky")
