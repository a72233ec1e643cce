"""Find the method that recovers, by the type of the error and the arguments of the call."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Union, get_args, get_origin
from weakref import WeakSet

from wakuwaku.retry.callables import name_of
from wakuwaku.retry.errors import RecoveryNotFoundError, RetryUsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Recovery", "function_in", "is_recovery", "recover", "recoveries_of", "select", "validated"]

F = TypeVar("F", bound="Callable[..., Any]")

_marked: WeakSet[Any] = WeakSet()  # not an attribute: nothing is bolted onto the user's function


def recover(fn: F) -> F:
    """Mark a method as a recovery for the `@retryable` methods of its class; returns it unchanged.

    A first parameter annotated with an error type takes the error; the other parameters take the leading arguments of
    the failed call.
    """
    _marked.add(fn)
    return fn


def is_recovery(fn: Callable[..., Any]) -> bool:
    """Say whether a function is marked with `recover`."""
    return fn in _marked


def function_in(attribute: Any) -> Any:
    """Return the function inside a class or static method, or the attribute itself."""
    return attribute.__func__ if type(attribute) in {classmethod, staticmethod} else attribute


class Recovery(NamedTuple):
    """Describe one recovery method: its parameters, and the errors it takes; none: it takes any and is not given it."""

    name: str
    errors: tuple[type[BaseException], ...]
    parameters: tuple[inspect.Parameter, ...]
    annotations: tuple[Any, ...]
    returns: Any

    @classmethod
    def of(cls, name: str, fn: Callable[..., Any], namespace: Mapping[str, Any], *, method: bool) -> Recovery:
        """Read a recovery's signature; raise RetryUsageError when the annotation that matters can't be evaluated."""
        signature = inspect.signature(fn)
        parameters = tuple(signature.parameters.values())[1 if method else 0 :]
        errors: tuple[type[BaseException], ...] = ()
        if parameters and parameters[0].kind in _POSITIONAL:
            errors = _error_types(_evaluate(parameters[0].annotation, fn, namespace, strict=True))
        rest = parameters[1:] if errors else parameters
        annotations = tuple(_evaluate(parameter.annotation, fn, namespace) for parameter in rest)
        return cls(name, errors, rest, annotations, _evaluate(signature.return_annotation, fn, namespace))

    def distance(self, kind: type[BaseException]) -> int | None:
        """Return how far an error type is from the nearest one taken, or None when none takes it."""
        taken = self.errors or (BaseException,)
        steps = [kind.__mro__.index(error) for error in taken if error in kind.__mro__]
        return min(steps, default=None)

    def takes(self, count: int) -> bool:
        """Say whether a call with this many arguments can fill the parameters that have no default."""
        required = sum(1 for p in self.parameters if p.kind in _POSITIONAL and p.default is inspect.Parameter.empty)
        return required <= count

    def fits(self, values: Sequence[object]) -> bool:
        """Say whether the leading arguments fit the parameters in number and type; None fits anything."""
        pairs = zip(self.annotations, values, strict=False)
        return self.takes(len(values)) and all(
            value is None or not isinstance(kind, type) or isinstance(value, kind) for kind, value in pairs
        )

    def returns_for(self, wanted: Any) -> bool:
        """Say whether the result may stand for the failing method's; checked between annotated classes only."""
        if isinstance(wanted, type) and isinstance(self.returns, type):
            return issubclass(self.returns, wanted)
        return True

    def arguments(
        self, error: Exception | None, values: Sequence[object], named_values: Mapping[str, object]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return what to call the recovery with: the error if it takes one, then leading arguments or None.

        Keyword-only parameters take the argument of their name, or None.
        """
        positional: list[Any] = [error] if self.errors else []
        named: dict[str, Any] = {}
        left = list(values)
        for parameter in self.parameters:
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional += left
                left = []
            elif parameter.kind in _POSITIONAL:
                if left:
                    positional.append(left.pop(0))
                elif parameter.default is inspect.Parameter.empty:
                    positional.append(None)
            elif parameter.kind is inspect.Parameter.KEYWORD_ONLY and (
                parameter.name in named_values or parameter.default is inspect.Parameter.empty
            ):
                named[parameter.name] = named_values.get(parameter.name)
        return positional, named


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def recoveries_of(owner: type, name: str | None = None) -> list[Recovery]:
    """Return the recovery methods of a class, inherited ones included; with a name, that method, marked or not."""
    found: list[Recovery] = []
    seen: set[str] = set()
    for base in owner.__mro__:
        for attribute, value in vars(base).items():
            fn = function_in(value)
            if attribute in seen or not inspect.isfunction(fn):
                continue
            seen.add(attribute)
            if attribute == name or (name is None and fn in _marked):
                namespace = dict(vars(base)) | {base.__name__: base}
                found.append(Recovery.of(attribute, fn, namespace, method=not isinstance(value, staticmethod)))
    return found


def validated(owner: type, fn: Callable[..., Any], name: str | None, returns: Any) -> list[Recovery]:
    """Return the recoveries that can serve a method, as far as its class can tell.

    Raise RecoveryNotFoundError for a name that does not exist or does not fit, and when recoveries exist but none fits.
    """
    candidates = recoveries_of(owner, name)
    place = f"{owner.__qualname__}.{fn.__name__}"
    if name is not None and not candidates:
        raise RecoveryNotFoundError(f"{place} names the recovery {name!r}, but {owner.__qualname__} has no such method")
    count = len(inspect.signature(fn).parameters) - 1
    variable = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in inspect.signature(fn).parameters.values())
    fitting = [c for c in candidates if c.returns_for(returns) and (variable or c.takes(count))]
    if candidates and not fitting:
        raise RecoveryNotFoundError(
            f"no recovery fits {place}: {', '.join(c.name for c in candidates)} needs more arguments than the method "
            "has or returns another type; fix its signature, name another one with recover=, or say recover=False"
        )
    exact = [c for c in fitting if isinstance(returns, type) and c.returns is returns]
    return exact or fitting


def select(candidates: Sequence[Recovery], error: Exception, values: Sequence[object]) -> Recovery | None:
    """Return the recovery whose error type is nearest; on a tie the first whose parameters fit the arguments."""
    ranked = [(steps, c) for c in candidates if (steps := c.distance(type(error))) is not None]
    if not ranked:
        return None
    nearest = min(steps for steps, _ in ranked)
    tied = [c for steps, c in ranked if steps == nearest]
    return next((c for c in tied if c.fits(values)), tied[0])


def return_type(fn: Callable[..., Any], namespace: Mapping[str, Any]) -> Any:
    """Return the annotated result of a function, or None when it has none that can be evaluated."""
    return _evaluate(inspect.signature(fn).return_annotation, fn, namespace)


def _evaluate(annotation: Any, fn: Callable[..., Any], namespace: Mapping[str, Any], *, strict: bool = False) -> Any:
    if annotation is inspect.Parameter.empty:
        return None
    if isinstance(annotation, str):
        try:
            return eval(annotation, getattr(fn, "__globals__", {}), dict(namespace))  # noqa: S307  (the user's annotation)
        except Exception as error:
            if strict:
                raise RetryUsageError(
                    f"the annotation {annotation!r} of {name_of(fn)} can't be evaluated ({error}), so it is unknown "
                    "which errors it takes: import the type at run time"
                ) from error
            return None
    return annotation


def _error_types(annotation: Any) -> tuple[type[BaseException], ...]:
    options = get_args(annotation) if get_origin(annotation) in {Union, types.UnionType} else (annotation,)
    errors = tuple(option for option in options if isinstance(option, type) and issubclass(option, BaseException))
    return errors if len(errors) == len(options) else ()
