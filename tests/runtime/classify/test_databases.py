"""The classifiers of SQLite and MySQL: errors that real drivers raise."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import aiomysql  # type: ignore[import-untyped]
import pymysql
import pytest
import sqlalchemy
from sqlalchemy.exc import OperationalError, StatementError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.orm.exc import StaleDataError

from tests.servers.mysql import HANG_UP, mysql_server
from wakuwaku import ErrorClass
from wakuwaku.classify import by_errno, mysql, sqlite

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE

TABLES = """
    CREATE TABLE stock (sku TEXT PRIMARY KEY, quantity INTEGER NOT NULL CHECK (quantity >= 0)) STRICT;
    CREATE TABLE line (sku TEXT REFERENCES stock);
    INSERT INTO stock VALUES ('a', 1);
"""


def error_of(failing: Callable[[], object]) -> Exception:
    try:
        failing()
    except Exception as error:  # noqa: BLE001 - whatever the driver raises is the subject
        return error
    raise AssertionError("it succeeded")


def opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with closing(opened(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(TABLES)
    return path


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(opened(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("INSERT INTO stock VALUES ('a', 2)", UNRECOVERABLE),
        ("INSERT INTO stock VALUES ('c', -1)", UNRECOVERABLE),
        ("INSERT INTO stock VALUES ('c', 'x')", UNRECOVERABLE),
        ("INSERT INTO line VALUES ('not yet')", RETRYABLE),
        ("SELECT * FROM not_migrated_yet", TRANSIENT),
        ("SELECT not_migrated_yet FROM stock", TRANSIENT),
        ("SELEC 1", None),
    ],
)
def test_statements_of_sqlite(connection: sqlite3.Connection, statement: str, expected: ErrorClass | None) -> None:
    error = error_of(lambda: connection.execute(statement))

    assert sqlite()(error) is expected, repr(error)


def test_a_busy_database_is_transient(path: Path, connection: sqlite3.Connection) -> None:
    """Its lock is one for all keys."""
    with closing(opened(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        busy = error_of(lambda: connection.execute("BEGIN IMMEDIATE"))
        engine = sqlalchemy.create_engine(f"sqlite:///{path}", connect_args={"timeout": 0})

        def insert() -> None:
            with engine.begin() as wrapped:
                wrapped.execute(sqlalchemy.text("INSERT INTO stock VALUES ('z', 1)"))

        through_sqlalchemy = error_of(insert)
        engine.dispose()

    assert isinstance(through_sqlalchemy, OperationalError)
    assert [sqlite()(busy), sqlite()(through_sqlalchemy)] == [TRANSIENT, TRANSIENT]


def test_a_transaction_whose_snapshot_is_old_is_retryable(path: Path, connection: sqlite3.Connection) -> None:
    with closing(opened(path)) as other:
        connection.execute("BEGIN")
        connection.execute("SELECT * FROM stock").fetchall()
        other.execute("UPDATE stock SET quantity = 3")
        error = error_of(lambda: connection.execute("UPDATE stock SET quantity = 4"))

    assert sqlite()(error) is RETRYABLE


def test_files_that_can_not_be_used_are_transient(path: Path, tmp_path: Path) -> None:
    no_database = tmp_path / "text.db"
    no_database.write_bytes(b"not a database at all, and longer than a header, that it be read as one " * 20)
    with closing(opened(path)) as small:
        pages = small.execute("PRAGMA page_count").fetchone()[0]
        small.execute(f"PRAGMA max_page_count = {pages}")
        full = error_of(lambda: small.execute("INSERT INTO stock VALUES (?, 1)", ["x" * 100_000]))
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reading:
        read_only = error_of(lambda: reading.execute("DELETE FROM stock"))
    with closing(opened(no_database)) as damaged:
        damage = error_of(lambda: damaged.execute("SELECT * FROM stock"))
    missing = error_of(lambda: sqlite3.connect(tmp_path / "none" / "x.db"))

    assert [sqlite()(one) for one in (full, read_only, damage, missing)] == [TRANSIENT] * 4


def test_an_interrupted_statement_is_retryable(connection: sqlite3.Connection) -> None:
    connection.set_progress_handler(lambda: 1, 1)
    error = error_of(lambda: connection.execute("SELECT count(*) FROM stock a, stock b, stock c").fetchall())
    connection.set_progress_handler(None, 0)

    assert sqlite()(error) is RETRYABLE


class Base(DeclarativeBase):
    """Be the base of the table."""


class Shelf(Base):
    __tablename__ = "shelf"
    number: Mapped[int] = mapped_column(primary_key=True)
    label: Mapped[str] = mapped_column()
    version: Mapped[int] = mapped_column()
    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - as SQLAlchemy wants it


def test_a_row_that_another_writer_changed_first_is_retryable(path: Path) -> None:
    """SQLAlchemy's version column; and what it says itself, without a driver's error, is known as well."""
    engine = sqlalchemy.create_engine(f"sqlite:///{path}")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        shelf = Shelf(number=1, label="tea")
        session.add(shelf)
        session.commit()
        assert shelf.version == 1
        session.execute(sqlalchemy.text("UPDATE shelf SET version = 9"))
        shelf.label = "coffee"
        error = error_of(session.commit)
    engine.dispose()

    assert isinstance(error, StaleDataError)
    assert sqlite()(error) is RETRYABLE
    assert sqlite()(StatementError("no driver's error", None, None, None)) is None


NUMBERS = [
    (1213, RETRYABLE),  # deadlock
    (1205, RETRYABLE),  # lock wait time-out
    (3572, RETRYABLE),  # NOWAIT
    (1452, RETRYABLE),  # foreign key
    (3024, RETRYABLE),  # max_execution_time
    (1062, UNRECOVERABLE),  # duplicate
    (1048, UNRECOVERABLE),  # not null
    (3819, UNRECOVERABLE),  # check
    (1406, UNRECOVERABLE),  # too long
    (1064, UNRECOVERABLE),  # syntax
    (1146, TRANSIENT),  # no such table
    (1040, TRANSIENT),  # too many connections
    (1053, TRANSIENT),  # server shutdown
    (1290, TRANSIENT),  # read-only
    (9999, None),
]


async def test_errors_of_mysql_through_aiomysql() -> None:
    async with mysql_server() as port:
        found = {}
        connection = await aiomysql.connect(host="127.0.0.1", port=port, user="u", password="p", db="d")
        for number, _ in NUMBERS:
            async with connection.cursor() as cursor:
                with pytest.raises(Exception, match="as the test wants it") as failed:
                    await cursor.execute(f"error {number}")
                found[number] = mysql()(failed.value)
        async with connection.cursor() as cursor:
            with pytest.raises(pymysql.err.OperationalError) as gone:
                await cursor.execute(f"error {HANG_UP}")
        connection.close()

    assert found == dict(NUMBERS)
    assert mysql()(gone.value) is TRANSIENT


async def test_errors_of_mysql_through_pymysql_and_sqlalchemy() -> None:
    """In threads, since both block."""

    def through_the_driver(port: int) -> tuple[dict[int, ErrorClass | None], ErrorClass | None]:
        found = {}
        connection = pymysql.connect(host="127.0.0.1", port=port, user="u", password="p", database="d")
        cursor = connection.cursor()
        for number, _ in NUMBERS:
            found[number] = mysql()(error_of(partial(cursor.execute, f"error {number}")))
        gone = error_of(partial(cursor.execute, f"error {HANG_UP}"))  # which closes the connection
        return found, mysql()(gone)

    def refused(port: int) -> ErrorClass | None:
        return mysql()(error_of(lambda: pymysql.connect(host="127.0.0.1", port=port, user="u")))

    async with mysql_server() as port:
        assert await asyncio.to_thread(through_the_driver, port) == (dict(NUMBERS), TRANSIENT)
    assert await asyncio.to_thread(refused, port) is TRANSIENT


def wrapped(number: int) -> Exception:
    """Return an error as SQLAlchemy wraps it."""
    inner = pymysql.err.OperationalError(number, "as the test wants it")
    return sqlalchemy.exc.DBAPIError.instance("SELECT 1", None, inner, pymysql.err.Error)


def test_errors_of_mysql_that_sqlalchemy_wrapped() -> None:
    assert {number: mysql()(wrapped(number)) for number, _ in NUMBERS} == dict(NUMBERS)


class ConnectorError(Exception):
    """Be an error as MySQL Connector has it, whose number is an attribute."""

    def __init__(self, errno: int) -> None:
        super().__init__(f"{errno} (HY000): as the test wants it")
        self.errno = errno


ConnectorError.__module__ = "mysql.connector.errors"


def test_the_number_of_mysql_connector_is_an_attribute() -> None:
    assert {number: mysql()(ConnectorError(number)) for number, _ in NUMBERS} == dict(NUMBERS)
    assert (by_errno({1062: RETRYABLE}) | mysql())(ConnectorError(1062)) is RETRYABLE


@pytest.mark.parametrize("error", [ValueError(1213), OSError(1213, "x"), KeyError(1062)])
def test_numbers_of_other_errors_mean_nothing(error: Any) -> None:
    assert mysql()(error) is None
