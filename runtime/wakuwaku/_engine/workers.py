"""A fixed pool of workers: no task is made for an event, a key or a run.

Workers take jobs from one queue. A worker that has taken a job while more are waiting wakes one more worker first; so a
handler that awaits hands over to the next worker, and one that does not costs no switch.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable

from wakuwaku._engine.stage import SharedStage

__all__ = ["Workers"]

#: Seconds that workers may go on without giving way to the rest of the event loop.
_BREATH = 0.005


class Workers:
    """Run jobs, `concurrency` at a time; `take` is called for each key, with the pool it is taken by."""

    def __init__(self, concurrency: int, take: Callable[[int, Workers], Awaitable[None]]) -> None:
        self._concurrency = concurrency
        self._take = take
        self._jobs: deque[int | SharedStage] = deque()
        self._idle: deque[asyncio.Future[None]] = deque()
        self._waking = False
        self._breathe_at = 0.0

    def start(self) -> list[asyncio.Task[None]]:
        """Start the workers and return their tasks; cancel them to end the pool."""
        return [asyncio.create_task(self._work(), name=f"wakuwaku-worker-{n}") for n in range(self._concurrency)]

    def put(self, keys: Iterable[int]) -> None:
        """Queue keys."""
        self._jobs.extend(keys)
        self._wake()

    def share(self, stage: SharedStage) -> None:
        """Offer a stage's runs to whoever is free, before any queued key."""
        self._jobs.appendleft(stage)
        self._wake()

    def _wake(self) -> None:
        if self._waking:
            return
        while self._idle:
            waiter = self._idle.popleft()
            if not waiter.done():  # done when its worker was cancelled meanwhile
                self._waking = True
                waiter.set_result(None)
                return

    async def _work(self) -> None:
        jobs, loop = self._jobs, asyncio.get_running_loop()
        while True:
            while jobs:
                job = jobs.popleft()
                if isinstance(job, SharedStage):
                    if not job.runs:
                        continue
                    if len(job.runs) > 1:
                        jobs.appendleft(job)
                    if jobs:
                        self._wake()
                    await job.help()
                else:
                    if jobs:
                        self._wake()
                    await self._take(job, self)
                if loop.time() > self._breathe_at:
                    await asyncio.sleep(0)
                    self._breathe_at = loop.time() + _BREATH
            waiter = loop.create_future()
            self._idle.append(waiter)
            await waiter
            self._waking = False
