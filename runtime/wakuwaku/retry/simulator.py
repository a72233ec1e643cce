"""See the pauses of a policy without waiting for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wakuwaku.retry.decision import decide

if TYPE_CHECKING:
    from wakuwaku.retry.backoff import BackOffPolicy
    from wakuwaku.retry.policy import RetryPolicy

__all__ = ["Simulation", "schedule", "simulate"]


class Simulation(NamedTuple):
    """Hold the pauses, in seconds, of every simulated execution."""

    runs: tuple[tuple[float, ...], ...]

    @property
    def longest_total(self) -> float:
        """Return the longest time an execution spent in pauses."""
        return max((sum(run) for run in self.runs), default=0.0)

    def percentile(self, share: float) -> float:
        """Return the pause that this share (0 … 1) of all pauses does not exceed; 0 without pauses."""
        return _percentile(sorted(pause for run in self.runs for pause in run), share)

    def percentiles(self, share: float) -> tuple[float, ...]:
        """Return that percentile for the first pause of all executions, the second one, and so on."""
        longest = max((len(run) for run in self.runs), default=0)
        return tuple(
            _percentile(sorted(run[index] for run in self.runs if len(run) > index), share) for index in range(longest)
        )


def schedule(
    policy: RetryPolicy, backoff: BackOffPolicy[Any], *, error: Exception | None = None, most: int = 1000
) -> tuple[float, ...]:
    """Return the pauses of one execution in which every attempt fails at once with this error.

    A pure computation: time passes on a clock of its own. A policy without end is cut after `most` pauses.
    """
    now = 0.0
    failure = error or RuntimeError("simulated")
    context = policy.open(None)
    context.policy, context.clock, context.opened_at = policy, lambda: now, now
    context.machinery.backoff_state = backoff.start(context)
    pauses: list[float] = []
    try:
        while len(pauses) < most:
            policy.register_exception(context, failure)
            decision = decide(policy, backoff, context, failure)
            if decision.delay is None:
                break
            pauses.append(decision.delay)
            now += decision.delay
    finally:
        policy.close(context)
    return tuple(pauses)


def simulate(
    policy: RetryPolicy, backoff: BackOffPolicy[Any], runs: int = 100, *, error: Exception | None = None
) -> Simulation:
    """Return the pauses of many such executions, to see what jitter does; raise ValueError for less than one."""
    if runs < 1:
        raise ValueError(f"runs must be 1 or more, not {runs}")
    return Simulation(tuple(schedule(policy, backoff, error=error) for _ in range(runs)))


def _percentile(ordered: list[float], share: float) -> float:
    if not 0 <= share <= 1:
        raise ValueError(f"a percentile is a share from 0 to 1, not {share!r}")
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
