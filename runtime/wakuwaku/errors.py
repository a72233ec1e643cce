"""Every error this package raises, in one shallow tree.

::

    WakuwakuError
    ├── ConfigError             a value of the configuration is wrong
    ├── StartError              a consumer or publisher can't start; the message says what to do
    ├── PublishError            an event was refused before anything was sent
    ├── DecodeError             a body is not the event its tag promises
    ├── HeaderError             a wire header is missing, malformed or of an unknown version
    ├── HandleError             a handler failed; carries its ErrorClass
    │   ├── TransientError      nothing would succeed right now
    │   ├── RetryableError      this key failed, others are fine
    │   └── UnrecoverableError  no attempt can ever succeed
    ├── ConsumerStoppedError    a partition stopped on its own; the cause is chained
    └── LogError                the log refused or failed
        ├── LogUnavailableError     passing: the same call may succeed later
        ├── LogClosedError          the log was closed
        ├── LogFormatError          the file is not a log of ours, is damaged, or is newer
        ├── LeaseHeldError          another holder has the lease; tells who and until when
        ├── FencedError             another holder took the lease over: this one may write no more
        ├── NoLeasesError           this log keeps no leases
        ├── TopicNotFoundError      no such topic or partition
        ├── TopicMismatchError      the topic exists with another shape
        └── OffsetOutOfRangeError   an offset lies outside of what the log holds
"""

from __future__ import annotations

import enum
from typing import ClassVar, final

__all__ = [
    "ConfigError",
    "ConsumerStoppedError",
    "DecodeError",
    "ErrorClass",
    "FencedError",
    "HandleError",
    "HeaderError",
    "LeaseHeldError",
    "LogClosedError",
    "LogError",
    "LogFormatError",
    "LogUnavailableError",
    "NoLeasesError",
    "OffsetOutOfRangeError",
    "PublishError",
    "RetryableError",
    "StartError",
    "TopicMismatchError",
    "TopicNotFoundError",
    "TransientError",
    "UnrecoverableError",
    "WakuwakuError",
]


class WakuwakuError(Exception):
    """Be the root of all errors this package raises."""


class ConfigError(WakuwakuError):
    """Report every wrong value of a configuration at once; `problems` has them one by one."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class StartError(WakuwakuError):
    """Report why a consumer or publisher can't start, and the way out."""


class PublishError(WakuwakuError):
    """Report an event that its own consumer would refuse; nothing of the call was sent."""


class DecodeError(WakuwakuError):
    """Report a body that does not decode as the event its tag promises."""


class HeaderError(WakuwakuError):
    """Report a wire header that is missing, malformed or of an unknown version.

    `header` names it; `reason` is one of ``missing``, ``malformed`` and ``unknown_version``.
    """

    def __init__(self, header: str, reason: str) -> None:
        verb = "has an" if reason == "unknown_version" else "is"
        super().__init__(f"header {header!r} {verb} {reason.replace('_', ' ')}")
        self.header = header
        self.reason = reason


@final
class ErrorClass(enum.Enum):
    """Tell what kind of failure a handler met, and so what the consumer does next."""

    TRANSIENT = "transient"
    RETRYABLE = "retryable"
    UNRECOVERABLE = "unrecoverable"


class HandleError(WakuwakuError):
    """Say how a handler failed.

    Raise one of the subclasses, or wrap another error: ``raise HandleError.transient(error) from error``.
    `source` is the wrapped error, or None when only a message was given. `retry_after` is the seconds after which a
    Transient one asks to be tried again, when it knows; else the consumer's `retry_delays` say.
    """

    error_class: ClassVar[ErrorClass] = ErrorClass.RETRYABLE
    retry_after: float | None = None

    def __init__(self, source: BaseException | str = "") -> None:
        super().__init__(source)
        self.source = source if isinstance(source, BaseException) else None

    @staticmethod
    def of(error_class: ErrorClass, source: BaseException | str = "") -> HandleError:
        """Make the error of a class that is known at run time only."""
        return {
            ErrorClass.TRANSIENT: TransientError,
            ErrorClass.RETRYABLE: RetryableError,
            ErrorClass.UNRECOVERABLE: UnrecoverableError,
        }[error_class](source)

    @staticmethod
    def transient(source: BaseException | str = "", *, retry_after: float | None = None) -> TransientError:
        """Say that nothing would succeed right now: the same chunk is tried again, in place."""
        error = TransientError(source)
        error.retry_after = retry_after
        return error

    @staticmethod
    def retryable(source: BaseException | str = "") -> RetryableError:
        """Say that this key failed while others are fine, and that a later attempt may succeed."""
        return RetryableError(source)

    @staticmethod
    def unrecoverable(source: BaseException | str = "") -> UnrecoverableError:
        """Say that no attempt can ever succeed: the chunk goes to the dead letters."""
        return UnrecoverableError(source)


class TransientError(HandleError):
    """Say that nothing would succeed right now: a database or a needed service is unreachable."""

    error_class = ErrorClass.TRANSIENT


class RetryableError(HandleError):
    """Say that this key failed while others are fine: a deadlock, a row that does not exist yet."""

    error_class = ErrorClass.RETRYABLE


class UnrecoverableError(HandleError):
    """Say that no attempt can ever succeed: invalid data, a reference to what will never exist."""

    error_class = ErrorClass.UNRECOVERABLE


class ConsumerStoppedError(WakuwakuError):
    """Report that a partition stopped on its own; `partition` names it, the cause is chained."""

    def __init__(self, message: str, *, partition: int | None = None) -> None:
        super().__init__(message)
        self.partition = partition


class LogError(WakuwakuError):
    """Report that the log refused a call or failed; trying the same call again will not help."""


class LogUnavailableError(LogError):
    """Report a passing failure: busy, unreachable, full disk. The same call may succeed later."""


class LogClosedError(LogError):
    """Report a call to a log that was closed."""


class LogFormatError(LogError):
    """Report a file that is not a log of ours, is damaged, or was written by a newer version."""


class LeaseHeldError(LogError):
    """Report that somebody else holds the lease that was asked for.

    `holder` names who, `until_ms` is when it ends unless it is renewed, Unix milliseconds by the log's clock.
    """

    def __init__(self, message: str, *, holder: str, until_ms: int) -> None:
        super().__init__(message)
        self.holder = holder
        self.until_ms = until_ms


class FencedError(LogError):
    """Report a write under a lease that was taken over or given up; nothing of it was kept, and no other will be."""


class NoLeasesError(LogError):
    """Report that a log keeps no leases, so that nothing but their assignment keeps two instances apart."""


class TopicNotFoundError(LogError):
    """Report a topic or partition that does not exist."""


class TopicMismatchError(LogError):
    """Report a topic that exists with another number of partitions."""


class OffsetOutOfRangeError(LogError):
    """Report an offset outside of what the log holds."""
