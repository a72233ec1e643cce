"""Apply OrderPlaced."""

from wakuwaku import Batch, stub

from ..contracts import OrderPlacedContract
from ..events import OrderPlaced


class OrderPlacedHandler(OrderPlacedContract):
    """Apply OrderPlaced."""

    max_batch = 100

    @stub
    async def handle(self, events: Batch[OrderPlaced]) -> None:
        """Apply one order's events, in log order, equal neighbours collapsed."""
        raise NotImplementedError
