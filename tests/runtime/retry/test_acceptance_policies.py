"""Items 13 to 15 of the acceptance list: composite, classifier and circuit."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.runtime.retry.recording import Boom, Callback, Mode, TracedPolicy, always
from wakuwaku.retry import (
    AlwaysRetryPolicy,
    CircuitBreakerRetryPolicy,
    CircuitOpenError,
    CompositeRetryPolicy,
    ExceptionClassifierRetryPolicy,
    ExhaustedRetryError,
    MaxAttemptsRetryPolicy,
    NeverRetryPolicy,
    RetryContext,
    RetryError,
    RetryPolicy,
    RetryState,
    RetryTemplate,
    RetryUsageError,
    SimpleRetryPolicy,
    StatisticsListener,
    TerminatedRetryError,
    TimeoutRetryPolicy,
)
from wakuwaku.retry.testing import FakeClock


class Says(RetryPolicy):
    """Always give the same answer, and count the questions."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked = 0
        self.registered = 0

    def can_retry(self, context: RetryContext) -> bool:
        self.asked += 1
        return self.answer

    def register_exception(self, context: RetryContext, exc: Exception) -> None:
        self.registered += 1
        super().register_exception(context, exc)


class FailsToClose(Says):
    """Fail when closed, and write it down."""

    def __init__(self, name: str, trace: list[str]) -> None:
        super().__init__(True)
        self.name = name
        self.trace = trace

    def close(self, context: RetryContext) -> None:
        self.trace.append(self.name)
        raise LookupError(self.name)


class TestComposite:
    """Item 13."""

    @pytest.mark.parametrize("answers", list(product([True, False], repeat=2)))
    @pytest.mark.parametrize("optimistic", [True, False])
    def test_acceptance_13_truth_table(self, answers: tuple[bool, bool], optimistic: bool) -> None:
        """Pessimistic: all must allow; optimistic: one is enough. All are asked, every time."""
        members = [Says(answer) for answer in answers]
        policy = CompositeRetryPolicy(*members, optimistic=optimistic)

        allowed = policy.can_retry(policy.open(None))

        assert allowed is (any(answers) if optimistic else all(answers))
        assert [member.asked for member in members] == [1, 1]

    async def test_acceptance_13_empty_pessimistic_always_allows(self, mode: Mode) -> None:
        """No member says no."""
        callback = Callback(*[Boom()] * 20)

        assert await mode.execute(RetryTemplate(policy=CompositeRetryPolicy()), callback) == "done"

    async def test_acceptance_13_empty_optimistic_never_allows(self, mode: Mode) -> None:
        """No member says yes, so not even a first attempt is made."""
        callback = Callback()

        with pytest.raises(RetryError, match="CompositeRetryPolicy did not allow a single attempt"):
            await mode.execute(RetryTemplate(policy=CompositeRetryPolicy(optimistic=True)), callback)

        assert callback.calls == 0

    async def test_acceptance_13_every_member_hears_of_every_failure(self, mode: Mode) -> None:
        """Members count for themselves."""
        members = [Says(True), Says(True)]
        template = RetryTemplate(policy=CompositeRetryPolicy(*members))

        await mode.execute(template, Callback(Boom(), Boom()))

        assert [member.registered for member in members] == [2, 2]

    async def test_acceptance_13_closing_goes_on_after_a_failing_member(self, mode: Mode) -> None:
        """The first error is raised afterwards."""
        trace: list[str] = []
        policy = CompositeRetryPolicy(FailsToClose("a", trace), FailsToClose("b", trace))

        with pytest.raises(LookupError, match="a"):
            await mode.execute(RetryTemplate(policy=policy), Callback())

        assert trace == ["a", "b"]

    def test_acceptance_13_max_attempts_is_the_smallest_that_is_set(self) -> None:
        """Members without a limit do not count."""
        limits = CompositeRetryPolicy(MaxAttemptsRetryPolicy(7), AlwaysRetryPolicy(), MaxAttemptsRetryPolicy(4))

        assert limits.max_attempts == 4
        assert CompositeRetryPolicy(AlwaysRetryPolicy()).max_attempts is None

    async def test_policies_combine_with_operators(self, mode: Mode) -> None:
        """`&` needs both, `|` one of them."""
        both = Callback(*[Boom()] * 99)
        one = Callback(*[Boom()] * 99)

        with pytest.raises(Boom):
            await mode.execute(RetryTemplate(policy=MaxAttemptsRetryPolicy(5) & SimpleRetryPolicy(2)), both)
        with pytest.raises(Boom):
            await mode.execute(RetryTemplate(policy=MaxAttemptsRetryPolicy(5) | SimpleRetryPolicy(2)), one)

        assert (both.calls, one.calls) == (2, 5)

    def test_a_breaker_is_no_member(self) -> None:
        """Its circuit is shared, the composite's context is not."""
        with pytest.raises(RetryUsageError, match="can't be a part of a composite"):
            CompositeRetryPolicy(CircuitBreakerRetryPolicy())

    def test_the_farthest_deadline_counts_for_the_optimistic(self) -> None:
        """An optimistic composite may go on as long as one member may."""
        clock = FakeClock()
        policy = TimeoutRetryPolicy(1) | TimeoutRetryPolicy(5)
        context = policy.open(None)
        context.clock, context.opened_at = clock, 0.0
        clock.advance(2)

        assert policy.remaining(context) == 3


class TestClassifier:
    """Item 14."""

    async def test_acceptance_14_each_class_has_its_own_counter(self, mode: Mode) -> None:
        """Two attempts for one class and three for the other add up."""
        policy = ExceptionClassifierRetryPolicy({ValueError: SimpleRetryPolicy(2), KeyError: SimpleRetryPolicy(3)})
        callback = Callback(ValueError(), KeyError(), KeyError(), ValueError("second"))

        with pytest.raises(ValueError, match="second"):
            await mode.execute(RetryTemplate(policy=policy), callback)

        assert callback.attempts == [1, 2, 3, 4]

    async def test_acceptance_14_equal_policies_count_apart(self, mode: Mode) -> None:
        """Counters go by the class of the error, not by the policy."""
        shared = SimpleRetryPolicy(2)
        policy = ExceptionClassifierRetryPolicy({ValueError: shared, KeyError: shared})
        callback = Callback(ValueError(), KeyError())

        assert await mode.execute(RetryTemplate(policy=policy), callback) == "done"

    async def test_acceptance_14_unknown_class_takes_the_default(self, mode: Mode) -> None:
        """Which never retries, unless told otherwise."""
        callback = Callback(Boom(), Boom())

        with pytest.raises(Boom):
            await mode.execute(RetryTemplate(policy=ExceptionClassifierRetryPolicy({})), callback)
        policy = ExceptionClassifierRetryPolicy({}, default=SimpleRetryPolicy(2))
        await mode.execute(RetryTemplate(policy=policy), callback)

        assert callback.attempts == [1, 1, 2]

    async def test_acceptance_14_a_classifier_that_returns_none_terminates(self, mode: Mode) -> None:
        """The message tells for which error."""
        classify: Any = lambda exc: None  # noqa: E731

        with pytest.raises(TerminatedRetryError, match="classifier returned None for Boom"):
            await mode.execute(RetryTemplate(policy=ExceptionClassifierRetryPolicy(classify)), Callback(Boom()))

    def test_a_default_goes_with_a_mapping(self) -> None:
        """A function returns the default itself."""
        with pytest.raises(RetryUsageError, match="default= goes with a mapping"):
            ExceptionClassifierRetryPolicy(lambda _: NeverRetryPolicy(), default=NeverRetryPolicy())

    def test_it_can_be_asked_before_anything_failed(self) -> None:
        """Nothing is refused, and no deadline is known."""
        policy = ExceptionClassifierRetryPolicy({Boom: TimeoutRetryPolicy(5)})
        context = policy.open(None)

        assert (policy.can_retry(context), policy.remaining(context)) == (True, None)
        policy.register_exception(context, Boom())
        left = policy.remaining(context)
        assert left is not None
        assert left <= 5

    async def test_a_function_can_classify(self, mode: Mode) -> None:
        """The policy it returns decides."""
        twice, never = SimpleRetryPolicy(2), NeverRetryPolicy()
        policy = ExceptionClassifierRetryPolicy(lambda exc: twice if isinstance(exc, Boom) else never)
        callback = Callback(Boom(), LookupError())

        with pytest.raises(LookupError):
            await mode.execute(RetryTemplate(policy=policy), callback)

        assert callback.calls == 2

    async def test_every_used_policy_is_closed(self, mode: Mode) -> None:
        """The ones that were never chosen were never opened."""
        trace: list[str] = []
        policy = ExceptionClassifierRetryPolicy({Boom: TracedPolicy(trace), KeyError: TracedPolicy(["unused"])})

        await mode.execute(RetryTemplate(policy=policy), Callback(Boom()))

        assert trace == ["register", "policy.close"]


class TestCircuit:
    """Item 15."""

    @staticmethod
    def breaker(clock: FakeClock, **options: Any) -> RetryTemplate:
        policy = CircuitBreakerRetryPolicy(SimpleRetryPolicy(3), open_timeout=5, reset_timeout=20)
        return RetryTemplate(policy=policy, clock=clock, label="service", **options)

    @staticmethod
    async def outcome(mode: Mode, template: RetryTemplate, callback: Callback) -> str:
        try:
            return str(await mode.execute(template, callback))
        except ExhaustedRetryError as error:
            return type(error).__name__

    async def test_acceptance_15_opens_after_n_failures_in_the_window(self, mode: Mode) -> None:
        """The next call is refused without calling."""
        template = self.breaker(FakeClock())
        callback = Callback(*[Boom()] * 3)

        outcomes = [await self.outcome(mode, template, callback) for _ in range(5)]

        assert outcomes == ["ExhaustedRetryError"] * 3 + ["CircuitOpenError"] * 2
        assert callback.calls == 3

    async def test_acceptance_15_closes_after_the_reset_timeout_under_constant_traffic(self, mode: Mode) -> None:
        """Refused calls do not keep it open."""
        clock = FakeClock()
        template = self.breaker(clock)
        callback = Callback(*[Boom()] * 3)
        for _ in range(3):
            await self.outcome(mode, template, callback)

        outcomes = []
        for _ in range(25):
            outcomes.append(await self.outcome(mode, template, callback))
            clock.advance(1)

        assert outcomes == ["CircuitOpenError"] * 21 + ["done"] * 4

    async def test_acceptance_15_failures_far_apart_do_not_add_up(self, mode: Mode) -> None:
        """The window starts anew after its time."""
        clock = FakeClock()
        template = self.breaker(clock)
        callback = Callback(*[Boom()] * 10)

        for _ in range(10):
            await self.outcome(mode, template, callback)
            clock.advance(3)

        assert callback.calls == 10

    async def test_acceptance_15_counts_short_circuits(self, mode: Mode) -> None:
        """Refused calls since the circuit was last closed; a closing one starts from 0."""
        clock = FakeClock()
        statistics = StatisticsListener(clock=clock)
        template = self.breaker(clock, listeners=[statistics])
        callback = Callback(*[Boom()] * 3)
        for _ in range(5):
            await self.outcome(mode, template, callback)
        refused = statistics.statistics("service")
        clock.advance(21)
        await self.outcome(mode, template, callback)
        closed = statistics.statistics("service")

        assert (refused.circuit_open, refused.short_circuit_count) == (True, 2)
        assert (closed.circuit_open, closed.short_circuit_count) == (False, 0)

    async def test_refused_calls_go_straight_to_recovery(self, mode: Mode) -> None:
        """Recovery serves the failing call and the refused one."""
        template = self.breaker(FakeClock())
        callback = Callback(*[Boom()] * 3)

        results = [await mode.execute(template, callback, recover=lambda _: "recovered") for _ in range(5)]

        assert (results, callback.calls) == (["recovered"] * 5, 3)

    async def test_the_error_itself_can_be_asked_for(self, mode: Mode) -> None:
        """With `raise_last_on_exhausted` a failing call raises its own error, a refused one still CircuitOpenError."""
        template = self.breaker(FakeClock(), raise_last_on_exhausted=True)

        for _ in range(3):
            with pytest.raises(Boom):
                await mode.execute(template, always())
        with pytest.raises(CircuitOpenError, match="its last failure was Boom: e1"):
            await mode.execute(template, always())

    async def test_circuits_of_different_keys_are_apart(self, mode: Mode) -> None:
        """One key's failures do not refuse another's calls."""
        template = self.breaker(FakeClock())
        for _ in range(3):
            await self.outcome(mode, template, Callback(Boom()))

        assert await mode.execute(template, Callback(), state=RetryState("other")) == "done"

    async def test_a_slow_failure_opens_for_what_is_left_of_the_window(self, mode: Mode) -> None:
        """Opening later than the window lasts does not start the time of being open anew."""
        clock = FakeClock()
        policy = CircuitBreakerRetryPolicy(MaxAttemptsRetryPolicy(1), open_timeout=5, reset_timeout=20)
        template = RetryTemplate(policy=policy, clock=clock, label="service")

        def slow(context: RetryContext) -> None:
            clock.advance(8)
            raise Boom

        with pytest.raises(ExhaustedRetryError):
            await mode.execute(template, slow)
        clock.advance(11)
        assert await self.outcome(mode, template, Callback()) == "CircuitOpenError"
        clock.advance(2)
        assert await self.outcome(mode, template, Callback()) == "done"

    def test_the_policy_alone_can_be_asked(self) -> None:
        """Without a template; the delegate is asked for what it knows."""
        policy = CircuitBreakerRetryPolicy(MaxAttemptsRetryPolicy(2))
        context = policy.open(None)
        assert (policy.max_attempts, policy.can_retry(context), context.short_circuit_count) == (2, True, 0)

        for _ in range(2):
            policy.register_exception(context, Boom())

        assert (policy.can_retry(context), policy.admit(context), context.short_circuit_count) == (False, False, 1)
        assert policy.names(CircuitOpenError()) is False

    def test_a_breaker_is_no_delegate_of_a_breaker(self) -> None:
        """One circuit is enough."""
        with pytest.raises(RetryUsageError, match="can't be a circuit breaker"):
            CircuitBreakerRetryPolicy(CircuitBreakerRetryPolicy())

    async def test_a_key_is_a_circuit_or_an_item(self, mode: Mode) -> None:
        """A cache shared by both kinds of templates must not mix them up."""
        template = RetryTemplate(policy=SimpleRetryPolicy(5))
        with pytest.raises(Boom):
            await mode.execute(template, always(), state=RetryState("key"))
        breaker = RetryTemplate(policy=CircuitBreakerRetryPolicy(), cache=template.cache)

        with pytest.raises(RetryUsageError, match="belongs to a stateful execution, not to a circuit"):
            await mode.execute(breaker, Callback(), state=RetryState("key"))

    async def test_a_breaker_without_key_or_label_is_refused(self, mode: Mode) -> None:
        """The message tells what to give."""
        with pytest.raises(RetryUsageError, match='label="name"'):
            await mode.execute(RetryTemplate(policy=CircuitBreakerRetryPolicy()), Callback())
