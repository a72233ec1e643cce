"""One decorated function: its template, its key, its recovery, and the class it turns out to live in."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

from wakuwaku.retry.callables import is_async, name_of, require_retryable, require_sync, signature_of
from wakuwaku.retry.driver import drive, drive_async
from wakuwaku.retry.errors import RecoveryNotFoundError, RetryUsageError
from wakuwaku.retry.recovery import Recovery, return_type, select, validated
from wakuwaku.retry.state import RetryState

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from wakuwaku.retry.context import RetryContext
    from wakuwaku.retry.listener import RetryListener
    from wakuwaku.retry.template import RetryTemplate

__all__ = ["Declared", "InClass", "RecoveryChoice", "in_class_body"]

RecoveryChoice: TypeAlias = "str | Callable[..., Any] | Literal[False] | None"


_ANY_ARGUMENTS = inspect.signature(lambda *_args, **_kwargs: None)


class Declared:
    """Hold what was declared about one function, and call it that way."""

    def __init__(
        self,
        fn: Callable[..., Any],
        template: RetryTemplate,
        *,
        label: str | None,
        recover: RecoveryChoice = None,
        stateful: bool = False,
        key: Callable[..., Hashable] | None = None,
        is_new: Callable[..., bool] | None = None,
    ) -> None:
        require_retryable(fn)
        require_sync(key, "key=")
        require_sync(is_new, "is_new=")
        if (key is not None or is_new is not None) and not stateful:
            raise RetryUsageError(
                "key= and is_new= are for stateful=True: a stateless retry keeps nothing between calls"
            )
        self.fn = fn
        self.template = template
        self.label = label or f"{getattr(fn, '__module__', None) or '?'}.{name_of(fn)}"
        self.is_async = is_async(fn)
        self._signature = signature_of(fn) or _ANY_ARGUMENTS
        self._is_method = _is_method(fn, self._signature)
        self._recover = recover
        self._stateful = stateful
        self._key = key
        self._is_new = is_new
        self._by_owner: WeakKeyDictionary[type, list[Recovery]] = WeakKeyDictionary()
        self._latest: tuple[type | None, list[Recovery]] = (None, [])
        if callable(recover):
            self._require_fitting(is_async(recover), name_of(recover))
        elif isinstance(recover, str) and not self._is_method:
            raise RecoveryNotFoundError(
                f"{self.label} is not a method, so recover={recover!r} can't name one: give the function itself"
            )

    def listen(self, listeners: tuple[RetryListener, ...]) -> None:
        """Use these listeners from now on."""
        self.template = self.template.replace(listeners=listeners)

    @property
    def looks_into_class(self) -> bool:
        """Say whether recovery is a method, to be found in the class of this one."""
        return self._is_method and (self._recover is None or isinstance(self._recover, str))

    def wrapper(self) -> Callable[..., Any]:
        """Return the function to use instead of the declared one."""
        fn, label, stateful = self.fn, self.label, self._stateful
        recovers = self.looks_into_class or callable(self._recover)
        if self.is_async:

            @functools.wraps(fn)
            async def retried_async(*args: Any, **kwargs: Any) -> Any:
                recovery = self._recovery(args, kwargs) if recovers else None
                state = self._state(args, kwargs) if stateful else None
                return await drive_async(self.template, fn, args, kwargs, label, recovery, state)

            return retried_async

        @functools.wraps(fn)
        def retried(*args: Any, **kwargs: Any) -> Any:
            recovery = self._recovery(args, kwargs) if recovers else None
            state = self._state(args, kwargs) if stateful else None
            return drive(self.template, fn, args, kwargs, label, recovery, state)

        return retried

    # -- state ---------------------------------------------------------------------------------------------------------

    def _state(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> RetryState:
        own = args[1:] if self._is_method else args
        key = self._whole_call(args, kwargs) if self._key is None else self._key(*own, **kwargs)
        try:
            hash(key)
        except TypeError as error:
            raise RetryUsageError(
                f"the arguments of {self.label} can't be the key of a stateful retry ({error}): "
                "give key=, a function that makes a hashable key from the arguments, such as an id"
            ) from error
        return RetryState(
            None if key is None else (self.label, key),
            force_refresh=self._is_new is not None and bool(self._is_new(*own, **kwargs)),
        )

    def _whole_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Return all arguments but self, the same for every way to pass them."""
        values, named = self._arguments(args, kwargs)
        extra = next((p.name for p in self._signature.parameters.values() if p.kind is p.VAR_KEYWORD), None)
        return (*values, *sorted(named[extra].items())) if extra is not None else values

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments in order, without self, and by parameter name."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values: list[Any] = []
        for parameter in self._signature.parameters.values():
            value = bound.arguments[parameter.name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                values.extend(value)
            elif parameter.kind is not parameter.VAR_KEYWORD:
                values.append(value)
        return tuple(values[1:] if self._is_method else values), bound.arguments

    # -- recovery ------------------------------------------------------------------------------------------------------

    def settle_in(self, owner: type) -> None:
        """Find the recoveries in the class that was just made; raise RecoveryNotFoundError when none can serve."""
        if self.looks_into_class:
            self._recoveries_of(owner)

    def _recoveries_of(self, owner: type) -> list[Recovery]:
        found = self._by_owner.get(owner)
        if found is None:
            name = self._recover if isinstance(self._recover, str) else None
            returns = return_type(self.fn, vars(owner))
            found = validated(owner, self.fn, name, returns)
            for candidate in found:
                self._require_fitting(is_async(getattr(owner, candidate.name)), candidate.name)
            self._by_owner[owner] = found
        return found

    def _require_fitting(self, recovery_is_async: bool, name: str) -> None:  # noqa: FBT001
        if recovery_is_async and not self.is_async:
            raise RetryUsageError(f"the recovery {name} is a coroutine function, but {self.label} is a plain function")

    def _recovery(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[RetryContext], Any] | None:
        if callable(self._recover):
            return functools.partial(self._recover_by_function, self._recover, args, kwargs)
        if not args:
            return None
        owner = args[0] if isinstance(args[0], type) else type(args[0])
        latest, candidates = self._latest
        if latest is not owner:
            candidates = self._recoveries_of(owner)
            self._latest = owner, candidates
        return functools.partial(self._recover_by_method, candidates, args, kwargs) if candidates else None

    def _recover_by_function(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], context: RetryContext
    ) -> Any:
        signature = signature_of(function)
        if signature is None:  # a built-in that does not tell what it takes, such as str
            return function(context.last_exception)
        taken = tuple(signature.parameters.values())
        pretended = Recovery(name_of(function), (BaseException,), taken[1:], (), None)
        if not taken:
            return function()
        if taken[0].kind is inspect.Parameter.VAR_POSITIONAL:
            pretended = pretended._replace(parameters=taken)
        positional, named = pretended.arguments(context.last_exception, *self._arguments(args, kwargs))
        return function(*positional, **named)

    def _recover_by_method(
        self, candidates: list[Recovery], args: tuple[Any, ...], kwargs: dict[str, Any], context: RetryContext
    ) -> Any:
        error = context.last_exception
        values, by_name = self._arguments(args, kwargs)
        chosen = candidates[0] if error is None else select(candidates, error, values)
        if chosen is None:
            names = ", ".join(candidate.name for candidate in candidates)
            raise RecoveryNotFoundError(
                f"no recovery of {self.label} takes {type(error).__name__} (there is {names})", context.failure
            ) from error
        positional, named = chosen.arguments(error, values, by_name)
        return getattr(args[0], chosen.name)(*positional, **named)


class InClass:
    """Stand in a class body for a decorated method, until the class exists and its recoveries can be found.

    Then the plain function takes its place, so that nothing of this is left.
    """

    def __init__(self, declared: Declared, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._declared = declared
        self._function = function

    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, name, self._function)
        self._declared.settle_in(owner)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self._function.__get__(instance, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, as other decorators in the class body may."""
        return self._function(*args, **kwargs)


def in_class_body(fn: Callable[..., Any], depth: int) -> bool:
    """Say whether the caller `depth` frames up is the class body that defines the function."""
    place = getattr(fn, "__qualname__", "").rpartition(".")[0]
    return bool(place) and sys._getframe(depth + 1).f_locals.get("__qualname__") == place  # noqa: SLF001


def _is_method(fn: Callable[..., Any], signature: inspect.Signature) -> bool:
    place = getattr(fn, "__qualname__", "").rpartition(".")[0]
    first = next(iter(signature.parameters), None)
    return bool(place) and not place.endswith("<locals>") and first in {"self", "cls"} and inspect.isfunction(fn)
