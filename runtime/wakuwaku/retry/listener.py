"""Who is told about attempts, failures and ends."""

# ruff: noqa: ARG002  (hooks take what the base class hands them)

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging
    from collections.abc import Awaitable, Callable, Mapping

    from wakuwaku.retry.context import RetryContext

__all__ = ["LoggingRetryListener", "MetricsRetryListener", "RetryCall", "RetryListener"]


class RetryCall:
    """Name what is called: the function, its arguments, and the label of the execution.

    The arguments are empty for the callback of `execute`, and the function is None in the block form.
    """

    __slots__ = ("args", "function", "kwargs", "label")

    def __init__(
        self,
        function: Callable[..., Any] | None,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
        label: str | None = None,
    ) -> None:
        self.function = function
        self.args = args
        self.kwargs: Mapping[str, Any] = {} if kwargs is None else kwargs
        self.label = label


class RetryListener:
    """Be told what happens in an execution; override the hooks of interest.

    Listeners are called in the order of `order`, then of the list, for `open`, `on_attempt` and `on_retry`, and in
    reverse for `on_success`, `on_error` and `close`. In async executions hooks may be coroutine functions. `open` and
    `close` come once per execution, so once per presentation of a stateful item; every listener whose `open` was
    reached is closed.
    """

    order: int = 0

    def open(self, context: RetryContext, call: RetryCall) -> bool | Awaitable[bool | None] | None:
        """Hear that an execution begins; return False to veto it, which raises TerminatedRetryError."""

    def on_attempt(self, context: RetryContext, call: RetryCall) -> Awaitable[None] | None:
        """Hear that an attempt begins; an error raised here ends the execution."""

    def on_success(self, context: RetryContext, call: RetryCall, result: object) -> Awaitable[None] | None:
        """Hear that an attempt returned; an error raised here becomes the failure of that attempt."""

    def on_error(self, context: RetryContext, call: RetryCall, exc: Exception) -> Awaitable[None] | None:
        """Hear that an attempt failed, whatever follows; an error raised here replaces it and ends the execution."""

    def on_retry(self, context: RetryContext, call: RetryCall, exc: Exception, delay: float) -> Awaitable[None] | None:
        """Hear that another attempt follows after `delay` seconds; an error raised here ends the execution."""

    def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> Awaitable[None] | None:
        """Hear that the execution ends; `exc` is the last failure, also when recovery made up for it.

        It is None after a success, a veto, and when no attempt was made. An error raised here is raised to the caller
        only when no other error is on its way.
        """


class LoggingRetryListener(RetryListener):
    """Log a warning for every attempt that will be repeated, and one error when it is given up."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        if logger is None:
            import logging  # noqa: PLC0415  (3 ms of import time for who logs nothing)

            logger = logging.getLogger("wakuwaku.retry")
        self.logger = logger

    def on_retry(self, context: RetryContext, call: RetryCall, exc: Exception, delay: float) -> None:
        """Log what failed and when it is tried again."""
        self.logger.warning(
            "%s: attempt %d failed, next in %.3g s: %s: %s",
            context.label or "retry",
            context.retry_count,
            delay,
            type(exc).__name__,
            exc,
        )

    def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> None:
        """Log that it was given up, and why."""
        if context.exhausted and context.stop_reason is not None:
            self.logger.error(
                "%s: gave up after %d failed attempts (%s)%s: %s",
                context.label or "retry",
                context.retry_count,
                context.stop_reason.value,
                ", recovered" if context.recovered else "",
                context.failure if exc is None else f"{type(exc).__name__}: {exc}",
            )


class MetricsRetryListener(RetryListener):
    """Report every execution once, as tags for a timer of your metrics library.

    `record` takes the seconds and the tags ``name``, ``attempts``, ``reason`` and ``error`` (a class name, or
    ``none``), plus your own. Executions without a label have the name ``none``.
    """

    def __init__(self, record: Callable[[float, dict[str, str]], None], **tags: str) -> None:
        self.record = record
        self.tags = tags

    def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> None:
        """Report the execution."""
        reason = context.stop_reason
        succeeded = reason is not None and reason.value == "success"
        tags = {
            "name": context.label or "none",
            "attempts": str(context.retry_count + succeeded),
            "reason": "none" if reason is None else reason.value,
            "error": "none" if exc is None else type(exc).__name__,
        }
        self.record(context.elapsed, tags | self.tags)
