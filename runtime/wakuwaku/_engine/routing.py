"""Make what the engine calls for each tag out of a bundle's handlers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from wakuwaku._engine.calling import Call, call_of
from wakuwaku.algebra import Algebra
from wakuwaku.errors import StartError
from wakuwaku.event import Event
from wakuwaku.handler import Handler, HandlerBundle, Ignore, is_stub, stub_methods

__all__ = ["Binding", "bind"]


@dataclass(frozen=True, slots=True)
class Binding:
    """Join what is known of one event type with the handler that gets its events."""

    handler: str  # its class, for people
    algebra: Algebra
    max_batch: int
    decode: Callable[[bytes], Event]
    key_values: Callable[[Any], object]
    call: Call


def bind(
    handlers: HandlerBundle, threads: Executor, timeout: float | None = None
) -> tuple[dict[int, Binding], frozenset[int]]:
    """Return the binding of each handled tag, and the tags that are ignored on purpose.

    Raises `StartError` naming every handler and combiner that is not filled in, with its file, and every one that can't
    be called.
    """
    bindings: dict[int, Binding] = {}
    ignored: set[int] = set()
    problems: list[str] = []
    for tag, route in handlers.routes().items():
        handler, event = route.handler, route.codec.event
        if isinstance(handler, Ignore):
            ignored.add(tag)
            continue
        if not _is_handler(handler):
            problems.append(
                f"the handler of {event.__name__} is {handler!r}; give an instance of its contract, or Ignore()"
            )
            continue
        name = type(handler).__qualname__
        problems += _combiner_problems(event)
        if is_stub(handler):
            problems.append(f"{name} in {_file_of(handler)} is still a stub: fill in `handle` and remove `@stub`")
        elif handler.event is not event:
            problems.append(f"{name} handles {handler.event.__name__}, the bundle wants {event.__name__} there")
        elif inspect.isasyncgenfunction(handler.handle) or inspect.isgeneratorfunction(handler.handle):
            problems.append(f"{name}.handle in {_file_of(handler)} has a `yield` in it, so calling it would do nothing")
        elif not _is_count(handler.max_batch):
            problems.append(f"{name}.max_batch is {handler.max_batch!r}; at least 1 is needed")
        elif handler.concurrency is not None and not _is_count(handler.concurrency):
            problems.append(
                f"{name}.concurrency is {handler.concurrency!r}; at least 1 is needed, or None for no bound"
            )
        else:
            bindings[tag] = Binding(
                handler=name,
                algebra=event.__wakuwaku__.algebra,
                max_batch=handler.max_batch,
                decode=route.codec.decode,
                key_values=event.__wakuwaku__.key.__wakuwaku__.values,
                call=call_of(handler, timeout, threads),
            )
    if problems:
        raise StartError("; ".join(problems))
    return bindings, frozenset(ignored)


def tags_of(bindings: Mapping[int, Binding]) -> dict[int, Algebra]:
    """Return the algebra of each handled tag."""
    return {tag: binding.algebra for tag, binding in bindings.items()}


def _is_handler(value: object) -> bool:
    """Tell whether a caller without a type checker gave a handler, and not its class or nothing."""
    return isinstance(value, Handler)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _combiner_problems(event: type[Event]) -> list[str]:
    """Return what keeps the hand-written combine rules of an event from working."""
    load = event.__wakuwaku__.combiner
    if load is None:
        return []
    try:
        combiner = load()
    except (ImportError, AttributeError, TypeError) as error:  # the file, the class or a method is missing
        return [f"the combine rules of {event.__name__} can't be loaded: {error}"]
    where = f"{type(combiner).__qualname__} in {_file_of(combiner)}"
    return [f"{where} is still a stub: fill in `{name}` and remove `@stub`" for name in stub_methods(combiner)]


def _file_of(of: object) -> str:
    try:
        return inspect.getfile(type(of))
    except (TypeError, OSError):
        return f"module {type(of).__module__}"
