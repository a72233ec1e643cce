"""Apply Read."""

from wakuwaku import Batch, stub

from ..contracts import ReadContract
from ..events import Read


class ReadHandler(ReadContract):
    """Apply Read."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Read]) -> None:
        """Apply one meter's events, in log order, neighbours combined into one."""
        raise NotImplementedError
