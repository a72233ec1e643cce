"""Apply OrderCounted."""

from wakuwaku import Batch, stub

from ..contracts import OrderCountedContract
from ..events import OrderCounted


class OrderCountedHandler(OrderCountedContract):
    """Apply OrderCounted."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[OrderCounted]) -> None:
        """Apply one order's events, in any order, equal ones collapsed."""
        raise NotImplementedError
