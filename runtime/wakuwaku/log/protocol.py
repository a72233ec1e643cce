"""What every log promises: `Log`, and the values it deals in.

A log holds topics; a topic holds numbered partitions (from 0); a partition holds records at ascending offsets. Offsets
may have gaps. A consumer's stored offset is the last offset that is done: reading resumes behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wakuwaku.headers import Record

__all__ = ["Bounds", "Lease", "Log", "Page", "TopicInfo"]


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


@dataclass(frozen=True, slots=True)
class Lease:
    """Tell that `holder` works on a partition for a consumer, until `until_ms` unless it is renewed.

    `token` is the fencing token: it grows whenever the lease goes to somebody new, so a write that shows an older one
    is refused. It stays the same when the holder renews. `until_ms` is Unix milliseconds by the log's clock.
    """

    consumer: str
    topic: str
    partition: int
    holder: str
    token: int
    until_ms: int


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

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        """Append records behind one another, all or none, and return once they are durable.

        Returns the first record's offset, or None where the log does not tell it. An empty sequence appends nothing and
        returns None. Under a `lease`, of whatever partition, the append and the check that nobody took the lease over
        are one. Raises `TopicNotFoundError` and `FencedError`.
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

    async def store_offset(
        self, consumer: str, topic: str, partition: int, offset: int, *, lease: Lease | None = None
    ) -> None:
        """Store the last offset that is done, durably; a lower one than before is taken too.

        A `lease` is checked as by `append`. Raises `TopicNotFoundError` and `FencedError`, and where a log stores no
        offset beyond the end of the partition `OffsetOutOfRangeError`.
        """
        ...

    async def lease(self, consumer: str, topic: str, partition: int, *, holder: str, seconds: float) -> Lease:
        """Take the lease of a consumer on a partition, renew the one `holder` has, or with 0 seconds give it up.

        `holder` names one running program, not a kind of it: two that use the same name share one lease. It is held
        for `seconds` from now; then, or once it is given up, anybody may take it, and the one before is fenced. Held
        too long it is still good as long as nobody took it. Giving up what somebody else holds changes nothing.

        Raises `LeaseHeldError` when somebody else holds it, `TopicNotFoundError`, and `ValueError` for more than a day;
        `NoLeasesError` where a log keeps no leases, and so takes none in `append` and `store_offset`.
        """
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of everything. Closing twice is fine."""
        ...
