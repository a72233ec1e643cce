"""Apply Grown."""

from wakuwaku import Batch, stub

from ..contracts import GrownContract
from ..events import Grown


class GrownHandler(GrownContract):
    """Apply Grown."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Grown]) -> None:
        """Apply one tree's events, in log order."""
        raise NotImplementedError
