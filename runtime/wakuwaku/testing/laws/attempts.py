"""What becomes of keys that failed: shut until all is resolved, tried as often and as late as the schedule says."""

from __future__ import annotations

from collections.abc import Iterator

from wakuwaku._core.journal import AttemptEnded, AttemptStarted, Pending
from wakuwaku.config import ConsumerConfig, DeliveryMode, GiveUp
from wakuwaku.testing.laws.walk import walk
from wakuwaku.testing.ledger import KeyLedger, Ledger
from wakuwaku.testing.trace import (
    Appended,
    CallEnded,
    CallStarted,
    ClockRead,
    LifeStarted,
    Outcome,
    Read,
    StopAsked,
    Trace,
)

__all__ = ["ROUNDING", "counted_attempts", "quarantine"]

#: Seconds by which two clocks may differ that tell whole milliseconds.
ROUNDING = 0.002


def quarantine(trace: Trace) -> Iterator[str]:
    """Check that nothing of a key runs from the main topic while it has pending records.

    Pending counts as durable: a quarantine ends with the entry that says so, not before. From a failure until its
    records are durable nothing of the key is handed out that was read after it.
    """
    ledger = Ledger(trace.config.retry_delays)
    newest = -1  # main offset that this life has read
    failing: dict[int, int] = {}  # by key with a failure that is not durable: the newest main offset that was read then
    calls: dict[int, CallStarted] = {}
    for one in trace.happened:
        if isinstance(one, LifeStarted):
            newest = -1
            failing.clear()
        elif isinstance(one, Read) and one.topic == trace.topic and one.offsets:
            newest = one.offsets[-1]
        elif isinstance(one, Appended) and one.topic == trace.retries:
            ledger.add(one.base, trace.retry_items(one))
            failing = {key: offset for key, offset in failing.items() if key not in ledger.keys}
        elif isinstance(one, CallEnded) and one.call in calls and one.outcome is Outcome.RETRYABLE:
            failing.setdefault(calls[one.call].key, newest)
        elif isinstance(one, CallStarted) and one.source == "main":
            calls[one.call] = one
            if one.key in ledger.keys:
                pending = sorted(ledger.keys[one.key].sources)
                yield f"call {one.call} got offsets {list(one.offsets)} of key {one.key} while {pending} were pending"
            if max(one.offsets) > failing.get(one.key, newest):
                yield f"call {one.call} got offsets {list(one.offsets)} of key {one.key}, which had failed before"


def counted_attempts(trace: Trace) -> Iterator[str]:
    """Check numbers and due times of attempts, also over restarts.

    "Attempt n started" is durable before the handler is called, and covers the records it gets. Numbers go up by one,
    never above the length of the schedule; an attempt that a crash cut short counts in NO_EVENT_LOSE. One that failed
    is followed by the delay that the schedule has for it, and no attempt starts before its due time.
    """
    return _Attempts(trace).check()


class _Attempts:
    """Walk through a trace with the ledger and the calls of the attempts that are under way."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._config: ConsumerConfig = trace.config
        self._ledger = Ledger(trace.config.retry_delays)
        self._wall_offset = 0.0
        self._started = 0.0
        self._stopping = False
        self._calls: dict[int, CallStarted] = {}
        self._failed: dict[int, float] = {}  # keys with a failed call in the attempt under way, and when it failed

    def check(self) -> Iterator[str]:
        return walk(
            self._trace,
            {
                LifeStarted: self._life_started,
                ClockRead: self._clock_read,
                StopAsked: self._stop_asked,
                CallStarted: self._call,
                CallEnded: self._call_ended,
                Appended: self._appended,
            },
        )

    def _life_started(self, started: LifeStarted) -> None:
        self._started, self._stopping = started.at, False
        self._failed.clear()

    def _clock_read(self, clock: ClockRead) -> None:
        self._wall_offset = clock.wall_offset
        self._ledger.restart(counts=self._config.mode is DeliveryMode.NO_EVENT_LOSE)

    def _stop_asked(self, _: StopAsked) -> None:
        self._stopping = True

    def _call_ended(self, end: CallEnded) -> None:
        if end.call not in self._calls or end.outcome is not Outcome.RETRYABLE:
            return
        key = self._calls[end.call].key
        self._failed[key] = end.at
        state = self._ledger.keys.get(key)
        if self._config.on_give_up is GiveUp.STOP and state is not None and state.started is not None:
            self._stopping |= state.started.attempt == len(self._config.retry_delays)

    def _call(self, call: CallStarted) -> Iterator[str]:
        if call.source != "retry":
            return
        self._calls[call.call] = call
        state = self._ledger.keys.get(call.key)
        if state is None or state.started is None:
            yield f"call {call.call} got key {call.key} although no attempt of it started"
            return
        last = state.started.last
        covered = {source for offset, source in state.pending.items() if offset <= last}
        if not covered.issuperset(call.offsets):
            yield f"call {call.call} got {list(call.offsets)}, the attempt covers {sorted(covered)}"

    def _appended(self, one: Appended) -> Iterator[str]:
        if one.topic != self._trace.retries:
            return
        for item in self._trace.retry_items(one):
            state = None if isinstance(item, Pending) else self._ledger.keys.get(item.key)
            if state is not None and isinstance(item, AttemptStarted):
                yield from self._attempt_started(item, state, one.at)
                self._failed.pop(item.key, None)
            elif state is not None and isinstance(item, AttemptEnded):
                yield from self._attempt_ended(item, state, one.at)
        self._ledger.add(one.base, self._trace.retry_items(one))

    def _attempt_started(self, entry: AttemptStarted, state: KeyLedger, at: float) -> Iterator[str]:
        delays = self._config.retry_delays
        if entry.attempt != state.attempts + 1 or entry.attempt > len(delays):
            yield f"attempt {entry.attempt} of key {entry.key} started after {state.attempts} of {len(delays)}"
        elif state.due_ms is None:
            yield f"attempt {entry.attempt} of key {entry.key} started although the key is parked"
        else:
            due = state.earliest_ms / 1000 - self._wall_offset
            if state.inherited:
                due = min(due, self._started + self._ledger.delay_after(state.attempts))
            if at < due - ROUNDING:
                yield f"attempt {entry.attempt} of key {entry.key} started {due - at:.3f} s before it was due"

    def _attempt_ended(self, entry: AttemptEnded, state: KeyLedger, at: float) -> Iterator[str]:
        counted = state.attempts + (state.started is not None)
        failed_at = self._failed.pop(entry.key, None)
        if failed_at is not None:
            yield from self._attempt_failed(entry, counted, failed_at, at)
            return
        # A crash cut the last attempt that the schedule has short: it is given up without being called again.
        given_up = state.started is None and counted == len(self._config.retry_delays)
        if entry.attempts != state.attempts and not (given_up and entry.attempts == 0):
            yield f"an attempt of key {entry.key} did not fail, and {entry.attempts} count after {state.attempts}"

    def _attempt_failed(self, entry: AttemptEnded, counted: int, failed_at: float, at: float) -> Iterator[str]:
        delays = self._config.retry_delays
        if self._stopping and entry.attempts == counted - 1:
            return  # cancelled: no outcome
        if entry.attempts == counted and counted < len(delays) and entry.due_ms is not None:
            due = entry.due_ms / 1000 - self._wall_offset
            if not failed_at + delays[counted] - ROUNDING <= due <= at + delays[counted] + ROUNDING:
                yield f"after attempt {counted} of key {entry.key} the next is due {due - failed_at:.3f} s later"
        elif counted < len(delays):
            yield f"attempt {counted} of key {entry.key} failed, and {entry.attempts} count"
        elif entry.attempts != (counted if self._config.on_give_up is GiveUp.PARK else 0):
            yield f"key {entry.key} was given up, and {entry.attempts} attempts count"
