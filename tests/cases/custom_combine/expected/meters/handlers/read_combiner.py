"""Combine rules of Read."""

import collections.abc
import datetime as dt
import decimal
import uuid

from wakuwaku import stub

from ...units import events as units_events
from .. import events
from ..contracts import ReadCombinerContract


class ReadCombiner(ReadCombinerContract):
    """Combine what no rule of the language does, of two Read events."""

    @stub
    def combine_mean(self, earlier: events.Read, later: events.Read) -> float:
        """Return the `mean` of both."""
        raise NotImplementedError

    @stub
    def combine_spans(
        self,
        earlier: events.Read,
        later: events.Read,
    ) -> (
        collections.abc.Mapping[
            str,
            tuple[
                tuple[
                    events.Span,
                    units_events.Unit,
                    dt.date,
                    dt.time,
                    dt.timedelta,
                    uuid.UUID,
                    decimal.Decimal,
                    bool,
                    bytes,
                    frozenset[int],
                    float,
                ],
                ...,
            ],
        ]
        | None
    ):
        """Return the `spans` of both."""
        raise NotImplementedError
