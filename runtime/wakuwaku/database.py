"""Statements for a user's own connection: asyncpg, psycopg (async) or sqlite3, each with its own way to pass arguments.

Statements are written with ``$1`` for the first argument, as PostgreSQL has it. Nothing is committed here: that is the
user's transaction.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from wakuwaku.errors import ConfigError

__all__ = [
    "AsyncConnection",
    "Rows",
    "Statement",
    "SyncConnection",
    "Work",
    "checked_name",
    "creating",
    "run",
    "run_sync",
]

T = TypeVar("T")
Rows: TypeAlias = Sequence[Sequence[Any]]

_ARGUMENT = re.compile(r"\$(\d+)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")


class Statement(NamedTuple):
    """Hold one statement and its arguments."""

    text: str
    arguments: Sequence[Any] = ()


#: Work in a database: yields statements, is sent the rows of each, and returns its result.
Work: TypeAlias = Generator[Statement, Rows, T]


class AsyncConnection(Protocol):
    """Be a connection of asyncpg, of its pool, or of psycopg's `AsyncConnection`."""

    def execute(self, query: Any, *args: Any) -> Awaitable[Any]:
        """Run a statement."""
        ...


class SyncConnection(Protocol):
    """Be a connection of sqlite3."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Any:
        """Run a statement and return its cursor."""
        ...


def require_transaction(connection: object) -> None:
    """Refuse a pool, and a connection on which no transaction is open: what is noted there would be kept at once.

    Raises `TypeError` and `RuntimeError`.
    """
    if hasattr(connection, "acquire") or hasattr(connection, "getconn"):
        raise TypeError(
            f"{type(connection).__name__} is a pool: take a connection of it, and begin a transaction there, such as"
            " `async with pool.acquire() as connection, connection.transaction():`"
        )
    if not _in_transaction(connection):
        raise RuntimeError(
            "no transaction is open on this connection, so this would be kept even if what belongs to it is not:"
            " begin one first, such as `async with connection.transaction():` or BEGIN IMMEDIATE"
        )


def _in_transaction(connection: Any) -> bool:
    """Tell whether a transaction is open, or the driver opens one by itself with the next statement."""
    asked = getattr(connection, "is_in_transaction", None)
    if callable(asked):  # asyncpg
        return bool(asked())
    begins_by_itself = getattr(connection, "autocommit", False) is not True
    info = getattr(connection, "info", None)
    if info is not None:  # psycopg
        return begins_by_itself or int(info.transaction_status) != 0
    begins_by_itself = begins_by_itself and getattr(connection, "isolation_level", "") is not None
    return begins_by_itself or bool(getattr(connection, "in_transaction", True))  # sqlite3


async def run(connection: AsyncConnection, work: Work[T]) -> T:
    """Do work on an asynchronous connection of PostgreSQL."""
    execute = _executor(connection)
    try:
        statement = next(work)
        while True:
            statement = work.send(await execute(statement))
    except StopIteration as end:
        return cast("T", end.value)
    finally:
        work.close()


def run_sync(connection: SyncConnection, work: Work[T]) -> T:
    """Do work on a connection of sqlite3."""
    try:
        statement = next(work)
        while True:
            text, arguments = _translated(statement, "?")
            statement = work.send(cast("Rows", connection.execute(text, arguments).fetchall()))
    except StopIteration as end:
        return cast("T", end.value)
    finally:
        work.close()


def creating(tables: Sequence[str]) -> Work[None]:
    """Make tables of PostgreSQL in one statement, under a lock: IF NOT EXISTS alone fails when two do it at once."""
    made = "; ".join(tables)
    yield Statement(f"DO $do$ BEGIN PERFORM pg_advisory_xact_lock(hashtext('wakuwaku tables')); {made}; END $do$")


def checked_name(name: str) -> str:
    """Return the name of a table, which may have its schema before a dot; raises `ConfigError` for what is none."""
    if len(parts := name.split(".")) > 2 or not all(_NAME.fullmatch(part) for part in parts):
        raise ConfigError(f"{name!r} is no name of a table: letters, digits and _, and one dot behind its schema")
    return name


def _executor(connection: Any) -> Callable[[Statement], Awaitable[Rows]]:
    """Return how a statement is run; asyncpg returns rows from `fetch`, psycopg hands out a cursor."""
    if type(connection).__module__.startswith("sqlalchemy.") or not hasattr(connection, "execute"):
        raise TypeError(
            f"{type(connection).__name__} is no connection of asyncpg or psycopg; with SQLAlchemy, give the driver's:"
            " `(await connection.get_raw_connection()).driver_connection`, once its transaction has begun"
        )
    fetch = getattr(connection, "fetch", None)
    if callable(fetch):
        asyncpg_fetch = cast("Callable[..., Awaitable[Rows]]", fetch)
        return lambda statement: asyncpg_fetch(statement.text, *statement.arguments)

    async def with_a_cursor(statement: Statement) -> Rows:
        text, arguments = _translated(statement, "%s")
        cursor: Any = await connection.execute(text, arguments)
        return cast("Rows", await cursor.fetchall()) if cursor.description is not None else ()

    return with_a_cursor


def _translated(statement: Statement, sign: str) -> tuple[str, Sequence[Any]]:
    """Return a statement whose arguments stand in the order of their signs."""
    numbers = [int(number) - 1 for number in _ARGUMENT.findall(statement.text)]
    return _ARGUMENT.sub(sign, statement.text), [statement.arguments[number] for number in numbers]
