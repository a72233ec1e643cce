"""Errors of SQLite, through sqlite3, aiosqlite and SQLAlchemy, by result code.

The codes are those of the page *Result and Error Codes* of its documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wakuwaku.classify.classifier import Classifier, Rule
from wakuwaku.classify.postgres import SQLALCHEMY_RULES
from wakuwaku.classify.signs import is_a
from wakuwaku.errors import ErrorClass

__all__ = ["sqlite"]

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE

_UNKNOWN: Final = -1


def _code(error: Exception) -> int:
    """Return the extended result code of an error of SQLite, or -1."""
    code: object = getattr(error, "sqlite_errorcode", None)
    return code if isinstance(code, int) else _UNKNOWN


def _extended(name: str, code: int, meaning: str, error_class: ErrorClass) -> Rule:
    return Rule(f"`{name}`", meaning, error_class, lambda error: _code(error) == code)


def _primary(names: str, codes: Sequence[int], meaning: str, error_class: ErrorClass) -> Rule:
    """Make a rule for primary result codes, the low byte of the extended ones."""
    sign = ", ".join(f"`{name}`" for name in names.split())
    return Rule(sign, meaning, error_class, lambda error: (code := _code(error)) != _UNKNOWN and code & 0xFF in codes)


def _is_unmigrated(error: Exception) -> bool:
    return is_a(error, "sqlite3", "OperationalError") and str(error).startswith(("no such table", "no such column"))


_RULES: Final[Sequence[Rule]] = (
    _extended("SQLITE_BUSY_SNAPSHOT", 517, "another writer was first, and this transaction had read before", RETRYABLE),
    _primary("SQLITE_BUSY", (5,), "the database stayed locked for the whole busy time-out", TRANSIENT),
    _primary("SQLITE_LOCKED", (6,), "a table is locked by the same process", RETRYABLE),
    _primary("SQLITE_INTERRUPT SQLITE_ABORT", (9, 4), "the statement was interrupted", RETRYABLE),
    _extended("SQLITE_CONSTRAINT_FOREIGNKEY", 787, "the row may not exist yet", RETRYABLE),
    _primary("SQLITE_CONSTRAINT", (19,), "a constraint is violated", UNRECOVERABLE),
    _primary("SQLITE_TOOBIG SQLITE_MISMATCH SQLITE_RANGE", (18, 20, 25), "the data is not valid", UNRECOVERABLE),
    _primary("SQLITE_FULL SQLITE_IOERR SQLITE_NOMEM", (13, 10, 7), "out of disk or memory", TRANSIENT),
    _primary(
        "SQLITE_CANTOPEN SQLITE_READONLY SQLITE_PERM SQLITE_AUTH SQLITE_PROTOCOL",
        (14, 8, 3, 23, 15),
        "the file can't be opened or written",
        TRANSIENT,
    ),
    _primary("SQLITE_CORRUPT SQLITE_NOTADB", (11, 26), "the file is damaged", TRANSIENT),
    Rule("no such table or column", "the database is not migrated (yet)", TRANSIENT, _is_unmigrated),
    *SQLALCHEMY_RULES,
)

_CLASSIFIER: Final = Classifier(*_RULES)


def sqlite() -> Classifier:
    """Classify errors of SQLite, through sqlite3, aiosqlite or SQLAlchemy.

    A busy database waits in place: its lock is one for all keys.
    """
    return _CLASSIFIER
