"""An inbox in PostgreSQL, on connections of asyncpg or psycopg."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar, final

from wakuwaku.database import AsyncConnection, creating, require_transaction, run
from wakuwaku.inbox.work import InboxWork

if TYPE_CHECKING:
    from wakuwaku.event import Event
    from wakuwaku.handler import Batch

__all__ = ["PostgresInbox"]

E = TypeVar("E", bound="Event")


@final
class PostgresInbox:
    """Note in PostgreSQL what a consumer has applied.

    ``async with pool.acquire() as connection, connection.transaction(): fresh = await inbox.take(connection, events)``

    Every method works on a connection of asyncpg or of psycopg's `AsyncConnection`, inside of the transaction that is
    open there; what it notes is kept if, and only if, that transaction is committed. `consumer` is the name in the
    `ConsumerConfig`; `table` may have a schema before a dot.
    """

    def __init__(self, consumer: str, *, table: str = "wakuwaku_inbox") -> None:
        self._work = InboxWork(consumer, table, now="EXTRACT(EPOCH FROM now())::bigint")

    @property
    def tables(self) -> str:
        """Return the SQL that makes the tables, for your own migrations."""
        return "".join(f"{statement};\n" for statement in self._work.tables())

    async def create_tables(self, connection: AsyncConnection) -> None:
        """Make the tables where they do not exist; several processes may do so at once."""
        await run(connection, creating(self._work.tables()))

    async def take(self, connection: AsyncConnection, events: Batch[E]) -> Batch[E] | None:
        """Note a batch as applied, and return what of it was not applied before, folded anew; None when all was.

        The place in the log says which record is which. A record that another transaction takes right now is waited
        for, so a second instance of the consumer applies nothing twice either.
        """
        require_transaction(connection)
        return await run(connection, self._work.take(events))

    async def take_ids(
        self, connection: AsyncConnection, events: Batch[E], id_of: Callable[[E], str]
    ) -> Batch[E] | None:
        """Do as `take`, but by an id that each event carries: also what was *published* twice is applied once.

        `id_of` is asked for every event as it was published, before folding.
        """
        require_transaction(connection)
        return await run(connection, self._work.take_ids(events, id_of))

    async def forget(self, connection: AsyncConnection, topic: str, below: Mapping[int, int]) -> int:
        """Forget what lies below an offset of each partition, and return how much; `settled_below` tells them."""
        return await run(connection, self._work.forget(topic, below))

    async def forget_ids(self, connection: AsyncConnection, topic: str, *, older_than: float) -> int:
        """Forget ids noted more than so many seconds ago, and return how many: longer than any publisher repeats."""
        return await run(connection, self._work.forget_ids(topic, older_than))
