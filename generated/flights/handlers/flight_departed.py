"""Apply FlightDeparted."""

from examples.flights.projection import Projection
from wakuwaku import Batch

from ..contracts import FlightDepartedContract
from ..events import FlightDeparted

_UPSERT = """
INSERT INTO flights (carrier, flight, scheduled_at, origin, destination, tail_number, departed_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (carrier, flight, scheduled_at, origin) DO UPDATE SET departed_at = excluded.departed_at
"""


class FlightDepartedHandler(FlightDepartedContract):
    """Write when a flight left, whether its arrival was written already or not."""

    max_batch = 500

    def __init__(self, projection: Projection) -> None:
        self._projection = projection

    def handle(self, events: Batch[FlightDeparted]) -> None:
        """Apply one aircraft's events, in log order."""
        rows = [
            (
                one.leg.carrier,
                one.leg.flight,
                one.leg.scheduled_at.isoformat(" ", "minutes"),
                one.leg.origin,
                one.leg.destination,
                one.tail_number,
                one.departed_at.isoformat(" ", "minutes"),
            )
            for one in events
        ]
        with self._projection.transaction() as connection:
            connection.executemany(_UPSERT, rows)
