"""`run_batch`, the manual clock, and the whole front of the test kit."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import wakuwaku.testing
from tests.endurance.counted import Counted
from tests.runtime.orders import (
    OrderPlaced,
    OrderPlacedContract,
    OrdersHandlers,
    OrderShipped,
    PaymentReceived,
    PaymentReceivedContract,
    Recorder,
    handlers_into,
)
from tests.runtime.service.shop import ApplyPayment, Audit, OrderStore, RecordOrder, UnknownOrder, paid, placed
from wakuwaku import Batch, ErrorClass, HandleError, HandlerSet, Ignore, PublishError, StartError, stub
from wakuwaku.classify import by_type
from wakuwaku.testing import ManualClock, MemoryLog, run_batch


def shop(store: OrderStore) -> HandlerSet:
    return HandlerSet.new(RecordOrder(store)).push(ApplyPayment(store)).ignore(OrderShipped)


async def test_events_are_planned_folded_and_handled_as_in_a_service() -> None:
    store = OrderStore()

    result = await run_batch(shop(store), [placed(), paid(400), paid(500)])

    assert store.paid == {7: 900}
    assert result.handled == [placed(), paid(900)]
    assert [(call.handler, len(call.batch), call.error) for call in result.calls] == [
        ("RecordOrder", 1, None),
        ("ApplyPayment", 1, None),
    ]
    assert list(result.calls[1].batch.offsets) == [1, 2]
    assert result.dead == []
    assert result.progress.events == 3


async def test_a_generated_bundle_and_a_plain_function_are_fine() -> None:
    recorder = Recorder()

    result = await run_batch(handlers_into(recorder), [placed(), OrderShipped(order_id=7, carrier="post")])

    assert recorder.events == result.handled
    assert len(result.calls) == 2


async def test_what_would_be_dead_lettered_is_captured() -> None:
    """A payment without an order is tried again, then given up."""
    result = await run_batch(shop(OrderStore()), [paid(400)], retries=3)

    (letter,) = result.dead
    assert (letter.reason, letter.handler, letter.attempts) == ("gave_up", "ApplyPayment", 4)
    assert letter.error_type.endswith("UnknownOrder")
    errors = [call.error for call in result.calls]
    assert len(errors) == 4
    assert all(isinstance(error, HandleError) and isinstance(error.source, UnknownOrder) for error in errors)
    places = [(call.batch.source, call.batch.attempt) for call in result.calls]
    assert places == [("main", 1), ("retry", 1), ("retry", 2), ("retry", 3)]
    assert result.handled == []


async def test_classifiers_are_asked() -> None:
    class Fails(PaymentReceivedContract):
        classify = by_type({KeyError: ErrorClass.UNRECOVERABLE})

        def handle(self, events: Batch[PaymentReceived]) -> None:
            raise KeyError if events[0].amount_cents == 1 else LookupError

    handlers = HandlerSet.new(Fails()).ignore(OrderPlaced).ignore(OrderShipped)
    result = await run_batch(
        handlers, [paid(1, 1), paid(2, 2)], classifier=by_type({LookupError: ErrorClass.UNRECOVERABLE})
    )

    assert sorted((letter.reason, letter.attempts) for letter in result.dead) == [("unrecoverable", 1)] * 2


async def test_one_handler_for_two_events_can_be_tried() -> None:
    audit = Audit()

    result = await run_batch(
        HandlerSet.new(audit, OrderPlaced).push(audit, PaymentReceived).ignore(OrderShipped), [placed(), paid(1)]
    )

    assert audit.seen == result.handled == [placed(), paid(1)]


async def test_a_handler_that_stays_transient_is_named() -> None:
    class Waits(OrderPlacedContract):
        async def handle(self, events: Batch[OrderPlaced]) -> None:
            raise HandleError.transient("the database is down")

    handlers = OrdersHandlers(order_placed=Waits(), payment_received=Ignore(), order_shipped=Ignore())

    with pytest.raises(TimeoutError, match=r"not done after 0\.05 s: .*Waits stays Transient"):
        await run_batch(handlers, [placed()], timeout=0.05)


async def test_what_a_start_refuses_is_refused() -> None:
    class NotYet(OrderPlacedContract):
        @stub
        async def handle(self, events: Batch[OrderPlaced]) -> None:
            raise NotImplementedError

    wrong: Any = RecordOrder
    with pytest.raises(StartError, match="is still a stub"):
        await run_batch(OrdersHandlers(order_placed=NotYet(), payment_received=Ignore(), order_shipped=Ignore()), [])
    with pytest.raises(StartError, match="give an instance of its contract"):
        await run_batch(OrdersHandlers(order_placed=wrong, payment_received=Ignore(), order_shipped=Ignore()), [])
    with pytest.raises(PublishError, match=r"event 0 \(PaymentReceived\) is not valid"):
        await run_batch(shop(OrderStore()), [PaymentReceived(order_id=7, amount_cents="1")])  # type: ignore[arg-type]


async def test_an_event_of_another_topic_is_told() -> None:
    with pytest.raises(StartError, match="Counted is of topic 'counters', and these handlers are of 'orders'"):
        await run_batch(shop(OrderStore()), [placed(), Counted(counter=1, number=1)])


async def test_time_passes_only_when_the_test_says_so() -> None:
    clock = ManualClock(1_000.0)
    log = MemoryLog(clock=clock)
    await log.create_topic("t", 1)
    first = await log.lease("c", "t", 0, holder="a", seconds=30)
    clock.advance(31)

    assert clock() == 1_031.0
    assert (await log.lease("c", "t", 0, holder="b", seconds=30)).token > first.token


@pytest.mark.parametrize("name", wakuwaku.testing.__all__)
def test_every_name_of_the_test_kit_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(wakuwaku.testing, name))
    assert wakuwaku.testing.__doc__ is not None
    assert name in wakuwaku.testing.__doc__ or name in {"BatchResult", "Call", "LawBrokenError", "Report"}
