"""Combine rules of SubscriptionRenewalReminderSent."""

from wakuwaku import stub

from .. import events
from ..contracts import SubscriptionRenewalReminderSentCombinerContract


class SubscriptionRenewalReminderSentCombiner(
    SubscriptionRenewalReminderSentCombinerContract,
):
    """Combine what no rule of the language does, of two SubscriptionRenewalReminderSent events."""

    @stub
    def combine_number_of_transactions_that_were_counted(
        self,
        earlier: events.SubscriptionRenewalReminderSent,
        later: events.SubscriptionRenewalReminderSent,
    ) -> int:
        """Return the `number_of_transactions_that_were_counted` of both."""
        raise NotImplementedError
