"""An outbox in PostgreSQL, on connections of asyncpg or psycopg."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, final

from wakuwaku.database import AsyncConnection, Work, creating, require_transaction, run
from wakuwaku.outbox.work import OutboxWork

if TYPE_CHECKING:
    from wakuwaku.event import Event
    from wakuwaku.ordering import Ordering
    from wakuwaku.outbox.store import OutboxStore, Place, Row

__all__ = ["PostgresOutbox"]

T = TypeVar("T")

#: What hands out a connection: `pool.acquire` of asyncpg, `pool.connection` of psycopg.
Connect: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]


@final
class PostgresOutbox:
    """Write events to a table of PostgreSQL in the transaction that is open on a connection.

    ``async with pool.acquire() as connection, connection.transaction(): …; await outbox.add(connection, event)``

    An event is published if, and only if, the transaction is committed. Events of one key come to the log in the order
    of the commits; `add` holds a lock for its key until the transaction ends, so call it late in a long one.
    """

    def __init__(self, *, table: str = "wakuwaku_outbox") -> None:
        self._work = OutboxWork(
            table,
            identity="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
            blob="BYTEA",
            random="(random() * 9e18)::bigint",
            locking=True,
        )

    @property
    def tables(self) -> str:
        """Return the SQL that makes the tables, for your own migrations."""
        return "".join(f"{statement};\n" for statement in self._work.tables())

    async def create_tables(self, connection: AsyncConnection) -> None:
        """Make the tables where they do not exist; several processes may do so at once."""
        await run(connection, creating(self._work.tables()))

    async def add(self, connection: AsyncConnection, *events: Event, ordering: Ordering | None = None) -> None:
        """Write events, to be published in this order once the transaction is committed.

        `ordering` strengthens or weakens their fences. Raises `PublishError` before anything is written for an event
        that its consumer would refuse.
        """
        require_transaction(connection)
        await run(connection, self._work.add(events, ordering))

    def store(self, connect: Connect) -> OutboxStore:
        """Return the outbox as an `OutboxRelay` wants it; `connect` is asked for a connection for each thing to do."""
        return _Store(self._work, connect)


class _Store:
    """Do each piece of work in a transaction of its own, on whatever connection there is."""

    def __init__(self, work: OutboxWork, connect: Connect) -> None:
        self._work = work
        self._connect = connect

    async def number(self) -> int:
        return await self._done(self._work.number())

    async def pending(self, count: int) -> Sequence[Row]:
        return await self._done(self._work.pending(count))

    async def rows(self, numbers: Sequence[int]) -> Sequence[Row]:
        return await self._done(self._work.some(numbers))

    async def positions(self) -> Mapping[Place, int]:
        return await self._done(self._work.positions())

    async def begin(self, positions: Mapping[Place, int]) -> None:
        await self._done(self._work.begin(positions))

    async def sent(self, numbers: Sequence[int], positions: Mapping[Place, int]) -> None:
        await self._done(self._work.sent(numbers, positions))

    async def _done(self, work: Work[T]) -> T:
        async with self._connect() as connection, connection.transaction():
            return await run(connection, work)
