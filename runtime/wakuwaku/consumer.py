"""Consume a topic: one handler per event type, explicit partitions, a graceful stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from wakuwaku._engine.execution import Counters
from wakuwaku._engine.partition import PartitionRunner, Subscription
from wakuwaku._engine.routing import bind
from wakuwaku.config import ConsumerConfig
from wakuwaku.deadletter import dead_topic
from wakuwaku.errors import ConsumerStoppedError, StartError
from wakuwaku.handler import HandlerBundle
from wakuwaku.log import Log

__all__ = ["Consumer", "Progress", "StopReport"]


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

    They are read again by the next start; `unresolved` is empty after a drain that got to its end.
    """

    unresolved: Mapping[int, int]


class Consumer:
    """Read partitions of one topic and hand their events to handlers.

    Use it as an async context manager: entering checks and starts, leaving drains, leaving on an error aborts.
    In every case the stored offset stays behind all that is not done, so an event may be handled again after a crash
    or an abort, and none is lost.
    """

    def __init__(self, log: Log, handlers: HandlerBundle, config: ConsumerConfig) -> None:
        self._log = log
        self._handlers = handlers
        self._config = config
        self._counters = Counters()
        self._runners: list[PartitionRunner] = []
        self._tasks: dict[asyncio.Task[None], PartitionRunner] = {}
        self._failure: ConsumerStoppedError | None = None
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

    async def start(self) -> None:
        """Check everything, then start reading.

        The topic is created when it does not exist, with the partitions its key type declares. Raises `StartError` for
        a handler that is still a stub (naming its file) or does not fit, and for a partition that the topic does not
        have; `TopicMismatchError` for a dead-letter topic of another shape; `LogError` when the log can't be reached.
        """
        if self._tasks or self._stop_requested.is_set():
            raise StartError("this consumer was started before; make a new one")
        bindings, ignored = bind(self._handlers)
        described = self._handlers.__wakuwaku__
        topic = described.name
        info = await self._log.topic(topic)
        if info is None:
            declared = next(iter(described.codecs.values())).event.__wakuwaku__.key.__wakuwaku__.partitions
            info = await self._log.create_topic(topic, declared)
        missing = [partition for partition in self._config.partitions if partition >= info.partitions]
        if missing:
            raise StartError(
                f"topic {topic!r} has partitions 0 to {info.partitions - 1}; {missing} of `partitions` do not exist"
            )
        await self._log.create_topic(dead_topic(topic, self._config.consumer), info.partitions)
        subscription = Subscription(topic, bindings, ignored, self._config)
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
        with self._signals():
            await self._stop_requested.wait()
            report = await self.shutdown()
        self._raise_failure()
        return report

    async def caught_up(self) -> None:
        """Wait until everything that is in the log now, on the partitions read here, is resolved.

        Raises `ConsumerStoppedError` when a partition stopped on its own.
        """
        topic = self._handlers.__wakuwaku__.name
        ends = [(runner, (await self._log.bounds(topic, runner.partition)).end) for runner in self._runners]
        everything = asyncio.gather(*(runner.resolved(end) for runner, end in ends))
        stopped = asyncio.ensure_future(self._stop_requested.wait())
        try:
            await asyncio.wait((everything, stopped), return_when=asyncio.FIRST_COMPLETED)
            self._raise_failure()
        finally:
            everything.cancel()
            stopped.cancel()
            await asyncio.gather(everything, stopped, return_exceptions=True)

    async def shutdown(self, timeout: float | None = None) -> StopReport:
        """Start no new work, wait for what runs, store offsets, and return what was left; calling it twice is fine.

        After `timeout` seconds (default: the configuration's `drain_timeout`) the rest is aborted.
        """
        self._stop_requested.set()
        for runner in self._runners:
            runner.request_stop()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._config.drain_timeout if timeout is None else timeout)
        return await self.abort()

    async def abort(self) -> StopReport:
        """Cancel what runs, without an outcome, and return what was left; calling it twice is fine."""
        self._stop_requested.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return StopReport({runner.partition: runner.in_flight for runner in self._runners if runner.in_flight})

    def _partition_ended(self, task: asyncio.Task[None]) -> None:
        """Stop the consumer when one of its partitions ended on its own: a dead partition must not look alive."""
        if task.cancelled():
            return
        error = task.exception()
        if error is None or self._failure is not None:
            return
        runner = self._tasks[task]
        self._failure = ConsumerStoppedError(
            f"partition {runner.partition} of {self._handlers.__wakuwaku__.name!r} stopped: {error}",
            partition=runner.partition,
        )
        self._failure.__cause__ = error
        self._stop_requested.set()
        for other in self._runners:
            other.request_stop()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    @contextlib.contextmanager
    def _signals(self) -> Generator[None]:
        """Have SIGINT and SIGTERM stop this consumer while the block runs."""
        loop = asyncio.get_running_loop()
        stopping = False

        def on_signal() -> None:
            nonlocal stopping
            if stopping:
                for task in self._tasks:
                    task.cancel()
            stopping = True
            self._stop_requested.set()

        handled: list[signal.Signals] = []
        for one in (signal.SIGINT, signal.SIGTERM):
            # Not every loop and thread can take signals; then the caller's own handling stays in force.
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                loop.add_signal_handler(one, on_signal)
                handled.append(one)
        try:
            yield
        finally:
            for one in handled:
                loop.remove_signal_handler(one)
