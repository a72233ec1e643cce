"""Apply DelayRecorded."""

from examples.flights.projection import Projection
from wakuwaku import Batch

from ..contracts import DelayRecordedContract
from ..events import DelayRecorded

_LAST = "SELECT last_offset FROM aircraft_delays WHERE tail_number = ?"
_ADD = """
INSERT INTO aircraft_delays (tail_number, minutes, worst, flights, last_offset) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tail_number) DO UPDATE SET
    minutes = minutes + excluded.minutes, worst = max(worst, excluded.worst), flights = flights + excluded.flights,
    last_offset = excluded.last_offset
"""


class DelayRecordedHandler(DelayRecordedContract):
    """Add to the delays of an aircraft.

    Adding twice is wrong, and after a crash events come again, folded with newer ones. So the offset of the last event
    added is written in the transaction that adds, and what lies before it is left out.
    """

    max_batch = 1

    def __init__(self, projection: Projection) -> None:
        self._projection = projection

    def handle(self, events: Batch[DelayRecorded]) -> None:
        """Apply one aircraft's events, in log order, neighbours combined into one."""
        with self._projection.transaction() as connection:
            added: tuple[int] | None = connection.execute(_LAST, (events[0].tail_number,)).fetchone()
            fresh = events.after(added[0] if added else None)
            if fresh is not None:
                last = fresh.offsets[-1]
                rows = [(one.tail_number, one.minutes, one.worst, one.flights, last) for one in fresh]
                connection.executemany(_ADD, rows)
