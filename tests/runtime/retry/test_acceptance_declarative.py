"""Items 22 and 25 of the acceptance list: recovery methods, decorators, proxies."""

from __future__ import annotations

import inspect
import re
from typing import Any, Self

import pytest

from tests.runtime.retry.recording import Boom, Fatal
from wakuwaku.retry import (
    Backoff,
    CircuitOpenError,
    ExhaustedRetryError,
    FixedBackOff,
    RecoveryNotFoundError,
    RetryCall,
    RetryContext,
    RetryError,
    RetryListener,
    RetryTemplate,
    RetryUsageError,
    StatisticsListener,
    add_global_listener,
    circuit_breaker,
    current_context,
    recover,
    remove_global_listener,
    retry_proxy,
    retryable,
)

quick: Any = {"backoff": Backoff(0)}


def refusal(error: BaseException) -> BaseException | None:
    """Return what was wrong with a class: Python 3.11 wraps it in a RuntimeError, later ones raise it as it is."""
    return error.__cause__ if type(error) is RuntimeError else error


class Nearest:
    """Have recoveries at several distances."""

    @retryable(**quick)
    def work(self, error: Exception, x: int = 0) -> str:
        raise error

    @recover
    def for_boom(self, exc: Boom, error: Exception, x: int) -> str:
        return f"boom {x}"

    @recover
    def for_any(self, exc: Exception) -> str:
        return f"any {exc}"

    @recover
    def for_lookups(self, exc: KeyError | IndexError, error: Exception) -> str:
        return "lookup"


class TestRecoveryMatching:
    """Item 22: the table of choosing a recovery method."""

    @pytest.mark.parametrize(
        ("error", "result"),
        [
            (Boom(), "boom 5"),
            (Fatal(), "boom 5"),
            (KeyError(), "lookup"),
            (IndexError(), "lookup"),
            (ValueError("v"), "any v"),
        ],
    )
    def test_acceptance_22_the_nearest_error_type_wins(self, error: Exception, result: str) -> None:
        """Along the hierarchy of the error raised; leading arguments are handed on."""
        assert Nearest().work(error, x=5) == result

    def test_acceptance_22_on_a_tie_the_parameters_decide(self) -> None:
        """In number and type; None fits anything."""

        class Tie:
            @retryable(**quick)
            def work(self, key: object) -> str:
                raise Boom

            @recover
            def for_int(self, exc: Boom, key: int) -> str:
                return "int"

            @recover
            def for_text(self, exc: Boom, key: str) -> str:
                return "text"

        tie = Tie()
        assert [tie.work("a"), tie.work(1), tie.work(None)] == ["text", "int", "int"]

    def test_acceptance_22_without_an_error_parameter_any_error_matches(self) -> None:
        """And the recovery does not get it."""

        class Quiet:
            @retryable(**quick)
            def work(self, x: int) -> int:
                raise Boom

            @recover
            def instead(self, x: int) -> int:
                return -x

        assert Quiet().work(3) == -3

    def test_acceptance_22_missing_arguments_are_none(self) -> None:
        """A recovery with a variable number takes what there is."""

        class Many:
            @retryable(**quick)
            def work(self, *items: int) -> object:
                raise Boom

            @recover
            def instead(self, exc: Boom, first: int, second: int) -> object:
                return (first, second)

        assert Many().work(1) == (1, None)
        assert Many().work(1, 2, 3) == (1, 2)

    def test_acceptance_22_keyword_only_parameters_go_by_name(self) -> None:
        """Whatever their order; one the call does not have is None."""

        class Keywords:
            @retryable(**quick)
            def work(self, item: int, *, size: int = 2, color: str = "red") -> object:
                raise Boom

            @recover
            def instead(
                self, exc: Boom, item: int, *, color: str, size: int, weight: int, shape: str = "round"
            ) -> object:
                return (item, color, size, weight, shape)

        assert Keywords().work(1, size=3) == (1, "red", 3, None, "round")

    def test_acceptance_22_an_annotation_that_cannot_be_evaluated_is_an_error(self) -> None:
        """It would be unknown which errors the recovery takes."""
        with pytest.raises((RuntimeError, RetryError)) as caught:

            class Unclear:
                @retryable
                def work(self) -> None: ...

                @recover
                def instead(self, exc: NowhereError) -> None: ...  # type: ignore[name-defined]  # noqa: F821

        assert isinstance(refusal(caught.value), RetryUsageError)
        assert "the annotation 'NowhereError' of" in str(refusal(caught.value))

    def test_acceptance_22_optional_parameters_keep_their_default(self) -> None:
        """When the call has no argument for them."""

        class Optional:
            @retryable(**quick)
            def work(self, *items: int) -> object:
                raise Boom

            @recover
            def instead(self, exc: Boom, first: int = 7, *rest: int) -> object:
                return (first, rest)

        assert [Optional().work(), Optional().work(1, 2, 3)] == [(7, ()), (1, (2, 3))]

    def test_acceptance_22_by_name(self) -> None:
        """The named method is used, also when another is nearer."""

        class Named:
            @retryable(recover="general", **quick)
            def work(self) -> str:
                raise Boom

            @recover
            def special(self, exc: Boom) -> str:
                return "special"

            @recover
            def general(self, exc: Exception) -> str:
                return "general"

        assert Named().work() == "general"

    def test_acceptance_22_a_subclass_can_override_the_recovery(self) -> None:
        """The object's own class counts."""

        class Special(Nearest):
            @recover
            def for_any(self, exc: Exception) -> str:
                return "overridden"

        assert Special().work(ValueError()) == "overridden"

    def test_acceptance_22_the_return_type_must_fit_and_the_exact_one_wins(self) -> None:
        """Checked between annotated classes."""

        class Typed:
            @retryable(**quick)
            def flag(self) -> bool:
                raise Boom

            @retryable(**quick)
            def number(self) -> int:
                raise Boom

            @recover
            def for_number(self, exc: Boom) -> int:
                return 7

            @recover
            def for_flag(self, exc: Boom) -> bool:
                return True

        assert (Typed().number(), Typed().flag()) == (7, True)
        assert type(Typed().number()) is int

    def test_acceptance_22_an_unknown_name_fails_at_class_creation(self) -> None:
        """Not after the last failure."""
        with pytest.raises((RuntimeError, RetryError)) as caught:

            class Unknown:
                @retryable(recover="nowhere")
                def work(self) -> None: ...

        error = refusal(caught.value)
        assert isinstance(error, RecoveryNotFoundError)
        assert "names the recovery 'nowhere', but" in str(error)

    def test_acceptance_22_no_fitting_recovery_fails_at_class_creation(self) -> None:
        """A recovery that needs more than the call has can never be called."""
        with pytest.raises((RuntimeError, RetryError)) as caught:

            class Misfit:
                @retryable
                def work(self) -> None: ...

                @recover
                def instead(self, exc: Boom, x: int, y: int) -> None: ...

        assert isinstance(refusal(caught.value), RecoveryNotFoundError)
        assert "say recover=False" in str(refusal(caught.value))

    def test_acceptance_22_an_async_recovery_of_a_plain_method_fails_at_class_creation(self) -> None:
        """It would never be awaited."""
        with pytest.raises((RuntimeError, RetryError)) as caught:

            class Mixed:
                @retryable
                def work(self) -> None: ...

                @recover
                async def instead(self) -> None: ...

        assert isinstance(refusal(caught.value), RetryUsageError)

    def test_acceptance_22_an_error_no_recovery_takes(self) -> None:
        """The call ends as exhausted, caused by the error."""

        class Narrow:
            @retryable(**quick)
            def work(self) -> str:
                raise ValueError("v")

            @recover
            def instead(self, exc: KeyError) -> str:
                return "recovered"

        with pytest.raises(RecoveryNotFoundError, match="takes ValueError") as caught:
            Narrow().work()
        assert str(caught.value.__cause__) == "v"

    def test_recovery_can_be_switched_off(self) -> None:
        """With `recover=False` the error is raised although the class has recoveries."""

        class Off:
            @retryable(recover=False, **quick)
            def work(self) -> str:
                raise Boom("raised")

            @recover
            def instead(self, exc: Boom) -> str:
                return "recovered"

        with pytest.raises(Boom, match="raised"):
            Off().work()

    def test_a_function_as_recovery_gets_the_error_and_the_arguments(self) -> None:
        """As many as it takes."""

        def fails(x: int, y: int = 2) -> object:
            raise Boom(f"{x}{y}")

        assert retryable(recover=lambda exc, x, y: (str(exc), x, y), **quick)(fails)(1) == ("12", 1, 2)
        assert retryable(recover=lambda exc: [str(exc)], **quick)(fails)(1) == ["12"]
        assert retryable(recover=str, **quick)(fails)(1) == "12"
        assert retryable(recover=lambda: "fixed", **quick)(fails)(1) == "fixed"
        assert retryable(recover=lambda *all_of_it: len(all_of_it), **quick)(fails)(1) == 3

    def test_a_name_needs_a_method(self) -> None:
        """A plain function has no class to look in."""
        with pytest.raises(RecoveryNotFoundError, match="is not a method"):
            retryable(recover="somewhere")(len)

    async def test_async_methods_recover_with_either_kind(self) -> None:
        """A coroutine recovery is awaited."""

        class Async:
            @retryable(**quick)
            async def work(self, error: Exception) -> str:
                raise error

            @recover
            async def later(self, exc: Boom) -> str:
                return "awaited"

            @recover
            def now(self, exc: KeyError) -> str:
                return "plain"

        assert [await Async().work(Boom()), await Async().work(KeyError())] == ["awaited", "plain"]


class TestRetryable:
    """The decorator itself."""

    def test_bare_and_with_options(self) -> None:
        """Both forms retry; the function keeps its name and signature."""
        calls: list[int] = []

        @retryable(max_attempts=2, **quick)
        def work(x: int) -> int:
            """Work."""
            calls.append(x)
            if len(calls) == 1:
                raise Boom
            return x

        assert (work(7), calls) == (7, [7, 7])
        assert (work.__name__, inspect.getdoc(work), list(inspect.signature(work).parameters)) == (
            "work",
            "Work.",
            ["x"],
        )
        assert retryable(abs)(-1) == 1
        assert retryable(int)("7") == 7

    def test_pauses_are_one_second_by_default(self) -> None:
        """Three attempts, one second apart."""
        seen: list[float] = []

        class Pauses(RetryListener):
            def on_retry(self, context: RetryContext, call: RetryCall, exc: Exception, delay: float) -> None:
                seen.append(delay)
                if len(seen) == 2:
                    raise Boom("enough")

        @retryable(listeners=[Pauses()], backoff=FixedBackOff(0))
        def quick_work() -> None:
            raise Boom

        with pytest.raises(Boom, match="enough"):
            quick_work()
        assert seen == [0, 0]
        assert Backoff().policy() == FixedBackOff(1.0)

    def test_methods_of_every_kind(self) -> None:
        """Plain, class and static methods, decorated inside or outside of the built-in decorator."""
        calls: list[object] = []

        class Service:
            @retryable(**quick)
            def plain(self) -> object:
                return self.note(self)

            @classmethod
            @retryable(**quick)
            def of_class(cls) -> object:
                return cls.note(cls)

            @staticmethod
            @retryable(**quick)
            def of_none() -> object:
                return Service.note(None)

            @staticmethod
            def note(what: object) -> object:
                calls.append(what)
                if len(calls) % 2:
                    raise Boom
                return what

        service = Service()
        assert [service.plain(), service.of_class(), service.of_none()] == [service, Service, None]
        assert len(calls) == 6

    def test_a_class(self) -> None:
        """All public methods are retried, recoveries and private ones are not."""

        @retryable(**quick)
        class Service:
            def __init__(self) -> None:
                self.calls: list[str] = []

            def work(self) -> str:
                self.calls.append("work")
                return self._private()

            def _private(self) -> str:
                self.calls.append("_private")
                raise Boom

            @recover
            def instead(self, exc: Boom) -> str:
                self.calls.append("instead")
                return "recovered"

        service = Service()
        assert service.work() == "recovered"
        assert service.calls == ["work", "_private"] * 3 + ["instead"]
        assert inspect.isclass(Service)

    def test_other_decorators_may_stand_above(self) -> None:
        """Before the class exists the method can be called and bound already; recovery is found at the first call."""

        def shouting(fn: Any) -> Any:
            return lambda self: fn(self).upper()

        class Service:
            @shouting
            @retryable(**quick)
            def work(self) -> str:
                raise Boom

            @recover
            def instead(self, exc: Boom) -> str:
                return "recovered"

            @property
            @retryable(**quick)
            def value(self) -> str:
                raise Boom

            @retryable(**quick)
            def bound(self) -> str:
                return "bound"

            bound_later = bound.__get__(object())

        assert (Service().work(), Service().value, Service.bound_later()) == ("RECOVERED", "recovered", "bound")

    def test_the_class_and_static_methods_of_a_class(self) -> None:
        """A decorator outside of the built-in one, or on the class, looks inside."""
        calls: list[str] = []

        @retryable(**quick)
        class Service:
            @classmethod
            def of_class(cls) -> None:
                calls.append(cls.__name__)
                raise Boom

            @staticmethod
            def of_none() -> None:
                calls.append("none")
                raise Boom

        class Outside:
            @retryable(**quick)
            @staticmethod
            def of_none() -> None:
                calls.append("outside")
                raise Boom

        for work in (Service.of_class, Service.of_none, Outside.of_none):
            with pytest.raises(Boom):
                work()
        assert calls == ["Service"] * 3 + ["none"] * 3 + ["outside"] * 3

    def test_what_cannot_be_called_is_refused(self) -> None:
        """At decoration."""
        wrong: Any = 7
        with pytest.raises(RetryUsageError, match="7 can't be called"):
            retryable(label="seven")(wrong)

    def test_nothing_is_bolted_onto_a_method(self) -> None:
        """Once the class exists, the attribute is a plain function."""
        assert inspect.isfunction(vars(Nearest)["work"])
        assert set(vars(vars(Nearest)["work"])) == {"__wrapped__"}

    async def test_coroutine_functions_stay_such(self) -> None:
        """Also as methods."""

        @retryable
        async def work() -> int:
            return 1

        assert inspect.iscoroutinefunction(work)
        assert await work() == 1

    def test_causes_count_when_types_are_given(self) -> None:
        """A wrapped error is retried because of what it wraps."""
        calls: list[int] = []

        @retryable(retry_for=ConnectionError, **quick)
        def work() -> None:
            calls.append(1)
            raise RuntimeError from ConnectionError()

        with pytest.raises(RuntimeError):
            work()
        assert len(calls) == 3

    @pytest.mark.parametrize(
        ("options", "calls"),
        [
            ({}, 3),
            ({"no_retry_for": Boom}, 1),
            ({"no_retry_for": KeyError}, 3),
            ({"retry_for": KeyError}, 1),
            ({"when": lambda exc: "no" in str(exc)}, 1),
            ({"max_attempts": lambda: 5}, 5),
        ],
    )
    def test_which_errors_and_how_often(self, options: dict[str, Any], calls: int) -> None:
        """The options mean what they say."""
        seen: list[int] = []

        @retryable(**quick, **options)
        def work() -> None:
            seen.append(1)
            raise Boom

        with pytest.raises(Boom):
            work()
        assert len(seen) == calls

    def test_not_recoverable_errors_skip_recovery(self) -> None:
        """They are raised themselves, at once when they are not retried."""

        @retryable(not_recoverable=Fatal, recover=lambda: "recovered", **quick)
        def work(error: Exception) -> str:
            raise error

        with pytest.raises(Fatal):
            work(Fatal())
        assert work(Boom()) == "recovered"

    def test_the_context_has_a_label(self) -> None:
        """The qualified name, or what was given."""

        @retryable
        def work() -> str | None:
            context = current_context()
            return None if context is None else context.label

        named = retryable(label="mine")(lambda: (context := current_context()) and context.label)
        assert work() == f"{__name__}.TestRetryable.test_the_context_has_a_label.<locals>.work"
        assert named() == "mine"

    def test_a_template_excludes_the_other_options(self) -> None:
        """They would be ignored."""
        with pytest.raises(RetryUsageError, match="template= says how to retry"):
            retryable(template=RetryTemplate(), max_attempts=5)

    def test_a_template_is_used_as_it_is(self) -> None:
        """With its own policy and listeners."""
        statistics = StatisticsListener()

        @retryable(template=RetryTemplate(listeners=[statistics]), label="work")
        def work() -> None:
            raise Boom

        with pytest.raises(Boom):
            work()
        assert statistics.statistics("work").started == 3

    def test_global_listeners_hear_of_functions_without_listeners(self) -> None:
        """Those decorated before and after, until they are taken away; an empty list means none."""
        statistics = StatisticsListener()
        before = retryable(label="before")(lambda: None)
        add_global_listener(statistics)
        try:
            after = retryable(label="after")(lambda: None)
            deaf = retryable(label="deaf", listeners=[])(lambda: None)
            for work in (before, after, deaf):
                work()
        finally:
            remove_global_listener(statistics)
        before()

        assert statistics.labels() == ["after", "before"]
        assert statistics.statistics("before").complete == 1
        with pytest.raises(ValueError, match="is not a global listener"):
            remove_global_listener(statistics)


class TestStateful:
    """Stateful decorated functions."""

    def test_the_same_arguments_are_the_same_item(self) -> None:
        """However they are passed; the last presentation recovers."""
        calls: list[object] = []

        class Service:
            @retryable(stateful=True, max_attempts=2, recover="instead", **quick)
            def work(self, item: str, *, size: int = 1) -> str:
                calls.append(item)
                raise Boom

            def instead(self, exc: Boom, item: str) -> str:
                return f"{item} recovered from {type(exc).__name__}"

        service = Service()
        with pytest.raises(Boom):
            service.work("a")
        with pytest.raises(Boom):
            service.work(item="a", size=1)
        with pytest.raises(Boom):
            service.work("b")
        assert service.work("a") == "a recovered from Boom"
        assert calls == ["a", "a", "b"]

    def test_extra_keywords_are_part_of_the_item(self) -> None:
        """In any order."""
        attempts: list[int] = []

        @retryable(stateful=True, max_attempts=9, **quick)
        def work(**extra: int) -> None:
            context = current_context()
            assert context is not None
            attempts.append(context.attempt)
            raise Boom

        for extra in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1}):
            with pytest.raises(Boom):
                work(**extra)
        assert attempts == [1, 2, 1]

    def test_key_and_is_new(self) -> None:
        """A key of one's own, and news that the item is a fresh one."""
        attempts: list[int] = []

        @retryable(
            stateful=True,
            max_attempts=9,
            key=lambda event: event["id"],
            is_new=lambda event: "new" in event,
            **quick,
        )
        def work(event: dict[str, object]) -> None:
            context = current_context()
            assert context is not None
            attempts.append(context.attempt)
            raise Boom

        events: list[dict[str, object]] = [{"id": 1}, {"id": 1, "more": 2}, {"id": 2}, {"id": 1, "new": True}]
        for event in events:
            with pytest.raises(Boom):
                work(event)
        assert attempts == [1, 2, 1, 1]

    def test_unhashable_arguments_need_a_key(self) -> None:
        """The message names the option."""

        @retryable(stateful=True)
        def work(event: dict[str, object]) -> None: ...

        with pytest.raises(TypeError, match=r"can't be the key of a stateful retry .* give key=") as caught:
            work({})
        assert isinstance(caught.value, RetryUsageError)

    def test_a_key_needs_stateful(self) -> None:
        """Otherwise it would be ignored."""
        with pytest.raises(RetryUsageError, match="are for stateful=True"):
            retryable(key=lambda: 1)(lambda: None)

    def test_without_recovery_it_ends_exhausted(self) -> None:
        """With the label in the key."""

        @retryable(stateful=True, max_attempts=1, label="work", **quick)
        def work(item: int) -> None:
            raise Boom

        with pytest.raises(Boom):
            work(1)
        with pytest.raises(ExhaustedRetryError, match=re.escape("('work', (1,))")):
            work(1)


class TestCircuitBreaker:
    """The breaker as decorator."""

    def test_it_opens_and_refuses(self) -> None:
        """Failing calls end exhausted, later ones are refused; another function has a circuit of its own."""

        @circuit_breaker(max_attempts=2)
        def work() -> None:
            raise Boom

        @circuit_breaker
        def other() -> int:
            return 1

        for _ in range(2):
            with pytest.raises(ExhaustedRetryError) as failed:
                work()
            assert isinstance(failed.value.__cause__, Boom)
        with pytest.raises(CircuitOpenError):
            work()
        assert other() == 1

    async def test_it_recovers(self) -> None:
        """Failing and refused calls alike, also of coroutine methods."""

        class Service:
            calls = 0

            @circuit_breaker(max_attempts=2)
            async def work(self, x: int) -> int:
                self.calls += 1
                raise Boom

            @recover
            def instead(self, exc: Boom, x: int) -> int:
                return -x

        service = Service()
        assert [await service.work(n) for n in range(1, 5)] == [-1, -2, -3, -4]
        assert service.calls == 2

    def test_retry_around_a_breaker_stops_when_the_circuit_opens(self) -> None:
        """The refusal is not retried."""
        calls: list[int] = []

        @retryable(max_attempts=10, **quick)
        @circuit_breaker(max_attempts=3, raise_last_on_exhausted=True)
        def work() -> None:
            calls.append(1)
            raise Boom

        with pytest.raises(CircuitOpenError):
            work()
        assert len(calls) == 3


class Remote:
    """Be a class that knows nothing of retries."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.size = 3

    def fetch(self, x: int) -> int:
        return self._fail_twice("fetch", x)

    async def fetch_later(self, x: int) -> int:
        return self._fail_twice("fetch_later", x)

    def store(self, x: int) -> int:
        return self._fail_twice("store", x)

    def _fail_twice(self, name: str, x: int) -> int:
        self.calls.append(name)
        if self.calls.count(name) < 3:
            raise Boom(name)
        return x

    def __len__(self) -> int:
        return self.size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.calls.append("exit")


class TestProxy:
    """Item 25."""

    @pytest.mark.parametrize("methods", ["fetch*", re.compile("fetch(_later)?"), {"fetch", "fetch_later"}])
    async def test_acceptance_25_matching_methods_are_retried_and_others_not(self, methods: Any) -> None:
        """By pattern, expression or names; coroutine methods are awaited."""
        remote = Remote()
        proxy = retry_proxy(remote, methods=methods)

        assert proxy.fetch(1) == 1
        assert await proxy.fetch_later(2) == 2
        assert inspect.iscoroutinefunction(proxy.fetch_later)
        with pytest.raises(Boom, match="store"):
            proxy.store(3)
        assert [remote.calls.count(name) for name in ("fetch", "fetch_later", "store")] == [3, 3, 1]

    def test_acceptance_25_attributes_operators_and_isinstance_behave(self) -> None:
        """The proxy is as good as the object; the class is untouched."""
        remote = Remote()
        proxy = retry_proxy(remote)

        proxy.size = 5
        with proxy:
            pass

        assert isinstance(proxy, Remote)
        assert (len(proxy), remote.size, remote.calls) == (5, 5, ["exit"])
        assert "fetch" in dir(proxy)
        assert repr(proxy).startswith("<retry_proxy of <")
        with pytest.raises(Boom):
            remote.fetch(1)
        with pytest.raises(AttributeError):
            _ = proxy.missing  # type: ignore[attr-defined]
        del proxy.size
        assert not hasattr(remote, "size")

    def test_acceptance_25_template_and_recovery(self) -> None:
        """A template of one's own, labels for statistics, and recovery with the context."""
        statistics = StatisticsListener()
        proxy = retry_proxy(
            Remote(),
            template=RetryTemplate.builder().max_attempts(2).with_listener(statistics).build(),
            recover=lambda context: str(context.last_exception),
        )

        assert proxy.fetch(1) == "fetch"  # type: ignore[comparison-overlap]
        assert statistics.statistics(f"{__name__}.Remote.fetch").recovery == 1

    def test_a_name_the_target_does_not_have_is_refused(self) -> None:
        """At once, with the name."""
        with pytest.raises(RetryUsageError, match="Remote has no method fetsch to retry"):
            retry_proxy(Remote(), methods=["fetch", "fetsch"])
