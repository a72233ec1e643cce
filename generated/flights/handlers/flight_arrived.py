"""Apply FlightArrived."""

from examples.flights.projection import Projection
from wakuwaku import Batch

from ..contracts import FlightArrivedContract
from ..events import FlightArrived

_UPSERT = """
INSERT INTO flights (
    carrier, flight, scheduled_at, origin, destination, tail_number, arrived_at, air_minutes, distance_miles
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (carrier, flight, scheduled_at, origin) DO UPDATE SET
    arrived_at = excluded.arrived_at, air_minutes = excluded.air_minutes, distance_miles = excluded.distance_miles
"""


class FlightArrivedHandler(FlightArrivedContract):
    """Write when a flight arrived, whether its departure was written already or not."""

    max_batch = 500

    def __init__(self, projection: Projection) -> None:
        self._projection = projection

    def handle(self, events: Batch[FlightArrived]) -> None:
        """Apply one aircraft's events, in log order."""
        rows = [
            (
                one.leg.carrier,
                one.leg.flight,
                one.leg.scheduled_at.isoformat(" ", "minutes"),
                one.leg.origin,
                one.leg.destination,
                one.tail_number,
                one.arrived_at.isoformat("minutes"),
                one.air_minutes,
                one.distance_miles,
            )
            for one in events
        ]
        with self._projection.transaction() as connection:
            connection.executemany(_UPSERT, rows)
