"""Apply PaymentReceived."""

from examples.shop.store import OrderStore, UnknownOrderError
from wakuwaku import Batch, HandleError

from ..contracts import PaymentReceivedContract
from ..events import PaymentReceived


class PaymentReceivedHandler(PaymentReceivedContract):
    """Add the money to the order. Adding twice would be wrong, so the newest offset is kept beside the sum."""

    def __init__(self, store: OrderStore) -> None:
        self.store = store

    async def handle(self, events: Batch[PaymentReceived]) -> None:
        """Apply one order's events, in log order, neighbours combined into one."""
        try:
            order = self.store.find(events[0].order_id)
        except UnknownOrderError as error:
            raise HandleError.unrecoverable(error) from error
        fresh = events.after(order.paid_up_to)
        if fresh is not None:
            order.paid_cents += sum(payment.amount_cents for payment in fresh)
            order.paid_up_to = fresh.offsets[-1]
