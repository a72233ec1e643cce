"""`MemoryLog`: a log that lives and dies with the object, for tests and first steps."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from wakuwaku.errors import LogClosedError
from wakuwaku.log.arguments import (
    check_count,
    check_lease_seconds,
    check_name,
    check_offset,
    check_partition,
    check_partitions,
    check_same_partitions,
)
from wakuwaku.log.lease import UNCLAIMED, Grant, check_fence, granted, lease_of, this_machine
from wakuwaku.log.open_log import OpenLog
from wakuwaku.log.protocol import Bounds, Lease, Page, TopicInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wakuwaku.headers import Record

__all__ = ["MemoryLog"]


class MemoryLog(OpenLog):
    """Keep records in memory: offsets from 0 without gaps, nothing survives the object.

    No method waits for anything, so a call that returned has its effect and a call can't be cancelled halfway. `clock`
    returns Unix seconds; leases go by it.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._topics: dict[str, list[list[Record]]] = {}
        self._offsets: dict[tuple[str, str, int], int] = {}
        self._grants: dict[tuple[str, str, int], Grant] = {}
        self._closed = False

    async def topics(self) -> Sequence[TopicInfo]:
        """Return all topics, sorted by name."""
        self._check_open()
        return [TopicInfo(name, len(partitions)) for name, partitions in sorted(self._topics.items())]

    async def topic(self, name: str) -> TopicInfo | None:
        """Return a topic, or None when it does not exist."""
        self._check_open()
        partitions = self._topics.get(name)
        return None if partitions is None else TopicInfo(name, len(partitions))

    async def create_topic(self, name: str, partitions: int) -> TopicInfo:
        """Create a topic, or return it when it exists with the same number of partitions.

        Raises `TopicMismatchError` when it exists with another number.
        """
        self._check_open()
        check_name("topic", name)
        check_partitions(partitions)
        existing = self._topics.setdefault(name, [[] for _ in range(partitions)])
        check_same_partitions(name, partitions, len(existing))
        return TopicInfo(name, partitions)

    async def bounds(self, topic: str, partition: int) -> Bounds:
        """Return which offsets a partition holds now. Raises `TopicNotFoundError`."""
        return Bounds(0, len(self._records(topic, partition)))

    async def append(
        self, topic: str, partition: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> int | None:
        """Append records behind one another and return the first one's offset, or None when there are none.

        Raises `TopicNotFoundError`, and `FencedError` for a `lease` that was lost.
        """
        kept = self._records(topic, partition)
        self._check_fence(lease)
        if not records:
            return None
        base = len(kept)
        kept.extend(records)
        return base

    async def read(self, topic: str, partition: int, offset: int, count: int) -> Page:
        """Return up to `count` records from `offset` on. Raises `TopicNotFoundError`."""
        kept = self._records(topic, partition)
        check_offset(offset)
        check_count(count)
        records = kept[offset : offset + count]
        return Page(range(offset, offset + len(records)), records)

    async def load_offset(self, consumer: str, topic: str, partition: int) -> int | None:
        """Return the offset the consumer stored last, or None. Raises `TopicNotFoundError`."""
        self._records(topic, partition)
        return self._offsets.get((consumer, topic, partition))

    async def store_offset(
        self, consumer: str, topic: str, partition: int, offset: int, *, lease: Lease | None = None
    ) -> None:
        """Store the last offset that is done; a lower one than before is taken too.

        Raises `TopicNotFoundError`, and `FencedError` for a `lease` that was lost.
        """
        self._records(topic, partition)
        check_name("consumer", consumer)
        check_offset(offset)
        self._check_fence(lease)
        self._offsets[consumer, topic, partition] = offset

    async def lease(self, consumer: str, topic: str, partition: int, *, holder: str, seconds: float) -> Lease:
        """Take the lease of a consumer on a partition, renew the one `holder` has, or with 0 seconds give it up.

        Raises `LeaseHeldError` when somebody else holds it, and `TopicNotFoundError`.
        """
        self._records(topic, partition)
        check_name("consumer", consumer)
        check_name("holder", holder)
        check_lease_seconds(seconds)
        place, length_ms = (consumer, topic, partition), math.ceil(seconds * 1_000)
        before = self._grants.get(place, UNCLAIMED)
        after = granted(before, holder, this_machine(), length_ms, int(self._clock() * 1_000))
        self._grants[place] = after
        return lease_of(after, place, holder, this_machine(), length_ms)

    async def close(self) -> None:
        """Let go of everything. Closing twice is fine."""
        self._closed = True
        self._topics = {}
        self._offsets = {}
        self._grants = {}

    def _records(self, topic: str, partition: int) -> list[Record]:
        self._check_open()
        partitions = self._topics.get(topic)
        check_partition(topic, partition, None if partitions is None else len(partitions))
        return self._topics[topic][partition]

    def _check_fence(self, lease: Lease | None) -> None:
        if lease is not None:
            self._records(lease.topic, lease.partition)
            place = (lease.consumer, lease.topic, lease.partition)
            check_fence(self._grants.get(place, UNCLAIMED), lease)

    def _check_open(self) -> None:
        if self._closed:
            raise LogClosedError("the log is closed")
