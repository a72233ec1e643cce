"""Whether a template lets an execution go on: what its policy says, and what the template adds to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wakuwaku.retry.circuit import CircuitBreakerRetryPolicy
from wakuwaku.retry.decision import Decision, decide
from wakuwaku.retry.errors import TerminatedRetryError
from wakuwaku.retry.mode import test_mode
from wakuwaku.retry.stop_reason import StopReason

if TYPE_CHECKING:
    from wakuwaku.retry.context import RetryContext
    from wakuwaku.retry.template import RetryTemplate

__all__ = ["admits", "judge"]


def admits(template: RetryTemplate, context: RetryContext) -> bool:
    """Say whether an execution that begins may make an attempt; if not, the context tells why.

    Raise TerminatedRetryError when the policy fails to answer.
    """
    policy, machinery = template.policy, context.machinery
    if isinstance(policy, CircuitBreakerRetryPolicy):
        if policy.admit(context):
            return True
        context.stop_reason = StopReason.CIRCUIT_OPEN
        context.failure = None if machinery.circuit is None else machinery.circuit.failure
        return False
    if machinery.registered:  # decided when the last failure was registered; only time can change that
        left = policy.remaining(context)
        if machinery.refusal is None and left is not None and left <= 0:
            context.stop_reason = StopReason.DEADLINE
            return False
        return machinery.refusal is None
    if policy.first_attempt_free:
        return True
    try:
        context.stop_reason = policy.refusal(context)
    except Exception as error:
        context.stop_reason = StopReason.TERMINATED
        raise TerminatedRetryError(f"the policy could not be asked: {type(error).__name__}: {error}") from error
    return context.stop_reason is None


def judge(template: RetryTemplate, context: RetryContext, exc: Exception) -> Decision:
    """Decide what follows a registered failure: the policy first, then nesting, test mode and budget."""
    if template.policy.shared:
        return Decision(None, template.policy.refusal(context) or StopReason.NOT_RETRYABLE)
    if context.machinery.backoff_state is None and template.plain:
        context.machinery.backoff_state = template.backoff.start(context)
    decision = decide(template.policy, template.backoff, context, exc, past_deadline=template.past_deadline)
    if decision.delay is None:
        return decision
    if template.nested != "allow" and _is_nested(context):
        if template.nested == "outermost":
            return Decision(None, StopReason.NESTED)
        template.logger.warning(
            "%s retries inside of another retry, so attempts multiply: give one of them nested='outermost'",
            context.label or "an execution",
        )
    mode = test_mode.get()
    if mode is not None and mode.max_attempts is not None and context.retry_count >= mode.max_attempts:
        return Decision(None, StopReason.MAX_ATTEMPTS)
    if template.budget is not None and not template.budget.take():
        return Decision(None, StopReason.BUDGET)
    return Decision(0.0, None) if mode is not None and mode.no_delay else decision


def _is_nested(context: RetryContext) -> bool:
    parent = context.parent
    while parent is not None:
        if not parent.closed and parent.policy is not None and not parent.policy.shared:
            return True
        parent = parent.parent
    return False
