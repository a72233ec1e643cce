"""The short way to say a pause in a decorator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wakuwaku.retry.backoff import (
    BackOffPolicy,
    ExponentialBackOff,
    ExponentialRandomBackOff,
    FixedBackOff,
    UniformRandomBackOff,
)
from wakuwaku.retry.duration import Duration, seconds
from wakuwaku.retry.immutable import Immutable

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Backoff"]

_CAP = 30.0


class Backoff(Immutable):
    """Choose a backoff policy by what is given.

    `delay` alone is fixed; with a larger `max_delay`, uniform random between the two; with a `multiplier`, exponential,
    capped at `max_delay` or at 30 s; with `random` too, exponential random. Raise ValueError for numbers that fit no
    policy.
    """

    def __init__(
        self,
        delay: Duration = 1.0,
        max_delay: Duration | None = None,
        multiplier: float = 0.0,
        *,
        random: bool = False,
    ) -> None:
        self.delay = seconds(delay, "delay")
        self.max_delay = None if max_delay is None else seconds(max_delay, "max_delay")
        self.multiplier = multiplier
        self.random = random
        if random and not multiplier:
            raise ValueError(
                "random=True needs a multiplier; for a random pause of a fixed range give delay and max_delay"
            )
        self.policy()

    def policy(self) -> BackOffPolicy[Any]:
        """Return the policy chosen."""
        higher = self.max_delay if self.max_delay is not None and self.max_delay > self.delay else None
        if self.multiplier:
            kind = ExponentialRandomBackOff if self.random else ExponentialBackOff
            return kind(self.delay, self.multiplier, higher or max(_CAP, self.delay))
        return FixedBackOff(self.delay) if higher is None else UniformRandomBackOff(self.delay, higher)
