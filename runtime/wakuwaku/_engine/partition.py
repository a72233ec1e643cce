"""Drive the machine of one partition: execute its commands against the log and the handlers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from wakuwaku._core.commands import (
    AppendDead,
    AppendRetry,
    Command,
    Dead,
    Finish,
    Note,
    Poll,
    QueueKeys,
    RunKey,
    SleepUntil,
    Stop,
    StoreOffset,
    StoreRetryOffset,
)
from wakuwaku._core.inputs import (
    DeadAppended,
    Input,
    KeyTaken,
    OffsetStored,
    Polled,
    Replayed,
    RetryAppended,
    RetryOffsetStored,
    Started,
    StopRequested,
    Woke,
)
from wakuwaku._core.partition import Partition
from wakuwaku._engine.appends import OwnTopic
from wakuwaku._engine.execution import Counters, Execution, Progress
from wakuwaku._engine.own_offset import OwnOffset
from wakuwaku._engine.patience import until_answered
from wakuwaku._engine.stuck import handler_of
from wakuwaku._engine.subscription import Subscription, retry_topic
from wakuwaku._engine.tenure import Tenure
from wakuwaku._engine.timer import Timer
from wakuwaku._engine.workers import Workers
from wakuwaku.deadletter import DeadLetter, dead_topic
from wakuwaku.errors import ConsumerStoppedError, LogError, OffsetOutOfRangeError
from wakuwaku.headers import Record
from wakuwaku.health import PartitionHealth
from wakuwaku.log import Log, Page
from wakuwaku.observe.logging import Place, log_note, log_unavailable, log_unguarded
from wakuwaku.retry import BackOffInterruptedError

__all__ = ["LAST_WORDS", "PartitionRunner"]

T = TypeVar("T")

#: Seconds that a stop may take beyond its time-out, to write what is known.
LAST_WORDS = 5.0

#: Seconds that handlers have to end after they were cancelled, and the log to take the lease back.
_CANCEL_GRACE = 1.0


class PartitionRunner:
    """Run one partition until it is stopped or can't go on."""

    def __init__(self, log: Log, subscription: Subscription, partition: int, counters: Counters) -> None:
        config = subscription.config
        self.partition = partition
        self.heartbeat = 0.0  # the event loop's time of the last step
        self.stuck: list[str] = []  # handlers that went on after they were cancelled
        self._log = log
        self._subscription = subscription
        self._settings = subscription.settings()
        self._topic = subscription.topic
        self._consumer = config.consumer
        self._counters = counters
        self._place = Place(subscription.topic, partition, config.consumer)
        self._tenure = Tenure(log, config.consumer, subscription.topic, partition, config.lease_seconds)
        retries = retry_topic(subscription.topic, config.consumer, shared=config.share_retry_topic)
        self._retries = OwnTopic(log, retries, partition, self._tenure)
        self._dead = OwnTopic(log, dead_topic(subscription.topic, config.consumer), partition, self._tenure)
        self._offset = OwnOffset(log, config.consumer, subscription.topic, partition, self._tenure)
        self._retry_offset = OwnOffset(log, config.consumer, self._retries.topic, partition, self._tenure)
        self._machine: Partition | None = None
        self._now: Callable[[], float] = time.monotonic
        self._stop = asyncio.Event()
        self._log_calls = until_answered(config.retry_delays, self._warn)
        self._log_calls_until_stop = until_answered(config.retry_delays, self._warn, stop=self._stop)
        self._end: asyncio.Future[None] | None = None
        self._abandoning = False
        self._policy: ConsumerStoppedError | None = None
        self._deadlines: list[asyncio.TimerHandle] = []
        self._moved: list[asyncio.Future[None]] = []
        self._timer = Timer(lambda: self._step(Woke()))
        self._polls: asyncio.Queue[Poll] = asyncio.Queue()
        self._burials: asyncio.Queue[AppendDead] = asyncio.Queue()
        self._retry_appends: asyncio.Queue[AppendRetry] = asyncio.Queue()
        self._stores: asyncio.Queue[StoreOffset] = asyncio.Queue()
        self._retry_stores: asyncio.Queue[StoreRetryOffset] = asyncio.Queue()
        self._workers = Workers(config.concurrency, self._work)
        self._retry_workers = Workers(self._settings.retry_concurrency, self._work)
        self._working: list[asyncio.Task[None]] = []
        self._execution = Execution(
            subscription.bindings,
            topic=subscription.topic,
            partition=partition,
            delays=config.retry_delays,
            tell=self._step,
            stop=self._stop,
            counters=counters,
        )

    @property
    def calling(self) -> str:
        """Return the handler that was called last."""
        return self._execution.calling

    def health(self) -> PartitionHealth:
        """Return how the partition is."""
        machine, now = self._machine, self._now()
        waiting = None if machine is None else machine.latched
        return PartitionHealth(
            partition=self.partition,
            heartbeat_age=now - self.heartbeat,
            in_flight=0 if machine is None else machine.in_flight,
            quarantined=0 if machine is None else machine.quarantined,
            pending_retry=0 if machine is None else machine.pending_retry,
            waiting_for=None if waiting is None else waiting[0],
            waiting_since=None if waiting is None else now - waiting[1],
        )

    @property
    def machine(self) -> Partition | None:
        """Return the machine, or None before the partition has begun."""
        return self._machine

    def request_stop(self) -> None:
        """Start no new work; `run` returns when what runs is done."""
        if not self._stop.is_set():
            self._stop.set()
            if self._machine is not None:
                self._step(StopRequested())

    def abandon(self) -> None:
        """Cancel the handlers that run, without an outcome; what is known to have failed is still written."""
        self.request_stop()
        self._abandoning = True
        for task in self._working:
            task.cancel()

    async def resolved(self, end: int) -> None:
        """Wait until every record before offset `end` is handled or dead, and no key waits for another attempt."""
        while self._machine is None or not self._machine.resolved_before(end) or self._machine.retrying:
            moved = asyncio.get_running_loop().create_future()
            self._moved.append(moved)
            await moved

    async def run(self) -> None:
        """Run until a stop is through. Raises what makes the partition unable to go on, offsets untouched."""
        self._end = asyncio.get_running_loop().create_future()
        self._now = asyncio.get_running_loop().time
        tasks: list[asyncio.Task[None]] = []
        try:
            try:
                await self._until_stop("taking the lease", self._tenure.take)
                if self._tenure.unguarded:
                    log_unguarded(self._place)
                self._machine = await self._load()
            except BackOffInterruptedError:
                return  # stopped before it began
            loops = (self._poll, self._bury, self._append_retries, self._store, self._store_retry, self._keep_lease)
            self._working = [*self._workers.start(), *self._retry_workers.start()]
            tasks = [*self._working, *(asyncio.create_task(self._guard(loop)) for loop in loops)]
            self._step(Started())
            if self._stop.is_set():
                self._step(StopRequested())
            await self._end
        finally:
            self._abandoning = True
            self._timer.cancel()
            for deadline in self._deadlines:
                deadline.cancel()
            self._tell_moved()
            for task in tasks:
                task.cancel()
            if tasks:
                _, late = await asyncio.wait(tasks, timeout=_CANCEL_GRACE)
                self.stuck = [handler_of(task) for task in late]
            with contextlib.suppress(LogError, TimeoutError):  # it runs out by itself
                async with asyncio.timeout(_CANCEL_GRACE):
                    await self._tenure.leave()

    async def _load(self) -> Partition:
        """Make the machine from where this consumer left off."""
        log, partition = self._log, self.partition
        stored = await self._until_stop("loading the offset", self._offset.load)
        bounds = await self._until_stop("reading bounds", partial(log.bounds, self._topic, partition))
        if stored is not None and stored >= bounds.end:
            raise OffsetOutOfRangeError(
                f"{self._place}: offset {stored} is stored, but the log ends before offset {bounds.end}: records were "
                "lost, or this is another log under the same name. Nothing is read until the stored offset is set anew"
            )
        retry_stored = await self._until_stop("loading the retry offset", self._retry_offset.load)
        machine = Partition(
            self._settings,
            stored=stored,
            first=bounds.first,
            retry_stored=retry_stored,
            wall_offset=self._subscription.wall() - asyncio.get_running_loop().time(),
        )
        await self._replay(machine, 0 if retry_stored is None else retry_stored + 1)
        return machine

    async def _replay(self, machine: Partition, offset: int) -> None:
        """Read the retry partition to its end."""
        count = self._subscription.config.poll_count
        while True:
            page = await self._until_stop(
                "reading the retry topic",
                partial(self._log.read, self._retries.topic, self.partition, offset, count),
            )
            if not page:
                if not self._subscription.config.share_retry_topic:
                    self._retries.expect(offset)
                return
            for command in machine.step(Replayed(page.offsets, page.records), asyncio.get_running_loop().time()):
                self._do(command)
            offset = page.offsets[-1] + 1

    # -- the machine ------------------------------------------------------------------------------------------------

    def _step(self, happened: Input) -> None:
        assert self._machine is not None  # noqa: S101 - nothing happens before `_load` made it
        self.heartbeat = now = self._now()
        for command in self._machine.step(happened, now):
            self._do(command)
        if self._moved:
            self._tell_moved()

    def _tell_moved(self) -> None:
        moved, self._moved = self._moved, []
        for waiter in moved:
            if not waiter.done():
                waiter.set_result(None)

    def _do(self, command: Command) -> None:  # noqa: C901 - one arm per command
        match command:
            case QueueKeys(keys, retry):
                (self._retry_workers if retry else self._workers).put(keys)
            case Poll():
                self._polls.put_nowait(command)
            case StoreOffset():
                self._stores.put_nowait(command)
            case StoreRetryOffset():
                self._retry_stores.put_nowait(command)
            case AppendRetry():
                self._retry_appends.put_nowait(command)
            case AppendDead():
                self._burials.put_nowait(command)
            case SleepUntil(at):
                self._timer.set(at)
            case Finish():
                self._finish()
            case Stop(reason):
                self._drain(reason)
            case Note():
                log_note(command, self._place)
            case RunKey():  # only ever the answer to `KeyTaken`, see `_work`
                raise AssertionError

    def _drain(self, reason: str) -> None:
        """Let what runs come to its end, but not for ever: a policy ends this partition."""
        self._policy = ConsumerStoppedError(reason)
        self._stop.set()
        loop, timeout = asyncio.get_running_loop(), self._subscription.config.drain_timeout
        self._deadlines = [
            loop.call_later(timeout, self.abandon),
            loop.call_later(timeout + LAST_WORDS, self._fail, self._policy),
        ]

    def _finish(self) -> None:
        if self._policy is not None:
            self._fail(self._policy)
        elif self._end is not None and not self._end.done():
            self._end.set_result(None)

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

    async def _work(self, key: int, workers: Workers) -> None:
        """Take a key and execute what the machine hands out for it."""
        assert self._machine is not None  # noqa: S101 - a key was queued
        run: RunKey | None = None
        self.heartbeat = now = self._now()
        for command in self._machine.step(KeyTaken(key), now):
            if isinstance(command, RunKey):
                run = command
            else:
                self._do(command)
        if run is None:
            return
        progress = Progress()
        try:
            outcome = await self._execution.run(run, workers.share, progress)
        except asyncio.CancelledError as error:
            if not self._abandoning:
                self._fail(_carried(error))
                return
            self._step(progress.abandoned(run))
            raise
        except BaseException as error:  # noqa: BLE001 - no outcome of a handler: the partition stops, offsets untouched
            self._fail(error)
        else:
            # A handler that swallowed its cancellation has no outcome either.
            self._step(progress.abandoned(run) if self._abandoning else outcome)

    # -- the log ----------------------------------------------------------------------------------------------------

    async def _poll(self) -> None:
        while True:
            poll = await self._polls.get()
            read = partial(self._log.read, self._topic, self.partition, poll.offset, poll.count)
            try:
                page = await self._until_stop("reading", read)
            except BackOffInterruptedError:
                page = Page((), ())
            self._step(Polled(page.offsets, page.records))

    async def _store(self) -> None:
        while True:
            offset = (await self._stores.get()).offset
            await self._insist("storing the offset", partial(self._offset.store, offset))
            self._step(OffsetStored())

    async def _store_retry(self) -> None:
        while True:
            offset = (await self._retry_stores.get()).offset
            await self._insist("storing the retry offset", partial(self._retry_offset.store, offset))
            self._step(RetryOffsetStored())

    async def _keep_lease(self) -> None:
        await self._insist("renewing the lease", self._tenure.keep)

    async def _append_retries(self) -> None:
        while True:
            records = (await self._retry_appends.get()).records
            base = await self._insist("writing to the retry topic", partial(self._retries.append, records))
            self._step(RetryAppended(base))

    async def _bury(self) -> None:
        while True:
            letters = self._letters((await self._burials.get()).dead)
            await self._insist("writing dead letters", partial(self._dead.append, letters))
            self._step(DeadAppended())

    def _letters(self, dead: Sequence[Dead]) -> list[Record]:
        now_ms = round(self._subscription.wall() * 1000)
        return [
            DeadLetter(
                topic=self._retries.topic if one.retry else self._topic,
                partition=self.partition,
                offset=one.offset,
                headers=one.record.headers,
                body=one.record.body,
                reason=one.reason.value,
                error_type=one.failure.error_type,
                message=one.failure.message,
                traceback=one.failure.traceback,
                handler=one.failure.handler,
                attempts=one.failure.attempts,
                consumer=self._consumer,
                dead_at_ms=now_ms,
            ).to_record(one.record.head)
            for one in dead
        ]

    async def _insist(self, doing: str, call: Callable[[], Awaitable[T]]) -> T:
        """Call the log until it answers: what may pass is tried again for ever, everything else is raised."""
        return await self._log_calls.execute_async(lambda _: call(), label=doing)

    async def _until_stop(self, doing: str, call: Callable[[], Awaitable[T]]) -> T:
        """Do as `_insist`, but raise `BackOffInterruptedError` when a stop comes first."""
        return await self._log_calls_until_stop.execute_async(lambda _: call(), label=doing)

    def _warn(self, doing: str, error: Exception, delay: float) -> None:
        log_unavailable(doing, error, delay, self._place)


def _carried(error: BaseException) -> ConsumerStoppedError:
    """Wrap what a future can't carry, or what would end the event loop, into an error of ours."""
    stopped = ConsumerStoppedError(f"a handler raised {type(error).__name__}, which has no outcome")
    stopped.__cause__ = error
    return stopped
