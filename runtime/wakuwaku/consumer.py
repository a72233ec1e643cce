"""Consume a topic: one handler per event type, explicit partitions, a graceful stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from wakuwaku._engine.classifying import classified
from wakuwaku._engine.execution import Counters
from wakuwaku._engine.lag import LagWatch
from wakuwaku._engine.partition import LAST_WORDS, PartitionRunner
from wakuwaku._engine.routing import bind
from wakuwaku._engine.signals import on_stop_signals
from wakuwaku._engine.subscription import Subscription, retry_topic
from wakuwaku.config import ConsumerConfig
from wakuwaku.deadletter import dead_topic
from wakuwaku.errors import ConsumerStoppedError, ErrorClass, StartError, WakuwakuError
from wakuwaku.handler import HandlerBundle
from wakuwaku.health import Health
from wakuwaku.log import Log
from wakuwaku.observe.logging import log_lag

__all__ = ["Consumer", "Progress", "StopReport"]


#: Bytes a log allows for the name of a topic.
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Progress:
    """Tell what went through a consumer since its start.

    `events` were given to handlers, in `calls`, as `handled` events after folding; `dead` records went to the dead
    letters after a handler or the decoder refused them.
    """

    events: int
    handled: int
    calls: int
    dead: int


@dataclass(frozen=True, slots=True)
class StopReport:
    """Tell what a stop left behind: for each partition the records that were read and not resolved.

    They are read again by the next start; `unresolved` is empty after a drain that got to its end. `pending_retry` has,
    for each partition, the records that wait for another attempt. `stuck` names handlers that went on after they were
    cancelled.
    """

    unresolved: Mapping[int, int]
    pending_retry: Mapping[int, int]
    stuck: tuple[str, ...] = ()


class Consumer:
    """Read partitions of one topic and hand their events to handlers.

    Use it as an async context manager: entering checks and starts, leaving drains, leaving on an error aborts.
    In every case the stored offset stays behind all that is not done, so an event may be handled again after a crash
    or an abort, and none is lost.

    `classifier` says which class an error has that a handler raised and that neither is a `HandleError` nor is known to
    the handler's own `classify`; see `wakuwaku.classify`. What nobody knows is Retryable.
    """

    def __init__(
        self,
        log: Log,
        handlers: HandlerBundle,
        config: ConsumerConfig,
        *,
        classifier: Callable[[Exception], ErrorClass | None] | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._wall = wall
        self._classifier = classifier
        self._log = log
        self._handlers = handlers
        self._config = config
        self._counters = Counters()
        self._threads = ThreadPoolExecutor(config.concurrency, thread_name_prefix="wakuwaku-handler")
        self._runners: list[PartitionRunner] = []
        self._tasks: dict[asyncio.Task[None], PartitionRunner] = {}
        self._failure: ConsumerStoppedError | None = None
        self._lag_watch: LagWatch | None = None
        self._stop_requested = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            await self.shutdown()
            self._raise_failure()
        else:
            await self.abort()

    @property
    def progress(self) -> Progress:
        """Return what went through since the start."""
        counters = self._counters
        return Progress(counters.events, counters.handled, counters.calls, counters.dead)

    def health(self) -> Health:
        """Return how the consumer is, for liveness and readiness probes."""
        alive = bool(self._tasks) and not any(task.done() for task in self._tasks)
        partitions = tuple(runner.health() for runner in self._runners)
        return Health(alive, alive and all(one.waiting_for is None for one in partitions), partitions)

    async def start(self) -> None:
        """Check everything, then start reading.

        The topic is created when it does not exist, with the partitions its key type declares. Raises `StartError` for
        a handler that is still a stub (naming its file) or does not fit, and for a partition that the topic does not
        have; `TopicMismatchError` for a dead-letter topic of another shape; `LogError` when the log can't be reached.
        """
        if self._tasks or self._stop_requested.is_set():
            raise StartError("this consumer was started before; make a new one")
        bindings, ignored = bind(self._handlers, self._threads, self._config.handler_timeout)
        bindings = classified(bindings, self._handlers, self._classifier)
        described = self._handlers.__wakuwaku__
        topic = described.name
        consumer, shared = self._config.consumer, self._config.share_retry_topic
        own_topics = (retry_topic(topic, consumer, shared=shared), dead_topic(topic, consumer))
        for own in own_topics:
            if len(own.encode()) > _LONGEST_NAME:
                raise StartError(
                    f"topic and consumer name together are too long: {own!r} has over {_LONGEST_NAME} bytes"
                )
        info = await self._log.topic(topic)
        if info is None:
            declared = next(iter(described.codecs.values())).event.__wakuwaku__.key.__wakuwaku__.partitions
            info = await self._log.create_topic(topic, declared)
        missing = [partition for partition in self._config.partitions if partition >= info.partitions]
        if missing:
            raise StartError(
                f"topic {topic!r} has partitions 0 to {info.partitions - 1}; {missing} of `partitions` do not exist:"
                " leave them out, or name a topic that has them"
            )
        for own in own_topics:
            await self._log.create_topic(own, info.partitions)
        if self._config.lag_warning is not None:
            self._lag_watch = LagWatch(self._config.lag_warning, self._calling, log_lag)
            self._lag_watch.start()
        subscription = Subscription(topic, bindings, ignored, self._config, wall=self._wall)
        for partition in self._config.partitions:
            runner = PartitionRunner(self._log, subscription, partition, self._counters)
            task = asyncio.create_task(runner.run(), name=f"wakuwaku-{topic}-{partition}")
            task.add_done_callback(self._partition_ended)
            self._runners.append(runner)
            self._tasks[task] = runner

    async def run_until_stopped(self) -> StopReport:
        """Run until SIGINT or SIGTERM, `shutdown()` or `abort()`, and return what was left.

        The first signal drains, a second one aborts. Raises `ConsumerStoppedError` when a partition stopped on its own.
        """
        with on_stop_signals(self._on_signal):
            await self._stop_requested.wait()
            report = await self.shutdown()
        self._raise_failure()
        return report

    async def caught_up(self) -> None:
        """Wait until everything that is in the log now, on the partitions read here, is done.

        That is: handled, folded into a handled event, or dead; no key waits for another attempt, but for parked ones.

        Raises `ConsumerStoppedError` when a partition stopped on its own, or the consumer was stopped meanwhile.
        """
        if not self._tasks:
            raise StartError("this consumer was not started")
        topic = self._handlers.__wakuwaku__.name
        ends = [(runner, (await self._log.bounds(topic, runner.partition)).end) for runner in self._runners]
        everything = asyncio.gather(*(runner.resolved(end) for runner, end in ends))
        stopped = asyncio.ensure_future(self._stop_requested.wait())
        try:
            await asyncio.wait((everything, stopped), return_when=asyncio.FIRST_COMPLETED)
            self._raise_failure()
            if not everything.done():
                raise ConsumerStoppedError("the consumer was stopped before it had caught up")
        finally:
            everything.cancel()
            stopped.cancel()
            await asyncio.gather(everything, stopped, return_exceptions=True)

    async def shutdown(self, timeout: float | None = None) -> StopReport:
        """Start no new work, wait for what runs, store offsets, and return what was left; calling it twice is fine.

        After `timeout` seconds (default: the configuration's `drain_timeout`) handlers that still run are cancelled,
        without an outcome.
        """
        self._stop_requested.set()
        for runner in self._runners:
            runner.request_stop()
        if self._tasks:
            _, late = await asyncio.wait(
                self._tasks, timeout=self._config.drain_timeout if timeout is None else timeout
            )
            for task in late:
                self._tasks[task].abandon()
            if late:
                await asyncio.wait(late, timeout=LAST_WORDS)
        return await self.abort()

    async def abort(self) -> StopReport:
        """Cancel what runs, without an outcome, and return what was left; calling it twice is fine."""
        self._stop_requested.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._lag_watch is not None:
            self._lag_watch.stop()
        self._threads.shutdown(wait=False)
        health = [runner.health() for runner in self._runners]
        return StopReport(
            unresolved={one.partition: one.in_flight for one in health if one.in_flight},
            pending_retry={one.partition: one.pending_retry for one in health if one.pending_retry},
            stuck=tuple(name for runner in self._runners for name in runner.stuck),
        )

    def _partition_ended(self, task: asyncio.Task[None]) -> None:
        """Stop the consumer when one of its partitions ended on its own: a dead partition must not look alive."""
        if task.cancelled():
            return
        error = task.exception()
        if error is None or self._failure is not None:
            return
        runner = self._tasks[task]
        self._failure = ConsumerStoppedError(
            f"partition {runner.partition} of {self._handlers.__wakuwaku__.name!r} stopped: {_told(error)}",
            partition=runner.partition,
        )
        self._failure.__cause__ = error
        self._stop_requested.set()
        for other in self._runners:
            other.request_stop()

    def _calling(self) -> str:
        """Return the handler that was called last in any partition."""
        last = max(self._runners, key=lambda runner: runner.heartbeat, default=None)
        return last.calling if last is not None else ""

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _on_signal(self) -> None:
        """Drain at the first signal, abort at a second one."""
        if self._stop_requested.is_set():
            for task in self._tasks:
                task.cancel()
        self._stop_requested.set()


def _told(error: BaseException) -> str:
    """Return what an error says, with its type where the text alone would not tell."""
    return str(error) if isinstance(error, WakuwakuError) else f"{type(error).__name__}: {error}"
