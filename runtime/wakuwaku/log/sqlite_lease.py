"""Leases as rows of an SQLite log; all of this needs the write lock, so that asking and writing are one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wakuwaku.log.lease import UNCLAIMED, Grant, Machine, check_fence, granted
from wakuwaku.log.sqlite_topics import topic_id

if TYPE_CHECKING:
    import sqlite3

    from wakuwaku.log.protocol import Lease

__all__ = ["ask", "check"]

_LOAD: Final = """
    SELECT holder, host, boot, token, length_ms, until_ms FROM lease
    WHERE consumer = ? AND topic_id = ? AND partition = ?
"""
_KEEP: Final = "INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


def ask(
    connection: sqlite3.Connection,
    place: tuple[str, int, int],
    *,
    holder: str,
    machine: Machine,
    length_ms: int,
    now_ms: int,
) -> Grant:
    """Give the lease at a place (consumer, topic's row id, partition) to who asks for it if that may be.

    Returns its new state, which has another holder when it may not.
    """
    current = _load(connection, place)
    after = granted(current, holder, machine, length_ms, now_ms)
    if after != current:
        connection.execute(_KEEP, (*place, after.holder, *after.machine, after.token, after.length_ms, after.until_ms))
    return after


def check(connection: sqlite3.Connection, stream: str, lease: Lease) -> None:
    """Refuse to go on under a lease that was lost. Raises `FencedError`."""
    topic = topic_id(connection, stream, lease.topic, lease.partition)
    check_fence(_load(connection, (lease.consumer, topic, lease.partition)), lease)


def _load(connection: sqlite3.Connection, place: tuple[str, int, int]) -> Grant:
    row = connection.execute(_LOAD, place).fetchone()
    if row is None:
        return UNCLAIMED
    holder, host, boot, token, length_ms, until_ms = row
    return Grant(holder, Machine(host, boot), token, length_ms, until_ms)
