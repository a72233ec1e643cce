"""Inbox and outbox on every kind of connection, behind one face: a test runs on all of them."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import psycopg

from tests.servers.postgres import PostgresServer
from wakuwaku import Batch, Event
from wakuwaku.inbox import PostgresInbox, SqliteInbox
from wakuwaku.outbox import PostgresOutbox, SqliteOutbox
from wakuwaku.outbox.store import OutboxStore

__all__ = ["DRIVERS", "Database", "database_of"]

DRIVERS = ("asyncpg", "psycopg", "sqlite3")


class Database:
    """Do what a test wants in transactions of one driver."""

    def __init__(self, driver: str, server: PostgresServer | None, path: Path) -> None:
        self.driver = driver
        self._server = server
        self._path = path
        self.inbox: Any = SqliteInbox("c") if driver == "sqlite3" else PostgresInbox("c")
        self.outbox: Any = SqliteOutbox() if driver == "sqlite3" else PostgresOutbox()

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Any]:
        """Connect, without a transaction."""
        if self.driver == "sqlite3":
            connection = self._sqlite()
            try:
                yield connection
            finally:
                connection.close()
        elif self.driver == "asyncpg":
            assert self._server is not None
            asyncpg_connection = await asyncpg.connect(**self._server.asyncpg)
            try:
                yield asyncpg_connection
            finally:
                await asyncpg_connection.close()
        else:
            assert self._server is not None
            async with await psycopg.AsyncConnection.connect(self._server.psycopg, autocommit=True) as other:
                yield other

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Any]:
        """Connect, and commit when the block ends without an error."""
        async with self.connected() as connection:
            if self.driver == "sqlite3":
                connection.execute("BEGIN IMMEDIATE")
                with connection:
                    yield connection
            else:
                async with connection.transaction():
                    yield connection

    def _sqlite(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60, check_same_thread=False)

    async def call(self, work: Any) -> Any:
        """Return what a method of inbox or outbox returns, whichever kind it is."""
        return work if self.driver == "sqlite3" else await work

    async def run(self, connection: Any, statement: str) -> None:
        """Run a statement without a result."""
        executed = connection.execute(statement)
        if self.driver != "sqlite3":
            await executed

    async def value(self, query: str) -> Any:
        """Return the one value of a query."""
        async with self.connected() as connection:
            if self.driver == "asyncpg":
                return await connection.fetchval(query)
            cursor = connection.execute(query)
            if self.driver == "sqlite3":
                return cursor.fetchone()[0]
            return (await (await cursor).fetchone())[0]

    async def take(self, connection: Any, events: Batch[Any], id_of: Callable[[Any], str] | None = None) -> Any:
        """Take a batch by offset or by id."""
        if id_of is None:
            return await self.call(self.inbox.take(connection, events))
        return await self.call(self.inbox.take_ids(connection, events, id_of))

    async def add(self, connection: Any, *events: Event) -> None:
        """Add events to the outbox."""
        await self.call(self.outbox.add(connection, *events))

    def store(self) -> OutboxStore:
        """Return the outbox as a relay wants it."""
        connect: Callable[[], Any] = self._sqlite if self.driver == "sqlite3" else self.connected
        made: OutboxStore = self.outbox.store(connect)
        return made


@asynccontextmanager
async def database_of(driver: str, server: PostgresServer | None, path: Path) -> AsyncIterator[Database]:
    """Make a database with the tables of inbox and outbox, and one for the test."""
    database = Database(driver, server, path)
    async with database.transaction() as connection:
        for table in ("wakuwaku_inbox", "wakuwaku_inbox_ids", "wakuwaku_outbox", "wakuwaku_outbox_positions", "total"):
            await database.run(connection, f"DROP TABLE IF EXISTS {table}")
        await database.call(database.inbox.create_tables(connection))
        await database.call(database.inbox.create_tables(connection))
        await database.call(database.outbox.create_tables(connection))
        await database.call(database.outbox.create_tables(connection))
        await database.run(connection, "CREATE TABLE total (cents BIGINT NOT NULL)")
        await database.run(connection, "INSERT INTO total VALUES (0)")
    yield database
