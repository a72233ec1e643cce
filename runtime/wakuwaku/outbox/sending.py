"""Send the rows of an outbox to the log, and find out after a crash which of them are there already.

What a crash leaves open is whether the last append happened: the answer may have been lost on its way, or the rows may
not have been deleted. So the outbox keeps, for each partition, an offset below which nothing of that kind is open, and
whoever begins reads the log from there on. Rows that are found in the log are deleted, all others are sent.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from wakuwaku.errors import TopicNotFoundError
from wakuwaku.keyhash import partition_of
from wakuwaku.outbox.store import OutboxStore, Place, Row, row_number

if TYPE_CHECKING:
    from wakuwaku.headers import Record
    from wakuwaku.log import Lease, Log

__all__ = ["Sending"]

logger = logging.getLogger("wakuwaku.outbox")

_READ: Final = 1_000


class Sending:
    """Be a relay's work between two failures."""

    def __init__(self, store: OutboxStore, log: Log, outbox: int, batch: int) -> None:
        self.outbox = outbox
        self._store = store
        self._log = log
        self._batch = batch
        self._known: set[Place] = set()  # places the outbox has a position for
        self._partitions: dict[str, int] = {}

    async def recover(self) -> None:
        """Forget rows that are in the log already."""
        found: dict[int, Record] = {}
        ends: dict[Place, int] = {}
        for place, position in (await self._store.positions()).items():
            self._known.add(place)
            try:
                bounds = await self._log.bounds(*place)
            except TopicNotFoundError:
                continue  # nothing was sent there yet
            offset = max(position, bounds.first)
            while page := await self._log.read(*place, offset, _READ):
                for record in page.records:
                    number = row_number(record, self.outbox)
                    if number is not None:
                        found[number] = record
                offset = page.offsets[-1] + 1
            ends[place] = offset
        if not found:
            return
        rows = await self._store.rows(sorted(found))
        # The bytes are compared too: a database put back from a backup hands out numbers a second time.
        there = [row.number for row in rows if (row.head, row.body) == (found[row.number].head, found[row.number].body)]
        await self._store.sent(there, ends)
        if there:
            logger.info("outbox: %d events were in the log already", len(there))

    async def send(self, lease: Lease | None) -> int:
        """Send the first rows, and return how many there were."""
        rows = await self._store.pending(self._batch)
        if not rows:
            return 0
        places = await self._placed(rows)
        new = {place: (await self._log.bounds(*place)).end for place in places if place not in self._known}
        if new:  # before anything is sent there, so that whoever comes after a crash looks for it
            await self._store.begin(new)
            self._known.update(new)
        ends: dict[Place, int] = {}
        for place, waiting in places.items():
            records = [row.to_record(self.outbox) for row in waiting]
            base = await self._log.append(*place, records, lease=lease)
            ends[place] = (await self._log.bounds(*place)).end if base is None else base + len(records)
        await self._store.sent([row.number for row in rows], ends)
        return len(rows)

    async def _placed(self, rows: Sequence[Row]) -> Mapping[Place, Sequence[Row]]:
        """Return the rows of each partition, in order."""
        places: defaultdict[Place, list[Row]] = defaultdict(list)
        for row in rows:
            partitions = self._partitions.get(row.topic) or await self._look_up(row)
            places[Place(row.topic, partition_of(row.key, partitions))].append(row)
        return places

    async def _look_up(self, row: Row) -> int:
        info = await self._log.topic(row.topic) or await self._log.create_topic(row.topic, row.partitions)
        self._partitions[row.topic] = info.partitions
        return info.partitions
