"""Execute what the plan has for one key: segments one after another, decode, reduce, chunk, call the handler."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from wakuwaku._core.commands import Dead, DeadReason, Failure, RunKey
from wakuwaku._core.inputs import KeyAbandoned, KeyFinished, TransientFailed, TransientPassed
from wakuwaku._core.plan import Entry, Run
from wakuwaku._core.reduce import reduce
from wakuwaku._engine.failure import describe
from wakuwaku._engine.pause import pause
from wakuwaku._engine.routing import Binding
from wakuwaku.errors import DecodeError, ErrorClass, HandleError
from wakuwaku.event import Event
from wakuwaku.handler import Batch

__all__ = ["Counters", "Execution", "Share"]

#: What a worker shares of a stage whose runs may go side by side: other workers take runs from its list.
Share = Callable[["SharedStage"], None]


class Counters:
    """Count what went through: events read, handled as they were or folded, given up; calls of handlers."""

    __slots__ = ("calls", "dead", "events", "handled", "ignored")

    def __init__(self) -> None:
        self.events = 0
        self.handled = 0
        self.calls = 0
        self.dead = 0
        self.ignored = 0


class Interrupted(Exception):  # noqa: N818 - not an error: a wait in place that a stop cut short
    """A chunk that waited in place was left behind by a stop."""


class SharedStage:
    """Hold the body runs of a segment while workers that are free take them.

    No task is made for a run: the worker that has the key works through the list, and whoever is idle takes from it.
    """

    __slots__ = ("_execute", "_failure", "_open", "_outside", "_waiter", "runs")

    def __init__(self, runs: Sequence[Run], execute: Callable[[Run], Awaitable[None]]) -> None:
        self.runs = list(reversed(runs))
        self._execute = execute
        self._outside = 0
        self._failure: BaseException | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def work(self) -> None:
        """Execute runs until none is left to be taken; a failure is kept for `join`, and siblings finish."""
        while self.runs:
            try:
                await self._execute(self.runs.pop())
            except BaseException as error:
                self._failure = self._failure or error
                if isinstance(error, asyncio.CancelledError):
                    raise

    async def help(self) -> None:
        """Work as a second worker."""
        if not self.runs:
            return
        self._outside += 1
        try:
            await self.work()
        finally:
            self._outside -= 1
            if self._waiter is not None and not self._outside and not self._waiter.done():
                self._waiter.set_result(None)

    async def join(self) -> None:
        """Work, wait for those who help, and raise what failed."""
        await self.work()
        while self._outside:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        if self._failure is not None:
            raise self._failure


class Chunk(NamedTuple):
    """Hold what one call of a handler gets, the records that went into it, and the event of each record."""

    events: Sequence[Event]
    entries: Sequence[Entry]
    unfolded: Sequence[Event]


class Execution:
    """Execute the runs of keys of one partition.

    `tell` passes on what the machine must know at once; `share` offers a stage to workers that are free; `stop` is set
    when the consumer stops, and ends waits in place.
    """

    def __init__(
        self,
        bindings: Mapping[int, Binding],
        *,
        topic: str,
        partition: int,
        delays: Sequence[float],
        tell: Callable[[TransientFailed | TransientPassed], None],
        share: Share,
        stop: asyncio.Event,
        counters: Counters,
    ) -> None:
        self._bindings = bindings
        self._topic = topic
        self._partition = partition
        self._delays = delays
        self._tell = tell
        self._share = share
        self._stop = stop
        self._counters = counters

    async def run(self, command: RunKey) -> KeyFinished | KeyAbandoned:
        """Execute all segments of a key and return what came of it.

        Raises what is no outcome of a handler: cancellation, and errors that end the process.
        """
        dead: list[Dead] = []
        key = command.key
        try:
            for segment in command.segments:
                if segment.head is not None:
                    await self._run(key, segment.head, dead)
                if len(segment.body) == 1:
                    await self._run(key, segment.body[0], dead)
                elif segment.body:
                    stage = SharedStage(segment.body, lambda run: self._run(key, run, dead))
                    self._share(stage)
                    await stage.join()
                if segment.tail is not None:
                    await self._run(key, segment.tail, dead)
        except Interrupted:
            return KeyAbandoned(key)
        return KeyFinished(key, dead)

    async def _run(self, key: int, run: Run, dead: list[Dead]) -> None:
        binding = self._bindings[run[0].tag]
        counters = self._counters
        counters.events += len(run)
        decode = binding.decode
        try:
            events = [decode(entry.record.body) for entry in run]
        except DecodeError:
            run, events = self._decode_each(run, decode, dead)
            if not run:
                return
        if len(run) == 1:
            await self._chunk(key, binding, Chunk(events, run, events), dead)
            return
        reduced = reduce(binding.algebra, events, _combine)
        start, size = 0, binding.max_batch
        while start < len(reduced.events):
            chunk = _same_key(reduced.events[start : start + size], binding.key_values)
            end = start + len(chunk)
            positions = [position for sources in reduced.sources[start:end] for position in sources]
            entries, unfolded = [run[position] for position in positions], [events[position] for position in positions]
            failure = await self._chunk(key, binding, Chunk(chunk, entries, unfolded), dead)
            start = end
            if failure is not None:
                later = [run[position] for sources in reduced.sources[start:] for position in sources]
                self._bury(later, dead, DeadReason.GAVE_UP, failure)
                return

    def _decode_each(self, run: Run, decode: Callable[[bytes], Event], dead: list[Dead]) -> tuple[Run, list[Event]]:
        """Decode one by one; what does not decode goes to the dead letters, the rest of the run goes on."""
        sound: Run = []
        events: list[Event] = []
        for entry in run:
            try:
                events.append(decode(entry.record.body))
                sound.append(entry)
            except DecodeError as error:
                self._bury([entry], dead, DeadReason.UNDECODABLE_BODY, Failure("DecodeError", str(error)))
        return sound, events

    async def _chunk(self, key: int, binding: Binding, chunk: Chunk, dead: list[Dead]) -> Failure | None:
        """Call the handler until it says something else than Transient; return the failure that ends the run."""
        attempt = 1
        counters = self._counters
        events, entries, unfolded = chunk
        offsets = [entry.offset for entry in entries]
        while True:
            counters.calls += 1
            try:
                await binding.call(
                    Batch(
                        events,
                        topic=self._topic,
                        partition=self._partition,
                        offsets=offsets,
                        attempt=attempt,
                        unfolded=unfolded,
                    )
                )
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever a handler raises has an outcome
                error_class = error.error_class if isinstance(error, HandleError) else ErrorClass.RETRYABLE
                if error_class is ErrorClass.TRANSIENT:
                    if attempt == 1:
                        self._tell(TransientFailed(key, binding.handler))
                    await self._pause(attempt)
                    attempt += 1
                    continue
                failure = describe(error, handler=binding.handler, attempts=attempt)
            else:
                counters.handled += len(events)
                if attempt > 1:
                    self._tell(TransientPassed(key))
                return None
            if attempt > 1:
                self._tell(TransientPassed(key))
            if error_class is ErrorClass.UNRECOVERABLE:
                self._bury(entries, dead, DeadReason.UNRECOVERABLE, failure)
                return None
            self._bury(entries, dead, DeadReason.GAVE_UP, failure)
            return failure

    async def _pause(self, attempt: int) -> None:
        """Wait for the delay of this attempt; a stop cuts the wait short and leaves the chunk without an outcome."""
        delay = self._delays[min(attempt, len(self._delays)) - 1]
        if await pause(delay, self._stop):
            raise Interrupted

    def _bury(self, entries: Sequence[Entry], dead: list[Dead], reason: DeadReason, failure: Failure) -> None:
        self._counters.dead += len(entries)
        dead.extend(Dead(entry.offset, entry.record, reason, failure) for entry in entries)


def _combine(earlier: Event, later: Event) -> Event | None:
    return earlier.combine(later)


def _same_key(events: Sequence[Event], key_values: Callable[[Any], object]) -> Sequence[Event]:
    """Return the leading events of one key: two keys can share a hash, and a batch holds one key."""
    if len(events) == 1:
        return events
    first = key_values(events[0])
    for index, event in enumerate(events):
        if key_values(event) != first:
            return events[:index]
    return events
