"""The block form: retry a piece of code that is not a function.

The context variable is set and reset by the block itself, never by the iterator, so leaving the loop early leaves
nothing behind.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, final

from wakuwaku.retry.context import RetryContext, entered
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.execution import Execution, Step, finish
from wakuwaku.retry.listener import RetryCall

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from contextvars import Token
    from types import TracebackType

    from wakuwaku.retry.template import RetryTemplate

__all__ = ["AsyncAttempt", "AsyncAttempts", "Attempt", "Attempts"]


class _Loop:
    """Produce the attempts of one execution."""

    def __init__(self, template: RetryTemplate, label: str | None, *, is_async: bool) -> None:
        self.template = template
        self.label = label
        self.is_async = is_async
        self.execution: Execution | None = None
        self.over = False

    async def advance(self) -> Execution | None:
        """Return the execution when another attempt is due, after its pause; None at the end."""
        if self.over:
            return None
        execution = self.execution
        if execution is None:
            call = RetryCall(None, label=self.label)
            execution = self.execution = Execution.open(self.template, call, is_async=self.is_async)
            step: Coroutine[object, object, object] = execution.begin()
        else:
            step = execution.pause()
        token = entered.set(execution.context)
        try:
            await step
        except BaseException as exc:
            self.over = True
            await execution.close(exc)
            raise
        finally:
            entered.reset(token)
        return execution

    async def leave(self, execution: Execution, exc: BaseException | None) -> bool:
        """Judge how a block ended and say whether its error is dealt with."""
        try:
            if exc is None:
                try:
                    await execution.succeeded(None)
                except RetryUsageError:
                    raise
                except Exception as objection:
                    if await execution.failed(objection) is Step.RAISE:
                        raise
                    return False
            elif isinstance(exc, Exception) and not isinstance(exc, RetryUsageError):
                again = await execution.failed(exc) is Step.AGAIN
                if again:
                    return True
        except BaseException as error:
            self.over = True
            await execution.close(error)
            raise
        self.over = True
        await execution.close(exc)
        return False


class _Block:
    """Be one attempt; the public subclasses add the ``with`` form."""

    def __init__(self, loop: _Loop, execution: Execution) -> None:
        self._loop = loop
        self._execution = execution
        self._token: Token[RetryContext | None] | None = None

    @property
    def context(self) -> RetryContext:
        """Return the context of the execution."""
        return self._execution.context

    async def _enter(self) -> None:
        self._token = entered.set(self.context)
        try:
            await self._execution.attempt()
        except BaseException as exc:
            self._reset()
            self._loop.over = True
            await self._execution.close(exc)
            raise

    async def _leave(self, exc: BaseException | None) -> bool:
        try:
            return await self._loop.leave(self._execution, exc)
        finally:
            self._reset()

    def _reset(self) -> None:
        if self._token is not None:
            with suppress(ValueError):  # abandoned, and closed in another context than it ran in
                entered.reset(self._token)
            self._token = None


@final
class Attempt(_Block):
    """Run one attempt as a ``with`` block; an error that will be retried is suppressed."""

    def __enter__(self) -> Attempt:
        finish(self._enter())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        return finish(self._leave(exc))


@final
class AsyncAttempt(_Block):
    """Run one attempt as an ``async with`` block; an error that will be retried is suppressed."""

    async def __aenter__(self) -> AsyncAttempt:
        await self._enter()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        return await self._leave(exc)


@final
class Attempts:
    """Iterate over the attempts of one execution; ends after the one that succeeds."""

    def __init__(self, template: RetryTemplate, label: str | None) -> None:
        self._loop = _Loop(template, label, is_async=False)

    def __iter__(self) -> Attempts:
        return self

    def __next__(self) -> Attempt:
        execution = finish(self._loop.advance())
        if execution is None:
            raise StopIteration
        return Attempt(self._loop, execution)


@final
class AsyncAttempts:
    """Iterate over the attempts of one async execution; ends after the one that succeeds."""

    def __init__(self, template: RetryTemplate, label: str | None) -> None:
        self._loop = _Loop(template, label, is_async=True)

    def __aiter__(self) -> AsyncAttempts:
        return self

    async def __anext__(self) -> AsyncAttempt:
        execution = await self._loop.advance()
        if execution is None:
            raise StopAsyncIteration
        return AsyncAttempt(self._loop, execution)
