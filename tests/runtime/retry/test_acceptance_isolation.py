"""Items 18 to 21 of the acceptance list: cancellation, what may be called, concurrency, the user's error object."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import gc
import inspect
import types
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.runtime.retry.recording import Boom, Callback, Mode, always
from wakuwaku.retry import (
    AlwaysRetryPolicy,
    BackOffInterruptedError,
    CircuitBreakerRetryPolicy,
    CircuitOpenError,
    EventSleeper,
    FixedBackOff,
    MaxAttemptsRetryPolicy,
    PredicateRetryPolicy,
    RetryCall,
    RetryContext,
    RetryError,
    RetryListener,
    RetryPolicy,
    RetryState,
    RetryTemplate,
    RetryUsageError,
    SimpleRetryPolicy,
    StatisticsListener,
    StopReason,
    current_context,
    retryable,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Iterator


class Hooks(RetryListener):
    """Write down every hook and the error given to close."""

    def __init__(self) -> None:
        self.trace: list[str] = []
        self.context: RetryContext | None = None

    def open(self, context: RetryContext, call: RetryCall) -> None:
        self.trace.append("open")

    def on_success(self, context: RetryContext, call: RetryCall, result: object) -> None:
        self.trace.append("on_success")

    def on_error(self, context: RetryContext, call: RetryCall, exc: Exception) -> None:
        self.trace.append("on_error")

    def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> None:
        self.context = context
        self.trace.append(f"close({type(exc).__name__})")


class HangingSleeper:
    """Pause for ever, and tell when the pause began."""

    def __init__(self) -> None:
        self.began = asyncio.Event()

    def sleep(self, seconds: float) -> None:
        raise KeyboardInterrupt

    async def sleep_async(self, seconds: float) -> None:
        self.began.set()
        await asyncio.Event().wait()


def certain(exc: Exception) -> bool:
    """Say yes to anything, as a user's predicate may."""
    return True


class TestCancellation:
    """Item 18."""

    async def test_acceptance_18_cancelling_the_task_in_an_attempt(self) -> None:
        """Nothing but close hears of it, whatever the predicate, and it is not tried again."""
        hooks = Hooks()
        began = asyncio.Event()
        calls = 0

        async def callback(context: RetryContext) -> None:
            nonlocal calls
            calls += 1
            began.set()
            await asyncio.Event().wait()

        template = RetryTemplate(policy=PredicateRetryPolicy(certain), listeners=[hooks])
        task = asyncio.create_task(template.execute_async(callback, recover=lambda _: None))
        await began.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        assert (calls, hooks.trace) == (1, ["open", "close(CancelledError)"])
        assert hooks.context is not None
        assert (hooks.context.stop_reason, hooks.context.closed) == (StopReason.CANCELLED, True)

    async def test_acceptance_18_cancelling_the_task_in_a_pause(self) -> None:
        """The failure before was told; the cancellation only to close."""
        hooks, sleeper = Hooks(), HangingSleeper()
        template = RetryTemplate(
            policy=AlwaysRetryPolicy(), backoff=FixedBackOff(1), listeners=[hooks], sleeper=sleeper
        )

        async def callback(context: RetryContext) -> None:
            raise Boom

        task = asyncio.create_task(template.execute_async(callback, recover=lambda _: None))
        await sleeper.began.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        assert hooks.trace == ["open", "on_error", "close(CancelledError)"]

    async def test_acceptance_18_a_timeout_around_the_execution(self) -> None:
        """`asyncio.timeout` ends an endless retry in its pause."""
        template = RetryTemplate(policy=AlwaysRetryPolicy(), backoff=FixedBackOff(1), sleeper=HangingSleeper())

        async def callback(context: RetryContext) -> None:
            raise Boom

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await template.execute_async(callback)

    async def test_acceptance_18_an_endless_retry_without_pause_lets_other_tasks_run(self) -> None:
        """So it can be cancelled at all."""

        async def callback(context: RetryContext) -> None:
            raise Boom

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await RetryTemplate(policy=AlwaysRetryPolicy()).execute_async(callback)

    async def test_acceptance_18_closing_an_abandoned_coroutine(self) -> None:
        """Async hooks can't be awaited any more; nothing complains, and nothing is tried again."""
        closed: list[object] = []

        class Later(RetryListener):
            def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> Any:
                async def later() -> None:
                    raise AssertionError

                closed.append(type(exc))
                return later()

        @types.coroutine
        def suspend() -> Generator[None]:
            yield

        async def callback(context: RetryContext) -> None:
            await suspend()

        execution = RetryTemplate(listeners=[Later()]).execute_async(callback)
        contextvars.copy_context().run(execution.send, None)  # as a task does
        execution.close()  # as the collector does, in another context

        assert closed == [GeneratorExit]
        assert current_context() is None

    async def test_acceptance_18_a_sibling_in_the_task_group_fails(self) -> None:
        """The group's cancellation ends the retry, and only the sibling's error is reported."""
        began = asyncio.Event()

        async def callback(context: RetryContext) -> None:
            began.set()
            await asyncio.Event().wait()

        async def sibling() -> None:
            await began.wait()
            raise LookupError

        with pytest.raises(ExceptionGroup) as caught:
            async with asyncio.TaskGroup() as group:
                group.create_task(RetryTemplate(policy=AlwaysRetryPolicy()).execute_async(callback))
                group.create_task(sibling())

        assert [type(error) for error in caught.value.exceptions] == [LookupError]

    async def test_acceptance_18_a_group_that_contains_a_cancellation_passes(self, mode: Mode) -> None:
        """It is no ExceptionGroup, so nobody may retry it."""
        calls = 0

        def callback(context: RetryContext) -> None:
            nonlocal calls
            calls += 1
            raise BaseExceptionGroup("mixed", [Boom(), asyncio.CancelledError()])

        with pytest.raises(BaseExceptionGroup):
            await mode.execute(RetryTemplate(policy=AlwaysRetryPolicy()), callback)
        assert calls == 1

    def test_acceptance_18_ctrl_c_in_a_sync_attempt_and_pause(self) -> None:
        """It passes at once, and close hears of it."""
        in_attempt, in_pause = Hooks(), Hooks()

        def interrupted(context: RetryContext) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            RetryTemplate(listeners=[in_attempt]).execute(interrupted)
        with pytest.raises(KeyboardInterrupt):
            RetryTemplate(backoff=FixedBackOff(1), sleeper=HangingSleeper(), listeners=[in_pause]).execute(always())

        assert in_attempt.trace == ["open", "close(KeyboardInterrupt)"]
        assert in_pause.trace == ["open", "on_error", "close(KeyboardInterrupt)"]

    async def test_acceptance_18_a_cached_context_stays_as_it_was(self, mode: Mode) -> None:
        """A cancelled presentation counts for nothing."""
        template = RetryTemplate(policy=SimpleRetryPolicy(5))
        state = RetryState("item")
        with pytest.raises(Boom):
            await mode.execute(template, Callback(Boom("e1")), state=state)

        def cancelled(context: RetryContext) -> None:
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await mode.execute(template, cancelled, state=state)

        waiting = template.cache.get("item")
        assert waiting is not None
        assert (waiting.retry_count, str(waiting.failure)) == (1, "Boom: e1")


async def generator() -> AsyncIterator[int]:
    yield 1


def plain_generator() -> Iterator[int]:
    yield 1


class Service:
    """Offer every kind of callable; each fails once per instance."""

    failures = 0

    def __init__(self) -> None:
        self.left = 1

    def __call__(self, x: int) -> int:
        return self.method(x)

    def method(self, x: int) -> int:
        if self.left:
            self.left -= 1
            raise Boom
        return x

    @classmethod
    def of_class(cls, x: int) -> int:
        cls.failures += 1
        if cls.failures % 2:
            raise Boom
        return x

    @staticmethod
    def of_none(x: int) -> int:
        return Service.of_class(x)

    async def coroutine(self, x: int) -> int:
        return self.method(x)


class AsyncCallable:
    """Be a callable object that gives a coroutine."""

    async def __call__(self, x: int) -> int:
        return x


class TestCallables:
    """Item 19."""

    @pytest.mark.parametrize("function", [plain_generator, generator, functools.partial(plain_generator)])
    def test_acceptance_19_generator_functions_are_refused(self, function: Any) -> None:
        """They would silently not be retried."""
        with pytest.raises(TypeError, match="is a generator function: its items are made after the call returned"):
            retryable(function)
        with pytest.raises(TypeError, match="is a generator function"):
            RetryTemplate().wrap(function)

    @pytest.mark.parametrize("listeners", [[], [RetryListener()]])
    def test_acceptance_19_a_sync_function_that_returns_a_coroutine_is_refused(
        self, listeners: list[RetryListener]
    ) -> None:
        """At its first call, and without leaving a coroutine behind that nobody awaits."""

        async def work() -> None: ...

        calls = 0

        def sneaky() -> Any:
            nonlocal calls
            calls += 1
            return work()

        with pytest.raises(TypeError, match="sneaky returned a coroutine"):
            RetryTemplate(listeners=listeners).wrap(sneaky)()
        assert calls == 1

    async def test_acceptance_19_an_async_execution_of_a_plain_function_is_refused(self) -> None:
        """The message tells what to use."""
        plain: Any = len
        with pytest.raises(TypeError, match="len returned int, which can't be awaited"):
            await RetryTemplate().call_async(plain, "text")

    @pytest.mark.parametrize(
        "make",
        [
            lambda: functools.partial(Service().method, 7),
            lambda: functools.partial(Service(), x=7),
            lambda: functools.partial(Service.of_class, 7),
            lambda: functools.partial(Service.of_none, 7),
        ],
        ids=["bound", "object", "class", "static"],
    )
    def test_acceptance_19_callables_of_every_kind_are_retried(self, make: Any) -> None:
        """Partials, callable objects, bound, class and static methods."""
        assert RetryTemplate().wrap(make())() == 7
        assert RetryTemplate().call(make()) == 7

    async def test_acceptance_19_coroutine_functions_of_every_kind_stay_coroutine_functions(self) -> None:
        """Partials, bound methods and callable objects that are async are seen through."""
        template = RetryTemplate()
        for function in (Service().coroutine, functools.partial(Service().coroutine), AsyncCallable()):
            wrapped = template.wrap(function)
            assert inspect.iscoroutinefunction(wrapped)
            assert await wrapped(7) == 7


class TestConcurrency:
    """Item 20."""

    async def test_acceptance_20_two_tasks_through_one_template(self) -> None:
        """Attempts, contexts and statistics are each one's own."""
        statistics = StatisticsListener()
        template = RetryTemplate(listeners=[statistics])
        turn = asyncio.Barrier(2)

        async def work(label: str, failures: int) -> list[int]:
            attempts: list[int] = []

            async def callback(context: RetryContext) -> None:
                attempts.append(context.attempt)
                await turn.wait()
                assert current_context() is context
                if context.attempt <= failures:
                    raise Boom

            await template.execute_async(callback, label=label)
            return attempts

        # The barrier needs both in every attempt, so both make as many.
        assert list(await asyncio.gather(work("a", 2), work("b", 2))) == [[1, 2, 3]] * 2
        assert [statistics.statistics(label).started for label in ("a", "b")] == [3, 3]

    def test_acceptance_20_eight_threads_through_one_template(self) -> None:
        """Counters are exact."""
        statistics = StatisticsListener()
        template = RetryTemplate(listeners=[statistics], label="work")
        start = Barrier(8)

        def work(_: int) -> None:
            start.wait()
            for _ in range(50):
                template.execute(Callback(Boom(), Boom()))

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(8)))

        counts = statistics.statistics("work")
        assert (counts.started, counts.error, counts.complete) == (1200, 800, 400)

    def test_a_circuit_is_made_once_however_many_threads_ask_first(self) -> None:
        """Failures of all threads add up in one circuit."""
        policy = CircuitBreakerRetryPolicy(MaxAttemptsRetryPolicy(8), open_timeout=1e6, reset_timeout=1e6)
        template = RetryTemplate(policy=policy, label="service", raise_last_on_exhausted=True)
        start = Barrier(8)

        def work(_: int) -> None:
            start.wait()
            with pytest.raises(Boom):
                template.execute(always())

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(8)))

        with pytest.raises(CircuitOpenError):
            template.execute(always())


class Payload:
    """Be something large that a call works on."""


class BrokenPolicy(RetryPolicy):
    """Fail to register."""

    def can_retry(self, context: RetryContext) -> bool:
        return True

    def register_exception(self, context: RetryContext, exc: Exception) -> None:
        raise LookupError


class BrokenListener(RetryListener):
    """Fail in one hook."""

    def __init__(self, hook: str) -> None:
        def fail(*_: object) -> None:
            raise LookupError(hook)

        setattr(self, hook, fail)


ENDS: dict[str, Callable[[], tuple[RetryTemplate, dict[str, Any]]]] = {
    "success": lambda: (RetryTemplate(), {}),
    "recovery": lambda: (RetryTemplate(), {"recover": lambda _: None}),
    "raise": lambda: (RetryTemplate(), {}),
    "stateful": lambda: (RetryTemplate(), {"state": RetryState("item")}),
    "exhausted": lambda: (RetryTemplate(), {"state": RetryState("item", rollback_for=lambda _: False)}),
    "terminated": lambda: (RetryTemplate(policy=BrokenPolicy()), {}),
    "on_error": lambda: (RetryTemplate(policy=BrokenPolicy(), listeners=[BrokenListener("on_error")]), {}),
    "close": lambda: (RetryTemplate(listeners=[BrokenListener("close")]), {}),
}


def depth(error: BaseException) -> int:
    part, length = error.__traceback__, 0
    while part is not None:
        part, length = part.tb_next, length + 1
    return length


class TestErrorObject:
    """Item 21."""

    async def test_acceptance_21_one_error_object_raised_a_hundred_times(self, mode: Mode) -> None:
        """It is the very object, its traceback is as deep as after one attempt, and it got no cause."""
        once, often = Boom("once"), Boom("often")

        with pytest.raises(Boom):
            await mode.execute(RetryTemplate(policy=MaxAttemptsRetryPolicy(1)), Callback(*[once] * 100))
        with pytest.raises(Boom) as caught:
            await mode.execute(RetryTemplate(policy=MaxAttemptsRetryPolicy(100)), Callback(*[often] * 100))

        assert caught.value is often
        assert depth(often) == depth(once)
        assert (often.__cause__, often.__context__) == (None, None)

    async def test_acceptance_21_errors_of_different_attempts_are_not_linked(self, mode: Mode) -> None:
        """The last error does not keep the ones before it."""
        errors = [Boom(str(number)) for number in range(3)]

        with pytest.raises(Boom) as caught:
            await mode.execute(RetryTemplate(), Callback(*errors))

        assert caught.value is errors[2]
        assert [error.__context__ for error in errors] == [None] * 3

    @pytest.mark.parametrize("end", ENDS)
    async def test_acceptance_21_the_payload_is_freed_without_a_collector_run(self, mode: Mode, end: str) -> None:
        """No cycle of error, traceback, frame and context keeps it once the execution is over."""
        template, options = ENDS[end]()

        async def run() -> weakref.ref[Payload]:
            payload = Payload()

            def callback(context: RetryContext) -> None:
                held = payload
                if end not in {"success", "close"} or context.attempt < 3:
                    raise Boom(str(type(held)))

            with contextlib.suppress(Boom, RetryError, LookupError):  # they keep their frames, and go here
                await mode.execute(template, callback, **options)
            return weakref.ref(payload)

        gc.collect()
        gc.disable()
        try:
            assert (await run())() is None
        finally:
            gc.enable()

    async def test_the_error_tells_once_how_often_it_was_tried(self, mode: Mode) -> None:
        """A note for whoever reads the traceback."""
        error = Boom()
        for _ in range(2):
            with pytest.raises(Boom):
                await mode.execute(RetryTemplate(clock=lambda: 0.0), Callback(*[error] * 9))

        assert error.__notes__ == ["gave up after 3 attempts, 0 s: max_attempts"]


class TestEventSleeper:
    """Shutdown interrupts pauses."""

    async def test_a_set_event_interrupts_the_pause(self, mode: Mode) -> None:
        """No further attempt and no recovery follow; the cause is the failure before."""
        stop = Event()
        hooks = Hooks()
        template = RetryTemplate(backoff=FixedBackOff(1000), sleeper=EventSleeper(stop), listeners=[hooks])

        def callback(context: RetryContext) -> None:
            stop.set()
            raise Boom("e1")

        with pytest.raises(BackOffInterruptedError, match="stop was requested") as caught:
            await mode.execute(template, callback, recover=lambda _: "recovered")

        assert str(caught.value.__cause__) == "e1"
        assert hooks.trace == ["open", "on_error", "close(Boom)"]
        assert hooks.context is not None
        assert hooks.context.stop_reason is StopReason.INTERRUPTED

    async def test_an_asyncio_event_interrupts_a_pause_under_way(self) -> None:
        """At once, however long the pause is."""
        stop = asyncio.Event()
        failed = asyncio.Event()
        template = RetryTemplate(backoff=FixedBackOff(1000), sleeper=EventSleeper(stop))

        async def callback(context: RetryContext) -> None:
            failed.set()
            raise Boom

        task = asyncio.create_task(template.execute_async(callback))
        await failed.wait()
        stop.set()

        with pytest.raises(BackOffInterruptedError):
            await task

    async def test_the_pause_ends_by_itself(self) -> None:
        """Without an event the next attempt follows."""
        template = RetryTemplate(backoff=FixedBackOff(1e-6), sleeper=EventSleeper(asyncio.Event()))
        callback = Callback(Boom())

        assert await Mode("async").execute(template, callback) == "done"

    async def test_a_pause_ends_by_itself_unless_the_event_is_set(self, mode: Mode) -> None:
        """Of a threading.Event, in a thread and in a task."""
        template = RetryTemplate(backoff=FixedBackOff(1e-6), sleeper=EventSleeper(Event()))

        assert await mode.execute(template, Callback(Boom())) == "done"

    async def test_a_stop_is_seen_between_attempts_without_a_pause(self, mode: Mode) -> None:
        """Or an endless retry could never be shut down."""
        stop = Event()
        template = RetryTemplate(policy=AlwaysRetryPolicy(), sleeper=EventSleeper(stop))

        def callback(context: RetryContext) -> None:
            if context.attempt == 3:
                stop.set()
            raise Boom(str(context.attempt))

        with pytest.raises(BackOffInterruptedError) as caught:
            await mode.execute(template, callback)
        assert str(caught.value.__cause__) == "3"

    async def test_a_sleeper_may_tell_a_cause_of_its_own(self, mode: Mode) -> None:
        """It is kept."""

        class Interrupted:
            def sleep(self, seconds: float) -> None:
                raise BackOffInterruptedError from LookupError("why")

            async def sleep_async(self, seconds: float) -> None:
                self.sleep(seconds)

        with pytest.raises(BackOffInterruptedError) as caught:
            await mode.execute(RetryTemplate(backoff=FixedBackOff(1), sleeper=Interrupted()), always())
        assert isinstance(caught.value.__cause__, LookupError)

    def test_an_asyncio_event_cannot_pause_a_thread(self) -> None:
        """The message tells which event to give."""
        template = RetryTemplate(backoff=FixedBackOff(1), sleeper=EventSleeper(asyncio.Event()))

        with pytest.raises(RetryUsageError, match=r"give it a threading\.Event"):
            template.execute(always())
