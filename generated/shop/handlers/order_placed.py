"""Apply OrderPlaced."""

from examples.shop.store import OrderStore
from wakuwaku import Batch

from ..contracts import OrderPlacedContract
from ..events import OrderPlaced


class OrderPlacedHandler(OrderPlacedContract):
    """Write the order. Placing it twice changes nothing, as the algebra promises."""

    max_batch = 100

    def __init__(self, store: OrderStore) -> None:
        self.store = store

    async def handle(self, events: Batch[OrderPlaced]) -> None:
        """Apply one order's events, in log order, equal neighbours collapsed."""
        for order in events:
            self.store.place(order.order_id, order.customer, order.total_cents)
