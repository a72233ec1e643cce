"""Apply PaymentReceived."""

from wakuwaku import Batch, stub

from ..contracts import PaymentReceivedContract
from ..events import PaymentReceived


class PaymentReceivedHandler(PaymentReceivedContract):
    """Apply PaymentReceived."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[PaymentReceived]) -> None:
        """Apply one order's events, in log order, neighbours combined into one."""
        raise NotImplementedError
