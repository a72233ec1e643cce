"""Where the shop's handlers write to: a stand-in for a database."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Order", "OrderStore", "UnknownOrderError"]


class UnknownOrderError(Exception):
    """Report a payment or parcel for an order that nobody placed."""


@dataclass
class Order:
    """What the shop knows of one order."""

    customer: str
    total_cents: int
    paid_cents: int = 0
    paid_up_to: int | None = None  # offset of the newest payment that is in `paid_cents`
    shipped_by: str | None = None


@dataclass
class OrderStore:
    """Keep orders by id."""

    orders: dict[int, Order] = field(default_factory=dict)

    def place(self, order_id: int, customer: str, total_cents: int) -> None:
        """Write a new order; once more changes nothing."""
        self.orders.setdefault(order_id, Order(customer, total_cents))

    def find(self, order_id: int) -> Order:
        """Return an order; raises `UnknownOrderError`."""
        try:
            return self.orders[order_id]
        except KeyError:
            raise UnknownOrderError(f"order {order_id} was never placed") from None
