"""Items 1 to 10 of the acceptance list: order of events, attempts, nesting, vetoes."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.runtime.retry.recording import (
    Boom,
    Callback,
    Fatal,
    Mode,
    Recorder,
    TracedBackOff,
    TracedPolicy,
    TracedSleeper,
    always,
)
from wakuwaku.retry import (
    ExhaustedRetryError,
    MapRetryContextCache,
    NeverRetryPolicy,
    RetryCall,
    RetryContext,
    RetryListener,
    RetryPolicy,
    RetryState,
    RetryTemplate,
    SimpleRetryPolicy,
    StopReason,
    TerminatedRetryError,
    current_context,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


class TracedCache(MapRetryContextCache):
    """Write puts and removals into a trace."""

    def __init__(self, trace: list[str]) -> None:
        super().__init__()
        self.trace = trace

    def put(self, key: Hashable, context: RetryContext) -> None:
        self.trace.append("cache.put")
        super().put(key, context)

    def remove(self, key: Hashable) -> None:
        self.trace.append("cache.remove")
        super().remove(key)


def traced(mode: Mode, trace: list[str], policy: RetryPolicy | None = None) -> RetryTemplate:
    """Return a template of which every part writes into the trace."""
    return RetryTemplate(
        policy=TracedPolicy(trace, policy),
        backoff=TracedBackOff(trace),
        sleeper=TracedSleeper(trace),
        cache=TracedCache(trace),
        listeners=[mode.recorder("L1", trace), mode.recorder("L2", trace)],
    )


OPENS = ["L1.open", "L2.open"]
FAILURE = ["call✗", "register", "L2.on_error", "L1.on_error"]
SUCCESS = ["call", "L2.on_success", "L1.on_success"]


def closes(error: str) -> list[str]:
    return ["policy.close", f"L2.close({error})", f"L1.close({error})"]


def recovery(trace: list[str]) -> Callable[[RetryContext], str]:
    def recover(context: RetryContext) -> str:
        trace.append("recover")
        return "recovered"

    return recover


class TestTraces:
    """Item 1."""

    async def test_acceptance_01_first_attempt_succeeds(self, mode: Mode) -> None:
        """Listeners open in order, hear of success and close in reverse."""
        trace: list[str] = []

        assert await mode.execute(traced(mode, trace), Callback(trace=trace)) == "done"

        assert trace == [*OPENS, "start", *SUCCESS, *closes("-")]

    async def test_acceptance_01_fails_twice_then_succeeds(self, mode: Mode) -> None:
        """Each failure is registered, told and followed by a pause; the end is a success."""
        trace: list[str] = []

        await mode.execute(traced(mode, trace), Callback(Boom("e1"), Boom("e2"), trace=trace))

        assert trace == [*OPENS, "start", *FAILURE, "pause", *FAILURE, "pause", *SUCCESS, *closes("-")]

    async def test_acceptance_01_fails_three_times(self, mode: Mode) -> None:
        """No pause follows the last attempt, and its error is raised."""
        trace: list[str] = []
        last = Boom("e3")

        with pytest.raises(Boom) as caught:
            await mode.execute(traced(mode, trace), Callback(Boom("e1"), Boom("e2"), last, trace=trace))

        assert caught.value is last
        assert trace == [*OPENS, "start", *FAILURE, "pause", *FAILURE, "pause", *FAILURE, *closes("e3")]

    async def test_acceptance_01_fails_three_times_with_recovery(self, mode: Mode) -> None:
        """Recovery comes before closing, and close still hears of the last error."""
        trace: list[str] = []
        callback = Callback(Boom("e1"), Boom("e2"), Boom("e3"), trace=trace)

        result = await mode.execute(traced(mode, trace), callback, recover=recovery(trace))

        assert result == "recovered"
        assert trace[-4:] == ["recover", *closes("e3")]
        assert trace.count("pause") == 2

    async def test_acceptance_01_error_that_is_not_retryable_is_recovered(self, mode: Mode) -> None:
        """Recovery serves errors that are not worth a retry as well."""
        trace: list[str] = []
        template = traced(mode, trace, SimpleRetryPolicy(retry_for=ValueError))

        await mode.execute(template, Callback(Boom("e1"), trace=trace), recover=recovery(trace))

        assert trace == [*OPENS, "start", *FAILURE, "recover", *closes("e1")]

    async def test_acceptance_01_second_listener_vetoes(self, mode: Mode) -> None:
        """Nothing is called, and both listeners close without an error."""
        trace: list[str] = []
        template = traced(mode, trace).replace(
            listeners=[mode.recorder("L1", trace), mode.recorder("L2", trace, opens=False)]
        )

        with pytest.raises(TerminatedRetryError, match="open vetoed"):
            await mode.execute(template, Callback(trace=trace))

        assert trace == ["L1.open", "L2.open(False)", *closes("-")]

    async def test_acceptance_01_stateful_with_one_attempt(self, mode: Mode) -> None:
        """The failure leaves the call; the next presentation calls nothing and gives up with the cause."""
        trace: list[str] = []
        template = traced(mode, trace, NeverRetryPolicy())
        state = RetryState("item")

        with pytest.raises(Boom, match="e1"):
            await mode.execute(template, Callback(Boom("e1"), trace=trace), state=state)
        first, trace[:] = list(trace), []
        with pytest.raises(ExhaustedRetryError) as caught:
            await mode.execute(template, Callback(trace=trace), state=state)

        register_then_store = ["call✗", "register", "cache.put", "L2.on_error", "L1.on_error"]
        assert first == [*OPENS, "start", *register_then_store, "L2.close(e1)", "L1.close(e1)"]
        assert trace == [*OPENS, "cache.remove", *closes("-")]
        cause = caught.value.__cause__
        assert (type(cause), str(cause)) == (Boom, "e1")

    async def test_acceptance_01_stateful_success_after_failures(self, mode: Mode) -> None:
        """The entry leaves the cache after the success."""
        trace: list[str] = []
        template = traced(mode, trace)
        state = RetryState("item")
        for number in (1, 2):
            with pytest.raises(Boom):
                await mode.execute(template, Callback(Boom(f"e{number}"), trace=trace), state=state)
        trace.clear()

        await mode.execute(template, Callback(trace=trace), state=state)

        assert trace == [*OPENS, *SUCCESS, "cache.remove", *closes("-")]


@pytest.mark.parametrize("x", range(1, 11))
async def test_acceptance_02_succeeds_on_the_last_of_x_attempts(mode: Mode, x: int) -> None:
    """The backoff is started once and pauses one time less than there are attempts."""
    trace: list[str] = []
    callback = Callback(*[Boom()] * (x - 1))

    await mode.execute(traced(mode, trace, SimpleRetryPolicy(x)), callback)

    assert callback.attempts == list(range(1, x + 1))
    assert (trace.count("start"), trace.count("pause")) == (1, x - 1)


async def test_acceptance_03_default_template_makes_three_attempts(mode: Mode) -> None:
    """A subclass of Exception is retried twice."""
    callback = Callback(*[Fatal()] * 5)

    with pytest.raises(Fatal):
        await mode.execute(RetryTemplate(), callback)

    assert callback.calls == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
async def test_acceptance_03_default_template_never_retries_other_errors(
    mode: Mode, error: type[BaseException]
) -> None:
    """What is not an Exception passes straight through."""
    calls = 0

    def callback(context: RetryContext) -> None:
        nonlocal calls
        calls += 1
        raise error

    with pytest.raises(error):
        await mode.execute(RetryTemplate(), callback)

    assert calls == 1


async def test_acceptance_04_no_retry_for_wins_for_a_subclass(mode: Mode) -> None:
    """One attempt is made, and recovery still runs."""
    callback = Callback(Fatal("fatal"), Boom())
    template = RetryTemplate(policy=SimpleRetryPolicy(retry_for=Boom, no_retry_for=Fatal))

    result = await mode.execute(template, callback, recover=lambda context: f"recovered {context.last_exception}")

    assert (result, callback.calls) == ("recovered fatal", 1)


async def test_acceptance_04_stateful_fatal_error_is_recovered_at_the_second_presentation(mode: Mode) -> None:
    """The first call raises, the second recovers without calling."""
    callback = Callback(Fatal("fatal"))
    template = RetryTemplate(policy=SimpleRetryPolicy(retry_for=Boom, no_retry_for=Fatal))
    state = RetryState("item")

    with pytest.raises(Fatal):
        await mode.execute(template, callback, recover=lambda _: "recovered", state=state)
    result = await mode.execute(template, callback, recover=lambda _: "recovered", state=state)

    assert (result, callback.calls) == ("recovered", 1)


async def test_acceptance_05_rollback_rule_false_retries_inside_the_call(mode: Mode) -> None:
    """A stateful execution loops on errors that need no rollback."""
    callback = Callback(Boom(), Boom())
    state = RetryState("item", rollback_for=lambda exc: not isinstance(exc, Boom))

    assert await mode.execute(RetryTemplate(), callback, state=state) == "done"
    assert callback.calls == 3


@pytest.mark.parametrize("raise_last", [False, True])
async def test_acceptance_06_exhausted_only_ends_after_the_current_failure(mode: Mode, raise_last: bool) -> None:
    """One attempt is made and its own error is raised."""
    error = Boom("own")
    contexts: list[RetryContext] = []

    def callback(context: RetryContext) -> None:
        contexts.append(context)
        context.set_exhausted_only()
        raise error

    with pytest.raises(Boom) as caught:
        await mode.execute(RetryTemplate(raise_last_on_exhausted=raise_last), callback)

    assert caught.value is error
    assert [context.stop_reason for context in contexts] == [StopReason.EXHAUSTED_ONLY]


async def test_acceptance_06_exhausted_only_does_not_fail_a_returned_value(mode: Mode) -> None:
    """A value that is returned is the result."""

    def callback(context: RetryContext) -> str:
        context.set_exhausted_only()
        return "value"

    assert await mode.execute(RetryTemplate(), callback) == "value"


class TestNesting:
    """Item 7."""

    async def test_acceptance_07_parent_of_the_inner_is_the_outer(self, mode: Mode) -> None:
        """Inside, the inner context is current; afterwards the outer one, then none."""
        seen: list[object] = []

        def inner(context: RetryContext) -> None:
            seen.extend([context.parent, current_context() is context])

        def outer(context: RetryContext) -> None:
            RetryTemplate().execute(inner)
            seen.extend([context, current_context() is context])

        await mode.execute(RetryTemplate(), outer)

        parent, inner_is_current, outer_context, outer_is_current = seen
        assert parent is outer_context
        assert (inner_is_current, outer_is_current, current_context()) == (True, True, None)

    def test_acceptance_07_threads_do_not_see_each_other(self) -> None:
        """A new thread has no current context."""
        seen: list[RetryContext | None] = []

        def callback(context: RetryContext) -> None:
            thread = Thread(target=lambda: seen.append(current_context()))
            thread.start()
            thread.join()

        RetryTemplate().execute(callback)

        assert seen == [None]

    async def test_acceptance_07_a_child_task_has_the_context_as_parent(self) -> None:
        """The child's executions are nested, and can see when the parent is over."""
        contexts: list[RetryContext] = []
        go_on = asyncio.Event()

        async def child() -> bool:
            await go_on.wait()
            return await RetryTemplate().execute_async(parent_is_closed)

        async def parent_is_closed(context: RetryContext) -> bool:
            assert context.parent is contexts[0]
            return contexts[0].closed

        async def callback(context: RetryContext) -> asyncio.Task[bool]:
            contexts.append(context)
            return asyncio.create_task(child())

        task = await RetryTemplate().execute_async(callback)
        go_on.set()

        assert await task is True
        assert current_context() is None

    async def test_acceptance_07_an_early_break_restores_the_current_context(self) -> None:
        """Leaving the loop of attempts inside of a block or between two leaves nothing behind."""
        async for attempt in RetryTemplate().attempts_async():
            async with attempt:
                assert current_context() is attempt.context
                break
        assert current_context() is None

        async for attempt in RetryTemplate().attempts_async():
            async with attempt:
                raise Boom
            break
        assert current_context() is None


class BrokenPolicy(RetryPolicy):
    """Fail to register."""

    def can_retry(self, context: RetryContext) -> bool:
        return True

    def register_exception(self, context: RetryContext, exc: Exception) -> None:
        raise LookupError("broken")


async def test_acceptance_08_policy_that_cannot_register_terminates(mode: Mode) -> None:
    """The cause is that failure, the context the original error, and on_error is still called."""
    trace: list[str] = []
    error = Boom("original")

    with pytest.raises(TerminatedRetryError, match="Boom could not be registered: LookupError: broken") as caught:
        await mode.execute(
            RetryTemplate(policy=BrokenPolicy(), listeners=[mode.recorder("L", trace)]), Callback(error, trace=trace)
        )

    assert isinstance(caught.value.__cause__, LookupError)
    assert caught.value.__context__ is error
    assert trace == ["L.open", "call✗", "L.on_error", "L.close(original)"]


class Picky(RetryListener):
    """Reject results with an error of a type."""

    def __init__(self, error: type[Exception], times: int) -> None:
        self.error = error
        self.times = times

    def on_success(self, context: RetryContext, call: RetryCall, result: object) -> None:
        if self.times:
            self.times -= 1
            raise self.error(f"rejected {result}")


async def test_acceptance_09_rejected_result_is_retried_by_the_type_raised(mode: Mode) -> None:
    """A retryable rejection is tried again, another one is raised."""
    policy = SimpleRetryPolicy(retry_for=Boom)
    callback = Callback()

    assert await mode.execute(RetryTemplate(policy=policy, listeners=[Picky(Boom, 2)]), callback) == "done"
    with pytest.raises(LookupError, match="rejected done"):
        await mode.execute(RetryTemplate(policy=policy, listeners=[Picky(LookupError, 2)]), callback)

    assert callback.attempts == [1, 2, 3, 1]


class Raising(RetryListener):
    """Fail in one hook."""

    def __init__(self, hook: str) -> None:
        def fail(*_: Any) -> None:
            raise LookupError(hook)

        setattr(self, hook, fail)


class TestListenerTrouble:
    """Item 10."""

    async def test_acceptance_10_the_third_of_three_listeners_is_neither_opened_nor_closed(self, mode: Mode) -> None:
        """A veto by the second stops at the second."""
        trace: list[str] = []
        listeners = [
            mode.recorder("L1", trace),
            mode.recorder("L2", trace, opens=False),
            mode.recorder("L3", trace),
        ]

        with pytest.raises(TerminatedRetryError):
            await mode.execute(RetryTemplate(listeners=listeners), Callback(trace=trace))

        assert trace == ["L1.open", "L2.open(False)", "L2.close(-)", "L1.close(-)"]

    @pytest.mark.parametrize(
        ("hook", "calls"), [("open", 0), ("on_attempt", 0), ("on_error", 1), ("on_retry", 1), ("close", 2)]
    )
    async def test_acceptance_10_error_in_a_hook_ends_the_call(self, mode: Mode, hook: str, calls: int) -> None:
        """It is raised, no further attempt follows, and the other listener is closed."""
        trace: list[str] = []
        callback = Callback(Boom("e1"))
        template = RetryTemplate(listeners=[Recorder("L1", trace), Raising(hook)])

        with pytest.raises(LookupError, match=hook):
            await mode.execute(template, callback)

        assert callback.calls == calls
        assert trace[-1].startswith("L1.close")

    async def test_acceptance_10_error_in_on_success_is_a_failed_attempt(self, mode: Mode) -> None:
        """It is retried like an error of the callback."""
        callback = Callback()

        with pytest.raises(LookupError, match="on_success"):
            await mode.execute(RetryTemplate(listeners=[Raising("on_success")]), callback)

        assert callback.calls == 3

    async def test_acceptance_10_a_forgotten_return_is_no_veto(self, mode: Mode) -> None:
        """Only False vetoes."""
        template = RetryTemplate(listeners=[mode.recorder("L", [], opens=None)])

        assert await mode.execute(template, always_done) == "done"


def always_done(context: RetryContext) -> str:
    return "done"


async def test_a_hook_can_end_retrying(mode: Mode) -> None:
    """`set_exhausted_only` in on_error stops before the pause."""

    class Stop(RetryListener):
        def on_error(self, context: RetryContext, call: RetryCall, exc: Exception) -> None:
            context.set_exhausted_only()

    with pytest.raises(Boom, match="e1"):
        await mode.execute(RetryTemplate(listeners=[Stop()]), always())
