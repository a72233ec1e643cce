"""What a handler author uses: batches, stubs and bundles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.runtime.orders import (
    ORDERS_CODECS,
    OrderKey,
    OrderPlaced,
    OrderPlacedContract,
    OrdersHandlers,
    OrderShipped,
    PaymentReceived,
    PaymentReceivedContract,
    Recorder,
    handlers_into,
)
from wakuwaku import Batch, Handler, Ignore, stub
from wakuwaku.handler import is_stub


def payments(*amounts: int) -> list[PaymentReceived]:
    """Make payments for one order."""
    return [PaymentReceived(order_id=7, amount_cents=amount) for amount in amounts]


def test_a_batch_is_a_sequence_of_its_events() -> None:
    """A handler treats a batch like any sequence."""
    first, second, third = payments(1, 2, 3)

    batch = Batch.of(first, second, third)

    assert isinstance(batch, Sequence)
    assert len(batch) == 3
    assert list(batch) == [first, second, third]
    assert batch[0] == first
    assert batch[-1] == third
    assert list(batch[1:]) == [second, third]
    assert list(reversed(batch)) == [third, second, first]
    assert second in batch
    assert batch.index(third) == 2


def test_a_batch_tells_where_it_comes_from() -> None:
    """A handler can log and deduplicate by place in the log."""
    batch = Batch(payments(3), topic="orders", partition=2, offsets=(4, 5, 9), attempt=3, source="retry")

    assert (batch.topic, batch.partition, batch.offsets) == ("orders", 2, (4, 5, 9))
    assert (batch.attempt, batch.source) == (3, "retry")
    assert batch.key == OrderKey(order_id=7)


def test_a_batch_made_by_hand_looks_like_a_first_attempt() -> None:
    """A unit test of a handler needs to say nothing but the events."""
    batch = Batch.of(*payments(1, 2))

    assert (batch.topic, batch.partition, list(batch.offsets)) == ("orders", 0, [0, 1])
    assert (batch.attempt, batch.source) == (1, "main")


def test_a_batch_made_by_hand_holds_one_key() -> None:
    """A test can't hand a handler what a consumer never would: events of two keys."""
    with pytest.raises(ValueError, match="a batch holds events of one key"):
        Batch.of(PaymentReceived(order_id=7, amount_cents=1), PaymentReceived(order_id=8, amount_cents=1))


def test_a_batch_made_by_hand_is_not_empty() -> None:
    """A test can't hand a handler a call without events."""
    with pytest.raises(ValueError, match="a batch holds at least one event"):
        Batch.of()


def test_a_batch_shows_no_payload() -> None:
    """What customers do never gets into a log line by printing a batch."""
    batch = Batch.of(OrderPlaced(order_id=424242, customer="Ada Lovelace"))

    assert repr(batch) == "<batch of 1 from orders/0 (main), attempt 1>"
    assert "424242" not in f"{batch!r}{batch}"


def test_a_handler_without_handle_cannot_be_made() -> None:
    """Forgetting the method shows at construction, before anything is consumed."""

    class Forgetful(OrderPlacedContract):
        pass

    make: Any = Forgetful
    with pytest.raises(TypeError, match=r"abstract method '?handle"):
        make()


def test_a_contract_names_its_event_and_batch_size() -> None:
    """The consumer reads from the contract which events a handler gets and how many at once."""
    assert (OrderPlacedContract.event, OrderPlacedContract.max_batch) == (OrderPlaced, 100)
    assert (PaymentReceivedContract.event, PaymentReceivedContract.max_batch) == (PaymentReceived, 1)


class AsyncStub(OrderPlacedContract):
    """A stub as the generator writes it."""

    @stub
    async def handle(self, events: Batch[OrderPlaced]) -> None:
        raise NotImplementedError


class PlainStub(OrderPlacedContract):
    """A stub someone made a plain method of."""

    @stub
    def handle(self, events: Batch[OrderPlaced]) -> None:
        raise NotImplementedError


class Filled(AsyncStub):
    """A handler that fills in a stub."""

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        return


@pytest.mark.parametrize(
    ("handler", "expected"),
    [(AsyncStub(), True), (PlainStub(), True), (Filled(), False)],
    ids=["async stub", "plain stub", "filled in"],
)
def test_a_stub_is_known_until_it_is_filled_in(handler: Handler[OrderPlaced], expected: bool) -> None:
    """The mark is found on coroutine functions and plain ones, and overriding the method removes it."""
    assert is_stub(handler) is expected


def test_marking_a_method_changes_nothing_else() -> None:
    """A stub is the very function it marks, so its signature and its place in the source stay."""

    def handle() -> str:
        return "done"

    assert stub(handle) is handle
    assert handle() == "done"


def test_a_bundle_routes_every_tag_to_its_codec_and_handler() -> None:
    """Each tag of the topic finds the codec that reads it and the handler that gets it."""
    handlers = handlers_into(Recorder())

    routes = handlers.routes()

    assert list(routes) == [1, 2, 3]
    assert {tag: route.codec for tag, route in routes.items()} == ORDERS_CODECS
    assert routes[1].handler is handlers.order_placed
    assert routes[2].handler is handlers.payment_received
    assert routes[3].handler is handlers.order_shipped


def test_a_bundle_keeps_what_is_ignored_on_purpose() -> None:
    """An ignored event has a route too, so that its records are passed over and not taken for unknown ones."""
    ignore = Ignore("the warehouse does that")
    handlers = handlers_into(Recorder())
    bundle = OrdersHandlers(
        order_placed=handlers.order_placed, payment_received=handlers.payment_received, order_shipped=ignore
    )

    assert bundle.routes()[3].handler is ignore


def test_a_bundle_misses_no_event() -> None:
    """Leaving an event out fails at construction, for those who run no type checker."""
    make: Any = OrdersHandlers

    with pytest.raises(TypeError, match="order_shipped"):
        make(order_placed=Ignore(), payment_received=Ignore())


def test_ignoring_can_give_its_reason() -> None:
    """The reason stands in the code and in what is printed of it."""
    assert repr(Ignore("done elsewhere")) == "Ignore('done elsewhere')"
    assert repr(Ignore()) == "Ignore()"


async def test_a_handler_is_tested_by_calling_it() -> None:
    """Handlers are plain objects: no consumer and no log is needed to try one."""
    recorder = Recorder()
    handlers = handlers_into(recorder)
    assert not isinstance(handlers.order_placed, Ignore)
    assert not isinstance(handlers.order_shipped, Ignore)
    placed, shipped = OrderPlaced(order_id=7, customer="Ada"), OrderShipped(order_id=7, carrier="sea")

    call = handlers.order_placed.handle(Batch.of(placed))
    assert call is not None
    await call
    assert handlers.order_shipped.handle(Batch.of(shipped)) is None

    assert recorder.events == [placed, shipped]


def test_a_batch_after_an_offset_is_folded_anew() -> None:
    first, second, third = (PaymentReceived(order_id=7, amount_cents=cents) for cents in (1, 20, 300))
    batch = Batch(
        [PaymentReceived(order_id=7, amount_cents=321)],
        topic="orders",
        partition=2,
        offsets=[4, 6, 9],
        attempt=3,
        unfolded=[first, second, third],
    )
    left = batch.after(4)
    assert left is not None
    assert (list(left), left.offsets, left.unfolded) == (
        [PaymentReceived(order_id=7, amount_cents=320)],
        [6, 9],
        [second, third],
    )
    assert (left.topic, left.partition, left.attempt) == ("orders", 2, 3)
    assert batch.after(9) is None
    assert batch.after(3) is batch
    assert batch.after(None) is batch
