"""Publishing the feed can be cut short anywhere and begun again."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.flights import feed
from examples.flights.progress import ProgressLine
from examples.flights.publishing import publish, unpublished
from generated.flights import AircraftKey, CarrierDelay, CarrierKey
from wakuwaku import Publisher
from wakuwaku.headers import Record
from wakuwaku.log import MemoryLog

EVENTS = list(feed.excerpt())[:300]
PLACES = [("aircraft", 0), ("aircraft", 1), ("aircraft", 2), ("aircraft", 3), ("carriers", 0)]


def quiet() -> ProgressLine:
    return ProgressLine(io.StringIO())


async def records(log: MemoryLog) -> dict[tuple[str, int], list[Record]]:
    return {place: list((await log.read(*place, 0, 1000)).records) for place in PLACES}


@settings(max_examples=25)
@given(st.data())
async def test_each_event_is_in_the_log_once(data: st.DataObject) -> None:
    """Whatever part of each partition a kill left behind, the rest is added and nothing twice."""
    async with MemoryLog() as whole, MemoryLog() as cut:
        await publish(whole, EVENTS, quiet())
        expected = await records(whole)
        for key in (AircraftKey, CarrierKey):
            await cut.create_topic(key.__wakuwaku__.topic, key.__wakuwaku__.partitions)
        left = 0
        for place, all_of_it in expected.items():
            held = data.draw(st.integers(0, len(all_of_it)), label=f"left in {place}")
            await cut.append(*place, all_of_it[:held])
            left += held

        published = await publish(cut, EVENTS, quiet())

        assert (published.feed, published.now) == (len(EVENTS), len(EVENTS) - left)
        assert await records(cut) == expected


async def test_the_events_reach_every_partition() -> None:
    """The other tests would pass on one partition too."""
    async with MemoryLog() as log:
        await publish(log, EVENTS, quiet())

        assert all((await records(log)).values())
        assert await unpublished(log, EVENTS) == []


async def test_a_log_of_something_else_is_refused() -> None:
    """More events than the feed has can't be of this feed."""
    async with MemoryLog() as log:
        await Publisher(log).publish_many(EVENTS)
        await Publisher(log).publish(CarrierDelay(carrier="UA", departed=1, cancelled=0, minutes=1))

        with pytest.raises(feed.FeedError, match="the log holds 1 events more than the feed; name another folder"):
            await publish(log, EVENTS, quiet())
