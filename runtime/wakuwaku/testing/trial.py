"""Run handlers on a few events, without a log to set up, and see what came of each."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from wakuwaku.config import ConsumerConfig
from wakuwaku.consumer import Consumer, Progress
from wakuwaku.deadletter import DeadLetter, dead_topic
from wakuwaku.errors import StartError
from wakuwaku.handler import Batch, Handler, HandlerBundle, Route
from wakuwaku.log.memory import MemoryLog
from wakuwaku.publisher import Publisher
from wakuwaku.service.handler_set import HandlerSet
from wakuwaku.service.sharing import face_of

if TYPE_CHECKING:
    from wakuwaku.errors import ErrorClass
    from wakuwaku.event import Event

__all__ = ["BatchResult", "Call", "run_batch"]

_CONSUMER: Final = "run_batch"


@dataclass(frozen=True, slots=True)
class Call:
    """Tell of one call of a handler: its class, what it was given, and what it raised, if it did."""

    handler: str
    batch: Batch[Any]
    error: BaseException | None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Tell what came of the events given to `run_batch`: every call, in order, and what would be dead-lettered."""

    calls: Sequence[Call]
    dead: Sequence[DeadLetter]
    progress: Progress

    @property
    def handled(self) -> list[Event]:
        """Return the events of all calls that succeeded, as the handlers saw them."""
        return [event for call in self.calls if call.error is None for event in call.batch]


async def run_batch(
    handlers: HandlerBundle | HandlerSet,
    events: Iterable[Event],
    *,
    retries: int = 1,
    classifier: Callable[[Exception], ErrorClass | None] | None = None,
    timeout: float = 30.0,
) -> BatchResult:
    """Publish events, have the handlers handle them as a consumer would, and return what came of it.

    Everything that happens in a service happens here, in memory and at once: validation, planning by fences, folding,
    `max_batch`, classifiers, attempts after a Retryable failure (`retries` of them, without a pause) and dead letters.
    Raises what a start raises, `PublishError` for an event its consumer would refuse, `ConsumerStoppedError`, and
    `TimeoutError`, naming the handler, when one is still not done after `timeout` seconds, as one that stays Transient.
    """
    bundle = handlers.bundle() if isinstance(handlers, HandlerSet) else handlers
    watched, calls = _watched(bundle)
    topic, given = bundle.__wakuwaku__.name, list(events)
    for event in given:
        described = getattr(event, "__wakuwaku__", None)  # what is no event is for the publisher to refuse
        if described is not None and described.topic != topic:
            raise StartError(
                f"{type(event).__name__} is of topic {described.topic!r}, and these handlers are of {topic!r}:"
                " nobody would see it"
            )
    log = MemoryLog()
    await Publisher(log).publish_many(given)
    info = await log.topic(topic)
    partitions = range(info.partitions if info is not None else 1)
    config = ConsumerConfig(
        consumer=_CONSUMER,
        partitions=partitions,
        retry_delays=(0.0,) * max(retries, 1),
        poll_interval=0.001,
        lag_warning=None,
        lease_seconds=None,
    )
    consumer = Consumer(log, watched, config, classifier=classifier)
    await consumer.start()
    try:
        async with asyncio.timeout(timeout):
            await consumer.caught_up()
    except TimeoutError:
        waiting = {one.waiting_for for one in consumer.health().partitions if one.waiting_for}
        who = f"{', '.join(sorted(waiting))} stays Transient" if waiting else "a handler does not come to its end"
        raise TimeoutError(f"not done after {timeout} s: {who}") from None
    finally:
        await consumer.shutdown(1.0)
    pages = [await log.read(dead_topic(topic, _CONSUMER), partition, 0, 1_000_000) for partition in partitions]
    dead = [DeadLetter.from_record(record) for page in pages for record in page.records]
    return BatchResult(calls, dead, consumer.progress)


def _watched(bundle: HandlerBundle) -> tuple[HandlerBundle, list[Call]]:
    """Return a bundle that notes every call of the handlers of another one."""
    calls: list[Call] = []
    routes = {tag: _watched_route(route, calls) for tag, route in bundle.routes().items()}

    class Watched(HandlerBundle):
        __wakuwaku__ = bundle.__wakuwaku__

        def routes(self) -> dict[int, Route]:
            return routes

    return Watched(), calls


def _watched_route(route: Route, calls: list[Call]) -> Route:
    """Return a route whose handler notes its calls; what is no handler is left for the start to complain about."""
    handler = route.handler
    if not isinstance(handler, Handler):
        return route
    own: Handler[Any] = handler
    name = type(own).__qualname__
    handle: Callable[[Batch[Any]], Any] = own.handle
    if inspect.iscoroutinefunction(handle):

        @functools.wraps(handle)
        async def noted(events: Batch[Any]) -> None:
            with _noting(calls, name, events):
                await handle(events)

        return Route(route.codec, face_of(own, own.event, noted))

    @functools.wraps(handle)
    def noted_in_a_thread(events: Batch[Any]) -> Any:
        with _noting(calls, name, events):
            return handle(events)

    return Route(route.codec, face_of(own, own.event, noted_in_a_thread))


@contextlib.contextmanager
def _noting(calls: list[Call], handler: str, batch: Batch[Any]) -> Generator[None]:
    try:
        yield
    except BaseException as error:
        calls.append(Call(handler, batch, error))
        raise
    calls.append(Call(handler, batch, None))
