"""Items 23, 24 and 27 of the acceptance list: what pickles and survives, what is counted, what success costs."""

from __future__ import annotations

import asyncio
import pickle
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.runtime.retry.recording import Boom, Callback, Mode
from wakuwaku.errors import WakuwakuError
from wakuwaku.retry import (
    CircuitBreakerRetryPolicy,
    CompositeRetryPolicy,
    ExceptionClassifierRetryPolicy,
    ExhaustedRetryError,
    ExponentialBackOff,
    FailureSummary,
    RetryContext,
    RetryError,
    RetrySnapshot,
    RetryState,
    RetryTemplate,
    RetryUsageError,
    SequenceBackOff,
    SimpleRetryPolicy,
    SnapshotRetryContextCache,
    StatisticsListener,
    TimeoutRetryPolicy,
    errors,
    retryable,
)
from wakuwaku.retry.testing import FakeClock, RecordingSleeper

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

OWN_ERRORS = [getattr(errors, name) for name in errors.__all__]


class TestPickle:
    """Item 23."""

    @pytest.mark.parametrize("kind", OWN_ERRORS)
    def test_acceptance_23_every_error_pickles(self, kind: type[RetryError]) -> None:
        """With message and notes."""
        error = kind("what happened")
        error.add_note("a note")

        copy = pickle.loads(pickle.dumps(error))

        assert (type(copy), str(copy), copy.__notes__) == (kind, "what happened", ["a note"])
        assert issubclass(kind, WakuwakuError)

    def test_acceptance_23_an_exhausted_error_keeps_its_failure(self) -> None:
        """Also when the type of the failure is local to a function and so does not pickle itself."""

        class LocalError(Exception):
            pass

        failure = FailureSummary.of(LocalError("gone"), at=12.5)

        copy = pickle.loads(pickle.dumps(ExhaustedRetryError("exhausted", failure)))

        assert copy.failure == failure
        assert str(copy.failure).endswith("LocalError: gone")
        assert str(copy.failure.stand_in()) == str(copy.failure)
        assert type(copy.failure.stand_in()) is RetryError

    async def test_acceptance_23_errors_of_real_executions_pickle(self, mode: Mode) -> None:
        """No lock, frame or future is inside."""
        template = RetryTemplate(policy=CircuitBreakerRetryPolicy(SimpleRetryPolicy(1)), label="service")
        for _ in range(2):
            with pytest.raises(ExhaustedRetryError) as caught:
                await mode.execute(template, Callback(Boom("e")))
            copy = pickle.loads(pickle.dumps(caught.value))
            assert str(copy) == str(caught.value)

    async def test_acceptance_23_restored_contexts_go_on_counting(self, mode: Mode) -> None:
        """Attempts and pauses continue in another process, which knows only the pickled snapshots."""
        store: dict[object, RetrySnapshot] = {}
        state = RetryState("item")
        attempts: list[int] = []
        pauses: list[float] = []

        def callback(context: RetryContext) -> None:
            attempts.append(context.attempt)
            context.attributes["seen"] = attempts.copy()
            raise Boom("e")

        for _ in range(4):  # a new template each time, as after a restart
            store = pickle.loads(pickle.dumps(store))
            sleeper = RecordingSleeper()
            template = RetryTemplate(
                policy=SimpleRetryPolicy(3),
                backoff=ExponentialBackOff(1),
                sleeper=sleeper,
                cache=SnapshotRetryContextCache(store),
            )
            recover: Callable[[RetryContext], object] = lambda context: (  # noqa: E731
                context.attributes["seen"],
                repr(context.last_exception),
            )
            if len(attempts) < 3:
                with pytest.raises(Boom):
                    await mode.execute(template, callback, recover=recover, state=state)
            else:
                assert await mode.execute(template, callback, recover=recover, state=state) == (
                    [1, 2, 3],
                    "Boom('e')",
                )
            pauses += sleeper.pauses

        assert (attempts, pauses, store) == ([1, 2, 3], [1, 2], {})

    async def test_acceptance_23_counters_of_members_are_restored(self, mode: Mode) -> None:
        """Composites and classifiers keep theirs apart, also across a restart."""
        policy = CompositeRetryPolicy(
            ExceptionClassifierRetryPolicy({ValueError: SimpleRetryPolicy(2), KeyError: SimpleRetryPolicy(2)}),
            SimpleRetryPolicy(9),
        )
        store: dict[object, RetrySnapshot] = {}
        state = RetryState("item", recovery="immediate")
        outcomes: list[str] = []
        for error in (ValueError(), KeyError(), ValueError()):
            store = pickle.loads(pickle.dumps(store))
            template = RetryTemplate(policy=policy, cache=SnapshotRetryContextCache(store))
            try:
                await mode.execute(template, Callback(error), state=state)
            except (LookupError, ValueError, ExhaustedRetryError) as raised:
                outcomes.append(type(raised).__name__)

        assert outcomes == ["ValueError", "KeyError", "ExhaustedRetryError"]

    async def test_acceptance_23_times_are_wall_clock_in_a_snapshot(self, mode: Mode) -> None:
        """Time that passed while nothing ran counts; a wall clock set back counts as no time."""
        wall = FakeClock(1_000_000)
        store: dict[object, RetrySnapshot] = {}
        state = RetryState("item", pause="defer")

        def started(clock: FakeClock) -> RetryTemplate:
            return RetryTemplate(
                policy=TimeoutRetryPolicy(60),
                backoff=SequenceBackOff([10]),
                cache=SnapshotRetryContextCache(store, clock=clock, wall=wall),
                clock=clock,
            )

        with pytest.raises(Boom):
            await mode.execute(started(FakeClock(5)), Callback(Boom()), state=state)
        assert store["item"].not_before == 1_000_010

        wall.advance(30)
        restarted = started(FakeClock(77)).cache.get("item")
        assert restarted is not None
        assert (restarted.elapsed, restarted.not_before) == (30, 77 - 20)

        wall.advance(-500)
        set_back = started(FakeClock(77)).cache.get("item")
        assert set_back is not None
        assert set_back.elapsed == 0

        wall.advance(530 + 60)
        with pytest.raises(ExhaustedRetryError, match="deadline"):
            await mode.execute(started(FakeClock(0)), Callback(), state=state)

    def test_a_circuit_is_not_stored(self) -> None:
        """It would never be shared."""
        template = RetryTemplate(
            policy=CircuitBreakerRetryPolicy(), label="service", cache=SnapshotRetryContextCache({})
        )

        with pytest.raises(RetryUsageError, match="give the breaker's template a MapRetryContextCache"):
            template.execute(Callback())

    def test_the_message_of_a_failure_is_kept_short_and_never_fails(self) -> None:
        """A broken or endless text does not hurt."""

        class UnprintableError(Exception):
            def __str__(self) -> str:
                raise LookupError

        assert FailureSummary.of(UnprintableError(), 0).message == "<unprintable UnprintableError>"
        assert len(FailureSummary.of(Boom("x" * 10_000), 0).message) == 1000

    def test_failures_compare_by_what_they_say(self) -> None:
        """As values in sets and logs."""
        one, two = FailureSummary.of(Boom("e"), 5), FailureSummary.of(Boom("e"), 5)

        assert len({one, two}) == 1
        assert one != "Boom: e"
        assert (str(FailureSummary.of(Boom(), 5)), repr(one)) == (
            "Boom",
            "FailureSummary('tests.runtime.retry.recording', 'Boom', 'e', 5)",
        )


class TestStatistics:
    """Item 24."""

    @pytest.mark.parametrize("x", range(1, 11))
    async def test_acceptance_24_stateless_success_on_the_last_attempt(self, mode: Mode, x: int) -> None:
        """Calls, failed calls and the success are counted."""
        statistics = StatisticsListener()
        template = RetryTemplate(policy=SimpleRetryPolicy(x), listeners=[statistics], label="work")

        for _ in range(2):
            await mode.execute(template, Callback(*[Boom()] * (x - 1)))

        counts = statistics.statistics("work")
        assert counts[1:6] == (2 * x, 2 * (x - 1), 2, 0, 0)

    @pytest.mark.parametrize("x", range(1, 11))
    @pytest.mark.parametrize("recovers", [True, False])
    async def test_acceptance_24_stateless_exhaustion(self, mode: Mode, x: int, recovers: bool) -> None:
        """It is a recovery or an abort."""
        statistics = StatisticsListener()
        template = RetryTemplate(policy=SimpleRetryPolicy(x), listeners=[statistics], label="work")

        if recovers:
            await mode.execute(template, Callback(*[Boom()] * x), recover=lambda _: None)
        else:
            with pytest.raises(Boom):
                await mode.execute(template, Callback(*[Boom()] * x))

        counts = statistics.statistics("work")
        assert counts[1:6] == (x, x, 0, int(recovers), int(not recovers))
        assert counts.error_rate == pytest.approx(1 / x, rel=0.01)

    @pytest.mark.parametrize("x", range(1, 11))
    async def test_acceptance_24_stateful_success_on_the_last_attempt(self, mode: Mode, x: int) -> None:
        """Presentations that call count as started; complete only when it finally succeeds."""
        statistics = StatisticsListener()
        template = RetryTemplate(policy=SimpleRetryPolicy(x), listeners=[statistics], label="work")
        callback = Callback(*[Boom()] * (x - 1))

        for _ in range(x - 1):
            with pytest.raises(Boom):
                await mode.execute(template, callback, state=RetryState("item"))
        before = statistics.statistics("work")
        await mode.execute(template, callback, state=RetryState("item"))

        assert before[1:6] == (x - 1, x - 1, 0, 0, 0)
        assert statistics.statistics("work")[1:6] == (x, x - 1, 1, 0, 0)

    @pytest.mark.parametrize("x", range(1, 11))
    async def test_acceptance_24_stateful_recovery(self, mode: Mode, x: int) -> None:
        """The presentation that only recovers starts nothing."""
        statistics = StatisticsListener()
        template = RetryTemplate(policy=SimpleRetryPolicy(x), listeners=[statistics], label="work")
        callback = Callback(*[Boom()] * 99)

        for _ in range(x):
            with pytest.raises(Boom):
                await mode.execute(template, callback, state=RetryState("item"))
        await mode.execute(template, callback, recover=lambda _: None, state=RetryState("item"))

        assert statistics.statistics("work")[1:6] == (x, x, 0, 1, 0)

    async def test_without_a_label_nothing_is_counted(self, mode: Mode) -> None:
        """There is no name to count under."""
        statistics = StatisticsListener()

        await mode.execute(RetryTemplate(listeners=[statistics]), Callback())

        assert statistics.labels() == []
        assert statistics.statistics("work").started == 0

    async def test_the_error_rate_forgets(self, mode: Mode) -> None:
        """Aborts of long ago weigh less than calls of now."""
        clock = FakeClock()
        statistics = StatisticsListener(clock=clock)
        template = RetryTemplate(policy=SimpleRetryPolicy(1), listeners=[statistics], label="work")
        with pytest.raises(Boom):
            await mode.execute(template, Callback(Boom()))
        assert statistics.statistics("work").error_rate == 1

        clock.advance(150)
        await mode.execute(template, Callback())

        assert statistics.statistics("work").error_rate < 0.001


def calls_made(run: Callable[[], object]) -> list[str]:
    """Return the names of all Python functions that a call enters."""
    entered: list[str] = []

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            entered.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return [name for name in entered if name != "<lambda>"]


class TestCost:
    """Item 27. Times are measured by ``benchmarks/retry.py``; what they come from is held here."""

    @pytest.mark.parametrize(
        "template",
        [
            RetryTemplate(),
            RetryTemplate(policy=TimeoutRetryPolicy(5) & SimpleRetryPolicy(), backoff=ExponentialBackOff()),
            RetryTemplate.builder().max_attempts(5).exponential_backoff(1, 2, 10, random=True).build(),
        ],
        ids=["default", "composite", "built"],
    )
    def test_acceptance_27_success_at_once_enters_three_functions_besides_the_callback(
        self, template: RetryTemplate
    ) -> None:
        """The wrapper, the loop and the context: nothing else runs while nothing fails."""

        def work() -> None: ...

        wrapped = template.wrap(work)
        wrapped()

        assert calls_made(wrapped) == ["retrying", "drive", "__init__", "work"]

    def test_acceptance_27_decorated_functions_cost_the_same(self) -> None:
        """Also sync and async."""

        async def work() -> None: ...

        decorated = retryable(work)

        async def main() -> list[str]:
            coroutine = decorated()
            return calls_made(lambda: next(coroutine.__await__(), None))

        assert asyncio.run(main()) == ["retried_async", "drive_async", "__init__", "work"]
