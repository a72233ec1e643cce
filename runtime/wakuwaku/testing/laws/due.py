"""When keys are tried, whatever the wall clock does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wakuwaku._core.journal import AttemptStarted
from wakuwaku.config import DeliveryMode
from wakuwaku.testing.laws.attempts import ROUNDING
from wakuwaku.testing.laws.walk import walk
from wakuwaku.testing.ledger import KeyLedger, Ledger, gives_up
from wakuwaku.testing.trace import (
    Appended,
    CallEnded,
    CallStarted,
    ClockRead,
    Crashed,
    Idle,
    LifeStarted,
    Outcome,
    Read,
    StopAsked,
    Stopped,
    StopReturned,
    Stored,
    Trace,
)

__all__ = ["time"]

#: How many keys are attempted at a time, if the configuration allows as many handlers.
_AT_A_TIME = 10


def time(trace: Trace) -> Iterator[str]:
    """Check that every key is tried when it is due, whatever the wall clock does.

    Due is what the journal says, but never before the start of this life nor more than one delay behind it. Looked at
    whenever time passes and the log is at rest: then no due key waits, unless a handler waits in place or as many keys
    are tried as may be at a time; in NO_DOUBLE_CONSUME also until the offset behind its first record is stored. And
    what the journal says about the start of an attempt is process time, told as what the wall clock showed when the
    life began: a jump since then is not to be seen in it.
    """
    return _Time(trace).check()


class _Time:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._at_a_time = min(_AT_A_TIME, trace.config.concurrency)
        self._ledger = Ledger(trace.config.retry_delays)
        self._stored = -1
        self._wall_offset = 0.0
        self._began = 0.0
        self._opened: float | None = None  # when this life read the main topic first: its retry topic was replayed
        self._in_place: set[tuple[int, int]] = set()  # key and type of what waits in place
        self._calls: dict[int, CallStarted] = {}
        self._ended = False

    def check(self) -> Iterator[str]:
        return walk(
            self._trace,
            {
                LifeStarted: self._life_started,
                ClockRead: self._clock_read,
                Read: self._read,
                CallStarted: self._call_started,
                CallEnded: self._call_ended,
                Appended: self._appended,
                Stored: self._has_stored,
                Idle: self._idle,
                Crashed: self._end,
                StopAsked: self._end,
                Stopped: self._end,
                StopReturned: self._end,
            },
        )

    def _life_started(self, started: LifeStarted) -> None:
        self._began, self._opened, self._ended = started.at, None, False
        self._in_place.clear()

    def _clock_read(self, clock: ClockRead) -> None:
        self._wall_offset = clock.wall_offset
        self._ledger.restart(counts=self._trace.config.mode is DeliveryMode.NO_EVENT_LOSE)

    def _end(self, _: object) -> None:
        self._ended = True

    def _read(self, read: Read) -> None:
        if read.topic == self._trace.topic and self._opened is None:
            self._opened = read.at

    def _has_stored(self, stored: Stored) -> None:
        if stored.topic == self._trace.topic:
            self._stored = stored.offset

    def _call_started(self, call: CallStarted) -> None:
        self._calls[call.call] = call

    def _call_ended(self, end: CallEnded) -> None:
        call = self._calls[end.call]
        (self._in_place.add if end.outcome is Outcome.TRANSIENT else self._in_place.discard)((call.key, call.tag))

    def _appended(self, appended: Appended) -> Iterable[str]:
        if appended.topic != self._trace.retries:
            return
        items = self._trace.retry_items(appended)
        for item in items:
            if isinstance(item, AttemptStarted):
                told = item.at_ms / 1000 - self._wall_offset
                if not self._began - ROUNDING <= told <= appended.at + ROUNDING:
                    yield f"an attempt of key {item.key} is said to have started at {told:.3f}, at {appended.at:.3f}"
        self._ledger.add(appended.base, items)
        self._ended = self._ended or gives_up(self._trace, appended)

    def _idle(self, idle: Idle) -> Iterable[str]:
        if not idle.undisturbed or self._opened is None or self._in_place or self._ended:
            return
        if sum(state.started is not None for state in self._ledger.keys.values()) >= self._at_a_time:
            return
        for key, state in self._ledger.keys.items():
            latest = self._latest(state, self._opened)
            if latest is not None and idle.at > latest + ROUNDING:
                yield f"key {key} was due at {latest:.3f}, and was not tried at {idle.at:.3f}"

    def _latest(self, state: KeyLedger, opened: float) -> float | None:
        """Return when a key must be tried, or None: it is tried already, parked, held back, or to be given up."""
        if state.started is not None or state.due_ms is None or state.attempts == len(self._trace.config.retry_delays):
            return None
        first = next(iter(state.pending.values()))
        if self._trace.config.mode is DeliveryMode.NO_DOUBLE_CONSUME and first > self._stored:
            return None
        due = state.due_ms / 1000 - self._wall_offset
        return max(opened, min(due, opened + self._ledger.delay_after(state.attempts))) if state.inherited else due
