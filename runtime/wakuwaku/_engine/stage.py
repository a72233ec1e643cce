"""A stage whose runs may go side by side, worked on by whoever is free."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from wakuwaku._core.commands import Failure
from wakuwaku._core.plan import Run

__all__ = ["FailedRun", "SharedStage"]


class FailedRun(NamedTuple):
    """Say how a run failed and what it left: the failed chunk and all later ones."""

    failure: Failure
    left: Run


class SharedStage:
    """Hold the body runs of a segment while workers that are free take them.

    No task is made for a run: the worker that has the key works through the list, and whoever is idle takes from it.
    """

    __slots__ = ("_error", "_execute", "_failed", "_outside", "_waiter", "runs")

    def __init__(self, runs: Sequence[Run], execute: Callable[[Run], Awaitable[FailedRun | None]]) -> None:
        self.runs = list(reversed(runs))
        self._execute = execute
        self._failed: list[FailedRun] = []
        self._outside = 0
        self._error: BaseException | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def _work(self) -> None:
        """Execute runs until none is left to be taken.

        An error, which is no outcome of a run, is kept for `join`: siblings under way finish, none is started any more.
        """
        while self.runs:
            try:
                failed = await self._execute(self.runs.pop())
            except BaseException as error:
                self._error = self._error or error
                self.runs.clear()
                if isinstance(error, asyncio.CancelledError):
                    raise
            else:
                if failed is not None:
                    self._failed.append(failed)

    async def help(self) -> None:
        """Work as a second worker."""
        self._outside += 1
        try:
            await self._work()
        finally:
            self._outside -= 1
            if self._waiter is not None and not self._outside and not self._waiter.done():
                self._waiter.set_result(None)

    async def join(self) -> Sequence[FailedRun]:
        """Work, wait for those who help, and return the runs that failed; raises what has no outcome."""
        await self._work()
        while self._outside:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        if self._error is not None:
            raise self._error
        return self._failed
