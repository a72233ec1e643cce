"""The front of the toolkit: one immutable object that says how to retry, and runs what it is given."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar, cast, overload

from wakuwaku.retry.attempts import AsyncAttempts, Attempts
from wakuwaku.retry.backoff import BackOffPolicy, NoBackOff
from wakuwaku.retry.builder import RetryTemplateBuilder
from wakuwaku.retry.cache import MapRetryContextCache
from wakuwaku.retry.callables import is_async, require_retryable
from wakuwaku.retry.driver import drive, drive_async
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.immutable import Immutable
from wakuwaku.retry.listener import RetryListener
from wakuwaku.retry.policy import RetryPolicy, SimpleRetryPolicy
from wakuwaku.retry.sleeper import DefaultSleeper

if TYPE_CHECKING:
    import logging
    from collections.abc import Awaitable, Callable, Sequence

    from wakuwaku.retry.budget import RetryBudget
    from wakuwaku.retry.cache import RetryContextCache
    from wakuwaku.retry.context import Clock, RetryContext
    from wakuwaku.retry.decision import PastDeadline
    from wakuwaku.retry.sleeper import Sleeper
    from wakuwaku.retry.state import RetryState

__all__ = ["RetryOperations", "RetryTemplate"]

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

_HOOKS = ("open", "on_attempt", "on_success", "on_error", "on_retry", "close")


class RetryOperations(Protocol):
    """Run a callback with retries: what code should ask for that only wants to use a template."""

    @overload
    def execute(
        self, callback: Callable[[RetryContext], T], *, state: RetryState | None = None, label: str | None = None
    ) -> T: ...
    @overload
    def execute(
        self,
        callback: Callable[[RetryContext], T],
        *,
        recover: Callable[[RetryContext], R],
        state: RetryState | None = None,
        label: str | None = None,
    ) -> T | R: ...


class RetryTemplate(Immutable):
    """Run callables with retries; immutable, and safe to share between any number of threads and tasks.

    By default three attempts are made for any `Exception`, without pause. Errors outside of `Exception` (cancellation,
    Ctrl-C, exit) always pass straight through. `past_deadline` tells what to do when a pause would end after the
    deadline of the policy. `nested` tells what an execution inside of another one does: retry, retry with a warning, or
    leave retrying to the outermost. `raise_last_on_exhausted` makes stateful executions end with the last error instead
    of `ExhaustedRetryError`. Stateful executions keep their contexts in `cache`, one presentation of a key at a time.
    """

    def __init__(
        self,
        *,
        policy: RetryPolicy | None = None,
        backoff: BackOffPolicy[Any] | None = None,
        listeners: Sequence[RetryListener] = (),
        cache: RetryContextCache | None = None,
        raise_last_on_exhausted: bool = False,
        budget: RetryBudget | None = None,
        past_deadline: PastDeadline = "give_up",
        nested: Literal["allow", "warn", "outermost"] = "allow",
        sleeper: Sleeper | None = None,
        label: str | None = None,
        logger: logging.Logger | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        if past_deadline not in {"give_up", "clamp"}:
            raise ValueError(f'past_deadline must be "give_up" or "clamp", not {past_deadline!r}')
        if nested not in {"allow", "warn", "outermost"}:
            raise ValueError(f'nested must be "allow", "warn" or "outermost", not {nested!r}')
        self.policy = SimpleRetryPolicy() if policy is None else policy
        self.backoff: BackOffPolicy[Any] = NoBackOff() if backoff is None else backoff
        self.listeners = tuple(sorted(listeners, key=lambda listener: listener.order))
        self.cache: RetryContextCache = MapRetryContextCache() if cache is None else cache
        self.raise_last_on_exhausted = raise_last_on_exhausted
        self.budget = budget
        self.past_deadline: PastDeadline = past_deadline
        self.nested = nested
        self.sleeper: Sleeper = DefaultSleeper() if sleeper is None else sleeper
        self.label = label
        self.clock = clock
        self._logger = logger
        self.async_hooks = tuple(
            f"{type(listener).__name__}.{hook}"
            for listener in self.listeners
            for hook in _HOOKS
            if is_async(getattr(listener, hook))
        )
        # What a first attempt that succeeds can do without; see `driver`.
        self.plain = (
            not self.listeners
            and budget is None
            and not self.policy.shared
            and self.policy.first_attempt_free
            and self.backoff.starts_lazily
        )

    @property
    def logger(self) -> logging.Logger:
        """Return where the template itself logs: errors that could not be raised, and nested retries."""
        if self._logger is not None:
            return self._logger
        import logging  # noqa: PLC0415  (3 ms of import time for who never needs it)

        return logging.getLogger("wakuwaku.retry")

    @overload
    def execute(
        self, callback: Callable[[RetryContext], T], *, state: RetryState | None = None, label: str | None = None
    ) -> T: ...
    @overload
    def execute(
        self,
        callback: Callable[[RetryContext], T],
        *,
        recover: Callable[[RetryContext], R],
        state: RetryState | None = None,
        label: str | None = None,
    ) -> T | R: ...
    def execute(
        self,
        callback: Callable[[RetryContext], Any],
        *,
        recover: Callable[[RetryContext], Any] | None = None,
        state: RetryState | None = None,
        label: str | None = None,
    ) -> Any:
        """Call back until it returns or no attempt is left; then recover, or raise.

        Without `state` the last error itself is raised. With one, an error leaves the call at once, and the item is
        expected to be presented again: N failing presentations, and one more that recovers or raises
        ExhaustedRetryError. Raise TerminatedRetryError when a listener vetoes or policy or cache fail, and
        BackOffInterruptedError when a pause is interrupted.
        """
        return drive(self, callback, None, {}, label or self.label, recover, state)

    @overload
    async def execute_async(
        self,
        callback: Callable[[RetryContext], Awaitable[T]],
        *,
        state: RetryState | None = None,
        label: str | None = None,
    ) -> T: ...
    @overload
    async def execute_async(
        self,
        callback: Callable[[RetryContext], Awaitable[T]],
        *,
        recover: Callable[[RetryContext], Awaitable[R]],
        state: RetryState | None = None,
        label: str | None = None,
    ) -> T | R: ...
    @overload
    async def execute_async(
        self,
        callback: Callable[[RetryContext], Awaitable[T]],
        *,
        recover: Callable[[RetryContext], R],
        state: RetryState | None = None,
        label: str | None = None,
    ) -> T | R: ...
    async def execute_async(
        self,
        callback: Callable[[RetryContext], Awaitable[Any]],
        *,
        recover: Callable[[RetryContext], Any] | None = None,
        state: RetryState | None = None,
        label: str | None = None,
    ) -> Any:
        """Do as `execute` for a coroutine function; `recover` and listeners may be plain or coroutine functions."""
        return await drive_async(self, callback, None, {}, label or self.label, recover, state)

    def call(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function that knows nothing of retries; errors are as for `execute`."""
        result: T = drive(self, fn, args, kwargs, self.label)
        return result

    async def call_async(self, fn: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a coroutine function that knows nothing of retries; errors are as for `execute`."""
        result: T = await drive_async(self, fn, args, kwargs, self.label)
        return result

    def wrap(self, fn: Callable[P, T], /) -> Callable[P, T]:
        """Return the function with retries; a coroutine function stays one.

        Raise RetryUsageError for a generator function, which can't be retried.
        """
        require_retryable(fn)
        label = self.label
        if is_async(fn):

            @functools.wraps(fn)
            async def retrying_async(*args: P.args, **kwargs: P.kwargs) -> Any:
                return await drive_async(self, fn, args, kwargs, label)

            return cast("Callable[P, T]", retrying_async)

        @functools.wraps(fn)
        def retrying(*args: P.args, **kwargs: P.kwargs) -> T:
            result: T = drive(self, fn, args, kwargs, label)
            return result

        return retrying

    def attempts(self, *, label: str | None = None) -> Attempts:
        """Return the attempts of one execution: ``for attempt in template.attempts(): with attempt: ...``.

        The loop ends after the block that succeeds; the last error is raised. Stateless, and without recovery.
        """
        return Attempts(self, label or self.label)

    def attempts_async(self, *, label: str | None = None) -> AsyncAttempts:
        """Return the attempts of one async execution, for ``async for`` and ``async with``."""
        return AsyncAttempts(self, label or self.label)

    def replace(self, **changes: Any) -> RetryTemplate:
        """Return a template that differs in these arguments of the constructor; the cache stays shared."""
        kept: dict[str, Any] = {name: getattr(self, name) for name in _ARGUMENTS}
        kept["logger"] = self._logger
        unknown = changes.keys() - kept.keys()
        if unknown:
            raise RetryUsageError(
                f"RetryTemplate has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(kept))}"
            )
        return RetryTemplate(**(kept | changes))

    @staticmethod
    def builder() -> RetryTemplateBuilder:
        """Return a builder, which puts a template together step by step."""
        return RetryTemplateBuilder()


_ARGUMENTS = (
    "policy",
    "backoff",
    "listeners",
    "cache",
    "raise_last_on_exhausted",
    "budget",
    "past_deadline",
    "nested",
    "sleeper",
    "label",
    "clock",
)
