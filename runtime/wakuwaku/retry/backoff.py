"""How long to pause before the next attempt.

A policy computes, the template sleeps: a schedule can be read, tested and handed to a scheduler without a clock.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from wakuwaku.retry.callables import require_sync
from wakuwaku.retry.duration import Duration, seconds
from wakuwaku.retry.immutable import Immutable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wakuwaku.retry.context import RetryContext

__all__ = [
    "BackOffPolicy",
    "DelayFromException",
    "ExponentialBackOff",
    "ExponentialRandomBackOff",
    "FixedBackOff",
    "Jitter",
    "NoBackOff",
    "SequenceBackOff",
    "UniformRandomBackOff",
]

S = TypeVar("S")
Jitter: TypeAlias = Literal["none", "full", "equal", "spring"] | float
Random: TypeAlias = "Callable[[], float]"


class BackOffPolicy(ABC, Generic[S]):
    """Compute pauses; subclass it and write `next_delay` for a policy of your own.

    `starts_lazily` promises that `start` only makes a state, so that an execution that succeeds at once needs none.
    """

    starts_lazily: bool = False

    def start(self, context: RetryContext) -> S | None:  # noqa: ARG002
        """Return the state for one execution, or None for a policy that needs none; called once per context."""
        return None

    @abstractmethod
    def next_delay(self, state: S | None, context: RetryContext) -> float | None:
        """Return the seconds to pause after the latest failure, or None to stop retrying.

        `context.retry_count` is the number of the pause, from 1; `context.last_exception` is the failure.
        """


class ScheduledBackOff(Immutable, BackOffPolicy[None]):
    """Compute a pause from its number alone, so that nothing needs to be kept between attempts."""

    starts_lazily = True

    @abstractmethod
    def delay(self, pause: int) -> float | None:
        """Return the seconds of the pause with this number, from 1; None to stop."""

    def next_delay(self, state: None, context: RetryContext) -> float | None:  # noqa: ARG002
        """Return the pause after the latest failure."""
        return self.delay(context.retry_count)


class NoBackOff(ScheduledBackOff):
    """Never pause."""

    def delay(self, pause: int) -> float:  # noqa: ARG002
        """Return 0."""
        return 0.0


class FixedBackOff(ScheduledBackOff):
    """Pause the same time again and again."""

    def __init__(self, delay: Duration = 1.0) -> None:
        self.period = seconds(delay, "delay")

    def delay(self, pause: int) -> float:  # noqa: ARG002
        """Return the period."""
        return self.period


class UniformRandomBackOff(ScheduledBackOff):
    """Pause a random time between `min` and `max`; raise ValueError when max is below min."""

    def __init__(self, min: Duration = 0.5, max: Duration = 1.5, *, rng: Random = random.random) -> None:  # noqa: A002
        self.min, self.max = _range(min, max, "min", "max")
        self.rng = rng

    def delay(self, pause: int) -> float:  # noqa: ARG002
        """Return a random time of the range."""
        return _between(self.min, self.max, self.rng)


class ExponentialBackOff(ScheduledBackOff):
    """Pause `initial`, then `multiplier` times as long each time, never longer than `max`.

    `jitter`, drawn with `rng` and kept inside 0 … max, spreads clients also once the pause has reached max:
    ``full`` draws from 0 … d where d is the plain pause, ``equal`` from d/2 … d, ``spring`` from d … d · multiplier,
    and a number f from d · (1 - f) … d · (1 + f).

    Raise ValueError for a multiplier below 1, for max below initial, and for ``spring`` with multiplier 1, which would
    not be random.
    """

    def __init__(
        self,
        initial: Duration = 0.1,
        multiplier: float = 2.0,
        max: Duration = 30.0,  # noqa: A002
        jitter: Jitter = "none",
        *,
        rng: Random = random.random,
    ) -> None:
        self.initial, self.max = _range(initial, max, "initial", "max")
        if not 1 <= multiplier < math.inf:
            raise ValueError(f"multiplier must be 1 or more, not {multiplier!r}")
        if isinstance(jitter, str):
            if jitter not in {"none", "full", "equal", "spring"}:
                raise ValueError(f'jitter must be "none", "full", "equal", "spring" or a number, not {jitter!r}')
            if jitter == "spring" and multiplier == 1:
                raise ValueError("spring jitter draws between d and d * multiplier: it needs a multiplier above 1")
        elif not 0 <= jitter <= 1:
            raise ValueError(f"jitter as a number is a share of the pause from 0 to 1, not {jitter!r}")
        self.multiplier = float(multiplier)
        self.jitter: Jitter = jitter
        self.rng = rng

    def plain(self, pause: int) -> float:
        """Return the pause without jitter; exact, and never an overflow however large its number."""
        if self.initial == 0 or self.multiplier == 1:
            return self.initial
        try:
            return min(self.initial * self.multiplier ** (pause - 1), self.max)
        except OverflowError:  # the power has no float, so the pause is long past its cap
            return self.max

    def delay(self, pause: int) -> float:
        """Return the pause with this number, jitter included."""
        d = self.plain(pause)
        if self.jitter == "none":
            return d
        return _between(*self._spread(d, self.jitter), self.rng)

    def _spread(self, d: float, jitter: Jitter) -> tuple[float, float]:
        match jitter:
            case "full":
                return 0.0, d
            case "equal":
                return d / 2, d
            case "spring":
                return min(d, self.max / self.multiplier), min(d * self.multiplier, self.max)
            case _:
                share = float(jitter)
                return d * (1 - share), min(d * (1 + share), self.max)


class ExponentialRandomBackOff(ExponentialBackOff):
    """Pause as `ExponentialBackOff` with spring jitter: never below the plain pause until it reaches max."""

    def __init__(
        self,
        initial: Duration = 0.1,
        multiplier: float = 2.0,
        max: Duration = 30.0,  # noqa: A002
        *,
        rng: Random = random.random,
    ) -> None:
        super().__init__(initial, multiplier, max, "spring", rng=rng)


class SequenceBackOff(ScheduledBackOff):
    """Pause as listed; then repeat the last one for ever, or stop retrying when `repeat_last` is false.

    Raise ValueError for an empty list that has a last one to repeat.
    """

    def __init__(self, delays: Sequence[Duration], *, repeat_last: bool = True) -> None:
        self.delays = tuple(seconds(delay, f"delays[{index}]") for index, delay in enumerate(delays))
        if repeat_last and not self.delays:
            raise ValueError("delays is empty, so there is no last one to repeat: list one, or give repeat_last=False")
        self.repeat_last = repeat_last

    def delay(self, pause: int) -> float | None:
        """Return the pause with this number."""
        if pause <= len(self.delays):
            return self.delays[pause - 1]
        return self.delays[-1] if self.repeat_last else None


class DelayFromException(Immutable, BackOffPolicy[Any]):
    """Pause as long as the error says, such as a server's Retry-After; otherwise as another policy says.

    `extract` returns a duration or None. What it returns is kept inside 0 … `max` and gets no jitter.
    """

    def __init__(
        self,
        extract: Callable[[Exception], Duration | None],
        *,
        otherwise: BackOffPolicy[Any],
        max: Duration,  # noqa: A002
    ) -> None:
        require_sync(extract, "extract")
        self.extract = extract
        self.otherwise = otherwise
        self.starts_lazily = otherwise.starts_lazily
        self.max = seconds(max, "max")

    def start(self, context: RetryContext) -> Any:
        """Start the other policy."""
        return self.otherwise.start(context)

    def next_delay(self, state: Any, context: RetryContext) -> float | None:
        """Return what the error says, else what the other policy says."""
        exc = context.last_exception
        told = None if exc is None else self.extract(exc)
        if told is None:
            return self.otherwise.next_delay(state, context)
        length = told if isinstance(told, float | int) else told.total_seconds()
        return min(max(0.0, length), self.max)


def _range(low: Duration, high: Duration, low_name: str, high_name: str) -> tuple[float, float]:
    bottom, top = seconds(low, low_name), seconds(high, high_name)
    if top < bottom:
        raise ValueError(f"{high_name} ({top}) must not be below {low_name} ({bottom})")
    return bottom, top


def _between(low: float, high: float, rng: Random) -> float:
    return min(low + (high - low) * rng(), high)
