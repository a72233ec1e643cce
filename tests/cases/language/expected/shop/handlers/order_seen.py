"""Apply OrderSeen."""

from wakuwaku import Batch, stub

from ..contracts import OrderSeenContract
from ..events import OrderSeen


class OrderSeenHandler(OrderSeenContract):
    """Apply OrderSeen."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[OrderSeen]) -> None:
        """Apply one order's events, in any order."""
        raise NotImplementedError
