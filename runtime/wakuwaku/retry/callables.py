"""What kind of callable something is, seen through partials, methods and callable objects."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from wakuwaku.retry.errors import RetryUsageError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "innermost",
    "is_async",
    "name_of",
    "refuse_coroutine",
    "refuse_plain",
    "require_retryable",
    "require_sync",
    "signature_of",
]


def innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that does the work: the one inside partials, or ``__call__`` of a callable object."""
    while isinstance(function, partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return getattr(type(function), "__call__", function)  # noqa: B004  (the method itself is wanted)


def name_of(function: Callable[..., Any]) -> str:
    """Return the qualified name of a callable, without its module."""
    inside = function
    while isinstance(inside, partial):
        inside = inside.func
    name: str = getattr(inside, "__qualname__", None) or type(inside).__qualname__
    return name


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of a callable, or None for a built-in that does not tell it."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def is_async(function: Callable[..., Any]) -> bool:
    """Say whether calling it gives a coroutine."""
    return inspect.iscoroutinefunction(innermost(function))


def require_retryable(function: Callable[..., Any]) -> None:
    """Raise RetryUsageError for a generator function: its body runs outside of the call, where nothing is retried."""
    inside = innermost(function)
    if inspect.isgeneratorfunction(inside) or inspect.isasyncgenfunction(inside):
        raise RetryUsageError(
            f"{name_of(function)} is a generator function: its items are made after the call returned, so nothing "
            "would be retried, and starting it again would repeat items. Retry the call that produces one item instead"
        )
    if not callable(function):
        raise RetryUsageError(f"{function!r} can't be called, so it can't be retried")


def require_sync(function: Callable[..., Any] | None, role: str) -> None:
    """Raise RetryUsageError when a function that is always called without await is a coroutine function."""
    if function is not None and is_async(function):
        raise RetryUsageError(f"{role} must be a plain function, but {name_of(function)} is a coroutine function")


def refuse_coroutine(result: Any, function: Callable[..., Any]) -> NoReturn:
    """Close the coroutine a sync execution got and raise RetryUsageError."""
    result.close()
    raise RetryUsageError(
        f"{name_of(function)} returned a coroutine, which a sync execution can't await: "
        "use execute_async, call_async or attempts_async, or make it a coroutine function"
    )


def refuse_plain(result: Any, function: Callable[..., Any]) -> NoReturn:
    """Raise RetryUsageError for a result that an async execution can't await."""
    raise RetryUsageError(
        f"{name_of(function)} returned {type(result).__name__}, which can't be awaited: "
        "use execute, call or attempts for a plain function"
    )
