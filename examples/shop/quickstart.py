"""Place, pay and ship two orders over the embedded log: `python -m examples.shop.quickstart`."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from examples.shop.store import OrderStore
from generated.shop.contracts import OrdersHandlers
from generated.shop.events import Line, OrderPlaced, OrderShipped, PaymentReceived
from generated.shop.handlers.order_placed import OrderPlacedHandler
from generated.shop.handlers.order_shipped import OrderShippedHandler
from generated.shop.handlers.payment_received import PaymentReceivedHandler
from wakuwaku import Consumer, ConsumerConfig, Event, Publisher, connect

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def events(order_id: int, customer: str) -> list[Event]:
    """Return the life of one order."""
    lines = (Line(sku="tea", quantity=2),)
    return [
        OrderPlaced(order_id=order_id, customer=customer, lines=lines, total_cents=900, placed_at=NOON),
        PaymentReceived(order_id=order_id, amount_cents=400, last_paid_at=NOON, references=("a",)),
        PaymentReceived(order_id=order_id, amount_cents=500, last_paid_at=NOON, references=("b",)),
        OrderShipped(order_id=order_id, carrier="post", tracking_code="JP1"),
    ]


def handlers(store: OrderStore) -> OrdersHandlers:
    """Say who handles each event of the topic; mypy names this place when an event is added."""
    return OrdersHandlers(
        order_placed=OrderPlacedHandler(store),
        payment_received=PaymentReceivedHandler(store),
        order_shipped=OrderShippedHandler(store),
    )


async def main(folder: Path) -> OrderStore:
    """Publish, consume, and return what the handlers wrote."""
    store = OrderStore()
    async with await connect(f"sqlite:///{folder / 'events.db'}", stream="shop") as log:
        await Publisher(log).publish_many([*events(7, "Ada"), *events(8, "Grace")])

        config = ConsumerConfig(consumer="order-projection", partitions=[0, 1, 2, 3])
        async with Consumer(log, handlers(store), config) as consumer:
            await consumer.caught_up()
        progress = consumer.progress
        print(f"{progress.events} events in, {progress.handled} after folding, {progress.calls} calls")
    return store


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for order_id, order in sorted(asyncio.run(main(Path(folder))).orders.items()):
            print(
                f"order {order_id}: {order.customer} paid {order.paid_cents} of {order.total_cents}, {order.shipped_by}"
            )
