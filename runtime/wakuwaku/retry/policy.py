"""Whether another attempt is allowed.

A policy holds configuration only; everything that changes lives in the context it opened. Asking it never changes
anything, so it may be asked any number of times.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from wakuwaku.retry.callables import require_sync
from wakuwaku.retry.classifier import ExceptionClassifier, ExceptionTypes, Groups, types_of
from wakuwaku.retry.context import RetryContext
from wakuwaku.retry.duration import Duration, seconds
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.immutable import Immutable
from wakuwaku.retry.stop_reason import StopReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from wakuwaku.retry.composite import CompositeRetryPolicy

__all__ = [
    "AlwaysRetryPolicy",
    "MaxAttemptsRetryPolicy",
    "NeverRetryPolicy",
    "PredicateRetryPolicy",
    "RetryPolicy",
    "SimpleRetryPolicy",
    "TimeoutRetryPolicy",
]


class RetryPolicy(ABC):
    """Decide whether another attempt is allowed; subclass it and write `can_retry` for a policy of your own.

    `first_attempt_free` promises that a first attempt is always allowed, that `open` only makes a context, and that
    nothing need be closed while nothing failed. An execution that succeeds at once then skips all three.
    """

    first_attempt_free: bool = False
    shared: ClassVar[bool] = False  # one context for all executions with the same key: a circuit

    @property
    def max_attempts(self) -> int | None:
        """Return how many attempts are allowed in all, or None when there is no such number."""
        return None

    def open(self, parent: RetryContext | None) -> RetryContext:
        """Return the context for a new execution."""
        return RetryContext(parent, self)

    @abstractmethod
    def can_retry(self, context: RetryContext) -> bool:
        """Say whether another attempt is allowed, without changing anything."""

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Return why no further attempt is allowed, or None when one is."""
        if self.can_retry(context):
            return None
        limit = self.max_attempts
        return (
            StopReason.MAX_ATTEMPTS if limit is not None and context.retry_count >= limit else StopReason.NOT_RETRYABLE
        )

    def register_exception(self, context: RetryContext, exc: Exception) -> None:
        """Count a failure of an attempt; called once for each, before anything is decided about it."""
        context.register(exc)

    def may_recover(self, context: RetryContext, exc: Exception) -> bool:  # noqa: ARG002
        """Say whether recovery may serve this error once no attempt is left."""
        return True

    def remaining(self, context: RetryContext) -> float | None:  # noqa: ARG002
        """Return the seconds left until the deadline, or None when there is none."""
        return None

    def names(self, exc: Exception) -> bool:  # noqa: ARG002
        """Say whether the user named the type of this error, which is one of the toolkit's own, as retryable."""
        return False

    def close(self, context: RetryContext) -> None:  # noqa: B027
        """Release what `open` acquired; the execution is over."""

    def __and__(self, other: RetryPolicy) -> CompositeRetryPolicy:
        """Return a policy that allows an attempt when both do."""
        from wakuwaku.retry.composite import CompositeRetryPolicy  # noqa: PLC0415  (it builds on this module)

        return CompositeRetryPolicy(self, other)

    def __or__(self, other: RetryPolicy) -> CompositeRetryPolicy:
        """Return a policy that allows an attempt when one of the two does."""
        from wakuwaku.retry.composite import CompositeRetryPolicy  # noqa: PLC0415  (it builds on this module)

        return CompositeRetryPolicy(self, other, optimistic=True)


class _BuiltIn(Immutable, RetryPolicy):
    first_attempt_free = True

    def can_retry(self, context: RetryContext) -> bool:
        return self.refusal(context) is None


class NeverRetryPolicy(_BuiltIn):
    """Allow the first attempt only."""

    @property
    def max_attempts(self) -> int:
        """Return 1."""
        return 1

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Refuse once something failed."""
        return StopReason.NOT_RETRYABLE if context.retry_count else None


class AlwaysRetryPolicy(_BuiltIn):
    """Allow attempts for ever; pair it with a classifier or a timeout."""

    def refusal(self, context: RetryContext) -> StopReason | None:  # noqa: ARG002
        """Never refuse."""
        return None


class MaxAttemptsRetryPolicy(_BuiltIn):
    """Allow `n` attempts in all, whatever the error; raise ValueError for `n` below 1."""

    def __init__(self, n: int = 3) -> None:
        self.n = _attempts(n)

    @property
    def max_attempts(self) -> int:
        """Return the limit."""
        return self.n

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Refuse once the limit is used up."""
        return None if context.retry_count < self.n else StopReason.MAX_ATTEMPTS


class PredicateRetryPolicy(_BuiltIn):
    """Allow attempts, without a limit, while `pred` says yes to the last error."""

    def __init__(self, pred: Callable[[Exception], bool]) -> None:
        if not callable(pred):
            raise RetryUsageError("PredicateRetryPolicy needs a function that takes the error")
        require_sync(pred, "a predicate")
        self.pred = pred

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Refuse when the predicate says no to the last error."""
        exc = context.last_exception
        return None if exc is None or _answer(self.pred, exc) else StopReason.NOT_RETRYABLE

    def names(self, exc: Exception) -> bool:
        """Say whether the predicate is a classifier that names a fitting type of the toolkit's own."""
        return isinstance(self.pred, ExceptionClassifier) and self.pred.names(exc)


class SimpleRetryPolicy(_BuiltIn):
    """Allow `max_attempts` attempts in all, for errors worth it.

    The types are told apart as `ExceptionClassifier` does; `when` is a further condition on the error. `max_attempts`
    may be a function, read at every question. Errors of a type in `not_recoverable` are raised without recovery.
    Raise ValueError for `max_attempts` below 1.
    """

    def __init__(
        self,
        max_attempts: int | Callable[[], int] = 3,
        *,
        retry_for: ExceptionTypes = Exception,
        no_retry_for: ExceptionTypes = (),
        not_recoverable: ExceptionTypes = (),
        traverse_causes: bool = False,
        groups: Groups = "opaque",
        when: Callable[[Exception], bool] | None = None,
    ) -> None:
        require_sync(when, "when=")
        self.limit = max_attempts if callable(max_attempts) else _attempts(max_attempts)
        self.classifier = ExceptionClassifier(retry_for, no_retry_for, traverse_causes=traverse_causes, groups=groups)
        self.not_recoverable = types_of(not_recoverable, "not_recoverable")
        self.when = when

    @property
    def max_attempts(self) -> int:
        """Return the limit as it is now."""
        return self.limit() if callable(self.limit) else self.limit

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Refuse once the limit is used up, or when the last error is not worth it."""
        exc = context.last_exception
        if exc is None:
            return None
        if not self.classifier(exc) or not (self.when is None or _answer(self.when, exc)):
            return StopReason.NOT_RETRYABLE
        return None if context.retry_count < self.max_attempts else StopReason.MAX_ATTEMPTS

    def may_recover(self, context: RetryContext, exc: Exception) -> bool:  # noqa: ARG002
        """Forbid recovery for the types in `not_recoverable`."""
        return not isinstance(exc, self.not_recoverable)

    def names(self, exc: Exception) -> bool:
        """Say whether `retry_for` names a type of the toolkit's own that fits."""
        return self.classifier.names(exc)


class TimeoutRetryPolicy(_BuiltIn):
    """Allow attempts until `timeout` has passed since the execution began, whatever the error.

    Measured on the monotonic clock of the template. The first attempt is always made, and no attempt is interrupted.
    """

    def __init__(self, timeout: Duration = 1.0) -> None:
        self.timeout = seconds(timeout, "timeout")

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Refuse once the time is up and something failed."""
        return StopReason.DEADLINE if context.retry_count and context.elapsed >= self.timeout else None

    def remaining(self, context: RetryContext) -> float:
        """Return the seconds left; negative when the deadline has passed."""
        return self.timeout - context.elapsed


def _attempts(number: int) -> int:
    if number < 1:
        raise ValueError(f"max_attempts counts every call including the first, so it must be 1 or more, not {number}")
    return number


def _answer(predicate: Callable[[Exception], bool], exc: Exception) -> bool:
    answer: Any = predicate(exc)
    if inspect.iscoroutine(answer):
        answer.close()
        raise RetryUsageError("a predicate returned a coroutine; it must be a plain function that returns a bool")
    return bool(answer)
