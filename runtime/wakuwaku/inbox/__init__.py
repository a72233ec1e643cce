"""Apply every event once, however often it is handed over: what was applied is noted in the handler's own transaction.

`PostgresInbox` works on connections of asyncpg and psycopg, `SqliteInbox` on those of sqlite3.
"""

from wakuwaku.inbox.postgres import PostgresInbox
from wakuwaku.inbox.settled import settled_below
from wakuwaku.inbox.sqlite import SqliteInbox

__all__ = ["PostgresInbox", "SqliteInbox", "settled_below"]
