"""An outbox in SQLite, on connections of sqlite3."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, final

from wakuwaku.database import SyncConnection, Work, require_transaction, run_sync
from wakuwaku.outbox.work import OutboxWork

if TYPE_CHECKING:
    from wakuwaku.event import Event
    from wakuwaku.ordering import Ordering
    from wakuwaku.outbox.store import OutboxStore, Place, Row

__all__ = ["SqliteOutbox"]

T = TypeVar("T")

#: What opens a connection of its own, such as ``lambda: sqlite3.connect("shop.db", timeout=60)``.
Connect: TypeAlias = Callable[[], Any]


@final
class SqliteOutbox:
    """Write events to a table of SQLite in the transaction that is open on a connection; see `PostgresOutbox`.

    The database has one writer at a time, so events are numbered in the order of the commits.
    """

    def __init__(self, *, table: str = "wakuwaku_outbox") -> None:
        self._work = OutboxWork(
            table,
            identity="INTEGER PRIMARY KEY AUTOINCREMENT",  # a number that was used never comes again
            blob="BLOB",
            random="abs(random())",
            locking=False,
        )

    @property
    def tables(self) -> str:
        """Return the SQL that makes the tables, for your own migrations."""
        return "".join(f"{statement};\n" for statement in self._work.tables())

    def create_tables(self, connection: SyncConnection) -> None:
        """Make the tables where they do not exist."""
        for statement in self._work.tables():
            connection.execute(statement)

    def add(self, connection: SyncConnection, *events: Event, ordering: Ordering | None = None) -> None:
        """Write events, to be published in this order once the transaction is committed.

        Raises `PublishError` before anything is written for an event that its consumer would refuse.
        """
        require_transaction(connection)
        run_sync(connection, self._work.add(events, ordering))

    def store(self, connect: Connect) -> OutboxStore:
        """Return the outbox as an `OutboxRelay` wants it; `connect` opens a connection, in a thread."""
        return _Store(self._work, connect)


class _Store:
    """Do each piece of work in a transaction and on a connection of its own, off the event loop."""

    def __init__(self, work: OutboxWork, connect: Connect) -> None:
        self._work = work
        self._connect = connect

    async def number(self) -> int:
        return await asyncio.to_thread(self._done, self._work.number())

    async def pending(self, count: int) -> Sequence[Row]:
        return await asyncio.to_thread(self._done, self._work.pending(count))

    async def rows(self, numbers: Sequence[int]) -> Sequence[Row]:
        return await asyncio.to_thread(self._done, self._work.some(numbers))

    async def positions(self) -> Mapping[Place, int]:
        return await asyncio.to_thread(self._done, self._work.positions())

    async def begin(self, positions: Mapping[Place, int]) -> None:
        await asyncio.to_thread(self._done, self._work.begin(positions))

    async def sent(self, numbers: Sequence[int], positions: Mapping[Place, int]) -> None:
        await asyncio.to_thread(self._done, self._work.sent(numbers, positions))

    def _done(self, work: Work[T]) -> T:
        connection = self._connect()
        try:
            with connection:
                return run_sync(connection, work)
        finally:
            connection.close()
