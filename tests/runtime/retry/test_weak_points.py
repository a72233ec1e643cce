"""The weak points of the original and of its peers, each with the test that ours does not have it.

Numbers are those of section 13 of the reference. Points that an item of the acceptance list covers name it.
"""

from __future__ import annotations

import copy
import logging
from typing import Any

import pytest

from tests.runtime.retry.recording import Boom, Callback, Mode, Recorder, TracedPolicy, always
from wakuwaku.retry import (
    AlwaysRetryPolicy,
    BackOffInterruptedError,
    BackOffPolicy,
    CircuitBreakerRetryPolicy,
    CircuitOpenError,
    CompositeRetryPolicy,
    ExceptionClassifier,
    ExceptionClassifierRetryPolicy,
    ExhaustedRetryError,
    FixedBackOff,
    MaxAttemptsRetryPolicy,
    PredicateRetryPolicy,
    RetryBudget,
    RetryCall,
    RetryContext,
    RetryError,
    RetryListener,
    RetryPolicy,
    RetryState,
    RetryTemplate,
    RetryUsageError,
    SimpleRetryPolicy,
    StopReason,
    TerminatedRetryError,
    TimeoutRetryPolicy,
    retryable,
)
from wakuwaku.retry.testing import FakeClock, RecordingSleeper


async def test_13_02_the_policy_is_asked_once_for_each_failure(mode: Mode) -> None:
    """Its answer before the pause is used after it; nothing is paused after the last attempt."""
    questions: list[int] = []

    class Counting(RetryPolicy):
        first_attempt_free = True

        def can_retry(self, context: RetryContext) -> bool:
            questions.append(context.retry_count)
            return context.retry_count < 3

    sleeper = RecordingSleeper()
    template = RetryTemplate(policy=Counting(), backoff=FixedBackOff(1), sleeper=sleeper)

    with pytest.raises(Boom):
        await mode.execute(template, always())

    assert (questions, sleeper.pauses) == ([1, 2, 3], [1, 1])


class TestListenerDiscipline:
    """Point 13.5."""

    async def test_13_05_a_failing_close_does_not_stop_the_others(
        self, mode: Mode, caplog: pytest.LogCaptureFixture
    ) -> None:
        """It is raised when nothing else is in flight, and logged otherwise."""

        class FailsToClose(RetryListener):
            def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> None:
                raise LookupError("close")

        trace: list[str] = []
        template = RetryTemplate(listeners=[Recorder("L", trace), FailsToClose()])

        with pytest.raises(LookupError, match="close"):
            await mode.execute(template, Callback())
        assert trace[-1] == "L.close(-)"
        with caplog.at_level(logging.ERROR), pytest.raises(Boom):
            await mode.execute(template, always())
        assert trace[-1] == "L.close(e3)"
        assert [record.message for record in caplog.records] == [
            "closing a retry failed, another error is on its way: LookupError('close')"
        ]

    async def test_13_05_a_listener_that_fails_to_open_is_closed_and_later_ones_are_not(self, mode: Mode) -> None:
        """Exactly those whose open was reached are closed."""
        trace: list[str] = []

        class FailsToOpen(Recorder):
            def open(self, context: RetryContext, call: RetryCall) -> bool | None:
                raise LookupError("open")

        listeners = [Recorder("L1", trace), FailsToOpen("L2", trace), Recorder("L3", trace)]

        with pytest.raises(LookupError, match="open"):
            await mode.execute(RetryTemplate(listeners=listeners), Callback())

        assert trace == ["L1.open", "L2.close(-)", "L1.close(-)"]


class TestErrorsAreLetGo:
    """Point 13.7; that the payload goes is item 21."""

    async def test_13_07_a_stateless_context_holds_no_error_afterwards(self, mode: Mode) -> None:
        """Listeners still see it in close."""
        seen: list[Exception | None] = []
        contexts: list[RetryContext] = []

        class Last(RetryListener):
            def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> None:
                contexts.append(context)
                seen.append(context.last_exception)

        policy = CompositeRetryPolicy(SimpleRetryPolicy(2), ExceptionClassifierRetryPolicy({Boom: AlwaysRetryPolicy()}))
        with pytest.raises(Boom) as caught:
            await mode.execute(RetryTemplate(policy=policy, listeners=[Last()]), always())

        assert seen == [caught.value]
        assert contexts[0].last_exception is None
        assert all(child.error is None for child in contexts[0].machinery.children.values())

    async def test_13_07_a_waiting_context_holds_a_summary(self, mode: Mode) -> None:
        """Type name, message and time."""
        template = RetryTemplate()
        with pytest.raises(Boom):
            await mode.execute(template, always(), state=RetryState("item"))

        waiting = template.cache.get("item")

        assert waiting is not None
        assert waiting.error is None
        assert waiting.failure is not None
        assert (waiting.failure.name, waiting.failure.message) == ("Boom", "e1")
        assert waiting.failure.at > 1_700_000_000


class TestCauses:
    """Points 13.9 and 13.10."""

    def test_13_09_a_cyclic_cause_chain_ends(self) -> None:
        """Every cause is looked at once."""
        one, two = RuntimeError(), RuntimeError()
        one.__cause__, two.__cause__ = two, one

        assert ExceptionClassifier(KeyError, traverse_causes=True)(one) is False

    @pytest.mark.parametrize(
        ("suppressed", "explicit", "answer"), [(False, False, True), (True, False, False), (True, True, True)]
    )
    def test_13_09_the_context_counts_unless_suppressed(self, suppressed: bool, explicit: bool, answer: bool) -> None:
        """`raise … from None` hides it, an explicit cause is looked at first."""
        error = RuntimeError()
        error.__context__ = KeyError()
        if explicit:
            error.__cause__ = KeyError()
        error.__suppress_context__ = suppressed

        assert ExceptionClassifier(KeyError, traverse_causes=True)(error) is answer

    def test_13_09_an_explicitly_listed_type_stops_the_walk(self) -> None:
        """Also on the way, and also when it says no."""
        outer, middle = RuntimeError(), LookupError()
        outer.__cause__, middle.__cause__ = middle, OSError()

        classifier = ExceptionClassifier(OSError, LookupError, traverse_causes=True)

        assert classifier(outer) is False
        assert classifier(OSError()) is True

    def test_13_10_groups_are_opaque_or_need_every_leaf(self) -> None:
        """Opaque by default: the group is an error like another."""
        good = ExceptionGroup("g", [Boom(), ExceptionGroup("h", [Boom()])])
        bad = ExceptionGroup("g", [Boom(), KeyError()])

        assert [ExceptionClassifier(Boom)(group) for group in (good, bad)] == [False, False]
        assert [ExceptionClassifier(Boom, groups="all")(group) for group in (good, bad)] == [True, False]
        with pytest.raises(ValueError, match="groups must be"):
            ExceptionClassifier(groups="some")  # type: ignore[arg-type]

    @pytest.mark.parametrize("types", [BaseException, KeyboardInterrupt, "Boom", (Boom, None)])
    def test_only_exceptions_can_be_listed(self, types: Any) -> None:
        """Cancellation and its like are never retried, so naming them is a mistake."""
        with pytest.raises(RetryUsageError, match="retry_for takes subclasses of Exception"):
            SimpleRetryPolicy(retry_for=types)


class TestSyncAndAsync:
    """Point 13.13."""

    def test_13_13_an_async_listener_is_refused_before_a_sync_execution_begins(self) -> None:
        """By name, and nothing was called."""

        class Later(RetryListener):
            async def on_error(self, context: RetryContext, call: RetryCall, exc: Exception) -> None: ...

        callback = Callback()
        with pytest.raises(RetryUsageError, match=r"Later\.on_error is a coroutine function"):
            RetryTemplate(listeners=[Later()]).execute(callback)
        assert callback.calls == 0

    def test_13_13_a_hook_or_recovery_that_turns_out_async_is_refused_at_first_use(self) -> None:
        """And leaves no coroutine behind that nobody awaits."""

        async def later() -> None: ...

        class Sneaky(RetryListener):
            def on_error(self, context: RetryContext, call: RetryCall, exc: Exception) -> Any:
                return later()

        with pytest.raises(RetryUsageError, match="async listener or recovery was given to a sync execution"):
            RetryTemplate(listeners=[Sneaky()]).execute(always())
        with pytest.raises(RetryUsageError, match="async listener or recovery was given to a sync execution"):
            RetryTemplate().execute(always(), recover=lambda _: later())

    @pytest.mark.parametrize(
        "make",
        [
            PredicateRetryPolicy,
            lambda f: SimpleRetryPolicy(when=f),
            lambda f: RetryState("key", rollback_for=f),
            ExceptionClassifierRetryPolicy,
            lambda f: retryable(stateful=True, key=f)(lambda: None),
            lambda f: retryable(stateful=True, is_new=f)(lambda: None),
            lambda f: retryable(recover=f)(lambda: None),
        ],
        ids=["predicate", "when", "rollback_for", "classifier", "key", "is_new", "recover"],
    )
    def test_13_13_async_functions_are_refused_at_configuration(self, make: Any) -> None:
        """Where they could never be awaited."""

        async def later(*_: object) -> bool:
            return True

        with pytest.raises(RetryUsageError, match="later"):
            make(later)

    def test_13_13_a_predicate_that_turns_out_async_does_not_mean_yes(self) -> None:
        """A coroutine is true, so it would retry everything."""

        async def later() -> bool:
            return False

        template = RetryTemplate(policy=PredicateRetryPolicy(lambda _: later()))  # type: ignore[arg-type,return-value]

        with pytest.raises(TerminatedRetryError, match="a predicate returned a coroutine"):
            template.execute(always())

    def test_13_13_a_sleeper_that_waits_is_refused_in_a_sync_execution(self) -> None:
        """Nothing is left hanging."""

        class Wrong:
            def sleep(self, seconds: float) -> Any:
                raise RetryUsageError("an async sleeper")

            async def sleep_async(self, seconds: float) -> None: ...

        with pytest.raises(RetryUsageError, match="async sleeper"):
            RetryTemplate(backoff=FixedBackOff(1), sleeper=Wrong()).execute(always())


def test_13_15_a_decorated_function_has_no_attributes_bolted_on() -> None:
    """Beyond what `functools.wraps` sets."""

    def work() -> None: ...

    assert set(vars(retryable(work))) == set(vars(RetryTemplate().wrap(work))) == {"__wrapped__"}


class TestNestedRetries:
    """Point 13.16."""

    @staticmethod
    async def run(mode: Mode, nested: Any) -> int:
        callback = Callback(*[Boom()] * 99)
        inner = RetryTemplate(nested=nested)

        with pytest.raises(Boom):
            await mode.execute(RetryTemplate(), lambda _: inner.execute(callback))
        return callback.calls

    @pytest.mark.parametrize(("nested", "calls"), [("allow", 9), ("warn", 9), ("outermost", 3)])
    async def test_13_16_nested_retries_multiply_or_not(self, mode: Mode, nested: str, calls: int) -> None:
        """With `outermost`, only the outer one retries."""
        assert await self.run(mode, nested) == calls

    async def test_13_16_a_warning_tells_of_it(self, mode: Mode, caplog: pytest.LogCaptureFixture) -> None:
        """Whenever an inner one retries, and not when it is the outermost."""
        with pytest.raises(Boom):
            await mode.execute(RetryTemplate(nested="warn"), always())
        assert caplog.messages == []

        await self.run(mode, "warn")

        assert len(caplog.messages) == 6
        assert "retries inside of another retry" in caplog.messages[0]

    async def test_13_16_a_breaker_outside_is_no_retry(self, mode: Mode) -> None:
        """It makes one attempt only, so nothing multiplies."""
        callback = Callback(*[Boom()] * 99)
        breaker = RetryTemplate(policy=CircuitBreakerRetryPolicy(), label="service")
        inner = RetryTemplate(nested="outermost")

        with pytest.raises(ExhaustedRetryError):
            await mode.execute(breaker, lambda _: inner.execute(callback))
        assert callback.calls == 3


class TestBudget:
    """Point 13.17."""

    async def test_13_17_a_spent_budget_ends_retrying_with_the_original_error(self, mode: Mode) -> None:
        """The reason is told apart."""
        budget = RetryBudget(capacity=3, ratio=0.5)
        template = RetryTemplate(policy=AlwaysRetryPolicy(), budget=budget)
        contexts: list[RetryContext] = []

        def callback(context: RetryContext) -> None:
            contexts.append(context)
            raise Boom(f"e{context.attempt}")

        with pytest.raises(Boom, match="e4"):
            await mode.execute(template, callback)
        assert contexts[-1].stop_reason is StopReason.BUDGET
        assert budget.left == 0

    async def test_13_17_successes_fill_it_again(self, mode: Mode) -> None:
        """Up to its capacity, a share of one each."""
        budget = RetryBudget(capacity=2, ratio=0.5)
        template = RetryTemplate(budget=budget)
        await mode.execute(template, Callback(Boom(), Boom()))
        assert budget.left == 0.5

        for _ in range(9):
            await mode.execute(template, Callback())

        assert budget.left == 2

    @pytest.mark.parametrize("arguments", [(0, 0.1), (1, -0.1), (1, 1.1), (float("nan"), 0.1)])
    def test_wrong_numbers_are_refused(self, arguments: tuple[float, float]) -> None:
        """A budget of less than one retry can never grant one."""
        with pytest.raises(ValueError, match=r"must be|is a share"):
            RetryBudget(*arguments)


class TestOwnErrors:
    """Point 13.19."""

    @pytest.mark.parametrize("error", [CircuitOpenError, TerminatedRetryError, BackOffInterruptedError])
    @pytest.mark.parametrize(
        "policy",
        [SimpleRetryPolicy(), AlwaysRetryPolicy(), MaxAttemptsRetryPolicy(), PredicateRetryPolicy(lambda _: True)],
        ids=lambda policy: type(policy).__name__,
    )
    async def test_13_19_our_own_verdicts_are_not_retried(
        self, mode: Mode, error: type[RetryError], policy: RetryPolicy
    ) -> None:
        """Whatever policy is asked: they come from an inner execution that was stopped on purpose."""
        callback = Callback(error(), error())

        with pytest.raises(error):
            await mode.execute(RetryTemplate(policy=policy), callback)
        assert callback.calls == 1

    @pytest.mark.parametrize(
        "policy",
        [
            SimpleRetryPolicy(retry_for=CircuitOpenError),
            SimpleRetryPolicy(retry_for=RetryError),
            SimpleRetryPolicy(retry_for=(CircuitOpenError, Boom)) & AlwaysRetryPolicy(),
            PredicateRetryPolicy(ExceptionClassifier(CircuitOpenError)),
            ExceptionClassifierRetryPolicy({CircuitOpenError: SimpleRetryPolicy(2)}),
            ExceptionClassifierRetryPolicy(lambda _: SimpleRetryPolicy(2, retry_for=CircuitOpenError)),
        ],
        ids=["type", "root", "composite", "classifier", "mapping", "function"],
    )
    async def test_13_19_a_user_can_name_them(self, mode: Mode, policy: RetryPolicy) -> None:
        """Then they are retried like any other error."""
        callback = Callback(CircuitOpenError())

        assert await mode.execute(RetryTemplate(policy=policy), callback) == "done"


class TestNotRecoverable:
    """Point 13.21."""

    @pytest.mark.parametrize(
        "wrap",
        [
            lambda policy: policy,
            lambda policy: CompositeRetryPolicy(policy, AlwaysRetryPolicy()),
            lambda policy: CompositeRetryPolicy(policy, AlwaysRetryPolicy(), optimistic=True),
            lambda policy: ExceptionClassifierRetryPolicy({Exception: policy}),
            CircuitBreakerRetryPolicy,
        ],
        ids=["alone", "composite", "optimistic", "classifier", "breaker"],
    )
    async def test_13_21_not_recoverable_is_seen_through_the_policy_tree(self, mode: Mode, wrap: Any) -> None:
        """The error is raised itself, without recovery."""
        policy = wrap(SimpleRetryPolicy(1, not_recoverable=Boom))
        template = RetryTemplate(policy=policy & TimeoutRetryPolicy(0) if not policy.shared else policy, label="work")
        error = Boom()

        with pytest.raises(Boom) as caught:
            await mode.execute(template, Callback(error), recover=lambda _: "recovered")
        assert caught.value is error

    async def test_13_21_across_presentations(self, mode: Mode) -> None:
        """The last presentation raises an error like the one that may not be recovered."""
        template = RetryTemplate(policy=SimpleRetryPolicy(1, not_recoverable=Boom))
        state = RetryState("item")
        with pytest.raises(Boom):
            await mode.execute(template, always(), recover=lambda _: "recovered", state=state)

        with pytest.raises(Boom, match="e1"):
            await mode.execute(template, always(), recover=lambda _: "recovered", state=state)


async def test_a_backoff_can_stop_retrying(mode: Mode) -> None:
    """None instead of a pause means no further attempt."""

    class Stops(BackOffPolicy[None]):
        def next_delay(self, state: None, context: RetryContext) -> float | None:
            return None if context.retry_count == 2 else 0

    with pytest.raises(Boom, match="e2"):
        await mode.execute(RetryTemplate(policy=AlwaysRetryPolicy(), backoff=Stops()), always())


async def test_a_broken_backoff_or_predicate_terminates(mode: Mode) -> None:
    """The cause is what broke."""

    class Broken(BackOffPolicy[None]):
        def next_delay(self, state: None, context: RetryContext) -> float | None:
            raise LookupError("broken")

    with pytest.raises(TerminatedRetryError, match="LookupError: broken"):
        await mode.execute(RetryTemplate(backoff=Broken()), always())


async def test_a_policy_that_cannot_be_asked_terminates(mode: Mode) -> None:
    """Before anything is called."""

    class Broken(TracedPolicy):
        def can_retry(self, context: RetryContext) -> bool:
            raise LookupError("broken")

    callback = Callback()
    with pytest.raises(TerminatedRetryError, match="the policy could not be asked: LookupError: broken"):
        await mode.execute(RetryTemplate(policy=Broken([])), callback)
    assert callback.calls == 0


def test_configuration_does_not_change() -> None:
    """Templates, policies and states are values; `replace` makes a new template."""
    policy = SimpleRetryPolicy(5)
    template = RetryTemplate(policy=policy, label="a")
    with pytest.raises(AttributeError, match="can't be changed: make a new RetryTemplate"):
        template.label = "b"
    with pytest.raises(AttributeError, match="can't be deleted"):
        del policy.limit

    changed = template.replace(label="b")

    assert (template.label, changed.label, changed.policy, changed.cache) == ("a", "b", policy, template.cache)
    assert SimpleRetryPolicy(5) == policy
    assert hash(SimpleRetryPolicy(5)) == hash(policy)
    assert SimpleRetryPolicy(4) != policy
    assert repr(MaxAttemptsRetryPolicy(4)) == "MaxAttemptsRetryPolicy(n=4)"
    with pytest.raises(RetryUsageError, match="RetryTemplate has no polisy"):
        template.replace(polisy=policy)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SimpleRetryPolicy(0), "max_attempts counts every call including the first"),
        (lambda: MaxAttemptsRetryPolicy(-1), "max_attempts counts every call including the first"),
        (lambda: TimeoutRetryPolicy(-1), "timeout must be a finite number"),
        (lambda: CircuitBreakerRetryPolicy(open_timeout=-1), "open_timeout must be a finite number"),
        (lambda: RetryTemplate(past_deadline="stop"), "past_deadline must be"),  # type: ignore[arg-type]
        (lambda: RetryTemplate(nested="never"), "nested must be"),  # type: ignore[arg-type]
        (lambda: RetryState("key", recovery="later"), "recovery must be"),  # type: ignore[arg-type]
        (lambda: RetryState("key", pause="never"), "pause must be"),  # type: ignore[arg-type]
    ],
)
def test_wrong_values_are_refused_at_construction(make: Any, message: str) -> None:
    """With the name of the argument."""
    with pytest.raises(ValueError, match=message):
        make()


def test_a_context_knows_its_attributes_and_no_others() -> None:
    """A typing error does not pass as a default, and a context can be copied."""
    context = RetryContext()
    wrong: Any = context

    with pytest.raises(AttributeError, match="RetryContext has no attribute 'retries'"):
        _ = wrong.retries
    context.attributes["a"] = 1
    assert copy.copy(context).attributes == {"a": 1}
    assert (context.retry_count, context.attempt, context.is_last_attempt, context.max_attempts) == (0, 1, None, None)
    assert repr(context) == "<RetryContext -: attempt 1>"


async def test_a_context_tells_what_is_known_of_the_end(mode: Mode) -> None:
    """Last attempt, time and pauses so far."""
    clock = FakeClock()
    seen: list[object] = []

    def callback(context: RetryContext) -> None:
        seen.append(
            (context.attempt, context.max_attempts, context.is_last_attempt, context.elapsed, context.total_delay)
        )
        raise Boom

    template = RetryTemplate(
        policy=SimpleRetryPolicy(2), backoff=FixedBackOff(3), sleeper=RecordingSleeper(clock), clock=clock
    )
    with pytest.raises(Boom):
        await mode.execute(template, callback)

    assert seen == [(1, 2, False, 0, 0), (2, 2, True, 3, 3)]
