"""Errors of Redis and Valkey, through redis-py and valkey-py, by class name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wakuwaku.classify.classifier import Classifier, Rule
from wakuwaku.classify.operating_system import CONNECTION_RULES
from wakuwaku.classify.signs import is_a
from wakuwaku.errors import ErrorClass

__all__ = ["redis"]

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE

_CLIENTS: Final = ("redis", "valkey")


def _named(names: str, meaning: str, error_class: ErrorClass) -> Rule:
    """Make a rule for classes of redis-py, which valkey-py has under the same names."""

    def bears(error: Exception) -> bool:
        return any(is_a(error, client, name) for client in _CLIENTS for name in names.split())

    return Rule(", ".join(f"`{name}`" for name in names.split()), meaning, error_class, bears)


def _answered(starts: str, meaning: str, error_class: ErrorClass) -> Rule:
    """Make a rule for what the server answers; its first word is the kind of error."""

    def bears(error: Exception) -> bool:
        return any(is_a(error, client, "ResponseError") for client in _CLIENTS) and str(error).startswith(
            tuple(starts.split())
        )

    return Rule(f"`ResponseError` {', '.join(starts.split())}", meaning, error_class, bears)


_RULES: Final[Sequence[Rule]] = (
    _named("WatchError ExecAbortError TryAgainError", "another client was first", RETRYABLE),
    _named("LockError", "the lock is taken, or was lost", RETRYABLE),
    _named("BusyLoadingError", "the server is loading its data", TRANSIENT),
    _named("ReadOnlyError", "the server is a replica, as after a failover", TRANSIENT),
    _named("ClusterDownError MasterDownError SlotNotCoveredError ClusterError", "the cluster is not whole", TRANSIENT),
    _named("OutOfMemoryError", "the server is out of memory", TRANSIENT),
    _named("AuthenticationError AuthorizationError NoPermissionError", "the client may not do that", TRANSIENT),
    _named("MaxConnectionsError", "the pool has no connection to give", TRANSIENT),
    _named("ConnectionError", "the server can't be reached, or the connection was lost", TRANSIENT),
    _named("TimeoutError", "the server did not answer in time", TRANSIENT),
    _answered("OOM MISCONF NOREPLICAS LOADING MASTERDOWN", "the server can't write", TRANSIENT),
    _named("NoScriptError", "the script is not loaded", RETRYABLE),
    _answered("BUSY", "a script is running", RETRYABLE),
    _answered("WRONGTYPE", "the key holds another kind of value", UNRECOVERABLE),
    _named("DataError", "the value can't be sent", UNRECOVERABLE),
    *CONNECTION_RULES,
)

_CLASSIFIER: Final = Classifier(*_RULES)


def redis() -> Classifier:
    """Classify errors of Redis and Valkey, through redis-py or valkey-py."""
    return _CLASSIFIER
