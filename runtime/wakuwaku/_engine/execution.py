"""Execute what the plan has for one key: segments one after another, decode, reduce, chunk, call the handler."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from wakuwaku._core.commands import Dead, DeadReason, Failure, RunKey
from wakuwaku._core.inputs import KeyAbandoned, KeyFinished, TransientFailed, TransientPassed
from wakuwaku._core.plan import Entry, Run, Segment
from wakuwaku._core.reduce import reduce
from wakuwaku._core.remainder import Stage, remainder
from wakuwaku._engine.failure import describe
from wakuwaku._engine.patience import class_of, ends_the_process, is_transient, until_it_passes
from wakuwaku._engine.routing import Binding
from wakuwaku._engine.stage import FailedRun, SharedStage
from wakuwaku.errors import DecodeError, ErrorClass
from wakuwaku.event import Event, combined
from wakuwaku.handler import Batch
from wakuwaku.retry import BackOffInterruptedError, RetryContext

__all__ = ["Counters", "Execution", "Progress"]


class Counters:
    """Count what went through handlers: events read, events handed over after folding, calls, records given up."""

    __slots__ = ("calls", "dead", "events", "handled", "quarantined")

    def __init__(self) -> None:
        self.events = 0
        self.handled = 0
        self.calls = 0
        self.dead = 0
        self.quarantined = 0


class Interrupted(Exception):  # noqa: N818 - not an error: a wait in place that a stop cut short
    """A chunk that waited in place was left behind by a stop."""


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """Hold what one call of a handler gets, the records that went into it, and the event of each record."""

    events: Sequence[Event]
    entries: Sequence[Entry]
    unfolded: Sequence[Event]


class Progress:
    """Hold how far the work on a key has come: what its handlers were given, and what goes to the dead letters.

    `given` has what was given to a handler, but for the chunks it said it failed on; `waiting` counts the runs that
    wait in place.
    """

    __slots__ = ("dead", "given", "waiting")

    def __init__(self) -> None:
        self.dead: list[Dead] = []
        self.given: list[Sequence[Entry]] = []
        self.waiting = 0

    def abandoned(self, command: RunKey) -> KeyAbandoned:
        """Return what is known of work that was cut short."""
        over = {one.offset for one in self.dead}
        over.update(entry.offset for chunk in self.given for entry in chunk)
        everything = (entry.offset for segment in command.segments for run in segment.runs() for entry in run)
        return KeyAbandoned(command.key, frozenset(everything) - over, self.dead)


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
        stop: asyncio.Event,
        counters: Counters,
    ) -> None:
        self._bindings = bindings
        self._topic = topic
        self._partition = partition
        self._in_place = until_it_passes(delays, stop)
        self._stop = stop
        self._tell = tell
        self._counters = counters
        self.calling = ""  # the handler that was called last; a blocked event loop is in it

    async def run(
        self, command: RunKey, share: Callable[[SharedStage], None], progress: Progress
    ) -> KeyFinished | KeyAbandoned:
        """Execute all segments of a key and return what came of it.

        Raises what is no outcome of a handler: cancellation, and errors that end the process.
        """
        try:
            for number, segment in enumerate(command.segments):
                for step, runs in _stages(segment):
                    if len(runs) == 1:
                        one = await self._run(command, runs[0], progress)
                        failed: Sequence[FailedRun] = () if one is None else (one,)
                    else:
                        stage = SharedStage(runs, lambda run: self._run(command, run, progress))
                        share(stage)
                        failed = await stage.join()
                    if failed:
                        left = remainder(command.segments, Stage(number, step), [one.left for one in failed])
                        offsets = frozenset(entry.offset for one in failed for entry in one.left)
                        return KeyFinished(command.key, progress.dead, left, offsets, failed[0].failure)
        except Interrupted:
            return progress.abandoned(command)
        return KeyFinished(command.key, progress.dead)

    async def _run(self, command: RunKey, run: Run, progress: Progress) -> FailedRun | None:
        """Hand a run over in chunks; what is left of it when a chunk fails is returned."""
        if progress.waiting and self._stop.is_set():
            raise Interrupted  # beside a run that the stop cuts short
        binding = self._bindings[run[0].tag]
        self._counters.events += len(run)
        decode = binding.decode
        try:
            events = [decode(entry.record.body) for entry in run]
        except DecodeError:
            run, events = self._decode_each(run, decode, progress)
            if not run:
                return None
        if len(run) == 1:
            failure = await self._chunk(command, binding, Chunk(events, run, events), progress)
            return None if failure is None else FailedRun(failure, run)
        reduced = reduce(binding.algebra, events, combined)
        as_it_was = reduced.events is events
        start, size = 0, binding.max_batch
        while start < len(reduced.events):
            chunk = _same_key(reduced.events[start : start + size], binding.key_values)
            end = start + len(chunk)
            if as_it_was:
                whole = Chunk(chunk, run[start:end], chunk)
            else:
                positions = [position for sources in reduced.sources[start:end] for position in sources]
                whole = Chunk(
                    chunk, [run[position] for position in positions], [events[position] for position in positions]
                )
            failure = await self._chunk(command, binding, whole, progress)
            if failure is not None:
                left = sorted(position for sources in reduced.sources[start:] for position in sources)
                return FailedRun(failure, [run[position] for position in left])
            start = end
        return None

    def _decode_each(self, run: Run, decode: Callable[[bytes], Event], progress: Progress) -> tuple[Run, list[Event]]:
        """Decode one by one; what does not decode goes to the dead letters, the rest of the run goes on."""
        sound: Run = []
        events: list[Event] = []
        for entry in run:
            try:
                events.append(decode(entry.record.body))
                sound.append(entry)
            except DecodeError as error:
                self._bury([entry], progress, DeadReason.UNDECODABLE_BODY, Failure("DecodeError", str(error)))
        return sound, events

    async def _chunk(self, command: RunKey, binding: Binding, chunk: Chunk, progress: Progress) -> Failure | None:
        """Call the handler until it says something else than Transient; return the failure that ends the run."""
        try:
            await binding.call(self._give(command, binding, chunk, progress))
        except Exception as error:
            if ends_the_process(error):
                raise
            return await self._failed(error, command, binding, chunk, progress)
        self._counters.handled += len(chunk.events)
        return None

    def _give(self, command: RunKey, binding: Binding, chunk: Chunk, progress: Progress, waits: int = 0) -> Batch[Any]:
        """Return what the handler is called with, after this many waits in place."""
        self._counters.calls += 1
        self.calling = binding.handler
        entries = chunk.entries
        progress.given.append(entries)
        return Batch(
            chunk.events,
            topic=self._topic,
            partition=self._partition,
            offsets=[entry.offset for entry in entries] if len(entries) > 1 else (entries[0].offset,),
            attempt=(command.attempt or 1) + waits,
            source="retry" if command.attempt else "main",
            unfolded=chunk.unfolded,
        )

    async def _failed(
        self, error: Exception, command: RunKey, binding: Binding, chunk: Chunk, progress: Progress
    ) -> Failure | None:
        """Wait in place while the handler asks for it, then sort what the last call raised."""
        progress.given.remove(chunk.entries)
        waits = 0
        if is_transient(error):
            self._tell(TransientFailed(command.key, binding.handler))
            progress.waiting += 1
            last, waits = await self._wait_in_place(error, command, binding, chunk, progress)
            progress.waiting -= 1
            self._tell(TransientPassed(command.key))
            if last is None:
                self._counters.handled += len(chunk.events)
                return None
            error = last
        failure = describe(error, handler=binding.handler, attempts=command.attempt + 1 + waits)
        if class_of(error) is ErrorClass.UNRECOVERABLE:
            self._bury(chunk.entries, progress, DeadReason.UNRECOVERABLE, failure)
            return None
        return failure

    async def _wait_in_place(
        self, first: Exception, command: RunKey, binding: Binding, chunk: Chunk, progress: Progress
    ) -> tuple[Exception | None, int]:
        """Call again after each delay until the failure is no Transient one; return the last error and the waits."""
        waits = 0

        async def call_again(context: RetryContext) -> None:
            nonlocal waits
            waits = context.retry_count
            if not waits:
                raise first  # the call that was made before the template was asked
            try:
                await binding.call(self._give(command, binding, chunk, progress, waits))
            except Exception as error:
                if not ends_the_process(error):
                    progress.given.remove(chunk.entries)
                raise

        try:
            await self._in_place.execute_async(call_again)
        except BackOffInterruptedError:
            raise Interrupted from None
        except Exception as error:
            if ends_the_process(error):
                raise
            return error, waits
        return None, waits

    def _bury(self, entries: Sequence[Entry], progress: Progress, reason: DeadReason, failure: Failure) -> None:
        self._counters.dead += len(entries)
        progress.dead.extend(Dead(entry.offset, entry.record, reason, failure) for entry in entries)


def _stages(segment: Segment) -> list[tuple[int, Sequence[Run]]]:
    """Return the stages of a segment that have runs, with the number of each."""
    stages: list[tuple[int, Sequence[Run]]] = []
    if segment.head is not None:
        stages.append((0, (segment.head,)))
    if segment.body:
        stages.append((1, segment.body))
    if segment.tail is not None:
        stages.append((2, (segment.tail,)))
    return stages


def _same_key(events: Sequence[Event], key_values: Callable[[Any], object]) -> Sequence[Event]:
    """Return the leading events of one key: two keys can share a hash, and a batch holds one key."""
    if len(events) == 1:
        return events
    first = key_values(events[0])
    for index, event in enumerate(events):
        if key_values(event) != first:
            return events[:index]
    return events
