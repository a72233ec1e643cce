"""Bring the feed into the log: each event once, however often it is begun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from examples.flights.feed import FeedError
from examples.flights.progress import ProgressLine
from generated.flights import AircraftKey, CarrierKey
from wakuwaku import Event, Publisher
from wakuwaku.keyhash import partition_of
from wakuwaku.log import Log

__all__ = ["Published", "publish", "unpublished"]

#: Events of one call, and of one step of the progress line.
_CALL: Final = 500


@dataclass(frozen=True, slots=True)
class Published:
    """Tell what publishing did: events of the feed, those of them published now, and the seconds that took."""

    feed: int
    now: int
    seconds: float


async def publish(log: Log, feed: Sequence[Event], progress: ProgressLine) -> Published:
    """Publish what the log does not hold yet."""
    rest = await unpublished(log, feed)
    publisher = Publisher(log)
    held = len(feed) - len(rest)
    started = perf_counter()
    for start in range(0, len(rest), _CALL):
        progress.show("publishing", held + start, len(feed))
        await publisher.publish_many(rest[start : start + _CALL])
    seconds = perf_counter() - started
    progress.show("publishing", len(feed), len(feed))
    return Published(len(feed), len(rest), seconds)


async def unpublished(log: Log, feed: Sequence[Event]) -> list[Event]:
    """Return the events of the feed that the log does not hold, in order.

    The feed is the same every time and a partition takes its events in order, each call's all or none. So a partition
    that holds n events holds the first n that belong there. Raises `FeedError` when it holds more than the feed has.
    """
    held: dict[tuple[str, int], int] = {}
    for key in (AircraftKey, CarrierKey):
        described = key.__wakuwaku__
        topic = await log.create_topic(described.topic, described.partitions)
        for partition in range(topic.partitions):
            held[topic.name, partition] = (await log.bounds(topic.name, partition)).end
    rest: list[Event] = []
    for event in feed:
        place = _place(event)
        if held[place]:
            held[place] -= 1
        else:
            rest.append(event)
    if surplus := sum(held.values()):
        raise FeedError(f"the log holds {surplus:,} events more than the feed; name another folder")
    return rest


def _place(event: Event) -> tuple[str, int]:
    key = event.__wakuwaku__.key.__wakuwaku__
    return key.topic, partition_of(key.hash(event), key.partitions)
