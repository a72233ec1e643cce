"""Apply FlightCancelled."""

from examples.flights.projection import Projection
from wakuwaku import Batch

from ..contracts import FlightCancelledContract
from ..events import FlightCancelled

_UPSERT = """
INSERT INTO flights (carrier, flight, scheduled_at, origin, destination, tail_number, cancelled)
VALUES (?, ?, ?, ?, ?, ?, 1)
ON CONFLICT (carrier, flight, scheduled_at, origin) DO UPDATE SET cancelled = 1
"""


class FlightCancelledHandler(FlightCancelledContract):
    """Write that a flight did not take place."""

    max_batch = 1

    def __init__(self, projection: Projection) -> None:
        self._projection = projection

    def handle(self, events: Batch[FlightCancelled]) -> None:
        """Apply one aircraft's events, in log order."""
        rows = [
            (
                one.leg.carrier,
                one.leg.flight,
                one.leg.scheduled_at.isoformat(" ", "minutes"),
                one.leg.origin,
                one.leg.destination,
                one.tail_number,
            )
            for one in events
        ]
        with self._projection.transaction() as connection:
            connection.executemany(_UPSERT, rows)
