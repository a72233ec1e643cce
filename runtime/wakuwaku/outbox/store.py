"""What an outbox holds, and what a relay asks of it.

Every record that a relay sends has the header ``wakuwaku-outbox``: version = 1, then two u64 little endian, the
outbox's own number and the row's. A relay which does not know whether something was sent looks for it in the log.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from wakuwaku.headers import HEAD, Record

__all__ = ["OUTBOX_HEADER", "OutboxStore", "Place", "Row", "row_number"]

OUTBOX_HEADER: Final = "wakuwaku-outbox"

_VERSION: Final = 1
_MARK: Final = struct.Struct("<BQQ")


class Place(NamedTuple):
    """Name a partition of a topic."""

    topic: str
    partition: int


class Row(NamedTuple):
    """Hold an event that waits to be sent; `partitions` is how many its topic is made with if there is none yet."""

    number: int
    topic: str
    partitions: int
    head: bytes
    body: bytes

    @property
    def key(self) -> int:
        """Return the hash of the event's key."""
        return int(HEAD.unpack(self.head)[1])

    def to_record(self, outbox: int) -> Record:
        """Return the record to send, with the mark of the outbox and the row."""
        return Record(self.head, self.body, {OUTBOX_HEADER: _MARK.pack(_VERSION, outbox, self.number)})


def row_number(record: Record, outbox: int) -> int | None:
    """Return the number of the row a record was sent from, or None when it is not of this outbox."""
    mark = (record.extra or {}).get(OUTBOX_HEADER, b"")
    if len(mark) != _MARK.size:
        return None
    version, own, number = _MARK.unpack(mark)
    return int(number) if version == _VERSION and own == outbox else None


class OutboxStore(Protocol):
    """Be an outbox as a relay sees it; each call is a transaction of its own."""

    async def number(self) -> int:
        """Return the outbox's own number."""
        ...

    async def pending(self, count: int) -> Sequence[Row]:
        """Return the first rows that wait, in order."""
        ...

    async def rows(self, numbers: Sequence[int]) -> Sequence[Row]:
        """Return those of some rows that still wait."""
        ...

    async def positions(self) -> Mapping[Place, int]:
        """Return for each partition the offset from which on records may have been sent whose rows are still there."""
        ...

    async def begin(self, positions: Mapping[Place, int]) -> None:
        """Keep positions of partitions that have none yet."""
        ...

    async def sent(self, numbers: Sequence[int], positions: Mapping[Place, int]) -> None:
        """Forget rows and keep positions, both at once."""
        ...
