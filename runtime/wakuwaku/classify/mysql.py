"""Errors of MySQL and MariaDB, through PyMySQL, aiomysql, asyncmy, mysqlclient and MySQL Connector, by error number.

The numbers are those of the *Server Error Message Reference* and *Client Error Message Reference* of its manual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wakuwaku.classify.classifier import Classifier, Rule
from wakuwaku.classify.operating_system import CONNECTION_RULES
from wakuwaku.classify.postgres import SQLALCHEMY_RULES
from wakuwaku.errors import ErrorClass

__all__ = ["by_errno", "mysql"]

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE

_DRIVERS: Final = frozenset({"pymysql", "aiomysql", "asyncmy", "MySQLdb", "mysql", "mariadb"})


def _number(error: Exception) -> int:
    """Return the number of an error of a MySQL driver, or 0: Connector has it as `errno`, the others come with it."""
    if not any(kind.__module__.partition(".")[0] in _DRIVERS for kind in type(error).__mro__):
        return 0
    candidates: tuple[object, ...] = (getattr(error, "errno", None), *error.args[:1])
    return next((one for one in candidates if isinstance(one, int)), 0)


def _numbered(meaning: str, error_class: ErrorClass, *numbers: int) -> Rule:
    sign = ", ".join(f"`{number}`" for number in numbers)
    return Rule(f"error {sign}", meaning, error_class, lambda error: _number(error) in numbers)


_RULES: Final[Sequence[Rule]] = (
    _numbered("deadlock", RETRYABLE, 1213),
    _numbered("lock time-out, or NOWAIT found it taken", RETRYABLE, 1205, 3572),
    _numbered("the statement was interrupted, or took too long", RETRYABLE, 1317, 3024, 1969),
    _numbered("the row was changed by another transaction", RETRYABLE, 1020, 1180, 3101),
    _numbered("foreign key violation: the row may not exist yet", RETRYABLE, 1216, 1452),
    _numbered("unique violation", UNRECOVERABLE, 1062, 1586),
    _numbered("another constraint is violated", UNRECOVERABLE, 1048, 1217, 1364, 1451, 3819, 4025),
    _numbered("the data is not valid", UNRECOVERABLE, 1264, 1265, 1292, 1366, 1406, 3140),
    _numbered("syntax error", UNRECOVERABLE, 1064),
    _numbered("the server can't be reached, or the connection was lost", TRANSIENT, 2002, 2003, 2005, 2006, 2013, 2055),
    _numbered("the server is stopping, or closed the connection", TRANSIENT, 1053, 1077, 1079, 1927, 4031),
    _numbered("out of connections, memory or disk", TRANSIENT, 1021, 1037, 1040, 1041, 1114, 1203, 1226),
    _numbered("the server is read-only, as after a failover", TRANSIENT, 1290, 1792, 1836, 3100),
    _numbered("the user may not do that", TRANSIENT, 1044, 1045, 1142, 1143, 1227),
    _numbered("the database is not migrated (yet)", TRANSIENT, 1049, 1054, 1146, 1305),
    *SQLALCHEMY_RULES,
    *CONNECTION_RULES,
)

_CLASSIFIER: Final = Classifier(*_RULES)


def mysql() -> Classifier:
    """Classify errors of MySQL and MariaDB, through PyMySQL, aiomysql, asyncmy, mysqlclient, Connector or SQLAlchemy.

    What would fail for every key waits in place, what lost a race is tried again, what can never succeed goes to the
    dead letters.
    """
    return _CLASSIFIER


def by_errno(classes: Mapping[int, ErrorClass]) -> Classifier:
    """Classify by MySQL's error number in another way: ``by_errno({1062: ErrorClass.RETRYABLE}) | mysql()``."""
    return Classifier(
        *(_numbered("as this service wants it", error_class, number) for number, error_class in classes.items())
    )
