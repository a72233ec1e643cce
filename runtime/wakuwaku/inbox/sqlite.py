"""An inbox in SQLite, on connections of sqlite3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar, final

from wakuwaku.database import SyncConnection, require_transaction, run_sync
from wakuwaku.inbox.work import InboxWork

if TYPE_CHECKING:
    from wakuwaku.event import Event
    from wakuwaku.handler import Batch

__all__ = ["SqliteInbox"]

E = TypeVar("E", bound="Event")


@final
class SqliteInbox:
    """Note in SQLite what a consumer has applied; the methods are those of `PostgresInbox`, without `await`.

    Each works inside of the transaction that is open on the connection; begin it with ``BEGIN IMMEDIATE``, so that a
    second writer waits instead of failing. Needs SQLite 3.35.
    """

    def __init__(self, consumer: str, *, table: str = "wakuwaku_inbox") -> None:
        self._work = InboxWork(consumer, table, now="CAST(strftime('%s', 'now') AS INTEGER)")

    @property
    def tables(self) -> str:
        """Return the SQL that makes the tables, for your own migrations."""
        return "".join(f"{statement};\n" for statement in self._work.tables())

    def create_tables(self, connection: SyncConnection) -> None:
        """Make the tables where they do not exist."""
        for statement in self._work.tables():
            connection.execute(statement)

    def take(self, connection: SyncConnection, events: Batch[E]) -> Batch[E] | None:
        """Note a batch as applied, and return what of it was not applied before, folded anew; None when all was."""
        require_transaction(connection)
        return run_sync(connection, self._work.take(events))

    def take_ids(self, connection: SyncConnection, events: Batch[E], id_of: Callable[[E], str]) -> Batch[E] | None:
        """Do as `take`, but by an id that each event carries: also what was *published* twice is applied once."""
        require_transaction(connection)
        return run_sync(connection, self._work.take_ids(events, id_of))

    def forget(self, connection: SyncConnection, topic: str, below: Mapping[int, int]) -> int:
        """Forget what lies below an offset of each partition, and return how much; `settled_below` tells them."""
        return run_sync(connection, self._work.forget(topic, below))

    def forget_ids(self, connection: SyncConnection, topic: str, *, older_than: float) -> int:
        """Forget ids noted more than so many seconds ago, and return how many."""
        return run_sync(connection, self._work.forget_ids(topic, older_than))
