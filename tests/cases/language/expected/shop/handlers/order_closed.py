"""Apply OrderClosed."""

from wakuwaku import Batch, stub

from ..contracts import OrderClosedContract
from ..events import OrderClosed


class OrderClosedHandler(OrderClosedContract):
    """Apply OrderClosed."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[OrderClosed]) -> None:
        """Apply one order's events, in log order."""
        raise NotImplementedError
