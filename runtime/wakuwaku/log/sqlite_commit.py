"""Group commit: all writes that wait when a transaction starts share one COMMIT, and so one fsync."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from wakuwaku.errors import LogError
from wakuwaku.log.sqlite_thread import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wakuwaku.log.sqlite_thread import Work

__all__ = ["begin", "commit"]


def begin(connection: sqlite3.Connection) -> None:
    """Take the write lock, waiting for it up to the busy time-out. Raises `sqlite3.OperationalError`."""
    connection.execute("BEGIN IMMEDIATE")


def commit(connection: sqlite3.Connection, works: Sequence[Work]) -> list[Outcome]:
    """Run works in the transaction that has begun, commit it and return what became of each.

    A work that raises `LogError` has written nothing yet and is left out. Any other failure, also of the COMMIT,
    rolls everything back; then each work gets a transaction of its own, so that only the guilty one fails.
    Leaves no transaction behind.
    """
    try:
        outcomes = [_run(connection, work) for work in works]
        connection.execute("COMMIT")
    except BaseException as error:  # noqa: BLE001 - whatever a work raises belongs to its caller
        _roll_back(connection)
        return [Outcome(error=error)] if len(works) == 1 else _commit_singly(connection, works)
    return outcomes


def _run(connection: sqlite3.Connection, work: Work) -> Outcome:
    try:
        return Outcome(work(connection))
    except LogError as error:
        return Outcome(error=error)


def _commit_singly(connection: sqlite3.Connection, works: Sequence[Work]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for work in works:
        try:
            begin(connection)
        except sqlite3.Error as error:
            # The lock is out of reach: waiting for it once more for each of the others would take for ever.
            return outcomes + [Outcome(error=error)] * (len(works) - len(outcomes))
        outcomes += commit(connection, [work])
    return outcomes


def _roll_back(connection: sqlite3.Connection) -> None:
    # After a full disk SQLite may have rolled back already.
    if connection.in_transaction:
        connection.execute("ROLLBACK")
