"""One execution, step by step; every step is written once and driven by sync and async callers alike.

A driver keeps to this order::

    begin -> attempt -> (the callback) -> succeeded -> close
                 ^             |
                 |           failed -> AGAIN: pause, and back to attempt
                                    -> DONE: `result` is the outcome   -> close
                                    -> RAISE: re-raise the failure     -> close

The steps are coroutines because listeners, recovery and pauses may be. In a sync execution none of them ever suspends,
so `finish` runs one to its end on the spot.
"""

from __future__ import annotations

import enum
import inspect
import time
from typing import TYPE_CHECKING, Any, TypeVar

from wakuwaku.retry.context import entered
from wakuwaku.retry.decision import Decision
from wakuwaku.retry.errors import (
    BackOffInterruptedError,
    RetryUsageError,
    TerminatedRetryError,
)
from wakuwaku.retry.failure import FailureSummary
from wakuwaku.retry.judgement import admits, judge
from wakuwaku.retry.outcome import annotate, cut_traceback, error_of_exhausted
from wakuwaku.retry.presentation import Presentation
from wakuwaku.retry.stop_reason import StopReason

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType

    from wakuwaku.retry.context import RetryContext
    from wakuwaku.retry.listener import RetryCall, RetryListener
    from wakuwaku.retry.state import RetryState
    from wakuwaku.retry.template import RetryTemplate

__all__ = ["Execution", "Step", "finish"]

T = TypeVar("T")


class Step(enum.Enum):
    """Tell a driver what to do after a failure."""

    AGAIN = enum.auto()
    DONE = enum.auto()
    RAISE = enum.auto()


def finish(step: Coroutine[Any, Any, T]) -> T:
    """Run a step of a sync execution to its end."""
    try:
        step.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    raise AssertionError("a step of a sync execution never waits")


class Execution:
    """Drive the policy, backoff, listeners, cache and recovery of one call of a template."""

    __slots__ = (
        "_failure",
        "_opened",
        "_over",
        "_presentation",
        "_recover",
        "_seen_traceback",
        "_succeeded",
        "call",
        "context",
        "delay",
        "is_async",
        "result",
        "template",
    )

    def __init__(
        self,
        template: RetryTemplate,
        context: RetryContext,
        call: RetryCall,
        recover: Callable[[RetryContext], Any] | None = None,
        presentation: Presentation | None = None,
        *,
        is_async: bool,
    ) -> None:
        self.template = template
        self.context = context
        self.call = call
        self.is_async = is_async
        self.delay = 0.0
        self.result: Any = None
        self._recover = recover
        self._presentation = presentation
        self._opened: list[RetryListener] = []
        self._failure: Exception | None = None  # the last error of the callback in this execution
        self._seen_traceback: TracebackType | None = None
        self._succeeded = False
        self._over = presentation is None  # nothing of the context stays behind

    @classmethod
    def open(
        cls,
        template: RetryTemplate,
        call: RetryCall,
        recover: Callable[[RetryContext], Any] | None = None,
        state: RetryState | None = None,
        *,
        is_async: bool,
    ) -> Execution:
        """Open or find the context of a call; raise RetryUsageError when async listeners meet a sync execution."""
        if not is_async and template.async_hooks:
            raise RetryUsageError(
                f"{template.async_hooks[0]} is a coroutine function, which a sync execution can't await: "
                "use an async execution or a plain hook"
            )
        parent = entered.get()
        presentation = Presentation.of(template, state, call.label)
        context = None if presentation is None else presentation.find()
        if context is None:
            context = template.policy.open(parent)
            context.clock = template.clock
            context.opened_at = template.clock()
        context.parent, context.policy, context.label = parent, template.policy, call.label
        if presentation is not None:
            context.key = presentation.key
            if template.policy.shared:
                context.machinery.circuit = presentation.circuit(context.opened_at)
        return cls(template, context, call, recover, presentation, is_async=is_async)

    # -- steps ---------------------------------------------------------------------------------------------------------

    async def begin(self) -> bool:
        """Open the listeners and say whether an attempt may be made; if not, recovery has set `result`."""
        context = self.context
        for listener in self.template.listeners:
            self._opened.append(listener)
            if await self._settle(listener.open(context, self.call)) is False:
                context.stop_reason = StopReason.VETOED
                raise TerminatedRetryError(f"{type(listener).__name__}.open vetoed the execution: nothing was called")
        if not admits(self.template, context):
            await self._exhaust(None)
            return False
        if context.machinery.backoff_state is None:
            context.machinery.backoff_state = self.template.backoff.start(context)
        return True

    async def attempt(self) -> None:
        """Tell the listeners that an attempt begins."""
        for listener in self.template.listeners:
            await self._settle(listener.on_attempt(self.context, self.call))

    async def succeeded(self, result: object) -> None:
        """Tell the listeners that the attempt returned; what they raise is the failure of this attempt."""
        for listener in reversed(self.template.listeners):
            await self._settle(listener.on_success(self.context, self.call, result))
        self._succeeded = True
        self._failure = None
        self.context.stop_reason = StopReason.SUCCESS

    async def failed(self, exc: Exception) -> Step:
        """Register a failed attempt and say how it goes on."""
        context, template = self.context, self.template
        if exc is self._failure:
            cut_traceback(exc, self._seen_traceback)
        self._failure, self._seen_traceback = exc, exc.__traceback__
        context.kept = False
        broken: Exception | None = None
        decision = Decision(None, StopReason.TERMINATED)
        try:
            template.policy.register_exception(context, exc)
            decision = judge(template, context, exc)
            self._remember(exc, decision)
        except Exception as error:  # noqa: BLE001  (policy or cache are the user's code; on_error is owed first)
            broken = error
        try:
            for listener in reversed(template.listeners):
                await self._settle(listener.on_error(context, self.call, exc))
            if broken is not None:
                context.stop_reason = StopReason.TERMINATED
                raise TerminatedRetryError(
                    f"the failure {type(exc).__name__} could not be registered: {type(broken).__name__}: {broken}"
                ) from broken
        finally:
            del broken  # or its traceback, by way of this frame, would keep it and all it holds; so below
        if decision.delay is not None and context.exhausted_only:  # a listener said so
            decision = Decision(None, StopReason.EXHAUSTED_ONLY)
            self._remember(exc, decision)
        item = self._presentation
        leaves = item is not None and item.leaves_on(exc)
        if decision.delay is not None and not template.policy.shared:
            return await self._go_on(exc, decision.delay, leaves=leaves)
        if leaves and item is not None and not item.immediate:
            return Step.RAISE
        return await self._exhaust(exc)

    async def pause(self) -> None:
        """Pause as decided."""
        context, sleeper, delay = self.context, self.template.sleeper, self.delay
        try:
            if self.is_async:
                await sleeper.sleep_async(delay)
            else:
                sleeper.sleep(delay)
        except BackOffInterruptedError as interrupted:
            context.stop_reason = StopReason.INTERRUPTED
            if interrupted.__cause__ is None:
                interrupted.__cause__ = self._failure
            raise
        context.total_delay += delay

    async def close(self, in_flight: BaseException | None) -> None:
        """End the execution: drop the cache entry if it is done with, close policy and listeners, let go of errors.

        What fails here is raised only when nothing else is in flight, else logged; the rest is closed all the same.
        """
        context = self.context
        told: BaseException | None = self._failure
        if in_flight is not None and not isinstance(in_flight, Exception):
            told = in_flight
            context.stop_reason = StopReason.CANCELLED
        elif isinstance(in_flight, RetryUsageError):
            context.stop_reason = StopReason.TERMINATED
        first: Exception | None = None
        try:
            for closing in (self._credit_success, self._close_policy):
                try:
                    closing()
                except Exception as error:  # noqa: BLE001  (raised or logged below)
                    first = self._note_close_error(error, first, in_flight)
            for listener in reversed(self._opened):
                try:
                    await self._settle(listener.close(context, self.call, told), unwinding=in_flight)
                except Exception as error:  # noqa: BLE001  (raised or logged below)
                    first = self._note_close_error(error, first, in_flight)
        finally:
            self._failure = self._seen_traceback = None
            context.forget_errors()
        if first is not None:
            try:
                raise first
            finally:
                del first

    # -- how they are done ---------------------------------------------------------------------------------------------

    async def _settle(self, value: Any, *, unwinding: BaseException | None = None) -> Any:
        """Return what a hook returned, awaited if need be."""
        if value is None or not inspect.isawaitable(value):
            return value
        if self.is_async and not isinstance(unwinding, GeneratorExit):
            return await value
        if inspect.iscoroutine(value):
            value.close()
        if self.is_async:  # the task is being torn down and may not wait any more
            return None
        raise RetryUsageError("an async listener or recovery was given to a sync execution, which can't await it")

    def _remember(self, exc: Exception, decision: Decision) -> None:
        context, machinery = self.context, self.context.machinery
        context.stop_reason = decision.reason
        context.no_recovery = decision.reason is not None and not self.template.policy.may_recover(context, exc)
        item = self._presentation
        if item is None:
            return
        context.failure = FailureSummary.of(exc, time.time())
        machinery.registered = True
        machinery.refusal = decision.reason
        deferred = decision.delay is not None and item.defers and item.leaves_on(exc)
        context.not_before = context.clock() + (decision.delay or 0.0) if deferred else None
        if machinery.circuit is not None:
            machinery.circuit.failure = context.failure
        item.keep(context)

    async def _go_on(self, exc: Exception, delay: float, *, leaves: bool) -> Step:
        self.delay = delay
        for listener in self.template.listeners:
            await self._settle(listener.on_retry(self.context, self.call, exc, delay))
        if not leaves:
            return Step.AGAIN
        if self._presentation is not None and not self._presentation.defers:
            await self.pause()
        self.context.stop_reason = StopReason.DEFERRED
        return Step.RAISE

    async def _exhaust(self, exc: Exception | None) -> Step:
        """Recover, or raise what there is to raise; `exc` is the failure if it happened in this execution."""
        context, item, shared = self.context, self._presentation, self.template.policy.shared
        context.exhausted = True
        self._over = not shared
        if item is not None:
            item.drop()
        if self._recover is not None and not context.no_recovery:
            self.result = await self._settle(self._recover(context))
            context.recovered = True
            return Step.DONE
        error = error_of_exhausted(
            context, exc, stateful=item is not None, raise_last=self.template.raise_last_on_exhausted
        )
        if error is not None:
            try:
                raise error
            finally:
                del error
        if exc is not None and item is None:
            annotate(context, exc)
        return Step.RAISE

    def _credit_success(self) -> None:
        item = self._presentation
        if not self._succeeded:
            return
        if self.template.budget is not None:
            self.template.budget.give_back()
        self._over = item is None or not (self.context.kept or self.template.policy.shared)
        if item is not None and self._over:
            item.drop()
        elif item is not None and self.context.retry_count:
            item.keep(self.context)  # the callback may have changed its attributes

    def _close_policy(self) -> None:
        if self._over or self.template.policy.shared:
            self.template.policy.close(self.context)
            self.context.closed = True

    def _note_close_error(
        self, error: Exception, first: Exception | None, in_flight: BaseException | None
    ) -> Exception | None:
        if in_flight is None and first is None:
            return error
        self.template.logger.error("closing a retry failed, another error is on its way: %r", error, exc_info=error)
        return first
