"""Retry by decoration; `@recover` is in `recovery`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

from wakuwaku.retry.backoff import NoBackOff
from wakuwaku.retry.backoff_choice import Backoff
from wakuwaku.retry.circuit import CircuitBreakerRetryPolicy
from wakuwaku.retry.declared import Declared, InClass, RecoveryChoice, in_class_body
from wakuwaku.retry.errors import RetryUsageError
from wakuwaku.retry.global_listeners import follow
from wakuwaku.retry.policy import SimpleRetryPolicy
from wakuwaku.retry.recovery import function_in, is_recovery
from wakuwaku.retry.template import RetryTemplate

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from wakuwaku.retry.backoff import BackOffPolicy
    from wakuwaku.retry.classifier import ExceptionTypes
    from wakuwaku.retry.duration import Duration
    from wakuwaku.retry.listener import RetryListener

__all__ = ["circuit_breaker", "retryable"]

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C")

_DEFAULT_BACKOFF = Backoff(delay=1.0)


class _Decorator(Protocol):
    @overload
    def __call__(self, target: type[C], /) -> type[C]: ...
    @overload
    def __call__(self, target: Callable[P, T], /) -> Callable[P, T]: ...


@overload
def retryable(target: type[C], /) -> type[C]: ...
@overload
def retryable(target: Callable[P, T], /) -> Callable[P, T]: ...
@overload
def retryable(
    *,
    retry_for: ExceptionTypes = (),
    no_retry_for: ExceptionTypes = (),
    not_recoverable: ExceptionTypes = (),
    max_attempts: int | Callable[[], int] = 3,
    backoff: Backoff | BackOffPolicy[Any] = _DEFAULT_BACKOFF,
    when: Callable[[Exception], bool] | None = None,
    recover: RecoveryChoice = None,
    stateful: bool = False,
    key: Callable[..., Hashable] | None = None,
    is_new: Callable[..., bool] | None = None,
    label: str | None = None,
    listeners: Sequence[RetryListener] | None = None,
    template: RetryTemplate | None = None,
) -> _Decorator: ...
def retryable(
    target: Any = None,
    /,
    *,
    retry_for: ExceptionTypes = (),
    no_retry_for: ExceptionTypes = (),
    not_recoverable: ExceptionTypes = (),
    max_attempts: int | Callable[[], int] = 3,
    backoff: Backoff | BackOffPolicy[Any] = _DEFAULT_BACKOFF,
    when: Callable[[Exception], bool] | None = None,
    recover: RecoveryChoice = None,
    stateful: bool = False,
    key: Callable[..., Hashable] | None = None,
    is_new: Callable[..., bool] | None = None,
    label: str | None = None,
    listeners: Sequence[RetryListener] | None = None,
    template: RetryTemplate | None = None,
) -> Any:
    """Retry a function, method or coroutine function; on a class, all its public methods but the recoveries.

    By default: 3 attempts, one second apart, for every `Exception`; with `no_retry_for` alone, for all others. When
    types are given, causes count too. `when` is a further condition on the error. `recover` is the name of a method, or
    a function that takes the error and then the arguments of the call; without it the `@recover` method of the class
    that takes the error type nearest is used, and with False none. `stateful` counts failures of the same arguments (or
    the same `key`) across calls, `is_new` tells that they start afresh. `listeners` None means the global ones.
    `template` takes the place of all that describes attempts, pauses and listeners.

    Raise RetryUsageError (a TypeError) at decoration for what can't work, and RecoveryNotFoundError at decoration, or
    when the class is made, for a recovery that does not exist or fit.
    """
    given = (retry_for, no_retry_for, not_recoverable, max_attempts, backoff, when, listeners)
    if template is not None and given != ((), (), (), 3, _DEFAULT_BACKOFF, None, None):
        raise RetryUsageError(
            "template= says how to retry, so the other options about attempts and pauses can't be given"
        )

    def new_template() -> RetryTemplate:
        return template or RetryTemplate(
            policy=_policy(retry_for, no_retry_for, not_recoverable, max_attempts, when),
            backoff=backoff.policy() if isinstance(backoff, Backoff) else backoff,
            listeners=listeners or (),
        )

    def declare(fn: Callable[..., Any]) -> Declared:
        return Declared(fn, new_template(), label=label, recover=recover, stateful=stateful, key=key, is_new=is_new)

    def decorate(decorated: Any) -> Any:
        return _decorate(decorated, declare, follows_global=listeners is None and template is None)

    return decorate if target is None else _decorate(target, declare, follows_global=True)


@overload
def circuit_breaker(target: type[C], /) -> type[C]: ...
@overload
def circuit_breaker(target: Callable[P, T], /) -> Callable[P, T]: ...
@overload
def circuit_breaker(
    *,
    open_timeout: Duration = 5.0,
    reset_timeout: Duration = 20.0,
    raise_last_on_exhausted: bool = False,
    retry_for: ExceptionTypes = (),
    no_retry_for: ExceptionTypes = (),
    not_recoverable: ExceptionTypes = (),
    max_attempts: int | Callable[[], int] = 3,
    when: Callable[[Exception], bool] | None = None,
    recover: RecoveryChoice = None,
    label: str | None = None,
    listeners: Sequence[RetryListener] | None = None,
) -> _Decorator: ...
def circuit_breaker(
    target: Any = None,
    /,
    *,
    open_timeout: Duration = 5.0,
    reset_timeout: Duration = 20.0,
    raise_last_on_exhausted: bool = False,
    retry_for: ExceptionTypes = (),
    no_retry_for: ExceptionTypes = (),
    not_recoverable: ExceptionTypes = (),
    max_attempts: int | Callable[[], int] = 3,
    when: Callable[[Exception], bool] | None = None,
    recover: RecoveryChoice = None,
    label: str | None = None,
    listeners: Sequence[RetryListener] | None = None,
) -> Any:
    """Stop calling a function for `reset_timeout` after `max_attempts` failures inside of `open_timeout`.

    Each call makes one attempt. A failing call ends with ExhaustedRetryError (the error itself with
    `raise_last_on_exhausted`), a refused one with CircuitOpenError, both only when nothing recovers. The circuit
    belongs to the function: methods share it between instances. To retry as well, put `@retryable` above, so that each
    attempt asks the circuit. The other options are those of `retryable`.
    """

    def declare(fn: Callable[..., Any]) -> Declared:
        template = RetryTemplate(
            policy=CircuitBreakerRetryPolicy(
                _policy(retry_for, no_retry_for, not_recoverable, max_attempts, when),
                open_timeout=open_timeout,
                reset_timeout=reset_timeout,
            ),
            backoff=NoBackOff(),
            listeners=listeners or (),
            raise_last_on_exhausted=raise_last_on_exhausted,
        )
        return Declared(fn, template, label=label, recover=recover)

    def decorate(decorated: Any) -> Any:
        return _decorate(decorated, declare, follows_global=listeners is None)

    return decorate if target is None else _decorate(target, declare, follows_global=True)


def _policy(
    retry_for: ExceptionTypes,
    no_retry_for: ExceptionTypes,
    not_recoverable: ExceptionTypes,
    max_attempts: int | Callable[[], int],
    when: Callable[[Exception], bool] | None,
) -> SimpleRetryPolicy:
    named = retry_for != () or no_retry_for != ()
    return SimpleRetryPolicy(
        max_attempts,
        retry_for=retry_for if named else Exception,
        no_retry_for=no_retry_for,
        not_recoverable=not_recoverable,
        traverse_causes=named,
        when=when,
    )


def _decorate(target: Any, declare: Callable[[Callable[..., Any]], Declared], *, follows_global: bool) -> Any:
    if function_in(target) is not target:
        return type(target)(_decorate(target.__func__, declare, follows_global=follows_global))
    if inspect.isclass(target):
        for name, value in list(vars(target).items()):
            inside = function_in(value)
            if not name.startswith("_") and inspect.isfunction(inside) and not is_recovery(inside):
                declared = _declare(inside, declare, follows_global=follows_global)
                declared.settle_in(target)
                wrapper = declared.wrapper()
                setattr(target, name, type(value)(wrapper) if value is not inside else wrapper)
        return target
    declared = _declare(target, declare, follows_global=follows_global)
    if declared.looks_into_class and in_class_body(target, 2):
        return InClass(declared, declared.wrapper())
    return declared.wrapper()


def _declare(
    fn: Callable[..., Any], declare: Callable[[Callable[..., Any]], Declared], *, follows_global: bool
) -> Declared:
    declared = declare(fn)
    if follows_global:
        follow(declared)
    return declared
