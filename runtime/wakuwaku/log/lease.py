"""Who holds a partition: the rules of leases, without a clock and without storage, for every log that keeps them.

Time is the log's wall clock. When it jumps forward a lease ends early: another holder may take it, and the fencing
token keeps the first one from writing. When it jumps back a lease ends late, by its own length at most.
"""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from wakuwaku.errors import FencedError, LeaseHeldError
from wakuwaku.log.protocol import Lease

__all__ = ["UNCLAIMED", "Grant", "Machine", "check_fence", "granted", "lease_of", "this_machine"]

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


class Machine(NamedTuple):
    """Name a machine since its last start: `boot` differs between two of the same name, and is empty if unknown.

    Containers on one machine have names of their own and the machine's `boot`.
    """

    host: str
    boot: str


class Grant(NamedTuple):
    """Hold what a log keeps of a lease; `holder` is empty when nobody has it. Times are Unix milliseconds."""

    holder: str
    machine: Machine
    token: int
    length_ms: int
    until_ms: int


#: The state of a lease nobody ever held.
UNCLAIMED: Final = Grant("", Machine("", ""), 0, 0, 0)


@cache
def this_machine() -> Machine:
    """Return the machine this process runs on."""
    try:
        boot = _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return Machine(platform.node(), boot)


def granted(current: Grant, holder: str, machine: Machine, length_ms: int, now_ms: int) -> Grant:
    """Return the state of a lease after `holder` asked for it; a length of 0 gives it up.

    The answer is no when the state returned has another holder; it is to be kept in that case, too.
    """
    if current.holder != holder:
        if not length_ms:
            return current
        # A clock that was set back must not lengthen a lease for ever: it is over its own length from now at most.
        until_ms = min(current.until_ms, now_ms + current.length_ms)
        if current.holder and now_ms < until_ms:
            return current._replace(until_ms=until_ms)
        return Grant(holder, machine, current.token + 1, length_ms, now_ms + length_ms)
    if not length_ms:
        return current._replace(holder="", until_ms=now_ms)
    return current._replace(machine=machine, length_ms=length_ms, until_ms=now_ms + length_ms)


def lease_of(grant: Grant, place: tuple[str, str, int], holder: str, machine: Machine, length_ms: int) -> Lease:
    """Return the lease `holder` has by a state that answers what it asked for. Raises `LeaseHeldError`."""
    consumer, topic, partition = place
    if length_ms and grant.holder != holder:
        raise LeaseHeldError(_held(grant, place, machine), holder=grant.holder, until_ms=grant.until_ms)
    return Lease(consumer, topic, partition, holder, grant.token, grant.until_ms)


def check_fence(grant: Grant, lease: Lease) -> None:
    """Refuse a write under a lease that is no longer its holder's. Raises `FencedError`."""
    if (grant.holder, grant.token) == (lease.holder, lease.token):
        return
    now = f"{grant.holder!r} has it" if grant.holder else "nobody has it"
    raise FencedError(
        f"{lease.holder!r} lost the lease of consumer {lease.consumer!r} on partition {lease.partition} of topic"
        f" {lease.topic!r}, and {now} (token {grant.token}, here {lease.token}); nothing was written. It was not"
        " renewed in time, or two programs of this consumer read the same partition: let one of them stop"
    )


def _held(grant: Grant, place: tuple[str, str, int], machine: Machine) -> str:
    consumer, topic, partition = place
    until = datetime.fromtimestamp(grant.until_ms / 1_000, UTC).isoformat(timespec="milliseconds")
    held = (
        f"{grant.holder!r} on host {grant.machine.host!r} holds the lease of consumer {consumer!r} on partition"
        f" {partition} of topic {topic!r} until {until}, and longer if it renews it; stop that program, or wait"
    )
    if grant.machine.host == machine.host or grant.machine.boot == machine.boot:
        return held
    return (
        f"{held}. It runs on another machine than this one, host {machine.host!r}: a log serves the programs of one"
        " machine. If its file lies on a disk that both reach, stop one of them now, for that does not keep it whole"
    )
