"""The rest of the toolkit: builder, block form, listeners, simulator, test mode, and the front of the package."""

from __future__ import annotations

import ast
import inspect
import json
import logging
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import wakuwaku.retry
from tests.runtime.retry.recording import Boom, Callback, Fatal, Mode, Recorder, always
from wakuwaku.retry import (
    AlwaysRetryPolicy,
    Decision,
    ExponentialBackOff,
    FixedBackOff,
    LoggingRetryListener,
    MaxAttemptsRetryPolicy,
    MetricsRetryListener,
    NeverRetryPolicy,
    RetryCall,
    RetryContext,
    RetryListener,
    RetryTemplate,
    RetryUsageError,
    SequenceBackOff,
    SimpleRetryPolicy,
    StopReason,
    UniformRandomBackOff,
    current_context,
    decide,
    retryable,
    simulate,
)
from wakuwaku.retry.testing import FakeClock, RecordingSleeper, retry_testing


class TestBuilder:
    """A template put together step by step."""

    async def test_the_default_makes_three_attempts(self, mode: Mode) -> None:
        """For every Exception."""
        callback = Callback(*[Boom()] * 9)

        with pytest.raises(Boom):
            await mode.execute(RetryTemplate.builder().build(), callback)
        assert callback.calls == 3

    @pytest.mark.parametrize(
        ("build", "error", "calls"),
        [
            (lambda b: b.max_attempts(5), Boom, 5),
            (lambda b: b.custom_policy(NeverRetryPolicy()), Boom, 1),
            (lambda b: b.max_attempts(5).retry_on(Boom), Fatal, 5),
            (lambda b: b.max_attempts(5).retry_on(KeyError).retry_on(Boom), Boom, 5),
            (lambda b: b.max_attempts(5).retry_on(KeyError, ValueError), Boom, 1),
            (lambda b: b.max_attempts(5).not_retry_on(Boom), Fatal, 1),
            (lambda b: b.max_attempts(5).not_retry_on(KeyError), Boom, 5),
            (lambda b: b.max_attempts(5).retry_on(lambda exc: isinstance(exc, Fatal)), Fatal, 5),
            (lambda b: b.max_attempts(5).retry_on(lambda exc: isinstance(exc, Fatal)), Boom, 1),
            (lambda b: b.infinite_retry().retry_on(KeyError), Boom, 1),
            (lambda b: b.with_timeout(1000).retry_on(KeyError), Boom, 1),
        ],
    )
    async def test_limit_and_rule_both_count(self, mode: Mode, build: Any, error: type[Exception], calls: int) -> None:
        """No limit ever retries the wrong errors."""
        callback = Callback(*[error()] * 9)

        with pytest.raises(error):
            await mode.execute(build(RetryTemplate.builder()).build(), callback)
        assert callback.calls == calls

    async def test_causes_are_traversed_on_demand(self, mode: Mode) -> None:
        """For the types named."""
        error = RuntimeError()
        error.__cause__ = Boom()
        shallow, deep = Callback(*[error] * 9), Callback(*[error] * 9)

        with pytest.raises(RuntimeError):
            await mode.execute(RetryTemplate.builder().retry_on(Boom).build(), shallow)
        with pytest.raises(RuntimeError):
            await mode.execute(RetryTemplate.builder().retry_on(Boom).traversing_causes().build(), deep)
        assert (shallow.calls, deep.calls) == (1, 3)

    def test_pauses(self) -> None:
        """Each method makes its policy."""
        builder = RetryTemplate.builder
        assert builder().fixed_backoff(2).build().backoff == FixedBackOff(2)
        assert builder().uniform_random_backoff(1, 2).build().backoff == UniformRandomBackOff(1, 2)
        assert builder().exponential_backoff(1, 2, 9).build().backoff == ExponentialBackOff(1, 2, 9)
        random = builder().exponential_backoff(1, 2, 9, random=True).build().backoff
        assert isinstance(random, ExponentialBackOff)
        assert random.jitter == "spring"
        assert builder().custom_backoff(SequenceBackOff([1])).build().backoff == SequenceBackOff([1])
        assert builder().no_backoff().build().backoff == builder().build().backoff

    def test_listeners_and_logger(self) -> None:
        """All of them, in their order; the builder can be used again."""
        logger = logging.getLogger("tests.retry")
        one, two, three = (RetryListener() for _ in range(3))
        builder = RetryTemplate.builder().with_listener(one).with_listeners([two, three]).with_logger(logger)

        first, second = builder.build(), builder.build()

        assert first.listeners == second.listeners == (one, two, three)
        assert (first.logger, first is second) == (logger, False)

    @pytest.mark.parametrize(
        "build",
        [
            lambda b: b.max_attempts(3).infinite_retry(),
            lambda b: b.with_timeout(3).custom_policy(AlwaysRetryPolicy()),
            lambda b: b.no_backoff().fixed_backoff(1),
            lambda b: b.retry_on(Boom).not_retry_on(Fatal),
            lambda b: b.not_retry_on(Boom).retry_on(Fatal),
            lambda b: b.retry_on(lambda _: True).retry_on(Boom),
            lambda b: b.retry_on(Boom).retry_on(lambda _: True),
            lambda b: b.retry_on(Boom, lambda _: True),
            lambda b: b.retry_on(lambda _: True).not_retry_on(Boom),
            lambda b: b.retry_on(),
            lambda b: b.not_retry_on(),
            lambda b: b.traversing_causes().build(),
            lambda b: b.retry_on(lambda _: True).traversing_causes().build(),
            lambda b: b.custom_policy(None),
            lambda b: b.custom_backoff(None),
            lambda b: b.with_listener(None),
            lambda b: b.with_listeners(None),
            lambda b: b.with_logger(None),
        ],
    )
    def test_contradictions_are_refused(self, build: Any) -> None:
        """Nothing is accepted and ignored."""
        with pytest.raises(RetryUsageError):
            build(RetryTemplate.builder())

    @pytest.mark.parametrize(
        "build",
        [
            lambda b: b.max_attempts(0),
            lambda b: b.with_timeout(0),
            lambda b: b.fixed_backoff(0),
            lambda b: b.uniform_random_backoff(0, 1),
            lambda b: b.uniform_random_backoff(2, 2),
            lambda b: b.exponential_backoff(0, 2, 9),
            lambda b: b.exponential_backoff(1, 1, 9),
            lambda b: b.exponential_backoff(1, 2, 1),
        ],
    )
    def test_wrong_numbers_are_refused(self, build: Any) -> None:
        """As the original's builder does."""
        with pytest.raises(ValueError, match=r"must be|max_attempts counts"):
            build(RetryTemplate.builder())


class TestBlockForm:
    """`attempts()` and `attempts_async()`."""

    def test_the_block_is_repeated_until_it_succeeds(self) -> None:
        """With pauses in between, and the context at hand."""
        sleeper = RecordingSleeper()
        template = RetryTemplate(backoff=FixedBackOff(1), sleeper=sleeper)
        seen: list[int] = []

        for attempt in template.attempts(label="block"):
            with attempt:
                assert current_context() is attempt.context
                assert attempt.context.label == "block"
                seen.append(attempt.context.attempt)
                if len(seen) < 3:
                    raise Boom

        assert (seen, sleeper.pauses, current_context()) == ([1, 2, 3], [1, 1], None)

    async def test_the_async_block_is_repeated_until_it_succeeds(self) -> None:
        """A value can be returned from inside."""
        trace: list[str] = []
        template = RetryTemplate(listeners=[Mode("async").recorder("L", trace)])

        async def work() -> str:
            async for attempt in template.attempts_async():
                async with attempt:
                    if attempt.context.attempt < 2:
                        raise Boom("e1")
                    return "value"
            raise AssertionError

        assert await work() == "value"
        assert trace == ["L.open", "L.on_error", "L.on_success", "L.close(-)"]

    def test_the_last_error_is_raised(self) -> None:
        """The very object; listeners are closed."""
        trace: list[str] = []
        errors = [Boom("e1"), Boom("e2"), Boom("e3")]
        last = errors[-1]

        with pytest.raises(Boom) as caught:
            for attempt in RetryTemplate(listeners=[Recorder("L", trace)]).attempts():
                with attempt:
                    raise errors.pop(0)

        assert caught.value is last
        assert trace == ["L.open", *["L.on_error"] * 3, "L.close(e3)"]

    def test_other_errors_pass_through(self) -> None:
        """Ctrl-C is told to close only."""
        trace: list[str] = []

        with pytest.raises(KeyboardInterrupt):
            for attempt in RetryTemplate(listeners=[Recorder("L", trace)]).attempts():
                with attempt:
                    raise KeyboardInterrupt

        assert trace == ["L.open", "L.close(KeyboardInterrupt)"]

    async def test_the_async_loop_ends_after_the_block_that_succeeds(self) -> None:
        """Code after the loop goes on."""
        rounds = 0
        async for attempt in RetryTemplate().attempts_async():
            async with attempt:
                rounds += 1
        assert rounds == 1

    def test_a_wrong_use_of_the_toolkit_is_not_retried(self) -> None:
        """It can never succeed."""
        rounds = 0
        with pytest.raises(RetryUsageError):
            for attempt in RetryTemplate().attempts():
                with attempt:
                    rounds += 1
                    retryable(max_attempts=3, template=RetryTemplate(), label="x", retry_for=Boom)
        assert rounds == 1

    def test_a_listener_can_reject_a_block(self) -> None:
        """The block is repeated; when no attempt is left, the rejection is raised."""

        class Reject(RetryListener):
            def on_success(self, context: RetryContext, call: RetryCall, result: object) -> None:
                raise Boom("rejected")

        rounds = 0
        with pytest.raises(Boom, match="rejected"):
            for attempt in RetryTemplate(listeners=[Reject()]).attempts():
                with attempt:
                    rounds += 1
        assert rounds == 3

    def test_trouble_before_the_block_is_raised_and_closed(self) -> None:
        """A veto in open, and an error in on_attempt."""
        trace: list[str] = []

        class Fails(Recorder):
            def on_attempt(self, context: RetryContext, call: RetryCall) -> None:
                raise LookupError("on_attempt")

        for listener in (Recorder("L", trace, opens=False), Fails("L", trace)):
            with pytest.raises((wakuwaku.retry.TerminatedRetryError, LookupError)):
                for attempt in RetryTemplate(listeners=[listener]).attempts():
                    with attempt:
                        raise AssertionError
        assert trace == ["L.open(False)", "L.close(-)", "L.open", "L.close(-)"]
        assert current_context() is None


class TestListeners:
    """Ready-made listeners, and their order."""

    async def test_order_goes_before_the_list(self, mode: Mode) -> None:
        """Listeners of the same order keep that of the list."""
        trace: list[str] = []
        late, early, middle = Recorder("late", trace), Recorder("early", trace), Recorder("middle", trace)
        late.order, early.order = 1, -1

        await mode.execute(RetryTemplate(listeners=[late, middle, early]), Callback())

        assert trace[:3] == ["early.open", "middle.open", "late.open"]

    async def test_listeners_know_what_is_called(self, mode: Mode) -> None:
        """Function and arguments of a plain call, and the label."""
        seen: list[RetryCall] = []

        class Calls(RetryListener):
            def on_retry(self, context: RetryContext, call: RetryCall, exc: Exception, delay: float) -> None:
                seen.append(call)

        template = RetryTemplate(listeners=[Calls()], label="work")

        def work(x: int, *, y: int) -> int:
            if not seen:
                raise Boom
            return x + y

        async def work_async(x: int, *, y: int) -> int:
            return work(x, y=y)

        total = await template.call_async(work_async, 1, y=2) if mode.is_async else template.call(work, 1, y=2)

        assert total == 3
        assert seen[0].function is (work_async if mode.is_async else work)
        assert (seen[0].args, dict(seen[0].kwargs), seen[0].label) == ((1,), {"y": 2}, "work")

    async def test_logging(self, mode: Mode, caplog: pytest.LogCaptureFixture) -> None:
        """A warning for every repetition, and one error at the end."""
        template = RetryTemplate(
            backoff=SequenceBackOff([1.5, 2]),
            sleeper=RecordingSleeper(),
            listeners=[LoggingRetryListener()],
            label="get",
        )

        with pytest.raises(Boom):
            await mode.execute(template, always())
        await mode.execute(template, Callback(*[Boom("e")] * 3), recover=lambda _: None)
        await mode.execute(template, Callback())

        assert [(record.levelname, record.message) for record in caplog.records[:3]] == [
            ("WARNING", "get: attempt 1 failed, next in 1.5 s: Boom: e1"),
            ("WARNING", "get: attempt 2 failed, next in 2 s: Boom: e2"),
            ("ERROR", "get: gave up after 3 failed attempts (max_attempts): Boom: e3"),
        ]
        assert caplog.messages[-1] == "get: gave up after 3 failed attempts (max_attempts), recovered: Boom: e"

    def test_a_logger_can_be_given(self, caplog: pytest.LogCaptureFixture) -> None:
        """To the listener, and to the template."""
        logger = logging.getLogger("shop.retry")
        with pytest.raises(Boom):
            RetryTemplate(listeners=[LoggingRetryListener(logger)]).execute(always())
        assert {record.name for record in caplog.records} == {"shop.retry"}

    async def test_metrics(self, mode: Mode) -> None:
        """One record for every execution, with few and stable tags."""
        clock = FakeClock()
        records: list[tuple[float, dict[str, str]]] = []
        listener = MetricsRetryListener(lambda seconds, tags: records.append((seconds, tags)), service="shop")
        template = RetryTemplate(
            backoff=FixedBackOff(2), sleeper=RecordingSleeper(clock), clock=clock, listeners=[listener]
        )

        await mode.execute(template, Callback(Boom()), label="get")
        with pytest.raises(Boom):
            await mode.execute(template, always())

        assert records == [
            (2, {"name": "get", "attempts": "2", "reason": "success", "error": "none", "service": "shop"}),
            (4, {"name": "none", "attempts": "3", "reason": "max_attempts", "error": "Boom", "service": "shop"}),
        ]


class TestSimulator:
    """Pauses without waiting."""

    def test_percentiles(self) -> None:
        """Over all pauses, and pause by pause."""
        simulation = simulate(MaxAttemptsRetryPolicy(4), SequenceBackOff([1, 2, 3]), runs=10)

        assert list(simulation.runs) == [(1, 2, 3)] * 10
        assert simulation.longest_total == 6
        assert [simulation.percentile(share) for share in (0, 0.5, 1)] == [1, 2, 3]
        assert simulation.percentiles(0.9) == (1, 2, 3)

    def test_without_pauses(self) -> None:
        """Nothing to sort."""
        simulation = simulate(NeverRetryPolicy(), FixedBackOff(1), runs=2)

        assert (simulation.runs, simulation.longest_total, simulation.percentile(0.5)) == (((), ()), 0, 0)

    def test_random_pauses_differ_between_runs(self) -> None:
        """That is what it is for."""
        simulation = simulate(MaxAttemptsRetryPolicy(3), UniformRandomBackOff(1, 2), runs=50)

        assert len(set(simulation.runs)) > 40
        assert all(1 <= pause <= 2 for run in simulation.runs for pause in run)

    def test_wrong_numbers_are_refused(self) -> None:
        """Runs and shares."""
        with pytest.raises(ValueError, match="runs must be 1 or more"):
            simulate(NeverRetryPolicy(), FixedBackOff(1), runs=0)
        with pytest.raises(ValueError, match="a share from 0 to 1"):
            simulate(MaxAttemptsRetryPolicy(2), FixedBackOff(1)).percentile(2)

    def test_a_scheduler_can_decide_for_itself(self) -> None:
        """One failure at a time, without sleeping."""
        policy, backoff = SimpleRetryPolicy(2, retry_for=Boom), SequenceBackOff([5])
        context = policy.open(None)
        decisions: list[Decision] = []
        for _ in range(2):
            error = Boom()
            policy.register_exception(context, error)
            decisions.append(decide(policy, backoff, context, error))

        assert decisions == [Decision(5, None), Decision(None, StopReason.MAX_ATTEMPTS)]


class TestTestMode:
    """`retry_testing`."""

    async def test_pauses_are_skipped(self, mode: Mode) -> None:
        """Without touching the code under test."""
        sleeper = RecordingSleeper()
        template = RetryTemplate(backoff=FixedBackOff(60), sleeper=sleeper)

        with retry_testing():
            await mode.execute(template, Callback(Boom(), Boom()))
        await mode.execute(template, Callback(Boom()))

        assert sleeper.pauses == [60]

    async def test_attempts_are_capped(self, mode: Mode) -> None:
        """The policy's own limit still counts."""
        with retry_testing(max_attempts=2):
            for policy, calls in ((AlwaysRetryPolicy(), 2), (SimpleRetryPolicy(1), 1)):
                callback = Callback(*[Boom()] * 9)
                with pytest.raises(Boom):
                    await mode.execute(RetryTemplate(policy=policy), callback)
                assert callback.calls == calls

    def test_other_threads_do_not_see_it(self) -> None:
        """Tests can run side by side."""
        sleeper = RecordingSleeper()
        template = RetryTemplate(backoff=FixedBackOff(60), sleeper=sleeper)

        with retry_testing():
            thread = Thread(target=template.execute, args=(Callback(Boom()),))
            thread.start()
            thread.join()

        assert sleeper.pauses == [60]

    def test_a_cap_is_one_at_least(self) -> None:
        """No attempt at all is no test."""
        with pytest.raises(ValueError, match="max_attempts must be 1 or more"), retry_testing(max_attempts=0):
            raise AssertionError


class TestFront:
    """The package as a whole."""

    def test_public_names_are_sorted_there_and_documented(self) -> None:
        """So are their public methods."""
        names = wakuwaku.retry.__all__
        assert sorted(set(names)) == names
        undocumented = []
        for name in names:
            value = getattr(wakuwaku.retry, name)
            own = vars(value).items() if isinstance(value, type) else ()
            methods = [thing for key, thing in own if not key.startswith("_") and inspect.isfunction(thing)]
            undocumented += [thing for thing in (value, *methods) if not inspect.getdoc(thing)]
        assert undocumented == []

    def test_it_imports_nothing_of_the_package_but_the_errors(self) -> None:
        """So it can be used, and moved, without the rest."""
        folder = Path(wakuwaku.retry.__file__).parent
        imported = {
            node.module
            for path in folder.glob("*.py")
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module is not None
        }

        others = {name for name in imported if name.startswith("wakuwaku") and not name.startswith("wakuwaku.retry")}
        assert others == {"wakuwaku.errors"}

    def test_it_stands_alone_and_loads_no_event_loop(self, tmp_path: Path) -> None:
        """Of the package it needs the errors only, of the standard library neither asyncio nor logging."""
        program = (
            "import sys, wakuwaku\nbefore = set(sys.modules)\nimport wakuwaku.retry, json\n"
            "print(json.dumps(sorted(set(sys.modules) - before)))\nprint('asyncio' in sys.modules)"
        )

        result = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, text=True, cwd=tmp_path
        )

        loaded, asyncio = result.stdout.splitlines()
        ours = [name for name in json.loads(loaded) if name.startswith("wakuwaku")]
        assert all(name.startswith("wakuwaku.retry") for name in ours)
        assert {"logging", "dataclasses", "asyncio"} & set(json.loads(loaded)) == set()
        assert asyncio == "False"
