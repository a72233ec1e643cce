"""Publish events together with what a transaction writes: both are kept, or neither.

`PostgresOutbox` and `SqliteOutbox` write events to a table in the user's own transaction; an `OutboxRelay` moves them
to the log, in order.
"""

from wakuwaku.outbox.postgres import PostgresOutbox
from wakuwaku.outbox.relay import OutboxRelay
from wakuwaku.outbox.sqlite import SqliteOutbox
from wakuwaku.outbox.store import OUTBOX_HEADER

__all__ = ["OUTBOX_HEADER", "OutboxRelay", "PostgresOutbox", "SqliteOutbox"]
