"""What a constructor needs, by its annotations."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

from wakuwaku.errors import StartError

__all__ = ["Need", "needs_of", "result_of"]


class Need(NamedTuple):
    """Say that a parameter wants a thing of a type; one with a default is filled only when there is such a thing."""

    parameter: str
    kind: type
    required: bool
    told: str  # who needs it, for people


def needs_of(kind: Callable[..., Any]) -> list[Need]:
    """Return what making a `kind` needs. Raises `StartError` naming the parameter that does not say."""
    name = _name(kind)
    if isinstance(kind, type) and inspect.isabstract(kind):
        missing = ", ".join(f"`{one}`" for one in sorted(getattr(kind, "__abstractmethods__", ())))
        raise StartError(f"{name} can't be made: it lacks {missing}")
    try:
        parameters = inspect.signature(kind).parameters.values()
        hints = _hints(kind)
    except NameError as error:
        raise StartError(
            f"the annotations of {name} can't be read: {error}. Import it also when the program runs, outside of"
            " `if TYPE_CHECKING`, or make it with compose or compose_consumer"
        ) from error
    except (TypeError, ValueError) as error:
        raise StartError(f"{name} can't be made: {error}; make it with compose or compose_consumer") from error
    return [need for parameter in parameters if (need := _need(name, parameter, hints)) is not None]


def result_of(make: Callable[..., Any]) -> type | None:
    """Return the class a function says it returns, or None when it does not say."""
    if isinstance(make, type):
        return make
    try:
        return _class_of(_hints(make).get("return"))
    except (TypeError, ValueError, NameError):
        return None


def _need(name: str, parameter: inspect.Parameter, hints: dict[str, Any]) -> Need | None:
    if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
        return None
    required = parameter.default is parameter.empty
    if parameter.kind is parameter.POSITIONAL_ONLY:
        if not required:
            return None
        raise StartError(f"{name} takes `{parameter.name}` by position only; make it with compose or compose_consumer")
    hint = hints.get(parameter.name)
    kind = _class_of(hint)
    if kind is None:
        if not required:
            return None
        told = "has no annotation" if hint is None else f"is annotated {hint!r}, which is no class"
        raise StartError(
            f"parameter `{parameter.name}` of {name} {told}: annotate it with the class it needs, or make it with"
            " compose or compose_consumer"
        )
    return Need(parameter.name, kind, required, f"parameter `{parameter.name}` of {name}")


def _hints(kind: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of what is called: a constructor's, or a function's own."""
    target: Any = kind
    if isinstance(kind, type):
        own: Any = kind
        target = own.__init__ if own.__init__ is not object.__init__ else own.__new__
        if not inspect.isfunction(target):  # made in C, or no constructor at all
            return {}
    return typing.get_type_hints(target)


def _class_of(hint: Any) -> type | None:
    """Return the class of an annotation: of ``Annotated[T, …]``, ``T | None`` and ``Pool[X]`` it is T and Pool."""
    origin = typing.get_origin(hint)
    if origin is Annotated:
        return _class_of(typing.get_args(hint)[0])
    if origin in {types.UnionType, typing.Union}:
        kinds = [one for one in _classes(hint) if one is not types.NoneType]
        return kinds[0] if len(kinds) == 1 else None
    if origin is not None:
        return origin if isinstance(origin, type) else None
    return hint if isinstance(hint, type) else None


def _classes(hint: Any) -> Iterator[type]:
    for one in typing.get_args(hint):
        kind = _class_of(one)
        if kind is not None:
            yield kind


def _name(kind: object) -> str:
    return getattr(kind, "__qualname__", repr(kind))
