"""Count what executions did, by label."""

# ruff: noqa: ARG002  (hooks take what the base class hands them)

from __future__ import annotations

import math
import time
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from wakuwaku.retry.listener import RetryCall, RetryListener
from wakuwaku.retry.stop_reason import StopReason

if TYPE_CHECKING:
    from wakuwaku.retry.context import Clock, RetryContext

__all__ = ["RetryStatistics", "StatisticsListener"]

_WINDOW = 15.0  # seconds in which a rolling value falls to 1/e


class RetryStatistics(NamedTuple):
    """Give the counts of one label as of now.

    `started` counts calls of the callback and `error` those that failed. Of the executions that ended, `complete`
    succeeded, `recovery` were saved by recovery and `abort` failed for good. `error_rate` is the share of aborts and
    recoveries among the calls of about the last 15 seconds, 0 when there were none. `circuit_open` and
    `short_circuit_count` are those of the last execution.
    """

    label: str
    started: int = 0
    error: int = 0
    complete: int = 0
    recovery: int = 0
    abort: int = 0
    error_rate: float = 0.0
    circuit_open: bool = False
    short_circuit_count: int = 0


class _Rolling:
    """Hold a count that decays with time."""

    __slots__ = ("at", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self.at = 0.0

    def as_of(self, now: float) -> float:
        return self.value * math.exp(-max(0.0, now - self.at) / _WINDOW)

    def add(self, now: float) -> None:
        self.value, self.at = self.as_of(now) + 1.0, now


class _Counters:
    __slots__ = ("circuit_open", "counts", "refused", "rolling")

    def __init__(self) -> None:
        self.counts: dict[str, int] = dict.fromkeys(("started", "error", "complete", "recovery", "abort"), 0)
        self.rolling = {name: _Rolling() for name in self.counts}
        self.circuit_open = False
        self.refused = 0

    def add(self, name: str, now: float) -> None:
        self.counts[name] += 1
        self.rolling[name].add(now)


class StatisticsListener(RetryListener):
    """Count attempts and outcomes for every label; executions without a label are not counted.

    The counts are exact with any number of threads and tasks.
    """

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._counters: dict[str, _Counters] = {}

    def statistics(self, label: str) -> RetryStatistics:
        """Return the counts of a label; all 0 for one that was never seen."""
        with self._lock:
            counters = self._counters.get(label)
            if counters is None:
                return RetryStatistics(label)
            now = self._clock()
            started = counters.rolling["started"].as_of(now)
            lost = counters.rolling["abort"].as_of(now) + counters.rolling["recovery"].as_of(now)
            return RetryStatistics(
                label,
                **counters.counts,
                error_rate=min(1.0, lost / started) if started > 0 else 0.0,
                circuit_open=counters.circuit_open,
                short_circuit_count=counters.refused,
            )

    def labels(self) -> list[str]:
        """Return the labels seen so far, sorted."""
        with self._lock:
            return sorted(self._counters)

    def _add(self, context: RetryContext, name: str) -> None:
        if context.label is None:
            return
        with self._lock:
            counters = self._counters.setdefault(context.label, _Counters())
            counters.add(name, self._clock())
            counters.circuit_open, counters.refused = context.circuit_open, context.short_circuit_count

    def on_attempt(self, context: RetryContext, call: RetryCall) -> None:
        """Count a call of the callback."""
        self._add(context, "started")

    def on_error(self, context: RetryContext, call: RetryCall, exc: Exception) -> None:
        """Count a failed call."""
        self._add(context, "error")

    def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> None:
        """Count how the execution ended; a stateful one that will be presented again has not ended."""
        if context.exhausted:
            self._add(context, "recovery" if context.recovered else "abort")
        elif context.stop_reason is StopReason.SUCCESS:
            self._add(context, "complete")
