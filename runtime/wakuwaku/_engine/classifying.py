"""Give what a handler raises a class: the handler's own classifier is asked first, then the consumer's."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from wakuwaku._engine.calling import Call
from wakuwaku._engine.routing import Binding
from wakuwaku.classify import retry_after
from wakuwaku.errors import ErrorClass, HandleError, StartError
from wakuwaku.handler import Batch, Handler, HandlerBundle

__all__ = ["LONGEST_ASKED", "asked_delay", "classified"]

Classify: TypeAlias = Callable[[Exception], ErrorClass | None]

#: Seconds that an error may ask a partition to wait.
LONGEST_ASKED: Final = 300.0


def classified(
    bindings: Mapping[int, Binding], handlers: HandlerBundle, classifier: Classify | None
) -> dict[int, Binding]:
    """Return the bindings with calls whose errors have a class; those without a classifier stay as they are.

    Raises `StartError` for a classifier that can't be called.
    """
    result = dict(bindings)
    routes = handlers.routes()
    for tag, binding in bindings.items():
        handler = routes[tag].handler
        own = handler.classify if isinstance(handler, Handler) else None
        asked = [one for one in (own, classifier) if one is not None]
        for one in asked:
            _check(one, binding.handler)
        if asked:
            result[tag] = dataclasses.replace(binding, call=_classifying(binding.call, asked))
    return result


def asked_delay(error: Exception) -> float | None:
    """Return the seconds a handler's error asks to be left alone for, or None."""
    asked = error.retry_after if isinstance(error, HandleError) else None
    return asked if asked is not None and math.isfinite(asked) and asked >= 0 else None


def _check(classifier: object, handler: str) -> None:
    if not callable(classifier):
        raise StartError(
            f"the classifier of {handler} is {classifier!r}; give one of wakuwaku.classify, such as postgres(), or a"
            " function of an error that returns an ErrorClass or None"
        )


def _classifying(call: Call, classifiers: Sequence[Classify]) -> Call:
    async def classifying(events: Batch[Any]) -> None:
        try:
            await call(events)
        except HandleError:
            raise
        except Exception as error:
            found = _class_of(error, classifiers)
            if found is None:
                raise
            told = HandleError.of(found, error)
            told.retry_after = retry_after(error) if found is ErrorClass.TRANSIENT else None
            # The traceback of a dead letter is that of the error which is raised; it has to show the handler.
            raise told.with_traceback(error.__traceback__) from error

    return classifying


def _class_of(error: Exception, classifiers: Sequence[Classify]) -> ErrorClass | None:
    """Ask one classifier after another; a group has the class that all its errors have, or none.

    Out of memory is no outcome of a handler, whatever a classifier would say.
    """
    if isinstance(error, MemoryError):
        return None
    if isinstance(error, HandleError):
        return error.error_class
    if isinstance(error, ExceptionGroup):
        inside = cast("ExceptionGroup[Exception]", error).exceptions
        classes = {_class_of(one, classifiers) for one in inside}
        return classes.pop() if len(classes) == 1 else None
    for classify in classifiers:
        try:
            found = classify(error)
        except Exception as broken:  # noqa: BLE001 - a classifier's bug must not hide the handler's error
            error.add_note(f"a classifier failed on it: {type(broken).__name__}: {broken}")
            continue
        if found is not None:
            return found if _is_class(found) else None
    return None


def _is_class(found: object) -> bool:
    """Tell whether a classifier nobody type-checked returned a class."""
    return isinstance(found, ErrorClass)
