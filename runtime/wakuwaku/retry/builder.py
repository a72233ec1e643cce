"""Put a template together step by step, with every contradiction refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from wakuwaku.retry.backoff import (
    BackOffPolicy,
    ExponentialBackOff,
    ExponentialRandomBackOff,
    FixedBackOff,
    NoBackOff,
    UniformRandomBackOff,
)
from wakuwaku.retry.classifier import ExceptionClassifier, ExceptionTypes, types_of
from wakuwaku.retry.composite import CompositeRetryPolicy
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.policy import (
    AlwaysRetryPolicy,
    MaxAttemptsRetryPolicy,
    PredicateRetryPolicy,
    RetryPolicy,
    TimeoutRetryPolicy,
)

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable, Iterable

    from wakuwaku.retry.duration import Duration
    from wakuwaku.retry.listener import RetryListener
    from wakuwaku.retry.template import RetryTemplate

__all__ = ["RetryTemplateBuilder"]

T = TypeVar("T")


class RetryTemplateBuilder:
    """Collect at most one limit, at most one pause and one rule about errors; `build` may be called several times.

    Both the limit and the rule must allow an attempt, so a timeout or a policy of your own never retries the wrong
    errors. A second choice, or a mix of rules, raises RetryUsageError; wrong numbers raise ValueError. Not for several
    threads.
    """

    def __init__(self) -> None:
        self._limit: RetryPolicy | None = None
        self._pause: BackOffPolicy[Any] | None = None
        self._retry_on: tuple[type[Exception], ...] = ()
        self._not_retry_on: tuple[type[Exception], ...] = ()
        self._predicate: Callable[[Exception], bool] | None = None
        self._traversing = False
        self._listeners: list[RetryListener] = []
        self._logger: logging.Logger | None = None

    # -- limit ---------------------------------------------------------------------------------------------------------

    def max_attempts(self, n: int) -> RetryTemplateBuilder:
        """Allow `n` attempts in all, the first included."""
        return self._limited(MaxAttemptsRetryPolicy(n))

    def with_timeout(self, timeout: Duration) -> RetryTemplateBuilder:
        """Allow attempts until this time has passed."""
        policy = TimeoutRetryPolicy(timeout)
        _above_zero(policy.timeout, "timeout")
        return self._limited(policy)

    def infinite_retry(self) -> RetryTemplateBuilder:
        """Allow attempts for ever."""
        return self._limited(AlwaysRetryPolicy())

    def custom_policy(self, policy: RetryPolicy) -> RetryTemplateBuilder:
        """Let a policy of your own be the limit."""
        return self._limited(_given(policy, "a policy"))

    def _limited(self, policy: RetryPolicy) -> RetryTemplateBuilder:
        if self._limit is not None:
            raise RetryUsageError(
                "the builder has a limit already: give one of max_attempts, with_timeout, infinite_retry"
            )
        self._limit = policy
        return self

    # -- pause ---------------------------------------------------------------------------------------------------------

    def no_backoff(self) -> RetryTemplateBuilder:
        """Never pause."""
        return self._pausing(NoBackOff())

    def fixed_backoff(self, delay: Duration) -> RetryTemplateBuilder:
        """Pause the same time again and again."""
        backoff = FixedBackOff(delay)
        _above_zero(backoff.period, "delay")
        return self._pausing(backoff)

    def uniform_random_backoff(self, min: Duration, max: Duration) -> RetryTemplateBuilder:  # noqa: A002
        """Pause a random time between the two."""
        backoff = UniformRandomBackOff(min, max)
        _above_zero(backoff.min, "min")
        if backoff.max == backoff.min:
            raise ValueError("max must be above min, or the pause is not random: use fixed_backoff")
        return self._pausing(backoff)

    def exponential_backoff(
        self,
        initial: Duration,
        multiplier: float,
        max: Duration,  # noqa: A002
        *,
        random: bool = False,
    ) -> RetryTemplateBuilder:
        """Pause longer each time, up to `max`; with `random`, between one pause and the next longer one."""
        kind = ExponentialRandomBackOff if random else ExponentialBackOff
        if multiplier <= 1:
            raise ValueError(f"multiplier must be above 1, or the pause does not grow, not {multiplier}")
        backoff = kind(initial, multiplier, max)
        _above_zero(backoff.initial, "initial")
        if backoff.max == backoff.initial:
            raise ValueError("max must be above initial, or the pause does not grow")
        return self._pausing(backoff)

    def custom_backoff(self, backoff: BackOffPolicy[Any]) -> RetryTemplateBuilder:
        """Pause as a policy of your own says."""
        return self._pausing(_given(backoff, "a backoff policy"))

    def _pausing(self, backoff: BackOffPolicy[Any]) -> RetryTemplateBuilder:
        if self._pause is not None:
            raise RetryUsageError("the builder has a pause already: give one of the backoff methods")
        self._pause = backoff
        return self

    # -- which errors --------------------------------------------------------------------------------------------------

    def retry_on(self, *errors: type[Exception] | Callable[[Exception], bool]) -> RetryTemplateBuilder:
        """Retry these error types, or the errors a predicate says yes to; not a mix."""
        types = tuple(error for error in errors if isinstance(error, type))
        predicates = [error for error in errors if not isinstance(error, type)]
        if (
            not errors
            or (predicates and (len(errors) > 1 or self._has_rule()))
            or self._not_retry_on
            or self._predicate
        ):
            raise RetryUsageError("retry_on takes error types or one predicate, and does not mix with another rule")
        if predicates:
            self._predicate = predicates[0]
        else:
            self._retry_on += types_of(types, "retry_on")
        return self

    def not_retry_on(self, *types: type[Exception]) -> RetryTemplateBuilder:
        """Retry every error but these types."""
        if not types or self._retry_on or self._predicate:
            raise RetryUsageError("not_retry_on takes error types, and does not mix with retry_on")
        self._not_retry_on += types_of(types, "not_retry_on")
        return self

    def traversing_causes(self) -> RetryTemplateBuilder:
        """Look for the types among the causes of an error as well."""
        self._traversing = True
        return self

    def _has_rule(self) -> bool:
        return bool(self._retry_on or self._not_retry_on or self._predicate)

    # -- rest ----------------------------------------------------------------------------------------------------------

    def with_listener(self, listener: RetryListener) -> RetryTemplateBuilder:
        """Add a listener."""
        self._listeners.append(_given(listener, "a listener"))
        return self

    def with_listeners(self, listeners: Iterable[RetryListener]) -> RetryTemplateBuilder:
        """Add listeners."""
        for listener in _given(listeners, "listeners"):
            self.with_listener(listener)
        return self

    def with_logger(self, logger: logging.Logger) -> RetryTemplateBuilder:
        """Let the template log there."""
        self._logger = _given(logger, "a logger")
        return self

    def build(self) -> RetryTemplate:
        """Return the template; raise RetryUsageError for `traversing_causes` without types to look for."""
        from wakuwaku.retry.template import RetryTemplate  # noqa: PLC0415  (it offers this builder)

        if self._traversing and not (self._retry_on or self._not_retry_on):
            raise RetryUsageError("traversing_causes needs error types to look for: add retry_on or not_retry_on")
        return RetryTemplate(
            policy=CompositeRetryPolicy(self._limit or MaxAttemptsRetryPolicy(3), self._rule()),
            backoff=self._pause,
            listeners=self._listeners,
            logger=self._logger,
        )

    def _rule(self) -> RetryPolicy:
        if self._predicate is not None:
            return PredicateRetryPolicy(self._predicate)
        retry_for: ExceptionTypes = self._retry_on or (() if self._not_retry_on else Exception)
        return PredicateRetryPolicy(
            ExceptionClassifier(retry_for, self._not_retry_on, traverse_causes=self._traversing)
        )


def _given(value: T | None, what: str) -> T:
    if value is None:
        raise RetryUsageError(f"{what} is expected, not None")
    return value


def _above_zero(value: float, name: str) -> None:
    if value <= 0:
        raise ValueError(f"{name} must be above 0")
