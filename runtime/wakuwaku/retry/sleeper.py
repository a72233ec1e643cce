"""Who sleeps: the one place where time passes."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Protocol

from wakuwaku.retry.errors import BackOffInterruptedError, RetryUsageError

if TYPE_CHECKING:
    import asyncio

__all__ = ["DefaultSleeper", "EventSleeper", "Sleeper"]

_LOOK = 0.05  # how often a task looks at a threading.Event, in seconds


class Sleeper(Protocol):
    """Pause for some seconds; raise BackOffInterruptedError when told to stop.

    It is called before every further attempt, also for 0 seconds: a task must let others run, and a stop must be seen.
    """

    def sleep(self, seconds: float) -> None:
        """Pause the thread."""
        ...

    async def sleep_async(self, seconds: float) -> None:
        """Pause the task."""
        ...


class DefaultSleeper:
    """Sleep in the thread or in the asyncio task; only Ctrl-C and cancellation interrupt it."""

    def sleep(self, seconds: float) -> None:
        """Pause the thread."""
        time.sleep(seconds)

    async def sleep_async(self, seconds: float) -> None:
        """Pause the task; 0 seconds let other tasks run."""
        import asyncio  # noqa: PLC0415  (sync users do not pay for it)

        await asyncio.sleep(seconds)


class EventSleeper:
    """Sleep until the pause is over or `stop` is set, which raises BackOffInterruptedError at once.

    An `asyncio.Event` serves async executions only. A `threading.Event` serves both; tasks see it within 50 ms.
    """

    def __init__(self, stop: threading.Event | asyncio.Event) -> None:
        self.stop = stop

    def sleep(self, seconds: float) -> None:
        """Pause the thread until the time is over or the event is set."""
        if not isinstance(self.stop, threading.Event):
            raise RetryUsageError("an EventSleeper of an asyncio.Event can't pause a thread: give it a threading.Event")
        if self.stop.wait(seconds):
            raise BackOffInterruptedError("the pause was interrupted: stop was requested")

    async def sleep_async(self, seconds: float) -> None:
        """Pause the task until the time is over or the event is set."""
        import asyncio  # noqa: PLC0415  (sync users do not pay for it)

        try:
            async with asyncio.timeout(seconds):
                if isinstance(self.stop, threading.Event):
                    while not self.stop.is_set():  # noqa: ASYNC110  (a threading.Event can't be awaited)
                        await asyncio.sleep(_LOOK)
                else:
                    await self.stop.wait()
        except TimeoutError:
            if not self.stop.is_set():  # both may come at the same moment
                return
        raise BackOffInterruptedError("the pause was interrupted: stop was requested")
