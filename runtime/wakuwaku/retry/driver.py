"""The two loops, sync and async, that carry an execution from step to step.

They catch and re-raise in their own frame with a bare ``raise``, so that the user's error stays the very object with
the very traceback. An execution that is `plain` makes no `Execution` before something fails: all that a healthy call
pays is a context and its context variable. That is also why each loop is one function and takes its arguments by place.
"""

# ruff: noqa: C901, PLR0912, PLR0915, PLR0917

from __future__ import annotations

import inspect
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from wakuwaku.retry.callables import refuse_coroutine, refuse_plain
from wakuwaku.retry.context import RetryContext, entered
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.execution import Execution, Step, finish
from wakuwaku.retry.listener import RetryCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from wakuwaku.retry.state import RetryState
    from wakuwaku.retry.template import RetryTemplate

__all__ = ["drive", "drive_async"]


def drive(
    template: RetryTemplate,
    function: Callable[..., Any],
    args: tuple[Any, ...] | None,
    kwargs: dict[str, Any],
    label: str | None,
    recover: Callable[[RetryContext], Any] | None = None,
    state: RetryState | None = None,
) -> Any:
    """Call a function until it succeeds or is given up; without `args` it gets the context."""
    execution: Execution | None = None
    result: Any = None
    if template.plain and state is None:
        context = RetryContext(entered.get(), template.policy, label, template.clock)
    else:
        call = RetryCall(function, args or (), kwargs, label)
        execution = Execution.open(template, call, recover, state, is_async=False)
        context = execution.context
    token = entered.set(context)
    try:
        try:
            if execution is not None and not finish(execution.begin()):
                result = execution.result
            else:
                while True:
                    if execution is not None:
                        finish(execution.attempt())
                    try:
                        if args is None:
                            result = function(context)
                        elif kwargs:
                            result = function(*args, **kwargs)
                        else:
                            result = function(*args)
                        if type(result) is CoroutineType:
                            refuse_coroutine(result, function)
                        if execution is not None:
                            finish(execution.succeeded(result))
                        break
                    except RetryUsageError:
                        raise
                    except Exception as exc:
                        if execution is None:
                            call = RetryCall(function, args or (), kwargs, label)
                            execution = Execution(template, context, call, recover, is_async=False)
                        step = finish(execution.failed(exc))
                        if step is Step.RAISE:
                            raise
                    if step is Step.DONE:
                        result = execution.result
                        break
                    finish(execution.pause())
        except BaseException as exc:
            if execution is not None:
                finish(execution.close(exc))
            else:
                context.closed = True
            raise
        if execution is not None:
            finish(execution.close(None))
        else:
            context.closed = True
        return result
    finally:
        entered.reset(token)


async def drive_async(
    template: RetryTemplate,
    function: Callable[..., Any],
    args: tuple[Any, ...] | None,
    kwargs: dict[str, Any],
    label: str | None,
    recover: Callable[[RetryContext], Any] | None = None,
    state: RetryState | None = None,
) -> Any:
    """Await a function until it succeeds or is given up; without `args` it gets the context."""
    execution: Execution | None = None
    result: Any = None
    if template.plain and state is None:
        context = RetryContext(entered.get(), template.policy, label, template.clock)
    else:
        call = RetryCall(function, args or (), kwargs, label)
        execution = Execution.open(template, call, recover, state, is_async=True)
        context = execution.context
    token = entered.set(context)
    try:
        try:
            if execution is not None and not await execution.begin():
                result = execution.result
            else:
                while True:
                    if execution is not None:
                        await execution.attempt()
                    try:
                        if args is None:
                            pending = function(context)
                        elif kwargs:
                            pending = function(*args, **kwargs)
                        else:
                            pending = function(*args)
                        awaited: Any = pending
                        if not isinstance(pending, CoroutineType) and not inspect.isawaitable(pending):
                            refuse_plain(pending, function)
                        result = await awaited
                        if execution is not None:
                            await execution.succeeded(result)
                        break
                    except RetryUsageError:
                        raise
                    except Exception as exc:
                        if execution is None:
                            call = RetryCall(function, args or (), kwargs, label)
                            execution = Execution(template, context, call, recover, is_async=True)
                        step = await execution.failed(exc)
                        if step is Step.RAISE:
                            raise
                    if step is Step.DONE:
                        result = execution.result
                        break
                    await execution.pause()
        except BaseException as exc:
            if execution is not None:
                await execution.close(exc)
            else:
                context.closed = True
            raise
        if execution is not None:
            await execution.close(None)
        else:
            context.closed = True
        return result
    finally:
        try:  # noqa: SIM105  (a function call costs more)
            entered.reset(token)
        except ValueError:  # abandoned, and closed in another context than it ran in: nothing to restore there
            pass
