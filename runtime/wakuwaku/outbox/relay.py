"""Move events from an outbox to the log, in order, each once.

A relay holds a lease in the log and appends under it: one that was thought dead, and is not, has its appends refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Self, final

from wakuwaku._engine.tenure import Tenure
from wakuwaku.classify import Classify, operating_system, postgres, sqlite
from wakuwaku.errors import (
    ConfigError,
    ErrorClass,
    FencedError,
    LeaseHeldError,
    LogError,
    LogUnavailableError,
    StartError,
)
from wakuwaku.outbox.sending import Sending
from wakuwaku.outbox.store import OutboxStore

if TYPE_CHECKING:
    from types import TracebackType

    from wakuwaku.log import Log

__all__ = ["OutboxRelay"]

logger = logging.getLogger("wakuwaku.outbox")

#: What a relay sits out besides what its database raises.
_PASSING: Final = (LogUnavailableError, LeaseHeldError, FencedError)


@final
class OutboxRelay:
    """Send what comes into an outbox until it is stopped: ``async with OutboxRelay(outbox.store(pool.acquire), log):``.

    Every committed event comes to the log once, and those of one key in the order of their commits, whoever is killed
    and when: the writer, the relay, the database or the log. A log without leases (`lease_seconds=None`) can't keep
    two relays apart that overlap; then an event may be there twice. Any number of relays may be started for one
    outbox: one works, the others wait.

    `batch` rows are sent at a time. An empty outbox is looked at again after `poll_interval`, growing to
    `idle_interval`. While the database or the log is away the relay waits, as long as each of `retry_delays` in turn,
    the last one for ever, and says so in the log; `classifier` tells which of the database's errors can't pass. Leaving
    the block waits for what is being sent, for `drain_timeout` seconds; what was cut short is found by the next relay.
    """

    def __init__(
        self,
        store: OutboxStore,
        log: Log,
        *,
        batch: int = 500,
        poll_interval: float = 0.05,
        idle_interval: float = 1.0,
        retry_delays: Sequence[float] = (0.1, 0.5, 2.0, 8.0),
        lease_seconds: float | None = 30.0,
        drain_timeout: float = 25.0,
        classifier: Classify | None = None,
    ) -> None:
        if batch < 1 or not retry_delays or poll_interval < 0 or idle_interval < 0:
            raise ConfigError("batch is at least 1, retry_delays has at least one delay, intervals are 0 or more")
        self._store = store
        self._log = log
        self._batch = batch
        self._poll_interval = poll_interval
        self._idle_interval = max(idle_interval, poll_interval)
        self._delays = tuple(retry_delays)
        self._lease_seconds = lease_seconds
        self._drain_timeout = drain_timeout
        self._classify = classifier or postgres() | sqlite() | operating_system()
        self._tenure: Tenure | None = None
        self._renew_at = 0.0
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.sent = 0  # events that this relay sent

    async def run(self) -> None:
        """Send until `stop`; raises what no waiting mends: a log of another shape, a database error that can't pass."""
        failures = 0
        while not self._stop.is_set():
            before = self.sent
            try:
                await self._work()
            except Exception as error:
                if not self._may_pass(error):
                    logger.error("outbox: stopped by %s: %s", type(error).__name__, error)  # noqa: TRY400 - it is raised
                    raise
                failures = 1 if self.sent > before else failures + 1
                delay = self._delays[min(failures, len(self._delays)) - 1]
                if isinstance(error, LeaseHeldError):
                    logger.info("outbox: another relay is at work (%s); looking again in %s s", error.holder, delay)
                else:
                    logger.warning(
                        "outbox: can't go on, trying again in %s s: %s: %s", delay, type(error).__name__, error
                    )
                await self._pause(delay)
        await self._give_lease_up()

    async def send_all(self) -> int:
        """Send all that is in the outbox now, and return how many events that were.

        Raises whatever is in the way: `LeaseHeldError` when another relay is at work, what the database or log raises.
        """
        before = self.sent
        try:
            sending = await self._begin()
            while await self._send(sending):
                await self._renew_lease(sending.outbox)
        finally:
            await self._give_lease_up()
        return self.sent - before

    def stop(self) -> None:
        """Have `run` end once what it sends is sent."""
        self._stop.set()

    async def __aenter__(self) -> Self:
        if self._task is not None:
            raise StartError("this relay was started before; make a new one")
        self._task = asyncio.create_task(self.run(), name="wakuwaku-outbox")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        if self._task is None:
            return
        _, late = await asyncio.wait({self._task}, timeout=self._drain_timeout if error is None else 0)
        for task in late:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _work(self) -> None:
        """Send as long as nothing fails."""
        sending = await self._begin()
        pause = self._poll_interval
        while not self._stop.is_set():
            if await self._send(sending):
                pause = self._poll_interval
            else:
                await self._pause(pause)
                pause = min(pause * 2, self._idle_interval)
            await self._renew_lease(sending.outbox)

    async def _begin(self) -> Sending:
        """Take the lease, find out what was sent before, and return what goes on from there."""
        outbox = await self._store.number()
        self._renew_at = 0.0
        await self._renew_lease(outbox)
        sending = Sending(self._store, self._log, outbox, self._batch)
        await sending.recover()
        return sending

    async def _send(self, sending: Sending) -> int:
        sent = await sending.send(None if self._tenure is None else self._tenure.lease)
        self.sent += sent
        return sent

    async def _renew_lease(self, outbox: int) -> None:
        """Take the lease, or renew it when a third of its time has passed."""
        if self._lease_seconds is None or time.monotonic() < self._renew_at:
            return
        if self._tenure is None:
            topic = f"outbox_{outbox:016x}"
            await self._log.create_topic(topic, 1)
            self._tenure = Tenure(self._log, "outbox", topic, 0, self._lease_seconds)
        await self._tenure.take()
        self._renew_at = time.monotonic() + self._lease_seconds / 3

    async def _give_lease_up(self) -> None:
        if self._tenure is not None:
            with contextlib.suppress(LogError):
                await self._tenure.leave()

    def _may_pass(self, error: Exception) -> bool:
        if isinstance(error, LogError):
            return isinstance(error, _PASSING)
        return not isinstance(error, MemoryError) and self._classify(error) is not ErrorClass.UNRECOVERABLE

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)
