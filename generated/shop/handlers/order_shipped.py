"""Apply OrderShipped."""

from examples.shop.store import OrderStore, UnknownOrderError
from wakuwaku import Batch, HandleError

from ..contracts import OrderShippedContract
from ..events import OrderShipped


class OrderShippedHandler(OrderShippedContract):
    """Note who carries the parcel."""

    def __init__(self, store: OrderStore) -> None:
        self.store = store

    async def handle(self, events: Batch[OrderShipped]) -> None:
        """Apply one order's events, in log order, equal neighbours collapsed."""
        for parcel in events:
            try:
                order = self.store.find(parcel.order_id)
            except UnknownOrderError as error:
                raise HandleError.unrecoverable(error) from error
            order.shipped_by = parcel.carrier
