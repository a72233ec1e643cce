"""What an execution that ran out of attempts ends with, and how the user's error object is kept clean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wakuwaku.retry.errors import CircuitOpenError, ExhaustedRetryError, RetryError

if TYPE_CHECKING:
    from types import TracebackType

    from wakuwaku.retry.context import RetryContext

__all__ = ["annotate", "cut_traceback", "error_of_exhausted"]


def error_of_exhausted(
    context: RetryContext, exc: Exception | None, *, stateful: bool, raise_last: bool
) -> Exception | None:
    """Return the error to raise, with its cause, or None to re-raise the failure itself.

    `exc` is the failure if it happened in this execution. A failure of an earlier presentation is known as a summary
    only, so a stand-in of its type and message takes its place.
    """
    policy, failure = context.policy, context.failure
    shared = policy is not None and policy.shared
    if not stateful:
        return RetryError(f"{type(policy).__name__} did not allow a single attempt") if exc is None else None
    if raise_last or context.no_recovery:
        if exc is not None:
            return None
        if failure is not None and not shared:
            return failure.stand_in()
    error: ExhaustedRetryError
    if exc is None and shared:
        seen = "" if failure is None else f"; its last failure was {failure}"
        error = CircuitOpenError(f"the circuit {context.key!r} is open and refuses calls for now{seen}", failure)
    else:
        reason = "" if context.stop_reason is None else f" ({context.stop_reason.value})"
        error = ExhaustedRetryError(
            f"no attempt is left for {context.key!r} after {context.retry_count} failed{reason}", failure
        )
    error.__cause__ = exc if exc is not None or failure is None else failure.stand_in()
    return error


def annotate(context: RetryContext, exc: Exception) -> None:
    """Note once on the error how often it was tried and why not again, if it was tried more than once."""
    notes: list[str] = getattr(exc, "__notes__", [])
    if context.retry_count > 1 and context.stop_reason and not any(note.startswith("gave up after") for note in notes):
        exc.add_note(
            f"gave up after {context.retry_count} attempts, {context.elapsed:.3g} s: {context.stop_reason.value}"
        )


def cut_traceback(exc: Exception, seen: TracebackType | None) -> None:
    """Cut off what an earlier attempt left in the traceback of an error object that is raised again."""
    part = exc.__traceback__
    while part is not None and seen is not None:
        if part.tb_next is seen:
            part.tb_next = None
        part = part.tb_next
