"""Wait for a while, unless a stop comes first."""

from __future__ import annotations

import asyncio
import contextlib

__all__ = ["pause"]


async def pause(seconds: float, stop: asyncio.Event) -> bool:
    """Wait, and return whether the stop came first.

    Not `asyncio.wait_for`: before Python 3.12 that loses a cancellation which arrives together with the event.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(max(seconds, 0.0)):
            await stop.wait()
    return stop.is_set()
