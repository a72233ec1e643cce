"""Test code that retries, without waiting."""

from __future__ import annotations

from wakuwaku.retry.mode import retry_testing

__all__ = ["FakeClock", "RecordingSleeper", "retry_testing"]


class FakeClock:
    """Be a clock that stands still until told otherwise; pass it as ``clock=``."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass; a negative number sets the clock back."""
        self.now += seconds


class RecordingSleeper:
    """Sleep for no time, write down the pauses above 0, and let a `FakeClock` advance by them."""

    def __init__(self, clock: FakeClock | None = None) -> None:
        self.clock = clock
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Write the pause down."""
        if seconds > 0:
            self.pauses.append(seconds)
        if self.clock is not None:
            self.clock.advance(seconds)

    async def sleep_async(self, seconds: float) -> None:
        """Write the pause down."""
        self.sleep(seconds)
