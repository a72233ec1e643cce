"""Publish events: encode and validate everything first, then append once per partition."""

from __future__ import annotations

import asyncio
import struct
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec

from wakuwaku.errors import DecodeError, PublishError
from wakuwaku.event import Codec, Event
from wakuwaku.headers import Record
from wakuwaku.keyhash import partition_of
from wakuwaku.log import Log
from wakuwaku.ordering import Ordering

__all__ = ["MAX_BODY", "Publisher"]


#: Bytes of the largest body: it has to fit into a dead letter, too.
MAX_BODY = 32 * 1024 * 1024


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
        self._codecs: dict[type[Event], Codec[Any]] = {}

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
            record, key = self._encode(index, event, ordering)
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

    def _encode(self, index: int, event: Event, ordering: Ordering | None) -> tuple[Record, int]:
        if not _is_event(event):
            raise PublishError(f"event {index} is no event but {type(event).__name__}; nothing was sent")
        event_type = type(event)
        codec = self._codecs.get(event_type)
        if codec is None:
            codec = self._codecs[event_type] = Codec(event_type)
        try:
            body = codec.encode(event)
            codec.decode(body)
            described = event_type.__wakuwaku__
            key = described.key.__wakuwaku__.hash(event)
        except (
            DecodeError,
            msgspec.MsgspecError,
            struct.error,
            AttributeError,
            TypeError,
            ValueError,
            ArithmeticError,
            RecursionError,
        ) as error:
            raise PublishError(
                f"event {index} ({event_type.__name__}) is not valid, nothing was sent: {error}"
            ) from error
        if len(body) > MAX_BODY:
            raise PublishError(
                f"event {index} ({event_type.__name__}) has {len(body):,} bytes, {MAX_BODY:,} at most; nothing was sent"
            )
        return Record(described.head(key, ordering), body), key

    async def _look_up(self, event: Event) -> int:
        key_type = event.__wakuwaku__.key.__wakuwaku__
        info = await self._log.topic(key_type.topic)
        if info is None:
            info = await self._log.create_topic(key_type.topic, key_type.partitions)
        self._partitions[key_type.topic] = info.partitions
        return info.partitions


def _is_event(value: object) -> bool:
    """Tell whether a caller without a type checker gave an event."""
    return isinstance(value, Event)
