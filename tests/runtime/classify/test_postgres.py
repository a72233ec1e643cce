"""The classifier of PostgreSQL against a real server, through every driver."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

import asyncpg
import psycopg
import psycopg_pool
import pytest
import sqlalchemy
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from tests.servers.postgres import PostgresServer
from wakuwaku import ErrorClass
from wakuwaku.classify import by_sqlstate, by_type, postgres

pytestmark = pytest.mark.slow  # a server, or many transactions

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE


class Connection(Protocol):
    """Be a connection, whatever the driver: statements without arguments are all that is needed here."""

    async def run(self, statement: str) -> None: ...


class OfAsyncpg:
    def __init__(self, connection: asyncpg.Connection[Any]) -> None:
        self.connection = connection

    async def run(self, statement: str) -> None:
        await self.connection.execute(statement)


class OfPsycopg:
    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self.connection = connection

    async def run(self, statement: str) -> None:
        await self.connection.execute(statement.encode())


class OfSqlalchemy:
    def __init__(self, connection: AsyncConnection) -> None:
        self.connection = connection

    async def run(self, statement: str) -> None:
        await self.connection.execute(sqlalchemy.text(statement))


@asynccontextmanager
async def through_asyncpg(server: PostgresServer) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(**server.asyncpg)
    try:
        yield OfAsyncpg(connection)
    finally:
        connection.terminate()


@asynccontextmanager
async def through_psycopg(server: PostgresServer) -> AsyncIterator[Connection]:
    connection = await psycopg.AsyncConnection.connect(server.psycopg, autocommit=True)
    try:
        yield OfPsycopg(connection)
    finally:
        await connection.close()


def through_sqlalchemy(driver: str) -> Any:
    @asynccontextmanager
    async def through(server: PostgresServer) -> AsyncIterator[Connection]:
        engine = create_async_engine(server.url(driver), poolclass=NullPool, isolation_level="AUTOCOMMIT")
        connection = await engine.connect()
        try:
            yield OfSqlalchemy(connection)
        finally:
            await connection.invalidate()
            await connection.close()
            await engine.dispose()

    return through


Through = Callable[[PostgresServer], Any]
DRIVERS: dict[str, Through] = {
    "asyncpg": through_asyncpg,
    "psycopg": through_psycopg,
    "sqlalchemy+asyncpg": through_sqlalchemy("asyncpg"),
    "sqlalchemy+psycopg": through_sqlalchemy("psycopg"),
}


@pytest.fixture(params=DRIVERS, name="connect")
def _connect(request: pytest.FixtureRequest) -> Through:
    return DRIVERS[request.param]


@pytest.fixture(autouse=True)
async def _tables(postgres_server: PostgresServer) -> None:
    connection = await asyncpg.connect(**postgres_server.asyncpg)
    try:
        await connection.execute("""
            DROP TABLE IF EXISTS line, stock;
            CREATE TABLE stock (sku text PRIMARY KEY, quantity integer NOT NULL CHECK (quantity >= 0));
            CREATE TABLE line (sku text REFERENCES stock);
            INSERT INTO stock VALUES ('a', 1), ('b', 1);
        """)
    finally:
        await connection.close()


async def error_of(failing: Awaitable[object]) -> Exception:
    """Return what awaiting this raises, which may be nothing but an Exception."""
    try:
        await failing
    except Exception as error:  # noqa: BLE001 - whatever the driver raises is the subject
        return error
    raise AssertionError("it succeeded")


STATEMENTS = [
    ("INSERT INTO stock VALUES ('a', 2)", UNRECOVERABLE),  # unique violation
    ("INSERT INTO stock VALUES ('c', -1)", UNRECOVERABLE),  # check violation
    ("INSERT INTO stock VALUES ('c', NULL)", UNRECOVERABLE),  # not null violation
    ("INSERT INTO line VALUES ('not yet')", RETRYABLE),  # foreign key violation
    ("SELECT 1 / 0", UNRECOVERABLE),
    ("SELECT 'x'::integer", UNRECOVERABLE),
    ("SELEC 1", UNRECOVERABLE),
    ("SELECT * FROM not_migrated_yet", TRANSIENT),
    ("SELECT not_migrated_yet FROM stock", TRANSIENT),
    ("SET statement_timeout = 20; SELECT pg_sleep(30)", RETRYABLE),
    ("SET default_transaction_read_only = on; INSERT INTO stock VALUES ('d', 1)", TRANSIENT),
    ("SET ROLE pg_monitor; INSERT INTO stock VALUES ('d', 1)", TRANSIENT),  # may not do that
]


@pytest.mark.parametrize(("statement", "expected"), STATEMENTS, ids=[one for one, _ in STATEMENTS])
async def test_statements(
    connect: Through, statement: str, expected: ErrorClass, postgres_server: PostgresServer
) -> None:
    async with connect(postgres_server) as connection:
        *before, failing = statement.split("; ")
        for one in before:
            await connection.run(one)
        error = await error_of(connection.run(failing))

    assert postgres()(error) is expected, repr(error)


async def test_a_deadlock_is_retryable(connect: Through, postgres_server: PostgresServer) -> None:
    """Two transactions lock two rows in opposite order; the server ends one of them."""
    async with connect(postgres_server) as first, connect(postgres_server) as second:
        for connection, sku in ((first, "a"), (second, "b")):
            await connection.run("BEGIN")
            await connection.run(f"UPDATE stock SET quantity = 5 WHERE sku = '{sku}'")
        ends = await asyncio.gather(
            first.run("UPDATE stock SET quantity = 6 WHERE sku = 'b'"),
            second.run("UPDATE stock SET quantity = 6 WHERE sku = 'a'"),
            return_exceptions=True,
        )

    (error,) = [one for one in ends if isinstance(one, Exception)]
    assert postgres()(error) is RETRYABLE
    assert "deadlock detected" in str(error)


async def test_a_serialization_failure_is_retryable(connect: Through, postgres_server: PostgresServer) -> None:
    async with connect(postgres_server) as first, connect(postgres_server) as second:
        await first.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        await first.run("SELECT * FROM stock")
        await second.run("UPDATE stock SET quantity = 5 WHERE sku = 'a'")
        error = await error_of(first.run("UPDATE stock SET quantity = 6 WHERE sku = 'a'"))

    assert postgres()(error) is RETRYABLE
    assert "could not serialize access" in str(error)


@pytest.mark.parametrize(
    "statement", ["SET lock_timeout = 20; SELECT * FROM stock FOR UPDATE", "; SELECT * FROM stock FOR UPDATE NOWAIT"]
)
async def test_a_lock_time_out_is_retryable(connect: Through, statement: str, postgres_server: PostgresServer) -> None:
    async with connect(postgres_server) as first, connect(postgres_server) as second:
        await first.run("BEGIN")
        await first.run("UPDATE stock SET quantity = 5")
        before, failing = statement.split("; ")
        await second.run(before or "SELECT 1")
        error = await error_of(second.run(failing))

    assert postgres()(error) is RETRYABLE, repr(error)


async def test_a_connection_that_an_operator_ends_is_transient(
    connect: Through, postgres_server: PostgresServer
) -> None:
    async with connect(postgres_server) as connection:
        await connection.run("SELECT set_config('application_name', 'victim', false)")
        sleeping = asyncio.ensure_future(error_of(connection.run("SELECT pg_sleep(300)")))
        operator = await asyncpg.connect(**postgres_server.asyncpg)
        active = "FROM pg_stat_activity WHERE application_name = 'victim' AND state = 'active'"
        victims = f"SELECT pg_terminate_backend(pid) {active}"
        while not await operator.fetch(victims):
            await asyncio.sleep(0)
        await operator.close()
        error = await sleeping
        after = await error_of(connection.run("SELECT 1"))

    assert postgres()(error) is TRANSIENT, repr(error)
    assert postgres()(after) in {TRANSIENT, None}, repr(after)


async def test_a_full_pool_is_transient(postgres_server: PostgresServer) -> None:
    async with asyncpg.create_pool(**postgres_server.asyncpg, min_size=1, max_size=1) as pool, pool.acquire():
        assert postgres()(await error_of(pool.acquire(timeout=0.02))) is TRANSIENT

    other = psycopg_pool.AsyncConnectionPool(postgres_server.psycopg, min_size=1, max_size=1, open=False)
    async with other, other.connection():
        assert postgres()(await error_of(other.getconn(timeout=0.02))) is TRANSIENT

    for driver in ("asyncpg", "psycopg"):
        engine = create_async_engine(postgres_server.url(driver), pool_size=1, max_overflow=0, pool_timeout=0.02)
        async with engine.connect():
            assert postgres()(await error_of(engine.connect().start())) is TRANSIENT
        await engine.dispose()


async def test_a_closed_pool_is_transient(postgres_server: PostgresServer) -> None:
    pool = await asyncpg.create_pool(**postgres_server.asyncpg, min_size=1, max_size=1)
    await pool.close()
    assert postgres()(await error_of(pool.acquire())) is TRANSIENT

    connection = await asyncpg.connect(**postgres_server.asyncpg)
    await connection.close()
    assert postgres()(await error_of(connection.execute("SELECT 1"))) is TRANSIENT


async def test_a_server_with_no_room_for_another_connection_is_transient(postgres_server: PostgresServer) -> None:
    kept: list[asyncpg.Connection[Any]] = []
    try:
        with pytest.raises(asyncpg.TooManyConnectionsError) as full:
            while True:
                kept.append(await asyncpg.connect(**postgres_server.asyncpg))
        assert postgres()(full.value) is TRANSIENT
        assert postgres()(await error_of(psycopg.AsyncConnection.connect(postgres_server.psycopg))) is TRANSIENT
    finally:
        for one in kept:
            await one.close()


async def test_a_time_out_that_is_not_about_a_connection_says_nothing(postgres_server: PostgresServer) -> None:
    """A handler that took too long must not stop its partition as if the database were gone."""
    async with asyncpg.create_pool(**postgres_server.asyncpg, min_size=1, max_size=1) as pool, pool.acquire() as one:

        async def slowly() -> None:
            async with asyncio.timeout(0.02):
                await one.execute("SELECT pg_sleep(300)")

        assert postgres()(await error_of(slowly())) is None
        assert postgres()(await error_of(one.execute("SELECT pg_sleep(300)", timeout=0.02))) is None


async def test_wrong_use_of_a_driver_says_nothing(postgres_server: PostgresServer) -> None:
    """Two statements at once on one connection are a bug: it is Retryable, and nothing is lost."""
    connection = await asyncpg.connect(**postgres_server.asyncpg)
    try:
        running = asyncio.ensure_future(connection.execute("SELECT pg_sleep(0.2)"))
        await asyncio.sleep(0)
        assert postgres()(await error_of(connection.execute("SELECT 1"))) is None
        await running
    finally:
        await connection.close()


async def test_a_killed_server_is_transient(postgres_server: PostgresServer) -> None:
    """In the middle of a statement, on the same connection afterwards, and for whoever connects anew."""
    async with (
        through_asyncpg(postgres_server) as one,
        through_psycopg(postgres_server) as two,
        DRIVERS["sqlalchemy+asyncpg"](postgres_server) as three,
        DRIVERS["sqlalchemy+psycopg"](postgres_server) as four,
    ):
        connections = [one, two, three, four]
        sleeping = [asyncio.ensure_future(error_of(each.run("SELECT pg_sleep(300)"))) for each in connections]
        watching = await asyncpg.connect(**postgres_server.asyncpg)
        active = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE query LIKE '%pg_sleep(300)%' AND state = 'active' AND pid <> pg_backend_pid()"
        )
        while await watching.fetchval(active) < len(connections):
            await asyncio.sleep(0)
        try:
            postgres_server.kill()
            watching.terminate()
            broken = await asyncio.gather(*sleeping)
            again = [await error_of(each.run("SELECT 1")) for each in (one, two)]
            anew = [await error_of(through(postgres_server).__aenter__()) for through in DRIVERS.values()]
        finally:
            postgres_server.start()

    assert [postgres()(error) for error in broken] == [TRANSIENT] * 4, broken
    assert [postgres()(error) for error in again] == [TRANSIENT] * 2, again
    assert [postgres()(error) for error in anew] == [TRANSIENT] * 4, anew


def test_what_asyncpg_says_now_and_then_of_a_server_that_died_is_transient() -> None:
    """Once in a hundred kills or so the driver is in the middle of something else when it notices."""
    error = asyncpg.InternalClientError("cannot switch to state 11; another operation (2) is in progress")

    assert postgres()(error) is TRANSIENT


async def test_a_service_may_see_a_code_in_another_way(postgres_server: PostgresServer) -> None:
    own = (
        by_type({KeyError: TRANSIENT})
        | by_sqlstate({"23505": RETRYABLE, "22": TRANSIENT, "22012": RETRYABLE})
        | postgres()
    )
    async with through_asyncpg(postgres_server) as connection:
        unique = await error_of(connection.run("INSERT INTO stock VALUES ('a', 2)"))
        division = await error_of(connection.run("SELECT 1 / 0"))
        text = await error_of(connection.run("SELECT 'x'::integer"))

    assert [own(one) for one in (unique, division, text, KeyError())] == [RETRYABLE, RETRYABLE, TRANSIENT, TRANSIENT]
    assert own(ZeroDivisionError()) is None
    assert own.otherwise(UNRECOVERABLE)(ZeroDivisionError()) is UNRECOVERABLE
    with pytest.raises(ValueError, match="'2350' is no SQLSTATE"):
        by_sqlstate({"2350": RETRYABLE})
