"""The format of an SQLite log: its tables, how a file says which format it has, and how an older one is brought up.

A file is a log of ours when `application_id` says so; `user_version` is its format: the number of `STEPS` taken.

A row of `batch` holds `count` records with the offsets `base`, `base + 1` … as a msgpack array of `Record`, each an
array of head, body and the other headers (a map or nil). The last row of a partition tells where it goes on, so
whatever removes old records leaves that row in place; rows may be missing anywhere before it, and reading shows the gap
in the offsets. A lease that was given up keeps its row, with an empty holder, so that its token goes on growing. What a
later format needs (a codec per row, say) is a step that adds a table or a column; a file gets it at the next open.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from wakuwaku.errors import LogFormatError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["APPLICATION_ID", "STEPS", "format_of", "prepare"]

APPLICATION_ID: Final = int.from_bytes(b"waku")

#: Statements that make format n + 1 of format n; format 0 is the empty file. Only ever grows at its end.
STEPS: Final[Sequence[Sequence[str]]] = (
    (
        """CREATE TABLE log (
            instance      BLOB    NOT NULL,  -- 16 random bytes: tells two logs of the same path apart
            created_at_ms INTEGER NOT NULL
        )""",
        """CREATE TABLE topic (
            id            INTEGER PRIMARY KEY,
            stream        TEXT    NOT NULL,
            name          TEXT    NOT NULL,
            partitions    INTEGER NOT NULL,
            created_at_ms INTEGER NOT NULL,
            UNIQUE (stream, name)
        )""",
        # The blob is the last column, so the others are read without following it over many pages.
        """CREATE TABLE batch (
            id             INTEGER PRIMARY KEY,
            topic_id       INTEGER NOT NULL REFERENCES topic (id),
            partition      INTEGER NOT NULL,
            base           INTEGER NOT NULL,
            count          INTEGER NOT NULL,
            appended_at_ms INTEGER NOT NULL,
            records        BLOB    NOT NULL,
            UNIQUE (topic_id, partition, base)
        )""",
        """CREATE TABLE consumer_offset (
            consumer     TEXT    NOT NULL,
            topic_id     INTEGER NOT NULL REFERENCES topic (id),
            partition    INTEGER NOT NULL,
            offset       INTEGER NOT NULL,
            stored_at_ms INTEGER NOT NULL,
            PRIMARY KEY (consumer, topic_id, partition)
        ) WITHOUT ROWID""",
    ),
    (
        """CREATE TABLE lease (
            consumer  TEXT    NOT NULL,
            topic_id  INTEGER NOT NULL REFERENCES topic (id),
            partition INTEGER NOT NULL,
            holder    TEXT    NOT NULL,  -- empty when nobody has it
            host      TEXT    NOT NULL,
            boot      TEXT    NOT NULL,  -- tells one start of a machine from all others; empty where it is unknown
            token     INTEGER NOT NULL,
            length_ms INTEGER NOT NULL,
            until_ms  INTEGER NOT NULL,
            PRIMARY KEY (consumer, topic_id, partition)
        ) WITHOUT ROWID""",
        "ALTER TABLE topic ADD COLUMN retain_seconds REAL",
        "ALTER TABLE topic ADD COLUMN retain_bytes INTEGER",
        "ALTER TABLE topic ADD COLUMN drop_consumed INTEGER NOT NULL DEFAULT 0",
    ),
)


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make a new file a log, bring an older log to the format of today, and leave a current one untouched.

    All or nothing, and safe when several processes do it at once. Raises `LogFormatError` for a file that is not a log
    or has a newer format; such a file is not written to.
    """
    if format_of(connection, path) == len(STEPS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        steps = STEPS[format_of(connection, path) :]  # again: another process may have been faster
        for step in steps:
            for statement in step:
                connection.execute(statement)
        if len(steps) == len(STEPS):
            connection.execute("INSERT INTO log VALUES (?, ?)", (os.urandom(16), time.time_ns() // 1_000_000))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(STEPS)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def format_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return the format of a file, 0 for an empty one. Raises `LogFormatError` for a foreign or newer file."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application == APPLICATION_ID and version > 0:
        if version > len(STEPS):
            raise LogFormatError(
                f"{path} has log format {version}, newer than {len(STEPS)}, the newest this version of wakuwaku knows;"
                " upgrade wakuwaku"
            )
        return int(version)
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application or version or tables:
        raise LogFormatError(f"{path} is an SQLite database but not a log of wakuwaku; give the log a file of its own")
    return 0
