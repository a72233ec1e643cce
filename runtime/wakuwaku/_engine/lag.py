"""Notice a handler that blocks the event loop, while it does."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

__all__ = ["LagWatch"]

_LOOKS_PER_LIMIT = 4


class LagWatch:
    """Call `told` from a thread when the event loop has stood still for longer than `limit` seconds.

    `calling` names what was called last, and `told` gets that name and the seconds: once for each name in the time the
    loop stands still, since what began to hold it up need not be what does so now. On an event loop whose time is not
    the machine's the watch stays off.
    """

    def __init__(self, limit: float, calling: Callable[[], str], told: Callable[[str, float], None]) -> None:
        self._limit = limit
        self._calling = calling
        self._told = told
        self._tick = 0.0
        self._handle: asyncio.TimerHandle | None = None
        self._over = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Begin to watch the running event loop."""
        loop = asyncio.get_running_loop()
        if type(loop).time is not asyncio.BaseEventLoop.time:
            return
        self._loop = loop
        self._beat()
        threading.Thread(target=self._watch, name="wakuwaku-lag", daemon=True).start()

    def stop(self) -> None:
        """Watch no longer."""
        self._over.set()
        if self._handle is not None:
            self._handle.cancel()

    def _beat(self) -> None:
        assert self._loop is not None  # noqa: S101 - `start` set it
        self._tick = time.monotonic()
        self._handle = self._loop.call_later(self._limit / _LOOKS_PER_LIMIT, self._beat)

    def _watch(self) -> None:
        told: tuple[float, str] | None = None
        while not self._over.wait(self._limit / _LOOKS_PER_LIMIT):
            tick, name = self._tick, self._calling()
            standing = time.monotonic() - tick
            if standing > self._limit and (tick, name) != told:
                told = (tick, name)
                self._told(name, standing)
