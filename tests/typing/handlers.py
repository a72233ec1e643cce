"""Which handlers a type checker accepts, and which it refuses."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, assert_type

from tests.runtime.orders import OrderKey, OrderPlaced, OrderPlacedContract, PaymentReceived, PaymentReceivedContract
from wakuwaku import Batch, ErrorClass, HandleError, TransientError, stub


class Awaits(OrderPlacedContract):
    """A coroutine function satisfies the contract."""

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        for event in events:
            assert_type(event, OrderPlaced)
            assert_type(event.customer, str)
            assert_type(event.key, OrderKey)


class Blocks(OrderPlacedContract):
    """A plain function satisfies it as well, and may raise the batch size."""

    max_batch = 500

    def handle(self, events: Batch[OrderPlaced]) -> None:
        assert_type(len(events), int)
        assert_type(events[0], OrderPlaced)
        assert_type(events[1:], Sequence[OrderPlaced])
        assert_type(iter(events), Iterator[OrderPlaced])


class TakesWider(OrderPlacedContract):
    """A handler that asks for less than it gets is fine: any sequence of such events will do."""

    async def handle(self, events: Sequence[OrderPlaced]) -> None:
        """Apply the events."""


class NotFilledIn(OrderPlacedContract):
    """A stub keeps the type of the method it marks."""

    @stub
    async def handle(self, events: Batch[OrderPlaced]) -> None:
        raise NotImplementedError


class WrongEvent(OrderPlacedContract):
    """The batch of another event is refused."""

    async def handle(self, events: Batch[PaymentReceived]) -> None:  # type: ignore[override]
        """Apply the events."""


class WrongResult(PaymentReceivedContract):
    """A handler has nothing to return; a forgotten result would get lost."""

    async def handle(self, events: Batch[PaymentReceived]) -> int:  # type: ignore[override]
        return len(events)


class Forgetful(OrderPlacedContract):
    """A handler without `handle`."""


Forgetful()  # type: ignore[abstract]


async def call_by_hand(handler: Awaits, placed: OrderPlaced, paid: PaymentReceived) -> None:
    """A unit test calls a handler with a batch made by hand."""
    assert_type(Batch.of(placed, placed), Batch[OrderPlaced])
    await handler.handle(Batch.of(placed))
    await handler.handle(Batch.of(paid))  # type: ignore[arg-type]


def call_any(handler: OrderPlacedContract, placed: OrderPlaced) -> Coroutine[Any, Any, None] | None:
    """Whoever knows the contract only, has to reckon with both kinds of handler."""
    return handler.handle(Batch.of(placed))


def batches_do_not_change(batch: Batch[OrderPlaced], placed: OrderPlaced) -> None:
    """Neither a batch nor an event can be written to."""
    batch[0] = placed  # type: ignore[index]
    placed.customer = "Bob"  # type: ignore[misc]


def failures() -> None:
    """A failure knows its class by type."""
    assert_type(HandleError.transient(OSError()), TransientError)
    assert_type(HandleError.retryable("later").error_class, ErrorClass)
    HandleError.transient(503)  # type: ignore[arg-type]
