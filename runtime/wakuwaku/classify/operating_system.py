"""Errors of the operating system: connections that are not there, full disks, busy files."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Final

from wakuwaku.classify.classifier import Classifier, Rule
from wakuwaku.classify.signs import is_a
from wakuwaku.errors import ErrorClass

__all__ = ["CONNECTION_RULES", "operating_system"]

TRANSIENT, RETRYABLE, UNRECOVERABLE = ErrorClass.TRANSIENT, ErrorClass.RETRYABLE, ErrorClass.UNRECOVERABLE


def _numbered(names: str, meaning: str, error_class: ErrorClass) -> Rule:
    """Make a rule for errno names; those this system does not have are left out."""
    numbers = {number for name in names.split() if (number := getattr(errno, name, None)) is not None}
    sign = ", ".join(f"`{name}`" for name in names.split())
    return Rule(sign, meaning, error_class, lambda error: isinstance(error, OSError) and error.errno in numbers)


#: What a client of any server meets when the server is not there.
CONNECTION_RULES: Final[Sequence[Rule]] = (
    Rule(
        "built-in `ConnectionError`",
        "refused, reset, aborted or broken",
        TRANSIENT,
        lambda e: isinstance(e, ConnectionError),
    ),
    _numbered(
        "ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET EADDRNOTAVAIL", "unreachable", TRANSIENT
    ),
    Rule("`socket.gaierror`", "the name can't be looked up", TRANSIENT, lambda e: is_a(e, "socket", "gaierror")),
)

_RULES: Final[Sequence[Rule]] = (
    *CONNECTION_RULES,
    _numbered("ENOSPC EDQUOT EROFS EIO ESTALE ENODEV", "the disk is full, read-only or gone", TRANSIENT),
    _numbered("EMFILE ENFILE ENOMEM ENOBUFS", "out of file handles or memory", TRANSIENT),
    _numbered("EAGAIN EBUSY EDEADLK EINTR ETXTBSY", "busy right now", RETRYABLE),
    _numbered("ENAMETOOLONG EISDIR ENOTDIR ELOOP EFBIG", "the path or size can never work", UNRECOVERABLE),
)

_CLASSIFIER: Final = Classifier(*_RULES)


def operating_system() -> Classifier:
    """Classify `OSError`: connections, disks, handles. A plain `TimeoutError` says nothing of its class."""
    return _CLASSIFIER
