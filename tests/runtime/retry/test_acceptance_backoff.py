"""Items 16 and 17 of the acceptance list: pauses and deadlines."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.retry.recording import Boom, Callback, Mode, always
from wakuwaku.retry import (
    AlwaysRetryPolicy,
    Backoff,
    DelayFromException,
    ExponentialBackOff,
    ExponentialRandomBackOff,
    FixedBackOff,
    MaxAttemptsRetryPolicy,
    NoBackOff,
    RetryContext,
    RetryTemplate,
    SequenceBackOff,
    StopReason,
    TimeoutRetryPolicy,
    UniformRandomBackOff,
    schedule,
)
from wakuwaku.retry.testing import FakeClock, RecordingSleeper


class TestTables:
    """Item 16."""

    @pytest.mark.parametrize(
        ("backoff", "pauses"),
        [
            (NoBackOff(), [0, 0, 0]),
            (FixedBackOff(), [1, 1, 1]),
            (FixedBackOff(timedelta(milliseconds=250)), [0.25, 0.25]),
            (ExponentialBackOff(), [0.1, 0.2, 0.4, 0.8, 1.6]),
            (ExponentialBackOff(1, 3, 20), [1, 3, 9, 20, 20]),
            (ExponentialBackOff(0.001, 1.5, 1), [0.001, 0.0015, 0.00225]),
            (ExponentialBackOff(2, 1, 5), [2, 2, 2]),
            (ExponentialBackOff(0, 2, 5), [0, 0, 0]),
            (SequenceBackOff([2, 4, 8]), [2, 4, 8, 8, 8]),
            (SequenceBackOff([2, 4], repeat_last=False), [2, 4, None, None]),
            (SequenceBackOff([], repeat_last=False), [None]),
        ],
    )
    def test_acceptance_16_exact_sequences(self, backoff: Any, pauses: list[float | None]) -> None:
        """The pauses are exactly these."""
        assert [backoff.delay(k) for k in range(1, len(pauses) + 1)] == [
            pause if pause is None else pytest.approx(pause, rel=1e-12) for pause in pauses
        ]

    @pytest.mark.parametrize("k", [10, 1_024, 1_025, 100_000, 10**12])
    @pytest.mark.parametrize("jitter", ["none", "full", "equal", "spring", 0.25])
    def test_acceptance_16_late_attempts_stay_at_the_cap(self, k: int, jitter: Any) -> None:
        """No overflow, never negative, never above max, whatever the number of the attempt."""
        backoff = ExponentialBackOff(0.1, 2, 30, jitter)

        pause = backoff.delay(k)

        assert 0 <= pause <= 30
        if jitter == "none":
            assert pause == 30

    def test_acceptance_16_a_tiny_multiplier_grows_for_long(self) -> None:
        """The cap is reached where the formula says."""
        backoff = ExponentialBackOff(1, 1.001, 10)

        assert backoff.delay(2303) == pytest.approx(1.001**2302)
        assert backoff.delay(2400) == 10

    @given(
        initial=st.floats(0, 100),
        multiplier=st.floats(1.01, 1000),
        more=st.floats(0, 10_000),
        k=st.integers(1, 5000),
        draw=st.floats(0, 1, exclude_max=True),
        jitter=st.sampled_from(["full", "equal", "spring", 0.0, 0.1, 0.5, 1.0]),
    )
    def test_acceptance_16_every_jitter_stays_within_bounds(  # noqa: PLR0917
        self, initial: float, multiplier: float, more: float, k: int, draw: float, jitter: Any
    ) -> None:
        """Between 0 and max, and inside of the range the jitter promises."""
        top = initial + more
        backoff = ExponentialBackOff(initial, multiplier, top, jitter, rng=lambda: draw)

        pause, plain = backoff.delay(k), backoff.plain(k)

        assert 0 <= pause <= top
        if jitter == "full":
            assert pause <= plain
        elif jitter == "equal":
            assert plain / 2 <= pause <= plain
        elif isinstance(jitter, float):
            assert plain * (1 - jitter) <= pause <= plain * (1 + jitter) or pause == top
        if initial == 0:
            assert pause == 0

    @pytest.mark.parametrize("jitter", ["full", "equal", "spring", 0.25])
    def test_acceptance_16_jitter_stays_effective_at_the_cap(self, jitter: Any) -> None:
        """Clients do not fall into step in a long outage."""
        backoff = ExponentialBackOff(1, 2, 30, jitter, rng=random.Random(7).random)

        pauses = [backoff.delay(50) for _ in range(100)]

        assert max(pauses) - min(pauses) > 5

    def test_acceptance_16_exponential_random_is_never_below_the_plain_pause_before_the_cap(self) -> None:
        """It draws between one plain pause and the next."""
        low = ExponentialRandomBackOff(1, 3, 1000, rng=lambda: 0.0)
        high = ExponentialRandomBackOff(1, 3, 1000, rng=lambda: 0.999999)

        assert [low.delay(k) for k in (1, 2, 3)] == [1, 3, 9]
        assert [round(high.delay(k)) for k in (1, 2, 3)] == [3, 9, 27]

    def test_acceptance_16_uniform_random_stays_in_its_range(self) -> None:
        """Both ends included."""
        assert UniformRandomBackOff(2, 5, rng=lambda: 0.0).delay(1) == 2
        assert UniformRandomBackOff(2, 5, rng=lambda: 0.5).delay(9) == 3.5

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: FixedBackOff(-1), "delay must be a finite number of seconds"),
            (lambda: FixedBackOff(float("nan")), "delay must be a finite number of seconds"),
            (lambda: FixedBackOff(float("inf")), "delay must be a finite number of seconds"),
            (lambda: UniformRandomBackOff(2, 1), r"max \(1.0\) must not be below min \(2.0\)"),
            (lambda: ExponentialBackOff(2, 2, 1), r"max \(1.0\) must not be below initial \(2.0\)"),
            (lambda: ExponentialBackOff(1, 0.5), "multiplier must be 1 or more"),
            (lambda: ExponentialBackOff(1, 1, 5, "spring"), "needs a multiplier above 1"),
            (lambda: ExponentialBackOff(1, 2, 5, 1.5), "a share of the pause from 0 to 1"),
            (lambda: ExponentialBackOff(1, 2, 5, "wild"), "jitter must be"),  # type: ignore[arg-type]
            (lambda: SequenceBackOff([]), "delays is empty"),
            (lambda: SequenceBackOff([1, -1]), r"delays\[1\] must be"),
            (lambda: Backoff(random=True), "random=True needs a multiplier"),
            (lambda: Backoff(multiplier=0.5), "multiplier must be 1 or more"),
        ],
    )
    def test_wrong_numbers_are_refused_at_construction(self, make: Any, message: str) -> None:
        """Nothing is silently clamped."""
        with pytest.raises(ValueError, match=message):
            make()


class RetryAfter(Boom):
    """Say when to come back."""

    def __init__(self, after: float | timedelta | None) -> None:
        super().__init__(f"after {after}")
        self.after = after


class TestDelayFromException:
    """A pause the server asked for."""

    @pytest.mark.parametrize(
        ("after", "pause"), [(3, 3), (timedelta(minutes=1), 10), (-4, 0), (0, 0), (None, 7), (float("nan"), 0)]
    )
    async def test_the_error_tells_the_pause(self, mode: Mode, after: Any, pause: float) -> None:
        """Kept inside of 0 and max; without one the other policy tells."""
        sleeper = RecordingSleeper()
        backoff = DelayFromException(
            lambda exc: exc.after if isinstance(exc, RetryAfter) else None, otherwise=FixedBackOff(7), max=10
        )

        await mode.execute(RetryTemplate(backoff=backoff, sleeper=sleeper), Callback(RetryAfter(after)))

        assert sleeper.pauses == ([pause] if pause else [])


@pytest.mark.parametrize(
    ("choice", "policy"),
    [
        (Backoff(), FixedBackOff(1)),
        (Backoff(2), FixedBackOff(2)),
        (Backoff(2, 1), FixedBackOff(2)),
        (Backoff(1, 5), UniformRandomBackOff(1, 5)),
        (Backoff(1, multiplier=3), ExponentialBackOff(1, 3, 30)),
        (Backoff(1, 5, 3), ExponentialBackOff(1, 3, 5)),
        (Backoff(1, 0.5, 3), ExponentialBackOff(1, 3, 30)),
        (Backoff(60, multiplier=3), ExponentialBackOff(60, 3, 60)),
        (Backoff(1, 5, 3, random=True), ExponentialRandomBackOff(1, 3, 5)),
    ],
)
def test_backoff_chooses_a_policy_by_what_is_given(choice: Backoff, policy: object) -> None:
    """As the original's annotation does."""
    assert choice.policy() == policy


class TestDeadline:
    """Item 17."""

    @staticmethod
    def timed(timeout: float, pause: float, **options: Any) -> tuple[RetryTemplate, FakeClock, RecordingSleeper]:
        clock = FakeClock()
        sleeper = RecordingSleeper(clock)
        template = RetryTemplate(
            policy=TimeoutRetryPolicy(timeout), backoff=FixedBackOff(pause), sleeper=sleeper, clock=clock, **options
        )
        return template, clock, sleeper

    @pytest.mark.parametrize(("timeout", "pauses"), [(10, [3, 3, 3]), (9, [3, 3]), (9.5, [3, 3, 3]), (2, [])])
    async def test_acceptance_17_no_pause_ends_at_or_after_the_deadline(
        self, mode: Mode, timeout: float, pauses: list[float]
    ) -> None:
        """It gives up at once with the last error instead."""
        template, _, sleeper = self.timed(timeout, 3)
        contexts: list[RetryContext] = []

        def callback(context: RetryContext) -> None:
            contexts.append(context)
            raise Boom

        with pytest.raises(Boom):
            await mode.execute(template, callback)

        assert sleeper.pauses == pauses
        assert contexts[-1].stop_reason is StopReason.DEADLINE

    async def test_acceptance_17_clamp_pauses_for_what_is_left_and_tries_once_more(self, mode: Mode) -> None:
        """The last attempt is made at the deadline."""
        template, clock, sleeper = self.timed(10, 4, past_deadline="clamp")

        with pytest.raises(Boom, match="e4"):
            await mode.execute(template, always())

        assert (sleeper.pauses, clock.now) == ([4, 4, 2], 10)

    async def test_acceptance_17_the_first_attempt_is_always_made(self, mode: Mode) -> None:
        """Even with no time at all."""
        template, _, _ = self.timed(0, 0)
        callback = Callback(Boom())

        with pytest.raises(Boom):
            await mode.execute(template, callback)

        assert callback.calls == 1

    async def test_acceptance_17_a_clock_that_steps_back_is_harmless(self, mode: Mode) -> None:
        """Elapsed time is never negative, and retrying still ends."""
        template, clock, _ = self.timed(10, 4)
        elapsed: list[float] = []

        def callback(context: RetryContext) -> None:
            if context.attempt == 2:
                clock.advance(-100)
            elapsed.append(context.elapsed)
            if context.attempt == 3:
                clock.advance(200)
            raise Boom

        with pytest.raises(Boom):
            await mode.execute(template, callback)

        assert elapsed == [0, 0, 0]

    async def test_acceptance_17_a_slow_attempt_ends_retrying(self, mode: Mode) -> None:
        """The time of the attempt itself counts."""
        template, clock, sleeper = self.timed(10, 1)

        def slow(context: RetryContext) -> None:
            clock.advance(9)
            raise Boom(f"e{context.attempt}")

        with pytest.raises(Boom, match="e1"):
            await mode.execute(template, slow)

        assert sleeper.pauses == []

    def test_the_schedule_is_known_without_waiting(self) -> None:
        """A pure computation, deadlines included."""
        policy = AlwaysRetryPolicy() & TimeoutRetryPolicy(20)

        assert schedule(policy, SequenceBackOff([2, 4, 8])) == (2, 4, 8)
        assert schedule(MaxAttemptsRetryPolicy(6), SequenceBackOff([2, 4, 8])) == (2, 4, 8, 8, 8)
        assert len(schedule(AlwaysRetryPolicy(), NoBackOff())) == 1000
