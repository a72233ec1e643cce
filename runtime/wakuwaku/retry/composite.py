"""Policies made of policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from wakuwaku.retry.callables import require_sync
from wakuwaku.retry.classifier import types_of
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.immutable import Immutable
from wakuwaku.retry.policy import NeverRetryPolicy, RetryPolicy
from wakuwaku.retry.stop_reason import StopReason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from wakuwaku.retry.context import RetryContext

__all__ = ["CompositeRetryPolicy", "ExceptionClassifierRetryPolicy"]


class CompositeRetryPolicy(Immutable, RetryPolicy):
    """Ask several policies: all must allow an attempt, or with `optimistic` at least one.

    Every member is asked every time and hears of every failure, each in a context of its own. Without members the
    pessimistic form always allows and the optimistic one never does.
    """

    def __init__(self, *policies: RetryPolicy, optimistic: bool = False) -> None:
        _refuse_circuits(policies, "a composite policy")
        self.policies = policies
        self.optimistic = optimistic
        free = all(member.first_attempt_free for member in policies)
        self.first_attempt_free = free and bool(policies or not optimistic)

    @property
    def max_attempts(self) -> int | None:
        """Return the smallest limit of the members."""
        return min((limit for member in self.policies if (limit := member.max_attempts) is not None), default=None)

    def open(self, parent: RetryContext | None) -> RetryContext:
        """Open a context, and at once those of the members unless all of them can wait for the first failure."""
        context = super().open(parent)
        if not self.first_attempt_free:
            for index, member in enumerate(self.policies):
                context.machinery.children[str(index)] = member.open(parent)
        return context

    def _members(self, context: RetryContext) -> Iterable[tuple[RetryPolicy, RetryContext]]:
        children = context.machinery.children
        for index, member in enumerate(self.policies):
            child = children.get(str(index))
            if child is None:
                child = children[str(index)] = member.open(context.parent)
            child.clock, child.opened_at, child.label = context.clock, context.opened_at, context.label
            yield member, child

    def can_retry(self, context: RetryContext) -> bool:
        """Say whether all members allow it, or with `optimistic` one of them."""
        return self.refusal(context) is None

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Return the first member's reason that counts."""
        answers = [member.refusal(child) for member, child in self._members(context)]
        refusals = [answer for answer in answers if answer is not None]
        if self.optimistic:
            if len(refusals) < len(answers):
                return None
            return refusals[0] if refusals else StopReason.NOT_RETRYABLE
        return refusals[0] if refusals else None

    def register_exception(self, context: RetryContext, exc: Exception) -> None:
        """Count the failure here and in every member."""
        context.register(exc)
        for member, child in self._members(context):
            member.register_exception(child, exc)

    def may_recover(self, context: RetryContext, exc: Exception) -> bool:
        """Allow recovery when every member does."""
        return all(member.may_recover(child, exc) for member, child in self._members(context))

    def remaining(self, context: RetryContext) -> float | None:
        """Return the nearest deadline; with `optimistic` the farthest, and none when a member has none."""
        left = [member.remaining(child) for member, child in self._members(context)]
        known = [seconds for seconds in left if seconds is not None]
        if self.optimistic:
            return max(known) if known and len(known) == len(left) else None
        return min(known, default=None)

    def names(self, exc: Exception) -> bool:
        """Say whether a member names the type."""
        return any(member.names(exc) for member in self.policies)

    def close(self, context: RetryContext) -> None:
        """Close every member that was opened; raise the first error afterwards."""
        children = context.machinery.children
        members = [(member, children.get(str(index))) for index, member in enumerate(self.policies)]
        _close_all((member, child) for member, child in members if child is not None)


class ExceptionClassifierRetryPolicy(Immutable, RetryPolicy):
    """Let the type of the latest error choose the policy that decides.

    `policies` maps error types to policies (the nearest type along the ``__mro__`` counts, others go to `default`), or
    is a function from the error to a policy. Failures are counted apart for each type listed, or each policy a function
    returns; the count of the context is the total. A function that returns no policy terminates the execution.
    """

    first_attempt_free = True

    def __init__(
        self,
        policies: Mapping[type[Exception], RetryPolicy] | Callable[[Exception], RetryPolicy],
        default: RetryPolicy | None = None,
    ) -> None:
        if callable(policies):
            require_sync(policies, "a classifier")
            if default is not None:
                raise RetryUsageError("default= goes with a mapping; a classifier function returns the default itself")
        else:
            types_of(tuple(policies), "policies")
            _refuse_circuits(policies.values(), "a classifier policy")
        self.policies = policies if callable(policies) else dict(policies)
        self.default = NeverRetryPolicy() if default is None else default

    def can_retry(self, context: RetryContext) -> bool:
        """Say whether the policy for the latest error allows it."""
        return self.refusal(context) is None

    def refusal(self, context: RetryContext) -> StopReason | None:
        """Return what the policy for the latest error says; nothing is refused before there is one."""
        exc = context.last_exception
        if exc is None:
            return None
        policy, child = self._chosen(context, exc)
        return policy.refusal(child)

    def _choice(self, exc: Exception) -> tuple[str, RetryPolicy]:
        if callable(self.policies):
            policy = cast("object", self.policies(exc))
            if not isinstance(policy, RetryPolicy):
                raise RetryUsageError(f"the classifier returned {policy!r} for {type(exc).__name__}, not a policy")
            _refuse_circuits((policy,), "a classifier policy")
            return repr(policy), policy
        for kind in type(exc).__mro__:
            found = self.policies.get(cast("type[Exception]", kind))
            if found is not None:
                return f"{kind.__module__}.{kind.__qualname__}", found
        return "default", self.default

    def _chosen(self, context: RetryContext, exc: Exception) -> tuple[RetryPolicy, RetryContext]:
        name, policy = self._choice(exc)
        children = context.machinery.children
        child = children.get(name)
        if child is None:
            child = children[name] = policy.open(context.parent)
            child.opened_at = context.clock()
        child.clock, child.label, child.policy = context.clock, context.label, policy
        return policy, child

    def register_exception(self, context: RetryContext, exc: Exception) -> None:
        """Count the failure here and for the policy of its type."""
        context.register(exc)
        policy, child = self._chosen(context, exc)
        policy.register_exception(child, exc)

    def may_recover(self, context: RetryContext, exc: Exception) -> bool:
        """Ask the policy for this error."""
        policy, child = self._chosen(context, exc)
        return policy.may_recover(child, exc)

    def remaining(self, context: RetryContext) -> float | None:
        """Ask the policy for the latest error."""
        exc = context.last_exception
        if exc is None:
            return None
        policy, child = self._chosen(context, exc)
        return policy.remaining(child)

    def names(self, exc: Exception) -> bool:
        """Say whether the mapping lists the type, or the policy chosen for it does."""
        name, policy = self._choice(exc)
        return (name.startswith("wakuwaku.retry.") and not callable(self.policies)) or policy.names(exc)

    def close(self, context: RetryContext) -> None:
        """Close every policy that was used; raise the first error afterwards."""
        _close_all((child.policy, child) for child in context.machinery.children.values() if child.policy is not None)


def _close_all(opened: Iterable[tuple[RetryPolicy, RetryContext]]) -> None:
    first: Exception | None = None
    for policy, context in opened:
        try:
            policy.close(context)
        except Exception as exc:  # noqa: BLE001  (the others must be closed as well)
            first = first or exc
    if first is not None:
        raise first


def _refuse_circuits(policies: Iterable[RetryPolicy], place: str) -> None:
    if any(policy.shared for policy in policies):
        raise RetryUsageError(
            f"a circuit breaker can't be a part of {place}, because its circuit is shared by many executions: "
            "make that policy the delegate of the breaker, or retry a call that has its own breaker"
        )
