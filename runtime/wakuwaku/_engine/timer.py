"""One alarm clock for a partition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["Timer"]


class Timer:
    """Call back at one monotonic time; setting it anew takes the place of what was set before."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None

    def set(self, at: float) -> None:
        """Ring at this time of the event loop's clock."""
        self.cancel()
        self._handle = asyncio.get_running_loop().call_at(at, self._ring)

    def cancel(self) -> None:
        """Do not ring."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
