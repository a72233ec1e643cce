"""Apply AircraftRegistered."""

from examples.flights.projection import Projection
from wakuwaku import Batch

from ..contracts import AircraftRegisteredContract
from ..events import AircraftRegistered

_UPSERT = """
INSERT INTO aircraft (tail_number, manufacturer, model, built, seats) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tail_number) DO UPDATE SET
    manufacturer = excluded.manufacturer, model = excluded.model, built = excluded.built, seats = excluded.seats
"""


class AircraftRegisteredHandler(AircraftRegisteredContract):
    """Write what is known about an aircraft; what was written last holds."""

    max_batch = 100

    def __init__(self, projection: Projection) -> None:
        self._projection = projection

    def handle(self, events: Batch[AircraftRegistered]) -> None:
        """Apply one aircraft's events, in log order, equal neighbours collapsed."""
        rows = [(one.tail_number, one.manufacturer, one.model, one.built, one.seats) for one in events]
        with self._projection.transaction() as connection:
            connection.executemany(_UPSERT, rows)
