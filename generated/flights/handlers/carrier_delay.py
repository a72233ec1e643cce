"""Apply CarrierDelay."""

from examples.flights.projection import Projection
from wakuwaku import Batch

from ..contracts import CarrierDelayContract
from ..events import CarrierDelay

_LAST = "SELECT last_offset FROM carrier_delays WHERE carrier = ?"
_ADD = """
INSERT INTO carrier_delays (carrier, departed, cancelled, minutes, last_offset) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (carrier) DO UPDATE SET
    departed = departed + excluded.departed, cancelled = cancelled + excluded.cancelled,
    minutes = minutes + excluded.minutes, last_offset = excluded.last_offset
"""


class CarrierDelayHandler(CarrierDelayContract):
    """Add to the delays of an airline; each event once, as `DelayRecordedHandler` tells."""

    max_batch = 1

    def __init__(self, projection: Projection) -> None:
        self._projection = projection

    def handle(self, events: Batch[CarrierDelay]) -> None:
        """Apply one carrier's events, in log order, neighbours combined into one."""
        with self._projection.transaction() as connection:
            added: tuple[int] | None = connection.execute(_LAST, (events[0].carrier,)).fetchone()
            fresh = events.after(added[0] if added else None)
            if fresh is not None:
                last = fresh.offsets[-1]
                rows = [(one.carrier, one.departed, one.cancelled, one.minutes, last) for one in fresh]
                connection.executemany(_ADD, rows)
