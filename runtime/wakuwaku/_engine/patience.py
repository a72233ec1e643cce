"""How the engine tries again: the retry toolkit, set up for handlers, the log and quarantined keys.

Nothing else in the engine waits and tries again. What a consumer's `retry_delays` mean is decided here:

- *Transient* failures of a handler, and calls of the log that may pass: after each delay in turn, the last for ever.
- *Retryable* failures: the first attempt after the first delay, one more after each other delay, then no more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import cast

from wakuwaku._engine.classifying import LONGEST_ASKED, asked_delay
from wakuwaku.errors import ErrorClass, HandleError, LeaseHeldError, LogUnavailableError
from wakuwaku.retry import (
    DelayFromException,
    EventSleeper,
    MaxAttemptsRetryPolicy,
    PredicateRetryPolicy,
    RetryCall,
    RetryContext,
    RetryListener,
    RetryTemplate,
    SequenceBackOff,
    schedule,
)

__all__ = [
    "attempt_delays",
    "class_of",
    "ends_the_process",
    "is_transient",
    "until_answered",
    "until_it_passes",
]


def class_of(error: Exception) -> ErrorClass:
    """Return the class of what a handler raised; an error that says nothing is Retryable.

    A group, such as a task group raises, has the class that all its errors have, or else is Retryable.
    """
    if isinstance(error, HandleError):
        return error.error_class
    classes = {class_of(one) for one in _inside(error)}
    return classes.pop() if len(classes) == 1 else ErrorClass.RETRYABLE


def is_transient(error: Exception) -> bool:
    """Tell whether a handler said that nothing would succeed right now."""
    return class_of(error) is ErrorClass.TRANSIENT


def ends_the_process(error: Exception) -> bool:
    """Tell whether an error is no outcome of a handler: out of memory, alone or in a group."""
    return isinstance(error, MemoryError) or any(ends_the_process(one) for one in _inside(error))


def _inside(error: Exception) -> Sequence[Exception]:
    """Return the errors of a group; an error that is no group holds none."""
    return cast("ExceptionGroup[Exception]", error).exceptions if isinstance(error, ExceptionGroup) else ()


def attempt_delays(delays: Sequence[float]) -> tuple[float, ...]:
    """Return the delay before each attempt of a quarantined key; the call that failed first is one more."""
    return schedule(MaxAttemptsRetryPolicy(len(delays) + 1), SequenceBackOff(delays, repeat_last=False))


def until_it_passes(delays: Sequence[float], stop: asyncio.Event) -> RetryTemplate:
    """Return the template for handlers that wait in place; a stop interrupts a wait at once.

    An error that asks to be tried again after a while is waited for as long, up to `LONGEST_ASKED`.
    """
    return RetryTemplate(
        policy=PredicateRetryPolicy(is_transient),
        backoff=DelayFromException(asked_delay, otherwise=SequenceBackOff(delays), max=LONGEST_ASKED),
        sleeper=EventSleeper(stop),
        label="handler",
    )


def until_answered(
    delays: Sequence[float],
    warn: Callable[[str, Exception, float], None],
    *,
    stop: asyncio.Event | None = None,
) -> RetryTemplate:
    """Return the template for calls of the log; `warn` is told what was done, how it failed, and the next delay.

    With `stop`, a stop interrupts a wait at once, and a lease that somebody else has is waited for as well.
    """
    passing = LogUnavailableError if stop is None else (LogUnavailableError, LeaseHeldError)
    return RetryTemplate(
        policy=PredicateRetryPolicy(lambda error: isinstance(error, passing)),
        backoff=SequenceBackOff(delays),
        listeners=[_Warning(warn)],
        sleeper=None if stop is None else EventSleeper(stop),
    )


class _Warning(RetryListener):
    """Tell of every failure that will be tried again."""

    def __init__(self, warn: Callable[[str, Exception, float], None]) -> None:
        self._warn = warn

    def on_retry(self, context: RetryContext, call: RetryCall, exc: Exception, delay: float) -> None:  # noqa: ARG002
        """Warn."""
        self._warn(context.label or "", exc, delay)
