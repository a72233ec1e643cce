"""The shop of the consuming page: a store and a mailer, both stand-ins, and the handlers that use them."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.runtime.orders import (
    OrderPlaced,
    OrderPlacedContract,
    PaymentReceived,
    PaymentReceivedContract,
)
from wakuwaku import Batch, Event, HandleError

__all__ = [
    "ApplyPayment",
    "Audit",
    "Mailer",
    "OrderStore",
    "RecordAndConfirmOrder",
    "RecordOrder",
    "UnknownOrder",
    "paid",
    "placed",
]


class UnknownOrder(Exception):  # noqa: N818 - called as on the page
    """A payment names an order that is not there (yet)."""


@dataclass
class OrderStore:
    """Stand in for a pool of connections."""

    totals: dict[int, int] = field(default_factory=dict)
    paid: dict[int, int] = field(default_factory=dict)

    async def insert(self, order_id: int, total_cents: int) -> None:
        self.totals[order_id] = total_cents

    async def pay(self, order_id: int, amount_cents: int) -> None:
        if order_id not in self.totals:
            raise UnknownOrder(order_id)
        self.paid[order_id] = self.paid.get(order_id, 0) + amount_cents


@dataclass
class Mailer:
    """Stand in for a service that sends mail."""

    sent: list[tuple[str, int]] = field(default_factory=list)

    async def confirm(self, customer: str, order_id: int) -> None:
        self.sent.append((customer, order_id))


class RecordOrder(OrderPlacedContract):
    """Write a new order."""

    max_batch = 100

    def __init__(self, store: OrderStore) -> None:
        self.store = store

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        for order in events:
            await self.store.insert(order.order_id, order.total_cents)


class ApplyPayment(PaymentReceivedContract):
    """Apply a payment; a run arrives folded into one."""

    def __init__(self, store: OrderStore) -> None:
        self.store = store

    async def handle(self, events: Batch[PaymentReceived]) -> None:
        for payment in events:
            try:
                await self.store.pay(payment.order_id, payment.amount_cents)
            except UnknownOrder as error:
                raise HandleError.retryable(error) from error


class RecordAndConfirmOrder(OrderPlacedContract):
    """Write a new order and send a mail."""

    max_batch = 100

    def __init__(self, *, store: OrderStore, mailer: Mailer) -> None:
        self.store = store
        self.mailer = mailer

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        for order in events:
            await self.store.insert(order.order_id, order.total_cents)
            try:
                await self.mailer.confirm(order.customer, order.order_id)
            except OSError as error:
                raise HandleError.retryable(error) from error


class Audit:
    """Note every event; a plain object that takes two kinds of them."""

    max_batch = 10

    def __init__(self) -> None:
        self.seen: list[Event] = []

    async def handle(self, events: Batch[OrderPlaced | PaymentReceived]) -> None:
        self.seen.extend(events)


def placed(order_id: int = 7, customer: str = "Ada", total_cents: int = 900) -> OrderPlaced:
    return OrderPlaced(order_id=order_id, customer=customer, total_cents=total_cents)


def paid(amount_cents: int, order_id: int = 7) -> PaymentReceived:
    return PaymentReceived(order_id=order_id, amount_cents=amount_cents)
