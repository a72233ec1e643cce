"""Apply Booked."""

from wakuwaku import Batch, stub

from ..contracts import BookedContract
from ..events import Booked


class BookedHandler(BookedContract):
    """Apply Booked."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Booked]) -> None:
        """Apply one account's events, in log order, neighbours combined into one."""
        raise NotImplementedError
