"""Publish events: encode and validate everything first, then append once per partition."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable

from wakuwaku.encoding import MAX_BODY, EventEncoder
from wakuwaku.event import Event
from wakuwaku.headers import Record
from wakuwaku.keyhash import partition_of
from wakuwaku.log import Log
from wakuwaku.ordering import Ordering

__all__ = ["MAX_BODY", "Publisher"]


class Publisher:
    """Publish events to the topics of their keys.

    Every event is encoded, and decoded again as its consumers will, before anything is sent: an event that its own
    consumer would refuse is refused here. Events of one key keep the order in which they were given, also over calls as
    long as one call is awaited before the next. A topic that does not exist is created with the partitions its key type
    declares. One publisher may be used by any number of tasks.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._partitions: dict[str, int] = {}
        self._encoder = EventEncoder()

    async def publish(self, event: Event, *, ordering: Ordering | None = None) -> None:
        """Publish one event; returns once it is durable.

        `ordering` strengthens or weakens the event's fence for this one record. Raises `PublishError` for an event that
        its consumer would refuse, and `LogError`.
        """
        await self.publish_many((event,), ordering=ordering)

    async def publish_many(self, events: Iterable[Event], *, ordering: Ordering | None = None) -> None:
        """Publish events; returns once all are durable.

        One append is made per partition, and each of them is all or nothing. Raises `PublishError` before anything is
        sent when one event is refused; `LogError` when an append failed, after the others have ended.
        """
        by_partition: defaultdict[tuple[str, int], list[Record]] = defaultdict(list)
        for index, event in enumerate(events):
            record, key = self._encoder.encode(index, event, ordering)
            topic = event.__wakuwaku__.topic
            partitions = self._partitions.get(topic) or await self._look_up(event)
            by_partition[topic, partition_of(key, partitions)].append(record)
        if len(by_partition) == 1:
            (((topic, partition), records),) = by_partition.items()
            await self._log.append(topic, partition, records)
            return
        appends = [self._log.append(topic, partition, records) for (topic, partition), records in by_partition.items()]
        errors = [one for one in await asyncio.gather(*appends, return_exceptions=True) if isinstance(one, Exception)]
        if errors:
            for other in errors[1:]:
                errors[0].add_note(f"another partition failed too: {other}")
            raise errors[0]

    async def _look_up(self, event: Event) -> int:
        key_type = event.__wakuwaku__.key.__wakuwaku__
        info = await self._log.topic(key_type.topic)
        if info is None:
            info = await self._log.create_topic(key_type.topic, key_type.partitions)
        self._partitions[key_type.topic] = info.partitions
        return info.partitions
