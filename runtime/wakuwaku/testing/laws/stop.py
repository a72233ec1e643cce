"""How a consumer ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wakuwaku.testing.laws.walk import walk
from wakuwaku.testing.trace import (
    Appended,
    CallEnded,
    CallStarted,
    Idle,
    LifeStarted,
    Read,
    StopAsked,
    Stopped,
    StopReturned,
    Stored,
    Trace,
)

__all__ = ["stop"]

#: Seconds that a stop may take beyond its time-out: for what is known to be written.
_LAST_WORDS = 5.0


def stop(trace: Trace) -> Iterator[str]:
    """Check that a stop starts nothing, is over in time, and leaves silence behind.

    After `shutdown` was called only keys that are with a handler go on; what waits in place does not. After it returned
    nothing of that life happens any more. That a cancelled handler has no outcome is seen by the other laws: nothing
    is resolved, counted or stored by it.
    """
    yield from _Stop().check(trace)


class _Stop:
    def __init__(self) -> None:
        self._asked: StopAsked | None = None
        self._over: set[int] = set()
        self._calls: dict[int, CallStarted] = {}
        self._running: set[int] = set()
        self._last_end: dict[int, float] = {}  # by key, in this life
        self._at_work: set[int] = set()

    def check(self, trace: Trace) -> Iterator[str]:
        seen = dict.fromkeys((Appended, Stored, Read, Idle), self._silent)
        return walk(
            trace,
            seen
            | {
                LifeStarted: self._life_started,
                StopAsked: self._stop_asked,
                StopReturned: self._stop_returned,
                Stopped: self._stopped,
                CallStarted: self._call_started,
                CallEnded: self._call_ended,
            },
        )

    def _silent(self, one: Appended | Stored | Read | Idle | CallStarted | CallEnded) -> Iterable[str]:
        if one.life in self._over:
            yield f"{type(one).__name__} of life {one.life} at {one.at:.3f}, after its end"

    def _life_started(self, _: LifeStarted) -> None:
        self._asked = None
        self._running.clear()
        self._last_end.clear()

    def _stop_asked(self, asked: StopAsked) -> None:
        self._asked = asked
        just_now = {key for key, at in self._last_end.items() if at == asked.at}  # it may be between two chunks
        self._at_work = {self._calls[call].key for call in self._running} | just_now

    def _stop_returned(self, returned: StopReturned) -> Iterable[str]:
        self._over.add(returned.life)
        if self._asked is not None and returned.at > self._asked.at + self._asked.timeout + _LAST_WORDS + 0.001:
            yield f"the stop took {returned.at - self._asked.at:.3f} s, {self._asked.timeout} were given"

    def _stopped(self, stopped: Stopped) -> None:
        self._over.add(stopped.life)

    def _call_started(self, call: CallStarted) -> Iterable[str]:
        yield from self._silent(call)
        self._calls[call.call] = call
        self._running.add(call.call)
        if self._asked is not None and call.key not in self._at_work:
            yield f"call {call.call} of key {call.key} started after the stop"

    def _call_ended(self, end: CallEnded) -> Iterable[str]:
        yield from self._silent(end)
        self._running.discard(end.call)
        self._last_end[self._calls[end.call].key] = end.at
