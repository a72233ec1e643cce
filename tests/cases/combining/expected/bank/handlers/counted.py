"""Apply Counted."""

from wakuwaku import Batch, stub

from ..contracts import CountedContract
from ..events import Counted


class CountedHandler(CountedContract):
    """Apply Counted."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Counted]) -> None:
        """Apply one account's events, in log order, neighbours combined into one."""
        raise NotImplementedError
