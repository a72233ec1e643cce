"""Apply SubscriptionRenewalReminderSent."""

from wakuwaku import Batch, stub

from ..contracts import SubscriptionRenewalReminderSentContract
from ..events import SubscriptionRenewalReminderSent


class SubscriptionRenewalReminderSentHandler(SubscriptionRenewalReminderSentContract):
    """Apply SubscriptionRenewalReminderSent."""

    max_batch = 1

    @stub
    async def handle(self, events: Batch[SubscriptionRenewalReminderSent]) -> None:
        """Apply one meter's events, in log order, neighbours combined into one."""
        raise NotImplementedError
