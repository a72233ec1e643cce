"""Combine rules of Class."""

import datetime as dt
import decimal

from wakuwaku import stub

from .. import events
from ..contracts import ClassCombinerContract


class ClassCombiner(ClassCombinerContract):
    """Combine what no rule of the language does, of two Class events."""

    @stub
    def combine_sets(
        self,
        earlier: events.Class,
        later: events.Class,
    ) -> tuple[frozenset[dt.datetime], ...]:
        """Return the `sets` of both."""
        raise NotImplementedError

    @stub
    def combine_price_in_the_currency_of_the_customer(
        self,
        earlier: events.Class,
        later: events.Class,
    ) -> decimal.Decimal | None:
        """Return the `price_in_the_currency_of_the_customer` of both."""
        raise NotImplementedError

    @stub
    def combine_number_of_transactions_that_were_counted(
        self,
        earlier: events.Class,
        later: events.Class,
    ) -> int:
        """Return the `number_of_transactions_that_were_counted` of both."""
        raise NotImplementedError
