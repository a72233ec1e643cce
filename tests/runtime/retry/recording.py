"""Listeners, policies and sleepers that write down what they are told, for sync and async alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wakuwaku.retry import BackOffPolicy, RetryListener, RetryPolicy, RetryTemplate, SimpleRetryPolicy

if TYPE_CHECKING:
    from collections.abc import Callable

    from wakuwaku.retry import RetryCall, RetryContext, RetryState


class Boom(Exception):  # noqa: N818  (short, as it is everywhere in these tests)
    """Fail in a way worth a retry."""


class Fatal(Boom):
    """Fail for good, as a subclass of what is retried."""


def name_of(exc: BaseException | None) -> str:
    """Return what identifies an error in a trace."""
    return "-" if exc is None else str(exc) or type(exc).__name__


class Callback:
    """Fail with the errors given, one after the other, then return ``"done"``; None in the list returns as well."""

    def __init__(self, *errors: Exception | None, trace: list[str] | None = None) -> None:
        self.errors = list(errors)
        self.trace = [] if trace is None else trace
        self.attempts: list[int] = []

    def __call__(self, context: RetryContext) -> str:
        self.attempts.append(context.attempt)
        error = self.errors.pop(0) if self.errors else None
        self.trace.append("call" if error is None else "call✗")
        if error is not None:
            raise error
        return "done"

    @property
    def calls(self) -> int:
        """Return how often it was called."""
        return len(self.attempts)


def always(error_type: type[Exception] = Boom) -> Callable[[RetryContext], str]:
    """Return a callback that fails with a new error each time, named e1, e2 and so on."""

    def callback(context: RetryContext) -> str:
        raise error_type(f"e{context.attempt}")

    return callback


class Recorder(RetryListener):
    """Write the hooks of the original into a trace, named after this listener."""

    def __init__(self, name: str, trace: list[str], *, opens: bool | None = True) -> None:
        self.name = name
        self.trace = trace
        self.opens = opens

    def open(self, context: RetryContext, call: RetryCall) -> bool | None:
        self.trace.append(f"{self.name}.open" if self.opens is not False else f"{self.name}.open(False)")
        return self.opens

    def on_success(self, context: RetryContext, call: RetryCall, result: object) -> None:
        self.trace.append(f"{self.name}.on_success")

    def on_error(self, context: RetryContext, call: RetryCall, exc: Exception) -> None:
        self.trace.append(f"{self.name}.on_error")

    def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> None:
        self.trace.append(f"{self.name}.close({name_of(exc)})")


class AsyncRecorder(RetryListener):
    """Do the same in coroutine functions."""

    def __init__(self, name: str, trace: list[str], *, opens: bool | None = True) -> None:
        self.plain = Recorder(name, trace, opens=opens)

    async def open(self, context: RetryContext, call: RetryCall) -> bool | None:
        return self.plain.open(context, call)

    async def on_success(self, context: RetryContext, call: RetryCall, result: object) -> None:
        self.plain.on_success(context, call, result)

    async def on_error(self, context: RetryContext, call: RetryCall, exc: Exception) -> None:
        self.plain.on_error(context, call, exc)

    async def close(self, context: RetryContext, call: RetryCall, exc: BaseException | None) -> None:
        self.plain.close(context, call, exc)


class TracedPolicy(RetryPolicy):
    """Write registering and closing into a trace; decide as another policy does."""

    def __init__(self, trace: list[str], inner: RetryPolicy | None = None) -> None:
        self.trace = trace
        self.inner = inner or SimpleRetryPolicy()

    @property
    def max_attempts(self) -> int | None:
        return self.inner.max_attempts

    def can_retry(self, context: RetryContext) -> bool:
        return self.inner.can_retry(context)

    def register_exception(self, context: RetryContext, exc: Exception) -> None:
        self.trace.append("register")
        self.inner.register_exception(context, exc)

    def may_recover(self, context: RetryContext, exc: Exception) -> bool:
        return self.inner.may_recover(context, exc)

    def close(self, context: RetryContext) -> None:
        self.trace.append("policy.close")


class TracedBackOff(BackOffPolicy[str]):
    """Write its start into a trace, and pause one second."""

    def __init__(self, trace: list[str]) -> None:
        self.trace = trace

    def start(self, context: RetryContext) -> str:
        self.trace.append("start")
        return "state"

    def next_delay(self, state: str | None, context: RetryContext) -> float:
        assert state == "state"
        return 1.0


class TracedSleeper:
    """Write pauses into a trace and let no time pass."""

    def __init__(self, trace: list[str]) -> None:
        self.trace = trace

    def sleep(self, seconds: float) -> None:
        self.trace.append("pause")

    async def sleep_async(self, seconds: float) -> None:
        self.trace.append("pause")


class Mode:
    """Run the same callback sync or async, so that each test of the engine holds for both."""

    def __init__(self, name: str) -> None:
        self.is_async = name == "async"

    def recorder(self, name: str, trace: list[str], *, opens: bool | None = True) -> RetryListener:
        """Return a recording listener, with coroutine functions as hooks where they may be."""
        return (AsyncRecorder if self.is_async else Recorder)(name, trace, opens=opens)

    async def execute(
        self,
        template: RetryTemplate,
        callback: Callable[[RetryContext], Any],
        *,
        recover: Callable[[RetryContext], Any] | None = None,
        state: RetryState | None = None,
        label: str | None = None,
    ) -> Any:
        """Execute the plain callback in this mode."""
        options: dict[str, Any] = {"state": state, "label": label}
        if recover is not None:
            options["recover"] = recover
        if not self.is_async:
            return template.execute(callback, **options)

        async def callback_async(context: RetryContext) -> Any:
            return callback(context)

        return await template.execute_async(callback_async, **options)
