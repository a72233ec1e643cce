"""Make what the engine calls for each tag out of a bundle's handlers."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wakuwaku.algebra import Algebra
from wakuwaku.errors import StartError
from wakuwaku.event import Event
from wakuwaku.handler import Batch, Handler, HandlerBundle, Ignore, is_stub

__all__ = ["Binding", "bind"]


@dataclass(frozen=True, slots=True)
class Binding:
    """Join what is known of one event type with the handler that gets its events."""

    handler: str  # its class, for people
    algebra: Algebra
    max_batch: int
    decode: Callable[[bytes], Event]
    key_values: Callable[[Any], object]
    call: Callable[[Batch[Any]], Awaitable[None]]


def bind(handlers: HandlerBundle) -> tuple[dict[int, Binding], frozenset[int]]:
    """Return the binding of each handled tag, and the tags that are ignored on purpose.

    Raises `StartError` naming every handler that is not filled in, with its file, and every one that can't be called.
    """
    bindings: dict[int, Binding] = {}
    ignored: set[int] = set()
    problems: list[str] = []
    for tag, route in handlers.routes().items():
        handler, event = route.handler, route.codec.event
        if isinstance(handler, Ignore):
            ignored.add(tag)
            continue
        name = type(handler).__qualname__
        if is_stub(handler):
            problems.append(f"{name} in {_file_of(handler)} is still a stub: fill in `handle` and remove `@stub`")
        elif handler.event is not event:
            problems.append(f"{name} handles {handler.event.__name__}, the bundle wants {event.__name__} there")
        elif handler.max_batch < 1:
            problems.append(f"{name}.max_batch is {handler.max_batch}; at least 1 is needed")
        else:
            bindings[tag] = Binding(
                handler=name,
                algebra=event.__wakuwaku__.algebra,
                max_batch=handler.max_batch,
                decode=route.codec.decode,
                key_values=event.__wakuwaku__.key.__wakuwaku__.values,
                call=_awaitable(handler),
            )
    if problems:
        raise StartError("; ".join(problems))
    return bindings, frozenset(ignored)


def tags_of(bindings: Mapping[int, Binding]) -> dict[int, Algebra]:
    """Return the algebra of each handled tag."""
    return {tag: binding.algebra for tag, binding in bindings.items()}


def _awaitable(handler: Handler[Any]) -> Callable[[Batch[Any]], Awaitable[None]]:
    """Return `handle` as something to await: a plain function runs in a thread."""
    handle: Callable[[Batch[Any]], Any] = handler.handle
    if inspect.iscoroutinefunction(handle):
        return handle

    async def in_thread(events: Batch[Any]) -> None:
        result = await asyncio.to_thread(handle, events)
        if inspect.isawaitable(result):  # a plain function around a coroutine function, such as a decorator's
            await result

    return in_thread


def _file_of(handler: Handler[Any]) -> str:
    try:
        return inspect.getfile(type(handler))
    except (TypeError, OSError):
        return f"module {type(handler).__module__}"
