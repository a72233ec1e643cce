"""Bring what is in the log into the projection."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from examples.flights.progress import ProgressLine
from examples.flights.projection import Projection
from generated.flights.contracts import AircraftHandlers, CarriersHandlers
from generated.flights.handlers.aircraft_registered import AircraftRegisteredHandler
from generated.flights.handlers.carrier_delay import CarrierDelayHandler
from generated.flights.handlers.carrier_named import CarrierNamedHandler
from generated.flights.handlers.delay_recorded import DelayRecordedHandler
from generated.flights.handlers.flight_arrived import FlightArrivedHandler
from generated.flights.handlers.flight_cancelled import FlightCancelledHandler
from generated.flights.handlers.flight_departed import FlightDepartedHandler
from wakuwaku import Consumer, ConsumerConfig, HandlerBundle
from wakuwaku.log import Log

__all__ = ["Consumed", "bundles", "consume"]

#: Handlers run in threads that take turns at the projection; more of them would only wait.
_CONCURRENCY: Final = 2
#: Seconds between two looks at how far the consumers are.
_LOOK: Final = 0.1


@dataclass(frozen=True, slots=True)
class Consumed:
    """Tell what went through the consumers now, as `wakuwaku.Progress` counts, and the seconds it took."""

    events: int
    handled: int
    calls: int
    dead: int
    seconds: float


def bundles(projection: Projection) -> Sequence[HandlerBundle]:
    """Return the handlers of both topics; mypy names an event that nobody handles."""
    return (
        AircraftHandlers(
            aircraft_registered=AircraftRegisteredHandler(projection),
            flight_departed=FlightDepartedHandler(projection),
            flight_arrived=FlightArrivedHandler(projection),
            delay_recorded=DelayRecordedHandler(projection),
            flight_cancelled=FlightCancelledHandler(projection),
        ),
        CarriersHandlers(
            carrier_named=CarrierNamedHandler(projection),
            carrier_delay=CarrierDelayHandler(projection),
        ),
    )


async def consume(log: Log, projection: Projection, progress: ProgressLine) -> Consumed:
    """Consume both topics until everything that is in the log is in the projection."""
    aircraft, carriers = bundles(projection)
    # Stored under the projection's name: one made anew, after somebody removed the file, starts at the first event.
    name = projection.name
    aircraft_config = await _config(log, aircraft, name)
    carriers_config = await _config(log, carriers, name)
    total = await _unread(log, aircraft, aircraft_config) + await _unread(log, carriers, carriers_config)
    started = perf_counter()
    async with Consumer(log, aircraft, aircraft_config) as one, Consumer(log, carriers, carriers_config) as other:
        consumers = (one, other)
        watcher = asyncio.create_task(_watch(consumers, total, progress))
        try:
            await asyncio.gather(one.caught_up(), other.caught_up())
        finally:
            watcher.cancel()
        seconds = perf_counter() - started
    counts = [consumer.progress for consumer in consumers]
    progress.show("consuming", total, total)
    return Consumed(
        events=sum(count.events for count in counts),
        handled=sum(count.handled for count in counts),
        calls=sum(count.calls for count in counts),
        dead=sum(count.dead for count in counts),
        seconds=seconds,
    )


async def _config(log: Log, handlers: HandlerBundle, name: str) -> ConsumerConfig:
    topic = await log.topic(handlers.__wakuwaku__.name)
    partitions = range(topic.partitions) if topic is not None else ()
    return ConsumerConfig(consumer=name, partitions=partitions, concurrency=_CONCURRENCY, poll_interval=0.01)


async def _unread(log: Log, handlers: HandlerBundle, config: ConsumerConfig) -> int:
    """Count the events that this consumer has not stored an offset behind."""
    topic, unread = handlers.__wakuwaku__.name, 0
    for partition in config.partitions:
        stored = await log.load_offset(config.consumer, topic, partition)
        unread += (await log.bounds(topic, partition)).end - (0 if stored is None else stored + 1)
    return unread


async def _watch(consumers: Sequence[Consumer], total: int, progress: ProgressLine) -> None:
    while True:
        progress.show("consuming", sum(consumer.progress.events for consumer in consumers), total)
        await asyncio.sleep(_LOOK)
