"""A topic as the generator writes it, by hand: the orders of a shop, for every test of the runtime.

Generated events, codecs, contracts and the bundle stand here in one module, the key hash and the laws differ so that a
test finds each of them: placed is idempotent and acquires, paid is associative, shipped is idempotent and releases.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from wakuwaku import (
    Algebra,
    Batch,
    Codec,
    Event,
    EventType,
    Handler,
    HandlerBundle,
    Ignore,
    Key,
    KeyType,
    Ordering,
    Topic,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

__all__ = [
    "ORDERS_CODECS",
    "OrderKey",
    "OrderPlaced",
    "OrderPlacedContract",
    "OrderShipped",
    "OrderShippedContract",
    "OrdersHandlers",
    "PaymentReceived",
    "PaymentReceivedContract",
    "Recorder",
    "handlers_into",
]


class OrderKey(Key, frozen=True, kw_only=True):
    """One customer order."""

    order_id: builtins.int

    __wakuwaku__: ClassVar[KeyType] = KeyType(
        name="shop.OrderKey", topic="orders", layout={"order_id": "u64"}, partitions=4
    )


class OrderPlaced(Event, frozen=True, kw_only=True):
    """A customer confirmed the basket."""

    order_id: builtins.int
    customer: builtins.str
    total_cents: builtins.int = 0

    __wakuwaku__: ClassVar[EventType[OrderKey]] = EventType(
        name="shop.OrderPlaced", tag=1, key=OrderKey, algebra=Algebra.IDEMPOTENT, ordering=Ordering.ACQUIRE
    )

    @property
    def key(self) -> OrderKey:
        """Return the key this event belongs to."""
        return OrderKey(order_id=self.order_id)


class PaymentReceived(Event, frozen=True, kw_only=True):
    """Money came in for an order."""

    order_id: builtins.int
    amount_cents: builtins.int

    __wakuwaku__: ClassVar[EventType[OrderKey]] = EventType(
        name="shop.PaymentReceived", tag=2, key=OrderKey, algebra=Algebra.ASSOCIATIVE, ordering=Ordering.RELAXED
    )

    @property
    def key(self) -> OrderKey:
        """Return the key this event belongs to."""
        return OrderKey(order_id=self.order_id)

    def combine(self, later: Self) -> Self:
        """Fold this event and the next one of its run into one."""
        return msgspec.structs.replace(self, amount_cents=self.amount_cents + later.amount_cents)


class OrderShipped(Event, frozen=True, kw_only=True):
    """The parcel left the warehouse."""

    order_id: builtins.int
    carrier: builtins.str

    __wakuwaku__: ClassVar[EventType[OrderKey]] = EventType(
        name="shop.OrderShipped", tag=3, key=OrderKey, algebra=Algebra.IDEMPOTENT, ordering=Ordering.RELEASE
    )

    @property
    def key(self) -> OrderKey:
        """Return the key this event belongs to."""
        return OrderKey(order_id=self.order_id)


ORDER_PLACED = Codec(OrderPlaced)
PAYMENT_RECEIVED = Codec(PaymentReceived)
ORDER_SHIPPED = Codec(OrderShipped)

ORDERS_CODECS: Mapping[builtins.int, Codec[Any]] = {1: ORDER_PLACED, 2: PAYMENT_RECEIVED, 3: ORDER_SHIPPED}


class OrderPlacedContract(Handler[OrderPlaced]):
    """Apply OrderPlaced."""

    event = OrderPlaced
    max_batch = 100


class PaymentReceivedContract(Handler[PaymentReceived]):
    """Apply PaymentReceived."""

    event = PaymentReceived


class OrderShippedContract(Handler[OrderShipped]):
    """Apply OrderShipped."""

    event = OrderShipped


@dataclass(frozen=True, kw_only=True, slots=True)
class OrdersHandlers(HandlerBundle):
    """Who handles the events of the topic orders."""

    __wakuwaku__ = Topic(
        name="orders",
        codecs=ORDERS_CODECS,
        fields={1: "order_placed", 2: "payment_received", 3: "order_shipped"},
    )

    order_placed: OrderPlacedContract | Ignore
    payment_received: PaymentReceivedContract | Ignore
    order_shipped: OrderShippedContract | Ignore


class Recorder(list[Batch[Any]]):
    """Keep the batches handlers were given, in the order of the calls."""

    @property
    def events(self) -> list[Event]:
        """Return all events in the order in which handlers saw them."""
        return [event for batch in self for event in batch]


def handlers_into(recorder: Recorder) -> OrdersHandlers:
    """Return handlers that only keep what they are given: two coroutine functions and a plain one."""

    class RecordPlaced(OrderPlacedContract):
        async def handle(self, events: Batch[OrderPlaced]) -> None:
            recorder.append(events)

    class RecordPayment(PaymentReceivedContract):
        async def handle(self, events: Batch[PaymentReceived]) -> None:
            recorder.append(events)

    class RecordShipped(OrderShippedContract):
        def handle(self, events: Batch[OrderShipped]) -> None:
            recorder.append(events)

    return OrdersHandlers(order_placed=RecordPlaced(), payment_received=RecordPayment(), order_shipped=RecordShipped())
