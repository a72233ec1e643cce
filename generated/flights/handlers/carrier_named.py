"""Apply CarrierNamed."""

from examples.flights.projection import Projection
from wakuwaku import Batch

from ..contracts import CarrierNamedContract
from ..events import CarrierNamed

_UPSERT = """
INSERT INTO carriers (carrier, name) VALUES (?, ?)
ON CONFLICT (carrier) DO UPDATE SET name = excluded.name
"""


class CarrierNamedHandler(CarrierNamedContract):
    """Write what an airline is called."""

    max_batch = 100

    def __init__(self, projection: Projection) -> None:
        self._projection = projection

    def handle(self, events: Batch[CarrierNamed]) -> None:
        """Apply one carrier's events, in any order, equal ones collapsed."""
        with self._projection.transaction() as connection:
            connection.executemany(_UPSERT, [(one.carrier, one.name) for one in events])
