"""Drive the machine of one partition: execute its commands against the log and the handlers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from wakuwaku._core.commands import (
    AppendDead,
    Command,
    Finish,
    Note,
    Poll,
    QueueKeys,
    RunKey,
    SleepUntil,
    StoreOffset,
)
from wakuwaku._core.inputs import (
    DeadAppended,
    Input,
    KeyTaken,
    OffsetStored,
    Polled,
    Started,
    StopRequested,
    Woke,
)
from wakuwaku._core.partition import Partition, Settings
from wakuwaku._engine.execution import Counters, Execution
from wakuwaku._engine.pause import pause
from wakuwaku._engine.routing import Binding, tags_of
from wakuwaku._engine.workers import Workers
from wakuwaku.config import ConsumerConfig, UnknownEvents
from wakuwaku.deadletter import DeadLetter, dead_topic
from wakuwaku.errors import ConsumerStoppedError, LogUnavailableError, OffsetOutOfRangeError
from wakuwaku.log import Log, Page
from wakuwaku.observe.logging import Place, log_note, log_unavailable

__all__ = ["PartitionRunner", "Subscription"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subscription:
    """Say what a consumer reads and who handles it."""

    topic: str
    bindings: Mapping[int, Binding]
    ignored: frozenset[int]
    config: ConsumerConfig


class PartitionRunner:
    """Run one partition until it is stopped or can't go on."""

    def __init__(self, log: Log, subscription: Subscription, partition: int, counters: Counters) -> None:
        config = subscription.config
        self.partition = partition
        self._log = log
        self._subscription = subscription
        self._topic = subscription.topic
        self._consumer = config.consumer
        self._dead_topic = dead_topic(subscription.topic, config.consumer)
        self._place = Place(subscription.topic, partition, config.consumer)
        self._machine: Partition | None = None
        self._stop = asyncio.Event()
        self._end: asyncio.Future[None] | None = None
        self._ending = False
        self._moved: list[asyncio.Future[None]] = []
        self._reads: asyncio.Queue[Poll | SleepUntil] = asyncio.Queue()
        self._burials: asyncio.Queue[AppendDead] = asyncio.Queue()
        self._stores: asyncio.Queue[StoreOffset] = asyncio.Queue()
        self._workers = Workers(config.concurrency, self._work)
        self._execution = Execution(
            subscription.bindings,
            topic=subscription.topic,
            partition=partition,
            delays=config.retry_delays,
            tell=self._step,
            share=self._workers.share,
            stop=self._stop,
            counters=counters,
        )

    @property
    def in_flight(self) -> int:
        """Return how many polled records are not resolved."""
        return self._machine.in_flight if self._machine is not None else 0

    def request_stop(self) -> None:
        """Start no new work; `run` returns when what runs is done."""
        if not self._stop.is_set():
            self._stop.set()
            if self._machine is not None:
                self._step(StopRequested())

    async def resolved(self, end: int) -> None:
        """Wait until every record before offset `end` is resolved."""
        while self._machine is None or not self._machine.resolved_before(end):
            moved = asyncio.get_running_loop().create_future()
            self._moved.append(moved)
            await moved

    async def run(self) -> None:
        """Run until a stop is through. Raises what makes the partition unable to go on, offsets untouched."""
        self._end = asyncio.get_running_loop().create_future()
        try:
            self._machine = await self._load()
            tasks = [
                *self._workers.start(),
                *(asyncio.create_task(self._guard(loop)) for loop in (self._read, self._bury, self._store)),
            ]
        finally:
            self._tell_moved()
        try:
            self._step(StopRequested() if self._stop.is_set() else Started())
            await self._end
        finally:
            self._ending = True
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _load(self) -> Partition:
        """Make the machine from where this consumer left off."""
        bounds = await self._insist("reading bounds", lambda: self._log.bounds(self._topic, self.partition))
        stored = await self._insist(
            "loading the offset", lambda: self._log.load_offset(self._consumer, self._topic, self.partition)
        )
        if stored is not None and stored >= bounds.end:
            raise OffsetOutOfRangeError(
                f"{self._place}: offset {stored} is stored, but the log ends before offset {bounds.end}: records were "
                "lost, or this is another log under the same name. Nothing is read until the stored offset is set anew"
            )
        config, subscription = self._subscription.config, self._subscription
        settings = Settings(
            algebras=tags_of(subscription.bindings),
            ignored=subscription.ignored,
            skip_unknown=config.unknown_events is UnknownEvents.SKIP,
            poll_count=config.poll_count,
            poll_interval=config.poll_interval,
            idle_interval=max(config.idle_interval, config.poll_interval),
            max_in_flight=config.max_in_flight,
        )
        return Partition(settings, stored=stored, first=bounds.first)

    # -- the machine ------------------------------------------------------------------------------------------------

    def _step(self, happened: Input) -> None:
        assert self._machine is not None  # noqa: S101 - nothing happens before `_load` made it
        for command in self._machine.step(happened, time.monotonic()):
            self._do(command)
        if self._moved:
            self._tell_moved()

    def _tell_moved(self) -> None:
        moved, self._moved = self._moved, []
        for waiter in moved:
            if not waiter.done():
                waiter.set_result(None)

    def _do(self, command: Command) -> None:
        match command:
            case QueueKeys(keys):
                self._workers.put(keys)
            case Poll() | SleepUntil():
                self._reads.put_nowait(command)
            case StoreOffset():
                self._stores.put_nowait(command)
            case AppendDead():
                self._burials.put_nowait(command)
            case Finish():
                if self._end is not None and not self._end.done():
                    self._end.set_result(None)
            case Note():
                log_note(command, self._place)
            case RunKey():  # only ever the answer to `KeyTaken`, see `_work`
                raise AssertionError

    def _fail(self, error: BaseException) -> None:
        if self._end is not None and not self._end.done():
            self._end.set_exception(error if isinstance(error, Exception) else _carried(error))

    async def _guard(self, loop: Callable[[], Awaitable[None]]) -> None:
        """Run a loop of the engine; its failure is the partition's."""
        try:
            await loop()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - nothing may end in silence
            self._fail(error)

    async def _work(self, key: int) -> None:
        """Take a key and execute what the machine hands out for it."""
        assert self._machine is not None  # noqa: S101 - a key was queued
        commands = self._machine.step(KeyTaken(key), 0.0)
        if len(commands) != 1 or not isinstance(run := commands[0], RunKey):
            for command in commands:
                self._do(command)
            return
        try:
            outcome = await self._execution.run(run)
        except asyncio.CancelledError as error:
            if self._ending:
                raise
            self._fail(_carried(error))
        except BaseException as error:  # noqa: BLE001 - no outcome of a handler: the partition stops, offsets untouched
            self._fail(error)
        else:
            self._step(outcome)

    # -- the log ----------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        while True:
            command = await self._reads.get()
            if isinstance(command, SleepUntil):
                await pause(command.at - time.monotonic(), self._stop)
                self._step(Woke())
                continue
            offset, count = command.offset, command.count
            page = await self._read_page(offset, count)
            self._step(Polled(page.offsets, page.records))

    async def _read_page(self, offset: int, count: int) -> Page:
        read = partial(self._log.read, self._topic, self.partition, offset, count)
        return await self._insist("reading", read, otherwise=Page((), ()))

    async def _store(self) -> None:
        while True:
            offset = (await self._stores.get()).offset
            store = partial(self._log.store_offset, self._consumer, self._topic, self.partition, offset)
            await self._insist("storing the offset", store)
            self._step(OffsetStored())

    async def _bury(self) -> None:
        while True:
            command = await self._burials.get()
            now_ms = time.time_ns() // 1_000_000
            records = [
                DeadLetter(
                    topic=self._topic,
                    partition=self.partition,
                    offset=dead.offset,
                    headers=dead.record.headers,
                    body=dead.record.body,
                    reason=dead.reason.value,
                    error_type=dead.failure.error_type,
                    message=dead.failure.message,
                    traceback=dead.failure.traceback,
                    handler=dead.failure.handler,
                    attempts=dead.failure.attempts,
                    consumer=self._consumer,
                    dead_at_ms=now_ms,
                ).to_record(dead.record.head)
                for dead in command.dead
            ]
            append = partial(self._log.append, self._dead_topic, self.partition, records)
            await self._insist("writing dead letters", append)
            self._step(DeadAppended())

    async def _insist(self, doing: str, call: Callable[[], Awaitable[T]], *, otherwise: T | None = None) -> T:
        """Call the log until it answers: what may pass is tried again for ever, everything else is raised.

        After a stop, `otherwise` (when given) is returned instead of waiting any longer.
        """
        delays = self._subscription.config.retry_delays
        attempt = 0
        while True:
            try:
                return await call()
            except LogUnavailableError as error:
                delay = delays[min(attempt, len(delays) - 1)]
                attempt += 1
                log_unavailable(doing, error, delay, self._place)
            if otherwise is None:
                await asyncio.sleep(delay)
            elif await pause(delay, self._stop):
                return otherwise


def _carried(error: BaseException) -> ConsumerStoppedError:
    """Wrap what a future can't carry, or what would end the event loop, into an error of ours."""
    stopped = ConsumerStoppedError(f"a handler raised {type(error).__name__}, which has no outcome")
    stopped.__cause__ = error
    return stopped
