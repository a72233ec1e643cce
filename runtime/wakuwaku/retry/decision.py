"""What follows a failure: the whole rule, as one function without clock, sleep or side effect.

A scheduler that can't sleep, such as the partition task of a consumer, calls `decide` itself and waits in its own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from wakuwaku.retry.classifier import is_own_verdict
from wakuwaku.retry.stop_reason import StopReason

if TYPE_CHECKING:
    from wakuwaku.retry.backoff import BackOffPolicy
    from wakuwaku.retry.context import RetryContext
    from wakuwaku.retry.policy import RetryPolicy

__all__ = ["Decision", "PastDeadline", "decide"]

PastDeadline: TypeAlias = Literal["give_up", "clamp"]


class Decision(NamedTuple):
    """Say what follows: another attempt after `delay` seconds, or the end for `reason`; exactly one is None."""

    delay: float | None
    reason: StopReason | None


def decide(
    policy: RetryPolicy,
    backoff: BackOffPolicy[Any],
    context: RetryContext,
    exc: Exception,
    *,
    past_deadline: PastDeadline = "give_up",
) -> Decision:
    """Decide what follows the failure that was just registered in the context.

    The policy is asked once. A pause that would end at or after the deadline is not made: ``give_up`` ends now,
    ``clamp`` pauses for what is left and makes one last attempt. The toolkit's own verdicts (circuit open, terminated,
    pause interrupted) are not retried unless the policy names their type.
    """
    if context.exhausted_only:
        return Decision(None, StopReason.EXHAUSTED_ONLY)
    if is_own_verdict(exc) and not policy.names(exc):
        return Decision(None, StopReason.NOT_RETRYABLE)
    refusal = policy.refusal(context)
    if refusal is not None:
        return Decision(None, refusal)
    delay = backoff.next_delay(context.machinery.backoff_state, context)
    if delay is None:
        return Decision(None, StopReason.BACKOFF_STOP)
    left = policy.remaining(context)
    if left is not None and delay >= left:
        if past_deadline == "give_up" or left <= 0:
            return Decision(None, StopReason.DEADLINE)
        delay = left
    return Decision(delay, None)
