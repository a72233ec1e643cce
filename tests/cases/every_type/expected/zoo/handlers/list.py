"""Apply List."""

from wakuwaku import Batch, stub

from ..contracts import ListContract
from ..events import List


class ListHandler(ListContract):
    """Apply List."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[List]) -> None:
        """Apply one cage's events, in log order."""
        raise NotImplementedError
