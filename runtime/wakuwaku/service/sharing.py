"""One handler for several events: a face of it for each, with one bound on calls for all of them."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any, cast

from wakuwaku.event import Event
from wakuwaku.handler import Batch, Handler

__all__ = ["Sharing", "face_of"]


class Sharing:
    """Make handlers for the engine, which wants one per event, out of what was registered.

    A handler that was made for exactly this event is taken as it is. For any other a face is made: it has the settings
    of the original, and its name, so that messages and dead letters name what the author wrote.
    """

    def __init__(self) -> None:
        self._handles: dict[int, Callable[[Batch[Any]], Any]] = {}

    def handler_for(self, handler: object, event: type[Event]) -> Handler[Any]:
        """Return the handler of one event."""
        exact = _made_for(handler, event)
        return face_of(handler, event, self._handle_of(handler)) if exact is None else exact

    def _handle_of(self, handler: object) -> Callable[[Batch[Any]], Any]:
        """Return what is called: one and the same for all events, so that a bound on calls holds for them together."""
        handle: Callable[[Batch[Any]], Any] | None = self._handles.get(id(handler))
        if handle is None:
            original: Callable[[Batch[Any]], Any] = getattr(handler, "handle")  # noqa: B009 - an object of any class
            bound: int | None = getattr(handler, "concurrency", None)
            handle = original if bound is None else _at_a_time(original, bound)
            self._handles[id(handler)] = handle
        return handle


def face_of(handler: object, event: type[Event], handle: Callable[[Batch[Any]], Any]) -> Handler[Any]:
    """Return a handler of one event with the name and the settings of another, that calls `handle`."""
    kind: type[object] = type(handler)
    face = type(
        kind.__name__,
        (Handler,),
        {
            "__module__": kind.__module__,
            "__qualname__": kind.__qualname__,
            "event": event,
            "max_batch": getattr(handler, "max_batch", Handler.max_batch),
            "classify": staticmethod(classify) if (classify := getattr(handler, "classify", None)) else None,
            "handle": staticmethod(handle),
        },
    )
    return cast("Handler[Any]", face())


def _made_for(handler: object, event: type[Event]) -> Handler[Any] | None:
    """Return a handler that is the engine's own kind, and of exactly this event."""
    is_own = isinstance(handler, Handler) and _event_of(handler) is event
    return cast("Handler[Any]", handler) if is_own else None


def _event_of(handler: Any) -> object:
    return getattr(handler, "event", None)


def _at_a_time(handle: Callable[[Batch[Any]], Any], bound: int) -> Callable[[Batch[Any]], Any]:
    """Let a bound number of calls run at a time; those of a plain function wait in their threads."""
    if inspect.iscoroutinefunction(handle):
        room = asyncio.Semaphore(bound)

        @functools.wraps(handle)
        async def when_there_is_room(events: Batch[Any]) -> None:
            async with room:
                await handle(events)

        return when_there_is_room

    seats = threading.Semaphore(bound)

    @functools.wraps(handle)
    def in_turn(events: Batch[Any]) -> Any:
        with seats:
            return handle(events)

    return in_turn
