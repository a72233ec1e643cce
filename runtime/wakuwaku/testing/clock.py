"""Time that passes only when a test says so."""

from __future__ import annotations

from typing import final

__all__ = ["ManualClock"]


@final
class ManualClock:
    """Be a clock for `MemoryLog(clock=…)`, `Consumer(wall=…)` and whatever else takes one: Unix seconds when called."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass; negative seconds set the clock back, as an operator may."""
        self.now += seconds
