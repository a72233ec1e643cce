"""What every log promises: `Log`, and the values it deals in.

A log holds topics; a topic holds numbered partitions (from 0); a partition holds records at ascending offsets. Offsets
may have gaps. A consumer's stored offset is the last offset that is done: reading resumes behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wakuwaku.headers import Record

__all__ = ["Bounds", "Log", "Page", "TopicInfo"]


@dataclass(frozen=True, slots=True)
class TopicInfo:
    """Describe a topic as the log has it."""

    name: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Tell which offsets a partition holds: from `first` up to, not including, `end`. Empty when they are equal.

    `end` is the offset the next record gets if the log leaves no gap.
    """

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    """Hold what one read returned: records in log order and the offset of each.

    `offsets` is a `range` when there is no gap. Both are empty at the end of the partition.
    """

    offsets: Sequence[int]
    records: Sequence[Record]

    def __len__(self) -> int:
        return len(self.records)


class Log(Protocol):
    """Keep records in partitions, in order, and consumers' offsets beside them.

    Every method raises `LogUnavailableError` for a failure that may pass, another `LogError` for one that will not, and
    `LogClosedError` after `close`. A call that is cancelled may or may not have had its effect, never half of it.
    """

    async def topics(self) -> Sequence[TopicInfo]:
        """Return all topics, sorted by name."""
        ...

    async def topic(self, name: str) -> TopicInfo | None:
        """Return a topic, or None when it does not exist."""
        ...

    async def create_topic(self, name: str, partitions: int) -> TopicInfo:
        """Create a topic, or return it when it exists with the same number of partitions.

        Raises `TopicMismatchError` when it exists with another number.
        """
        ...

    async def bounds(self, topic: str, partition: int) -> Bounds:
        """Return which offsets a partition holds now. Raises `TopicNotFoundError`."""
        ...

    async def append(self, topic: str, partition: int, records: Sequence[Record]) -> int | None:
        """Append records behind one another, all or none, and return once they are durable.

        Returns the first record's offset, or None where the log does not tell it. An empty sequence appends nothing and
        returns None. Raises `TopicNotFoundError`.
        """
        ...

    async def read(self, topic: str, partition: int, offset: int, count: int) -> Page:
        """Return up to `count` records from `offset` on, without waiting for more.

        An offset behind the end gives an empty page. Raises `TopicNotFoundError`.
        """
        ...

    async def load_offset(self, consumer: str, topic: str, partition: int) -> int | None:
        """Return the offset the consumer stored last, or None. Raises `TopicNotFoundError`."""
        ...

    async def store_offset(self, consumer: str, topic: str, partition: int, offset: int) -> None:
        """Store the last offset that is done, durably; a lower one than before is taken too.

        Raises `TopicNotFoundError`.
        """
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of everything. Closing twice is fine."""
        ...
