"""Every error the retry toolkit raises of its own, in one shallow tree.

::

    RetryError                              root; an unstable key; no attempt allowed at all
    ├── RetryUsageError                     a use that can't work; a TypeError too; never retried
    ├── ExhaustedRetryError                 stateful: no attempt is left, and no recovery took over
    │   ├── CircuitOpenError                the circuit refuses calls for now
    │   └── RecoveryNotFoundError           no recovery method takes this failure
    ├── TerminatedRetryError                the machinery stopped it: a veto, a broken policy, a broken cache
    ├── BackOffInterruptedError             a pause was interrupted, by shutdown for example
    └── RetryCacheCapacityExceededError     the cache is full of contexts that wait

A stateless execution ends with the user's own error, never with one of these. All of them pickle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wakuwaku.errors import WakuwakuError

if TYPE_CHECKING:
    from wakuwaku.retry.failure import FailureSummary

__all__ = [
    "BackOffInterruptedError",
    "CircuitOpenError",
    "ExhaustedRetryError",
    "RecoveryNotFoundError",
    "RetryCacheCapacityExceededError",
    "RetryError",
    "RetryUsageError",
    "TerminatedRetryError",
]


class RetryError(WakuwakuError):
    """Be the root of the errors the retry toolkit raises of its own."""


class RetryUsageError(RetryError, TypeError):
    """Report a use of the toolkit that can't work, such as an async hook in a sync execution; it is never retried."""


class ExhaustedRetryError(RetryError):
    """Report a stateful execution that has no attempt left and no recovery.

    `failure` sums up the last failure (None when no attempt was ever made); the cause is the last error itself when it
    was raised in this very call, and otherwise a stand-in made of the summary.
    """

    def __init__(self, message: str = "no attempt is left", failure: FailureSummary | None = None) -> None:
        super().__init__(message)
        self.failure = failure


class CircuitOpenError(ExhaustedRetryError):
    """Report a call that an open circuit refused without trying."""


class RecoveryNotFoundError(ExhaustedRetryError):
    """Report that no recovery method takes the failure, or that the named one does not exist or fit."""


class TerminatedRetryError(RetryError):
    """Report an execution that the machinery stopped: a listener's veto, a failing policy or a failing cache."""


class BackOffInterruptedError(RetryError):
    """Report a pause that was interrupted; no further attempt and no recovery follows.

    The cause is the error that led to the pause.
    """


class RetryCacheCapacityExceededError(RetryError):
    """Report a context cache that has no room for another key; unstable keys are the usual reason."""
