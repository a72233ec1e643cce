"""Try again: retries for sync and async code, in one call or across presentations of the same item.

    >>> from wakuwaku.retry import retryable, Backoff
    >>> @retryable(retry_for=ConnectionError, backoff=Backoff(0.1, multiplier=2))
    ... def fetch() -> str:
    ...     return "fetched"
    >>> fetch()
    'fetched'

Stands on its own: nothing here needs the rest of `wakuwaku`. The words and the order of events are those of Spring
Retry; see the reference in the documentation for what differs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wakuwaku.retry.attempts import AsyncAttempt, AsyncAttempts, Attempt, Attempts
    from wakuwaku.retry.backoff import (
        BackOffPolicy,
        DelayFromException,
        ExponentialBackOff,
        ExponentialRandomBackOff,
        FixedBackOff,
        NoBackOff,
        SequenceBackOff,
        UniformRandomBackOff,
    )
    from wakuwaku.retry.backoff_choice import Backoff
    from wakuwaku.retry.budget import RetryBudget
    from wakuwaku.retry.builder import RetryTemplateBuilder
    from wakuwaku.retry.cache import MapRetryContextCache, RetryContextCache, SnapshotRetryContextCache
    from wakuwaku.retry.circuit import CircuitBreakerRetryPolicy
    from wakuwaku.retry.classifier import ExceptionClassifier
    from wakuwaku.retry.composite import CompositeRetryPolicy, ExceptionClassifierRetryPolicy
    from wakuwaku.retry.context import RetryContext, current_context
    from wakuwaku.retry.decision import Decision, decide
    from wakuwaku.retry.declarative import circuit_breaker, retryable
    from wakuwaku.retry.duration import Duration
    from wakuwaku.retry.errors import (
        BackOffInterruptedError,
        CircuitOpenError,
        ExhaustedRetryError,
        RecoveryNotFoundError,
        RetryCacheCapacityExceededError,
        RetryError,
        RetryUsageError,
        TerminatedRetryError,
    )
    from wakuwaku.retry.failure import FailureSummary
    from wakuwaku.retry.global_listeners import add_global_listener, remove_global_listener
    from wakuwaku.retry.listener import LoggingRetryListener, MetricsRetryListener, RetryCall, RetryListener
    from wakuwaku.retry.policy import (
        AlwaysRetryPolicy,
        MaxAttemptsRetryPolicy,
        NeverRetryPolicy,
        PredicateRetryPolicy,
        RetryPolicy,
        SimpleRetryPolicy,
        TimeoutRetryPolicy,
    )
    from wakuwaku.retry.proxy import retry_proxy
    from wakuwaku.retry.recovery import recover
    from wakuwaku.retry.simulator import Simulation, schedule, simulate
    from wakuwaku.retry.sleeper import EventSleeper, Sleeper
    from wakuwaku.retry.snapshot import RetrySnapshot
    from wakuwaku.retry.state import RetryState
    from wakuwaku.retry.statistics import RetryStatistics, StatisticsListener
    from wakuwaku.retry.stop_reason import StopReason
    from wakuwaku.retry.template import RetryOperations, RetryTemplate

__all__ = [
    "AlwaysRetryPolicy",
    "AsyncAttempt",
    "AsyncAttempts",
    "Attempt",
    "Attempts",
    "BackOffInterruptedError",
    "BackOffPolicy",
    "Backoff",
    "CircuitBreakerRetryPolicy",
    "CircuitOpenError",
    "CompositeRetryPolicy",
    "Decision",
    "DelayFromException",
    "Duration",
    "EventSleeper",
    "ExceptionClassifier",
    "ExceptionClassifierRetryPolicy",
    "ExhaustedRetryError",
    "ExponentialBackOff",
    "ExponentialRandomBackOff",
    "FailureSummary",
    "FixedBackOff",
    "LoggingRetryListener",
    "MapRetryContextCache",
    "MaxAttemptsRetryPolicy",
    "MetricsRetryListener",
    "NeverRetryPolicy",
    "NoBackOff",
    "PredicateRetryPolicy",
    "RecoveryNotFoundError",
    "RetryBudget",
    "RetryCacheCapacityExceededError",
    "RetryCall",
    "RetryContext",
    "RetryContextCache",
    "RetryError",
    "RetryListener",
    "RetryOperations",
    "RetryPolicy",
    "RetrySnapshot",
    "RetryState",
    "RetryStatistics",
    "RetryTemplate",
    "RetryTemplateBuilder",
    "RetryUsageError",
    "SequenceBackOff",
    "SimpleRetryPolicy",
    "Simulation",
    "Sleeper",
    "SnapshotRetryContextCache",
    "StatisticsListener",
    "StopReason",
    "TerminatedRetryError",
    "TimeoutRetryPolicy",
    "UniformRandomBackOff",
    "add_global_listener",
    "circuit_breaker",
    "current_context",
    "decide",
    "recover",
    "remove_global_listener",
    "retry_proxy",
    "retryable",
    "schedule",
    "simulate",
]

#: Where each name is: a program that only needs a template does not pay for decorators, statistics and the simulator.
_MODULES = {
    "AlwaysRetryPolicy": "wakuwaku.retry.policy",
    "AsyncAttempt": "wakuwaku.retry.attempts",
    "AsyncAttempts": "wakuwaku.retry.attempts",
    "Attempt": "wakuwaku.retry.attempts",
    "Attempts": "wakuwaku.retry.attempts",
    "BackOffInterruptedError": "wakuwaku.retry.errors",
    "BackOffPolicy": "wakuwaku.retry.backoff",
    "Backoff": "wakuwaku.retry.backoff_choice",
    "CircuitBreakerRetryPolicy": "wakuwaku.retry.circuit",
    "CircuitOpenError": "wakuwaku.retry.errors",
    "CompositeRetryPolicy": "wakuwaku.retry.composite",
    "Decision": "wakuwaku.retry.decision",
    "DelayFromException": "wakuwaku.retry.backoff",
    "Duration": "wakuwaku.retry.duration",
    "EventSleeper": "wakuwaku.retry.sleeper",
    "ExceptionClassifier": "wakuwaku.retry.classifier",
    "ExceptionClassifierRetryPolicy": "wakuwaku.retry.composite",
    "ExhaustedRetryError": "wakuwaku.retry.errors",
    "ExponentialBackOff": "wakuwaku.retry.backoff",
    "ExponentialRandomBackOff": "wakuwaku.retry.backoff",
    "FailureSummary": "wakuwaku.retry.failure",
    "FixedBackOff": "wakuwaku.retry.backoff",
    "LoggingRetryListener": "wakuwaku.retry.listener",
    "MapRetryContextCache": "wakuwaku.retry.cache",
    "MaxAttemptsRetryPolicy": "wakuwaku.retry.policy",
    "MetricsRetryListener": "wakuwaku.retry.listener",
    "NeverRetryPolicy": "wakuwaku.retry.policy",
    "NoBackOff": "wakuwaku.retry.backoff",
    "PredicateRetryPolicy": "wakuwaku.retry.policy",
    "RecoveryNotFoundError": "wakuwaku.retry.errors",
    "RetryBudget": "wakuwaku.retry.budget",
    "RetryCacheCapacityExceededError": "wakuwaku.retry.errors",
    "RetryCall": "wakuwaku.retry.listener",
    "RetryContext": "wakuwaku.retry.context",
    "RetryContextCache": "wakuwaku.retry.cache",
    "RetryError": "wakuwaku.retry.errors",
    "RetryListener": "wakuwaku.retry.listener",
    "RetryOperations": "wakuwaku.retry.template",
    "RetryPolicy": "wakuwaku.retry.policy",
    "RetrySnapshot": "wakuwaku.retry.snapshot",
    "RetryState": "wakuwaku.retry.state",
    "RetryStatistics": "wakuwaku.retry.statistics",
    "RetryTemplate": "wakuwaku.retry.template",
    "RetryTemplateBuilder": "wakuwaku.retry.builder",
    "RetryUsageError": "wakuwaku.retry.errors",
    "SequenceBackOff": "wakuwaku.retry.backoff",
    "SimpleRetryPolicy": "wakuwaku.retry.policy",
    "Simulation": "wakuwaku.retry.simulator",
    "Sleeper": "wakuwaku.retry.sleeper",
    "SnapshotRetryContextCache": "wakuwaku.retry.cache",
    "StatisticsListener": "wakuwaku.retry.statistics",
    "StopReason": "wakuwaku.retry.stop_reason",
    "TerminatedRetryError": "wakuwaku.retry.errors",
    "TimeoutRetryPolicy": "wakuwaku.retry.policy",
    "UniformRandomBackOff": "wakuwaku.retry.backoff",
    "add_global_listener": "wakuwaku.retry.global_listeners",
    "circuit_breaker": "wakuwaku.retry.declarative",
    "current_context": "wakuwaku.retry.context",
    "decide": "wakuwaku.retry.decision",
    "recover": "wakuwaku.retry.recovery",
    "remove_global_listener": "wakuwaku.retry.global_listeners",
    "retry_proxy": "wakuwaku.retry.proxy",
    "retryable": "wakuwaku.retry.declarative",
    "schedule": "wakuwaku.retry.simulator",
    "simulate": "wakuwaku.retry.simulator",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
