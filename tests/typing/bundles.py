"""A bundle is exhaustive by type: an event nobody handles is an error before anything runs."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from tests.runtime.orders import (
    OrderPlacedContract,
    OrdersHandlers,
    OrderShippedContract,
    PaymentReceivedContract,
)
from wakuwaku import HandlerBundle, Ignore


def bundle(
    placed: OrderPlacedContract, paid: PaymentReceivedContract, shipped: OrderShippedContract
) -> list[HandlerBundle]:
    """Every event has a handler, or is ignored on purpose."""
    return [
        OrdersHandlers(order_placed=placed, payment_received=paid, order_shipped=shipped),
        OrdersHandlers(order_placed=placed, payment_received=Ignore("the bank knows"), order_shipped=Ignore()),
        OrdersHandlers(order_placed=placed, payment_received=paid),  # type: ignore[call-arg]
        OrdersHandlers(order_placed=paid, payment_received=paid, order_shipped=shipped),  # type: ignore[arg-type]
        OrdersHandlers(order_placed=placed, payment_received=paid, order_shipped=None),  # type: ignore[arg-type]
        OrdersHandlers(
            order_placed=placed,
            payment_received=paid,
            order_shipped=shipped,
            order_lost=Ignore(),  # type: ignore[call-arg]
        ),
    ]


def swap(handlers: OrdersHandlers, placed: OrderPlacedContract) -> None:
    """A bundle does not change once a consumer may run it."""
    handlers.order_placed = placed  # type: ignore[misc]
