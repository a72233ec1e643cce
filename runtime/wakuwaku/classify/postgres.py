"""Errors of PostgreSQL, through asyncpg, psycopg and SQLAlchemy, by SQLSTATE.

The codes are those of the appendix *PostgreSQL Error Codes* of its manual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wakuwaku.classify.classifier import Classifier, Rule
from wakuwaku.classify.operating_system import CONNECTION_RULES
from wakuwaku.classify.signs import came_out_of, is_a, named
from wakuwaku.errors import ErrorClass

__all__ = ["SQLALCHEMY_RULES", "by_sqlstate", "postgres"]

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE


def _sqlstate(error: Exception) -> str:
    """Return an error's SQLSTATE, or an empty text; psycopg 2 calls it pgcode."""
    for name in ("sqlstate", "pgcode"):
        value: object = getattr(error, name, None)
        if isinstance(value, str):
            return value
    return ""


def _state(codes: str, meaning: str, error_class: ErrorClass) -> Rule:
    """Make a rule for SQLSTATEs; fewer than five characters name all that begin so."""
    wanted = tuple(codes.split())
    sign = ", ".join(f"`{code}`" if len(code) == 5 else f"`{code}…`" for code in wanted)
    return Rule(f"SQLSTATE {sign}", meaning, error_class, lambda error: _sqlstate(error).startswith(wanted))


def _is_lost_connection(error: Exception) -> bool:
    """Tell whether asyncpg was asked for something on a connection or pool that is gone; wrong use looks alike."""
    lost = ("connection is closed", "pool is closed", "pool is closing")
    return is_a(error, "asyncpg", "InterfaceError") and str(error).startswith(lost)


def _is_no_room(error: Exception) -> bool:
    """Tell whether asyncpg waited too long for a connection, and not the handler for something else."""
    modules = ("asyncpg.pool", "asyncpg.connect_utils")
    return isinstance(error, TimeoutError) and any(came_out_of(error, module) for module in modules)


#: What SQLAlchemy itself raises, whatever the database.
SQLALCHEMY_RULES: Final[Sequence[Rule]] = (
    named("sqlalchemy.TimeoutError", "no connection of the pool became free in time", TRANSIENT),
    Rule(
        "`sqlalchemy.DBAPIError` with `connection_invalidated`",
        "the connection was lost",
        TRANSIENT,
        lambda error: bool(getattr(error, "connection_invalidated", False)),
    ),
    named("sqlalchemy.StaleDataError", "another writer changed the row first", RETRYABLE),
)

_RULES: Final[Sequence[Rule]] = (
    _state("40001", "serialization failure", RETRYABLE),
    _state("40P01", "deadlock", RETRYABLE),
    _state("40", "the transaction was rolled back", RETRYABLE),
    _state("55P03", "lock time-out, or NOWAIT found it taken", RETRYABLE),
    _state("55006", "the object is in use", RETRYABLE),
    _state("57014", "the statement was cancelled, as by `statement_timeout`", RETRYABLE),
    _state("23503", "foreign key violation: the row may not exist yet", RETRYABLE),
    _state("23505", "unique violation", UNRECOVERABLE),
    _state("23", "another constraint is violated", UNRECOVERABLE),
    _state("22", "the data is not valid", UNRECOVERABLE),
    _state("42601", "syntax error", UNRECOVERABLE),
    _state("08", "the connection failed or was lost", TRANSIENT),
    _state("57P", "the server is starting, stopping or crashed", TRANSIENT),
    _state("53", "out of connections, memory or disk", TRANSIENT),
    _state("58", "the server's system failed", TRANSIENT),
    _state("25006", "the server is read-only, as after a failover", TRANSIENT),
    _state("28 42501", "the role may not do that", TRANSIENT),
    _state("3D000 3F000 42P01 42703 42883", "the database is not migrated (yet)", TRANSIENT),
    Rule("`asyncpg.InterfaceError`, closed", "the connection or pool is closed", TRANSIENT, _is_lost_connection),
    named("asyncpg.InternalClientError", "the driver lost its way, as when the server dies under it", TRANSIENT),
    Rule("`TimeoutError` out of `asyncpg.pool`", "no connection became free in time", TRANSIENT, _is_no_room),
    named(
        "psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed, psycopg_pool.TooManyRequests",
        "the pool has no connection to give",
        TRANSIENT,
    ),
    named(
        "psycopg.OperationalError, psycopg2.OperationalError",
        "no SQLSTATE: the server can't be reached",
        TRANSIENT,
        unless=lambda error: bool(_sqlstate(error)),
    ),
    *SQLALCHEMY_RULES,
    *CONNECTION_RULES,
)

_CLASSIFIER: Final = Classifier(*_RULES)


def postgres() -> Classifier:
    """Classify errors of PostgreSQL, through asyncpg, psycopg or SQLAlchemy.

    What would fail for every key waits in place: no server, no connection, a missing table or right. What lost a race
    is tried again. What can never succeed goes to the dead letters.
    """
    return _CLASSIFIER


def by_sqlstate(classes: Mapping[str, ErrorClass]) -> Classifier:
    """Classify by SQLSTATE in another way: ``by_sqlstate({"23505": ErrorClass.RETRYABLE}) | postgres()``.

    Five characters name a code, two a whole class of them; the longer one wins. Raises `ValueError` for another length.
    """
    for code in classes:
        if len(code) not in {2, 5}:
            raise ValueError(f"{code!r} is no SQLSTATE; it has five characters, or two for a whole class of them")
    ordered = sorted(classes.items(), key=lambda item: -len(item[0]))
    return Classifier(*(_state(code, "as this service wants it", error_class) for code, error_class in ordered))
