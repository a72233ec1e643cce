"""Hold the lease of one partition while a consumer works on it, so that a second instance is noticed and kept out."""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
from pathlib import Path

from wakuwaku.errors import LeaseHeldError, NoLeasesError
from wakuwaku.log import Lease, Log
from wakuwaku.log.lease import this_machine

__all__ = ["Tenure", "holder_name", "is_gone"]

#: A lease is renewed this many times in its length.
_RENEWALS = 3


def holder_name() -> str:
    """Return a name for one consumer of this process: host, process, when that process started, and a random part."""
    return f"{platform.node()}/{os.getpid()}/{_started(os.getpid())}/{secrets.token_hex(4)}"


def is_gone(holder: str) -> bool:
    """Tell whether a holder was a process of this machine that has ended; False when that can't be known."""
    parts = holder.split("/")
    if len(parts) != 4 or parts[0] != platform.node() or not parts[1].isdecimal() or not parts[2]:
        return False
    return _started(int(parts[1])) != parts[2]


def _started(pid: int) -> str:
    """Return when a process started, in a form that is the same each time it is asked; empty when there is none.

    From Linux's procfs: the boot id, since ticks start anew with the machine, and field 22 of ``stat``.
    """
    boot = this_machine().boot
    try:
        ticks = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
    return f"{boot}:{ticks}" if boot else ""


class Tenure:
    """Hold one lease: take it, renew it in time, give it up.

    `lease` is None when the consumer works without, and `unguarded` tells that it would not if the log kept leases.
    """

    def __init__(self, log: Log, consumer: str, topic: str, partition: int, seconds: float | None) -> None:
        self._log = log
        self._place = (consumer, topic, partition)
        self._seconds = seconds
        self._holder = "" if seconds is None else holder_name()
        self.lease: Lease | None = None
        self.unguarded = False

    async def take(self) -> None:
        """Take the lease. Raises `LeaseHeldError` while somebody else has it, and `LogError`.

        A holder that was a process of this machine and has ended is not waited for. On a log that keeps no leases the
        consumer works without.
        """
        if self._seconds is None:
            return
        try:
            self.lease = await self._ask(self._holder, self._seconds)
        except NoLeasesError:
            self._seconds = None
            self.unguarded = True
        except LeaseHeldError as error:
            if not is_gone(error.holder):
                raise
            await self._ask(error.holder, 0)
            self.lease = await self._ask(self._holder, self._seconds)

    async def keep(self) -> None:
        """Renew the lease until cancelled. Raises `LeaseHeldError` when somebody else has it now, and `LogError`."""
        while self._seconds is not None:
            self.lease = await self._ask(self._holder, self._seconds)
            await asyncio.sleep(self._seconds / _RENEWALS)

    async def leave(self) -> None:
        """Give the lease up."""
        if self.lease is not None:
            self.lease = None
            await self._ask(self._holder, 0)

    async def _ask(self, holder: str, seconds: float) -> Lease:
        consumer, topic, partition = self._place
        return await self._log.lease(consumer, topic, partition, holder=holder, seconds=seconds)
