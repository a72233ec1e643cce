"""Apply Said."""

from wakuwaku import Batch, stub

from ..contracts import SaidContract
from ..events import Said


class SaidHandler(SaidContract):
    """Apply Said."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Said]) -> None:
        """Apply one word's events, in log order."""
        raise NotImplementedError
