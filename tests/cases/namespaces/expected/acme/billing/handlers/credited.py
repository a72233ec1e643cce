"""Apply Credited."""

from wakuwaku import Batch, stub

from ..contracts import CreditedContract
from ..events import Credited


class CreditedHandler(CreditedContract):
    """Apply Credited."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[Credited]) -> None:
        """Apply one account's events, in log order."""
        raise NotImplementedError
